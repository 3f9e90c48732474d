"""Find text that was damaged before it was saved: U+FFFD, '?' inside words, controls, mojibake.

Each finding has a place and a message.  `charlens.repair` repairs what can be repaired.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice, pairwise
from typing import NamedTuple
from unicodedata import normalize

from charlens import kernel


class Damage(NamedTuple):
    """A place where text was lost or decoded wrongly; *end* is exclusive."""

    start: int
    end: int
    words: str
    #: The rule of `charlens check` that it belongs to.
    rule: str = "lost"


#: The most findings of one kind that are listed.
_MOST = 20

_REPLACED = re.compile("\ufffd+")
_CONTROLS = re.compile("[\x80-\x84\x86-\x9f]+")
#: UTF-8 read as windows-1252 or Latin-1: sequences that no language has.
_LEFTOVER = re.compile(
    "\u00e2(?:\u20ac[\u2122\u0153\u009d\u201c\u201d\u02dc\u00a6\u00a2\ufffd]|\x80[\x80-\xbf])"
    "|[\u00c3\u00c2][\x80-\x9f\u00a1-\u00bf\u20ac\u2020\u2021\u2030\u02c6\u2039\u203a\u2122](?=[a-z\u00e0-\u00ff])"
    "|(?<=[a-z])\u00c3[\u0080-\u00bf\u20ac\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\u017d\u2018-\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\u017e\u0178]"
    "|\u00ef\u00bf\u00bd|\u00ef\u00bb\u00bf"
)
#: How a match of each begins, in UTF-8: searching bytes is ten times as fast as searching characters.
_MAYBE_CONTROLS = re.compile(rb"\xc2[\x80-\x9f]")
MAYBE_LEFTOVER = re.compile(
    rb"\xc3(?:\xa2(?:\xe2\x82\xac|\xc2\x80)|[\x82\x83][\xc2-\xf4]|\xaf\xc2[\xbb\xbf])"
)
#: Question marks between letters, and after the last one: 'Gr??e', 'caf?s', 'Nezn?m?', not 'a?b=c', 'a?b:c'.
_ASKED = re.compile(r"(?<![\w?&/.])[^\W\d_]+(?:\?{1,2}[^\W\d_]+)+\??(?![\w=&/(:?])")
#: A question mark after a word, with more of the sentence behind it: 'caf? cr?me'.
_ENDS_ASKED = re.compile(r"(?<![\w?&/.])[^\W\d_]+\?(?= (?=[^\W\d_])[^A-Z])")
#: Scripts that have no spaces between words, nor after a question mark: of South-East Asia, Chinese, Japanese, Korean.
_NO_SPACES = re.compile(
    "[\u0e00-\u11ff\u1780-\u17ff\u2e80-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]"
)
#: The name of a value in a web address, just before it.
_NAMED = re.compile(r"[?&][\w.-]{1,40}=$")
_PARTS = re.compile(r"[^?]+")
#: Latin, Cyrillic and Greek vowels without their accents: letters without a vowel are part of a word, not a word.
_VOWELS = frozenset("aeiouyæœøıаеёиоуыэюяіїєўαεηιουω")
#: One word with a question mark inside can be a typing error; if more than this share of words has one,
#: letters were lost.
_ASKED_SHARE = 0.01
#: Words of question marks only, which is how non-Latin scripts are lost. Logs and forms have some too
#: ('???'), so there must be several, and every fifth word must be one; two, one of them long, if there is nothing else.
_ALL_ASKED = re.compile(r"(?<![^\s(\"'])\?{2,}(?=[\s.,;:!)\"']|$)")
_LEAST_LOST, _LOST_SHARE = 4, 0.2
#: If they have this many different lengths, and the longest is this long, their share does not matter.
_ASKED_RUN = re.compile(r"\?{2,}")
_LENGTHS, _LONG = 4, 6


def may_be_damaged(data: bytes) -> bool:
    """Whether `find_damage` may find something in *data*, in UTF-8; a fast check without decoding."""
    seen = kernel.scan(data).seen
    return (
        (bool(seen >> 0xEF & 1) and b"\xef\xbf\xbd" in data)
        or (bool(seen >> 0xC2 & 1) and _MAYBE_CONTROLS.search(data) is not None)
        or may_be_left(data)
        or (bool(seen >> 0x3F & 1) and _may_be_asked(data))
    )


def _may_be_asked(data: bytes) -> bool:
    asked = data.count(b"?")
    for end in (len(data) // 16, len(data)):  # usually the first words are enough
        if asked < _least_asked(data.count(b" ", 0, end) + data.count(b"\n", 0, end) + 1):
            return False
    return True


def may_be_left(data: bytes) -> bool:
    """Whether `find_leftovers` may find something in *data*, in UTF-8."""
    return MAYBE_LEFTOVER.search(data) is not None


def find_damage(text: str) -> tuple[Damage, ...]:
    """Return the places of *text* that were damaged before it was saved, in order."""
    if not may_be_damaged(text.encode("utf-8", "surrogatepass")):
        return ()
    found: list[Damage] = []
    found += _matches(_REPLACED, text, "U+FFFD: a character was lost here before the file was saved")
    found += _matches(
        _CONTROLS, text, "C1 control characters, usually windows-1252 text that was decoded as ISO 8859-1"
    )
    return tuple(sorted([*found, *find_leftovers(text), *_asked(text)]))


def find_leftovers(text: str) -> list[Damage]:
    """Return the places that still have mojibake."""
    if not may_be_left(text.encode("utf-8", "surrogatepass")):
        return []
    words = "UTF-8 decoded as windows-1252 in a part of the line; only whole lines and cells of tables are repaired"
    return [damage._replace(rule="mojibake") for damage in _matches(_LEFTOVER, text, words)]


def _matches(pattern: re.Pattern[str], text: str, words: str) -> list[Damage]:
    return _listed(list(islice(pattern.finditer(text), _MOST + 1)), words)


def _listed(places: Sequence[re.Match[str]], words: str) -> list[Damage]:
    """Return the first *places*; if there are more, the last one says so."""
    found = [Damage(match.start(), match.end(), words) for match in places[:_MOST]]
    if len(places) > _MOST:
        found[-1] = found[-1]._replace(words=f"{words} (only the first {_MOST} places are listed)")
    return found


def _least_asked(words: int, addresses: bool = False) -> float:
    """Return how many of the *words* must have a question mark inside; web addresses have some too."""
    return max(2 + addresses, _ASKED_SHARE * words)


def _asked(text: str) -> list[Damage]:
    """Return words with question marks in place of letters; () if there are too few to be sure."""
    words = text.count(" ") + text.count("\n") + 1
    least = _least_asked(words, "://" in text)
    if text.count("?") < least:
        return []
    places = [match for match in _ASKED.finditer(text) if not _may_be_meant(match)]
    if not any(_is_torn(match[0]) for match in places):
        places = []
    elif len(places) < least:
        places = sorted([*places, *_ENDS_ASKED.finditer(text)], key=re.Match.start)
    if len(places) < least:
        places = _lost_words(text, words)
    message = "'?' instead of letters: they were lost before the file was saved"
    return _listed(places, message)


def _may_be_meant(word: re.Match[str]) -> bool:
    """Whether each question mark in *word* can be one: in a script without spaces, after a sentence, in an address."""
    start = word.start()
    return _NAMED.search(word.string, max(0, start - 42), start) is not None or all(
        _NO_SPACES.match(before[-1]) or _NO_SPACES.match(after[0]) or (before[-1].islower() and after[0].isupper())
        for before, after in pairwise(_PARTS.findall(word[0]))
    )


def _is_torn(word: str) -> bool:
    """Whether a part of *word* cannot be a word: 'gr' and 'fe', but not 'ok' and 'yes'."""
    return any(
        (len(part) == 1 and part.islower()) or _VOWELS.isdisjoint(normalize("NFD", part.lower()))
        for part in _PARTS.findall(word)
    )


def _lost_words(text: str, words: int) -> list[re.Match[str]]:
    """Return the words whose letters were all lost; none if they may be intended."""
    runs = list(_ASKED_RUN.finditer(text))
    lengths = {len(run[0]) for run in runs}
    if len(lengths) >= _LENGTHS and max(lengths) >= _LONG:
        return runs
    places = list(_ALL_ASKED.finditer(text))
    least = _LEAST_LOST if len(places) < len(text.split()) or max(lengths, default=0) < _LONG else 2
    return places if len(places) >= max(least, _LOST_SHARE * words) else []
