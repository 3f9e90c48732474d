"""Find text that was damaged before it was saved: U+FFFD, '?' inside words, controls, mojibake.

Each finding has a place and a message.  `charlens.repair` repairs what can be repaired.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

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
#: One word with a question mark inside can be a typing error; if more than this share of words has one,
#: letters were lost.
_ASKED_SHARE = 0.01
#: Words of question marks only, which is how non-Latin scripts are lost. Logs and forms have some too
#: ('???'), so there must be several, and every fifth word must be one.
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


def _matches(pattern: re.Pattern[str], text: str, words: str) -> Iterator[Damage]:
    for number, match in enumerate(pattern.finditer(text)):
        if number == _MOST:
            return
        yield Damage(match.start(), match.end(), words)


def _least_asked(words: int, addresses: bool = False) -> float:
    """Return how many of the *words* must have a question mark inside; web addresses have some too."""
    return max(2 + addresses, _ASKED_SHARE * words)


def _asked(text: str) -> list[Damage]:
    """Return words with question marks in place of letters; () if there are too few to be sure."""
    words = text.count(" ") + text.count("\n") + 1
    least = _least_asked(words, "://" in text)
    if text.count("?") < least:
        return []
    places = list(_ASKED.finditer(text))
    if len(places) < least:
        places = _lost_words(text, words)
    message = "'?' instead of letters: they were lost before the file was saved"
    return [Damage(match.start(), match.end(), message) for match in places[:_MOST]]


def _lost_words(text: str, words: int) -> list[re.Match[str]]:
    """Return the words whose letters were all lost; none if they may be intended."""
    runs = list(_ASKED_RUN.finditer(text))
    lengths = {len(run[0]) for run in runs}
    if len(lengths) >= _LENGTHS and max(lengths) >= _LONG:
        return runs
    places = list(_ALL_ASKED.finditer(text))
    return places if len(places) >= max(_LEAST_LOST, _LOST_SHARE * words) else []
