"""Recognise text in the EBCDIC code pages of mainframes.

Their line endings and tabs are on the block list, so they are recognised before the content stage.  They are recognised
by the space: 0x40, which is '@' in every other encoding; or else by the gaps in the alphabet.  The code page is the one
with the most likely characters; pages that differ only in a few signs are alternatives.
"""

import re
from collections import Counter
from functools import cache
from math import inf
from typing import NamedTuple

from charlens import kernel
from charlens.encodings import lookup
from charlens.encodings.maps import defined_mask, single_byte_map
from charlens.findings import EBCDIC_JUDGED_FROM, EbcdicForm, UnicodeForm
from charlens.kernel.facts import EBCDIC_SPACE
from charlens.models.characters import character_weights
from charlens.patterns import Pattern
from charlens.source import Source
from charlens.types import Buffer

_SPACE = EBCDIC_SPACE
_SPACE_SEEN = 1 << _SPACE
SAMPLE = 8192
#: The share of spaces: 12 to 22 % in prose; tables have more, code and lists of words less.
LEAST_SPACES = 0.04
#: The full-width spaces of Shift_JIS and Big5 do not count: Japanese is aligned with them, and read as EBCDIC it has
#: likely characters. Few words end with 0x81, which is 'a', and none with 0xA1, '~'.
_FULL_WIDTH_SPACES = (b"\x81\x40", b"\xa1\x40")
#: Kana of Shift_JIS begin with these bytes, which are 'b' and 'c'; prose in EBCDIC has 2 to 6 % of them.
_KANA, _MOST_KANA = (0x82, 0x83), 0.25
#: The space and the line ending of ASCII; without either, it may be EBCDIC without spaces.
GAPS_OF_ASCII = 1 << 0x20 | 1 << 0x0A
_LINE_END = b"\x25"
#: The three parts of the alphabet, and all that is common in text, with the line endings and the tab.
_ALPHABET = tuple(f"{part}{part.upper()}".encode("cp037") for part in ("abcdefghi", "jklmnopqr", "stuvwxyz"))
_COMMON = b"".join(_ALPHABET) + "0123456789 .,;:-/()'\"?!=*+&%_#@$<>\r\n\t\x85".encode("cp037")
#: All other byte values, as a set; the strings of a pool are joined by spaces.
NOT_COMMON = ~sum(1 << byte for byte in {*_COMMON, 0x20})
#: The largest share of other bytes, and the smallest of each part of the alphabet.
MOST_OTHERS, _LEAST_THIRD = 0.06, 0.08
#: If the bytes are ASCII, a larger share is a pattern of '@'.
_MOST_AT_SIGNS = 0.35
#: Quarters of a bit per character: prose has 40 and more in its own page, other bytes under 0.
_LEAST_WEIGHT = 24
#: The same for capitals and figures between signs, if the bytes are the alphabet of EBCDIC.
_LEAST_WITH_ALPHABET = 12

#: Pages that are at most this much less likely (3 bits) are kept next to the best; the more common one comes first.
_CLEAR = 12

#: The first character after the Latin letters, and the penalty of each letter in the rarer script of a text.
_NOT_LATIN = "\u0250"
_MINOR_SCRIPT = 40

