"""Group the lines of a text into units of one form: ASCII, UTF-8, neither, or with escapes.

There are at most some thousands of units, so scoring a million lines takes no longer than scoring thousands.
"""

from __future__ import annotations

from array import array
from itertools import accumulate
from typing import NamedTuple

from charlens import kernel
from charlens.kernel.facts import COLUMN_SETS, ROW_CUT, ROW_NOT_UTF8
from charlens.stages.evenness import ESCAPE

#: The most units.
MOST_UNITS = 4096
ASCII, UTF8, OTHER, SHIFTED = range(4)
#: Neighbouring lines in UTF-8 are joined to this size, because the encoding changes at other lines. With 512, single
#: lines of another encoding are right in 99.1 % of the bytes, with 256 or less in 99.8 % (`python bench/mixed.py`).
_UTF8_LINES = 256

#: What `kernel.scan_many` looks for in a line: non-ASCII bytes, and ESC.
_BEYOND_ASCII, _HAS_ESCAPE = 1, 2
_SETS = bytes(16) + b"\xff" * 16 + (1 << 0x1B).to_bytes(32 * (COLUMN_SETS - 1), "little")
_NOT_UTF8 = ROW_NOT_UTF8 | 3 * ROW_CUT


class Unit(NamedTuple):
    """A range of whole lines of one form."""

    start: int
    end: int
    form: int


def find_units(data: bytes, least: int | None = None) -> list[Unit]:
    """Return the units of *data*, in order, of at least *least* bytes; by default, so that there are not too many."""
    if least is None:
        least = len(data) // MOST_UNITS if joins_lines(data) else 0
    units = join_lines(data, least)
    # Only artificial files change their form in every line.
    while len(units) > 2 * MOST_UNITS:
        pairs = zip(units[::2], [*units[1::2], None], strict=False)
        units = [
            one if two is None else Unit(one.start, two.end, one.form if one.form == two.form else OTHER)
            for one, two in pairs
        ]
    return units


def joins_lines(data: bytes) -> bool:
    """Whether *data* has more lines than `find_units` keeps apart; those it joins can be in different encodings."""
    return data.count(b"\n" if b"\n" in data else b"\r") > 2 * MOST_UNITS


def join_lines(data: bytes, least: int) -> list[Unit]:
    """Join neighbouring lines of one form, those that are not ASCII to at least *least* bytes."""
    newline = b"\n" if b"\n" in data else b"\r"
    ends = [end + number for number, end in enumerate(accumulate(map(len, data.split(newline))), 1)]
    ends[-1] -= 1
    if len(ends) > 1 and ends[-1] == ends[-2]:
        ends.pop()  # there is no line after the last line ending
    facts = kernel.scan_many(data, memoryview(array("q", [0, *ends])), 8, _SETS, bytes(32), len(data))
    units: list[Unit] = []
    least_utf8 = max(least, _UTF8_LINES)
    start = end = 0
    form = -1
    for line_end, fact in zip(ends, memoryview(facts).cast("H"), strict=True):
        own = OTHER if fact & _NOT_UTF8 else UTF8 if fact & _BEYOND_ASCII else ASCII
        if fact & _HAS_ESCAPE and own == ASCII and ESCAPE.search(data, end, line_end):
            own = SHIFTED
        if form >= 0 and (own != form or (end - start >= (least_utf8 if form == UTF8 else least) and form != ASCII)):
            units.append(Unit(start, end, form))
            start = end
        form = own
        end = line_end
    if end > start:
        units.append(Unit(start, end, form))
    return units
