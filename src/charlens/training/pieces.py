"""Cut pieces of text around non-ASCII characters: words, and excerpts of real files that fit an encoding."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence

from charlens.encodings import lookup
from charlens.encodings.orthography import write

NON_ASCII = re.compile(r"[^\x00-\x7f]")
#: Pieces up to this size are mostly whole words.
SHORT = 16
WORDS_IN_SHORT = 0.7
#: An encoding less common than this is not known by signs alone: what it reads as signs is letters elsewhere.
_LEAST_COMMON = 5
#: Excerpts are tried until one fits the encoding.
_TRIES = 12


class Excerpts:
    """What is around the non-ASCII characters of real files, by package."""

    def __init__(self, packages: Sequence[Sequence[str]]) -> None:
        self._packages = packages
        self._fitting: dict[str, list[list[tuple[str, list[int]]]]] = {}

    def __bool__(self) -> bool:
        return bool(self._packages)

    def piece(self, length: int, encoding: str, chance: random.Random) -> str:
        """Return a piece around a non-ASCII character, with nothing that *encoding* lacks; "" if none is found."""
        if encoding not in self._fitting:
            self._fitting[encoding] = [
                *filter(None, ([*_find_fitting(package, encoding)] for package in self._packages))
            ]
        packages = self._fitting[encoding]
        for _ in range(_TRIES if packages else 0):
            text, places = chance.choice(chance.choice(packages))
            place = chance.choice(places)
            if length <= SHORT and chance.random() < WORDS_IN_SHORT:
                piece = word_at(text, place, length)
            else:
                start = max(0, place - int(chance.random() * length))
                piece = text[start : start + length]
            if write("".join(NON_ASCII.findall(piece)), encoding):
                return piece
        return ""


def _find_fitting(excerpts: Sequence[str], encoding: str) -> Iterator[tuple[str, list[int]]]:
    """Yield the excerpts that have non-ASCII characters of *encoding*, with their places; of a rare one, letters."""
    rare = is_rare(encoding)
    known: dict[str, bool] = {}
    for text in excerpts:
        places = []
        for match in NON_ASCII.finditer(text):
            character = match[0]
            if character not in known:
                known[character] = bool(write(character, encoding)) and (character.isalpha() or not rare)
            if known[character]:
                places.append(match.start())
        if places:
            yield text, places


def is_rare(encoding: str, least: int = _LEAST_COMMON) -> bool:
    """Whether *encoding* is less common than *least*, or unknown."""
    known = lookup(encoding)
    return known is None or known.common < least


def word_at(text: str, place: int, length: int) -> str:
    """Return the word at *place*, with its neighbour where that leaves it within *length*, else a part of it."""
    start = max(text.rfind(" ", 0, place), text.rfind("\n", 0, place)) + 1
    end = text.find(" ", place)
    end = len(text) if end < 0 else end
    word = text[start:end].split("\n")[0]
    if len(word) > length:
        return text[place : place + length]
    further = text.find(" ", end + 1)
    return text[start:further] if 0 < further - start <= length else word.strip(".,;:!?()")