#: The penalty of a page whose languages are not that of its text: cp1026 is Turkish, cp273 German. The pages
#: differ in a few signs and letters; by their characters alone, '~' and '\\' of French were 'ö' and 'ü' of Turkish.
_FOREIGN = 40
#: The penalty of each non-ASCII letter that stands alone where another page has a sign: '¦' of cp500 is 'ö'
#: in cp273. Words such as 'à' are the same letter in all of these pages.
_LONE = 60
#: The same penalty for each odd sign inside a word, or letter of another case, where another page has a letter: 'JÖRG'
#: of cp273 is 'J\RG' in cp500 and 'JüRG' in cp1026. The patterns are for the kinds of characters, for each the first
#: of `_KINDS` that fits; a pattern that begins with one byte is found fast.
_ODD = "[]{}\\#$\"!§¢£¬¦"
_KINDS = {
    "a": "[a-z]",
    "A": "[A-Z]",
    "e": "[à-öø-ÿğış]",
    "E": "[À-ÖØ-ÞĞİŞ]",
    "x": r"[^\W\d_]",
    "0": r"\w",
    "-": f"[{re.escape(_ODD)}]",
    " ": "",
}
_MISREAD = (
    Pattern(rb"e(?:(?<!\w.)(?!\w)|(?<=A.)(?=A))", re.DOTALL),
    Pattern(rb"E(?:(?<!\w.)(?!\w)|(?<=a.)(?=a))", re.DOTALL),
    Pattern(rb"x(?<!\w.)(?!\w)", re.DOTALL),
    Pattern(rb"-(?<=[A-Za-z].)(?=[A-Za-z])", re.DOTALL),
)
#: The same penalty for each bracket without its partner.
_PARTNERS = (("[", "]"), ("{", "}"))
_SIGN = Pattern(r"[^\w\s]")
#: The number of characters read to find the language, and the fewest letters that are enough.
_READ = 1024
_LEAST_LETTERS = 12

#: The pages of other scripts, and their penalty if the text has no letters of the script: more than signs can add.
_OTHER_SCRIPTS = ("cp424", "cp875")
_WITHOUT_ITS_SCRIPT = 1000
#: By frequency; if several give the same text, the first wins.
_PAGES = ("cp037", "cp500", "cp1140", "cp273", "cp1026", "cp424", "cp875")


def find_ebcdic(source: Source, form: UnicodeForm | None = None) -> EbcdicForm | None:
    """Return the EBCDIC pages that read the bytes as text, or ``None``.

    Hebrew is entirely below 0x80; if the bytes are ASCII (*form*), its page must give a better text than ASCII.
    """
    seen = source.scan.seen
    if not _may_be_ebcdic(source, seen):
        return None
    sample = _sample(source.sample)
    if not source.declares:
        sample = sample.replace(b" ", _LINE_END)  # the strings of a pool are joined by it
    spaces = (sample.count(_SPACE) - sum(map(sample.count, _FULL_WIDTH_SPACES))) / len(sample)
    if sample.count(0x20) > sample.count(_SPACE) or sum(map(sample.count, _KANA)) > _MOST_KANA * len(sample):
        return None
    counts = Counter(sample)
    alphabet = _has_alphabet(counts)
    if spaces < LEAST_SPACES and not alphabet:
        return None
    least = (_LEAST_WITH_ALPHABET if alphabet else _LEAST_WEIGHT) * len(sample)
    if form is not None and spaces > _MOST_AT_SIGNS:
        return None
    # A page must define every byte of the input, not only those of the sample.
    weights = {page: _weight(sample, counts, page) for page in _PAGES if not seen & ~defined_mask(page)}
    if max(weights.values(), default=-inf) < least:
        return None
    if form is not None and _weight(sample, counts, form.encoding) >= max(weights.values()):
        return None  # one e-mail address per line: '@' is not a space
    weights = {page: weight - _foreignness(sample, page) for page, weight in weights.items()}
    best = max(weights.values())
    near = [page for page in weights if weights[page] > best - _CLEAR]
    others = [page for page in weights if least <= weights[page] <= best - _CLEAR]
    # 0.95 for the pages that are near, a little more for the first; 0.05 for all others together. Pages that read other
    # signs but the same letters are not ruled out: '!' of one page is ']' or '|' in another.
    first = _page(near[0]).letters
    signs = [page for page in others if all(_page(page).letters[byte] == first[byte] for byte in counts)]
    whole = 0.7 if signs else 0.95
    shares = [(page, (whole - 0.1) / len(near) + 0.1 * (index == 0)) for index, page in enumerate(near)]
    shares += ((page, 0.25 / len(signs)) for page in signs)
    shares += ((page, 0.05 / len(_PAGES)) for page in others if page not in signs)
    return EbcdicForm(tuple(shares), spaces)


