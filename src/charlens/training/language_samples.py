"""What the language model sees of text: letters by script, folded, and the slots of their n-grams.

The scripts and the languages written in them are here; so are the tables of letters that a model carries, and the
n-grams as `charlens.kernel.pure_languages` defines them, for many samples at once.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from charlens.kernel.facts import FOLDED, MIX, PLACES, WORD, WORD_END
from charlens.training.characters import script_of
from charlens.training.features import stack_rows

Numbers = NDArray[np.uint32]


class Script(NamedTuple):
    """A script, or several that one language mixes, and the languages written in it."""

    name: str
    #: The first words of the names of its characters in Unicode.
    words: tuple[str, ...]
    languages: tuple[str, ...]
    #: What a letter counts against those of other scripts. Latin letters occur in texts of all languages: manuals,
    #: pages and catalogues in Russian or Chinese have more English in them than not, hardly the other way round. Of the
    #: labelled files in such scripts one in ten has less than 10 % of its letters in it. An ideograph is half a word.
    letter: int = 8
    wide: bool = False
    #: Slots as a power of two, and how many of them keep a row; none if there is one language only.
    bits: int = 0
    rows: int = 0


def _one(name: str, language: str, *words: str, letter: int = 8) -> Script:
    return Script(name, words or (name.upper(),), (language,), letter)


_LATIN = (
    "af an ast az br bs ca co cs cy da de dsb en eo es et eu fi fo fr fy ga gd gl gv ha hr hsb ht hu id is it kmr kw "
    "la lb lt lv ms mt nb nds nl nn oc pl pt rm ro se sk sl sq sr-Latn sv sw tl tr uz-Latn vi wa zxx"
)
_CYRILLIC = "be bg cv kk ky mdf mk mn myv ru rue sr-Cyrl tg tt uk uz-Cyrl"
_COMMON = "ar cs de en es fa fr id it ja ko nl pl pt ru tr uk vi zh-Hans zh-Hant"

#: Languages that most text is in, by any count of pages or speakers: more likely before anything is seen.
COMMON = frozenset(_COMMON.split())

#: All scripts; the number of a script is its place here, from 1 on.
SCRIPTS = (
    Script("Latin", ("LATIN", "COMBINING"), tuple(_LATIN.split()), 1, bits=15, rows=6000),
    Script("Cyrillic", ("CYRILLIC",), tuple(_CYRILLIC.split()), bits=13, rows=3200),
    Script(
        "Arabic",
        ("ARABIC",),
        ("ar", "arz", "ckb", "fa", "ps", "sd", "skr", "ug", "ur"),
        bits=12,
        rows=1600,
    ),
    Script("Hebrew", ("HEBREW",), ("he", "yi"), bits=10, rows=800),
    Script(
        "Han and kana",
        ("CJK", "HIRAGANA", "KATAKANA", "BOPOMOFO", "HALFWIDTH"),
        ("ja", "yue", "zh-Hans", "zh-Hant"),
        14,
        wide=True,
        bits=13,
        rows=6000,
    ),
    Script("Devanagari", ("DEVANAGARI",), ("hi", "mr", "ne"), bits=11, rows=1200),
    Script("Bengali", ("BENGALI",), ("as", "bn"), bits=10, rows=800),
    Script("Ethiopic", ("ETHIOPIC",), ("am", "ti", "tig"), bits=10, rows=800),
    _one("Hangul", "ko", letter=12),
    _one("Greek", "el"),
    _one("Armenian", "hy"),
    _one("Georgian", "ka"),
    _one("Thai", "th"),
    _one("Lao", "lo"),
    _one("Khmer", "km"),
    _one("Myanmar", "my"),
    _one("Tamil", "ta"),
    _one("Telugu", "te"),
    _one("Kannada", "kn"),
    _one("Malayalam", "ml"),
    _one("Gujarati", "gu"),
    _one("Gurmukhi", "pa"),
    _one("Oriya", "or"),
    _one("Sinhala", "si"),
    _one("Thaana", "dv"),
    _one("Ol Chiki", "sat", "OL"),
    _one("Cherokee", "chr"),
    _one("Tifinagh", "zgh"),
)

#: Folders of a corpus whose texts are of a class with another name, in lower case. What is called zh-hk is left out: it
#: is half Cantonese, half Chinese.
ALSO = {"uz-Latn": ("uz",)}

#: Serbian is written in two scripts, letter for letter; few texts are in the Latin one.
_SERBIAN = "абвгдђежзијклљмнњопрстћуфхцчџш"
_SERBIAN_IN_LATIN = "a b v g d đ e ž z i j k l lj m n nj o p r s t ć u f h c č dž š"
TO_LATIN = {
    cyrillic: latin
    for one, other in zip(_SERBIAN, _SERBIAN_IN_LATIN.split(), strict=True)
    for cyrillic, latin in ((ord(one), other), (ord(one.upper()), other.capitalize()))
}

_DOTTED_I = 0x130


def letter_table() -> NDArray[np.uint16]:
    """Return what each character under U+0600 is folded to: its lower case, or 0 for what is not a letter."""
    table = np.zeros(FOLDED, np.uint16)
    for value in range(FOLDED):
        character = chr(value)
        # Combining marks are letters here: in Vietnamese of cp1258 they stand for themselves.
        if character.isalpha() or unicodedata.category(character) == "Mn":
            lower = character.lower()
            table[value] = ord(lower) if len(lower) == 1 and ord(lower) < 0x10000 else value
    table[_DOTTED_I] = ord("i")
    table[[0xAA, 0xBA]] = 0  # ª and º are ordinals
    return table


def block_table() -> bytes:
    """Return the number of the script that most letters of each 16 characters are of, 0 for none."""
    numbers = {word: number for number, script in enumerate(SCRIPTS, 1) for word in script.words}
    table = bytearray(0x1000)
    for block in range(0x1000):
        characters = [chr(16 * block + low) for low in range(16) if not 0xD80 <= block < 0xE00]
        found = Counter(
            script_of(character) for character in characters if unicodedata.category(character)[0] in "LM"
        )
        table[block] = numbers.get(found.most_common(1)[0][0], 0) if found else 0
    return bytes(table)


_LETTERS = letter_table()
_BLOCKS = np.frombuffer(block_table(), np.uint8)


def letters_of(text: str, number: int) -> Numbers:
    """Return the letters of script *number* in *text*, folded, and 0 for everything else."""
    values = np.frombuffer(text.encode("utf-32-le", "replace"), np.uint32)
    folded = np.where(values < FOLDED, _LETTERS[np.minimum(values, FOLDED - 1)], values)
    inside = (values < 0x10000) & (_BLOCKS[np.minimum(values, 0xFFFF) >> 4] == number)
    return np.where(inside, folded, 0).astype(np.uint32)


def slots_of(text: str, number: int) -> NDArray[np.int64]:
    """Return the slots of the n-grams of *text* in script *number*, in no particular order."""
    script = SCRIPTS[number - 1]
    letters = np.concatenate(([0, 0], letters_of(text, number), [0, 0])).astype(np.uint32)
    sums = _wide_sums(letters) if script.wide else _narrow_sums(letters)
    sums = (sums ^ sums >> np.uint32(15)) * np.uint32(MIX)
    return (sums >> np.uint32(32 - script.bits)).astype(np.int64)


def _wide_sums(letters: Numbers) -> Numbers:
    one, two = np.uint32(PLACES[0]), np.uint32(PLACES[1])
    single = letters[letters != 0]
    before, after = letters[:-1], letters[1:]
    both = (before != 0) & (after != 0)
    return np.concatenate((single * one, before[both] * one + after[both] * two))


def _narrow_sums(letters: Numbers) -> Numbers:
    first, middle, last = letters[:-2], letters[1:-1], letters[2:]
    inside = middle != 0
    places = [np.uint32(place) for place in PLACES]
    threes: Numbers = (first * places[0] + middle * places[1] + last * places[2])[inside]
    at = np.flatnonzero(letters)
    if not len(at):
        return threes
    starts = np.flatnonzero((letters[1:] != 0) & (letters[:-1] == 0)) + 1
    word = np.searchsorted(starts, at, "right") - 1
    powers = np.cumprod(np.full(int((at - starts[word]).max()) + 1, WORD, np.uint32), dtype=np.uint32)
    words = np.add.reduceat(
        letters[at] * powers[at - starts[word]], np.searchsorted(at, starts), dtype=np.uint32
    )
    return np.concatenate((threes, words * np.uint32(WORD_END)))


def count_slots(texts: Sequence[str], number: int) -> sp.csr_matrix:
    """Return a row for each text: how often n-grams fell into each slot of the script."""
    rows = [np.unique(slots_of(text, number), return_counts=True) for text in texts]
    return stack_rows(rows, 1 << SCRIPTS[number - 1].bits, np.float32)
