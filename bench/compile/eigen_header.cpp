// bench/compile/eigen_header.cpp -- the headers alone.
#include <Eigen/Dense>
#include <unsupported/Eigen/CXX11/Tensor>
