"""Write samples as people's files are: prose, lists, capitals, tables, and ASCII with a few foreign words in it.

A sample is some bytes in one class, a pair of an encoding and a language.  The text is cut from a source, changed the
way files differ from prose, and encoded as people wrote in that encoding (`charlens.encodings.orthography`).
What the bytes then look like to a model is for `features`.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

from charlens.encodings.orthography import write

#: Sizes of samples in bytes, log-uniform between these.
SHORTEST, LONGEST = 8, 4000

# What stands around a few foreign words in files: code, markup, mail, subtitles, tables. Our own lines.
_BOILERPLATE = (
    "Quick start guide", "Copyright 2004 by the authors. All rights reserved.", '<p class="text">', "</td><td>",
    "<br />", "&nbsp;", "int main(void) { return 0; }", "# configuration", "-----", "=====",
    "http://www.example.org/index.html", "From: ", "To: ", "Subject: Re: ", "Date: Mon, 12 Mar 2001 10:15:00 +0100",
    "00:01:23,450 --> 00:01:25,900", "name;street;city", "id,name,price", "1,200.50", "var x = 10;", "// TODO",
    "/* comment */", 'print("hello")', "Content-Type: text/plain", '<a href="page.html">', "function()",
    "SELECT * FROM names WHERE id = 5;", "[section]", "key = value", "2.0", "Version 1.3", "Page 12", "Tel. 555 0100",
    "e-mail: ", "www", "<li>", "</ul>", '<font size="2">', "<b>", "</b>", "README", "LICENSE", "see also", "chapter 3",
    "file name", "License: GPL", "(see below)", "** NOTE **", "*", "1.", "2.", "3.", "msgid", 'msgstr "', "<title>",
    "</title>", "<sup>", "</sup>", "</span>", '<div align="center">', "|", "&amp;", "ENTRY", "\\item", "{", "}",
)  # fmt: skip

# Signs that people's tools put in, in any language; each as often as it stands here.
_SIGNS = "\u00a0\u00a0\u00a0\u00a0©©®°°«»“”„‘’’’–––—…••··€€£§§±½×™²³ºª´¿¡÷¶\u00ad"
_JOINTS = (" ", "\n", ", ", "; ", "\t", "\r\n", " | ", " / ", "\n- ")
_ARABIC = re.compile("[\u0621-\u063a\u0641-\u064a]")
#: Fatha, damma, kasra, sukun, the doubling, the three endings; and none, each about as often as in vocalised text.
_HARAKAT = (
    *("\u064e",) * 6, *("\u064f",) * 3, *("\u0650",) * 3, *("\u0652",) * 3,
    "\u0651\u064e", "\u064b", "\u064c", "\u064d", *("",) * 5,
)  # fmt: skip
_WORD = re.compile(r"\S+")
_NON_ASCII = re.compile(r"[^\x00-\x7f]")


class Writer:
    """Cuts texts of one language into pieces and changes them."""

    def __init__(self, texts: Sequence[str], chance: random.Random) -> None:
        self._texts = [text for text in texts if text]
        self._lengths = [len(text) for text in self._texts]
        self._chance = chance
        # Where a text leaves ASCII: short pieces are cut around such places, or they would tell nothing.
        self._places = [[match.start() for match in _NON_ASCII.finditer(text)] for text in self._texts]

    def piece(self, length: int) -> str:
        """Return *length* characters from somewhere, of a short piece some beyond ASCII."""
        chance = self._chance
        number = chance.choices(range(len(self._texts)), self._lengths)[0]
        text, places = self._texts[number], self._places[number]
        if places and (length < 300 or chance.random() < 0.5):
            start = max(0, chance.choice(places) - int(chance.random() * length))
        else:
            start = int(chance.random() * max(1, len(text) - length))
        if chance.random() < 0.5:
            start = text.find(" ", start, start + 20) + 1 or start
        return text[start : start + length]

    def varied(self, length: int) -> str:
        """Return a piece, changed as files differ from prose."""
        chance = self._chance
        text = self.piece(length)
        kind = chance.random()
        if kind < 0.08:
            text = text.upper()
        elif kind < 0.14:
            text = self._list(length)
        elif kind < 0.18:
            text = text.title()
        elif kind < 0.34:
            text = self._words_in_ascii(length)
        elif kind < 0.42:
            text = self._signs(text)
        elif kind < 0.46:
            text = self._spaced_letters(text)
        elif kind < 0.50:
            text = self._vocalised(text)
        return text.replace("\n", "\r\n") if chance.random() < 0.1 else text

    def _list(self, length: int) -> str:
        words = _WORD.findall(self.piece(3 * length))
        self._chance.shuffle(words)
        return self._chance.choice(_JOINTS).join(words)[:length]

    def _words_in_ascii(self, length: int) -> str:
        chance = self._chance
        words = [word for word in _WORD.findall(self.piece(400)) if not word.isascii()]
        few = [chance.choice(words) for _ in range(chance.choice((1, 1, 1, 2, 2, 3, 4)))] if words else []
        if not few or chance.random() < 0.25:
            few.append(chance.choice(_SIGNS))
        lines: list[str] = []
        while sum(map(len, lines)) + sum(map(len, few)) < max(length, 20):
            lines.append(chance.choice(_BOILERPLATE))
        for word in few:
            lines.insert(chance.randrange(len(lines) + 1), word)
        return chance.choice((" ", "\n", "\r\n", "")).join(lines)

    def _signs(self, text: str) -> str:
        chance = self._chance
        for _ in range(chance.choice((1, 1, 2, 3, 5))):
            place = chance.randrange(len(text) + 1)
            sign = chance.choice(_SIGNS)
            if sign in "“„‘«¿¡" or chance.random() < 0.3:
                place = text.find(" ", place) + 1 or place
            if sign == "\u00a0" and chance.random() < 0.4:
                sign *= chance.choice((2, 3, 4))
            text = text[:place] + sign + text[place:]
        if chance.random() < 0.3:
            text = chance.choice(_BOILERPLATE) + " " + text
        return text

    def _spaced_letters(self, text: str) -> str:
        """Return letters apart, as in tables of characters and lists of endings."""
        letters = [letter for letter in text if not letter.isspace()][: max(4, len(text) // 2)]
        return self._chance.choice((" ", "\n", ", ", "|", '","')).join(letters)

    def _vocalised(self, text: str) -> str:
        """Return Arabic with its vowels written, as in scripture and school books; other text as it is."""
        if not _ARABIC.search(text):
            return text
        marks = self._chance.choices(_HARAKAT, k=len(text))
        return "".join(
            letter + mark if _ARABIC.match(letter) else letter for letter, mark in zip(text, marks, strict=True)
        )


def make_samples(
    writer: Writer, encoding: str, count: int, chance: random.Random, *, wide: bool
) -> list[bytes]:
    """Return up to *count* samples in *encoding*, each with at least one byte beyond ASCII."""
    samples: list[bytes] = []
    for _ in range(4 * count + 50):
        if len(samples) == count:
            break
        size = int(SHORTEST * (LONGEST / SHORTEST) ** chance.random())
        sample = encode_whole(writer.varied(max(2, size // 2 if wide else size)), encoding)
        if not sample.isascii():
            samples.append(sample)
    return samples


def encode_whole(text: str, encoding: str) -> bytes:
    """Encode *text* as people wrote it; what they could not write is left out."""
    written = write(text, encoding)
    if written is not None:
        return written
    fitting = "".join(character for character in text if write(character, encoding) is not None)
    return write(fitting, encoding) or b""
