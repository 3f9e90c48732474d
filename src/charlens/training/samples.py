"""Write samples that look like people's files: prose, lists, capitals, tables, and ASCII with a few foreign words.

A sample is some bytes in one class, a pair of an encoding and a language.  The text is cut from a source, changed the
way files differ from prose, and encoded as people wrote in that encoding (`charlens.encodings.orthography`).
`features` defines what a model sees of the bytes.
"""

from __future__ import annotations

import random
import re
import unicodedata
from collections.abc import Sequence

from charlens.encodings.orthography import write
from charlens.training.art import can_draw, draw, draw_in_text
from charlens.training.code import SIGNS, SIGNS_OF_DOS, SIGNS_OF_MAC, place_sign, write_code
from charlens.training.east_asia import (
    find_runs,
    find_typeface,
    list_ideographs,
    write_cells,
    write_half_width,
    write_signs,
)
from charlens.training.letters import find_letters, letters_of, list_letters, list_table
from charlens.training.pieces import NON_ASCII, SHORT, WORDS_IN_SHORT, Excerpts, is_rare, word_at

#: Sizes of samples in bytes, log-uniform between these.
SHORTEST, LONGEST = 8, 4000
#: This share of the samples is shorter, from two bytes on: names, cells, file names, tags. They are mostly whole words.
_SHARE_OF_SHORT = 0.3

# What is around a few foreign words in files: code, markup, mail, subtitles, tables. Our own lines.
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

# Signs that programs insert, in any language; each as often as it is listed.
_SIGNS = "\u00a0\u00a0\u00a0\u00a0©©®°°«»“”„‘’’’–––—…••··€€€€£§§±½×™™²³ºª´¿¡÷¶‰µ¼†‹¦\u00ad"
# Signs on the Macintosh and under DOS.
_SIGNS_OF_MAC = "“””‘’’’’–—……•••©®™°§¶†≠∞±≤≥¥£¢µπΩ∆√«»\u00a0\u00a0◊ﬁﬂºª¿¡"
_SIGNS_OF_DOS = "°°°±²½¼µ£¢¥·∙√≥≤■■«»¿¡÷≈ßπΩαδε∞ªºƒ\u00a0│─"
# What a language has besides: ordinals, the numero, abbreviations of money and years. Each as often as it is listed.
_OWN_SIGNS: dict[str, Sequence[str]] = {
    **dict.fromkeys(("es", "gl", "ca"), "ººªª¿¡"), "pt": "ººªª", "it": "°°ºª", "fr": "°°«»",
    "ru": ("№", "№", "№", "«", "»", "руб.", "р.", "г.", "коп."), "be": ("№", "№", "«", "»", "руб."),
    "uk": ("№", "№", "«", "»", "грн.", "грн", "р."), "bg": ("№", "№", "«", "»", "лв.", "лв", "г."),
    "sr": ("№", "«", "дин.", "дин"), "mk": ("№", "«", "ден.", "ден"), "pl": ("zł",), "cs": ("Kč", "Kč", "č."),
    "sk": ("č.",), "el": ("Δρχ", "δρχ.", "αρ.", "μ.μ."), "he": ('ש"ח', "₪", "מס'"),
    "ar": ("ر.س", "ج.م", "د.إ", "٪"),
    "fa": ("ریال", "٪"), "th": ("บาท", "฿", "พ.ศ."), "ja": ("円", "¥", "年", "月"), "ko": ("원", "년", "월"),
    "zh-Hans": ("元", "￥", "年", "月"), "zh-Hant": ("元", "＄", "年", "月"),
}  # fmt: skip
_QUOTATION_MARKS = (
    ("«", "»"), ("»", "«"), ("“", "”"), ("„", "“"), ("„", "”"), ("‘", "’"), ("‚", "‘"), ("« ", " »"),
    ("", " –"), ("", " —"), ("— ", ""), ("(", ")"), ("", "…"),
)  # fmt: skip
#: This share of the signs in text of any language is in its usual place: '5 €', '20 °C', '„word“'.
_SHARE_IN_PLACE = 0.5
# Non-breaking spaces, as HTML editors write them.
_BLANKS = (
    "\u00a0", "\u00a0", "\u00a0 ", " \u00a0", " \u00a0 ", "\u00a0\u00a0", "\n\u00a0\n", ";\u00a0", "\u00a0<", ">\u00a0",
)  # fmt: skip
_JOINTS = (" ", "\n", ", ", "; ", "\t", "\r\n", " | ", " / ", "\n- ")
_ARABIC = re.compile("[\u0621-\u063a\u0641-\u064a]")
#: Fatha, damma, kasra, sukun, the doubling, the three endings; and none, each about as often as in vocalised text.
_HARAKAT = (
    *("\u064e",) * 6, *("\u064f",) * 3, *("\u0650",) * 3, *("\u0652",) * 3,
    "\u0651\u064e", "\u064b", "\u064c", "\u064d", *("",) * 5,
)  # fmt: skip
_WORD = re.compile(r"\S+")
_FIRST_I = re.compile(r"\bi")


