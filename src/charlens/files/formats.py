"""Formats whose standard fixes the encoding, recognised by the name of the file or its first line.

JSON, TOML, .desktop files and vCard 4 are UTF-8; Java's .properties are ISO 8859-1 with \\uXXXX for the rest.  They are
written here as ASCII, which every version of Java reads in the same way.
"""

from __future__ import annotations

import os
import re
from typing import NamedTuple

from charlens.files.declarations import Edit


class Standard(NamedTuple):
    """What a standard requires of a format."""

    name: str
    encoding: str
    #: The name of the standard.
    source: str
    #: Whether a byte order mark is allowed.
    bom: bool = False
    #: Whether non-ASCII characters are written as \\uXXXX.
    escapes: bool = False


_JSON = Standard("JSON", "utf-8", "RFC 8259")
_PROPERTIES = Standard("Java properties", "ascii", "java.util.Properties", escapes=True)
_SUFFIXES = {
    ".json": _JSON,
    ".geojson": _JSON,
    ".ipynb": _JSON,
    ".webmanifest": _JSON,
    ".toml": Standard("TOML", "utf-8", "TOML 1.0"),
    ".desktop": Standard("desktop entry", "utf-8", "the Desktop Entry Specification"),
    ".properties": _PROPERTIES,
}
_VCARD_4 = re.compile(r"\ufeff?BEGIN:VCARD\r?\nVERSION:4", re.IGNORECASE)
_VCARD = Standard("vCard 4", "utf-8", "RFC 6350")
_ESCAPE = re.compile(r"\\u([0-9a-fA-F]{4})")


def find_standard(path: str, text: str) -> Standard | None:
    """Return the standard for the file at *path* with the content *text*, or ``None``."""
    found = _SUFFIXES.get(os.path.splitext(path)[1].lower())
    return found or (_VCARD if _VCARD_4.match(text) else None)


def escape_edits(text: str) -> tuple[Edit, ...]:
    """Return the edits that write each non-ASCII character of *text* as \\uXXXX, as in Java."""
    return tuple(
        Edit(at, at + 1, character, _escaped(character))
        for at, character in enumerate(text)
        if character > "\x7f"
    )


def _escaped(character: str) -> str:
    units = character.encode("utf-16-be")
    return "".join(f"\\u{units[at]:02X}{units[at + 1]:02X}" for at in range(0, len(units), 2))


def unescape(text: str) -> str:
    """Return *text* with every \\uXXXX replaced by its character, as in Java."""
    plain = _ESCAPE.sub(lambda match: chr(int(match[1], 16)), text)
    return plain.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
