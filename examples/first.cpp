// examples/first.cpp -- the README's example.
#include <iostream>
#include <sinter/sinter.hpp>
namespace sn = sinter;
using sn::axis, sn::keepdims;

int main() {
    sn::tensor<float, 2> x = sn::random::normal<float>(sn::random::key(1), 1000, 4) * 3 + 5;
    auto z = (x - sn::mean(x, axis<0>, keepdims)) / sn::stddev(x, axis<0>, keepdims); // lazy: no work yet
    sn::tensor<float, 2> w = sn::random::uniform<float>(sn::random::key(2), 4, 3) - 0.5;
    sn::tensor<float, 2> h = sn::tanh(sn::matmul(z, w));                              // runs here
    auto [low, high] = sn::eval(sn::min(h), sn::max(h));
    std::cout << h << "\nfrom " << low() << " to " << high() << '\n';
}
