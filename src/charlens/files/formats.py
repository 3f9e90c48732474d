"""Formats whose standard restricts the encoding, recognised by the name of the file or its first line.

JSON, TOML, .desktop files and vCard 4 are UTF-8; Java's .properties are ISO 8859-1 with \\uXXXX for the rest.  They are
written here as ASCII, which every version of Java reads in the same way.  Python and XML are UTF-8 unless they declare
something else; Go, Rust and YAML cannot.  Other programs, catalogues and mails can be in any encoding with the bytes of
ASCII.  Most of them must begin with these bytes, and not with a byte order mark.
"""

from __future__ import annotations

import os
import re
from typing import NamedTuple

from charlens.encodings import has_ascii, lookup
from charlens.files.declarations import Edit, find_declared

#: Bytes, or characters, by which a format is recognised.
OPENING = 256


class Standard(NamedTuple):
    """What a standard requires of a format."""

    name: str
    #: The encoding, or "" for any with the bytes of ASCII; 'ANSI' for any code page of Windows.
    encoding: str
    #: The name of the standard.
    source: str
    #: Whether a byte order mark is allowed.
    bom: bool = False
    #: Whether non-ASCII characters are written as \\uXXXX.
    escapes: bool = False
    #: Whether UTF-16 and UTF-32 are allowed, too.
    wide: bool = False
    #: The kind of declaration with which any encoding with the bytes of ASCII is allowed, or "".
    declares: str = ""
    #: Whether it begins with '#!', or a shell reads it: no mark, and lines end with LF.
    script: bool = False

    def refusal(self, target: str, text: str, *, is_ascii: bool) -> str:
        """Say why a file with the content *text*, all of it ASCII or not, must not be in *target*, or return ""."""
        if target in ("ascii", self.encoding) or (self.wide and target.startswith(("utf-16", "utf-32"))):
            return ""
        is_open = not self.encoding or (is_ascii and self.encoding in ("utf-8", _ANSI))
        if has_ascii(target) and (is_open or (self.declares and self._declares(text))):
            return ""
        if self.encoding == _ANSI:
            known = lookup(target)
            words = f"{self.name} must be in a code page of Windows ({self.source}), not {target}"
            return "" if known and known.kind in ("single", "multi") else words
        wanted = self.encoding or "in an encoding with the bytes of ASCII"
        unless = " if it declares nothing else" if self.declares else ""
        return f"{self.name} must be {wanted}{unless} ({self.source}), not {target}; use {self.encoding or 'utf-8'}"

    def _declares(self, text: str) -> bool:
        return any(found.kind == self.declares for found in find_declared(text))

    @property
    def mark_refusal(self) -> str:
        """Why a file must not have the byte order mark of UTF-8, or ""."""
        if self.script and self.bom:
            return _SCRIPT.mark_refusal
        return "" if self.bom else f"{self.name} must not have a byte order mark ({self.source})"

    @property
    def newline_refusal(self) -> str:
        """Why lines must not end with CR or CRLF, or ""."""
        return "the lines of a script must end with LF: shells and '#!' take CR for text" if self.script else ""


