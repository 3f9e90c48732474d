"""The characters of each encoding, and which encodings give the same text for some bytes.

Often the encoding is not unique: a page in ISO 8859-1 is, byte for byte, also
windows-1252.  Whether two encodings give the same text can be decided, and for single-byte encodings
it needs only the set of byte values that occur, as a mask: bit *n* for byte value *n*.

The code points are in `single_byte.bin`, made by `generate` and read on first use.  It has
a row for multi-byte encodings too, with the bytes that are characters alone (in cp932 ASCII and
half-width katakana).  UTF-16 and UTF-32 have none.  The structure stage checks multi-byte sequences.
"""

from __future__ import annotations

import os
import sys
from array import array
from functools import cache, lru_cache, reduce
from operator import and_, or_

from charlens.encodings import canonical
from charlens.encodings._table import ODD_ASCII, ROWS
from charlens.kernel.facts import UNDEFINED as UNDEFINED

_ALL_BYTES = (1 << 256) - 1
_FIRST_BEYOND_ASCII = 1 << 128
_LANES = 512  # bytes in a row of the file: 256 numbers of two bytes
_ALL_UNDEFINED = (1 << 8 * _LANES) - 1
#: The encodings with a row in the file, in its order: all but UTF-16 and UTF-32.
MAPPED = tuple(row[0] for row in ROWS if row[3] != "utf" or row[0] == "utf-8")
_PLACES = {name: place for place, name in enumerate(MAPPED)}
_ONE_BYTE = frozenset(row[0] for row in ROWS if row[3] in ("ascii", "single", "ebcdic"))
_EBCDIC = frozenset(row[0] for row in ROWS if row[3] == "ebcdic")

#: ASCII bytes with another meaning in at least one encoding other than EBCDIC ('%', '+', '\\', '~', ESC ...).
ODD_SOMEWHERE = reduce(or_, (odd for name, odd in ODD_ASCII.items() if name not in _EBCDIC))
#: ASCII bytes with another meaning in every EBCDIC: nearly all.
ODD_IN_EBCDIC = reduce(and_, (ODD_ASCII[name] for name in _EBCDIC))

#: Translates each byte to '1', or '0' if it is zero.
_TO_DIGIT = b"0" + b"1" * 255


def single_byte_map(name: str) -> memoryview:
    """Return the 256 code points of a single-byte encoding, `UNDEFINED` if a byte has none."""
    _require_one_byte(name)
    return characters_of(name)


def defined_mask(name: str) -> int:
    """Return the byte values that the single-byte encoding *name* defines, as a mask."""
    _require_one_byte(name)
    return _defined(name)


def same_text(seen: int, name: str) -> tuple[str, ...]:
    """Return the other encodings that give the same text as *name*, in the order of `rank`.

    *seen* is the mask of the byte values that occur, and *name* an encoding that decodes them.  An
    encoding in which one of them is undefined is not in the result.  The result is never wrong, but it can
    be incomplete, because only byte values are known: an encoding with shifts is left out as soon as a byte
    occurs that could shift (ESC in a coloured log shifts nothing); and for a multi-byte *name* the
    result is () as soon as there is a byte that is no character alone.
    """
    if seen < _FIRST_BEYOND_ASCII and seen & ODD_IN_EBCDIC and not seen & ODD_ASCII.get(name, 0):
        return _same_as_ascii(seen & ODD_SOMEWHERE, name)
    return tuple(other for other, difference in differences(name) if not seen & difference)


@lru_cache(maxsize=1024)  # a few thousand pairs are possible; a few dozen occur
def _same_as_ascii(odd: int, name: str) -> tuple[str, ...]:
    """Return the encodings that give the same text as *name* for ASCII with the special bytes *odd*."""
    if not _is_mapped(name):
        return ()
    return tuple(
        other
        for other in MAPPED
        if other != name and other not in _EBCDIC and not odd & ODD_ASCII.get(other, 0)
    )


@cache
def differences(name: str) -> tuple[tuple[str, int], ...]:
    """Return every other encoding with the byte values whose meaning differs from *name*."""
    if not _is_mapped(name):
        return ()
    return tuple((other, difference_mask(name, other)) for other in MAPPED if other != name)


def difference_mask(name: str, other: str) -> int:
    """Return the byte values that are undefined in *name* or differ in *other*, as a mask."""
    return _nonzero(_lanes(name) ^ _lanes(other)) | (_ALL_BYTES ^ _defined(name))


def _is_mapped(name: str) -> bool:
    """Whether *name* has a row in the file; UTF-16 and UTF-32 have none."""
    if name not in _PLACES and canonical(name) != name:
        raise ValueError(f"{name!r} is a label; ask by the name, which is {canonical(name)!r}")
    return name in _PLACES


def _require_one_byte(name: str) -> None:
    if name not in _ONE_BYTE:
        _is_mapped(name)
        raise ValueError(f"{name!r} is not a single-byte encoding, so it has no map")


def _defined(name: str) -> int:
    return _nonzero(_lanes(name) ^ _ALL_UNDEFINED)


def _nonzero(lanes: int) -> int:
    """Return the mask of the 16-bit lanes that are not zero; in C throughout, 3 µs instead of 30."""
    row = lanes.to_bytes(_LANES, "little")
    either = int.from_bytes(row[::2], "little") | int.from_bytes(row[1::2], "little")
    return int(either.to_bytes(256, "big").translate(_TO_DIGIT), 2)


def _lanes(name: str) -> int:
    """Return the row of *name* as one number, byte value 0 lowest."""
    start = _LANES * _PLACES[name]
    return int.from_bytes(_file()[start : start + _LANES], "little")


@cache
def characters_of(name: str) -> memoryview:
    """Return the 256 code points of an encoding in `MAPPED`, of a multi-byte one for bytes that stand alone."""
    start = _LANES * _PLACES[name]
    points = array("H", _file()[start : start + _LANES])
    if sys.byteorder == "big":
        points.byteswap()
    return memoryview(points).toreadonly()


@cache
def _file() -> bytes:
    # Without pathlib, whose import takes 4 ms.
    with open(os.path.join(os.path.dirname(__file__), "single_byte.bin"), "rb") as file:
        return file.read()
