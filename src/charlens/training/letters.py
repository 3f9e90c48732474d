"""List letters: alphabets, character classes, key maps, tables of replacements, hyphenation and affix rules.

Such lists have few letters, each once or twice, and no words.  The letters of a language are taken from its texts.
"""

from __future__ import annotations

import random
import unicodedata
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache

from charlens.encodings import lookup

#: Letters that make up less than this share of the non-ASCII letters belong to names and quotations.
_LEAST_SHARE = 0.002
#: More letters than this is not an alphabet (Chinese, Korean).
_MOST_LETTERS = 140
# Between letters of a list.
_GAPS = ("", "", " ", " ", "\n", ", ", ",", "|", "\t", "/", "','", '","', ";")

# Rows of keyboards: Russian, Ukrainian, Belarusian, Bulgarian, Greek, Hebrew.
_KEYBOARDS = (
    "йцукенгшщзхъ", "фывапролджэ", "ячсмитьбю", "йцукенгшщзхї", "фівапролджє", "йцукенгшўзх",
    "уеишщксдзц", "ьяаожгтнвмч", "ςερτυθιοπ", "ασδφγηξκλ", "ζχψωβνμ", "קראטוןםפ", "שדגכעיחלך", "זסבהנמצתץ",
)  # fmt: skip


def find_letters(texts: Iterable[str]) -> list[str]:
    """Return the non-ASCII letters that *texts* are written with, small ones, in the order of the alphabet."""
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update(letter for letter in text[:200_000].lower() if letter > "\x7f" and letter.isalpha())
    least = _LEAST_SHARE * sum(counts.values())
    found = sorted((letter for letter, count in counts.items() if count > least), key=_order)
    return found if len(found) <= _MOST_LETTERS else []


@lru_cache(maxsize=128)
def letters_of(encoding: str) -> tuple[str, ...]:
    """Return the small non-ASCII letters that the single-byte *encoding* has, in the order of its table."""
    known = lookup(encoding)
    if known is None or known.kind != "single":
        return ()
    table = (bytes([value]).decode(encoding, "ignore") for value in range(0x80, 0x100))
    # Not the accents that stand alone, which count as letters, too.
    return tuple(letter for letter in table if letter and unicodedata.category(letter) in ("Ll", "Lo"))


def _order(letter: str) -> tuple[str, str]:
    """Sort 'é' next to 'e', as dictionaries do."""
    return unicodedata.normalize("NFD", letter)[0], letter


def list_letters(letters: list[str], length: int, chance: random.Random) -> str:
    """Return a list of about *length* characters made of *letters*."""
    makers = (
        _alphabet,
        _alphabet,
        _character_class,
        _pairs_of_cases,
        _replacements,
        _rules,
        _groups,
        _keyboard,
        _by_frequency,
    )
    maker = chance.choice(makers)
    rows = ""
    while len(rows) < length:
        rows += maker(letters, chance) + chance.choice(("\n", "\r\n", " ", "\n"))
        if chance.random() < 0.5:
            break
    return rows[: max(length, 4)]


