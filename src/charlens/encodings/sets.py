"""Sets of encodings: bit *n* is encoding number *n* in the order of preference.

The kernel uses the tables to find the encodings that give the same text.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from functools import lru_cache

from charlens import kernel
from charlens.encodings import all_encodings, lookup, rank
from charlens.encodings.maps import MAPPED, UNDEFINED, characters_of

#: The number of bits of a set.
_MOST = 128


@lru_cache(maxsize=1)
def meanings() -> bytes:
    """Return the character of each byte value in each encoding, as `kernel.JudgeTables` takes them."""
    table = array("H", [UNDEFINED]) * (256 * _MOST)
    for name in MAPPED:
        table[rank(name) :: _MOST] = array("H", characters_of(name))
    return table.tobytes()


@lru_cache(maxsize=1)
def relatives_of_all() -> bytes:
    """Return the sets of relatives of the multi-byte encodings, as `kernel.JudgeTables` takes them."""
    sets = [0] * _MOST
    for number, encoding in enumerate(all_encodings()):
        if encoding.kind == "multi":
            sets[number] |= 1 << number
            for larger in map(rank, _supersets(encoding.name)):
                sets[number] |= 1 << larger
                sets[larger] |= 1 << number
    return b"".join([each.to_bytes(16, "little") for each in sets])


def columns_of(sets: Sequence[int]) -> bytes:
    """Return eight or more *sets* of byte values as columns: for each value, the sets that have it."""
    # As digits, a slice is a column; shifting each set for each value would take 30 times as long.
    digits = "".join([format(each, "0256b") for each in reversed(sets)])
    size = len(sets) // 8
    return b"".join([int(digits[255 - value :: 256], 2).to_bytes(size, "little") for value in range(256)])


def same_reading(seen: int, number: int) -> int:
    """Return the encodings that give the same text as *number* for the byte values *seen*, including itself."""
    return kernel.same_reading(seen, number, meanings(), relatives_of_all())


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
