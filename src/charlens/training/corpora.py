"""Texts to train on: UTF-8 files by language, `<language>/<source>.txt`, and how they are divided.

A *source* is one file: a book, a site, a collection.  Whole sources are set aside for calibration and for the test,
so no text is on two sides; a language with too few sources is cut into three pieces instead.  `cells.txt` is no source:
it has names and labels, one on each line, and its lines are divided.  Neither is `excerpts.jsonl`: its packages are.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection
from pathlib import Path
from typing import NamedTuple

from charlens.errors import CharlensError

# A source set aside must be worth it, and must not be most of the language.
_SMALLEST_ASIDE = 8_000
_LARGEST_SHARE = 0.35
#: The name of the file with names and labels.
CELLS = "cells"
#: The file with places of real files that are not ASCII.
EXCERPTS = "excerpts.jsonl"
# If a language has fewer sources than this, its texts are cut instead.
_LEAST_SOURCES = 4
_CUTS = (0.84, 0.92)


class Texts(NamedTuple):
    """The texts of one language: to train on, to calibrate on, to test on."""

    train: tuple[str, ...]
    calibrate: tuple[str, ...]
    test: tuple[str, ...]


def find_languages(corpus: Path, without: Collection[str] = ()) -> dict[str, list[Path]]:
    """Return the files of each language in *corpus*, by the lower-case tag that its folder is named after.

    *without* names sources to leave out, as 'sl/tatoeba'.
    """
    found: dict[str, list[Path]] = {}
    for path in sorted(corpus.glob("*/*.txt")):
        if path.stem != CELLS and f"{path.parent.name}/{path.stem}".lower() not in without:
            found.setdefault(path.parent.name.lower(), []).append(path)
    for path in sorted(corpus.glob("*.txt")):
        found.setdefault(path.stem.lower(), []).append(path)
    if not found:
        raise CharlensError(f"{corpus} holds no text: put UTF-8 files in {corpus}/<language>/<source>.txt")
    return found


def read_texts(language: str, paths: list[Path]) -> Texts:
    """Read the sources of a language and keep them apart; the same files always fall on the same sides."""
    sources = [(path.stem, _read(path)) for path in paths]
    total = sum(len(text) for _, text in sources)
    shuffled = sorted(
        sources, key=lambda source: hashlib.sha256(f"{language}/{source[0]}".encode()).hexdigest()
    )
    fit = [s for s in shuffled if _SMALLEST_ASIDE <= len(s[1]) <= _LARGEST_SHARE * total]
    if len(sources) < _LEAST_SOURCES or len(fit) < 2:
        return _cut([text for _, text in sources])
    test, calibrate = fit[0], fit[1]
    train = tuple(text for name, text in sources if name not in (test[0], calibrate[0]))
    return Texts(train, (calibrate[1],), (test[1],))


def read_cells(corpus: Path, language: str) -> tuple[list[str], list[str], list[str]]:
    """Return the names and labels of *language*, if there are any: to train on, to calibrate on, to test on."""
    sides: tuple[list[str], list[str], list[str]] = [], [], []
    path = corpus / language.lower() / f"{CELLS}.txt"
    for cell in sorted(set(_read(path).splitlines())) if path.exists() else ():
        sides[_side(cell)].append(cell)
    return sides


def read_excerpts(corpus: Path, language: str) -> tuple[list[list[str]], list[list[str]], list[list[str]]]:
    """Return the excerpts of real files in *language*, if there are any, by package: three sides as of cells."""
    packages: dict[str, list[str]] = {}
    path = corpus / language.lower() / EXCERPTS
    # Not splitlines(): the text can have other characters that end a line, such as U+2028.
    for line in _read(path).rstrip("\n").split("\n") if path.exists() else ():
        row = json.loads(line)
        packages.setdefault(row["package"], []).append(row["text"])
    sides: tuple[list[list[str]], list[list[str]], list[list[str]]] = [], [], []
    for package, excerpts in sorted(packages.items()):
        sides[_side(package)].append(excerpts)
    return sides


def _side(name: str) -> int:
    """Return the side that a cell or a package is on, by its hash."""
    place = hashlib.sha256(name.encode()).digest()[0] / 256
    return sum(place >= cut for cut in _CUTS)


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise CharlensError(f"{path} is not UTF-8 (byte {error.start}); convert it first") from error


def _cut(texts: list[str]) -> Texts:
    borders = [(int(len(text) * _CUTS[0]), int(len(text) * _CUTS[1]), text) for text in texts]
    return Texts(
        tuple(text[:first] for first, _, text in borders),
        tuple(text[first:second] for first, second, text in borders),
        tuple(text[second:] for _, second, text in borders),
    )
