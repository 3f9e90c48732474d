"""Read the charset that a page declares, exactly as in the HTML standard: the prescan of its first bytes.

Also the label in an XML declaration and the one in a Content-Type, by the algorithms of their standards.  Other modules
decide what a label means and whether it is true.
"""

from __future__ import annotations

import re

from charlens import kernel
from charlens.encodings import web_lookup

_SPACES = "\t\n\f\r "
#: Labels that cannot be true for a page in ASCII bytes, and what the standard uses instead.
_MEANT = {"UTF-16LE": "UTF-8", "UTF-16BE": "UTF-8", "x-user-defined": "windows-1252"}


class Found:
    """A label, its meaning in the standard, and its offset."""

    __slots__ = ("label", "offset", "source", "web")

    def __init__(self, source: str, label: str, web: str, offset: int) -> None:
        self.source = source
        self.label = label
        self.web = web
        self.offset = offset


def prescan(head: bytes) -> Found | None:
    """Return the charset that the first bytes of a page declare, or ``None``."""
    if head.startswith(b"<\0?\0x\0"):
        return Found("xml", "<? in 16 bits", "UTF-16LE", 0)
    if head.startswith(b"\0<\0?\0x"):
        return Found("xml", "<? in 16 bits", "UTF-16BE", 0)
    return find_meta(head) or xml_declaration(head)


def find_meta(head: bytes, late: bool = False) -> Found | None:
    """Return what a meta element declares, or ``None``.

    *late* is for a whole page, of which a browser reads the elements; it ignores scripts and other text without markup.
    """
    found = kernel.find_charsets(head, late)
    for at in range(0, len(found), 3):
        label = head[found[at + 1] : found[at + 2]].lower().decode("latin-1").strip(_SPACES)
        web = web_lookup(label)
        if web is not None:
            return Found("meta", label, _MEANT.get(web, web), found[at])
    return None


def label_in(value: bytes) -> str | None:
    """Return the label after 'charset=' in a Content-Type, as a meta element has it, or ``None``."""
    start, end = kernel.find_label(value)
    return value[start:end].decode("latin-1") if start >= 0 else None


def xml_label(head: bytes) -> tuple[str, int] | None:
    """Return the label of the XML declaration at the start of *head*, and its offset, or ``None``."""
    if not head.startswith(b"<?xml"):
        return None
    end = head.find(b">")
    found = re.search(rb"encoding[\x00-\x20]*=[\x00-\x20]*([\"'])", head[: max(end, 0)])
    closed = head.find(found.group(1), found.end(), end) if found else -1
    if found is None or closed < 0:
        return None
    label = head[found.end() : closed]
    if not label or min(label) <= 0x20:
        return None
    return label.decode("latin-1"), found.end()


def xml_declaration(head: bytes) -> Found | None:
    """Return the charset of the XML declaration at the start of *head*, by the rules for HTML, or ``None``."""
    found = xml_label(head)
    web = web_lookup(found[0]) if found else None
    if found is None or web is None:
        return None
    return Found("xml", found[0], web if web == "x-user-defined" else _MEANT.get(web, web), found[1])
