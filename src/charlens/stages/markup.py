"""Extract the words of a page from its markup, as the same bytes.

The first bytes decide whether the input is a page, and of which kind; the kernel removes the tags.
If the words have too few non-ASCII bytes, everything is scored.  Pages in UTF-16 never get here: the
unicode stage has decided them.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from charlens import kernel
from charlens.findings import Markup
from charlens.source import Source
from charlens.types import Buffer

_HEAD = 4096
#: The part of a page that is stripped first; if its words have this many non-ASCII bytes, the rest adds nothing: of
#: 1,128 pages over 17 KB, 18 were missed with it and 19 without.
_FIRST = 1 << 15
_PLENTY = 1000
#: At most this many bytes of a page are stripped.
_MOST = 1 << 20
#: If the words have fewer non-ASCII bytes than this, attributes and comments count, too: with 0, 48 of 1,578 real pages
#: were missed, with 4 to 30 seven; with 20, eight more generated pages were missed than with 8.
_ENOUGH = 8

LESS_THAN = 1 << 0x3C
#: Without '<' and '>' there is neither a tag nor the arrow of subtitles, without '[' and ':' no head of a script.
ARROWS = LESS_THAN | 1 << 0x3E
HEAD_OF_SCRIPT = 1 << 0x5B | 1 << 0x3A
#: The kinds of markup, by the numbers of the kernel.
_FLAVOURS = ("", "html", "xml", "subtitles", "subtitles")
_SCRIPTED = 4


def strip_markup(source: Source, way: str | Callable[[bytes], bytes] = "direct") -> Markup | None:
    """Return the words of *source*, or ``None`` if it is not a page.

    *way* is 'direct', 'none' (everything counts as text), or a function that takes a page of HTML and returns its text.
    """
    data, scan = source.head, source.scan
    seen = scan.seen
    if not seen & ARROWS and seen & HEAD_OF_SCRIPT != HEAD_OF_SCRIPT:
        return None
    kind = kernel.page_flavour(data[:_HEAD]) if source.declares else 0
    if not kind:
        return None
    flavour = _FLAVOURS[kind]
    if way == "none":
        return Markup(flavour, b"", source.size, scan.non_ascii, source.size, False)
    for size in (_FIRST, _MOST):
        part = data[:size] if len(data) > size else data
        words = _words(part, kind, way)
        non_ascii = kernel.scan(words).non_ascii
        if part is data or non_ascii >= _PLENTY:
            break
    return Markup(flavour, words, len(words), non_ascii, len(part), non_ascii >= min(_ENOUGH, scan.non_ascii))


def _words(data: Buffer, kind: int, way: str | Callable[[bytes], bytes]) -> bytes:
    flavour = _FLAVOURS[kind]
    if flavour == "subtitles":
        return _subtitle_words(bytes(data), kind == _SCRIPTED)
    if flavour == "html" and callable(way):
        return way(bytes(data))
    return kernel.strip_markup(data, int(flavour == "xml"))


def _subtitle_words(data: bytes, scripted: bool) -> bytes:
    """Return the lines of spoken text."""
    cue_lines, cue_tags, dialogue = _subtitle_patterns()
    spoken = b"\n".join(dialogue.findall(data)) if scripted else cue_lines.sub(b"", data)
    return cue_tags.sub(b" ", spoken)


@lru_cache(maxsize=1)
def _subtitle_patterns() -> tuple[re.Pattern[bytes], ...]:
    """Return the patterns for what is not spoken: lines of times and numbers; tags, overrides; fields before text."""
    return (
        re.compile(rb"(?m)^(?:WEBVTT.*|NOTE\b.*|STYLE\b.*|[\t\v\f\r ]*\d+[\t\v\f\r ]*|.*-->.*)$"),
        re.compile(rb"</?[A-Za-z0-9][^<>\r\n]{0,200}>|\{\\[^{}\r\n]{0,500}\}|\\[Nnh]"),
        re.compile(rb"(?m)^(?:Dialogue|Comment):(?:[^,\r\n]*,){9}([^\r\n]*)"),
    )
