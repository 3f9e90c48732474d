"""Pages in plain Python: the kind of markup at the start of a file, and the charsets in its meta elements.

`pure` re-exports these functions.  The stages decide what a label means, and what to do with the words.
"""

from __future__ import annotations

import re
from contextlib import suppress

from charlens.kernel.facts import FLAVOURS, HTML_NAMES, LEAST_TAGS, MOST_CHARSETS, RAW_NAMES, UTF8_MARK
from charlens.types import Buffer

NO_MARKUP, HTML, XML, CUES, SCRIPTED = range(len(FLAVOURS))

_HTML = re.compile(
    rb"<(?:!doctype[\t-\r ]+html|" + "|".join(HTML_NAMES).encode() + rb")[\t-\r />]", re.IGNORECASE
)
#: In lower case: a file that has one of these is HTML, also after an XML declaration.
_ROOTS = (b"<html", b"<!doctype html", b"<head", b"<body")
#: The start of an XML document, after white space and a mark.
_XML = re.compile(
    rb"(?:"
    + UTF8_MARK
    + rb")?[\t-\r ]*<(?:\?xml|!--|!DOCTYPE|!\[CDATA|!ENTITY|[A-Za-z_][\w.:-]*(?=[\t-\r />]))"
)
_XML_DECLARATION = re.compile(rb"[\t-\r ]*<\?xml")
_CUE_TIME = rb"(?:\d{1,2}:)?\d\d:\d\d[.,]\d{2,3}"
_CUES = re.compile(rb"(?m)^[\t\v\f\r ]*" + _CUE_TIME + rb"[\t-\r ]*-->[\t-\r ]*" + _CUE_TIME)
_SCRIPTED = re.compile(rb"(?m)^(?:\[Script Info\]|Dialogue:)")


def page_flavour(head: Buffer) -> int:
    """Return the kind of markup that the head of a file shows: none, HTML, XML, cues, scripted subtitles."""
    head = bytes(head)
    if head.startswith(b"WEBVTT") and b" --> " in head:
        return CUES
    if b" --> " in head and _CUES.search(head):
        return CUES
    if _SCRIPTED.search(head):
        return SCRIPTED
    lower = head.lower()
    if any(root in lower for root in _ROOTS):
        return HTML
    if _XML.match(head):
        return HTML if _HTML.search(head) and not _XML_DECLARATION.match(head) else XML
    return HTML if len(_HTML.findall(head)) >= LEAST_TAGS else NO_MARKUP


_META = re.compile(rb"<meta[\t\n\f\r /]", re.IGNORECASE)
_TAG = re.compile(rb"</?[A-Za-z]")
_TAG_NAME = re.compile(rb"[^\t\n\f\r >]*")
_BEFORE_NAME = re.compile(rb"[\t\n\f\r /]*")
#: The first byte may be '=', the others not.
_NAME = re.compile(rb"[^\t\n\f\r />][^\t\n\f\r />=]*")
_SPACE_RUN = re.compile(rb"[\t\n\f\r ]*")
_UNQUOTED = re.compile(rb"[^\t\n\f\r >]*")
_CHARSET = re.compile(rb"charset[\t\n\f\r ]*=[\t\n\f\r ]*", re.IGNORECASE)
_UNQUOTED_LABEL = re.compile(rb"[^\t\n\f\r ;]*")
#: The end of each text in which there are no elements, by how its start tag begins.
_RAW = {
    b"<" + name: re.compile(rb"</" + name + rb"(?=[\t\n\f\r />])", re.IGNORECASE)
    for name in map(str.encode, RAW_NAMES)
}
#: A range of bytes.
_Range = tuple[int, int]


class _OutOfBytes(Exception):
    """The bytes ended inside something."""


def find_charsets(head: Buffer, raw: int) -> tuple[int, ...]:
    """Return where meta elements name a charset, by the prescan of the HTML standard.

    For each: where the element opens, where the label begins and where it ends.  That is the value of its charset
    attribute, else the label in its content if it is a pragma for Content-Type.  An element that the bytes end in is
    not counted.  With *raw*, texts in which there are no elements (scripts, titles …) are ignored.
    """
    found: list[int] = []
    with suppress(_OutOfBytes):
        _walk_tags(bytes(head), bool(raw), found)
    return tuple(found[: 3 * MOST_CHARSETS])


