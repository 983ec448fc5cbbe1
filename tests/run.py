#!/usr/bin/env python3
"""tests/run.py -- builds and runs all tests; the last line says how many passed and failed.

    run.py            everything
    run.py NAME...    the test programs whose name contains NAME, with g++ only
"""
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build"
JOBS = os.cpu_count() or 2

passed = failed = 0


def report(name, good, bad, detail=""):
    global passed, failed
    passed += good
    failed += bad
    if bad:
        print(f"FAILED {name}\n{detail}", flush=True)


def run(command, **options):
    return subprocess.run([str(c) for c in command], cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          errors="replace", **options)


def stage(title):
    print(f"== {title} ({time.strftime('%H:%M:%S')})", flush=True)


def configure(folder, compiler, options=()):
    """Once; false (and one failure) when that does not work."""
    path = BUILD / folder
    if (path / "build.ninja").exists():
        return True
    c_compiler = {"g++": "gcc", "clang++": "clang"}[compiler]
    examples = "disabled" if options else "enabled"  # once with each compiler is enough
    result = run(["meson", "setup", path, "-Dtests=enabled", f"-Dexamples={examples}", "-Dwerror=true", *options],
                 env={**os.environ, "CXX": compiler, "CC": c_compiler})
    if result.returncode:
        report(f"configure {folder}", 0, 1, result.stdout)
    return result.returncode == 0


def build(folder, targets=()):
    """False (and one failure) when that does not work. Keeps going, so that other programs can run."""
    result = run(["ninja", "-C", BUILD / folder, "-j", JOBS, "-k", "0", *targets])
    report(f"build {folder}", int(result.returncode == 0), int(result.returncode != 0), result.stdout[-6000:])
    return result.returncode == 0


def names(folder):
    """The test programs of a configured build."""
    result = run(["meson", "introspect", "--tests", BUILD / folder])
    return [test["name"] for test in json.loads(result.stdout)]


def program(folder, name):
    return BUILD / folder / "tests" / name.replace("/", "_")


SUMMARY = re.compile(r"test cases:\s*(\d+) \|\s*(\d+) passed \|\s*(\d+) failed")


def run_program(folder, name, environment):
    if not program(folder, name).exists():
        return f"{folder} {name}", 0, 1, "it was not built"
    emulator = {"SINTER_EMULATOR_LIBRARIES": str(BUILD / folder / "jit/emulator")}
    result = run([program(folder, name)], env={**os.environ, **environment, **emulator}, timeout=1800)
    match = SUMMARY.search(result.stdout)
    label = f"{folder} {name} {' '.join(f'{k}={v}' for k, v in environment.items())}"
    if not match or (result.returncode and match.group(3) == "0"):
        return label, 0, 1, result.stdout[-6000:] + f"\nexit status {result.returncode}"
    return label, int(match.group(2)), int(match.group(3)), result.stdout[-6000:]


def run_programs(folder, selected, environments):
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        jobs = [pool.submit(run_program, folder, name, e) for e in environments for name in selected]
        for job in jobs:
            report(*job.result())


def instruction_sets():
    flags = pathlib.Path("/proc/cpuinfo").read_text()
    return [level for level, flag in (("v4", "avx512bw"), ("v3", "avx2"), ("v1", "")) if flag in flags]


def compile_only(compiler, source, *options):
    return run([compiler, "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-I", ROOT / "include", *options, source])


def check_headers():
    """Every public header compiles alone."""
    headers = sorted((ROOT / "include").rglob("*.hpp"))

    def one(compiler, header):
        # Into a file of its own: a header given to the compiler as main file warns about #pragma once.
        with tempfile.NamedTemporaryFile("w", suffix=".cpp") as source:
            source.write(f"#include <{header.relative_to(ROOT / 'include')}>\n")
            source.flush()
            return compiler, header, compile_only(compiler, source.name)

    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        for compiler, header, result in pool.map(lambda job: one(*job), [(c, h) for c in ("g++", "clang++") for h in headers]):
            bad = result.returncode != 0
            report(f"{compiler}: {header.relative_to(ROOT)} alone", int(not bad), int(bad), result.stdout[-3000:])


def check_refused():
    """What must not compile is refused with the expected words in the first error; the repaired twin compiles."""
    cases = []
    for source in sorted((ROOT / "tests/refused").glob("*.cpp")):
        for number, words in re.findall(r"// refuses (\d+): (.+)", source.read_text()):
            cases += [(compiler, source, number, words) for compiler in ("g++", "clang++")]

    def one(compiler, source, number, words):
        refused = compile_only(compiler, source, f"-DREFUSED={number}")
        repaired = compile_only(compiler, source, f"-DREPAIRED={number}")
        errors = [line for line in refused.stdout.splitlines() if "error:" in line]
        problem = ""
        if refused.returncode == 0:
            problem = "it compiled"
        elif words not in errors[0]:
            problem = f"the first error does not say '{words}':\n{errors[0]}"
        elif repaired.returncode:
            problem = f"the repaired twin does not compile:\n{repaired.stdout[-2000:]}"
        return f"{compiler}: {source.name} {number}", problem

    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        for label, problem in pool.map(lambda case: one(*case), cases):
            report(label, int(not problem), int(bool(problem)), problem)