# A name and any other word, from a text in another language.
NAME = re.compile(r"\b[A-Z\u00c0-\u00de\u0100-\u017d][a-z\u00df-\u017e]{1,11}\b")
WORD = re.compile(r"\b[a-z\u00df-\u017e]{3,12}\b")
_SHAPES = (
    "{}",
    "{}",
    "{}",
    "{}",
    "{}.txt",
    "{}.doc",
    "{}_1",
    "1 {}",
    "{}:",
    "({})",
    "<b>{}</b>",
    '"{}"',
    "{},",
    "{};",
)

# Signs next to figures, years and words: money, units, copyright.
_SIGN_SHAPES = (
    "{}", "{}", "{}", "{}", "{} 2004", "{}#,##0", "{}12", "12{}", "5 {}", "{}C", "({})", '"{}"', "{} -", "name{}",
    "1{}2", "={};", "N{}", "N{} 5", "n{} 12", "XIV{}", "1{} ",
)  # fmt: skip

#: How often each kind of sample is written: the method of `Writer`, and its share. Where a kind does not suit the
#: language or the encoding the others have its share.
_KINDS = {
    "_plain": 0.40, "_capitals": 0.07, "_list": 0.06, "_titles": 0.05, "_words_in_ascii": 0.14, "_signs": 0.06,
    "_spaced_letters": 0.03, "_vocalised": 0.04, "_letters": 0.06, "_drawing": 0.08, "_cells": 0.18,
    "_signs_of_east_asia": 0.06, "_ideographs": 0.05, "_guest": 0.1, "_blanks": 0.05, "_typographic": 0.02,
    "_names": 0.2, "_code": 0.03, "_table": 0.01, "_drawing_in_text": 0.01, "_quoted": 0.04, "_exclaimed": 0.06,
    "_repeated": 0.03, "_half_width": 0.06, "_excerpt": 0.25,
}  # fmt: skip
#: What real files in English have besides prose counts most.
_EXCERPTS_IN_ENGLISH = 1.0
#: East Asian words in cells are a kind of their own.
_NAMES_OF_EAST_ASIA = 0.06
#: Languages in which an exclamation begins with '¡'.
WITH_OPENING_MARKS = ("es", "ast", "gl", "an")
#: The non-ASCII characters of English are mostly dashes, quotes and apostrophes: 'levels—may', 'don’t'.
_TYPOGRAPHIC_IN_ENGLISH = 0.3
_GUESTS_IN_ENGLISH = 0.05
#: Programs and lists of all characters are in English rather than in another language.
_CODE_IN_ENGLISH = 0.25
_TABLES_IN_ENGLISH = 0.04
_DRAWINGS_IN_TEXT_IN_ENGLISH = 0.04
# What word processors make of the signs of a keyboard.
_AS_TYPED = re.compile(r"(?<=\w)'(?=\w)| - |--|, |\"|\.\.\.")
_TYPOGRAPHIC = {
    "'": ("’",), " - ": ("—", "—", " — ", " – ", "–"), "--": ("—", "–"), ", ": (", ", ", ", ", ", "—", " – "),
    '"': ("“", "”"), "...": ("…",),
}  # fmt: skip
#: English under DOS is more than a third drawings: its other non-ASCII text is hardly more than that.
_DRAWINGS_IN_ENGLISH = 0.6
#: Drawings without any word are in the page of a large language area: signs alone are not evidence for a small one.
_COMMON_IN_DOS = 30
#: English on each platform, which has all that files are made of.
MANIFOLD = (("cp1252", "en"), ("cp437", "en"), ("cp850", "en"), ("mac-roman", "en"))
_EAST_ASIA = ("ja", "zh-Hans", "zh-Hant", "yue", "ko")


