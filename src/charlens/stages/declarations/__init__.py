"""Find the declared charset and language, in the bytes or from the sender.

HTML by the prescan of the standard, HTTP's Content-Type, the XML declaration, the header of a mail, `lang=` and
Content-Language, and every other kind of file that is in the table of `sources`.  Everything here is a claim;
`charlens.stages.declarations.claims` and the verdict weigh it against the bytes.
"""

from __future__ import annotations

import re
from functools import lru_cache

from charlens import kernel
from charlens.kernel.facts import UTF8_MARK, UTF16_MARKS
from charlens.options import PRESCAN
from charlens.patterns import Pattern
from charlens.stages.declarations.claims import Declaration, Declarations, declare
from charlens.stages.declarations.mail import mail_charset
from charlens.stages.declarations.prescan import find_meta, label_in, prescan, xml_label
from charlens.stages.declarations.sources import SOURCES, find_sources, shortest
from charlens.types import Buffer

#: A language is declared within these first bytes, as an attribute of an early tag.
LANGUAGE_BYTES = 4096
#: The header of a mail is longer than the head of a page: Received lines come first.
_MAIL_BYTES = 8192
#: The most bytes searched for declarations: reading a megabyte tag by tag takes a second.
_LATE_BYTES = 1 << 20

#: Without one of these words there is no declaration: looking for them takes less than a microsecond, the rest 150.
_CHARSET_MENTIONS = b"charset\nencoding\ncoding:\ncoding="
_LANGUAGE_MENTIONS = b"lang"
_MARKS = (UTF8_MARK, *UTF16_MARKS)
#: The first bytes, which are searched for the kinds of the table; the header of a message catalogue is the longest.
LOOK = 4096
#: A vCard names its charset in every line; the first few are enough.
_MOST = 3
#: These have an algorithm for bytes, below, or are not read.
_NOT_BY_TABLE = ("xml", "meta", "mail", *(source.name for source in SOURCES if not source.detected))
TABLE_MENTIONS = shortest(
    frozenset(word for source in SOURCES if source.name not in _NOT_BY_TABLE for word in source.mentions)
)
_HEADER = Pattern(rb"(?:From [^\r\n]{1,200}\r?\n)?[!-9;-~]{1,60}:[ \t][^\r\n]*\r?\n")
#: In lower case, and inside a tag.
_LANGUAGE = Pattern(
    rb"""(?:[\s:]lang|content-language["']?[^<>]{0,60}?content)\s*=\s*["']?([a-z]{2,3}(?:-[a-z0-9]{1,8})*)"""
)


_BEFORE_LANG = b" \t\n\r\f\v:"

#: Sets of byte values: every tag has '<', every header ':', and every word of the table a letter.
_LESS_THAN, _COLON = 1 << 0x3C, 1 << 0x3A
_LETTERS = sum(1 << letter for letter in b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
#: Without any of these, nothing is declared: text in another alphabet, without markup.
_OPENING = _LETTERS | _LESS_THAN | _COLON
_ALL_VALUES = (1 << 256) - 1


def find_declarations(
    data: Buffer,
    content_type: str | None = None,
    prescan_bytes: int = PRESCAN,
    late: bool = False,
    seen: int = _ALL_VALUES,
) -> Declarations | None:
    """Return what *data* declares, the HTTP header *content_type* first; ``None`` if nothing is declared.

    With *late*, a meta element counts anywhere, as in a browser that found nothing before.  *seen* are the
    byte values of the input: without '<', only a style sheet, a program or a mail can declare anything.
    """
    in_header = _in_http(content_type) if content_type else None
    if not seen & _OPENING:
        return in_header
    head = bytes(data[: max(prescan_bytes, LANGUAGE_BYTES)])
    mentioned = kernel.mentions(head[:LOOK], TABLE_MENTIONS) if seen & _LETTERS else 0
    if not mentioned and not seen & _LESS_THAN and not (seen & _COLON and _HEADER.match(head)):
        return in_header
    charsets: list[Declaration | None] = [*in_header.charsets] if in_header else []
    if kernel.mentions(head[:prescan_bytes], _CHARSET_MENTIONS) or head.startswith((b"<\0?\0", b"\0<\0?")):
        charsets += _in_band(head, data, prescan_bytes)
    elif _HEADER.match(head):
        charsets.append(_in_mail(bytes(data[:_MAIL_BYTES])))
    if mentioned and not any(charset and charset.source != "http" for charset in charsets):
        charsets += _in_table(head[:LOOK])
    start = head[:LANGUAGE_BYTES]
    languages = _languages(start.lower()) if kernel.mentions(start, _LANGUAGE_MENTIONS) else ()
    if late and not any(charsets):
        charsets.append(_late(bytes(data[:_LATE_BYTES])))
    found = tuple(charset for charset in charsets if charset is not None)
    return Declarations(found, languages) if found or languages else None


@lru_cache(maxsize=1024)
def _in_http(content_type: str) -> Declarations | None:
    """Return what an HTTP header declares."""
    label = label_in(content_type.encode("latin-1", "replace"))
    declared = declare("http", label) if label else None
    return Declarations((declared,)) if declared else None


def _in_table(head: bytes) -> list[Declaration]:
    """Return the declarations in *head* by the table of sources."""
    mark = len(_MARKS[0]) if head.startswith(_MARKS[0]) else 0
    found: list[Declaration] = []
    for source, place in find_sources(head[mark:].decode("latin-1"), _NOT_BY_TABLE):
        encoding = source.encoding(place.label)
        known = declare(source.name, place.label if encoding is None else encoding, place.start + mark)
        if known is not None:
            found.append(Declaration(known.source, place.label, known.web, known.encoding, known.offset))
    return found[:_MOST]


def _in_band(head: bytes, data: Buffer, prescan_bytes: int) -> list[Declaration | None]:
    for mark in _MARKS:
        head = head.removeprefix(mark)
    page = prescan(head[:prescan_bytes])
    found: list[Declaration | None] = []
    if page is not None:
        found.append(declare(page.source, page.label, page.offset, web=page.web))
    else:
        # XML may also have labels that the web does not know (IBM850).
        label = xml_label(head)
        found.append(declare("xml", *label) if label else None)
    if _HEADER.match(head):
        found.append(_in_mail(bytes(data[:_MAIL_BYTES])))
    return found


def _late(page: bytes) -> Declaration | None:
    found = find_meta(page, late=True) if b"charset" in page.lower() else None
    return declare(found.source, found.label, found.offset, web=found.web) if found else None


def _in_mail(head: bytes) -> Declaration | None:
    """Return the charset that the header of a mail declares; the header ends at the first empty line."""
    end = re.search(rb"\r?\n\r?\n", head)
    found = mail_charset(head[: end.start() if end else len(head)].decode("latin-1"))
    return declare("mail", *found) if found else None


def _languages(lower: bytes) -> tuple[str, ...]:
    """Return the languages declared in tags, in order, at most three."""
    found: dict[str, None] = {}
    at = -1
    while len(found) < 3 and (at := lower.find(b"lang", at + 1)) >= 0:
        # Either ' lang' and ':lang', or the name of the header, which begins eight bytes before.
        match = _LANGUAGE.match(lower, at - 1) if at and lower[at - 1] in _BEFORE_LANG else None
        match = match or (
            _LANGUAGE.match(lower, at - 8) if at >= 8 and lower.startswith(b"content-", at - 8) else None
        )
        if match and lower.rfind(b"<", 0, match.start()) > lower.rfind(b">", 0, match.start()):
            found[match.group(1).decode("ascii")] = None
    return tuple(found)
