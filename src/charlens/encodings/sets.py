"""Sets of encodings: bit *n* is encoding number *n* in the order of preference.

Used by the stages `statistics` and `reading` to find the encodings that give the same text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache, lru_cache

from charlens import kernel
from charlens.encodings import all_encodings, lookup, rank
from charlens.encodings.maps import differences

_ALL_VALUES = (1 << 256) - 1


@cache
def differences_of(number: int) -> bytes | int:
    """Return the byte values whose meaning differs from the single-byte encoding *number* in each encoding, as columns.

    For a multi-byte encoding: the set of its relatives, including itself.
    """
    encodings = all_encodings()
    name = encodings[number].name
    if encodings[number].kind == "multi":
        return 1 << number | sum(1 << rank(other) for other in relatives(name))
    masks = {rank(other): mask for other, mask in differences(name)}
    masks[number] = 0
    return columns_of([masks.get(other, _ALL_VALUES) for other in range(128)])


def columns_of(sets: Sequence[int]) -> bytes:
    """Return eight or more *sets* of byte values as `kernel.disjoint` takes them: for each value, which have it."""
    # As digits, a slice is a column; shifting each set for each value would take 30 times as long.
    digits = "".join([format(each, "0256b") for each in reversed(sets)])
    size = len(sets) // 8
    return b"".join([int(digits[255 - value :: 256], 2).to_bytes(size, "little") for value in range(256)])


def same_reading(seen: int, number: int) -> int:
    """Return the encodings that give the same text as *number* for the byte values *seen*, including itself."""
    table = differences_of(number)
    return table if isinstance(table, int) else kernel.disjoint(seen, table)


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