_ANSI = "ANSI"
_JSON = Standard("JSON", "utf-8", "RFC 8259")
_PROPERTIES = Standard("Java properties", "ascii", "java.util.Properties", escapes=True)
_GIT = Standard("a file of Git", "", "gitattributes(5)")
_SCRIPT = Standard("a script", "", "programs look for '#!' in its first two bytes", script=True)
_PHP = Standard("PHP source", "", "PHP sends what is before '<?php'")
_MAKE = Standard("a makefile", "", "make(1)")
_DOCKER = Standard("a Dockerfile", "", "its reference")
_C = Standard("C source", "", "the C standard", bom=True)
_PYTHON = Standard("Python source", "utf-8", "PEP 263", bom=True, declares="python")
_XML = Standard("XML", "utf-8", "XML 1.0", bom=True, wide=True, declares="xml")
_YAML = Standard("YAML", "utf-8", "YAML 1.2", bom=True, wide=True)
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
    **dict.fromkeys((".sh", ".bash", ".zsh", ".ksh"), _SCRIPT),
    **dict.fromkeys((".bashrc", ".bash_profile", ".bash_aliases", ".bash_logout", ".profile"), _SCRIPT),
    **dict.fromkeys((".zshrc", ".zshenv", ".zprofile", ".zlogin", ".kshrc"), _SCRIPT),
    ".htaccess": Standard("an .htaccess file", "", "Apache reads it"),
    **dict.fromkeys((".xml", ".svg", ".xsl", ".xslt", ".xsd", ".rss", ".atom", ".kml", ".gpx", ".plist"), _XML),
    **dict.fromkeys((".yaml", ".yml"), _YAML),
    ".go": Standard("Go source", "utf-8", "the Go specification", bom=True),
    ".rs": Standard("Rust source", "utf-8", "the Rust reference", bom=True),
    **dict.fromkeys((".gitattributes", ".gitignore", ".gitmodules"), _GIT),
    ".editorconfig": Standard("an .editorconfig file", "", "its specification"),
    ".env": Standard("an .env file", "", "shells read it", script=True),
    **dict.fromkeys((".php", ".phtml"), _PHP),
    **dict.fromkeys(("makefile", "gnumakefile", ".mk"), _MAKE),
    **dict.fromkeys(("dockerfile", "containerfile", ".dockerfile"), _DOCKER),
    **dict.fromkeys((".c", ".h", ".cc", ".cpp", ".cxx", ".hh", ".hpp", ".hxx"), _C),
}
_REGISTRY = Standard("a registry file of version 5", "utf-16-le", "regedit", bom=True)
_OLD_REGISTRY = Standard("a registry file of version 4", _ANSI, "regedit")
#: By the first characters.
_OPENINGS = (
    ("<?php", _PHP),
    ("<?xml", _XML),
    ("Windows Registry Editor Version 5", _REGISTRY),
    ("REGEDIT4", _OLD_REGISTRY),
)
#: JSON in a file without a suffix.
_JSON_OPENS = re.compile(r'\s*(?:\[\s*)*\{\s*"(?:[^"\\\r\n]|\\.){0,100}"\s*:')
_CARD_4_OPENS = re.compile(r"\ufeff?BEGIN:VCARD\r?\nVERSION:4", re.IGNORECASE)
_CARD_4 = Standard("vCard 4", "utf-8", "RFC 6350")
#: A backslash escapes what is behind it; before anything but a few letters, it means nothing.
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
#: A non-ASCII character, with the backslash before it if that is not itself escaped.
_TO_ESCAPE = re.compile(r"(?<!\\)(?:\\\\)*(\\?)([^\x00-\x7f])")


def find_standard(path: str, text: str) -> Standard | None:
    """Return the standard for the file at *path* with the content *text*, or ``None``."""
    if _CARD_4_OPENS.match(text):
        return _CARD_4
    stem, suffix = os.path.splitext(os.path.basename(path))
    found = _SUFFIXES.get(suffix.lower()) or _SUFFIXES.get(stem.lower())
    # The first bytes of a program count, whatever its language allows.
    if found is None or (found.bom and not found.encoding):
        found = next((standard for opening, standard in _OPENINGS if text.startswith(opening)), found)
    if found is None and not suffix and _JSON_OPENS.match(text):
        found = _JSON
    if text.startswith("#!"):
        return found._replace(script=True) if found else _SCRIPT
    return found


def escape_edits(text: str) -> tuple[Edit, ...]:
    """Return the edits that write each non-ASCII character of *text* as \\uXXXX, as in Java.

    A backslash before such a character means nothing, and is replaced with it.
    """
    return tuple(
        Edit(match.start(1), match.end(2), match[1] + match[2], _escaped(match[2]))
        for match in _TO_ESCAPE.finditer(text)
    )


def _escaped(character: str) -> str:
    units = character.encode("utf-16-be")
    return "".join(f"\\u{units[at]:02X}{units[at + 1]:02X}" for at in range(0, len(units), 2))


def unescape(text: str) -> str:
    """Return *text* with every \\uXXXX replaced by its character, as in Java; other escapes stay."""
    plain = _ESCAPE.sub(_plain, text)
    return plain.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _plain(match: re.Match[str]) -> str:
    if match[1]:
        return chr(int(match[1], 16))
    return match[0] if match[2].isascii() else match[2]
