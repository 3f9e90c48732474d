"""Measure a column of byte strings against a loop over `detect`: `python bench/columns.py [--rows 20000]`.

In the columns, nine rows in ten are ASCII or UTF-8, and one is legacy text; rows have 100 bytes or 4 KB. The times are
processor time, the minimum of several rounds in which the contenders take turns; all ratios are from one run. 'kernel'
is only the call of the kernel that scans and judges a row, for each row.
"""

from __future__ import annotations

import argparse
import itertools
from array import array
from collections.abc import Callable
from time import process_time

from common import describe, prose, table

import charlens
from charlens import kernel, survey
from charlens.batch import detect_batch
from charlens.options import DEFAULTS

_UNICODE = ("en", "de", "ru", "zh-Hans", "en", "el", "ja", "en", "hi")
_LEGACY = (("ru", "cp1251"), ("de", "cp1252"), ("pl", "iso8859-2"), ("ja", "cp932"), ("el", "iso8859-7"))
_ROUNDS = 5


def make_rows(size: int, count: int, legacy: bool, unicode: bool = True) -> list[bytes]:
    """Return rows of about *size* bytes: nine in ten in ASCII or UTF-8, the tenth in legacy encodings."""
    made = []
    for number in range(count):
        if (number % 10 == 9 and legacy) or not unicode:
            language, encoding = _LEGACY[number // 10 % len(_LEGACY)]
        else:
            language, encoding = _UNICODE[number % 9], "utf-8"
        text = prose(language)
        start = number * 37 % (len(text) // 2)
        text = (text[start:] + text * (size // len(text) + 1))[:size]
        made.append(text.encode(encoding, "ignore")[:size])
    return made


def time_all(contenders: dict[str, Callable[[], object]]) -> dict[str, float]:
    """Return the least processor time of each, taking turns."""
    best = dict.fromkeys(contenders, float("inf"))
    for _ in range(_ROUNDS):
        for name, work in contenders.items():
            begin = process_time()
            work()
            best[name] = min(best[name], process_time() - begin)
    return best


def measure(rows: list[bytes]) -> dict[str, float]:
    """Return the seconds that a row takes, by way."""
    data = b"".join(rows)
    offsets = array("q", itertools.accumulate(map(len, rows), initial=0))
    tables = survey.prepare(judges=True)
    times = time_all(
        {
            "kernel": lambda: [kernel.survey(tables, row, DEFAULTS.survey) for row in rows],
            "loop": lambda: [charlens.detect(row) for row in rows],
            "loop, no languages": lambda: [charlens.detect(row, language=False) for row in rows],
            "batch, no languages": lambda: detect_batch(data, offsets, threads=1, language=False),
            "batch": lambda: detect_batch(data, offsets, threads=1),
            "batch, 2 threads": lambda: detect_batch(data, offsets, threads=2),
        }
    )
    return {name: seconds / len(rows) for name, seconds in times.items()}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=20_000)
    count = parser.parse_args().rows
    print(describe(), "\n")
    lines = []
    for size in (100, 4096):
        for name, legacy, unicode in (
            ("ASCII and UTF-8", False, True),
            ("nine in ten of it", True, True),
            ("legacy", True, False),
        ):
            rows = make_rows(size, count if unicode else count // 10, legacy, unicode)
            times = measure(rows)
            loop = times["loop"]
            lines.append(
                [
                    f"{name}, {size} bytes",
                    *(f"{1e6 * seconds:.2f}" for seconds in times.values()),
                    f"{loop / times['batch, no languages']:.1f}",
                    f"{loop / times['batch']:.1f}",
                    f"{times['batch, 2 threads'] / times['batch']:.2f}",
                ]
            )
    head = [
        "µs per row",
        "kernel",
        "loop",
        "loop, no languages",
        "batch, no languages",
        "batch",
        "batch, 2 threads",
    ]
    print(table([*head, "loop / no languages", "loop / batch", "2 threads / 1"], lines))


if __name__ == "__main__":
    main()
