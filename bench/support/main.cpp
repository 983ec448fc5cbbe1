// bench/support/main.cpp -- runs the implementations that the other files of a program have named.

#include "support/measure.hpp"

int main(int argc, char** argv) {
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
    benchmark::RunSpecifiedBenchmarks();
    return bench::failed;
}
