// bench/mean_var/sinter.cpp -- two results of one eval.

#include "support/sinter.hpp"
#include "workload.hpp"

namespace {

struct tensors {
    mean_var& p;
    sinter::tensor<float, 2> x;
    sinter::tensor<float, 1> mean, variance;

    tensors(mean_var& problem, int) : p(problem), x(bench::tensor_of(p.x, p.rows, p.columns)) {}
    void run() {
        std::tie(mean, variance) = sinter::eval(sinter::mean(x, sinter::axis<1>), sinter::var(x, sinter::axis<1>));
    }
    void deliver() {
        std::ranges::copy(mean.span(), p.y.data());
        std::ranges::copy(variance.span(), p.y.data() + p.rows);
    }
};

const bool added = bench::add<tensors, mean_var>("sinter");

} // namespace