def check_layout():
    """Rules of the tree that a script can hold: first lines, sizes, and which folder may include which."""
    for path in sorted([*ROOT.glob("include/**/*.hpp"), *ROOT.glob("lib/*"), *ROOT.glob("jit/**/*.[ch]pp"), *ROOT.glob("tests/**/*.cpp"), *ROOT.glob("bench/**/*.cpp"),
                        *ROOT.glob("examples/**/*.cpp")]):
        relative = path.relative_to(ROOT)
        lines = path.read_text().splitlines()
        stem = str(relative).removeprefix("include/")
        problems = []
        if not lines or not lines[0].startswith(f"// {stem} -- "):
            problems.append(f"the first line is not '// {stem} -- what it is for'")
        if len(lines) > 500:
            problems.append(f"{len(lines)} lines; more than 500 hold a second idea")
        report(f"{relative}", int(not problems), int(bool(problems)), "\n".join(problems))


def check_includes():
    """A folder includes only folders before it in the data flow; ARCHITECTURE.md says why there are two exceptions."""
    order = ["core", "expr", "host", "fuse", "io"]
    exceptions = {("core/tensor.hpp", "expr/concepts.hpp"), ("expr/elementwise.hpp", "host/arithmetic.hpp")}
    for path in sorted((ROOT / "include/sinter").glob("*/*.hpp")):
        own = str(path.relative_to(ROOT / "include/sinter"))
        problems = [included for included in re.findall(r"#include <sinter/(\w+/\w+\.hpp)>", path.read_text())
                    if order.index(included.split("/")[0]) > order.index(path.parent.name) and (own, included) not in exceptions]
        report(f"includes of {own}", int(not problems), int(bool(problems)), f"includes what comes after it: {problems}")


def check_readme():
    """The example of the README is examples/first.cpp, which is compiled and run."""
    example = re.search(r"```cpp\n(.*?)```", (ROOT / "README.md").read_text(), re.S).group(1)
    source = (ROOT / "examples/first.cpp").read_text()
    same = source.endswith(example)
    report("the README's example", int(same), int(not same), "README.md and examples/first.cpp differ")


def check_install():
    """An outside project finds the installed library by pkg-config."""
    with tempfile.TemporaryDirectory() as prefix:
        folder = pathlib.Path(prefix) / "build"
        steps = [["meson", "setup", folder, "--prefix", prefix, "--libdir", "lib", "-Dtests=disabled", "-Dexamples=disabled"],
                 ["meson", "install", "-C", folder, "--quiet"]]
        for step in steps:
            result = run(step)
            if result.returncode:
                report("install", 0, 1, result.stdout[-3000:])
                return
        environment = {**os.environ, "PKG_CONFIG_PATH": f"{prefix}/lib/pkgconfig", "LD_LIBRARY_PATH": f"{prefix}/lib"}
        flags = run(["pkg-config", "--cflags", "--libs", "sinter"], env=environment).stdout.split()
        result = run(["g++", "-O2", ROOT / "examples/first.cpp", *flags, "-o", f"{prefix}/first"])
        if result.returncode == 0:
            result = run([f"{prefix}/first"], env=environment)
        report("an installed sinter, by pkg-config", int(result.returncode == 0), int(result.returncode != 0), result.stdout[-3000:])


def test_build(folder, compiler, environments, options=(), select=lambda name: True, everything=True):
    """Configures, builds and runs one build's programs in each environment."""
    if not configure(folder, compiler, options):
        return
    selected = [name for name in names(folder) if select(name)]
    emulator = [f"jit/emulator/libsinter-emulator-{name}.so" for name in ("driver", "nvrtc", "cublas")]
    build(folder, [] if everything else emulator + [f"tests/{name.replace('/', '_')}" for name in selected])
    run_programs(folder, selected, environments)


def main(selection):
    levels = [{"SINTER_ISA": level} for level in instruction_sets()]
    stage("g++: " + ", ".join(e["SINTER_ISA"] for e in levels))
    if selection:
        test_build("test", "g++", levels, select=lambda name: any(s in name for s in selection), everything=False)
    else:
        test_build("test", "g++", levels)
        stage("clang++: the same")
        test_build("clang", "clang++", levels)
        stage("address and undefined-behaviour sanitizers")
        # Not detect_stack_use_after_return: g++ 12 does not align those frames for 64-byte packets.
        strict = {"UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1"}
        test_build("sanitized", "g++", [strict], ["-Db_sanitize=address,undefined", "-Doptimization=1", "-Ddebug=false"])
        stage("thread sanitizer")
        suppressed = {"TSAN_OPTIONS": f"suppressions={ROOT}/tests/threads/tbb.supp:halt_on_error=1"}
        test_build("threads", "g++", [suppressed], ["-Db_sanitize=thread", "-Doptimization=1", "-Ddebug=false"],
                   select=lambda name: name.startswith("threads/"), everything=False)
        stage("what must not compile")
        check_refused()
        stage("headers, layout, installation")
        check_headers()
        check_layout()
        check_includes()
        check_readme()
        check_install()
    print(f"{passed} passed, {failed} failed")
    return int(failed > 0)


if __name__ == "__main__":
    if not shutil.which("ninja"):
        sys.exit("ninja is missing: ./do test installs what is needed")
    sys.exit(main(sys.argv[1:]))
