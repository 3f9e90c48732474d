"""Judge a repair: how much more likely one text is than another.

Two things count.  First, how frequent the characters are, by the table of the unicode stage: text has few 'Ã' and '√',
many 'ü'.  Second, characters in odd places: signs in the middle of words, capitals after small letters, mixed scripts
in a word, controls.  Both work for all languages.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from typing import NamedTuple, TypeVar

from charlens.models.characters import character_weights

# The log-odds that a text was misread, if all of it can be misread UTF-8:
# `bench/mojibake_odds.py` fits the numbers on generated mojibake of 30 languages and on clean
# snippets that look like it by chance.
PRIOR = -6.5
_PER_BIT = 0.43
_PER_POINT = 1.57

Key = TypeVar("Key")
Value = TypeVar("Value")


class Remembered(dict[Key, Value]):
    """A cache of computed values with a limited size."""

    _MOST = 1 << 16

    def __init__(self, work: Callable[[Key], Value]) -> None:
        self._work = work

    def __missing__(self, key: Key) -> Value:
        if len(self) >= self._MOST:
            self.clear()
        found = self[key] = self._work(key)
        return found


#: How many characters the patterns below see before and after the one where they begin.
_BEFORE, _BEHIND = 2, 3
#: A piece that can be measured alone: non-ASCII characters with the context that the patterns see.
_PIECE = re.compile(
    rf"[^\0-\x7f]+(?:[\0-\x7f]{{1,{_BEFORE + _BEHIND - 1}}}[^\0-\x7f]+)*[\0-\x7f]{{0,{_BEHIND}}}"
)


class Measure(NamedTuple):
    """How likely and how odd a text is; computed once and compared often."""

    bits: float
    points: int


def measure(text: str) -> Measure:
    """Return the two numbers for `evidence`: sums over the non-ASCII pieces, which are cached."""
    places = [match.span() for match in _PIECE.finditer(text)]
    pieces = [text[start - _BEFORE if start > _BEFORE else 0 : end] for start, end in places]
    measures = [_MEASURES[piece] if len(piece) < _LONG else _measure_piece(piece) for piece in pieces]
    return Measure(sum([each[0] for each in measures], 0.0), sum([each[1] for each in measures]))


def _measure_piece(text: str) -> Measure:
    return Measure(_bits(text), oddness(text))


_MEASURES = Remembered(_measure_piece)
#: Longer pieces are not cached: they rarely occur twice.
_LONG = 64


def evidence(old: Measure, new: Measure) -> float:
    """Return the log-odds of the *new* text against the *old* one, without the `PRIOR`."""
    return _PER_BIT * (new.bits - old.bits) + _PER_POINT * (old.points - new.points)


def _bits(text: str) -> float:
    """Return the logarithm (base 2) of the probability of the non-ASCII characters of *text*."""
    return sum(map(_WEIGHTS.__getitem__, _ASCII.sub("", text)), 0.0)


def _weight(character: str) -> float:
    # The table has signed bytes, in quarters of a bit, relative to 1/65,536; it has one value for other planes.
    return ((character_weights()[min(ord(character), 0xD800)] ^ 0x80) - 0x80) / 4 - 16


_WEIGHTS = Remembered(_weight)
_ASCII = re.compile("[\\x00-\\x7f]+")

#: Each class of characters has a letter, which the patterns use.
_SINGLE = {
    "\u2019": "p",  # the apostrophe occurs inside words
    "\u2018": "r", "\u201c": "r", "\u201d": "r",
    "\u201e": "q", "\u201a": "q",
    "\u2026": "e", "\u2013": "-", "\u2014": "-",
    "\u00ab": "w", "\u00bb": "w", "\u2039": "s", "\u203a": "s",
    "\u00bf": "i", "\u00a1": "i",
    "\u00aa": "n", "\u00ba": "n", "\u2122": "t", "\u00b0": "d",
    "\u00b7": "p", "\u00b4": "p", "\u02bc": "p", "\u02bb": "p", "\u00ad": "p",
    "\u00a0": "_", "\u202f": "_", "\u2009": "_", "\u200b": "_", "\u200c": "p", "\u200d": "p",
    "\u221a": "R", "\u2248": "R", "\ufffd": "?", "\u00b5": "a", "\u0192": "s",
    # Letters for Unicode, but only known from the bytes 0x80 to 0x9F of some code pages, not from words.
    "\u02c6": "s", "\u02dc": "s", "\u02c7": "s", "\u02d8": "s", "\u02d9": "s", "\u02db": "s", "\u02dd": "s",
}  # fmt: skip
_SCRIPTS = (("LATIN", "lU"), ("CYRILLIC", "cC"), ("GREEK", "gG"))
_CASELESS = ("CJK", "HIRAGANA", "KATAKANA", "HANGUL", "THAI", "LAO", "KHMER", "MYANMAR", "TIBETAN")

#: Patterns of classes, and the points for each match: `python bench/mojibake.py` shows false repairs and recall.
_POINTS = (
    ("!", 6),  # C1 controls, characters that do not exist
    (r"\?", 2),
    ("(?<=[aAlUcCgGo])[sxid](?=[aAlUcCgGo])", 4),
    ("(?<=[aAlUcCgGosxtdinw!])[sx](?![aAlUcCgGo])", 3),
    ("(?<=[aAlUcCgGo])[wnt](?=[alcgo])", 4),
    ("(?<=[aAlUcCgGo])q", 4),
    ("(?<=[aAlUcCgGo])r(?=[alcgo])", 4),
    ("(?<=[UCG])[e-](?=[alcgo])", 4),
    ("(?<=U)U(?=[al])", 4),
    ("[lUs]-(?=[lUs]-)", 3),  # a dash after each letter: Cyrillic read as Mac Roman
    ("R(?=[lUcosdpwi])", 4),
    ("(?<=[al])U", 4),
    ("(?<=[AU])[l](?=[AU])", 4),
    ("(?<=[AU][AU])l(?![al])|(?<=CC)c(?!c)|(?<=GG)g(?!g)", 2),
    ("(?<=c)C", 4),
    ("(?<=g)G", 4),
    ("x(?=[lUcCgGoswndtipreq_!-])", 4),
    ("(?<=[aAlU])[cCgG]|(?<=[cCgG])[aAlU]", 4),
    ("(?<=[aAlU])o|(?<=o)[aAlU]", 2),
    ("(?<=[sxwnt])[sxwnt]", 1),
)
_PATTERNS = tuple((re.compile(pattern), points) for pattern, points in _POINTS)
#: Non-ASCII characters and the one after them: where patterns can begin.
_PLACES = re.compile("[^aA1. ]+.?", re.DOTALL)
#: Sequences that no language has: capitals before a letter or sign that only a code page has, and how
#: the dashes and quotation marks of UTF-8 (E2 80 …) begin in each code page. 'Ă' before 'ş' is Romanian, 'Ä'
#: before 'ť' Slovak.
_NEVER = re.compile(
    "[ÃÂ][œšžŸŠŒŽƒ]|[ÃÂ][\u00a0-\u00bf](?=[^A-ZÀ-Þ]|$)|Ă[ŚśŤťŹźŁłĄąĽľŻżŠšŽž€¨©ˇ˘˝]|Ä[ŚśŹŁłĄą]"
    "|(?:â€|вЂ|ΓÇ|ÔÇ|‚Ä|тА|Б─|β€|ā€|ג€)(?=[^\\x00-\\x7f])"
)
_NEVER_POINTS = 3


def _class_of(number: int) -> str:
    character = chr(number)
    if character in _SINGLE:
        return _SINGLE[character]
    category = unicodedata.category(character)
    if character < "\x80":
        letters = (
            "A"
            if character.isupper()
            else "a"
            if character.isalpha()
            else "1"
            if character.isdigit()
            else "."
        )
        return " " if character.isspace() else letters
    if category in ("Cc", "Cn", "Co", "Cs"):
        return "!"
    if "\u2500" <= character <= "\u259f":
        return "x"
    if category[0] == "L":
        name = unicodedata.name(character, "")
        for script, classes in _SCRIPTS:
            if name.startswith(script):
                return classes[category in ("Lu", "Lt")]
        return "k" if name.startswith(_CASELESS) else "o"
    return {"M": "k", "N": "s", "P": "s" if character < "\u2e80" else "k", "Z": "_"}.get(category[0], "s")


def _points_at(classes: str) -> int:
    """Return the points of the patterns at one character, from the classes around it."""
    return sum(points for pattern, points in _PATTERNS if pattern.match(classes, _BEFORE))


_CLASSES = Remembered(_class_of)
_POINTS_AT = Remembered(_points_at)


def oddness(text: str) -> int:
    """Return how odd *text* looks, in points; nearly all real text has 0."""
    classes = " " * _BEFORE + text.translate(_CLASSES) + " " * _BEHIND
    windows = [
        classes[at - _BEFORE : at + _BEHIND + 1]
        for match in _PLACES.finditer(classes, _BEFORE, len(classes) - _BEHIND)
        for at in range(*match.span())
    ]
    return sum(map(_POINTS_AT.__getitem__, windows)) + _NEVER_POINTS * len(_NEVER.findall(text))
