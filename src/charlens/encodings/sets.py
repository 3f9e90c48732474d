"""Sets of encodings: bit *n* is encoding number *n* in the order of preference.

Used by the stage `reading` to find the encodings that give the same text.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, lru_cache

from charlens.encodings import all_encodings, lookup, rank
from charlens.encodings.maps import differences

_ALL_VALUES = (1 << 256) - 1


@cache
def differences_of(number: int) -> bytes | int:
    """Return for each encoding the byte values whose meaning differs from the single-byte encoding *number*.

    For a multi-byte encoding: the set of its relatives, including itself.
    """
    encodings = all_encodings()
    name = encodings[number].name
    if encodings[number].kind == "multi":
        return 1 << number | sum(1 << rank(other) for other in relatives(name))
    masks = {rank(other): mask for other, mask in differences(name)}
    masks[number] = 0
    return b"".join(masks.get(other, _ALL_VALUES).to_bytes(32, "little") for other in range(len(encodings)))


@lru_cache(maxsize=1024)
def name_all(numbers: int) -> tuple[str, ...]:
    """Return the names of a set of encodings, the preferred first."""
    return tuple(encoding.name for number, encoding in enumerate(all_encodings()) if numbers >> number & 1)


@lru_cache(maxsize=256)
def relatives(name: str) -> tuple[str, ...]:
    """Return the supersets and subsets of *name*: encodings that decode common text in the same way."""
    others = [encoding.name for encoding in all_encodings() if encoding.name != name]
    return tuple(o for o in others if o in _supersets(name) or name in _supersets(o))


def _supersets(name: str) -> Iterator[str]:
    while (encoding := lookup(name)) and encoding.subset_of:
        name = encoding.subset_of
        yield name
