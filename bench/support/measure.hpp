// bench/support/measure.hpp -- one implementation of a workload: checked against the workload's reference, then timed.
//
// The folder of a workload holds workload.hpp with its problem: the inputs, room `y` for the result, and reference(i),
// the value of its element i in double. Every other file there has implementations: constructed from the problem and a
// number of threads, they compute `y` in run(), and are named by bench::add. An implementation that makes new memory in
// each run() copies its result to `y` in deliver(), which is not timed.
#pragma once

#include <benchmark/benchmark.h>
#include <tbb/global_control.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "support/problem.hpp"

namespace bench {

/// Set once a result was wrong.
inline bool failed = false;

/// One thread, and all.
inline std::vector<int> thread_counts() {
    const int all = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
    return all == 1 ? std::vector{1} : std::vector{1, all};
}

/// The problem of size n: made once, and used by all implementations.
template <class Problem>
Problem& problem_of(int64_t n) {
    static std::map<int64_t, Problem> made;
    return made.try_emplace(n, n).first->second;
}

/// The first wrong element of the result, in words; "" when all are right. Of large results a part is looked at.
template <class Problem>
std::string wrong_element(const Problem& problem) {
    const int64_t n = problem.y.size(), step = n > 1'000'000 || Problem::costly_reference ? 97 : 1;
    const auto wrong = [&](int64_t i) {
        const double wanted = problem.reference(i);
        return !(std::abs(problem.y[i] - wanted) <= Problem::tolerance * (1 + std::abs(wanted)));
    };
    const auto words = [&](int64_t i) {
        std::ostringstream text;
        text << "element " << i << " is " << problem.y[i] << ", not " << problem.reference(i);
        return text.str();
    };
    for (int64_t i = 0; i < n; i += step)
        if (wrong(i)) return words(i);
    for (int64_t i = std::max<int64_t>(0, n - 100); i < n; ++i)
        if (wrong(i)) return words(i);
    return "";
}

/// Wakes threads, which sleep after a measurement with fewer, and brings caches to the state that repeated runs leave.
template <class Implementation>
void warm_up(Implementation& implementation, int threads) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(threads == 1 ? 0 : 2);
    do {
        implementation.run();
        benchmark::ClobberMemory();
    } while (std::chrono::steady_clock::now() < until);
}

template <class Implementation, class Problem>
void measure(benchmark::State& state, int64_t n, int threads) {
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(threads));
    Problem& problem = problem_of<Problem>(n);
    Implementation implementation(problem, threads);
    static std::map<std::pair<int64_t, int>, std::string> checked;
    const auto [at, first] = checked.try_emplace({n, threads});
    if (first) {
        problem.y.poison();
        implementation.run();
        if constexpr (requires { implementation.deliver(); }) implementation.deliver();
        at->second = wrong_element(problem);
    }
    if (!at->second.empty()) {
        failed = true;
        state.SkipWithError(at->second.c_str());
        return;
    }
    warm_up(implementation, threads);
    for (auto _ : state) {
        implementation.run();
        benchmark::ClobberMemory();
    }
}

/// Names an implementation of a problem, for all sizes and numbers of threads. Called before main().
template <class Implementation, class Problem>
bool add(const std::string& impl) {
    for (const int64_t n : Problem::sizes) {
        for (const int threads : thread_counts()) {
            const std::string type = sizeof(problem_of<Problem>(n).y[0]) == 8 ? "double" : "float";
            std::string name = Problem::workload;
            for (const std::string& part : {type, std::to_string(n), std::to_string(threads), impl})
                (name += '/') += part;
            benchmark::RegisterBenchmark(name.c_str(), [n, threads](benchmark::State& state) {
                measure<Implementation, Problem>(state, n, threads);
            })->UseRealTime();
        }
    }
    return true;
}

} // namespace bench
