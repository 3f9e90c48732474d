"""Find the legacy encodings that can decode the bytes at all.

Single-byte encodings are judged by the set of byte values, multi-byte ones by walking their sequences over the whole
input; a sequence cut off at the end rules nothing out.  How likely each candidate is, is for statistics.
"""

from __future__ import annotations

import re
from functools import lru_cache

from charlens import kernel
from charlens.encodings import all_encodings
from charlens.encodings.maps import defined_mask, single_byte_map
from charlens.encodings.walks import walk_table, walked_encodings
from charlens.types import Buffer, Candidates, Scan

_ALL_VALUES = (1 << 256) - 1


def find_candidates(scan: Scan) -> Candidates:
    """Return the encodings that decode *scan*'s bytes, and where the others fail."""
    possible: list[tuple[bool, str]] = []
    ruled_out: list[tuple[str, int]] = []
    cut: list[tuple[str, int]] = []
    for name, undefined, controls in _single_byte():
        if scan.seen & undefined:
            ruled_out.append((name, _first_of(scan.data, scan.seen & undefined)))
        else:
            possible.append((bool(scan.seen & controls), name))
    for name in walked_encodings():
        error, left, _ = kernel.walk(scan.data, walk_table(name))
        if error >= 0:
            ruled_out.append((name, error))
        else:
            possible.append((False, name))
            if left:
                cut.append((name, left))
    # Bytes that would be C1 controls speak against an encoding, but do not rule it out.
    order = _order()
    possible.sort(key=lambda row: (row[0], order[row[1]]))
    return Candidates(tuple(name for _, name in possible), tuple(ruled_out), tuple(cut))


@lru_cache(maxsize=1)
def _single_byte() -> tuple[tuple[str, int, int], ...]:
    """Return each single-byte encoding with its undefined byte values and those that are C1 controls."""
    return tuple(
        (encoding.name, _ALL_VALUES ^ defined_mask(encoding.name), _controls(encoding.name))
        for encoding in all_encodings()
        if encoding.kind == "single"
    )


def _controls(name: str) -> int:
    return sum(1 << value for value, point in enumerate(single_byte_map(name)) if 0x80 <= point < 0xA0)


@lru_cache(maxsize=1)
def _order() -> dict[str, tuple[int, int]]:
    """Return the place of each encoding: the most common first, then the order of preference."""
    return {encoding.name: (-encoding.common, place) for place, encoding in enumerate(all_encodings())}


@lru_cache(maxsize=256)
def _pattern(values: int) -> re.Pattern[bytes]:
    escaped = b"".join(b"\\x%02x" % value for value in range(256) if values >> value & 1)
    return re.compile(b"[" + escaped + b"]")


def _first_of(data: Buffer, values: int) -> int:
    """Return the offset of the first byte whose value is in the set *values*."""
    match = _pattern(values).search(data)
    return match.start() if match else -1
