"""Read the charset that a page declares, to the letter of the HTML standard: the prescan of its first bytes.

Also the label in an XML declaration and the one in a Content-Type, by the algorithms that the standards have for
them.  What a label means and whether it is true is for others.
"""

from __future__ import annotations

import re

from charlens.encodings import web_lookup

_SPACES = b"\t\n\f\r "
_META = re.compile(rb"<meta[\t\n\f\r /]", re.IGNORECASE)
#: Text and tags, without comments, in which quotation marks stand only around values and have neither '<' nor '>'
#: between them: '<a "x=" y>' is not such, for its second mark opens a value.
_CALM = re.compile(
    rb"[^<]*(?:<(?!!--)[^<>\"'=]*"
    rb"(?:=(?:(?![\t\n\f\r ]*[\"'])|[\t\n\f\r ]*(?:\"[^\"<>]*\"|'[^'<>]*'))[^<>\"'=]*)*>[^<]*)*"
)
_TAG = re.compile(rb"</?[A-Za-z]")
_TAG_NAME = re.compile(rb"[^\t\n\f\r >]*")
_BEFORE_NAME = re.compile(rb"[\t\n\f\r /]*")
#: The first byte may be '=', the others not.
_NAME = re.compile(rb"[^\t\n\f\r />][^\t\n\f\r />=]*")
#: An attribute as nearly all are.
_PLAIN = re.compile(rb"""[\t\n\f\r /]*([A-Za-z:-]+)=("[^"]*"|'[^']*')""")
_SPACE_RUN = re.compile(rb"[\t\n\f\r ]*")
_UNQUOTED = re.compile(rb"[^\t\n\f\r >]*")
_CHARSET = re.compile(rb"charset[\t\n\f\r ]*=[\t\n\f\r ]*", re.IGNORECASE)
_UNQUOTED_LABEL = re.compile(rb"[^\t\n\f\r ;]*")
_XML_LABEL = re.compile(rb"encoding[\x00-\x20]*=[\x00-\x20]*([\"'])")
#: The end of each text in which there are no elements, by how its start tag begins.
_RAW = {
    b"<" + name: re.compile(rb"</" + name + rb"(?=[\t\n\f\r />])", re.IGNORECASE)
    for name in (b"script", b"style", b"title", b"textarea", b"xmp", b"iframe", b"noembed", b"noframes")
}
#: What other declarations mean is not believed of a page in ASCII bytes: the standard puts these instead.
_MEANT = {"UTF-16LE": "UTF-8", "UTF-16BE": "UTF-8", "x-user-defined": "windows-1252"}


class Found:
    """A label, what the standard takes it for, and where it stands."""

    __slots__ = ("label", "offset", "source", "web")

    def __init__(self, source: str, label: str, web: str, offset: int) -> None:
        self.source = source
        self.label = label
        self.web = web
        self.offset = offset


class _OutOfBytes(Exception):
    """The bytes ended inside something."""


def prescan(head: bytes) -> Found | None:
    """Return the charset that the first bytes of a page declare, or ``None``."""
    if head.startswith(b"<\0?\0x\0"):
        return Found("xml", "<? in 16 bits", "UTF-16LE", 0)
    if head.startswith(b"\0<\0?\0x"):
        return Found("xml", "<? in 16 bits", "UTF-16BE", 0)
    try:
        return _find_meta(head)
    except _OutOfBytes:
        return xml_declaration(head)


def late_meta(page: bytes) -> Found | None:
    """Return what a meta element anywhere in *page* declares, or ``None``.

    A browser that found nothing in the first bytes still changes its mind when it comes to such an element; scripts
    and other texts in which there are no elements are passed over.
    """
    try:
        return _find_meta(page, pass_raw=True)
    except _OutOfBytes:
        return None


def _find_meta(head: bytes, *, pass_raw: bool = False) -> Found | None:
    position = 0
    if not pass_raw:
        first = _META.search(head)
        if first is None:
            raise _OutOfBytes
        # Where no quotation mark hides a '>', every tag ends at the next one: going through them changes nothing.
        if _CALM.fullmatch(head, 0, first.start()):
            position = first.start()
    while (position := head.find(b"<", position)) >= 0:
        if head.startswith(b"<!--", position):
            # The dashes of '<!--' may be those of '-->', too.
            position = _behind(head, b"-->", position + 2) - 1
        elif _META.match(head, position):
            found, position = _read_meta(head, position)
            if found is not None:
                return found
        elif _TAG.match(head, position):
            name = _TAG_NAME.match(head, position)
            position = name.end() if name else position
            while (attribute := _attribute(head, position)) is not None:
                position = attribute[2]
            position = _skip(_BEFORE_NAME, head, position)
            if pass_raw and name and (raw := _RAW.get(name.group().lower())):
                end = raw.search(head, position)
                position = end.start() - 1 if end else len(head)
        elif head[position + 1 : position + 2] in (b"!", b"/", b"?"):
            position = _behind(head, b">", position) - 1
        position += 1
    raise _OutOfBytes


