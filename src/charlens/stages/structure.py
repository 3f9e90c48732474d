"""Find the legacy encodings that can decode the bytes at all.

Single-byte encodings are judged by the set of byte values, multi-byte ones by walking their sequences over the
whole input, all in one pass; a sequence cut off at the end rules nothing out.  How likely each candidate is, is for
statistics.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from charlens import kernel
from charlens.encodings import all_encodings, rank
from charlens.encodings.maps import defined_mask, single_byte_map
from charlens.encodings.walks import pair_masks, walk_table, walked_encodings
from charlens.types import Candidates, Rules, Scan

_ALL_VALUES = (1 << 256) - 1


class _Tables(NamedTuple):
    """What the kernel is asked with."""

    rules: Rules
    #: For each encoding the byte values that are C1 controls in it, 32 bytes each.
    controls: bytes
    walks: tuple[bytes, ...]
    pairs: bytes
    #: For each encoding that is walked, its number as a bit.
    bits: tuple[int, ...]


def find_candidates(scan: Scan) -> Candidates:
    """Return the encodings that decode *scan*'s bytes, and where the others fail."""
    rules, controls, walks, pairs, bits = _tables()
    seen = scan.seen.to_bytes(32, "little")
    numbers = int.from_bytes(kernel.disjoint(seen, rules.undefined), "little")
    doubtful = numbers & ~int.from_bytes(kernel.disjoint(seen, controls), "little")
    walked = kernel.walk_together(scan.data, walks, pairs)
    for bit, error in zip(bits, walked[::2], strict=True):
        if error < 0:
            numbers |= bit
    return Candidates(numbers, doubtful, walked, seen, scan.first, rules)


@lru_cache(maxsize=1)
def _tables() -> _Tables:
    encodings = all_encodings()
    walked = tuple(rank(name) for name in walked_encodings())
    singles = {number for number, encoding in enumerate(encodings) if encoding.kind == "single"}
    legacy = sorted({*singles, *walked}, key=lambda number: -encodings[number].common)
    # What is not judged by byte values has all of them undefined: it is never found by them.
    undefined = b"".join(
        (_ALL_VALUES ^ (defined_mask(encoding.name) if number in singles else 0)).to_bytes(32, "little")
        for number, encoding in enumerate(encodings)
    )
    controls = b"".join(
        (_controls(encoding.name) if number in singles else 0).to_bytes(32, "little")
        for number, encoding in enumerate(encodings)
    )
    names = tuple(encoding.name for encoding in encodings)
    return _Tables(
        Rules(names, tuple(legacy), walked, undefined),
        controls,
        tuple(map(walk_table, walked_encodings())),
        pair_masks(),
        tuple(1 << number for number in walked),
    )


def _controls(name: str) -> int:
    return sum(1 << value for value, point in enumerate(single_byte_map(name)) if 0x80 <= point < 0xA0)
