"""Take the words of a page out of its markup, as the same bytes.

Whether the bytes are a page at all, and of which flavour, is decided by their head; the kernel goes through the tags.
Where the words have too few bytes beyond ASCII to tell, everything is scored.  Pages in UTF-16 never get here: the
unicode stage has settled them.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from charlens import kernel
from charlens.findings import Markup
from charlens.source import Source
from charlens.types import Buffer

_HEAD = 4096
#: The part of a page that is stripped first; if its words have this many bytes beyond ASCII, the rest adds nothing: of 1,128
#: pages over 17 KB, 18 were missed with it and 19 without.
_FIRST = 1 << 15
_PLENTY = 1000
#: No page is stripped further than this.
_MOST = 1 << 20
#: Words with fewer bytes beyond ASCII than this say less than what attributes and comments add: with 0, 48 of 1,578
#: real pages were missed, with 4 to 30 seven; with 20, eight made pages more than with 8.
_ENOUGH = 8

_LESS_THAN = 1 << 0x3C
#: Without '<' and '>' there is neither a tag nor the arrow of subtitles, without '[' and ':' no head of a script.
_ARROWS = _LESS_THAN | 1 << 0x3E
_HTML = re.compile(
    rb"<(?:!doctype\s+html|html|head|body|title|meta|link|table|tr|td|div|span|p|a\s|br|hr|b|i|u|em|strong|font|center|img|"
    rb"h[1-6]|ul|ol|li|dl|dt|dd|pre|form|input|select|option|frameset|script|style)[\s/>]",
    re.IGNORECASE,
)
#: In lower case: whoever has one of these is HTML, also behind an XML declaration.
_ROOTS = (b"<html", b"<!doctype html", b"<head", b"<body")
#: What an XML document opens with, white space and a mark before it aside.
_XML = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*<(?:\?xml|!--|!DOCTYPE|!\[CDATA|!ENTITY|[A-Za-z_][\w.:-]*(?=[\s/>]))"
)
#: Text that only talks of tags has fewer than this in its head.
_TAGS = 3
_CUES = re.compile(rb"(?m)^\s*(?:\d{1,2}:)?\d\d:\d\d[.,]\d{2,3}\s*-->\s*(?:\d{1,2}:)?\d\d:\d\d[.,]\d{2,3}")
_SCRIPTED = re.compile(rb"(?m)^(?:\[Script Info\]|\[Events\]|Dialogue:)")

# Subtitles: lines of times and numbers, tags, overrides; in ASS nine fields before the text, and sections without any.
_CUE_LINES = re.compile(rb"(?m)^(?:WEBVTT.*|NOTE\b.*|STYLE\b.*|\s*\d+\s*|.*-->.*)$")
_CUE_TAGS = re.compile(rb"</?[A-Za-z0-9][^<>\r\n]{0,200}>|\{\\[^{}\r\n]{0,500}\}|\\[Nnh]")
_DIALOGUE = re.compile(rb"(?m)^(?:Dialogue|Comment):(?:[^,\r\n]*,){9}([^\r\n]*)")


def strip_markup(source: Source, way: str | Callable[[bytes], bytes] = "direct") -> Markup | None:
    """Return the words of *source*, or ``None`` where it is not a page.

    *way* is 'direct', 'none' (everything is words), or a function that takes a page of HTML and gives its words.
    """
    data, scan = source.head, source.scan
    seen = scan.seen
    if not seen & _ARROWS and not (seen >> 0x5B & 1 and seen >> 0x3A & 1):
        return None
    flavour = _flavour(bytes(data[:_HEAD]), bool(seen & _LESS_THAN)) if source.declares else ""
    if not flavour:
        return None
    if way == "none":
        return Markup(flavour, b"", source.size, scan.non_ascii, source.size, False)
    for size in (_FIRST, _MOST):
        part = data[:size] if len(data) > size else data
        words = _words(part, flavour, way)
        non_ascii = kernel.scan(words).non_ascii
        if part is data or non_ascii >= _PLENTY:
            break
    return Markup(flavour, words, len(words), non_ascii, len(part), non_ascii >= min(_ENOUGH, scan.non_ascii))


def _flavour(head: bytes, has_tags: bool) -> str:
    """Tell which kind of markup the head of a file shows, or ""."""
    # Plain searches first: an expression that opens with a choice takes 20 ns for every byte of the head.
    if b" --> " in head and (head.startswith(b"WEBVTT") or _CUES.search(head)):
        return "subtitles"
    if (b"[Script Info]" in head or b"Dialogue:" in head) and _SCRIPTED.search(head):
        return "subtitles"
    if not has_tags:
        return ""
    lower = head.lower()
    if any(root in lower for root in _ROOTS):
        return "html"
    if _XML.match(head):
        return "html" if _HTML.search(head) and not head.lstrip().startswith(b"<?xml") else "xml"
    return "html" if len(_HTML.findall(head)) >= _TAGS else ""


def _words(data: Buffer, flavour: str, way: str | Callable[[bytes], bytes]) -> bytes:
    if flavour == "subtitles":
        return _subtitle_words(bytes(data))
    if flavour == "html" and callable(way):
        return way(bytes(data))
    return kernel.strip_markup(data, int(flavour == "xml"))


def _subtitle_words(data: bytes) -> bytes:
    """Return the lines that are spoken."""
    spoken = b"\n".join(_DIALOGUE.findall(data)) if _SCRIPTED.search(data) else _CUE_LINES.sub(b"", data)
    return _CUE_TAGS.sub(b" ", spoken)
