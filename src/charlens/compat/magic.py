"""The interface of python-magic, for encodings: `from_buffer`, `from_file`, `Magic`.

The encoding of a text is detected by charlens.  Only the most common binary formats have names; the others are
'application/octet-stream' and 'data'.  For those, use the original.
"""

from __future__ import annotations

import os

from charlens.api import detect
from charlens.compat.media import charset, media_type, mime
from charlens.encodings import lookup
from charlens.inputs.paths import open_bytes
from charlens.types import Buffer, Outcome, Verdict

__all__ = ["Magic", "MagicException", "from_buffer", "from_descriptor", "from_file"]


class MagicException(Exception):
    """The exception of python-magic; never raised here."""


class Magic:
    """Returns a description, a media type (*mime*), a charset (*mime_encoding*), or both."""

    def __init__(self, mime: bool = False, mime_encoding: bool = False, **_: object) -> None:
        self._mime = mime
        self._charset = mime_encoding

    def from_buffer(self, buf: Buffer | bytearray | str) -> str:
        """Describe the bytes *buf*; a str counts as UTF-8."""
        data = buf.encode() if isinstance(buf, str) else bytes(buf)
        return self._words(data, detect(data))

    def from_file(self, filename: str | os.PathLike[str]) -> str:
        """Describe the file."""
        with open_bytes(filename) as data:
            return self._words(data, detect(data))

    def from_descriptor(self, fd: int) -> str:
        """Describe the rest of an open file."""
        with open(fd, "rb", closefd=False) as file:
            return self.from_buffer(file.read())

    def _words(self, data: Buffer, verdict: Verdict) -> str:
        if self._mime and self._charset:
            return mime(data, verdict)
        if self._mime:
            return media_type(data, verdict)
        if self._charset:
            return charset(verdict)
        return describe(data, verdict)


def from_buffer(buffer: Buffer | bytearray | str, mime: bool = False) -> str:
    """Describe the bytes, by a media type if *mime*."""
    return Magic(mime).from_buffer(buffer)


def from_file(filename: str | os.PathLike[str], mime: bool = False) -> str:
    """Describe the file, by a media type if *mime*."""
    return Magic(mime).from_file(filename)


def from_descriptor(fd: int, mime: bool = False) -> str:
    """Describe an open file, by a media type if *mime*."""
    return Magic(mime).from_descriptor(fd)


def describe(data: Buffer, verdict: Verdict) -> str:
    """Return a description like that of `file`: 'ASCII text', 'Unicode text, UTF-8 text', 'KOI8-R text', 'data'."""
    if not len(data):
        return "empty"
    if verdict.encoding is None:
        return "data" if verdict.outcome is Outcome.BINARY else "Non-ISO extended-ASCII text"
    if verdict.encoding == "ascii":
        return "ASCII text"
    if verdict.encoding.startswith("utf-"):
        mark = " (with BOM)" if verdict.bom else ""
        return f"Unicode text, {charset(verdict).upper()}{mark} text"
    known = lookup(verdict.encoding)
    return f"{(known.iana if known else None) or verdict.encoding} text"
