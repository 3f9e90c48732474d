"""The weight of each character of the Basic Multilingual Plane as evidence for text, whatever the language.

The table is made by `python -m charlens.training.characters`; this module only loads it, once. UTF-16, UTF-32 and
EBCDIC are recognised by it, and legacy text that is valid UTF-8 by chance.
"""

from __future__ import annotations

import os
import re
import zlib
from functools import lru_cache

_FILE = os.path.join(os.path.dirname(__file__), "characters.bin")


@lru_cache(maxsize=1)
def character_weights() -> bytes:
    """Return 65,536 signed bytes, in quarters of a bit."""
    with open(_FILE, "rb") as file:
        return zlib.decompress(file.read())


#: The bits that a letter next to one of another script costs, and what it costs between common letters of Latin, Greek
#: and Cyrillic. With 12 for the first, `bench/chance.py` recognises fewer legacy strings; with 16 for the second,
#: Macedonian 'сé' is no longer UTF-8.
_OTHER_SCRIPT, _RELATED_SCRIPT = 16.0, 4.0
_RELATED, _COMMON = (0, 3, 4), 0
#: A weight of 0 is that of a random unit of 16 bits.
_BITS_OF_UNIT = 16.0
_NON_ASCII = re.compile(r"[^\x00-\x7f]+")
_PHONETIC, _ACCENTS = range(0x250, 0x2E1), range(0x300, 0x362)
#: Primes and apostrophes.
_PRIMES = range(0x2B9, 0x2CD)
#: Scripts from Syriac on; ideographs; Korean syllables: our texts have few of them, or not all.
_IN_FEW_TEXTS = range(0x700, 0x3400), range(0x4E00, 0xA000), range(0xAC00, 0xD7A4)
#: The least weight of these where rare characters are accepted, and that of digits, primes, phonetic letters and
#: accents. Not measured: with these, single ones (`tests/test_unicode.py`) are not in doubt.
_LEAST_OF_FEW, _LEAST_OF_SINGLE = 8, 28


def likelihood(text: str, rare: bool = False) -> float:
    """Return how likely the non-ASCII characters of *text* are, in bits; what is next to them counts, too.

    Readings of the same bytes can be compared: '状态' in GBK is '״̬' in UTF-8, two rare marks. A capital counts as its
    small letter. With *rare*, characters that our texts have too few of are accepted.
    """
    weights = memoryview(character_weights()).cast("b")
    bits = 0.0
    for match in _NON_ASCII.finditer(text):
        # With the ASCII character on either side.
        start, end = match.span()
        piece = [text[start - 1 : start] or " ", *match.group(), text[end : end + 1] or " "]
        found = [_weight(character, weights) for character in piece]
        for at in range(1, len(piece) - 1):
            least = _least(*piece[at - 1 : at + 2]) if rare else found[at]
            bits += max(found[at], least) / 4 - _BITS_OF_UNIT
        for at in range(1, len(piece)):
            first, second = _script(piece[at - 1]), _script(piece[at])
            if first is not None and second is not None and first != second:
                related = first in _RELATED and second in _RELATED and min(found[at - 1 : at + 1]) >= _COMMON
                bits -= _RELATED_SCRIPT if related else _OTHER_SCRIPT
    return bits


def _weight(character: str, weights: memoryview[int]) -> int:
    points = map(ord, (character, character.lower()[0]))
    return max(weights[point if point < 0x10000 else 0xD800] for point in points)


def _least(before: str, character: str, after: str) -> int:
    """Return the least weight of a rare character, by its place: among capitals, a phonetic letter is chance."""
    point = ord(character)
    if character.isdecimal() or point in _PRIMES:
        return _LEAST_OF_SINGLE
    if point in _PHONETIC or (point in _ACCENTS and before.isalpha()):
        return -128 if before.isupper() or after.isupper() else _LEAST_OF_SINGLE
    return _LEAST_OF_FEW if any(point in each for each in _IN_FEW_TEXTS) else -128


def _script(character: str) -> int | None:
    """Return a number for the script of a letter or mark; none for accents and primes, which any script has.

    It is the block of 256 characters; the blocks of Latin, of Greek and of Cyrillic are one each, and so are all from
    U+0700 on.
    """
    from unicodedata import category  # here: rarely needed

    point = ord(character)
    if category(character)[0] not in "LM" or point in _ACCENTS or point in _PRIMES:
        return None
    block = point >> 8
    if block in (0x01, 0x02, 0x1E):
        return 0
    return 3 if block == 0x1F else 4 if point in range(0x500, 0x530) else min(block, 0x07)
