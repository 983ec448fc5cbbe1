// bench/accuracy.cpp -- the greatest errors of the elementary functions, against MPFR: accuracy [--points N] [FUNCTION…]
//
// Run once for each instruction set: SINTER_ISA=v4|v3|v1. Exit status 1 when a bound of the table is passed.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "support/accuracy.hpp"

namespace {

std::int64_t points = 1'000'000;
std::vector<std::string> wanted;
int failures = 0;

template <class Op, class T>
void run() {
    if constexpr (Op::ulp > 0) {
        if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), Op::name) == wanted.end()) return;
        const auto worst = accuracy::measure<Op, T>(points, 1);
        const auto x = sinter::eval(sinter::random::uniform<T>(sinter::random::key(1), 4096) + T(0.25));
        sinter::tensor<T, 1> y = x;
        const auto start = std::chrono::steady_clock::now();
        for (int i = 0; i < 200; ++i) {
            if constexpr (Op::args == 1)
                y = sinter::detail::make_elementwise<Op>(x);
            else
                y = sinter::detail::make_elementwise<Op>(x, x);
        }
        const double ns = std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count() / (200 * 4096);
        const bool bad = !(worst.ulp <= Op::ulp);
        failures += bad;
        std::printf("%-10s %-7s %s %10lld points  %7.3f ulp of %d at %.17g, %.17g -> %.17g  %6.2f ns%s\n", Op::name, sizeof(T) == 4 ? "float" : "double",
                    sinter::detail::isa_name(sinter::detail::active_isa()), static_cast<long long>(worst.points), worst.ulp, Op::ulp,
                    static_cast<double>(worst.x), static_cast<double>(worst.y), static_cast<double>(worst.given), ns, bad ? "  TOO MUCH" : "");
        std::fflush(stdout);
    }
}

} // namespace

int main(int count, char** arguments) {
    for (int i = 1; i < count; ++i) {
        if (std::string(arguments[i]) == "--points" && i + 1 < count)
            points = std::atoll(arguments[++i]);
        else
            wanted.emplace_back(arguments[i]);
    }
#ifndef ONLY
#define SINTER_OP(name, ...)                                                                                           \
    run<sinter::detail::name##_op, float>();                                                                           \
    run<sinter::detail::name##_op, double>();
#include <sinter/expr/ops.def>
#else
    ONLY
#endif
    return failures > 0;
}
