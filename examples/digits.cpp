// examples/digits.cpp -- trains a network of two layers to read handwritten digits: digits DATA_FOLDER OUTPUT_FOLDER
//
// The gradients are written down by hand; each line of the training step is one matrix product or one fused expression.

#include <chrono>
#include <cstdio>
#include <iostream>

#include <sinter/sinter.hpp>

namespace sn = sinter;
using sn::all, sn::axis, sn::keepdims, sn::range;
using matrix = sn::tensor<float, 2>;

namespace {

struct samples {
    matrix images;                    // one row of 64 pixels each, from 0 to 1
    sn::tensor<std::uint8_t, 1> labels;
};

/// The rows in another order.
template <class T, int N>
sn::tensor<T, N> rows(const sn::tensor<T, N>& x, const sn::tensor<std::int64_t, 1>& order) {
    sn::tensor<T, N> r(x.shape());
    for (std::int64_t i = 0; i < order.size(); ++i) {
        if constexpr (N == 1)
            r.at(i) = x(order(i));
        else
            r.at(i, all) = x(order(i), all);
    }
    return r;
}

/// Each row's largest entry is taken off first, so that exp does not overflow.
auto softmax(const matrix& scores) {
    const matrix powers = sn::exp(scores - sn::max(scores, axis<1>, keepdims));
    return sn::eval(powers / sn::sum(powers, axis<1>, keepdims));
}

struct network {
    matrix w1, w2;
    sn::tensor<float, 1> b1, b2;

    matrix hidden(const matrix& x) const { return sn::relu(sn::matmul(x, w1) + b1); }
    matrix probabilities(const matrix& h) const { return softmax(sn::matmul(h, w2) + b2); }
    auto predictions(const matrix& x) const { return sn::eval(sn::argmax(probabilities(hidden(x)), axis<1>)); }
};

network untrained(std::int64_t inputs, std::int64_t units, std::int64_t classes) {
    using sn::random::key, sn::random::normal;
    // Scaled so that signals neither grow nor vanish (He et al., 2015).
    return {normal<float>(key(1), inputs, units) * std::sqrt(2.0f / float(inputs)), normal<float>(key(2), units, classes) * std::sqrt(2.0f / float(units)),
            sn::zeros<float>(units), sn::zeros<float>(classes)};
}

/// One step of gradient descent with momentum on a batch; returns the mean cross-entropy before it.
float train(network& net, network& velocity, const matrix& x, const sn::tensor<std::uint8_t, 1>& labels, float rate) {
    const float n = float(x.shape()[0]);
    const matrix h = net.hidden(x), p = net.probabilities(h), wanted = sn::one_hot<float>(labels, 10);
    const sn::tensor<float, 0> loss = -sn::sum(wanted * sn::log(p + 1e-12f)) / n;

    const matrix d2 = (p - wanted) / n;
    const matrix d1 = sn::matmul(d2, sn::transpose(net.w2)) * (h > 0);
    const auto step = [rate](auto& parameter, auto& v, const auto& gradient) {
        v = 0.9f * v - rate * gradient;
        parameter += v;
    };
    step(net.w2, velocity.w2, sn::matmul(sn::transpose(h), d2));
    step(net.b2, velocity.b2, sn::sum(d2, axis<0>));
    step(net.w1, velocity.w1, sn::matmul(sn::transpose(x), d1));
    step(net.b1, velocity.b1, sn::sum(d1, axis<0>));
    return loss();
}

double accuracy(const network& net, const samples& s) {
    const sn::tensor<double, 0> share = sn::mean(net.predictions(s.images) == s.labels);
    return share();
}

double run(const std::string& data, const std::string& output) {
    const auto images = sn::load_npy<std::uint8_t, 2>(data + "/digits_images.npy");
    const auto labels = sn::load_npy<std::uint8_t, 1>(data + "/digits_labels.npy");
    const std::int64_t n = images.shape()[0], tests = n / 5;
    const auto order = sn::random::permutation(sn::random::key(7), n);
    const samples everything{sn::cast<float>(rows(images, order)) / 16, rows(labels, order)};
    const samples test{everything.images(range(0, tests), all), everything.labels(range(0, tests))};
    samples training{everything.images(range(tests, n), all), everything.labels(range(tests, n))};
    std::printf("%lld digits to learn from, %lld to be tested on\n", static_cast<long long>(n - tests), static_cast<long long>(tests));

    network net = untrained(64, 96, 10);
    network velocity{sn::zeros<float>(64, 96), sn::zeros<float>(96, 10), sn::zeros<float>(96), sn::zeros<float>(10)};
    const auto start = std::chrono::steady_clock::now();
    constexpr int epochs = 40, batch = 32;
    for (int epoch = 1; epoch <= epochs; ++epoch) {
        const auto shuffle = sn::random::permutation(sn::random::key(100, std::uint64_t(epoch)), n - tests);
        training = {rows(training.images, shuffle), rows(training.labels, shuffle)};
        float loss = 0;
        int steps = 0;
        for (std::int64_t i = 0; i + batch <= n - tests; i += batch, ++steps)
            loss += train(net, velocity, training.images(range(i, i + batch), all), training.labels(range(i, i + batch)), 0.05f);
        if (epoch % 10 == 0 || epoch == 1)
            std::printf("  epoch %2d  loss %.4f  accuracy: training %.2f %%, test %.2f %%\n", epoch, loss / float(steps), 100 * accuracy(net, training),
                        100 * accuracy(net, test));
    }
    const double time = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    std::printf("  trained in %.2f s\n  what was taken for what (rows: the digit, columns: what was read)\n", time);

    const matrix truth = sn::one_hot<float>(test.labels, 10), read = sn::one_hot<float>(net.predictions(test.images), 10);
    std::cout << sn::eval(sn::cast<int>(sn::matmul(sn::transpose(truth), read))) << '\n';
    sn::save_npz(output + "/digits.npz", {{"w1", net.w1}, {"b1", net.b1}, {"w2", net.w2}, {"b2", net.b2}});
    std::printf("  wrote %s/digits.npz\n", output.c_str());
    return accuracy(net, test);
}

} // namespace

int main(int count, char** arguments) {
    try {
        const double right = run(count > 1 ? arguments[1] : "examples/data", count > 2 ? arguments[2] : ".");
        std::printf("  test accuracy %.2f %%\n", 100 * right);
        return right >= 0.96 ? 0 : 1;
    } catch (const sn::error& e) {
        std::cerr << e.what() << '\n';
        return 1;
    }
}
