"""Recognise formats whose files are not plain text although their bytes may look like it: PDF, RTF, PEM, uuencode …

The first two bytes say which rows of the table to try; most text is excluded by its first byte.  The commands that
write do not change such files, because offsets, lengths, checksums or escapes in them refer to the bytes.  The table
is our own; SVG, HTML and source code are text and not in it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from charlens.findings import Container
from charlens.types import Buffer

#: The first two bytes, the pattern, and the format. Patterns are compiled when they are needed: all of them take 3 ms.
_Row = tuple[bytes, bytes, Container]


def _row(name: str, media_type: str, first: bytes, rest: bytes = b"", *, binary: bool = False) -> _Row:
    return first, b"(?s)" + re.escape(first) + rest, Container(name, media_type, binary)


_LINE = rb"[^\r\n]{1,255}\r?\n"
_FIELD = rb"[!-9;-~]{1,100}:[^\r\n]*\r?\n"
_PEM = rb"---BEGIN [A-Z0-9 ]{1,60}-----\r?\n"
#: A blank line may come before these two.
_BLANK = (b"\n%", b"\n-", b"\r\n", b"\n\n")

#: Each row: the first two bytes, and how the file continues.
_ROWS = (
    _row("PDF", "application/pdf", b"%P", rb"DF-\d", binary=True),
    _row("PostScript", "application/postscript", b"%!", b"PS"),
    _row("PostScript", "application/postscript", b"\x04%", b"!PS"),
    _row("PostScript", "application/postscript", b"\xc5\xd0", rb"\xd3\xc6", binary=True),
    _row("RTF", "application/rtf", b"{\\", b"rtf"),
    _row("PEM", "application/x-pem-file", b"--", _PEM),
    *(
        _row("PDF", "application/pdf", blank, rb"(?<=%)PDF-\d|\s{0,80}%PDF-\d", binary=True)
        for blank in _BLANK
    ),
    *(_row("PEM", "application/x-pem-file", blank, rb"\s{0,80}-{4,5}BEGIN" + _PEM[8:]) for blank in _BLANK),
    _row("uuencode", "text/x-uuencode", b"be", rb"gin(?:-base64)? [0-7]{3,4} " + _LINE),
    _row("yEnc", "application/x-yenc", b"=y", b"begin " + _LINE, binary=True),
    _row("BinHex", "application/mac-binhex40", b"(T", b"his file must be converted with BinHex"),
    *(
        _row(
            "Intel HEX", "application/x-ihex", b":%X" % digit, rb"[0-9A-Fa-f]{9,}\r?\n:[0-9A-Fa-f]{10,}\r?\n"
        )
        for digit in range(16)
    ),
    *(
        _row(
            "S-record", "application/x-srecord", b"S%d" % digit, rb"[0-9A-F]{6,}\r?\nS[0-9][0-9A-F]{6,}\r?\n"
        )
        for digit in range(10)
    ),
    _row("ar", "application/x-archive", b"!<", rb"arch>\n", binary=True),
    _row("ZIP", "application/zip", b"PK", rb"\x03\x04", binary=True),
    _row("gzip", "application/gzip", b"\x1f\x8b", rb"\x08", binary=True),
    *(
        _row(kind.strip().decode(), media_type, b"RI", rb"FF.{4}" + kind, binary=True)
        for kind, media_type in ((b"WAVE", "audio/wav"), (b"WEBP", "image/webp"), (b"AVI ", "video/x-msvideo"))
    ),
    _row("PNG", "image/png", b"\x89P", rb"NG\r\n\x1a\n", binary=True),
    _row("JPEG", "image/jpeg", b"\xff\xd8", rb"\xff", binary=True),
    _row("GIF", "image/gif", b"GI", rb"F8[79]a", binary=True),
    _row("BMP", "image/bmp", b"BM", rb".{4}\x00{4}", binary=True),
    _row("XPM", "image/x-xpixmap", b"/*", rb" XPM \*/"),
    *(
        _row(
            "Netpbm",
            "image/x-portable-anymap",
            b"P%d" % kind,
            rb"\s+(?:#[^\n]*\n\s*)*\d+\s+\d+\s",
            binary=kind > 3,
        )
        for kind in range(1, 7)
    ),
    # Text that counts its own bytes.
    _row("WARC", "application/warc", b"WA", rb"RC/\d\.\d+\r?\n"),
    _row("HTTP response", "application/http", b"HT", rb"TP/\d(?:\.\d)? \d{3}\b[^\r\n]{0,200}\r?\n" + _FIELD),
    _row("Subversion dump", "application/x-svndump", b"SV", rb"N-fs-dump-format-version: \d"),
    *(
        _row("Git stream", "application/x-git-fast-import", first, rest)
        for first, rest in (
            (b"bl", rb"ob\r?\n(?:mark :\d+\n)?(?:original-oid [0-9a-f]+\n)?data \d+\n"),
            (b"fe", rb"ature done\n"),
            (b"re", rb"set refs/[!-~]+\n(?:from [!-~]+\n)?\n?(?:blob|commit refs/[!-~]+|reset refs/[!-~]+)\n"),
            (b"co", rb"mmit refs/[!-~]+\n(?:mark :|author |committer |original-oid )"),
        )
    ),
    _row("PHP serialize", "application/vnd.php.serialized", b"a:", rb"\d+:\{(?:[is]:\d+|\})"),
    _row("PHP serialize", "application/vnd.php.serialized", b"s:", rb'\d+:"'),
    _row("PHP serialize", "application/vnd.php.serialized", b"O:", rb'\d+:"[\w\\]+":\d+:\{'),
    *(
        _row("torrent", "application/x-bittorrent", key[:2], re.escape(key[2:]))
        for key in (b"d8:announce", b"d13:announce-list", b"d7:comment", b"d10:created by", b"d4:infod")
    ),
    _row("ELF", "application/x-elf", b"\x7fE", b"LF", binary=True),
    _row("SQLite", "application/vnd.sqlite3", b"SQ", rb"Lite format 3\x00", binary=True),
)
_BY_START: dict[bytes, list[_Row]] = {}
for _each in _ROWS:
    _BY_START.setdefault(_each[0], []).append(_each)
#: The first two bytes of all formats in the table.
STARTS = tuple(_BY_START)
#: Base64: only its alphabet and line endings in the whole file, and two full lines; shorter text can be a word.
_BASE64_BYTES = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=\r\n"
NOT_BASE64 = sum(1 << byte for byte in range(256) if byte not in _BASE64_BYTES)
_BASE64_LINES = rb"([A-Za-z0-9+/]{60,76}\r?\n){2}"
LEAST_BASE64 = 122
_BASE64 = Container("base64", "application/base64")
#: Formats with NULs that begin with anything: tar has its name after 257 bytes, compiled Python a line ending after the
#: number of its version. Of 34,510 compiled files of Python (`charlens scan`), 10 with long docstrings were taken for
#: text.
_WITH_NULS = (
    (b"", rb"(?s).{257}ustar", Container("tar", "application/x-tar", True)),
    (b"", rb"(?s)..\r\n[\0-\3]\0\0\0", Container("Python bytecode", "application/x-python-code", True)),
)


def find_container(head: Buffer, seen: int) -> Container | None:
    """Return the format of a file by its first bytes *head*; *seen* are the byte values of the whole file."""
    rows = _BY_START.get(bytes(head[:2]))
    if rows is None and (len(head) < LEAST_BASE64 or (seen & NOT_BASE64 and not seen & 1)):
        return None
    found = _first_match(rows or (), head)
    if found is None and not seen & NOT_BASE64 and re.match(_BASE64_LINES, head):
        return _BASE64
    return _first_match(_WITH_NULS, head) if found is None and seen & 1 else found


def _first_match(rows: Sequence[_Row], head: Buffer) -> Container | None:
    return next((container for _, pattern, container in rows if re.match(pattern, head)), None)
