// tests/support/oracle.cpp -- elementary functions by MPFR. See oracle.hpp.

#include "oracle.hpp"

#include <mpfr.h>

#include <algorithm>
#include <map>
#include <stdexcept>
#include <string>

namespace oracle {
namespace {

constexpr mpfr_prec_t precision = 160;

/// An MPFR number that frees itself.
struct number {
    mpfr_t v;
    explicit number(mpfr_prec_t bits = precision) { mpfr_init2(v, bits); }
    ~number() { mpfr_clear(v); }
    number(const number&) = delete;
    number& operator=(const number&) = delete;
};

using function = void (*)(mpfr_t to, const mpfr_t x, const mpfr_t y);

void sigmoid(mpfr_t to, const mpfr_t x, const mpfr_t) { // 1 / (1 + e^-x)
    mpfr_neg(to, x, MPFR_RNDN);
    mpfr_exp(to, to, MPFR_RNDN);
    mpfr_add_ui(to, to, 1, MPFR_RNDN);
    mpfr_ui_div(to, 1, to, MPFR_RNDN);
}
void gelu(mpfr_t to, const mpfr_t x, const mpfr_t) { // x Φ(x)
    if (mpfr_inf_p(x)) {
        if (mpfr_sgn(x) > 0)
            mpfr_set_inf(to, 1);
        else
            mpfr_set_zero(to, -1);
        return;
    }
    number root;
    mpfr_sqrt_ui(root.v, 2, MPFR_RNDN);
    mpfr_div(to, x, root.v, MPFR_RNDN);
    mpfr_neg(to, to, MPFR_RNDN);
    mpfr_erfc(to, to, MPFR_RNDN);
    mpfr_mul(to, to, x, MPFR_RNDN);
    mpfr_div_ui(to, to, 2, MPFR_RNDN);
}
void logaddexp(mpfr_t to, const mpfr_t x, const mpfr_t y) { // max + log(1 + e^(min - max)), with room for cancellation
    if (mpfr_nan_p(x) || mpfr_nan_p(y)) return mpfr_set_nan(to);
    const bool less = mpfr_less_p(x, y);
    if (mpfr_equal_p(x, y) && mpfr_inf_p(x)) return void(mpfr_set(to, x, MPFR_RNDN));
    number r(700);
    mpfr_sub(r.v, less ? x : y, less ? y : x, MPFR_RNDN);
    mpfr_exp(r.v, r.v, MPFR_RNDN);
    mpfr_log1p(r.v, r.v, MPFR_RNDN);
    mpfr_add(to, r.v, less ? y : x, MPFR_RNDN);
}
void lgamma(mpfr_t to, const mpfr_t x, const mpfr_t) {
    int sign;
    mpfr_lgamma(to, &sign, x, MPFR_RNDN);
}

const std::map<std::string_view, function>& functions() {
#define UNARY(name, of) {#name, [](mpfr_t to, const mpfr_t x, const mpfr_t) { of(to, x, MPFR_RNDN); }}
#define BINARY(name, of) {#name, [](mpfr_t to, const mpfr_t x, const mpfr_t y) { of(to, x, y, MPFR_RNDN); }}
    static const std::map<std::string_view, function> table{
        UNARY(sqrt, mpfr_sqrt),   UNARY(rsqrt, mpfr_rec_sqrt), UNARY(cbrt, mpfr_cbrt),   BINARY(hypot, mpfr_hypot),
        UNARY(exp, mpfr_exp),     UNARY(exp2, mpfr_exp2),      UNARY(expm1, mpfr_expm1), UNARY(log, mpfr_log),
        UNARY(log2, mpfr_log2),   UNARY(log10, mpfr_log10),    UNARY(log1p, mpfr_log1p), {"logaddexp", logaddexp},
        BINARY(pow, mpfr_pow),    UNARY(sin, mpfr_sin),        UNARY(cos, mpfr_cos),     UNARY(tan, mpfr_tan),
        UNARY(asin, mpfr_asin),   UNARY(acos, mpfr_acos),      UNARY(atan, mpfr_atan),   BINARY(atan2, mpfr_atan2),
        UNARY(sinh, mpfr_sinh),   UNARY(cosh, mpfr_cosh),      UNARY(tanh, mpfr_tanh),   UNARY(asinh, mpfr_asinh),
        UNARY(acosh, mpfr_acosh), UNARY(atanh, mpfr_atanh),    UNARY(erf, mpfr_erf),     UNARY(erfc, mpfr_erfc),
        {"lgamma", lgamma},       UNARY(tgamma, mpfr_gamma),   {"sigmoid", sigmoid},     {"gelu", gelu},
    };
#undef UNARY
#undef BINARY
    return table;
}

/// 2 to the exponent of one unit in the last place of T at r.
template <class T>
mpfr_exp_t ulp_exponent(const mpfr_t r) {
    using limits = std::numeric_limits<T>;
    const mpfr_exp_t exponent = mpfr_regular_p(r) ? mpfr_get_exp(r) : limits::min_exponent;
    return std::max<mpfr_exp_t>(exponent, limits::min_exponent) - limits::digits;
}

} // namespace

template <class T>
double ulp_error(std::string_view name, T given, T x, T y) {
    const auto found = functions().find(name);
    if (found == functions().end()) throw std::invalid_argument("no oracle for " + std::string(name));
    number a, b, r, error;
    mpfr_set_d(a.v, static_cast<double>(x), MPFR_RNDN);
    mpfr_set_d(b.v, static_cast<double>(y), MPFR_RNDN);
    if (x == 0 && std::signbit(x)) mpfr_set_zero(a.v, -1);
    found->second(r.v, a.v, b.v);

    if (mpfr_nan_p(r.v) || std::isnan(given)) return mpfr_nan_p(r.v) && std::isnan(given) ? 0 : INFINITY;
    const bool too_large = mpfr_inf_p(r.v) || (mpfr_regular_p(r.v) && mpfr_get_exp(r.v) > std::numeric_limits<T>::max_exponent);
    if (too_large || std::isinf(given)) {
        if (too_large && std::isinf(given)) return (mpfr_sgn(r.v) > 0) == (given > 0) ? 0 : INFINITY;
        if (mpfr_inf_p(r.v)) return INFINITY;
        // An infinity beside a value near the largest finite one: count from what would come after the largest.
        if (std::isinf(given)) given = std::copysign(std::ldexp(T(1), std::numeric_limits<T>::max_exponent - 1), given);
        mpfr_set_d(error.v, static_cast<double>(given), MPFR_RNDN);
        if (std::isinf(given) || std::abs(given) < std::numeric_limits<T>::max()) mpfr_mul_2ui(error.v, error.v, 1, MPFR_RNDN);
        mpfr_sub(error.v, error.v, r.v, MPFR_RNDN);
    } else {
        if (mpfr_zero_p(r.v)) return given == 0 && std::signbit(given) == (mpfr_signbit(r.v) != 0) ? 0 : INFINITY;
        mpfr_set_d(error.v, static_cast<double>(given), MPFR_RNDN);
        mpfr_sub(error.v, error.v, r.v, MPFR_RNDN);
    }
    mpfr_abs(error.v, error.v, MPFR_RNDN);
    mpfr_exp_t exponent = ulp_exponent<T>(r.v);
    // log(e^x + e^y) may be near 0 for operands that are not: then no digits of theirs are left to be right about.
    if (name == "logaddexp") exponent = std::max({exponent, ulp_exponent<T>(a.v), ulp_exponent<T>(b.v)});
    mpfr_div_2si(error.v, error.v, exponent, MPFR_RNDN);
    return mpfr_get_d(error.v, MPFR_RNDN);
}
template double ulp_error<float>(std::string_view, float, float, float);
template double ulp_error<double>(std::string_view, double, double, double);

long double estimate(std::string_view name, long double x, long double y) {
    using unary = long double (*)(long double);
    static const std::map<std::string_view, unary> one{
        {"sqrt", std::sqrt},   {"cbrt", std::cbrt},   {"exp", std::exp},     {"exp2", std::exp2},   {"expm1", std::expm1},
        {"log", std::log},     {"log2", std::log2},   {"log10", std::log10}, {"log1p", std::log1p}, {"sin", std::sin},
        {"cos", std::cos},     {"tan", std::tan},     {"asin", std::asin},   {"acos", std::acos},   {"atan", std::atan},
        {"sinh", std::sinh},   {"cosh", std::cosh},   {"tanh", std::tanh},   {"asinh", std::asinh}, {"acosh", std::acosh},
        {"atanh", std::atanh}, {"erf", std::erf},     {"erfc", std::erfc},   {"lgamma", std::lgamma}, {"tgamma", std::tgamma},
    };
    if (const auto f = one.find(name); f != one.end()) return f->second(x);
    if (name == "rsqrt") return 1 / std::sqrt(x);
    if (name == "sigmoid") return x > 0 ? 1 / (1 + std::exp(-x)) : std::exp(x) / (1 + std::exp(x));
    if (name == "gelu") return std::isinf(x) ? (x > 0 ? x : -0.0L) : x * std::erfc(-x / std::sqrt(2.0L)) / 2;
    if (name == "hypot") return std::hypot(x, y);
    if (name == "pow") return std::pow(x, y);
    if (name == "atan2") return std::atan2(x, y);
    if (name == "logaddexp") {
        if (std::isinf(x) && x == y) return x;
        return std::max(x, y) + std::log1p(std::exp(std::min(x, y) - std::max(x, y)));
    }
    return std::numeric_limits<long double>::quiet_NaN();
}

} // namespace oracle
