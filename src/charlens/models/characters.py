"""The weight of each character of the Basic Multilingual Plane as evidence for text, whatever the language.

The table is made by `python -m charlens.training.characters`; this module only loads it, once. UTF-16, UTF-32 and
EBCDIC are recognised by it, and legacy text that is valid UTF-8 by chance.
"""

from __future__ import annotations

import os
import zlib
from functools import lru_cache

_FILE = os.path.join(os.path.dirname(__file__), "characters.bin")


@lru_cache(maxsize=1)
def character_weights() -> bytes:
    """Return 65,536 signed bytes, in quarters of a bit."""
    with open(_FILE, "rb") as file:
        return zlib.decompress(file.read())


#: The bits that a letter next to one of another script costs. With 20, Macedonian 'сé' is no longer UTF-8; with 12, 7 %
#: fewer legacy strings are recognised (`bench/chance.py`).
_OTHER_SCRIPT = 16.0
_ACCENTS = range(0x300, 0x370)
#: Primes and apostrophes; scripts from Syriac on; ideographs; Korean syllables.
_IN_FEW_TEXTS = range(0x2B9, 0x2CD), range(0x700, 0x3400), range(0x4E00, 0xA000), range(0xAC00, 0xD7A4)
#: A weight of 0 is that of a random unit of 16 bits.
_BITS_OF_UNIT = 16.0


def likelihood(text: str, least: int = -128) -> float:
    """Return the logarithm of the probability of the non-ASCII characters of *text*, in bits.

    Readings of the same bytes can be compared: '状态' in GBK is '״̬' in UTF-8, two rare marks. A capital counts as its
    small letter. Characters of which our texts have few, or not all, weigh at least *least*.
    """
    weights = memoryview(character_weights()).cast("b")
    bits = 0.0
    before = None
    for character in text:
        point = ord(character)
        if point >= 0x80:
            small = ord(character.lower()[0])
            weight = max(weights[each if each < 0x10000 else 0xD800] for each in (point, small))
            bits += max(weight, least if any(point in each for each in _IN_FEW_TEXTS) else weight) / 4 - _BITS_OF_UNIT
        script = _script(character)
        if script is not None and before not in (None, script):
            bits -= _OTHER_SCRIPT
        before = script
    return bits


def _script(character: str) -> int | None:
    """Return a number for the script of a letter or mark; none for accents and primes, which any script has.

    It is the block of 256 characters; the blocks of Latin and of Greek are one each, and so are all from U+0700 on.
    """
    from unicodedata import category  # here: rarely needed

    point, kind = ord(character), category(character)
    if kind[0] not in "LM" or kind == "Lm" or point in _ACCENTS:
        return None
    block = point >> 8
    if block in (0x01, 0x02, 0x1E):
        return 0
    return 3 if block == 0x1F else min(block, 0x07)
