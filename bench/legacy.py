"""Measure detectors on legacy text, in one run: `python bench/legacy.py [--quick] [--labelled DIR]`.

Single-byte and multi-byte text from 100 bytes to 5 MB, made from the prose of the tests; the labelled files, if
available; two threads; and the memory that an import and a first call add. `speed.py` describes how times are taken.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from common import describe, load, table
from inputs import shuffled
from speed import US, Detect, Measures, Timing, print_ratios, print_times, run_rounds, show_ratio

import charlens

_SIZES = {"100 B": 100, "4 KB": 4_096, "100 KB": 102_400, "5 MB": 5_000_000}
_SINGLE = {
    "Russian, windows-1251": ("ru", "cp1251"),
    "French, windows-1252": ("fr", "cp1252"),
    "Polish, ISO 8859-2": ("pl", "iso8859-2"),
}
_MULTI = {
    "Japanese, Shift_JIS": ("ja", "cp932"),
    "Chinese, GB 18030": ("zh-Hans", "gb18030"),
    "Korean, EUC-KR": ("ko", "cp949"),
}

#: The goals: for single-byte text a share of the time of the fastest other detector, for multi-byte text of chardet's.
_OF_FASTEST = {"100 B": 1.0, "4 KB": 10.0, "100 KB": 10.0, "5 MB": 10.0}
_OF_CHARDET = {"4 KB": 50.0, "100 KB": 100.0, "5 MB": 5.0}
_LEAST_RATE, _LEAST_THREADS, _MOST_MEMORY = 10.0, 1.8, 10_000

_MEMORY = """
def rss():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))
before = rss()
import {module}
{module}.detect({data!r})
print(rss() - before)
"""


def contenders() -> dict[str, Detect]:
    """Return the detectors that are here."""
    found: dict[str, Detect] = {US: charlens.detect}
    for name, module in (("chardetng", "chardetng_py"), ("uchardet", "cchardet"), ("chardet", "chardet")):
        peer = load(module)
        if peer:
            found[name] = peer.detect
    return found


def measure(rounds: int) -> Measures:
    """Time everybody on every input, in rounds."""
    timings: dict[str, dict[str, Timing]] = {}
    for label, (tag, encoding) in (_SINGLE | _MULTI).items():
        block = shuffled(tag).encode(encoding, "ignore")
        for size_label, size in _SIZES.items():
            print(f"  preparing {label}, {size_label}", file=sys.stderr)
            data = (block * (1 + size // len(block)))[:size]
            # chardetng needs 50 ms for every megabyte.
            asked = {n: f for n, f in contenders().items() if not (n == "chardetng" and size > 1_000_000)}
            timings[f"{label}, {size_label}"] = {name: Timing(detect, data) for name, detect in asked.items()}
    return run_rounds(timings, rounds)


def compared(results: Measures) -> list[tuple[str, str, str]]:
    """Return the goal of each row, the result, and whether it was reached."""
    lines = []
    for label, measures in results.items():
        kind, _, size = label.rpartition(", ")
        peers = {name: measured.seconds for name, measured in measures.items() if name != US}
        if kind in _MULTI and size != "100 B":
            least, who, theirs = _OF_CHARDET[size], "chardet", peers.get("chardet")
        else:
            least = _OF_FASTEST[size]
            who, theirs = min(peers.items(), key=lambda pair: pair[1], default=("no peer", None))
        if theirs is not None:
            ratio = theirs / measures[US].seconds
            asked = f"{label}: {least:g} times as fast as {who}"
            lines.append((asked, show_ratio(ratio), "pass" if ratio >= least else "FAIL"))
    return lines


def labelled(folder: Path) -> list[tuple[str, str, str]]:
    """Time the labelled files one after another."""
    files = [
        path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file() and path.suffix != ".tsv"
    ]

    def rate(detect: Callable[[bytes], object]) -> float:
        best = float("inf")
        for _ in range(3):
            start = time.process_time()
            for data in files:
                detect(data)
            best = min(best, time.process_time() - start)
        return len(files) / best

    rates = {name: rate(detect) for name, detect in contenders().items() if name != "chardetng"}
    print(f"\n## {len(files):,} labelled files, one after another\n")
    print(table(("", "files per second"), [(name, f"{value:,.0f}") for name, value in rates.items()]))
    if "uchardet" not in rates:
        return []
    ratio = rates[US] / rates["uchardet"]
    asked = f"labelled files: {_LEAST_RATE:g} times the rate of uchardet"
    return [(asked, show_ratio(ratio), "pass" if ratio >= _LEAST_RATE else "FAIL")]


def threads() -> list[tuple[str, str, str]]:
    """Measure two threads against one on legacy text of 1 MB, by the clock."""
    data = shuffled("ru").encode("cp1251", "ignore")
    lots = [data] * 60

    def seconds(count: int) -> float:
        start = time.perf_counter()
        for _ in charlens.detect_many(lots, threads=count):
            pass
        return time.perf_counter() - start

    ratio = max(seconds(1) / seconds(2) for _ in range(5))
    asked = f"two threads on two idle cores: {_LEAST_THREADS} times one"
    return [(asked, f"{ratio:.2f}", "pass" if ratio >= _LEAST_THREADS else "FAIL")]


def memory() -> list[tuple[str, str, str]]:
    """Measure what an import and a first call on legacy text add to a process (Linux)."""
    data = "Привет из Казани, как дела?".encode("cp1251")
    used = {}
    for name, module in (
        (US, "charlens"),
        ("chardetng", "chardetng_py"),
        ("uchardet", "cchardet"),
        ("chardet", "chardet"),
    ):
        if load(module):
            program = _MEMORY.format(module=module, data=data)
            used[name] = int(
                subprocess.run([sys.executable, "-c", program], capture_output=True, check=True).stdout
            )
    print("\n## Memory that an import and a first call add\n")
    print(table(("", "KB"), [(name, f"{value:,}") for name, value in used.items()]))
    asked = f"memory: at most {_MOST_MEMORY:,} KB"
    return [(asked, f"{used[US]:,} KB", "pass" if used[US] <= _MOST_MEMORY else "FAIL")]


def main() -> None:
    """Measure everything and print it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer rounds")
    parser.add_argument(
        "--labelled", type=Path, metavar="DIR", help="a folder of files, to time one after another"
    )
    arguments = parser.parse_args()
    rounds = 5 if arguments.quick else 21
    print(f"# Speed on legacy text\n\n{describe()}")
    results = measure(rounds)
    names = list(dict.fromkeys(name for measures in results.values() for name in measures))
    print(f"\n## Time per call, one thread, median of {rounds} rounds\n")
    print_times(results, names, rounds)
    print("\n## Ratios: 1 is charlens, 2 takes twice as long\n")
    print_ratios(results, [name for name in names if name != US])
    lines = compared(results)
    if arguments.labelled:
        lines += labelled(arguments.labelled)
    if Path("/proc/self/status").exists():
        lines += memory()
    lines += threads()
    print("\n## Goals\n")
    print(table(("goal", "measured", ""), lines))


if __name__ == "__main__":
    main()
