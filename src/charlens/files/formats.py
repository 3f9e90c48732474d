"""Formats whose standard restricts the encoding, recognised by the name of the file or its first line.

JSON, TOML, .desktop files and vCard 4 are UTF-8; Java's .properties are ISO 8859-1 with \\uXXXX for the rest.  They are
written here as ASCII, which every version of Java reads in the same way.  Programs, catalogues and mails can be in
any encoding with the bytes of ASCII.  Most of them must begin with these bytes, and not with a byte order mark.
"""

from __future__ import annotations

import os
import re
from typing import NamedTuple

from charlens.encodings import has_ascii
from charlens.files.declarations import Edit

#: Bytes, or characters, by which a format is recognised.
OPENING = 256


class Standard(NamedTuple):
    """What a standard requires of a format."""

    name: str
    #: The encoding, or "" for any with the bytes of ASCII.
    encoding: str
    #: The name of the standard.
    source: str
    #: Whether a byte order mark is allowed.
    bom: bool = False
    #: Whether non-ASCII characters are written as \\uXXXX.
    escapes: bool = False

    def refusal(self, target: str) -> str:
        """Say why a file must not be in the encoding *target*, or return ""."""
        if target == "ascii" or (target == self.encoding if self.encoding else has_ascii(target)):
            return ""
        wanted = self.encoding or "in an encoding with the bytes of ASCII"
        return f"{self.name} must be {wanted} ({self.source}), not {target}; use {self.encoding or 'utf-8'}"

    @property
    def mark_refusal(self) -> str:
        """Why a file must not have the byte order mark of UTF-8, or ""."""
        return "" if self.bom else f"{self.name} must not have a byte order mark ({self.source})"


_JSON = Standard("JSON", "utf-8", "RFC 8259")
_PROPERTIES = Standard("Java properties", "ascii", "java.util.Properties", escapes=True)
_GIT = Standard("a file of Git", "", "gitattributes(5)")
_SCRIPT = Standard("a script", "", "execve(2) and shells look for '#!'")
_PHP = Standard("PHP source", "", "PHP sends what is before '<?php'")
_MAKE = Standard("a makefile", "", "make(1)")
_DOCKER = Standard("a Dockerfile", "", "its reference")
_C = Standard("C source", "", "the C standard", bom=True)
_PYTHON = Standard("Python source", "", "PEP 263", bom=True)
_TEX = Standard("LaTeX", "", "inputenc", bom=True)
_GETTEXT = Standard("a message catalogue", "", "gettext")
_MAIL = Standard("a mail", "", "RFC 6532")
_CARD = Standard("vCard", "", "vCard 2.1", bom=True)
_BATCH = Standard("a batch file", "", "cmd.exe")
#: By the end of the name, by the whole name, or by the name before the end ('Dockerfile.test').
_SUFFIXES = {
    ".json": _JSON,
    ".geojson": _JSON,
    ".ipynb": _JSON,
    ".webmanifest": _JSON,
    ".toml": Standard("TOML", "utf-8", "TOML 1.0"),
    ".desktop": Standard("desktop entry", "utf-8", "the Desktop Entry Specification"),
    ".properties": _PROPERTIES,
    **dict.fromkeys((".py", ".pyi", ".pyw"), _PYTHON),
    ".rb": Standard("Ruby source", "", "magic comments", bom=True),
    **dict.fromkeys((".po", ".pot"), _GETTEXT),
    **dict.fromkeys((".eml", ".mbox"), _MAIL),
    **dict.fromkeys((".vcf", ".vcs"), _CARD),
    **dict.fromkeys((".tex", ".ltx", ".sty", ".cls"), _TEX),
    **dict.fromkeys((".bat", ".cmd"), _BATCH),
    **dict.fromkeys((".sh", ".bash"), _SCRIPT),
    **dict.fromkeys((".gitattributes", ".gitignore", ".gitmodules"), _GIT),
    ".editorconfig": Standard("an .editorconfig file", "", "its specification"),
    ".env": Standard("an .env file", "", "shells read it"),
    **dict.fromkeys((".php", ".phtml"), _PHP),
    **dict.fromkeys(("makefile", "gnumakefile", ".mk"), _MAKE),
    **dict.fromkeys(("dockerfile", "containerfile", ".dockerfile"), _DOCKER),
    **dict.fromkeys((".c", ".h", ".cc", ".cpp", ".cxx", ".hh", ".hpp", ".hxx"), _C),
}
#: By the first characters.
_OPENINGS = (("#!", _SCRIPT), ("<?php", _PHP))
_CARD_4_OPENS = re.compile(r"\ufeff?BEGIN:VCARD\r?\nVERSION:4", re.IGNORECASE)
_CARD_4 = Standard("vCard 4", "utf-8", "RFC 6350")
_ESCAPE = re.compile(r"\\u([0-9a-fA-F]{4})")


def find_standard(path: str, text: str) -> Standard | None:
    """Return the standard for the file at *path* with the content *text*, or ``None``."""
    if _CARD_4_OPENS.match(text):
        return _CARD_4
    stem, suffix = os.path.splitext(os.path.basename(path))
    found = _SUFFIXES.get(suffix.lower()) or _SUFFIXES.get(stem.lower())
    # The first bytes of a program count, whatever its language allows.
    if found is None or (found.bom and not found.encoding):
        found = next((standard for opening, standard in _OPENINGS if text.startswith(opening)), found)
    return found


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
