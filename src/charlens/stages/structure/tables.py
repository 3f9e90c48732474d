"""The tables by which the structure stage, and the native lane, judge which encodings decode some bytes.

What is undefined where, which bytes are C1 controls, how the multi-byte encodings are walked, and which of these
forgive a stray byte.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from charlens.encodings import all_encodings, rank
from charlens.encodings.maps import defined_mask, single_byte_map
from charlens.encodings.walks import pair_masks, walk_table, walked_encodings
from charlens.stages.structure.strays import TOLERANT
from charlens.types import Rules

_ALL_VALUES = (1 << 256) - 1


class Tables(NamedTuple):
    """What the kernel is asked with."""

    rules: Rules
    #: For each encoding the byte values that mean nothing in it, and from row 128 on those that are C1 controls.
    rows: bytes
    walks: tuple[bytes, ...]
    pairs: bytes


@lru_cache(maxsize=1)
def structure_tables() -> Tables:
    """Return the tables, put together when first asked for."""
    encodings = all_encodings()
    walked = tuple(rank(name) for name in walked_encodings())
    singles = {number for number, encoding in enumerate(encodings) if encoding.kind in ("single", "ebcdic")}
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
    return Tables(
        Rules(tuple(encoding.name for encoding in encodings), tuple(legacy), walked, undefined),
        undefined.ljust(32 * 128, b"\xff") + controls,
        tuple(map(walk_table, walked_encodings())),
        pair_masks(),
    )


def _controls(name: str) -> int:
    return sum(1 << value for value, point in enumerate(single_byte_map(name)) if 0x80 <= point < 0xA0)


@lru_cache(maxsize=1)
def decoding_all() -> tuple[int, int]:
    """Return the set of multi-byte encodings that do not decode nearly everything, and of those that do."""
    sets = [0, 0]
    for name in TOLERANT:
        sets[name.startswith("gb")] |= 1 << rank(name)
    return sets[0], sets[1]


@lru_cache(maxsize=1)
def tolerant() -> tuple[tuple[int, str], ...]:
    """Return the encodings in which stray bytes are forgiven, with the numbers of their tables."""
    return tuple((index, name) for index, name in enumerate(walked_encodings()) if name in TOLERANT)
