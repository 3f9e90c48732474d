"""The media type and charset of some bytes, in the terms of `file --mime` and python-magic.

Text is 'text/plain', and pages are 'text/html' or 'text/xml' if they declare it; binary files are recognised by
their first bytes.  The names of charsets are those of the IANA registry, in lower case.
"""

from __future__ import annotations

import re

from charlens.compat.tables import table
from charlens.encodings import lookup
from charlens.stages.declarations.claims import charsets_of
from charlens.types import Buffer, Outcome, Verdict

#: The declarations that give a text another type than plain.
_DECLARING = {"meta": "text/html", "xml": "text/xml", "python": "text/x-python", "css": "text/css"}
_UNKNOWN = "application/octet-stream"
_ZIP = "application/zip"
_MEDIA_TYPE = re.compile(rb"[a-z]+/[\w.+-]{1,100}")
#: The name of the format is at this offset in an archive of tar.
_TAR_AT = 257
#: Bytes in which the names of the first entries of an archive are looked for.
_MOST_OF_ZIP = 4096
_CHARSETS = {"ascii": "us-ascii", "utf-16-le": "utf-16le", "utf-16-be": "utf-16be"}


def media_type(data: Buffer, verdict: Verdict) -> str:
    """Return the media type of *data*, whose *verdict* is known."""
    if verdict.media_type and verdict.media_type != _ZIP:
        return verdict.media_type
    if verdict.outcome is Outcome.BINARY:
        return binary_type(data)
    if not len(data):
        return "inode/x-empty"
    kinds = (_DECLARING[each.source] for each in charsets_of(verdict) if each.source in _DECLARING)
    return next(kinds, "text/plain")


def binary_type(data: Buffer) -> str:
    """Return the media type of a binary file by its first bytes."""
    head = bytes(data[:_MOST_OF_ZIP])
    if head[:4] == b"RIFF":
        return str(table("magic_riff").get(head[8:12].decode("latin-1"), _UNKNOWN))
    if head[4:8] == b"ftyp":
        return "video/mp4"
    if head[_TAR_AT : _TAR_AT + 5] == b"ustar":
        return "application/x-tar"
    opening = head[:16].hex()
    found: str = next((mime for start, mime in table("magic") if opening.startswith(start)), _UNKNOWN)
    return _zip_type(head) or _ZIP if found == _ZIP else found


def _zip_type(head: bytes) -> str | None:
    """Return the type of a document that is an archive: its first entry says it, or a folder in it is typical."""
    if head[30:38] == b"mimetype":  # not compressed, in OpenDocument and EPUB
        start = 38 + int.from_bytes(head[28:30], "little")
        said = head[start : start + int.from_bytes(head[22:26], "little")]
        return said.decode("ascii") if _MEDIA_TYPE.fullmatch(said) else None
    # The name of an entry is 26 bytes behind the end of its signature.
    names = [entry.end() + 26 for entry in re.finditer(rb"PK\x03\x04", head)]
    kinds = table("magic_zip").items()
    return next(
        (mime for start, mime in kinds if any(head.startswith(start.encode(), at) for at in names)), None
    )


def charset(verdict: Verdict) -> str:
    """Return the charset as `file` names it: 'us-ascii', 'utf-8', 'koi8-r', 'binary', 'unknown-8bit'."""
    if verdict.encoding is None:
        return "unknown-8bit" if verdict.outcome is Outcome.UNDECIDED and verdict.alternatives else "binary"
    known = lookup(verdict.encoding)
    name = (verdict.web_name or (known.iana if known else None) or verdict.encoding).lower()
    return _CHARSETS.get(verdict.encoding, name)


def mime(data: Buffer, verdict: Verdict) -> str:
    """Return both as in an HTTP header: 'text/plain; charset=utf-8'."""
    kind = media_type(data, verdict)
    return f"{kind}; charset={charset(verdict) if kind.startswith('text/') else 'binary'}"
