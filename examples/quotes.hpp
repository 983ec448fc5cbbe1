// examples/quotes.hpp -- a million option quotes as options.cpp reads them, and the generator of their file.
#pragma once

#include <string>

#include <sinter/sinter.hpp>

/// One value for each quote.
struct quotes {
    sinter::tensor<double, 1> spot, strike, years, rate; // years: until the option expires; rate: continuous, a year
    sinter::tensor<bool, 1> is_call;                     // otherwise a put
    sinter::tensor<double, 1> price;                     // in the middle between bid and ask
};

/// Writes n quotes as .npz: always the same ones. Throws sinter::io_error.
void make_quotes(const std::string& path, std::int64_t n);
