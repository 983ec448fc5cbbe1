// bench/compile/sinter_twenty.cpp -- twenty different expressions.
#include <sinter/sinter.hpp>

namespace sn = sinter;
using vector = sn::tensor<float, 1>;
using matrix = sn::tensor<float, 2>;

void vectors(vector* y, const vector& x, const vector& z, const matrix& a, const matrix& b) {
    y[0] = x * 2 + z;
    y[1] = x * x - z * z;
    y[2] = (x + z) / (x - z);
    y[3] = sn::exp(x) * z;
    y[4] = sn::log(sn::abs(x) + 1);
    y[5] = sn::sqrt(x * x + z * z);
    y[6] = sn::tanh(x * 0.5f) + 1;
    y[7] = sn::maximum(x, z) - sn::minimum(x, z);
    y[8] = sn::where(x > z, x, z * 2);
    y[9] = sn::abs(x - z) * 3;
    y[10] = 1 / (1 + sn::exp(-x));
    y[11] = sn::erf(x) + z;
    y[12] = sn::square(x - 3) + sn::square(z + 1);
    y[13] = sn::floor(x * 10) / 10;
    y[14] = sn::sum(a * b, sn::axis<1>);
    y[15] = sn::max(sn::abs(a), sn::axis<0>);
}

void matrices(matrix* y, const vector& x, const matrix& a, const matrix& b) {
    y[0] = sn::transpose(a) + b;
    y[1] = a + x(sn::all, sn::newaxis);
    y[2] = sn::exp(a) * b - a;
    y[3] = sn::matmul(a, b);
}
