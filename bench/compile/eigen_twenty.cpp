// bench/compile/eigen_twenty.cpp -- the expressions of sinter_twenty.cpp.
#include <Eigen/Dense>
#include <unsupported/Eigen/CXX11/Tensor>

using vector = Eigen::Tensor<float, 1, Eigen::RowMajor>;
using matrix = Eigen::Tensor<float, 2, Eigen::RowMajor>;

void vectors(vector* y, const vector& x, const vector& z, const matrix& a, const matrix& b) {
    const Eigen::array<int, 1> first{0}, last{1};
    y[0] = x * 2.f + z;
    y[1] = x * x - z * z;
    y[2] = (x + z) / (x - z);
    y[3] = x.exp() * z;
    y[4] = (x.abs() + 1.f).log();
    y[5] = (x * x + z * z).sqrt();
    y[6] = (x * 0.5f).tanh() + 1.f;
    y[7] = x.cwiseMax(z) - x.cwiseMin(z);
    y[8] = (x > z).select(x, z * 2.f);
    y[9] = (x - z).abs() * 3.f;
    y[10] = ((-x).exp() + 1.f).inverse();
    y[11] = x.erf() + z;
    y[12] = (x - 3.f).square() + (z + 1.f).square();
    y[13] = (x * 10.f).floor() / 10.f;
    y[14] = (a * b).sum(last);
    y[15] = a.abs().maximum(first);
}

void matrices(matrix* y, const vector& x, const matrix& a, const matrix& b) {
    const Eigen::array<int, 2> turned{1, 0};
    const Eigen::array<Eigen::Index, 2> column{a.dimension(0), 1}, across{1, a.dimension(1)};
    const Eigen::array<Eigen::IndexPair<int>, 1> product{Eigen::IndexPair<int>(1, 0)};
    y[0] = a.shuffle(turned) + b;
    y[1] = a + x.reshape(column).broadcast(across);
    y[2] = a.exp() * b - a;
    y[3] = a.contract(b, product);
}
