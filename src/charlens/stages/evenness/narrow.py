"""Find text of one byte a character in what reads as UTF-16 or UTF-32.

Two letters of ASCII are one ideograph there, so nothing fails to decode in a log that one program wrote in UTF-16 and
another one not.  Other text gives characters that no text has.
"""

from __future__ import annotations

from charlens import kernel
from charlens.models.characters import character_weights
from charlens.patterns import Pattern
from charlens.source import SHAPES
from charlens.types import Buffer

#: One ideograph in five has two bytes like these, so that 12 of them hardly ever follow each other. Rules of '═', which
#: is 'P%', have fewer different bytes.
_NARROW = Pattern(rb"(?:[\t\n\r -~]|[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}){24,}")
#: Whether a byte can be part of the pattern: it is tried only where 24 such bytes follow each other.
_IN_NARROW = bytes(v in b"\t\n\r" or 0x20 <= v < 0x7F or 0x80 <= v < 0xF0 for v in range(256))
_RUN = b"\1" * 24
_LEAST_VALUES = 8

#: The bytes of a window, and the least mean weight of its characters. In texts of 195 languages, no window of 64
#: characters has less than -3; texts in 13 legacy encodings, read as UTF-16, have -11 at most.
_WINDOW = 128
_LEAST_WEIGHT = -7


def find_narrow(data: Buffer, encoding: str) -> int:
    """Return where text of one byte a character begins in what reads as *encoding*, UTF-16 or UTF-32; -1 if nowhere."""
    data = bytes(data)
    found = _find_ascii(data)
    return found if found >= 0 else _find_unlikely(data, encoding)


def _find_unlikely(data: bytes, encoding: str) -> int:
    """Return the first window whose characters no text has; -1 if there is none."""
    weights = character_weights()
    for start in range(0, len(data) - _WINDOW + 1, _WINDOW):
        characters, weight, _, faults, _ = kernel.weigh(data[start : start + _WINDOW], *SHAPES[encoding], weights)
        if 2 * faults > characters or weight < _LEAST_WEIGHT * characters:
            return start
    return -1


def _find_ascii(data: bytes) -> int:
    """Return the first run of ASCII or UTF-8; -1 if there is none."""
    classes = data.translate(_IN_NARROW)
    start = classes.find(_RUN)
    while start >= 0:
        end = classes.find(b"\0", start)
        end = len(data) if end < 0 else end
        match = _NARROW.search(data, start, end)
        if match and len(set(match[0])) >= _LEAST_VALUES:
            return int(match.start())
        start = classes.find(_RUN, end)
    return -1
