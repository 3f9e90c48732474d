"""Formats whose files are no plain text although all their bytes may look like it: PDF, RTF, PEM, uuencode …

`media_type` names the format by its first bytes; writers leave such files alone, because offsets, checksums or escapes
in them speak of the very bytes.  The facts are a table of our own.
"""

from __future__ import annotations

import re
from typing import NamedTuple


class Container(NamedTuple):
    """A format: its name, its media type, and how its files begin."""

    name: str
    media_type: str
    opens: re.Pattern[bytes]


def _row(name: str, media_type: str, opens: bytes) -> Container:
    return Container(name, media_type, re.compile(opens))


_LINE = rb"\r?\n"
_BASE64_LINE = rb"[A-Za-z0-9+/]{60,76}"

CONTAINERS = (
    _row("PDF", "application/pdf", rb"\s{0,8}%PDF-\d"),
    _row("PostScript", "application/postscript", rb"(?:\x04)?%!PS"),
    _row("PostScript", "application/postscript", rb"\xc5\xd0\xd3\xc6"),
    _row("RTF", "application/rtf", rb"\{\\rtf\d?"),
    _row("PEM", "application/x-pem-file", rb"\s{0,80}-----BEGIN [A-Z0-9 ]{1,60}-----\r?\n"),
    _row("uuencode", "text/x-uuencode", rb"begin(?:-base64)? [0-7]{3,4} [^\r\n]{1,255}\r?\n"),
    _row("yEnc", "application/x-yenc", rb"=ybegin [^\r\n]{1,400}\r?\n"),
    _row("BinHex", "application/mac-binhex40", rb"\(This file must be converted with BinHex"),
    # Two full lines and nothing but such lines: what is shorter can be a word.
    _row(
        "base64",
        "application/base64",
        _BASE64_LINE
        + rb"(?:"
        + _LINE
        + _BASE64_LINE
        + rb")+(?:"
        + _LINE
        + rb"[A-Za-z0-9+/]{1,75}={0,2})?\s*\Z",
    ),
    _row("Intel HEX", "application/x-ihex", rb"(?::[0-9A-Fa-f]{10,}\r?\n){2}"),
    _row("S-record", "application/x-srecord", rb"(?:S[0-9][0-9A-F]{6,}\r?\n){2}"),
    _row("tar", "application/x-tar", rb"(?s:.{257})ustar"),
    _row("ar", "application/x-archive", rb"!<arch>\n"),
    _row("ZIP", "application/zip", rb"PK\x03\x04"),
    _row("gzip", "application/gzip", rb"\x1f\x8b"),
    _row("PNG", "image/png", rb"\x89PNG\r\n\x1a\n"),
    _row("JPEG", "image/jpeg", rb"\xff\xd8\xff"),
    _row("GIF", "image/gif", rb"GIF8[79]a"),
    _row("XPM", "image/x-xpixmap", rb"/\* XPM \*/"),
    _row("Netpbm", "image/x-portable-anymap", rb"P[1-6]\s+(?:#[^\n]*\n\s*)*\d+\s+\d+\s"),
    _row("ELF", "application/x-elf", rb"\x7fELF"),
    _row("SQLite", "application/vnd.sqlite3", rb"SQLite format 3\x00"),
)

#: Bytes that are looked at: base64 is judged by what it begins with, which has to be nothing else.
_HEAD = 4096


def find_container(data: bytes | memoryview) -> Container | None:
    """Return the format that *data* is a file of, or ``None`` where it is plain text or nothing known."""
    head = bytes(data[:_HEAD])
    if len(data) > _HEAD:
        head = head[: head.rfind(b"\n") + 1] or head
    return next((row for row in CONTAINERS if row.opens.match(head)), None)


def media_type(data: bytes | memoryview) -> str | None:
    """Return the media type of the container format that *data* begins like, or ``None``."""
    found = find_container(data)
    return found.media_type if found else None
