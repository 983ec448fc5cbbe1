// bench/compile/sinter_one.cpp -- one small expression.
#include <sinter/sinter.hpp>

using vector = sinter::tensor<float, 1>;

void evaluate(vector& y, const vector& x, const vector& z) {
    y = x * 2 + z;
}
