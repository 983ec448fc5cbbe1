// jit/formulas.hpp -- stage 3: operations that a graph holds as formulas of simpler ones. Private to graph.cpp.
//
// The row of the table is evaluated with `formula_value`s: what the row calls is found here first, then among the functions
// that the processor's packets share (sign, remainder, floor_divide in host/), and otherwise is a node of its own.
#pragma once

#include <sinter/fuse/graph.hpp>

namespace sinter::detail {

/// A value whose operation is being expanded.
template <class T>
struct formula_value : graph_value<T> {};

/// 1 / (1 + exp(-x)): exp is within 1 ulp of CUDA's bound, and its error is less than halved where the sum exceeds 1.
template <class T>
graph_value<T> sigmoid(formula_value<T> x) {
    const graph_value<T> e = exp(-x);
    return T(1) / (e + T(1));
}

/// x/2 · erfc(-x/√2), in double. What the argument lost by rounding is put back with the derivative of erfc,
/// -2/√π · exp(-t²): the relative error would otherwise grow with x².
template <class T>
graph_value<T> gelu(formula_value<T> x) {
    if constexpr (std::is_same_v<T, double>) {
        const graph_value<T> high = x * -0.70710678118654752440;
        const graph_value<T> low = fma(x, graph_value<T>::splat(-0.70710678118654752440), -high) + x * 4.8336466567264565e-17;
        const graph_value<T> tail = erfc(high) - low * 1.1283791670955125739 * exp(-(high * high));
        return select(x == -infinity<T>, T(-0.0), x * 0.5 * select(isfinite(high), tail, erfc(high)));
    } else {
        return convert<T>(gelu(formula_value<double>{convert<double>(x)}));
    }
}

/// log(exp(a) + exp(b)) = max + log1p(exp(-|a - b|)): in double, because the two terms may cancel.
template <class T>
graph_value<T> logaddexp(formula_value<T> a, formula_value<T> b) {
    if constexpr (std::is_same_v<T, double>) {
        const graph_value<T> most = maximum(a, b);
        const graph_value<T> apart = abs(a - b);
        return select(a == b, most + 0.69314718055994530942, select(most == infinity<T>, most, most + log1p(exp(-apart))));
    } else {
        return convert<T>(logaddexp(formula_value<double>{convert<double>(a)}, formula_value<double>{convert<double>(b)}));
    }
}

} // namespace sinter::detail
