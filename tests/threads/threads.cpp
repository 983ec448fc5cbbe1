// tests/threads/threads.cpp -- several threads: the same bits on any number, sharing without races, the caller's arena.

#include <atomic>
#include <thread>

#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include "support/tensors.hpp"

namespace {

std::vector<float> several_results(const sn::tensor<float, 2>& x) {
    std::vector<float> r = values_of(sn::sum(x, axis<0>));
    const auto add = [&](const auto& e) {
        const auto v = values_of(sn::cast<float>(e));
        r.insert(r.end(), v.begin(), v.end());
    };
    add(sn::sum(x, axis<1>));
    add(sn::sum(x));
    add(sn::argmax(x));
    add(sn::stddev(x * x));
    add(sn::matmul(sn::transpose(x), x));
    add(sn::ravel(x * 2 + sn::broadcast_to(x(range(0, 1), all), x.shape())));
    return r;
}

} // namespace

TEST_CASE("results have the same bits on any number of threads") {
    const sn::tensor<float, 2> x = sn::cast<float>(sn::random::integers<int>(sn::random::key(1), 0, 1000, 3000, 170)) / 7;
    std::vector<float> first;
    for (const std::size_t threads : {1, 2, 3, 4}) {
        const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
        tbb::task_arena arena(static_cast<int>(threads));
        const auto r = arena.execute([&] { return several_results(x); });
        if (first.empty()) first = r;
        check_same(r, first, std::to_string(threads) + " threads");
    }
}

TEST_CASE("copies of one tensor may be read, written and dropped by several threads") {
    const sn::tensor<float, 1> shared = sn::arange<float>(50000);
    std::atomic<int> wrong = 0;
    std::vector<std::thread> threads;
    for (int k = 0; k < 4; ++k)
        threads.emplace_back([&, k] {
            for (int round = 0; round < 20; ++round) {
                sn::tensor<float, 1> own = shared;
                own.at(range(0, 10)) = float(k);
                own = own * 2 + shared;
                if (own(5) != 2 * float(k) + 5 || own(49999) != 3 * 49999.f) ++wrong;
            }
        });
    for (auto& t : threads) t.join();
    CHECK(wrong == 0);
    CHECK(shared(5) == 5);
}

TEST_CASE("one expression may be evaluated by several threads at once") {
    const sn::tensor<float, 1> x = sn::arange<float>(100000);
    const auto e = sn::sum(x * 2) + x;
    std::atomic<int> wrong = 0;
    std::vector<std::thread> threads;
    for (int k = 0; k < 4; ++k)
        threads.emplace_back([&] {
            for (int round = 0; round < 5; ++round) {
                const sn::tensor<float, 1> r = e;
                const sn::tensor<float, 0> s = sn::sum(x * 2);
                if (r(7) != s() + 7) ++wrong;
            }
        });
    for (auto& t : threads) t.join();
    CHECK(wrong == 0);
}

TEST_CASE("work stays in the caller's arena, of one thread here") {
    tbb::task_arena arena(1);
    const auto caller = std::this_thread::get_id();
    std::atomic<int> elsewhere = 0;
    arena.execute([&] {
        const sn::tensor<float, 1> x = sn::arange<float>(200000);
        const sn::tensor<float, 1> y = sn::map([&](float v) {
            if (std::this_thread::get_id() != caller) ++elsewhere;
            return v + 1;
        }, x);
        CHECK(y(199999) == 200000);
    });
    CHECK(elsewhere == 0);
}

TEST_CASE("memory released by another thread is used again safely") {
    for (int round = 0; round < 10; ++round) {
        sn::tensor<float, 1> made;
        std::thread([&] { made = sn::full<float>(float(round), 1000); }).join();
        CHECK(made(999) == float(round));
        std::thread([moved = std::move(made)]() mutable { moved = sn::tensor<float, 1>(); }).join();
    }
}
