"""The encodings and line endings that a project sets for its files in `.gitattributes` and `.editorconfig`.

These files are not rewritten: a contradiction is reported, and a conversion that would cause one is refused.  Git
refuses files that are not as `.gitattributes` says, so that counts more than `.editorconfig`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache
from typing import NamedTuple

from charlens.encodings import has_ascii, lookup, squeeze
from charlens.files.confined import hold, within
from charlens.files.marks import MARKS
from charlens.inputs.paths import open_regular

#: The most bytes read of such a file; they are short.
_MOST_BYTES = 1 << 20
_GIT, _EDITOR = ".gitattributes", ".editorconfig"
_ATTRIBUTE = "working-tree-encoding"
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"(?=\s)')
_MACRO = re.compile(r"\[attr\](\S+)")
_SECTION = re.compile(r"\s*\[(?P<pattern>.+)\]\s*$")
_SETTING = re.compile(r"\s*(?P<key>charset|end_of_line)\s*[=:]\s*(?P<value>[\w-]+)", re.IGNORECASE)
_ROOT = re.compile(r"\s*root\s*[=:]\s*true\s*$", re.IGNORECASE)
_BRACES = re.compile(r"\{([^{},]*,[^{}]*)\}")
#: A piece of a pattern, and what it matches.
_GLOB = re.compile(r"\*\*/|/\*\*|\*\*|\*|\?|\[!?\]?[^\]/]*\]|\\.|.", re.DOTALL)
_PIECES = {"**/": "(?:.*/)?", "/**": "/.*", "**": ".*", "*": "[^/]*", "?": "[^/]"}
_NOTHING = re.compile(r"(?!)")
#: The most stars in a regular expression: with each, the time can grow by a factor of the length of the path.
_MOST_STARS = 3
#: The most patterns that braces may stand for ('{a,b}' twenty times is a million), and the longest pattern; more
#: match nothing.
_MOST_PATTERNS, _LONGEST_PATTERN = 256, 4096


class Said(NamedTuple):
    """The encoding set for a file, and where it is set."""

    encoding: str
    words: str
    #: Whether a byte order mark is required (True) or forbidden (False).
    bom: bool | None = None
    #: The name as it is set, without '-bom'.
    label: str = ""
    #: Whether it is set in .gitattributes.
    in_git: bool = False

    def refusal(self, encoding: str, is_marked: bool) -> str:
        """Say why a file must not be in *encoding*, with or without a mark, or return ""."""
        is_open = self.bom and not squeeze(self.label).endswith(("le", "be"))
        same = encoding == self.encoding or (is_open and encoding[:6] == self.encoding[:6])
        if not same and not (encoding == "ascii" and has_ascii(self.encoding)):
            return self.words
        if encoding not in MARKS or self.bom in (None, is_marked):
            return ""
        return f"{self.words}, which {'needs' if self.bom else 'forbids'} a byte order mark"


class _Row(NamedTuple):
    """A line that applies to the files that match a pattern: attributes, or a key and its value."""

    pattern: re.Pattern[str] | _Pieces
    words: tuple[str, ...]


class _Settings(NamedTuple):
    """The content of one file, the last row first."""

    rows: tuple[_Row, ...] = ()
    macros: tuple[tuple[str, tuple[str, ...]], ...] = ()
    is_root: bool = False


def find_said(path: str, root: str = "") -> Said | None:
    """Return the encoding that the project sets for the file at *path*; the nearest folder wins.

    With *root*, a real path, nothing outside that folder is read, not even through links.
    """
    place = os.path.realpath(path)
    folders = [*_folders(os.path.dirname(place), root)]
    return _in_git(place, folders, root) or _in_editor(place, folders, root)


def find_newline(path: str, root: str = "") -> str | None:
    """Return the line ending that .editorconfig sets for the file at *path*: 'lf', 'crlf' or 'cr'; *root* as above."""
    place = os.path.realpath(path)
    value = _setting("end_of_line", place, [*_folders(os.path.dirname(place), root)], root).lower()
    return value if value in ("lf", "crlf", "cr") else None


def _folders(folder: str, root: str) -> Iterator[str]:
    """Yield *folder* and those above it, up to that of the project."""
    while True:
        yield folder
        parent = os.path.dirname(folder)
        if folder == (root or parent) or os.path.exists(os.path.join(folder, ".git")):
            return
        folder = parent


def _in_git(place: str, folders: list[str], root: str) -> Said | None:
    files = [(folder, _attributes(_read(os.path.join(folder, _GIT), root))) for folder in folders]
    macros = dict(macro for _, settings in reversed(files) for macro in settings.macros)
    for folder, settings in files:
        for row in settings.rows:
            if row.pattern.fullmatch(_inner(place, folder)):
                value = _value(row.words, macros)
                if value is not None:
                    return _said(value, f"{_GIT} says {_ATTRIBUTE}={value}", in_git=True)
    return None


def _value(words: tuple[str, ...], macros: dict[str, tuple[str, ...]], depth: int = 0) -> str | None:
    """Return the encoding that the attributes *words* set, "" if they take it back, and None if they say nothing."""
    for word in reversed(words):
        name, _, value = word.partition("=")
        if name == _ATTRIBUTE:
            return value
        if name[:1] in "-!" and name[1:] == _ATTRIBUTE:
            return ""
        inner = _value(macros[name], macros, depth + 1) if name in macros and depth < 9 else None
        if inner is not None:
            return inner
    return None


def _in_editor(place: str, folders: list[str], root: str) -> Said | None:
    name = _setting("charset", place, folders, root)
    return _said(name, f"{_EDITOR} says charset = {name}") if name else None


def _setting(key: str, place: str, folders: list[str], root: str) -> str:
    """Return the value of *key* in .editorconfig, or ""."""
    for folder in folders:
        settings = _editor_settings(_read(os.path.join(folder, _EDITOR), root))
        for row in settings.rows:
            if row.words[0] == key and row.pattern.fullmatch(_inner(place, folder)):
                return row.words[1]
        if settings.is_root:
            break
    return ""


def _inner(place: str, folder: str) -> str:
    return os.path.relpath(place, folder).replace(os.sep, "/")


def _said(name: str, words: str, in_git: bool = False) -> Said | None:
    """Return what the setting *name* means; None if it means nothing ('unset')."""
    label = name.lower().removesuffix("-bom")
    known = lookup(label)
    if known is None:
        return None
    bom: bool | None = True if label != name.lower() else None
    if in_git and bom is None and known.name.startswith(("utf-16", "utf-32")):
        bom = not squeeze(label).endswith(("le", "be"))
    return Said(known.name, words, bom, label, in_git)


def _read(path: str, root: str) -> bytes:
    with suppress(OSError):
        if not root:
            with open_regular(path) as file:
                return file.read(_MOST_BYTES)
        path = os.path.realpath(path)
        if within(root, path):
            with hold(root, path) as (name, folder), open_regular(name, folder) as file:
                return file.read(_MOST_BYTES)
    return b""


@lru_cache(maxsize=256)
def _attributes(content: bytes) -> _Settings:
    rows, macros = [], []
    for line in _lines(content):
        quoted = _QUOTED.match(line)
        first = quoted[0] if quoted else (line.split() or [""])[0]
        words = tuple(line[len(first) :].split())
        macro = _MACRO.fullmatch(first)
        if macro:
            macros.append((macro[1], words))
        elif words and not first.startswith("#"):
            rows.append(_Row(_compiled(_unquoted(quoted[1]) if quoted else first), words))
    return _Settings(tuple(reversed(rows)), tuple(macros))  # the last matching line wins


def _unquoted(text: str) -> str:
    """Return the name that Git has quoted as in C."""
    with suppress(UnicodeDecodeError):
        return text.encode().decode("unicode_escape").encode("latin-1", "replace").decode("utf-8", "replace")
    return text


@lru_cache(maxsize=256)
def _editor_settings(content: bytes) -> _Settings:
    rows = []
    pattern, is_root = "", False
    for line in _lines(content):
        section, setting = _SECTION.match(line), _SETTING.match(line)
        if section:
            pattern = section["pattern"]
        elif setting and pattern:
            rows.append(_Row(_compiled(pattern, braces=True), (setting["key"].lower(), setting["value"])))
        elif not pattern and _ROOT.match(line):
            is_root = True
    return _Settings(tuple(reversed(rows)), is_root=is_root)


def _compiled(pattern: str, *, braces: bool = False) -> re.Pattern[str] | _Pieces:
    """Return a pattern for relative paths; one without '/' only has to match the name."""
    if len(pattern) > _LONGEST_PATTERN:
        return _NOTHING
    patterns = [pattern]
    while braces and (found := _BRACES.search(patterns[0])):
        before, after = patterns[0][: found.start()], patterns[0][found.end() :]
        patterns = [*patterns[1:], *(before + part + after for part in found[1].split(","))]
        if len(patterns) > _MOST_PATTERNS:
            return _NOTHING
    pieces = list(map(_regular, patterns))
    try:
        regular = re.compile("|".join(map("".join, pieces)))
    except re.error:
        return _NOTHING
    return regular if max(map(_count_stars, pieces)) <= _MOST_STARS else _Pieces(pieces)


def _count_stars(pieces: list[str]) -> int:
    return sum(piece.endswith(("*", "?")) and len(piece) > 1 for piece in pieces)


def _regular(pattern: str) -> list[str]:
    """Return the regular expressions of the pieces of *pattern*."""
    pieces = [] if "/" in pattern.rstrip("/") else ["(?:.*/)?"]
    for match in _GLOB.finditer(pattern.removeprefix("/")):
        piece = match[0]
        if piece.startswith("[") and len(piece) > 1:
            inside = piece[1:-1].replace("\\", r"\\")
            pieces.append(f"[{'^' + inside[1:] if inside.startswith('!') else inside}]")
        else:
            pieces.append(_PIECES.get(piece) or re.escape(piece.removeprefix("\\") or piece))
    return pieces


class _Pieces:
    """Patterns with many stars: piece by piece, all places in the path that a match can have reached.

    This is slower than a regular expression, but its time is at most the length of the pattern times that of the path.
    """

    def __init__(self, patterns: list[list[str]]) -> None:
        self._patterns = patterns

    def fullmatch(self, path: str) -> bool:
        """Whether one of the patterns matches all of *path*."""
        for pieces in self._patterns:
            places = {0}
            for piece in pieces:
                places = _after(piece, path, places) if places else places
            if len(path) in places:
                return True
        return False


def _after(piece: str, path: str, places: set[int]) -> set[int]:
    """Return the places that *piece* can end at if it begins at one of *places*."""
    rest = range(min(places), len(path))
    if piece == _PIECES["**/"]:
        return places | {at + 1 for at in rest if path[at] == "/"}
    if piece == _PIECES["**"]:
        return {*rest, len(path)}
    if piece == _PIECES["/**"]:
        slashes = [at for at in places if path.startswith("/", at)]
        return set(range(min(slashes) + 1, len(path) + 1)) if slashes else set()
    if piece == _PIECES["*"]:
        reached = set(places)
        for at in rest:
            if at in reached and path[at] != "/":
                reached.add(at + 1)
        return reached
    return {at + 1 for at in places if re.fullmatch(piece, path[at : at + 1])}


def _lines(content: bytes) -> list[str]:
    return [line.strip() for line in content.decode("utf-8-sig", "replace").splitlines()]
