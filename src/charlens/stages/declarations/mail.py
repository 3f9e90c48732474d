"""The parts of a mail, or of an mbox: charsets that describe bytes in the file, pages of HTML, and signatures.

A part in quoted-printable or base64 is ASCII, and its charset describes the decoded content: such a declaration is
true in whatever encoding the file is saved.  Only parts with non-ASCII characters count.
"""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from charlens.patterns import Pattern
from charlens.stages.declarations.places import Found, found

_OPENS = Pattern(r"(?:From [^\r\n]+\r?\n)?(?:[!-9;-~]{1,60}:[ \t][^\r\n]*(?:\r?\n[ \t][^\r\n]*)*\r?\n)+")
_TYPE = Pattern(r"^content-type:[^\r\n]*(?:\r?\n[ \t][^\r\n]*)*", re.IGNORECASE | re.MULTILINE)
_MEDIA = Pattern(r"content-type:\s*(?P<name>[\w.+-]+/[\w.+-]+)", re.IGNORECASE)
#: Also with a language, as in RFC 2231: charset*=us-ascii'en'koi8-r
_CHARSET = Pattern(r"""\bcharset(?:\s*=\s*["']?|\*\s*=\s*[\w.-]*'[\w-]*')(?P<name>[\w.:-]+)""", re.IGNORECASE)
_CHARSET_PIECE = Pattern(r"""\bcharset\*\d+\*?\s*=\s*"?(?P<name>[\w.:'-]+)""", re.IGNORECASE)
_IN_PIECES = "the name is in pieces (RFC 2231); write it in one piece first"
_RAW = "the body is quoted-printable or base64, but has other bytes, too; encode them first, or leave it as it is"
_BOUNDARY = Pattern(r"""\bboundary\s*=\s*(?:"([^"\r\n]{1,70})"|([^\s;]{1,70}))""", re.IGNORECASE)
_ENCODED = Pattern(r"^content-transfer-encoding:\s*(?:quoted-printable|base64)", re.IGNORECASE | re.MULTILINE)
_SEVEN_BIT = Pattern(r"^content-transfer-encoding:\s*(?P<name>7bit)\b", re.IGNORECASE | re.MULTILINE)
_NO_HEADER = Pattern(r"\r?\n")
_BLANK = Pattern(r"\r?\n\r?\n")
_FROM = Pattern(r"^From [^\r\n]+\r?\n(?=[!-9;-~]{1,60}:[ \t])", re.MULTILINE)
_SIGNATURE = Pattern(
    r"^(?P<name>dkim-signature|domainkey-signature|arc-message-signature|content-md5):",
    re.IGNORECASE | re.MULTILINE,
)
#: The number of bytes of a message, in some mailboxes.
_LENGTH = Pattern(r"^content-length:[ \t]*\d", re.IGNORECASE | re.MULTILINE)
_CLEAR_SIGNED = "\n-----BEGIN PGP SIGNED MESSAGE-----"
#: Levels of parts within parts; mail programs make five at most.
_DEEPEST = 20


class Part(NamedTuple):
    """A part of a mail: its header, its body, and the place of its Content-Type; parts within it follow."""

    start: int
    header_end: int
    body: int
    end: int
    #: The place of the Content-Type, or of nothing.
    declared: tuple[int, int]
    #: Such as 'text/html', in lower case.
    media_type: str
    #: Whether it has no parts of its own.
    is_leaf: bool


def mail_charsets(text: str) -> Iterator[Found]:
    """Yield each charset declared by a part with non-ASCII characters."""
    for part in _parts(text):
        if not part.is_leaf or text[part.body : part.end].isascii():
            continue
        charset = _CHARSET.search(text, *part.declared)
        if charset and _ENCODED.search(text, part.start, part.header_end):
            yield found(charset)._replace(refusal=_RAW)
            continue
        pieces = [*_CHARSET_PIECE.finditer(text, *part.declared)]
        if charset:
            yield found(charset)
        elif pieces:
            label = "".join(piece["name"] for piece in pieces).rpartition("'")[2]
            yield Found(pieces[0].start("name"), pieces[-1].end("name"), label, _IN_PIECES)


