// tests/jit/own_process.hpp -- tests that need a process of their own, whose environment is theirs.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string>

/// Runs tests that are skipped otherwise in a new process of this program, with these variables: as many as `count` must pass.
inline void check_in_process(const std::string& names, const std::string& variables, int count = 1) {
    const std::string program = std::filesystem::read_symlink("/proc/self/exe").string();
    const std::string command = variables + " '" + program + "' --no-skip --test-case='" + names + "' 2>&1";
    FILE* const output = popen(command.c_str(), "r");
    REQUIRE(output);
    std::string text;
    char part[1024];
    while (std::fgets(part, sizeof(part), output)) text += part;
    const bool are_passed = text.find(" " + std::to_string(count) + " passed") != std::string::npos;
    text.resize(std::min(text.find("[doctest] test cases"), text.size())); // tests/run.py looks for this program's own
    CAPTURE(text);
    CHECK(pclose(output) == 0);
    CHECK(are_passed);
}
