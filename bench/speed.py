"""Measure the speed of charlens and other detectors, in one run: `python bench/speed.py [--quick]`.

One thread. The contenders take turns in rounds, so that a busy moment of the machine affects all of them, and the
median of the rounds is reported. Times are processor time, so other programs do not count; on an idle machine it equals
wall-clock time. The inputs are made in `inputs.py`; measurements that need separate processes or threads (imports,
kernels, the speed-up by threads) are in `starts.py`.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from time import process_time
from timeit import Timer
from typing import Any

from common import Measure, describe, load, table
from inputs import KINDS, baseline_of, make_input, sizes_of
from starts import import_times, kernel_times, thread_speedups

import charlens

# A timing is of as many calls as fill this many seconds: the clock and the loop are then lost in it.
_LEAST_SECONDS = 0.005
_ROUNDS = 25
_ROUNDS_QUICK = 5
# No contender takes more than this many seconds for one input; a slow one does fewer rounds, at least one.
_MOST_SECONDS = 3.0

US = "charlens"

Detect = Callable[[bytes], object]
Measures = dict[str, dict[str, Measure]]


def contenders() -> dict[str, Detect]:
    """Return the functions to measure by name; detectors that are not installed are left out."""
    found: dict[str, Detect] = {US: charlens.detect}
    cchardet, chardet, normalizer = load("cchardet"), load("chardet"), load("charset_normalizer")
    if cchardet:
        found["cchardet"] = cchardet.detect
    if chardet:
        found["chardet"] = chardet.detect
        found["chardet (all bytes)"] = lambda data: chardet.detect(data, max_bytes=len(data))
    if normalizer:
        found["charset-normalizer"] = lambda data: normalizer.from_bytes(data).best()
    return found


class Timing:
    """One contender on one input: as many calls as fill a timing, once in each round."""

    def __init__(self, detect: Detect, data: bytes) -> None:
        self.timer = Timer("detect(data)", timer=process_time, globals={"detect": detect, "data": data})
        self.timer.timeit(1)  # may load a model
        self.calls = 1
        # The first calls find cold caches, so one alone does not tell how many fill a timing.
        while (seconds := self.timer.timeit(self.calls)) < _LEAST_SECONDS / 2:
            self.calls *= 2
        self.calls = max(1, round(self.calls * _LEAST_SECONDS / seconds))
        self.times: list[float] = []
        self.spent = 0.0

    def run(self) -> None:
        """Add a round, unless this one has had its share of time."""
        if not self.times or self.spent < _MOST_SECONDS:
            seconds = self.timer.timeit(self.calls)
            self.spent += seconds
            self.times.append(seconds / self.calls)

    def result(self) -> Measure:
        """Return the median of the rounds."""
        return Measure(statistics.median(self.times), min(self.times), len(self.times))


def measure_all(rounds: int) -> Measures:
    """Time all contenders, and the baseline of Python itself, on all inputs.

    A round goes through all of them, so load on the machine affects all of them.
    """
    timings: dict[str, dict[str, Timing]] = {}
    functions = contenders()
    for kind in KINDS:
        for label, size in sizes_of(kind).items():
            print(f"  preparing {kind.name}, {label}", file=sys.stderr)
            data = make_input(kind, size)
            asked = {**functions, **baseline_of(kind)}
            timings[f"{kind.name}, {label}"] = {name: Timing(detect, data) for name, detect in asked.items()}
    return run_rounds(timings, rounds)


def run_rounds(timings: Mapping[str, Mapping[str, Timing]], rounds: int) -> Measures:
    """Run every timing once in each round, and return the results."""
    for number in range(rounds):
        print(f"  round {number + 1} of {rounds}", file=sys.stderr)
        for row in timings.values():
            for timing in row.values():
                timing.run()
    return {label: {name: timing.result() for name, timing in row.items()} for label, row in timings.items()}


# ---- output


def show_time(seconds: float) -> str:
    """Three digits, with the unit that fits."""
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds * 1e9:.0f} ns"


def show_both(measured: Measure) -> str:
    """The median, and the fastest round: far apart where the machine was busy."""
    return f"{show_time(measured.seconds)} (fastest round: {show_time(measured.fastest)})"


def show_ratio(ratio: float) -> str:
    """Two digits at least, and no more than the noise leaves."""
    return f"{ratio:.0f}" if ratio >= 100 else f"{ratio:.1f}" if ratio >= 10 else f"{ratio:.2g}"


def print_times(results: Measures, names: Sequence[str], rounds: int) -> None:
    """Print the time per call of each contender."""
    few: set[int] = set()

    def cell(measures: Mapping[str, Measure], name: str) -> str:
        if name not in measures:
            return "–"
        if measures[name].rounds < rounds:
            few.add(measures[name].rounds)
        return show_time(measures[name].seconds) + ("*" if measures[name].rounds < rounds else "")

    rows = [(label, *(cell(measures, name) for name in names)) for label, measures in results.items()]
    print(table(("time per call", *names), rows))
    if few:
        done = f"{min(few)} to {max(few)}"
        print(f"\n\\* stopped after {_MOST_SECONDS:.0f} s: the median of {done} rounds, not {rounds}.")


def print_ratios(results: Measures, names: Sequence[str]) -> None:
    """Print the time of each contender relative to charlens."""

    def cell(measures: Mapping[str, Measure], name: str) -> str:
        return show_ratio(measures[name].seconds / measures[US].seconds) if name in measures else "–"

    rows = [(label, *(cell(measures, name) for name in names)) for label, measures in results.items()]
    print(table(("times as long as charlens", *names), rows))


def print_imports(imports: Mapping[str, Mapping[str, Measure]]) -> None:
    """Print the import time of each module, and its ratio to charlens."""
    columns = list(imports[US])

    def cell(row: Mapping[str, Measure], column: str) -> str:
        ratio = row[column].seconds / imports[US][column].seconds
        return f"{show_time(row[column].seconds)} ({show_ratio(ratio)})"

    print(table(("", *columns), [(name, *(cell(row, c) for c in columns)) for name, row in imports.items()]))


def print_kernels(kernels: Mapping[str, Mapping[str, float]]) -> None:
    """Print the time per call with each kernel."""
    labels = list(next(iter(kernels.values())))
    rows = [(label, *(show_time(times[label]) for times in kernels.values())) for label in labels]
    print(table(("time per call", *kernels), rows))


def calls_asked(results: Measures) -> list[tuple[str, str, str]]:
    """Return the goals of `detect`, the results, and whether the median reaches them."""
    lines = []
    for kind, baseline, least in (
        ("ASCII", "bytes.isascii", 0.5),
        ("UTF-8 Cyrillic", "bytes.decode", 1.0),
        ("UTF-8 Chinese", "bytes.decode", 1.0),
    ):
        measures = results[f"{kind}, 50 MB"]
        ratio = measures[baseline].seconds / measures[US].seconds
        asked = f"50 MB {kind}: at least {least} times as fast as {baseline}"
        lines.append((asked, f"{ratio:.2f} times", _word(ratio >= least)))
    for kind in ("ASCII", "UTF-8 Cyrillic", "UTF-8 Chinese", "UTF-8 Latin"):
        measured = results[f"{kind}, 100 B"][US]
        lines.append((f"100 B {kind}: at most 4 µs", show_both(measured), _word(measured.seconds <= 4e-6)))
    return lines


def imports_asked(imports: Mapping[str, Mapping[str, Measure]]) -> list[tuple[str, str, str]]:
    """Return the goals of the import and of the first calls, the results, and whether the median reaches them."""
    (_, alone), *calls = imports[US].items()
    lines = [("import: under 20 ms", show_both(alone), _word(alone.seconds < 0.020))]
    for column, measured in calls:
        extra = measured.seconds - alone.seconds
        lines.append((f"first call, {column}: at most 30 ms", show_time(extra), _word(extra <= 0.030)))
    return lines


def _word(enough: bool) -> str:
    return "pass" if enough else "FAIL"


# ---- the parts


def run_calls(quick: bool) -> tuple[Any, list[tuple[str, str, str]]]:
    """Measure and print the calls; return the figures and the goals."""
    rounds = _ROUNDS_QUICK if quick else _ROUNDS
    results = measure_all(rounds)
    names = list(dict.fromkeys(name for measures in results.values() for name in measures))
    print(f"\n## Time per call, one thread, median of {rounds} rounds\n")
    print_times(results, names, rounds)
    print("\n## Ratios: 1 is charlens, 2 takes twice as long\n")
    print_ratios(results, [name for name in names if name != US])
    figures = {label: {name: m._asdict() for name, m in row.items()} for label, row in results.items()}
    return figures, calls_asked(results)


def run_imports(quick: bool) -> tuple[Any, list[tuple[str, str, str]]]:
    """Measure and print the imports."""
    imports = import_times(8 if quick else 30)
    print("\n## Import, and import with a first call (fresh process, bare interpreter subtracted; ratio)\n")
    print_imports(imports)
    figures = {name: {column: m._asdict() for column, m in row.items()} for name, row in imports.items()}
    return figures, imports_asked(imports)


def run_kernels(quick: bool) -> tuple[Any, list[tuple[str, str, str]]]:
    """Measure and print the kernels."""
    kernels = kernel_times(1 if quick else 5)
    print("\n## The kernels of charlens\n")
    print_kernels(kernels)
    return kernels, []


def run_threads(quick: bool) -> tuple[Any, list[tuple[str, str, str]]]:
    """Measure and print the speed-up by threads."""
    threads = thread_speedups(contenders(), 10 if quick else 60)
    print("\n## Two threads against one, buffers of 1 MB of UTF-8 Cyrillic (needs two idle cores)\n")
    print(table(("", "speed-up"), [(name, f"{value:.2f}") for name, value in threads.items()]))
    return threads, []


_PARTS = {"calls": run_calls, "imports": run_imports, "kernels": run_kernels, "threads": run_threads}


def main() -> None:
    """Measure everything and print it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer rounds: two minutes instead of ten")
    parser.add_argument(
        "--only", choices=_PARTS, action="append", help="measure only this part; can be repeated"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures to FILE")
    arguments = parser.parse_args()

    print(f"# Speed\n\n{describe()}")
    figures: dict[str, Any] = {}
    lines: list[tuple[str, str, str]] = []
    for part, run in _PARTS.items():
        if part in (arguments.only or _PARTS):
            figures[part], compared = run(arguments.quick)
            lines += compared
    if lines:
        print("\n## Goals\n")
        print(table(("goal", "measured", ""), lines))
    if arguments.json:
        arguments.json.write_text(json.dumps({**figures, "asked": lines}, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
