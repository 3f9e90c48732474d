"""A codec for EUC-TW, the Unix form of CNS 11643, which Python does not have.

ASCII is unchanged; two bytes of A1 to FE are a character of plane 1; 8E, a byte for the plane, and two more bytes
are a character of any plane.  The characters are in `euctw.bin`, which `euctw_table` makes; it is read when first
needed.  `charlens.encodings` registers the codec without loading this module.
"""

from __future__ import annotations

import codecs
import os
import re
import zlib
from functools import lru_cache

FILE = os.path.join(os.path.dirname(__file__), "euctw.bin")
#: Rows and columns of a plane, and the bytes for the planes.
SIDE = 94
FIRST, LAST = 0xA1, 0xFE
LEAD = 0x8E
#: Bytes of one code point in the file; 0 is not a character.
WIDTH = 3

_RUN = re.compile(rb"[\x00-\x7f]+|[\xa1-\xfe]{2}|\x8e[\xa1-\xb0][\xa1-\xfe]{2}")
#: An incomplete character.
_BEGUN = re.compile(rb"[\xa1-\xfe]|\x8e(?:[\xa1-\xb0][\xa1-\xfe]?)?")


@lru_cache(maxsize=1)
def _readings() -> dict[bytes, str]:
    """Return every sequence of more than one byte with its character."""
    with open(FILE, "rb") as file:
        body = zlib.decompress(file.read())
    count = body[0]
    planes, cells = body[1 : 1 + count], body[1 + count :]
    readings: dict[bytes, str] = {}
    for index, plane in enumerate(planes):
        for cell in range(SIDE * SIDE):
            at = WIDTH * (index * SIDE * SIDE + cell)
            point = int.from_bytes(cells[at : at + WIDTH], "big")
            if point:
                pair = bytes([FIRST + cell // SIDE, FIRST + cell % SIDE])
                readings[bytes([LEAD, plane]) + pair] = chr(point)
                if plane == FIRST:
                    readings[pair] = chr(point)
    return readings


@lru_cache(maxsize=1)
def _spellings() -> dict[str, bytes]:
    """Return the bytes of every character: the shortest, and of those the first plane's."""
    spellings: dict[str, bytes] = {chr(value): bytes([value]) for value in range(0x80)}
    for sequence, character in sorted(_readings().items(), key=lambda item: (len(item[0]), item[0])):
        spellings.setdefault(character, sequence)
    return spellings


def decode(data: bytes | bytearray | memoryview, errors: str = "strict", final: bool = True) -> tuple[str, int]:
    """Return the text of *data* and the number of bytes used; without *final*, an incomplete character is kept."""
    data = bytes(data)
    readings = _readings()
    parts: list[str] = []
    at = 0
    while at < len(data):
        match = _RUN.match(data, at)
        found = match.group() if match else b""
        text = found.decode("ascii") if found.isascii() else readings.get(found)
        if found and text is not None:
            parts.append(text)
            at += len(found)
            continue
        begun = _BEGUN.fullmatch(data, at)
        if begun and not final:
            break
        end, why = _fault(data, at, bool(begun))
        error = UnicodeDecodeError("euc_tw", data, at, end, why)
        replacement, at = codecs.lookup_error(errors)(error)
        if at < 0:
            at += len(data)
        if not 0 <= at <= len(data):
            raise IndexError(f"position {at} from error handler out of bounds")
        parts.append(str(replacement))
    return "".join(parts), at


def _fault(data: bytes, at: int, begun: bool) -> tuple[int, str]:
    """Return the end of the error at *at*, and the reason; ASCII after a lead byte is not part of it."""
    if begun:
        return len(data), "incomplete multibyte sequence"
    match = _RUN.match(data, at)
    if match:
        return match.end(), "no character of CNS 11643"
    begin = _BEGUN.match(data, at)
    return (begin.end() if begin else at + 1), "illegal multibyte sequence"


def encode(text: str, errors: str = "strict") -> tuple[bytes, int]:
    """Return the bytes of *text* and its length."""
    spellings = _spellings()
    try:
        return b"".join([spellings[character] for character in text]), len(text)
    except KeyError:
        pass
    parts: list[bytes] = []
    at = 0
    while at < len(text):
        sequence = spellings.get(text[at])
        if sequence is None:
            error = UnicodeEncodeError("euc_tw", text, at, at + 1, "no character of CNS 11643")
            replacement, at = codecs.lookup_error(errors)(error)
            parts.append(replacement if isinstance(replacement, bytes) else encode(replacement)[0])
            continue
        parts.append(sequence)
        at += 1
    return b"".join(parts), len(text)


class _IncrementalDecoder(codecs.BufferedIncrementalDecoder):
    def _buffer_decode(self, input: bytes, errors: str, final: bool) -> tuple[str, int]:  # type: ignore[override]
        return decode(input, errors, final)


class _IncrementalEncoder(codecs.IncrementalEncoder):
    def encode(self, input: str, final: bool = False) -> bytes:
        return encode(input, self.errors)[0]


class _StreamWriter(codecs.StreamWriter):
    def encode(self, input: str, errors: str = "strict") -> tuple[bytes, int]:
        return encode(input, errors)


class _StreamReader(codecs.StreamReader):
    def decode(self, input: bytes, errors: str = "strict") -> tuple[str, int]:
        return decode(input, errors, False)


def codec() -> codecs.CodecInfo:
    """Return what `codecs.lookup` gives."""
    return codecs.CodecInfo(
        encode,
        decode,  # type: ignore[arg-type]  # any buffer: collections.abc.Buffer is of Python 3.12
        streamreader=_StreamReader,
        streamwriter=_StreamWriter,
        incrementalencoder=_IncrementalEncoder,
        incrementaldecoder=_IncrementalDecoder,
        name="euc_tw",
    )
