// sinter/host/math.hpp -- stage 4: the elementary functions of packets, all of them.
#pragma once

#include <sinter/host/exponential.hpp>