class Writer:
    """Cuts texts of one language into pieces and changes them.

    *guests* are names of other languages, *cells* names and labels of this one, and *excerpts* the non-ASCII places of
    real files, by package.
    """

    def __init__(
        self,
        texts: Sequence[str],
        chance: random.Random,
        language: str = "",
        guests: Sequence[str] = (),
        cells: Sequence[str] = (),
        excerpts: Sequence[Sequence[str]] = (),
    ) -> None:
        self._excerpts = Excerpts(excerpts)
        self._texts = [text for text in texts if text]
        self._lengths = [len(text) for text in self._texts]
        self._chance = chance
        self._language = language
        self._guests = guests
        self._cells_of_tables = [cell for cell in cells if not cell.isascii()]
        self._alphabet = find_letters(self._texts)
        # Where a text leaves ASCII: short pieces are cut around such places, or they would tell nothing.
        self._places = [[match.start() for match in NON_ASCII.finditer(text)] for text in self._texts]

    def piece(self, length: int) -> str:
        """Return *length* characters from somewhere, in a short piece some of them non-ASCII."""
        chance = self._chance
        number = chance.choices(range(len(self._texts)), self._lengths)[0]
        text, places = self._texts[number], self._places[number]
        if places and (length < 300 or chance.random() < 0.5):
            place = chance.choice(places)
            if length <= SHORT and chance.random() < WORDS_IN_SHORT:
                return word_at(text, place, length)
            start = max(0, place - int(chance.random() * length))
        else:
            start = int(chance.random() * max(1, len(text) - length))
        if chance.random() < 0.5:
            start = text.find(" ", start, start + 20) + 1 or start
        return text[start : start + length]

    def varied(self, length: int, encoding: str) -> str:
        """Return a piece, changed as files in *encoding* differ from prose."""
        chance = self._chance
        names, shares = self._kinds(encoding)
        text: str = getattr(self, chance.choices(names, shares)[0])(length, encoding)
        return text.replace("\n", "\r\n") if chance.random() < 0.1 else text

    def _kinds(self, encoding: str) -> tuple[list[str], list[float]]:
        """Return the kinds that suit the language and the encoding, with their shares."""
        shares = dict(_KINDS)
        if not can_draw(encoding):
            del shares["_drawing"]
        elif self._language == "en":
            shares["_drawing"] = _DRAWINGS_IN_ENGLISH
        if self._language not in _EAST_ASIA:
            del shares["_cells"], shares["_signs_of_east_asia"], shares["_ideographs"]
        english = self._language == "en"
        # English has no accented letters; a list in an English file has those of the platform's own encoding.
        lists = (encoding, "en") in MANIFOLD if english else bool(self._alphabet)
        if not lists:
            del shares["_letters"]
        if self._language != "ja":
            del shares["_half_width"]
        if english:
            shares["_typographic"] = _TYPOGRAPHIC_IN_ENGLISH
            shares["_guest"] = _GUESTS_IN_ENGLISH
            shares["_code"] = _CODE_IN_ENGLISH
            shares["_table"] = _TABLES_IN_ENGLISH
            shares["_drawing_in_text"] = _DRAWINGS_IN_TEXT_IN_ENGLISH
        if encoding != "cp1252":
            del shares["_drawing_in_text"]
        if is_rare(encoding):
            del shares["_typographic"], shares["_code"]
        if is_rare(encoding) or not letters_of(encoding) or (english and not lists):
            del shares["_table"]
        if not self._guests:
            del shares["_guest"]
        if not self._excerpts or (english and is_rare(encoding)):
            del shares["_excerpt"]
        elif english:
            shares["_excerpt"] = _EXCERPTS_IN_ENGLISH
        if not self._cells_of_tables or english:
            del shares["_names"]
        elif self._language in _EAST_ASIA:
            shares["_names"] = _NAMES_OF_EAST_ASIA
        if self._language not in WITH_OPENING_MARKS:
            del shares["_exclaimed"]
        if self._language in _EAST_ASIA or is_rare(encoding):
            del shares["_blanks"]
        return list(shares), list(shares.values())

    def _plain(self, length: int, encoding: str) -> str:
        text = self.piece(length)
        if length <= SHORT and self._chance.random() < 0.3:
            return self._chance.choice(_SHAPES).format(text)
        return text

    def _capitals(self, length: int, encoding: str) -> str:
        return in_capitals(self.piece(length), self._language)

    def _titles(self, length: int, encoding: str) -> str:
        text = self.piece(length)
        return (_FIRST_I.sub("İ", text) if self._language == "tr" else text).title()

    def _exclaimed(self, length: int, encoding: str) -> str:
        """Return exclamations and questions as in dialogues, subtitles and messages, often otherwise in ASCII."""
        chance = self._chance
        words = re.findall(r"\w+", self.piece(max(100, length)))
        if chance.random() < 0.6:
            words = [word for word in words if word.isascii()]
        phrases: list[str] = []
        while words and sum(map(len, phrases)) < length:
            some = [words.pop() for _ in range(min(len(words), chance.choice((1, 1, 2, 3, 5))))]
            phrase = " ".join(some).capitalize()
            mark = chance.choice(("¡{}!", "¿{}?"))
            phrases.append(mark.format(phrase.upper() if chance.random() < 0.1 else phrase))
        text = chance.choice(_JOINTS).join(phrases)
        return chance.choice(_SHAPES).format(text) if len(phrases) == 1 else text

    def _names(self, length: int, encoding: str) -> str:
        """Return a name or a label, or in a longer sample a column of them."""
        chance = self._chance
        cells = [chance.choice(self._cells_of_tables)]
        while length > SHORT and sum(map(len, cells)) < min(length, 300):
            cells.append(chance.choice(self._cells_of_tables))
        if chance.random() < 0.15:
            cells = [in_capitals(cell, self._language) for cell in cells]
        text = chance.choice(_JOINTS).join(cells)
        return chance.choice(_SHAPES).format(text) if len(cells) == 1 else text

    def _excerpt(self, length: int, encoding: str) -> str:
        return self._excerpts.piece(length, encoding, self._chance) or self._plain(length, encoding)

    def _letters(self, length: int, encoding: str) -> str:
        # English has none of its own: its lists are of those that the encoding has.
        letters = list(letters_of(encoding)) if self._language == "en" else self._alphabet
        return list_letters(letters, min(length, 1000), self._chance)

    def _table(self, length: int, encoding: str) -> str:
        return list_table(encoding, length, self._chance)

    def _code(self, length: int, encoding: str) -> str:
        """Return lines of a program with a few signs of the platform, and no other non-ASCII characters."""
        words = [word for word in _WORD.findall(self.piece(max(200, length))) if word.isascii()]
        words += self._chance.sample(_BOILERPLATE, 12)
        signs = (
            SIGNS_OF_MAC if encoding.startswith("mac-") else SIGNS_OF_DOS if _is_of_dos(encoding) else SIGNS
        )
        return write_code(words, signs, length, self._chance)

    def _drawing(self, length: int, encoding: str) -> str:
        """Return frames, rules and blocks with a few words of the language, or none of them."""
        lines = [""]
        if self._chance.random() < 0.6 or is_rare(encoding, _COMMON_IN_DOS):
            lines = [line.strip()[:30] for line in self.piece(300).split("\n")] + self.piece(200).split(". ")
        return draw(lines, length, encoding, self._chance)

    def _drawing_in_text(self, length: int, encoding: str) -> str:
        return draw_in_text(self.piece(300).split("\n"), min(length, 1000), self._chance)

    def _cells(self, length: int, encoding: str) -> str:
        return write_cells(self.piece(max(200, 4 * length)), length, self._chance)

    def _signs_of_east_asia(self, length: int, encoding: str) -> str:
        return write_signs(self.piece(max(20, length)), self._language, length, self._chance)

    def _half_width(self, length: int, encoding: str) -> str:
        return write_half_width(self.piece(max(40, length)), length, self._chance)

    def _ideographs(self, length: int, encoding: str) -> str:
        return list_ideographs(length, encoding, self._chance)

    def _guest(self, length: int, encoding: str) -> str:
        """Return a few names and words of other languages between those of this one: changelogs, credits, comments."""
        chance = self._chance
        fitting = [name for name in chance.choices(self._guests, k=12) if write(name, encoding)]
        words = self.piece(length).split(" ")
        for name in fitting[: chance.choice((1, 1, 2, 3, 6))]:
            # A name is often repeated.
            for _ in range(chance.choice((1, 1, 1, 2, 5))):
                words.insert(chance.randrange(len(words) + 1), chance.choice(_SHAPES).format(name))
        return " ".join(words)

    def _typographic(self, length: int, encoding: str) -> str:
        """Return a piece with the dashes, quotes and apostrophes of a word processor; of English often nothing else."""
        text = self.piece(length)
        if self._language == "en" and self._chance.random() < 0.6:
            text = NON_ASCII.sub("", text)
        return _AS_TYPED.sub(lambda match: self._chance.choice(_TYPOGRAPHIC[match[0]]), text)

    def _quoted(self, length: int, encoding: str) -> str:
        """Return a piece with quotation marks around some or all of its words, or with dashes between them."""
        chance = self._chance
        before, after = chance.choice(_QUOTATION_MARKS)
        often, words = chance.choice((0.05, 0.2, 1.0)), self.piece(length).split(" ")
        return " ".join(before + word + after if chance.random() < often else word for word in words)

    def _blanks(self, length: int, encoding: str) -> str:
        """Return a piece with non-breaking spaces next to or in place of others, often with the rest in ASCII."""
        chance = self._chance
        text = self.piece(length)
        if chance.random() < 0.6:
            text = NON_ASCII.sub("", text) or chance.choice(_BOILERPLATE)
        words = text.split(" ")
        often = chance.choice((0.05, 0.2, 0.6))
        gaps = [chance.choice(_BLANKS) if chance.random() < often else " " for _ in words]
        gaps[chance.randrange(len(gaps))] = chance.choice(_BLANKS)
        return "".join(word + gap for word, gap in zip(words, gaps, strict=True))

    def _list(self, length: int, encoding: str) -> str:
        words = _WORD.findall(self.piece(3 * length))
        self._chance.shuffle(words)
        if self._chance.random() < 0.25:  # days, months and heads of columns: 'пн;вт;ср'
            words = [word[: self._chance.choice((2, 3, 3, 4))] for word in words]
        return self._chance.choice(_JOINTS).join(words)[:length]

    def _repeated(self, length: int, encoding: str) -> str:
        """Return a column or a log in which one word, or one of a few, occurs again and again."""
        chance = self._chance
        words = [word for word in self._words(self.piece(400)) if not word.isascii()] or [self.piece(8)]
        few = chance.sample(words, min(len(words), chance.choice((1, 1, 2, 3))))
        shape = chance.choice(("{}", "{}", "{};", "{1}. {0}", "{1};{0};0", '"{}"', "{}, ", "[{1}] {0}", "{}:", "- {}"))
        times = chance.choice((2, 2, 3, 4, 8, 15))
        lines = [shape.format(chance.choice(few), chance.randrange(1000)) for _ in range(times)]
        return chance.choice(("\n", "\n", "\r\n", " ", ";")).join(lines)

    def _words_in_ascii(self, length: int, encoding: str) -> str:
        chance = self._chance
        words = [word for word in self._words(self.piece(400)) if not word.isascii()]
        few = [chance.choice(words) for _ in range(chance.choice((1, 1, 1, 2, 2, 3, 4)))] if words else []
        if self._language in _EAST_ASIA and chance.random() < 0.1:
            few = [find_typeface(self._language, chance)]
        if chance.random() < 0.25 or not few:
            sign = self._sign(encoding)
            few.append(chance.choice(_SIGN_SHAPES).format(sign) if sign else "")
        lines: list[str] = []
        while sum(map(len, lines)) + sum(map(len, few)) < max(length, 20):
            lines.append(chance.choice(_BOILERPLATE))
        for word in few:
            lines.insert(chance.randrange(len(lines) + 1), word)
        return chance.choice((" ", "\n", "\r\n", "")).join(lines)

    def _words(self, text: str) -> list[str]:
        """Return the words of *text*; of East Asia short runs, since nothing is between words there."""
        return find_runs(text, self._chance) if self._language in _EAST_ASIA else _WORD.findall(text)

    def _sign(self, encoding: str) -> str:
        """Return a sign that people had at hand where they wrote in *encoding*; of a rare one, none."""
        if is_rare(encoding):
            return ""
        if self._language in _OWN_SIGNS and self._chance.random() < 0.3:
            return self._chance.choice(_OWN_SIGNS[self._language])
        if encoding.startswith("mac-"):
            return self._chance.choice(_SIGNS_OF_MAC)
        return self._chance.choice(_SIGNS_OF_DOS if _is_of_dos(encoding) else _SIGNS)

    def _signs(self, length: int, encoding: str) -> str:
        chance = self._chance
        if length <= SHORT and chance.random() < 0.4 and (sign := self._sign(encoding)):
            return chance.choice(_SIGN_SHAPES).format(sign)
        text = self.piece(length)
        for _ in range(chance.choice((1, 1, 2, 3, 5))):
            place = chance.randrange(len(text) + 1)
            sign = self._sign(encoding)
            if sign and chance.random() < _SHARE_IN_PLACE:
                words = text.split(" ")
                words.insert(chance.randrange(len(words) + 1), place_sign(sign, words, chance))
                text = " ".join(words)
                continue
            if (sign and sign in "“„‘«¿¡") or chance.random() < 0.4:
                place = text.find(" ", place) + 1 or place
            elif chance.random() < 0.9:  # hardly ever inside a word: 'Goi s' is 'Goiás' in cp850
                place = text.find(" ", place)
                place = len(text) if place < 0 else place
            if sign == "\u00a0" and chance.random() < 0.7:
                # Several of them, or one next to a space: what editors of pages leave behind.
                place = text.find(" ", place) + chance.randrange(2) or place
                sign *= chance.choice((1, 1, 1, 2, 3, 4))
            text = text[:place] + sign + text[place:]
        if chance.random() < 0.3:
            text = chance.choice(_BOILERPLATE) + " " + text
        return text

    def _spaced_letters(self, length: int, encoding: str) -> str:
        """Return letters apart, as in tables of characters and lists of endings."""
        text = self.piece(length)
        letters = [letter for letter in text if not letter.isspace()][: max(4, len(text) // 2)]
        return self._chance.choice((" ", "\n", ", ", "|", '","')).join(letters)

    def _vocalised(self, length: int, encoding: str) -> str:
        """Return Arabic with its vowels written, as in scripture and school books; other text as it is."""
        text = self.piece(length)
        if not _ARABIC.search(text):
            return text
        marks = self._chance.choices(_HARAKAT, k=len(text))
        return "".join(
            letter + mark if _ARABIC.match(letter) else letter
            for letter, mark in zip(text, marks, strict=True)
        )


def in_capitals(text: str, language: str) -> str:
    """Return *text* in capitals: Greek without accents, Turkish with the dotted capital I."""
    if language == "el":
        text = unicodedata.normalize("NFC", unicodedata.normalize("NFD", text).replace("\u0301", ""))
    return (text.replace("i", "İ") if language == "tr" else text).upper()


def _is_of_dos(encoding: str) -> bool:
    return can_draw(encoding) and bool(letters_of(encoding))


def _size(chance: random.Random) -> int:
    low, high = (2, SHORT) if chance.random() < _SHARE_OF_SHORT else (SHORTEST, LONGEST)
    return int(low * (high / low) ** chance.random())


def make_samples(
    writer: Writer, encoding: str, count: int, chance: random.Random, *, wide: bool
) -> list[bytes]:
    """Return up to *count* samples in *encoding*, each with at least one non-ASCII byte."""
    samples: list[bytes] = []
    for _ in range(4 * count + 50):
        if len(samples) == count:
            break
        size = _size(chance)
        sample = encode_whole(
            writer.varied(max(1 if wide else 2, size // 2 if wide else size), encoding), encoding
        )
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
