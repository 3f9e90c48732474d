"""Find what the bytes, or whoever sent them, say of themselves: charset and language.

HTML by the prescan of the standard, HTTP's Content-Type, the XML declaration, CSS's @charset, Python's coding line, the
header of a mail, `lang=` and Content-Language.  Everything here is a claim; what it is worth against the bytes is
for `charlens.stages.declarations.claims` and the verdict.
"""

from __future__ import annotations

import re

from charlens.kernel.facts import UTF8_MARK, UTF16_MARKS
from charlens.options import PRESCAN
from charlens.stages.declarations.claims import Declaration, Declarations, declare
from charlens.stages.declarations.prescan import label_in, late_meta, prescan, xml_label
from charlens.types import Buffer

#: A coding line is in the first two lines, which fit here.
FIRST_LINES = 512
#: The bytes in which a language is declared: an attribute of an early tag.
LANGUAGE_BYTES = 4096
#: The header of a mail is longer than the head of a page: Received lines come first.
_MAIL_BYTES = 8192
#: No further than this does a page declare anything: reading a megabyte tag by tag takes a second.
_LATE_BYTES = 1 << 20

#: Without one of these words, in lower case, there is no declaration: a plain search takes 1 µs, the rest 150.
_MENTIONS = (b"charset", b"encoding", b"coding:", b"coding=")
_MARKS = (UTF8_MARK, *UTF16_MARKS)
_CSS_OPENS = (b"@charset", UTF8_MARK + b"@charset")
#: To the letter of CSS: lower case, one space, double quotation marks.
_CSS = re.compile(rb'@charset "([^"]{1,64})";')
#: PEP 263: in a comment in one of the first two lines.
_PYTHON = re.compile(rb"(?:[ \t\f]*(?:#[^\r\n]*)?\r?\n)?[ \t\f]*#[^\r\n]*?coding[:=][ \t]*([-\w.]{1,64})")
_HEADER = re.compile(rb"[!-9;-~]{1,60}:[ \t][^\r\n]*\r?\n")
_MAIL = re.compile(rb"^content-type:([^\r\n]*(?:\r?\n[ \t][^\r\n]*)*)", re.IGNORECASE | re.MULTILINE)
#: In lower case, and inside a tag.
_LANGUAGE = re.compile(
    rb"""(?:[\s:]lang|content-language["']?[^<>]{0,60}?content)\s*=\s*["']?([a-z]{2,3}(?:-[a-z0-9]{1,8})*)"""
)


_BEFORE_LANG = b" \t\n\r\f\v:"


def find_declarations(
    data: Buffer,
    content_type: str | None = None,
    prescan_bytes: int = PRESCAN,
    late: bool = False,
    tagless: bool = False,
) -> Declarations | None:
    """Return what *data* declares, the HTTP header *content_type* first; ``None`` where nothing is declared.

    With *late*, a meta element counts wherever it is, as it does to a browser that has found nothing before.  *tagless*
    says that there is no '<' in it: then only a style sheet, a program or a mail can declare anything.
    """
    if tagless and not content_type and _declares_nothing(bytes(data[:FIRST_LINES])):
        return None
    head = bytes(data[: max(prescan_bytes, LANGUAGE_BYTES)])
    charsets = []
    if content_type:
        label = label_in(content_type.encode("latin-1", "replace"))
        charsets.append(declare("http", label) if label else None)
    lower = head[:prescan_bytes].lower()
    if any(word in lower for word in _MENTIONS) or head.startswith((b"<\0?\0", b"\0<\0?")):
        charsets += _in_band(head, data, prescan_bytes)
    elif _HEADER.match(head):
        charsets.append(_in_mail(bytes(data[:_MAIL_BYTES])))
    has_language = b"lang" in head or b"LANG" in head or b"Lang" in head
    languages = _languages(head[:LANGUAGE_BYTES].lower()) if has_language else ()
    if late and not any(charsets):
        charsets.append(_late(bytes(data[:_LATE_BYTES])))
    found = tuple(charset for charset in charsets if charset is not None)
    return Declarations(found, languages) if found or languages else None


def _declares_nothing(head: bytes) -> bool:
    """Whether text without a tag opens like nothing that declares its charset."""
    return b"coding" not in head and not head.startswith(_CSS_OPENS) and not _HEADER.match(head)


def _in_band(head: bytes, data: Buffer, prescan_bytes: int) -> list[Declaration | None]:
    for mark in _MARKS:
        head = head.removeprefix(mark)
    page = prescan(head[:prescan_bytes])
    found: list[Declaration | None] = []
    if page is not None:
        found.append(declare(page.source, page.label, page.offset, web=page.web))
    else:
        # Labels that the web does not know (IBM850) are no less said in XML.
        label = xml_label(head)
        found.append(declare("xml", *label) if label else None)
    if css := _CSS.match(head):
        found.append(declare("css", css.group(1).decode("latin-1"), css.start(1)))
    elif python := _PYTHON.match(head):
        found.append(declare("python", python.group(1).decode("latin-1"), python.start(1)))
    elif _HEADER.match(head):
        found.append(_in_mail(bytes(data[:_MAIL_BYTES])))
    return found


def _late(page: bytes) -> Declaration | None:
    found = late_meta(page) if b"charset" in page.lower() else None
    return declare(found.source, found.label, found.offset, web=found.web) if found else None


def _in_mail(head: bytes) -> Declaration | None:
    """Return the charset that the header of a mail declares; the header ends at the first empty line."""
    end = re.search(rb"\r?\n\r?\n", head)
    found = _MAIL.search(head, 0, end.start() if end else len(head))
    label = label_in(found.group(1)) if found else None
    return declare("mail", label, found.start(1)) if found and label else None


def _languages(lower: bytes) -> tuple[str, ...]:
    """Return the languages that tags declare, the first tag's first; at most three."""
    found: dict[str, None] = {}
    at = -1
    while len(found) < 3 and (at := lower.find(b"lang", at + 1)) >= 0:
        # Either ' lang' and ':lang', or the name of the header, which begins eight bytes before.
        match = _LANGUAGE.match(lower, at - 1) if at and lower[at - 1] in _BEFORE_LANG else None
        match = match or (_LANGUAGE.match(lower, at - 8) if at >= 8 and lower.startswith(b"content-", at - 8) else None)
        if match and lower.rfind(b"<", 0, match.start()) > lower.rfind(b">", 0, match.start()):
            found[match.group(1).decode("ascii")] = None
    return tuple(found)
