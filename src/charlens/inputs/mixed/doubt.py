"""Notice lines or strings that may be UTF-8 among legacy text: too little to be a part, too much to be that text."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable

from charlens import kernel
from charlens.inputs.mixed.lines import running_words
from charlens.inputs.mixed.points import POINT, against_legacy
from charlens.inputs.mixed.units import OTHER, UTF8, find_units
from charlens.models.characters import character_weights

#: Log-odds beyond what one of the lines has by chance. `python bench/mixed.py` prints how many legacy files are refused
#: for it, and how many mixtures would be written wrongly; with 0.5, a third more files are refused; with 2, one in
#: eight of the mixtures that this notices is not noticed.
_LEAST = 1.5

#: A common Latin letter of UTF-8 next to a letter of ASCII. No word of `tests/prose` in a legacy encoding, in small or
#: in capital letters, has one by chance (`test_no_word_is_utf8_by_chance`, 50,000 words): log-odds of 8 at least.
_LATIN = rb"(?:[\xc3-\xc5][\x80-\xbf]|\xc8[\x98-\x9b]|\xe1[\xb8-\xbb][\x80-\xbf])"
_LATIN_WORD = re.compile(rb"[A-Za-z]" + _LATIN + rb"|" + _LATIN + rb"[A-Za-z]")
_OF_LATIN = 8 * POINT
#: The least mean weight of the characters: words of `tests/prose` have -14 and more, in 80 languages.
_LEAST_WEIGHT = -14
#: Scripts by the first word of a character's name. Japanese has three, and marks belong to any; Latin letters without
#: accents can be next to those of East Asia, without a space.
_SCRIPTS = {"HIRAGANA": "CJK", "KATAKANA": "CJK", "KATAKANA-HIRAGANA": "CJK", "COMBINING": ""}
_BESIDE_ASCII = frozenset(("LATIN", "CJK", "HANGUL"))


def find_utf8_line(data: bytes, encoding: str) -> int | None:
    """Return the number of a line of *data*, from 1, that may be UTF-8 while the rest is in *encoding*."""
    units = find_units(data, 0)
    others = sum(data.count(b"\n", unit.start, unit.end) or 1 for unit in units if unit.form == OTHER)
    for start, end, form in units:
        if form == UTF8 and _may_be_utf8(data[start:end], encoding, others):
            return data.count(b"\n", 0, start) + 1
    return None


def find_utf8_strings(strings: Iterable[bytes], encoding: str, others: int) -> list[bytes]:
    """Return which of the *strings*, all of them valid UTF-8, are UTF-8 among *others* in *encoding*."""
    likely = [string for string in strings if _is_likely(string)]
    latin = {string for string in likely if _LATIN_WORD.search(string) and running_words(string, encoding)}
    if len(latin) * _OF_LATIN < _least(others):
        latin.clear()
    return [string for string in likely if string in latin or _may_be_utf8(string, encoding, others)]


def _is_likely(string: bytes) -> bool:
    """Whether the characters of *string* in UTF-8 are likely ones, and each word is in one script."""
    text = string.decode("utf-8", "ignore").lower().replace("\u0307", "")  # the dot that 'İ' leaves
    units = "".join(character for character in text if not character.isascii()).encode("utf-16-le")
    characters, weight, *_ = kernel.weigh(units, 2, 0, character_weights())
    return weight >= _LEAST_WEIGHT * characters and all(map(_is_in_one_script, text.split()))


def _is_in_one_script(word: str) -> bool:
    letters = [character for character in word if character.isalpha()]
    firsts = {unicodedata.name(each, "").partition(" ")[0] for each in letters if not each.isascii()}
    scripts = {_SCRIPTS.get(first, first) for first in firsts} - {""}
    if len(scripts) > 1:
        return False
    return scripts <= _BESIDE_ASCII or not any(each.isascii() for each in letters)


def _may_be_utf8(piece: bytes, encoding: str, others: int) -> bool:
    """Whether *piece* has more UTF-8 than one of the *others*, lines or strings in *encoding*, has by chance."""
    return against_legacy(b"\n".join(running_words(piece, encoding)), 0) >= _least(others)


def _least(others: int) -> int:
    """Return the points that a line or string needs: the more *others* there are, the more one has by chance."""
    return round((_LEAST + math.log(others + 1)) * POINT)
