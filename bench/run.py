#!/usr/bin/env python3
"""bench/run.py -- runs the benchmarks that are built, prints one table of ratios, and writes build/bench.json.

    run.py            all workloads
    run.py NAME...    the workloads whose name contains NAME
    run.py compile    the times of compilation instead: bench/compile/run.py
"""
import collections
import json
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAMS = ROOT / "build/bench/bench"
RESULT = ROOT / "build/bench.json"
REPETITIONS = 9
SECONDS = 0.01  # each repetition runs at least so long
DISTURBED = 0.05  # a program is run again when others used more of the processors

HANDS = ("hand", "hand-nt", "hand-libmvec")
OURS = ("sinter", "sinter-new")


def programs(selection):
    """The programs of the folders of workloads, and those named folder_variant."""
    folders = [path.parent.name for path in (ROOT / "bench").glob("*/workload.hpp")]
    names = [path.name for path in PROGRAMS.iterdir() if path.is_file() and os.access(path, os.X_OK)]
    names = [name for name in names if name in folders or name.rsplit("_", 1)[0] in folders]
    return sorted(name for name in names if not selection or any(word in name for word in selection))


def used():
    """Seconds that all processors were busy since the machine started, and how much of that were programs run from here."""
    ticks = [int(word) for word in pathlib.Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]]
    own = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (sum(ticks) - ticks[3] - ticks[4]) / os.sysconf("SC_CLK_TCK"), sum(ticks) / os.sysconf("SC_CLK_TCK"), own.ru_utime + own.ru_stime


def environment():
    """Without the variables that change which kernels a BLAS takes, or where OpenMP's threads run."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("OPENBLAS_", "GOTO_", "OMP_", "SINTER_"))}
    return {**kept, "OMP_WAIT_POLICY": "passive"}  # OpenMP's idle threads must not slow what is measured next


def run(name):
    """The measurements of one program, and how much of the processors others used meanwhile."""
    before = used()
    with tempfile.NamedTemporaryFile() as out:
        command = [PROGRAMS / name, f"--benchmark_min_time={SECONDS}", f"--benchmark_repetitions={REPETITIONS}",
                   "--benchmark_enable_random_interleaving=true", f"--benchmark_out={out.name}", "--benchmark_out_format=json"]
        done = subprocess.run(command, env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        text = pathlib.Path(out.name).read_text()
    if not text:
        sys.exit(f"{name}: {done.stderr[-2000:]}")
    busy, elapsed, own = (after - start for after, start in zip(used(), before))
    return json.loads(text)["benchmarks"], max(0, busy - own) / max(elapsed, 1e-9)


def measure(name):
    """Times of one program: {(workload, type, n, threads): {impl: ns}}; and whether all its results were right."""
    runs, others = run(name)
    if others >= DISTURBED:
        print(f"    others used {others:.0%} of the processors: once more", file=sys.stderr)
        runs, others = min((runs, others), run(name), key=lambda of: of[1])
    if others >= DISTURBED:
        print(f"    others used {others:.0%} of the processors: figures may be off", file=sys.stderr)

    times = collections.defaultdict(lambda: collections.defaultdict(list))
    wrong = set()
    for one in runs:
        if one["run_type"] != "iteration":
            continue
        workload, kind, n, threads, impl = one["name"].split("/")[:5]
        if one.get("error_occurred"):
            wrong.add(f"{workload} {kind} {n} {threads} {impl}: {one['error_message']}")
        else:
            times[workload, kind, int(n), int(threads)][impl].append(one["real_time"])
    for line in sorted(wrong):
        print("WRONG RESULT", line)
    return {case: {impl: statistics.median(of) for impl, of in impls.items()} for case, impls in times.items()}, not wrong


def ratio(ours, other):
    """Ours over other's, marked where ours is the slower by more than measuring noise."""
    return "" if other is None else f"{ours / other:.2f}{' !' if ours > 1.10 * other else '  '}"


def table(times):
    rows = [("workload", "type", "n", "threads", "ns/element", "/hand  ", "/hand-nt  ", "/libmvec  ", "/best peer  ", "")]
    for (workload, kind, n, threads), of in times.items():
        peers = {impl: t for impl, t in of.items() if impl not in HANDS + OURS}
        best = min(peers, key=peers.get, default=None)
        for impl in OURS:
            if impl in of:
                rows.append((workload + impl.removeprefix("sinter").replace("-", ", "), kind, f"{n:,}", str(threads), f"{of[impl] / n:.3f}",
                             *(ratio(of[impl], of.get(hand)) for hand in HANDS), ratio(of[impl], peers.get(best)), best or ""))
    widths = [max(map(len, column)) for column in zip(*rows)]
    left = (0, 1, len(widths) - 1)
    return "\n".join("  ".join(cell.ljust(w) if i in left else cell.rjust(w) for i, (cell, w) in enumerate(zip(row, widths))).rstrip()
                     for row in rows)


def main(selection):
    if "compile" in selection:
        return subprocess.run([sys.executable, ROOT / "bench/compile/run.py"]).returncode
    names = programs(selection)
    if not names:
        sys.exit(f"no workload has {' or '.join(selection)} in its name")
    times = collections.defaultdict(dict)
    right = True
    for name in names:
        print(f"{name} …", file=sys.stderr, flush=True)
        measured, good = measure(name)
        right &= good
        for case, of in measured.items():
            times[case].update(of)
    times = dict(sorted(times.items()))
    print(table(times))
    entries = [{"workload": workload, "type": kind, "n": n, "threads": threads, "impl": impl, "ns_per_element": ns / n}
               for (workload, kind, n, threads), of in times.items() for impl, ns in sorted(of.items())]
    RESULT.write_text("[\n" + ",\n".join(json.dumps(entry) for entry in entries) + "\n]\n")
    return int(not right)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
