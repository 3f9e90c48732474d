"""Judge a repair: how much likelier one text is than another.

Two things count.  The characters, by the table that the unicode stage judges UTF-16 by: text has few 'Ã' and '√', many
'ü'.  And what stands where no text has it: signs in the middle of words, capitals behind small letters, scripts mixed
in a word, controls.  No language is asked for: both hold in all of them.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from typing import NamedTuple, TypeVar

from charlens.models.characters import character_weights

# The logarithm of the odds that a text was decoded wrongly, where it reads as UTF-8 throughout:
# `bench/mojibake_odds.py` fits the numbers on made mojibake of 30 languages and on clean
# snippets that read so by chance.
PRIOR = -6.5
_PER_BIT = 0.43
_PER_POINT = 1.57

Key = TypeVar("Key")
Value = TypeVar("Value")


class Remembered(dict[Key, Value]):
    """From a key to a value that is worked out when first asked for; hostile text does not make it large."""

    _MOST = 1 << 16

    def __init__(self, work: Callable[[Key], Value]) -> None:
        self._work = work

    def __missing__(self, key: Key) -> Value:
        if len(self) >= self._MOST:
            self.clear()
        found = self[key] = self._work(key)
        return found


#: What the patterns below look at: characters before the one that they begin with, and behind it.
_BEFORE, _BEHIND = 2, 3
#: What can be measured by itself: characters beyond ASCII with what the patterns see around them.
_PIECE = re.compile(
    rf"[^\0-\x7f]+(?:[\0-\x7f]{{1,{_BEFORE + _BEHIND - 1}}}[^\0-\x7f]+)*[\0-\x7f]{{0,{_BEHIND}}}"
)


class Measure(NamedTuple):
    """What speaks for a text and against it; worked out once for each text, and compared often."""

    bits: float
    points: int


def measure(text: str) -> Measure:
    """Return the two numbers that `evidence` compares: sums over the places beyond ASCII, many of which come again."""
    places = [match.span() for match in _PIECE.finditer(text)]
    pieces = [text[start - _BEFORE if start > _BEFORE else 0 : end] for start, end in places]
    measures = [_MEASURES[piece] if len(piece) < _LONG else _measure_piece(piece) for piece in pieces]
    return Measure(sum([each[0] for each in measures], 0.0), sum([each[1] for each in measures]))


def _measure_piece(text: str) -> Measure:
    return Measure(_bits(text), oddness(text))


_MEASURES = Remembered(_measure_piece)
#: Pieces of this length hardly come again.
_LONG = 64


def evidence(old: Measure, new: Measure) -> float:
    """Return the logarithm of the odds by which the *new* text is likelier than the *old*, besides the `PRIOR`."""
    return _PER_BIT * (new.bits - old.bits) + _PER_POINT * (old.points - new.points)


def _bits(text: str) -> float:
    """Return the logarithm (base 2) of how likely the characters of *text* beyond ASCII are."""
    return sum(map(_WEIGHTS.__getitem__, _ASCII.sub("", text)), 0.0)


def _weight(character: str) -> float:
    # Signed bytes, in quarters of a bit, against one in 65,536; characters of other planes count as the table says.
    return ((character_weights()[min(ord(character), 0xD800)] ^ 0x80) - 0x80) / 4 - 16


_WEIGHTS = Remembered(_weight)
_ASCII = re.compile("[\\x00-\\x7f]+")

#: One letter for each class of characters, so that patterns can be written over them.
_SINGLE = {
    "\u2019": "p",  # the apostrophe stands inside words
    "\u2018": "r", "\u201c": "r", "\u201d": "r",
    "\u201e": "q", "\u201a": "q",
    "\u2026": "e", "\u2013": "-", "\u2014": "-",
    "\u00ab": "w", "\u00bb": "w", "\u2039": "s", "\u203a": "s",
    "\u00bf": "i", "\u00a1": "i",
    "\u00aa": "n", "\u00ba": "n", "\u2122": "t", "\u00b0": "d",
    "\u00b7": "p", "\u00b4": "p", "\u02bc": "p", "\u02bb": "p", "\u00ad": "p",
    "\u00a0": "_", "\u202f": "_", "\u2009": "_", "\u200b": "_", "\u200c": "p", "\u200d": "p",
    "\u221a": "R", "\u2248": "R", "\ufffd": "?", "\u00b5": "a", "\u0192": "s",
    # Letters in name only: what stands for the bytes 0x80 to 0x9F in some code pages, and in no word.
    "\u02c6": "s", "\u02dc": "s", "\u02c7": "s", "\u02d8": "s", "\u02d9": "s", "\u02db": "s", "\u02dd": "s",
}  # fmt: skip
_SCRIPTS = (("LATIN", "lU"), ("CYRILLIC", "cC"), ("GREEK", "gG"))
_CASELESS = ("CJK", "HIRAGANA", "KATAKANA", "HANGUL", "THAI", "LAO", "KHMER", "MYANMAR", "TIBETAN")

#: Pattern over classes, and how much each match counts: `python bench/mojibake.py` shows false repairs and recall.
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
    ("[lUs]-(?=[lUs]-)", 3),  # a dash between each two letters: Cyrillic by Mac Roman
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
#: Characters beyond ASCII, and the one behind them: patterns begin nowhere else.
_PLACES = re.compile("[^aA1. ]+.?", re.DOTALL)
#: Sequences that no language writes: capitals before what only a code page has as a letter or sign, and how
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
    """Return the points that the patterns give for a character, from the classes around it."""
    return sum(points for pattern, points in _PATTERNS if pattern.match(classes, _BEFORE))


_CLASSES = Remembered(_class_of)
_POINTS_AT = Remembered(_points_at)


def oddness(text: str) -> int:
    """Return how odd *text* looks, in points; 0 for nearly all text that people wrote."""
    classes = " " * _BEFORE + text.translate(_CLASSES) + " " * _BEHIND
    windows = [
        classes[at - _BEFORE : at + _BEHIND + 1]
        for match in _PLACES.finditer(classes, _BEFORE, len(classes) - _BEHIND)
        for at in range(*match.span())
    ]
    return sum(map(_POINTS_AT.__getitem__, windows)) + _NEVER_POINTS * len(_NEVER.findall(text))