def _may_be_ebcdic(source: Source, seen: int) -> bool:
    """Whether the values that occur, and in varied text the spaces, leave it possible."""
    if source.size < EBCDIC_JUDGED_FROM:
        return False
    spaces = seen & _SPACE_SEEN
    if source.declares and not spaces and seen & GAPS_OF_ASCII:
        return False
    # Most text has too many other values for the alphabet, however often each occurs.
    if not source.whole or (seen & NOT_COMMON).bit_count() - 1 <= MOST_OTHERS * source.size:
        return True
    sample = _sample(source.sample)
    return spaces != 0 and sample.count(_SPACE) >= LEAST_SPACES * len(sample)


def _has_alphabet(counts: Counter[int]) -> bool:
    """Whether nearly all bytes are letters, digits and punctuation of Latin EBCDIC, with all parts of its alphabet.

    The alphabet is in three parts with gaps between them, which other encodings fill. Tables and lists of words, which
    have no spaces, are recognised by it.
    """
    thirds = [sum(counts.get(byte, 0) for byte in part) for part in _ALPHABET]
    others = [count for byte, count in counts.items() if byte not in _COMMON]
    # One more value may be frequent: what separates the fields.
    rest = sum(others) - max(others, default=0)
    return rest <= MOST_OTHERS * sum(counts.values()) and min(thirds) > _LEAST_THIRD * sum(thirds)


def _sample(data: Buffer) -> bytes:
    """Return the sample: all of a short input, three pieces of a long one."""
    if len(data) <= 3 * SAMPLE:
        return bytes(data)
    middle = len(data) // 2
    return bytes(data[:SAMPLE]) + bytes(data[middle : middle + SAMPLE]) + bytes(data[-SAMPLE:])


def _foreignness(sample: bytes, page: str) -> int:
    """Return the penalty of *page* if it is not used for the language of its text."""
    from charlens.models.language_model import default_language_model  # few inputs get here

    model = default_language_model()
    text = sample[:_READ].decode(page, "ignore")
    if page in _OTHER_SCRIPTS and not any(
        character.isalpha() and character >= _NOT_LATIN for character in set(text)
    ):
        return _WITHOUT_ITS_SCRIPT
    numbers = kernel.languages(text.encode("utf-8", "ignore"), model.tables, 1)
    if len(numbers) <= 4 or numbers[1] < _LEAST_LETTERS:  # a script and its letters, and no language
        return 0
    known = lookup(page)
    if known is None or model.languages[numbers[4]] in known.languages:
        return 0
    return _FOREIGN


class _Page(NamedTuple):
    """What the 256 byte values are in a page."""

    text: str
    #: The text with one mark for every sign.
    letters: str
    #: The weight of each character as evidence for text; minus infinity if no text has it.
    weights: list[float]
    #: The kind of each character.
    kinds: bytes


@cache
def _page(name: str) -> _Page:
    # NEL, 0x15, is the line ending of these pages; Python reads it as U+0085.
    text = "".join(map(chr, single_byte_map(name))).replace("\x85", "\n")
    weights = []
    for character in text:
        unit = character.encode("utf-16-le")
        _, weight, _, faults, _ = kernel.weigh(unit, 2, 0, character_weights())
        weights.append(-inf if faults else weight)
    kinds = "".join(
        next(kind for kind, pattern in _KINDS.items() if re.match(pattern, character)) for character in text
    )
    return _Page(text, _SIGN.sub("\0", text), weights, kinds.encode())


def _weight(sample: bytes, counts: Counter[int], name: str) -> float:
    """Return how likely the text is that the page *name* reads."""
    page = _page(name)
    weight = sum(count * page.weights[byte] for byte, count in counts.items())
    if weight == -inf:
        return weight
    kinds = sample.translate(page.kinds)
    misread = sum(len(pattern.findall(kinds)) for pattern in _MISREAD)
    for opening, closing in _PARTNERS:
        misread += abs(counts[page.text.find(opening)] - counts[page.text.find(closing)])
    weight -= _LONE * misread
    # A Hebrew letter is a likely character, but not inside a Norwegian word.
    letters = [byte for byte in counts if page.text[byte].isalpha()]
    other = sum(counts[byte] for byte in letters if page.text[byte] >= _NOT_LATIN)
    return weight - _MINOR_SCRIPT * min(other, sum(counts[byte] for byte in letters) - other)
