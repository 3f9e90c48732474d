"""Find the legacy encodings that can decode the bytes at all.

Single-byte encodings are judged by the set of byte values, multi-byte ones by walking their sequences over the
whole input; a sequence cut off at the end rules nothing out, nor do a few stray bytes in a long text.  How likely each
candidate is, is for statistics.
"""

from __future__ import annotations

from functools import lru_cache

from charlens import kernel
from charlens.encodings import all_encodings
from charlens.encodings.maps import defined_mask, single_byte_map
from charlens.encodings.walks import walk_table, walked_encodings
from charlens.strays import LEAST_BEYOND_ASCII, TOLERANT, Damaged, find_strays, settle_strays
from charlens.types import Candidates, Scan

_ALL_VALUES = (1 << 256) - 1
#: Most encodings that cannot be it fail here, before the whole input is walked.
_HEAD = 1 << 16


def find_candidates(scan: Scan) -> Candidates:
    """Return the encodings that decode *scan*'s bytes, the most common first, and where the others fail."""
    possible: list[str] = []
    doubtful: list[
        str
    ] = []  # bytes that would be C1 controls speak against an encoding, but do not rule it out
    failed: list[tuple[str, int, int]] = []
    cut: list[tuple[str, int]] = []
    damaged: list[Damaged] = []
    seen, data = scan.seen, scan.data
    head = data[:_HEAD] if len(data) > _HEAD else data
    for name, undefined, controls, table in _judged():
        if table:
            error, left, good = kernel.walk(head, table)
            if error < 0 and head is not data:
                error, left, good = kernel.walk(data, table)
            if error >= 0:
                if name in TOLERANT and scan.non_ascii >= LEAST_BEYOND_ASCII:
                    spans = find_strays(data, table, error, good)
                    if spans:
                        damaged.append((name, spans))
                        continue
                failed.append((name, error, 0))
                continue
            if left:
                cut.append((name, left))
        elif seen & undefined:
            failed.append((name, -1, seen & undefined))
            continue
        (doubtful if seen & controls else possible).append(name)
    strays: tuple[Damaged, ...] = ()
    if damaged:
        strays = settle_strays(damaged, (*possible, *doubtful))
        doubtful += [name for name, _ in strays]
        failed += [(name, spans[0].start, 0) for name, spans in damaged if name not in doubtful]
    return Candidates((*possible, *doubtful), tuple(failed), scan.first, tuple(cut), strays)


@lru_cache(maxsize=1)
def _judged() -> tuple[tuple[str, int, int, bytes], ...]:
    """Return each encoding, the most common first, with what it is judged by.

    That is, for a single-byte one, its undefined byte values and those that are C1 controls, as sets; for a
    multi-byte one the table to walk by.
    """
    walked = set(walked_encodings())
    encodings = sorted(all_encodings(), key=lambda encoding: -encoding.common)
    return tuple(
        (e.name, 0, 0, walk_table(e.name))
        if e.name in walked
        else (e.name, _ALL_VALUES ^ defined_mask(e.name), _controls(e.name), b"")
        for e in encodings
        if e.kind in ("single", "multi")
    )


def _controls(name: str) -> int:
    return sum(1 << value for value, point in enumerate(single_byte_map(name)) if 0x80 <= point < 0xA0)
