"""The set of known words in plain Python: which words of a text a language knows.

`charlens.training.words` makes the set, which is an xor filter (Graf and Lemire, 2020): a word is in it if the bytes at
its three places, combined by exclusive or, are its check byte.  Of the words that were not put in, 1 in 256 passes.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator

from charlens.kernel.facts import MOST_SALTS, PLACE_BITS, SCATTER, WORD_MIX, WORD_SIGN
from charlens.types import Buffer

_MASK = 0xFFFFFFFF
_PLACE = (1 << PLACE_BITS) - 1


def known_words(words: Buffer, width: int, points: bytes, salts: Buffer, table: Buffer) -> tuple[int, ...]:
    """Return, for several languages, the points of the *words* that are known.

    *words* has 16 bits for each letter, the low byte first, and 0 after each word; those without a non-ASCII letter do
    not count, nor do those with a sign (`WORD_SIGN`, the greatest number that occurs).  A letter takes *width* bytes in
    the text, and *points* are what a known word is worth, by its bytes; the last of them counts for longer ones, too.
    *salts* has 32 bits for each language, with which its hashes begin.
    *table* is the set.
    """
    fit = 1 <= width <= 4 and len(words) % 2 == len(salts) % 4 == len(table) % 3 == 0
    if not fit or not points or len(salts) > 4 * MOST_SALTS:
        raise ValueError("known_words(): the words, their width, the points, the salts or the table do not fit")
    part = len(table) // 3
    letters = list(words_of(bytes(words)))
    return tuple(
        sum(
            points[min(width * len(word), len(points) - 1)]
            for word in letters
            if is_known(word_key(salt, word), table, part)
        )
        for (salt,) in struct.iter_unpack("=I", salts)
    )


def words_of(packed: bytes) -> Iterator[tuple[int, ...]]:
    """Yield the words in *packed* that have a non-ASCII letter and no sign, as numbers of letters, without the 0."""
    units = struct.unpack(f"<{len(packed) // 2}H", packed)
    start = 0
    for at, unit in enumerate(units):
        if not unit:
            if 0x80 <= max(units[start:at], default=0) != WORD_SIGN:
                yield units[start:at]
            start = at + 1


def word_key(salt: int, letters: Iterable[int]) -> int:
    """Return the 32 bits that stand for a word."""
    key = salt
    for letter in letters:
        key = (key ^ letter) * WORD_MIX & _MASK
    return key ^ key >> 15


def places_of(key: int, part: int) -> tuple[int, int, int]:
    """Return the places of *key*, one in each third of a table; a third has *part* bytes."""
    mixed = key * SCATTER
    return (
        (mixed & _PLACE) * part >> PLACE_BITS,
        part + ((mixed >> PLACE_BITS & _PLACE) * part >> PLACE_BITS),
        2 * part + ((mixed >> 2 * PLACE_BITS & _PLACE) * part >> PLACE_BITS),
    )


def is_known(key: int, table: Buffer, part: int) -> bool:
    """Whether *key* is in the set *table*, a third of which has *part* bytes."""
    if not part:
        return False
    first, second, third = places_of(key, part)
    return table[first] ^ table[second] ^ table[third] == key >> 24
