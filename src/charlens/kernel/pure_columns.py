"""The part of the kernel for columns: many byte strings in one buffer, each from one offset to the next.

It returns facts about each row in 16 bits; the caller decides which rows need the whole pipeline.
"""

from __future__ import annotations

import itertools
from array import array

from charlens.kernel.facts import (
    COLUMN_SETS,
    ROW_CUT,
    ROW_LEADS,
    ROW_LONG,
    ROW_MOST_LEADS,
    ROW_NOT_UTF8,
    ROW_OPENS,
)
from charlens.types import Buffer


def scan_many(data: Buffer, offsets: Buffer, width: int, sets: bytes, opening: bytes, longest: int) -> bytes:
    """Return 16 bits of facts about each row of a column.

    Row *n* is from number *n* of *offsets* to the next one; they are integers of *width* bytes, 4 or 8, as Arrow has
    them.  *sets* is four sets of byte values, 32 bytes each: bit *i* tells whether the row has a value of set *i*.
    Then come `ROW_OPENS`: its first byte is in the set *opening*; the length of a sequence cut off at its end, times
    `ROW_CUT`; and the number of bytes from 0xC0 on, at most `ROW_MOST_LEADS`, times `ROW_LEADS`.  A row that is not
    UTF-8 has `ROW_NOT_UTF8` in place of all but `ROW_OPENS`, as it is not read further; one of more than *longest*
    bytes has `ROW_LONG` and nothing else.
    """
    from charlens.kernel.pure import scan  # `pure` has this function, too

    bounds = _offsets(offsets, width, len(data))
    if len(sets) != 32 * COLUMN_SETS or len(opening) != 32 or longest < 0:
        raise ValueError("scan_many(): needs four sets and one, of 32 bytes each, and a length")
    wanted = [int.from_bytes(sets[at : at + 32], "little") for at in range(0, len(sets), 32)]
    opens = int.from_bytes(opening, "little")
    view = memoryview(data)
    facts = array("H")
    for start, end in itertools.pairwise(bounds):
        if end - start > longest:
            facts.append(ROW_LONG)
            continue
        row = bytes(view[start:end])
        found = scan(row)
        fact = ROW_OPENS if row and opens >> row[0] & 1 else 0
        if found.utf8_error >= 0:
            facts.append(fact | ROW_NOT_UTF8)
            continue
        fact |= sum(1 << number for number, values in enumerate(wanted) if found.seen & values)
        facts.append(fact | found.utf8_cut * ROW_CUT | min(found.leads, ROW_MOST_LEADS) * ROW_LEADS)
    return facts.tobytes()


def _offsets(offsets: Buffer, width: int, length: int) -> list[int]:
    """Return the offsets as numbers; offsets that decrease or leave the data are an error."""
    size = len(memoryview(offsets).cast("B"))
    if width not in (4, 8) or not size or size % width:
        raise ValueError(
            "scan_many(): the offsets are integers of 4 or 8 bytes, one more than there are rows"
        )
    numbers = memoryview(offsets).cast("B").cast("i" if width == 4 else "q").tolist()
    if numbers[0] < 0 or numbers[-1] > length or any(a > b for a, b in itertools.pairwise(numbers)):
        raise ValueError("scan_many(): the offsets do not rise, or leave the data")
    return numbers
