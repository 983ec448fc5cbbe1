// sinter/host/math.hpp -- stage 4: the elementary functions of packets, all of them.
#pragma once

#include <sinter/host/exponential.hpp>
#include <sinter/host/gamma.hpp>
#include <sinter/host/hyperbolic.hpp>
#include <sinter/host/power.hpp>
#include <sinter/host/special.hpp>
#include <sinter/host/trig.hpp>
