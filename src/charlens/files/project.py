"""The encodings that a project sets for its files in `.gitattributes` and `.editorconfig`.

These files are not rewritten: a contradiction is reported, and a conversion that would cause one is refused.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from fnmatch import fnmatch
from functools import lru_cache
from typing import NamedTuple

from charlens.encodings import lookup
from charlens.files.confined import hold, within
from charlens.inputs.paths import open_regular

#: The most bytes read of such a file; they are short.
_MOST_BYTES = 1 << 20
_WORKING_TREE = re.compile(r"\bworking-tree-encoding=(?P<name>[\w.:-]+)")
_SECTION = re.compile(r"\s*\[(?P<pattern>.+)\]\s*$")
_CHARSET = re.compile(r"\s*charset\s*[=:]\s*(?P<name>[\w-]+)", re.IGNORECASE)
_BRACES = re.compile(r"\{([^{}]*,[^{}]*)\}")


class Said(NamedTuple):
    """The encoding set for a file, and where it is set."""

    encoding: str
    words: str


def find_said(path: str, root: str = "") -> Said | None:
    """Return the encoding that the project sets for the file at *path*; the nearest folder wins.

    With *root*, a real path, nothing outside that folder is read, not even through links.
    """
    folder, name = os.path.split(os.path.realpath(path))
    inner = name
    while True:
        for pattern, label, words in _rows(folder, root):
            known = lookup(label.lower().removesuffix("-bom"))
            if known is not None and _fits(inner, pattern):
                return Said(known.name, words)
        parent = os.path.dirname(folder)
        if folder == (root or parent) or os.path.exists(os.path.join(folder, ".git")):
            return None
        inner = f"{os.path.basename(folder)}/{inner}"
        folder = parent


def _fits(inner: str, pattern: str) -> bool:
    """Whether a relative path matches the pattern; a pattern without '/' only has to match the name."""
    found = _BRACES.search(pattern)
    if found:
        parts = (pattern[: found.start()] + part + pattern[found.end() :] for part in found[1].split(","))
        return any(_fits(inner, part) for part in parts)
    pattern = pattern.replace("**", "*")
    return (
        fnmatch(inner, pattern.lstrip("/")) if "/" in pattern else fnmatch(inner.rsplit("/", 1)[-1], pattern)
    )


def _rows(folder: str, root: str) -> Iterator[tuple[str, str, str]]:
    """Yield pattern, label and message for the settings in *folder*, by precedence."""
    for name, parse in ((".gitattributes", _attributes), (".editorconfig", _editor)):
        with suppress(OSError):
            yield from parse(_read(os.path.join(folder, name), root))


def _read(path: str, root: str) -> bytes:
    if not root:
        with open_regular(path) as file:
            return file.read(_MOST_BYTES)
    path = os.path.realpath(path)
    if not within(root, path):
        return b""
    with hold(root, path) as (name, folder), open_regular(name, folder) as file:
        return file.read(_MOST_BYTES)


@lru_cache(maxsize=256)
def _attributes(content: bytes) -> tuple[tuple[str, str, str], ...]:
    found = []
    for line in _lines(content):
        match = _WORKING_TREE.search(line)
        if match and not line.lstrip().startswith("#"):
            found.append((line.split()[0], match["name"], f".gitattributes says {match[0]}"))
    return tuple(reversed(found))  # the last matching line wins


@lru_cache(maxsize=256)
def _editor(content: bytes) -> tuple[tuple[str, str, str], ...]:
    found = []
    pattern = ""
    for line in _lines(content):
        section, charset = _SECTION.match(line), _CHARSET.match(line)
        if section:
            pattern = section["pattern"]
        elif charset and pattern:
            found.append((pattern, charset["name"], f".editorconfig says charset = {charset['name']}"))
    return tuple(reversed(found))


def _lines(content: bytes) -> list[str]:
    return content.decode("utf-8", "replace").splitlines()