def list_table(encoding: str, length: int, chance: random.Random) -> str:
    """Return the characters of the single-byte *encoding* in the order of its table, all of them or some."""
    signs = (bytes([value]).decode(encoding, "ignore") for value in range(0x80, 0x100))
    table = [sign for sign in signs if sign and sign.isprintable()]
    start = chance.randrange(len(table)) if chance.random() < 0.6 else 0
    some = table[start : start + max(4, length // 2)]
    shape = chance.choice(
        ("{0}",) * 6 + ("0x{1:02X} {0}", "'{0}'", "{1} {0}", "DB '{0}' ; {1}", "{0} ({1:02x})")
    )
    rows = [shape.format(sign, 0x80 + table.index(sign)) for sign in some]
    gap = "\n" if len(shape) > 5 else chance.choice(_GAPS)
    return gap.join(rows)[: max(length, 4)]


def _some(letters: list[str], chance: random.Random) -> list[str]:
    """Return a run of the alphabet, all of it, or a few letters in any order; now and then capitals."""
    kind = chance.random()
    if kind < 0.4:
        some = list(letters)
    elif kind < 0.7:
        start = chance.randrange(len(letters))
        some = letters[start : start + chance.randrange(2, 16)]
    else:
        some = chance.sample(letters, chance.randrange(1, min(len(letters), 12) + 1))
    if chance.random() < 0.25:
        some.sort()
    if chance.random() < 0.4:
        some = [letter.upper() if len(letter.upper()) == 1 else letter for letter in some]
    if chance.random() < 0.3:
        some = [sign for letter in some for sign in dict.fromkeys((_base(letter), letter))]
    return some


def _base(letter: str) -> str:
    base = unicodedata.normalize("NFD", letter)[0]
    return base if base.isascii() else letter


def _alphabet(letters: list[str], chance: random.Random) -> str:
    some = _some(letters, chance)
    around = chance.choice(("", "", "'", '"', "chars="))
    return around + chance.choice(_GAPS).join(some) + (around if len(around) == 1 else "")


def _character_class(letters: list[str], chance: random.Random) -> str:
    small, large = _some(letters, chance), _some(letters, chance)
    inside = chance.choice(("a-z", "a-zA-Z", "A-Za-z0-9", "^a-z", "")) + "".join(small)
    if chance.random() < 0.5:
        inside += chance.choice(("A-Z", "")) + "".join(large).upper()
    if chance.random() < 0.15:
        inside = f"a-zA-Z{min(small)}-{max(small)}"
    return chance.choice(("[{}]", "[{}]+", "wordchars [{}]", "/[{}]*/", "tr/{}/a-z/", "chars: [{}]")).format(
        inside
    )


def _pairs_of_cases(letters: list[str], chance: random.Random) -> str:
    gap = chance.choice((" ", "", "\t", "/", ", ", " = ", "->"))
    shape = chance.choice(("{}", "[{}]", "({})", "<{}>", "boundarychars {}", "{{{}}}"))
    rows = [
        shape.format(letter + gap + letter.upper()) for letter in _some(letters, chance) if letter.islower()
    ]
    return chance.choice(("\n", " ", "")).join(rows) or "".join(letters[:2])


def _replacements(letters: list[str], chance: random.Random) -> str:
    shape = chance.choice(
        ("s/'{1}/{0}/g", "s/{0}/{1}/g", "REP {1} {0}", "MAP {1}{0}", "'{0}' => '{1}',", '{0} "{1}', "\\'{1} {0}",
         "{0}\t{1}", "&{1}acute; {0}", "{0} = {1}", '"{0}" "\\\\{1}"', "0x{2:02x} {0}", "key {2} = {0}")
    )  # fmt: skip
    rows = [shape.format(letter, _base(letter), ord(letter) & 255) for letter in _some(letters, chance)]
    return chance.choice(("\n", "\n", " ")).join(rows)


def _groups(letters: list[str], chance: random.Random) -> str:
    """Return letters that differ in their accents, a line for each base: 'MAP aàáâ', 'o: òóô'."""
    groups: dict[str, list[str]] = {}
    for letter in letters:
        groups.setdefault(_base(letter), []).append(letter)
    shape = chance.choice(("MAP {}{}", "{}: {}", "[{}{}]", "{} = {}", '"{}{}"', "s/[{1}]/{0}/"))
    rows = [shape.format(base, "".join(group)) for base, group in groups.items() if group != [base]]
    return chance.choice(("\n", "\n", " ")).join(rows) if rows else _alphabet(letters, chance)


def _keyboard(letters: list[str], chance: random.Random) -> str:
    """Return rows of a keyboard, with or without the keys of the Latin one next to them."""
    rows = [row for row in _KEYBOARDS if set(row) <= set(letters)]
    if not rows:
        return _alphabet(letters, chance)
    row = chance.choice(rows)
    row = row[: chance.choice((6, len(row), len(row)))]
    keys = chance.choice(("{0}", "{0}", "QWERTY <-> {0}", "{1} = {0}", "'{0}','{1}'")).format(
        row, "qwertyuiop[]"[: len(row)]
    )
    return keys.upper() if chance.random() < 0.4 else keys


def _by_frequency(letters: list[str], chance: random.Random) -> str:
    """Return the letters that a spelling checker tries, the most frequent first: 'TRY esiarntolcé…'."""
    order = list("esianrtolcdugmphbyfvkwzqjx")
    for letter in letters:
        order.insert(chance.randrange(4, len(order) + 1), letter)
    text = "".join(order)
    if chance.random() < 0.5:
        text += "".join(letter.upper() for letter in order if len(letter.upper()) == 1)
    return chance.choice(("TRY {}", "{}", '"{}"')).format(text)


def _rules(letters: list[str], chance: random.Random) -> str:
    """Return rules of hyphenation or affixes: '1bá 4éc3', 'SFX A o á [^aeio]'."""
    ascii_letters = "aeioubcdklmnprstvz"
    rows = []
    for letter in _some(letters, chance):
        one, two = chance.choice(ascii_letters), chance.choice(ascii_letters)
        rows.append(
            chance.choice((f"{one}1{letter}", f".{letter}{one}4", f"1{one}{letter}2", f"{letter}3{one}",
                           f"SFX A {one} {letter}{two} [^{one}]", f"SFX B 0 {letter} .",
                           f"{one.upper()} > -{one.upper()},{letter.upper()}"))
        )  # fmt: skip
    return "\n".join(rows)
