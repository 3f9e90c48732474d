"""Find the legacy encodings that can decode the bytes at all.

Single-byte encodings are judged by the set of byte values, multi-byte ones by walking their sequences over the
whole input; a sequence cut off at the end rules nothing out.  How likely each candidate is, is for statistics.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from charlens import kernel
from charlens.encodings import all_encodings
from charlens.encodings.maps import defined_mask, single_byte_map
from charlens.encodings.walks import walk_table, walked_encodings
from charlens.types import Buffer, Candidates, Scan

_ALL_VALUES = (1 << 256) - 1
#: Most encodings that cannot be it fail here, before the whole input is walked.
_HEAD = 1 << 16


def find_candidates(scan: Scan, walked: Mapping[str, tuple[int, int]] | None = None) -> Candidates:
    """Return the encodings that decode *scan*'s bytes, the most common first, and where the others fail.

    *walked* has, for a stream whose bytes are gone, where each multi-byte encoding failed (or -1), and the bytes
    of a sequence cut off at the end.
    """
    possible: list[str] = []
    doubtful: list[
        str
    ] = []  # bytes that would be C1 controls speak against an encoding, but do not rule it out
    failed: list[tuple[str, int, int]] = []
    cut: list[tuple[str, int]] = []
    seen, data = scan.seen, scan.data
    head = data[:_HEAD] if len(data) > _HEAD else data
    for name, undefined, controls, table in _judged():
        if table:
            error, left = walked[name] if walked is not None else _walk(data, head, table)
            if error >= 0:
                failed.append((name, error, 0))
                continue
            if left:
                cut.append((name, left))
        elif seen & undefined:
            failed.append((name, -1, seen & undefined))
            continue
        (doubtful if seen & controls else possible).append(name)
    return Candidates((*possible, *doubtful), tuple(failed), scan.first, tuple(cut))


def _walk(data: Buffer, head: Buffer, table: bytes) -> tuple[int, int]:
    error, left, _ = kernel.walk(head, table)
    if error < 0 and head is not data:
        error, left, _ = kernel.walk(data, table)
    return error, left


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
