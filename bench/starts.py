"""The speed figures that need separate processes or threads: imports, kernels, threads.

An installed package has its bytecode compiled, so imports are measured with bytecode: a first, unmeasured
run writes it to a temporary folder, whatever PYTHONDONTWRITEBYTECODE says.  Times are processor time, except for
threads, where they are wall-clock time.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from timeit import Timer

from common import PEERS, Measure, load
from inputs import kind_named, make_input, sizes_of

import charlens

Detect = Callable[[bytes], object]

# The first call on UTF-8 needs no model; on windows-1251, every detector that has one loads it.
_FIRST_CALLS = {
    "import": None,
    "with a call on UTF-8": "Grüße aus Köln".encode(),
    "with a call on windows-1251": "Привет из Казани".encode("cp1251"),
    "on a page": "<html><head><meta charset=euc-jp></head><p>日本語のテキスト".encode("euc_jp"),
    "on damaged UTF-8": "Größe und Übermaß ".encode() * 20 + b"\xff",
    "on EBCDIC": "The quick brown fox jumps over the lazy dog".encode("cp500"),
}

_KERNELS = ("native", "portable", "pure")
_KERNEL_KINDS = ("ASCII", "UTF-8 Cyrillic", "UTF-8 Chinese", "executable")


def import_times(rounds: int) -> dict[str, dict[str, Measure]]:
    """Return for each detector the time that an import takes, alone and with a first call."""
    modules = ["charlens", *(peer.module for peer in PEERS if load(peer.module))]
    programs = {
        (module, column): f"import {module}" + ("" if data is None else f"; {module}.detect({data!r})")
        for module in modules
        for column, data in _FIRST_CALLS.items()
    }
    times: dict[tuple[str, str], list[float]] = {key: [] for key in programs}
    bare: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "PYTHONPYCACHEPREFIX": folder}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        for program in ("", *programs.values()):
            _start(program, environment, folder)
        for _ in range(rounds):
            bare.append(_start("", environment, folder))
            for key, program in programs.items():
                times[key].append(_start(program, environment, folder))
    return {
        module: {column: _above(bare, times[module, column]) for column in _FIRST_CALLS} for module in modules
    }


def _above(bare: list[float], times: list[float]) -> Measure:
    """Subtract the time of an empty interpreter, round by round."""
    extra = [seconds - nothing for seconds, nothing in zip(times, bare, strict=True)]
    return Measure(statistics.median(extra), min(times) - min(bare), len(times))


def _start(program: str, environment: Mapping[str, str], folder: str) -> float:
    """Return the seconds that a process takes from its start to its end."""
    before = _clock_of_children()
    subprocess.run([sys.executable, "-c", program], env=environment, cwd=folder, check=True)
    return _clock_of_children() - before


def _clock_of_children() -> float:
    """Return the processor time of finished child processes, or the wall clock if the system has none."""
    try:
        import resource
    except ImportError:
        return time.perf_counter()
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def kernel_times(rounds: int) -> dict[str, dict[str, float]]:
    """Return the seconds per call for each available kernel, each measured in separate processes."""
    times: dict[str, list[dict[str, float]]] = {kernel: [] for kernel in _KERNELS}
    for _ in range(rounds):
        for kernel, found in times.items():
            done = subprocess.run(
                [sys.executable, __file__],
                env={**os.environ, "CHARLENS_KERNEL": kernel},
                capture_output=True,
                text=True,
            )
            if done.returncode == 0:
                found.append(json.loads(done.stdout))
            else:
                print(f"  kernel {kernel}: {done.stderr.strip().splitlines()[-1]}", file=sys.stderr)
    return {
        kernel: {label: statistics.median(row[label] for row in found) for label in found[0]}
        for kernel, found in times.items()
        if found
    }


def _time_this_kernel() -> dict[str, float]:
    """Time `detect` with the kernel of this process."""
    times = {}
    for name in _KERNEL_KINDS:
        kind = kind_named(name)
        for label, size in sizes_of(kind).items():
            timer = Timer(
                "detect(data)",
                timer=time.process_time,
                globals={"detect": charlens.detect, "data": make_input(kind, size)},
            )
            once = min(timer.timeit(1), timer.timeit(1))
            calls = max(1, min(1000, round(0.005 / once)))
            times[f"{name}, {label}"] = statistics.median(timer.repeat(5, calls)) / calls
    return times


def thread_speedups(functions: Mapping[str, Detect], rounds: int) -> dict[str, float]:
    """Return how many times faster two threads are than one, for each detector, and for `detect_many`.

    The fastest round of each counts: the one that had both cores to itself.
    """
    megabyte = make_input(kind_named("UTF-8 Cyrillic"), 1_000_000)
    # Other bytes for each call, as in a real run.
    buffers = [b"%03d " % number + megabyte for number in range(32)]
    # Slow detectors get fewer buffers: they would take minutes, and their ratio is the same.
    runs: dict[str, Callable[[int], object]] = {
        name: partial(_share_out, detect, buffers if name == "charlens" else buffers[:8])
        for name, detect in functions.items()
    }
    runs["charlens.detect_many"] = lambda threads: list(charlens.detect_many(buffers, threads=threads))
    times: dict[str, dict[int, list[float]]] = {name: {1: [], 2: []} for name in runs}
    for _ in range(rounds):
        for name, run in runs.items():
            for threads, found in times[name].items():
                before = time.perf_counter()
                run(threads)
                found.append(time.perf_counter() - before)
    return {name: min(found[1]) / min(found[2]) for name, found in times.items()}


def _share_out(detect: Detect, buffers: list[bytes], threads: int) -> None:
    """Run *detect* on all buffers, an equal part of them in each thread."""
    with ThreadPoolExecutor(threads) as pool:
        parts = [buffers[number::threads] for number in range(threads)]
        list(pool.map(lambda part: [detect(data) for data in part], parts))


if __name__ == "__main__":
    print(json.dumps(_time_this_kernel()))