def _behind(head: bytes, mark: bytes, position: int) -> int:
    found = head.find(mark, position)
    if found < 0:
        raise _OutOfBytes
    return found + len(mark)


def _skip(pattern: re.Pattern[bytes], head: bytes, position: int) -> int:
    """Go over what *pattern* matches; there must be more behind it."""
    found = pattern.match(head, position)
    position = found.end() if found else position
    if position >= len(head):
        raise _OutOfBytes
    return position


def _attribute(head: bytes, position: int) -> tuple[bytes, bytes, int] | None:
    """Return the next attribute: its name and value in lower case, and where it ends; ``None`` at the '>'."""
    plain = _PLAIN.match(head, position)
    if plain is not None:
        name, value = plain.group(1, 2)
        return name.lower(), value[1:-1].lower(), plain.end()
    position = _skip(_BEFORE_NAME, head, position)
    if head[position] == 0x3E:
        return None
    start = position
    position = _skip(_NAME, head, position)
    name = head[start:position].lower()
    behind = _skip(_SPACE_RUN, head, position)
    if head[behind] != 0x3D:
        return name, b"", behind
    position = _skip(_SPACE_RUN, head, behind + 1)
    quote = head[position : position + 1]
    if quote in (b'"', b"'"):
        end = _behind(head, quote, position + 1)
        return name, head[position + 1 : end - 1].lower(), end
    end = _skip(_UNQUOTED, head, position)
    return name, head[position:end].lower(), end


def _read_meta(head: bytes, position: int) -> tuple[Found | None, int]:
    """Read the meta element at *position*; return what it declares, and where its '>' is."""
    opened, position = position, position + len(b"<meta")
    names: set[bytes] = set()
    label: str | None = None
    is_pragma = needs_pragma = False
    charset: str | None = None
    while (attribute := _attribute(head, position)) is not None:
        name, value, position = attribute
        if name in names:
            continue
        names.add(name)
        if name == b"http-equiv":
            is_pragma = value == b"content-type"
        elif name == b"content" and charset is None and label is None:
            label = label_in(value)
            charset = None if label is None else web_lookup(label)
            label, needs_pragma = (label, True) if charset else (None, False)
        elif name == b"charset":
            label, needs_pragma = value.decode("latin-1"), False
            charset = web_lookup(label)
    position = _skip(_BEFORE_NAME, head, position)
    if charset is None or label is None or (needs_pragma and not is_pragma):
        return None, position
    return Found("meta", label.strip("\t\n\f\r "), meant_in_meta(charset), opened), position


def meant_in_meta(web: str) -> str:
    """Return what the standard takes the encoding *web* for, where a meta element names it."""
    return _MEANT.get(web, web)


def meant_in_xml(web: str) -> str:
    """Return what the standard takes the encoding *web* for, where an XML declaration names it."""
    return web if web == "x-user-defined" else _MEANT.get(web, web)


def label_in(value: bytes) -> str | None:
    """Return the label behind 'charset=' in a Content-Type, as a meta element has it, or ``None``."""
    found = _CHARSET.search(value)
    if found is None:
        return None
    quote = value[found.end() : found.end() + 1]
    if quote in (b'"', b"'"):
        end = value.find(quote, found.end() + 1)
        return None if end < 0 else value[found.end() + 1 : end].decode("latin-1")
    label = _UNQUOTED_LABEL.match(value, found.end())
    return label.group().decode("latin-1") if label and label.group() else None


def xml_label(head: bytes) -> tuple[str, int] | None:
    """Return the label of the XML declaration that *head* opens with, and its offset, or ``None``."""
    end = head.find(b">")
    found = _XML_LABEL.search(head, 0, max(end, 0)) if head.startswith(b"<?xml") else None
    closed = head.find(found.group(1), found.end(), end) if found else -1
    if found is None or closed < 0:
        return None
    label = head[found.end() : closed]
    if not label or min(label) <= 0x20:
        return None
    return label.decode("latin-1"), found.end()


def xml_declaration(head: bytes) -> Found | None:
    """Return what the XML declaration that *head* opens with declares, by the rules for HTML, or ``None``."""
    found = xml_label(head)
    web = web_lookup(found[0]) if found else None
    if found is None or web is None:
        return None
    return Found("xml", found[0], meant_in_xml(web), found[1])
