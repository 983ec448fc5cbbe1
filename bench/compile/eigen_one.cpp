// bench/compile/eigen_one.cpp -- one small expression.
#include <Eigen/Dense>
#include <unsupported/Eigen/CXX11/Tensor>

using vector = Eigen::Tensor<float, 1, Eigen::RowMajor>;

void evaluate(vector& y, const vector& x, const vector& z) {
    y = x * 2.f + z;
}
