// bench/compile/sinter_header.cpp -- the headers alone.
#include <sinter/sinter.hpp>
