"""Bytes that do not decode: in the text of a document they are U+DC00 + byte, and they come back on saving."""

from __future__ import annotations

import codecs
import re

from charlens.errors import UnencodableError
from charlens.files.line_ends import Line

#: The error handler for decoding.
KEEP = "charlens-keep"
#: Such bytes, in a text.
KEPT = re.compile("([\udc00-\udcff]+)")


def _keep(error: UnicodeError) -> tuple[str, int]:
    """Keep bytes that do not decode as U+DC00 + byte; unlike 'surrogateescape', this works for all 256 values."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return "".join(chr(0xDC00 + byte) for byte in error.object[error.start : error.end]), error.end


codecs.register_error(KEEP, _keep)


def encode_kept(text: str, encoding: str, errors: str) -> bytes:
    """Encode *text* and restore kept bytes; raise an error that names a character the encoding cannot represent."""
    pieces = KEPT.split(text)
    out = []
    done = 0
    for index, piece in enumerate(pieces):
        if index % 2:
            out.append(bytes(ord(character) - 0xDC00 for character in piece))
        else:
            try:
                out.append(piece.encode(encoding, errors))
            except UnicodeEncodeError as error:
                at = done + error.start
                before = Line.place(text, at)
                raise UnencodableError(text[at], before.line, before.column, encoding) from None
        done += len(piece)
    return b"".join(out)