def seven_bit_parts(text: str) -> Iterator[Found]:
    """Yield each '7bit' of a part with non-ASCII characters, which is wrong in an encoding of eight bits."""
    for part in _parts(text):
        transfer = _SEVEN_BIT.search(text, part.start, part.header_end)
        if transfer and not text[part.body : part.end].isascii():
            yield found(transfer)


def declared_bodies(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield the place of each body with non-ASCII characters, and its charset or ""."""
    for part in _plain_parts(text):
        charset = _CHARSET.search(text, *part.declared)
        yield part.body, part.end, charset["name"] if charset else ""


def mail_pages(text: str, language: str) -> Iterator[tuple[int, int]]:
    """Yield the place of each page with non-ASCII characters whose media type has the word *language*."""
    for part in _plain_parts(text):
        if language in part.media_type:
            yield part.body, part.end


def mail_charset(header: str) -> tuple[str, int] | None:
    """Return the charset that *header* declares for the mail, and the place of its Content-Type, or ``None``."""
    declared = _TYPE.search(header)
    charset = _CHARSET.search(header, declared.start(), declared.end()) if declared else None
    return (charset["name"], declared.start() + len("content-type:")) if declared and charset else None


def find_signature(text: str) -> str | None:
    """Return what signs non-ASCII characters in a mail, such as 'DKIM-Signature', or ``None``."""
    for part in _parts(text):
        header = _SIGNATURE.search(text, part.start, part.header_end)
        if header and not text[part.start : part.end].isascii():
            return str(header["name"])
        if part.media_type == "multipart/signed" and not text[part.body : part.end].isascii():
            return part.media_type
        at = text.find(_CLEAR_SIGNED, part.header_end, part.end) if part.is_leaf else -1
        if at >= 0 and not text[at : part.end].isascii():
            return "PGP"
    return None


def counts_bytes(text: str, *, ascii_too: bool = False) -> bool:
    """Whether a part of a mail with non-ASCII characters, or with *ascii_too* any part, has a Content-Length."""
    return any(
        _LENGTH.search(text, part.start, part.header_end)
        and (ascii_too or not text[part.body : part.end].isascii())
        for part in _parts(text)
    )


def _plain_parts(text: str) -> Iterator[Part]:
    for part in _parts(text):
        is_encoded = _ENCODED.search(text, part.start, part.header_end)
        if part.is_leaf and not is_encoded and not text[part.body : part.end].isascii():
            yield part


def _parts(text: str) -> Iterator[Part]:
    """Yield every part of each message in *text*, if it is a mail or an mbox."""
    if not _OPENS.match(text):
        return
    starts = [0, *(match.start() for match in _FROM.finditer(text) if match.start())]
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        yield from _in_part(text, start, end, 0)


def _in_part(text: str, start: int, end: int, depth: int) -> Iterator[Part]:
    blank = _NO_HEADER.match(text, start, end) or _BLANK.search(text, start, end)
    header_end, body = blank.span() if blank else (end, end)
    declared = _TYPE.search(text, start, header_end)
    place = declared.span() if declared else (header_end, header_end)
    media = _MEDIA.match(text, *place)
    media_type = media["name"].lower() if media else ""
    inner = [*_inner_places(text, place, media_type, (body, end))] if depth < _DEEPEST else []
    yield Part(start, header_end, body, end, place, media_type, not inner)
    for inner_start, inner_end in inner:
        yield from _in_part(text, inner_start, inner_end, depth + 1)


def _inner_places(
    text: str, declared: tuple[int, int], media_type: str, body: tuple[int, int]
) -> Iterator[tuple[int, int]]:
    """Yield the place of each part within a part: between the boundaries, or a message that was forwarded."""
    if media_type in ("message/rfc822", "message/global"):
        yield body
    boundary = _BOUNDARY.search(text, *declared)
    if boundary is None:
        return
    mark = re.escape("--" + (boundary[1] or boundary[2]))
    lines = re.compile(rf"^{mark}(--)?[ \t]*\r?$\n?", re.MULTILINE).finditer(text, *body)
    marks = [(match.start(), match.end(), bool(match[1])) for match in lines]
    for (_, start, is_last), (end, _, _) in pairwise([*marks, (body[1], body[1], True)]):
        if is_last:
            return
        yield start, end
