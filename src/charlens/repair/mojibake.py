"""Find text that was encoded twice: UTF-8 that somebody took for another encoding, and wrote as UTF-8 again.

'Grüße' comes out as 'GrÃ¼ÃŸe', 'Привет' as 'РџСЂРёРІРµС‚'.  A word counts when *all* of its characters beyond ASCII are
the bytes of UTF-8 sequences in one legacy encoding, and the sequences mean characters that people write.  Damage
that cannot be undone character by character (bytes lost, a no-break space turned into a space) is not found here.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

#: What UTF-8 is taken for: the code pages of Windows, then those of DOS and of the Mac.  Latin-1 is windows-1252 here,
#: because the five bytes that windows-1252 lacks stand for themselves.
CODECS = (
    "cp1252",
    "cp1251",
    "cp1250",
    "cp1254",
    "iso8859-2",
    "cp437",
    "cp850",
    "cp866",
    "mac-roman",
    "koi8-r",
)

#: Fewer sequences than this in a text are taken for chance: of 421 texts in UTF-8 that were encoded once (labelled
#: files and prose), 26 had one or two, none more; of 810 corpora two had more, and those really have such lines.
_LEAST = 3
#: Of the characters beyond ASCII in the lines concerned, at least so many must be in such words: single short words of
#: Cyrillic are UTF-8 of braille by chance, among others that are nothing.
_LEAST_SHARE = 0.5
#: Undoing is done again while there is something to undo; more than three times was never seen.
_MOST_LEVELS = 4


class Doubled(NamedTuple):
    """A word that was encoded twice, *end* not included."""

    start: int
    end: int
    #: What it should be.
    original: str
    #: What its UTF-8 was taken for.
    codec: str


def find_double_encoding(text: str) -> tuple[Doubled, ...]:
    """Return the words of *text* that were encoded twice, in order; () where there is not enough to be sure."""
    if text.isascii():
        return ()
    best: tuple[Doubled, ...] = ()
    most = _LEAST - 1
    for codec in CODECS:
        found = tuple(_words(text, codec))
        number = sum(_sequences(word.original) for word in found)
        if number > most and _share(text, found) >= _LEAST_SHARE:
            best, most = found, number
    return best


def _share(text: str, found: tuple[Doubled, ...]) -> float:
    """Return how much of what is beyond ASCII, in the lines that have such words, they are."""
    inside = sum(_sequences(text[word.start : word.end]) for word in found)
    whole = 0
    line_end = -1
    for word in found:
        if word.start > line_end:
            line_end = text.find("\n", word.end)
            line_end = len(text) if line_end < 0 else line_end
            whole += _sequences(text[text.rfind("\n", 0, word.start) + 1 : line_end])
    return inside / whole if whole else 0.0


def undo_double_encoding(text: str) -> str:
    """Return *text* with the words that were encoded twice as they were meant, also when it was more than twice."""
    for _ in range(_MOST_LEVELS):
        found = find_double_encoding(text)
        if not found:
            break
        pieces = []
        done = 0
        for word in found:
            pieces += [text[done : word.start], word.original]
            done = word.end
        text = "".join([*pieces, text[done:]])
    return text


def _sequences(original: str) -> int:
    return sum(character > "\x7f" for character in original)


class _Table(NamedTuple):
    word: re.Pattern[str]
    #: From a character to its byte, for `str.translate`.
    to_bytes: dict[int, int]


@cache
def _table(codec: str) -> _Table:
    signs = {}
    for byte in range(0x80, 0x100):
        sign = bytes((byte,)).decode(codec, "replace")
        signs[byte] = chr(byte) if sign == "\ufffd" else sign

    def one_of(first: int, last: int) -> str:
        return "[" + "".join(re.escape(signs[byte]) for byte in range(first, last + 1)) + "]"

    trail = one_of(0x80, 0xBF)
    sequence = (
        f"(?:{one_of(0xC2, 0xDF)}{trail}|{one_of(0xE0, 0xEF)}{trail}{{2}}|{one_of(0xF0, 0xF4)}{trail}{{3}})"
    )
    # A word ends at ASCII white space only: a no-break space is the byte A0, and part of many sequences.
    pattern = rf"(?<![^ \t\r\n\f\v])(?:[!-~]*{sequence})+[!-~]*(?![^ \t\r\n\f\v])"
    return _Table(re.compile(pattern), {ord(sign): byte for byte, sign in signs.items()})


def _words(text: str, codec: str) -> Iterator[Doubled]:
    table = _table(codec)
    for match in table.word.finditer(text):
        try:
            original = match[0].translate(table.to_bytes).encode("latin-1").decode("utf-8")
        except UnicodeError:
            continue
        if _FOREIGN.search(original):
            continue
        if all(_is_written(character) for character in original if character > "\x7f"):
            yield Doubled(match.start(), match.end(), original, codec)


#: A single letter of another script beside Latin ones: "l’écoutez" would be an Armenian letter read as Mac Roman,
#: "bilýäñmi" a Korean one read as cp850.  Kana and Chinese stand beside Latin, but hardly inside a word.
_FOREIGN = re.compile(
    "(?<=[A-Za-z])[\u0370-\u1cff\uac00-\ud7ff](?![^\\x00-\\x7f])"
    "|(?<![^\\x00-\\x7f])[\u0370-\u1cff\uac00-\ud7ff](?=[A-Za-z])"
    "|(?<=[A-Za-z])[\u2e80-\u9fff](?=[A-Za-z])"
)
#: Phonetics, modifiers, combining marks; Syriac, N’Ko to Mandaic; scripts of the Philippines; Mongolian to Vedic;
#: braille; arrows and Glagolitic to Coptic: what a few letters mean by chance, and hardly anybody writes.
_RARE = re.compile("[\u0250-\u036f\u0700-\u077f\u07c0-\u08ff\u1700-\u177f\u1800-\u1dff\u2800-\u28ff\u2b00-\u2dff]")


def _is_written(character: str) -> bool:
    """Whether people write *character*: by chance, sequences also mean controls, and letters of no language."""
    return not _RARE.match(character) and unicodedata.category(character) not in ("Cc", "Cn", "Co", "Cs")
