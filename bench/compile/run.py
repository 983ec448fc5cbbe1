#!/usr/bin/env python3
"""bench/compile/run.py -- how long files that use sinter take to compile, at -O2, beside the same expressions in Eigen.

Medians of three, in seconds, one compiler at a time. Then what each folder of headers adds, as a chart.
"""
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
HERE = ROOT / "bench/compile"
FOLDERS = ("core", "expr", "host", "fuse", "io")  # in the order in which they include each other
CASES = (("header", "the headers alone"), ("one", "one small expression"), ("twenty", "twenty different expressions"))
INCLUDES = ["-I", ROOT / "include", "-isystem", "/usr/include/eigen3"]


def seconds(compiler, source):
    """The median time of three compilations; None when it fails."""
    times = []
    for _ in range(3):
        start = time.perf_counter()
        done = subprocess.run([compiler, "-std=c++20", "-O2", *INCLUDES, "-c", source, "-o", "/dev/null"], stderr=subprocess.PIPE, text=True)
        times.append(time.perf_counter() - start)
        if done.returncode:
            print(done.stderr[-3000:], file=sys.stderr)
            return None
    return statistics.median(times)


def lines_of(compiler, source):
    done = subprocess.run([compiler, "-std=c++20", *INCLUDES, "-E", "-P", source], stdout=subprocess.PIPE, text=True)
    return done.stdout.count("\n")


def shown(time_taken):
    return "failed" if time_taken is None else f"{time_taken:.2f}"


def headers_of(compiler):
    """All headers that sinter.hpp includes, in that order."""
    source = HERE / "sinter_header.cpp"
    done = subprocess.run([compiler, "-std=c++20", *INCLUDES, "-M", source], stdout=subprocess.PIPE, text=True, check=True)
    words = [pathlib.Path(word) for word in done.stdout.replace("\\\n", " ").split()]
    return [word.relative_to(ROOT / "include/sinter") for word in words if word.is_relative_to(ROOT / "include/sinter")]


def chart(compiler, folder):
    """Including all headers of one folder more at a time: the time of each step."""
    before = 0.0
    included = ""
    headers = headers_of(compiler)
    for name in FOLDERS:
        included += "".join(f"#include <sinter/{h}>\n" for h in headers if h.parts[0] == name and h.suffix == ".hpp")
        source = pathlib.Path(folder) / f"{name}.cpp"
        source.write_text(included)
        after = seconds(compiler, source)
        if after is None:
            print(f"  {name:6} failed")
            continue
        print(f"  {name:6} {after - before:5.2f} s  {after:5.2f} in all  {lines_of(compiler, source):7,} lines  "
              + "█" * round(20 * max(0.0, after - before)))
        before = after


def main():
    compilers = [compiler for compiler in ("g++", "clang++") if shutil.which(compiler)]
    peers = ["sinter"] + (["eigen"] if pathlib.Path("/usr/include/eigen3").exists() else [])
    print(f"{'seconds at -O2':32}" + "".join(f"{compiler + ', ' + peer:>18}" for compiler in compilers for peer in peers))
    for case, words in CASES:
        times = [seconds(compiler, HERE / f"{peer}_{case}.cpp") for compiler in compilers for peer in peers]
        print(f"{words:32}" + "".join(f"{shown(t):>18}" for t in times), flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for compiler in compilers:
            print(f"\nwhat each folder of headers adds, {compiler}")
            chart(compiler, folder)


if __name__ == "__main__":
    main()
