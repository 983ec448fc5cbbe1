// examples/digits.cpp -- trains a network of two layers to read handwritten digits. digits DATA_FOLDER OUTPUT_FOLDER
//
// Gradients are written down by hand: each line of a step is a matrix product or one fused expression. A batch has only
// 32 x 64 values, so what counts here is how little an evaluation costs beside its arithmetic.

#include <chrono>
#include <cmath>
#include <cstdio>
#include <iostream>

#include <sinter/sinter.hpp>

namespace sn = sinter;
using sn::all, sn::axis, sn::keepdims, sn::range;
using sn::random::key, sn::random::normal;
using matrix = sn::tensor<float, 2>;
using vector = sn::tensor<float, 1>;

namespace {

struct samples {
    matrix images;                      // a row of 64 pixels for each, from 0 to 1
    sn::tensor<std::uint8_t, 1> labels; // 0 to 9

    std::int64_t count() const { return labels.size(); }
    samples part(const range& r) const { return {images(r, all), labels(r)}; }
    /// In the order given. Rows chosen by a tensor are no operation of sinter: one is copied at a time.
    samples reordered(const sn::tensor<std::int64_t, 1>& order) const {
        samples r = *this;
        for (std::int64_t i = 0; i < order.size(); ++i) {
            r.images.at(i, all) = images(order(i), all);
            r.labels.at(i) = labels(order(i));
        }
        return r;
    }
};

struct network {
    matrix w1;
    vector b1;
    matrix w2;
    vector b2;

    matrix hidden(const matrix& x) const { return sn::relu(sn::matmul(x, w1) + b1); } // the bias broadcasts over rows

    /// Softmax of each row. Its greatest score is taken off first, so that exp does not overflow.
    matrix probabilities(const matrix& h) const {
        const matrix scores = sn::matmul(h, w2) + b2;
        const matrix powers = sn::exp(scores - sn::max(scores, axis<1>, keepdims));
        return powers / sn::sum(powers, axis<1>, keepdims);
    }
    auto predictions(const matrix& x) const { return sn::eval(sn::argmax(probabilities(hidden(x)), axis<1>)); }

    double accuracy(const samples& s) const { return sn::eval(sn::mean(predictions(s.images) == s.labels))(); }
};

/// Weights of this size keep signals as large as they are, layer by layer (K. He and others, 2015).
network untrained(std::int64_t pixels, std::int64_t units, std::int64_t classes) {
    return {normal<float>(key(1), pixels, units) * std::sqrt(2.0 / double(pixels)), sn::zeros<float>(units),
            normal<float>(key(2), units, classes) * std::sqrt(2.0 / double(units)), sn::zeros<float>(classes)};
}

/// Gradient descent with momentum: the velocity of each parameter is a network of its own.
class optimizer {
public:
    explicit optimizer(const network& n)
        : velocity_{sn::zeros<float>(n.w1.shape()), sn::zeros<float>(n.b1.shape()), sn::zeros<float>(n.w2.shape()),
                    sn::zeros<float>(n.b2.shape())} {}

    /// One step on one batch; returns the mean cross-entropy before it.
    float step(network& n, const samples& batch, float rate) {
        const float count = float(batch.count());
        const matrix h = n.hidden(batch.images);
        const matrix p = n.probabilities(h);
        const auto wanted = sn::one_hot<float>(batch.labels, 10);
        const sn::tensor<float, 0> loss = -sn::sum(wanted * sn::log(p + 1e-12)) / count;

        const matrix score_gradient = (p - wanted) / count;
        const matrix hidden_gradient = sn::matmul(score_gradient, sn::transpose(n.w2)) * (h > 0);
        move(n.w2, velocity_.w2, rate, sn::matmul(sn::transpose(h), score_gradient));
        move(n.b2, velocity_.b2, rate, sn::sum(score_gradient, axis<0>));
        move(n.w1, velocity_.w1, rate, sn::matmul(sn::transpose(batch.images), hidden_gradient));
        move(n.b1, velocity_.b1, rate, sn::sum(hidden_gradient, axis<0>));
        return loss();
    }

private:
    static void move(auto& parameter, auto& velocity, float rate, const auto& gradient) {
        velocity = 0.9 * velocity - rate * gradient;
        parameter += velocity;
    }
    network velocity_;
};

void print_confusions(const network& n, const samples& test) {
    const matrix truth = sn::one_hot<float>(test.labels, 10), read = sn::one_hot<float>(n.predictions(test.images), 10);
    std::puts("\n  how often each digit (row) was read as which (column)");
    std::cout << sn::cast<int>(sn::matmul(sn::transpose(truth), read)) << "\n\n";
}

/// Returns the accuracy on digits that it was not trained with.
double run(const std::string& data, const std::string& output) {
    const auto pixels = sn::load_npy<std::uint8_t, 2>(data + "/digits_images.npy");
    const samples sorted{sn::cast<float>(pixels) / 16, sn::load_npy<std::uint8_t, 1>(data + "/digits_labels.npy")};
    const std::int64_t tests = 360, n = sorted.count() - tests;
    const samples everything = sorted.reordered(sn::random::permutation(key(3), sorted.count()));
    const samples training = everything.part(range(0, n)), test = everything.part(range(-tests, sn::open));
    std::printf("%lld digits to learn from, %lld to be tested on\n\n", static_cast<long long>(n),
                static_cast<long long>(tests));

    constexpr int epochs = 40, batch = 32;
    network net = untrained(64, 96, 10);
    optimizer sgd(net);
    const auto start = std::chrono::steady_clock::now();
    std::puts("  epoch  mean loss  accuracy in training  in the test");
    for (int epoch = 1; epoch <= epochs; ++epoch) {
        const samples shuffled = training.reordered(sn::random::permutation(key(4, std::uint64_t(epoch)), n));
        double loss = 0;
        std::int64_t steps = 0;
        for (std::int64_t first = 0; first < n; first += batch, ++steps) // the last batch is what is left
            loss += sgd.step(net, shuffled.part(range(first, first + batch)), 0.05f);
        if (epoch == 1 || epoch % 5 == 0)
            std::printf("  %5d  %9.4f  %18.1f %%  %9.1f %%\n", epoch, loss / double(steps),
                        100 * net.accuracy(training), 100 * net.accuracy(test));
    }
    std::printf("\n  trained in %.2f s\n",
                std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    print_confusions(net, test);
    sn::save_npz(output + "/digits.npz", {{"w1", net.w1}, {"b1", net.b1}, {"w2", net.w2}, {"b2", net.b2}});
    std::printf("  wrote %s/digits.npz\n", output.c_str());
    return net.accuracy(test);
}

} // namespace

int main(int count, char** arguments) {
    if (count != 3) {
        std::fputs("usage: digits DATA_FOLDER OUTPUT_FOLDER\n", stderr);
        return 1;
    }
    try {
        const double accuracy = run(arguments[1], arguments[2]);
        std::printf("  test accuracy %.2f %%, of which at least 96 %% are expected\n", 100 * accuracy);
        return accuracy >= 0.96 ? 0 : 1;
    } catch (const sn::error& e) {
        std::cerr << e.what() << '\n';
        return 1;
    }
}