def mentions(data: Buffer, words: bytes) -> int:
    """Return 1 if one of *words*, in lower case with line endings between them, is in *data* in any case; else 0."""
    lower = bytes(data).lower()
    return int(any(word in lower for word in words.split(b"\n") if word))


def find_label(value: Buffer) -> tuple[int, int]:
    """Return where the label after 'charset=' in a Content-Type begins and ends; -1 and -1 for none."""
    value = bytes(value)
    found = _CHARSET.search(value)
    if found is None:
        return -1, -1
    start = found.end()
    quote = value[start : start + 1]
    if quote in (b'"', b"'"):
        end = value.find(quote, start + 1)
        return (-1, -1) if end < 0 else (start + 1, end)
    label = _UNQUOTED_LABEL.match(value, start)
    return (start, label.end()) if label and label.end() > start else (-1, -1)


def _walk_tags(head: bytes, raw: bool, found: list[int]) -> None:
    position = 0
    while (position := head.find(b"<", position)) >= 0 and len(found) < 3 * MOST_CHARSETS:
        if head.startswith(b"<!--", position):
            # The dashes of '<!--' may also be those of '-->'.
            position = _behind(head, b"-->", position + 2) - 1
        elif _META.match(head, position):
            position = _read_meta(head, position, found)
        elif _TAG.match(head, position):
            name = _TAG_NAME.match(head, position)
            position = name.end() if name else position
            while (attribute := _attribute(head, position)) is not None:
                position = attribute[2]
            position = _skip(_BEFORE_NAME, head, position)
            if raw and name and (closing := _RAW.get(name.group().lower())):
                end = closing.search(head, position)
                position = end.start() - 1 if end else len(head)
        elif head[position + 1 : position + 2] in (b"!", b"/", b"?"):
            position = _behind(head, b">", position) - 1
        position += 1


def _behind(head: bytes, mark: bytes, position: int) -> int:
    found = head.find(mark, position)
    if found < 0:
        raise _OutOfBytes
    return found + len(mark)


def _skip(pattern: re.Pattern[bytes], head: bytes, position: int) -> int:
    """Skip the match of *pattern*; there must be more after it."""
    found = pattern.match(head, position)
    position = found.end() if found else position
    if position >= len(head):
        raise _OutOfBytes
    return position


def _attribute(head: bytes, position: int) -> tuple[bytes, _Range, int] | None:
    """Return the next attribute: its name in lower case, where its value is, where it ends; ``None`` at the '>'."""
    position = _skip(_BEFORE_NAME, head, position)
    if head[position] == 0x3E:
        return None
    start = position
    position = _skip(_NAME, head, position)
    name = head[start:position].lower()
    behind = _skip(_SPACE_RUN, head, position)
    if head[behind] != 0x3D:
        return name, (behind, behind), behind
    position = _skip(_SPACE_RUN, head, behind + 1)
    quote = head[position : position + 1]
    if quote in (b'"', b"'"):
        end = _behind(head, quote, position + 1)
        return name, (position + 1, end - 1), end
    end = _skip(_UNQUOTED, head, position)
    return name, (position, end), end


def _read_meta(head: bytes, position: int, found: list[int]) -> int:
    """Read the meta element at *position*; return where its '>' is."""
    opened, position = position, position + len(b"<meta")
    values: dict[bytes, _Range] = {}
    while (attribute := _attribute(head, position)) is not None:
        values.setdefault(attribute[0], attribute[1])  # the first of a name counts
        position = attribute[2]
    position = _skip(_BEFORE_NAME, head, position)
    pragma = values.get(b"http-equiv", (0, 0))
    content = values.get(b"content", (0, 0))
    if b"charset" in values:
        found += (opened, *values[b"charset"])
    elif head[slice(*pragma)].lower() == b"content-type":
        start, end = find_label(head[slice(*content)])
        if start >= 0:
            found += (opened, content[0] + start, content[0] + end)
    return position
