"""Measure how well detectors distinguish text from binary: `python bench/text_or_binary.py [--binary DIR] [--quick]`.

One row for each kind of input, one column for each method: charlens, other detectors, and three simple rules
that programs use.  The samples are the same in every run on one machine; `--binary` adds a folder of files that
are all binary.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from binary_samples import binary_rows
from common import describe, load, table
from samples import Row
from text_samples import text_rows

import charlens
from charlens import Outcome

#: What every row has to reach.
_GOAL = 99.5
_COUNT = 1000
_COUNT_QUICK = 80

Tells = Callable[[bytes], bool | None]

# The lists of zlib's txtvsbin: these bytes are evidence for text, those against it.
_ALLOWED = bytes((9, 10, 13, *range(32, 256)))
_BLOCKED = bytes((*range(7), *range(14, 26), *range(28, 32)))
_PRINTED = bytes(range(7, 128))


def by_charlens(data: bytes) -> bool | None:
    """Whether it is text; ``None`` for an answer of UNDECIDED, which is right for neither."""
    outcome = charlens.detect(data).outcome
    return None if outcome is Outcome.UNDECIDED else outcome is Outcome.TEXT


def by_zlib(data: bytes) -> bool:
    """Text has a byte of the allow list and none of the block list."""
    return len(data.translate(None, _BLOCKED)) == len(data) and len(data.translate(None, _ALLOWED)) < len(
        data
    )


def by_pkzip(data: bytes) -> bool:
    """Text has more than 80 % of its bytes from 7 to 127."""
    return len(data) - len(data.translate(None, _PRINTED)) > 0.8 * len(data)


def by_git(data: bytes) -> bool:
    """Text has no NUL in its first 8,000 bytes."""
    return 0 not in data[:8000]


def columns() -> dict[str, Tells]:
    """Return the methods by name; detectors that are not installed are left out."""
    found: dict[str, Tells] = {"charlens": by_charlens}
    chardet, normalizer = load("chardet"), load("charset_normalizer")
    if chardet:
        found["chardet"] = lambda data: chardet.detect(data)["encoding"] is not None
    if normalizer:
        found["c-n is_binary"] = lambda data: not normalizer.is_binary(data)
    return found | {"zlib's lists": by_zlib, "PKZip's 80 %": by_pkzip, "git's NUL": by_git}


class Miss(NamedTuple):
    """A sample that charlens gets wrong."""

    row: str
    part: str
    data: bytes


class Tally:
    """How many samples of a row each column got right, and which ones charlens did not."""

    def __init__(self, row: Row, ways: dict[str, Tells]) -> None:
        self.row = row
        self.count = sum(map(len, row.parts.values()))
        self.right = dict.fromkeys(ways, 0)
        self.misses: list[Miss] = []
        for part, samples in row.parts.items():
            for data in samples:
                self._ask(part, data, ways)

    def _ask(self, part: str, data: bytes, ways: dict[str, Tells]) -> None:
        for name, tells in ways.items():
            if tells(data) is self.row.text:
                self.right[name] += 1
            elif name == "charlens":
                self.misses.append(Miss(self.row.name, part, data))

    def share(self, name: str) -> float:
        """Return the percentage that *name* got right."""
        return 100 * self.right[name] / self.count

    def cells(self) -> tuple[str, ...]:
        """Return the row of the table."""
        shares = (self.share(name) for name in self.right)
        return (self.row.name, str(self.count), *(f"{int(share * 10) / 10:.1f}" for share in shares))

    def parts_missed(self) -> Iterator[str]:
        """Say for each part of the row that has misses how many."""
        for part, samples in self.row.parts.items():
            missed = sum(miss.part == part for miss in self.misses)
            if missed:
                yield f"{part}: {missed} of {len(samples)} wrong"


def print_misses(tallies: list[Tally], examples: int) -> None:
    """Print the errors of charlens: the parts, and some samples with the steps of their verdicts."""
    for tally in tallies:
        if not tally.misses:
            continue
        print(f"\n### {tally.row.name}: {tally.share('charlens'):.2f} %\n")
        for line in tally.parts_missed():
            print(f"- {line}")
        seen: dict[str, int] = {}
        for miss in sorted(tally.misses, key=lambda miss: len(miss.data)):
            seen[miss.part] = seen.get(miss.part, 0) + 1
            if seen[miss.part] <= examples:
                _print_miss(miss)


def _print_miss(miss: Miss) -> None:
    verdict = charlens.detect(miss.data)
    print(
        f"\n    {miss.part}, {len(miss.data)} bytes: {miss.data[:64].hex(' ')}{' …' if len(miss.data) > 64 else ''}"
    )
    print(f"    {verdict.outcome.value}, {verdict.encoding}, {verdict.confidence:.3f}")
    for step in verdict.steps:
        print(f"      {step}")


def print_conclusion(tallies: list[Tally]) -> None:
    """Name the lowest row of charlens, and every row that does not reach its goal."""
    ordered = sorted(tallies, key=lambda tally: tally.share("charlens"))
    lowest = ordered[0]
    print(
        f"The lowest row of charlens: {lowest.row.name}, {lowest.share('charlens'):.2f} %; goal: {_GOAL} %."
    )
    below = [tally for tally in ordered if tally.share("charlens") < _GOAL]
    print(f"{'FAIL' if below else 'pass'}: {len(below)} of {len(tallies)} rows are below.")
    for tally in below:
        print(f"- {tally.row.name}: {tally.share('charlens'):.2f} % of {tally.count}")


def main() -> None:
    """Fill the rows, ask everyone, print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binary", type=Path, metavar="DIR", help="a folder of files that are all binary")
    parser.add_argument("--quick", action="store_true", help=f"{_COUNT_QUICK} samples a row, not {_COUNT}")
    parser.add_argument("--only", metavar="WORD", help="only the rows with this word in their name")
    parser.add_argument(
        "--examples", type=int, default=0, metavar="N", help="show N misses of each part of a row"
    )
    arguments = parser.parse_args()
    count = _COUNT_QUICK if arguments.quick else _COUNT
    ways = columns()

    tallies = []
    for row in chain(binary_rows(arguments.binary, count), text_rows(count)):
        if any(row.parts.values()) and (arguments.only or "") in row.name:
            print(f"  {row.name} …", file=sys.stderr)
            tallies.append(Tally(row, ways))

    print(f"# Text or binary\n\n{describe()}\n\n## Percentage right\n")
    for text in (False, True):
        rows = [tally.cells() for tally in tallies if tally.row.text is text]
        print(table(("these are text" if text else "these are binary", "n", *ways), rows), end="\n\n")
    print_conclusion(tallies)
    if arguments.examples:
        print("\n## What charlens got wrong")
        print_misses(tallies, arguments.examples)


if __name__ == "__main__":
    main()
