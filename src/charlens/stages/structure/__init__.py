"""Find the legacy encodings that can decode the bytes at all.

Single-byte encodings are judged by the set of byte values, multi-byte ones by walking their sequences over the
whole input, all in one pass; a sequence cut off at the end rules nothing out, nor do a few stray bytes in a long text.
How likely each candidate is, is for statistics.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from charlens import kernel
from charlens.encodings import rank
from charlens.encodings.walks import walked_encodings
from charlens.stages.structure.strays import (
    FIRST_FORGIVEN,
    GOOD_PER_FAULT,
    LEAST_BEYOND_ASCII,
    Damaged,
    find_strays,
    settle_strays,
)
from charlens.stages.structure.tables import decoding_all, structure_tables, tolerant
from charlens.types import MOST_SPANS, Candidates, Scan

_LOWER_HALF = (1 << 128) - 1
_FAR = 4096

#: What the native lane goes by, with the names that it has for it.
LIMITS = {
    "strays_least": LEAST_BEYOND_ASCII,
    "strays_first": FIRST_FORGIVEN,
    "strays_far": _FAR,
    "strays_good": GOOD_PER_FAULT,
    "most_spans": MOST_SPANS,
}


class Walked(NamedTuple):
    """How the multi-byte encodings fared on a stream whose bytes are gone."""

    #: For each the offset of its first wrong sequence, or -1, and the length of one cut off at the end.
    results: Mapping[str, tuple[int, int]]
    #: Those with a few stray bytes, and these.
    damaged: list[Damaged]


def find_candidates(scan: Scan, known: Walked | None = None) -> Candidates:
    """Return the encodings that decode *scan*'s bytes, and where the others fail; *known* is for a stream."""
    rules, rows, walks, pairs = structure_tables()
    seen = scan.seen.to_bytes(32, "little")
    found = kernel.disjoint(seen, rows)
    numbers = found & _LOWER_HALF
    doubtful = numbers & ~(found >> 128)
    if known is None:
        whole, walked = kernel.walk_together(scan.data, walks, pairs)
    else:
        walked = tuple(value for name in walked_encodings() for value in known.results[name])
        whole = sum(1 << table for table, error in enumerate(walked[::2]) if error < 0)
    numbers |= _as_numbers(whole)
    damaged: tuple[Damaged, ...] = ()
    if known is not None:
        damaged = settle_strays(known.damaged, lambda name: bool(numbers >> rank(name) & 1))
    elif scan.non_ascii >= LEAST_BEYOND_ASCII:
        damaged = _damaged(scan, walked, numbers)
    for name, _ in damaged:
        numbers |= 1 << rank(name)
        doubtful |= 1 << rank(name)
    # tuple.__new__ is what Candidates() comes to, without a call in between.
    return tuple.__new__(Candidates, (numbers, doubtful, walked, seen, scan.first, rules, damaged))


def _damaged(scan: Scan, walked: tuple[int, ...], numbers: int) -> tuple[Damaged, ...]:
    """Return the multi-byte encodings that decode all but a few stray bytes, with these.

    Where one decodes everything, no byte is stray; but GBK and GB 18030 decode nearly everything, and do not count.
    """
    found: list[Damaged] = []
    strict, lax = decoding_all()
    if numbers & strict:
        return ()
    for index, name in tolerant():
        error = walked[2 * index]
        if error >= FIRST_FORGIVEN:
            # Where these two decode everything, another is only worth walking if its next fault is far away.
            near = scan.data[error + 1 : error + _FAR]
            if numbers & lax and kernel.walk(near, structure_tables().walks[index])[0] >= 0:
                continue
            spans = find_strays(scan.data, structure_tables().walks[index], error)
            if spans:
                found.append((name, spans))
    return settle_strays(found, lambda name: bool(numbers >> rank(name) & 1)) if found else ()


@lru_cache(maxsize=1024)
def _as_numbers(whole: int) -> int:
    """Return the set of encodings whose tables are in the set *whole*."""
    return sum(1 << number for table, number in enumerate(structure_tables().rules.walked) if whole >> table & 1)
