"""Names that programs import from `charset_normalizer.utils`, `.constant`, `.md` and `.cd`.

`mess_ratio` and `coherence_ratio` answer the same questions in another way: how much of a text is damaged, and which
language it is in.
"""

from __future__ import annotations

import codecs
import logging
import re
import unicodedata
from collections.abc import Callable, Iterable
from encodings.aliases import aliases
from functools import cache

from charlens.api import detect
from charlens.compat.tables import block_name, language_name, table
from charlens.encodings import Encoding, lookup
from charlens.files.marks import MARKS

TOO_SMALL_SEQUENCE = 32
TOO_BIG_SEQUENCE = 10_000_000
UTF8_MAXIMAL_ALLOCATION = 1_112_064  # the code points in UTF-8
#: Python's text encodings that exist on every system.
IANA_SUPPORTED = sorted(
    {name for name in aliases.values() if not name.endswith("_codec")} - {"rot_13", "mbcs", "tactis"}
)
IANA_SUPPORTED_COUNT = len(IANA_SUPPORTED)
ENCODING_MARKS: dict[str, bytes | list[bytes]] = {
    "utf_8": MARKS["utf-8"],
    "utf_7": [b"+/v8", b"+/v9", b"+/v+", b"+/v/", b"+/v8-"],
    "gb18030": MARKS["gb18030"],
    "utf_32": [MARKS["utf-32-be"], MARKS["utf-32-le"]],
    "utf_16": [MARKS["utf-16-be"], MARKS["utf-16-le"]],
}
CHARDET_CORRESPONDENCE: dict[str, str] = table("charset_normalizer_legacy")
#: The level of the steps in the log, below that of debugging.
TRACE = 5
LANGUAGE_SUPPORTED_COUNT = len(table("languages"))

_DECLARED = re.compile(r"(?:charset|encoding|coding)[=:\s]{1,10}[\"']?([A-Za-z0-9_\-]{2,40})", re.IGNORECASE)


def unicode_range(character: str) -> str | None:
    """Return the Unicode block of *character*."""
    return block_name(character) or None


def _named(*words: str) -> Callable[[str], bool]:
    """Return a function that checks whether the Unicode name of a character has one of *words*."""

    def check(character: str) -> bool:
        name = unicodedata.name(character, "")
        return any(word in name for word in words)

    return check


is_accentuated = _named(
    *(
        f"WITH {sign}"
        for sign in ("GRAVE", "ACUTE", "CEDILLA", "DIAERESIS", "CIRCUMFLEX", "TILDE", "MACRON", "RING ABOVE")
    )
)
is_latin = _named("LATIN")
is_cjk = _named("CJK")
is_hiragana = _named("HIRAGANA")
is_katakana = _named("KATAKANA")
is_hangul = _named("HANGUL")
is_thai = _named("THAI")
is_arabic = _named("ARABIC")


def remove_accent(character: str) -> str:
    """Return the letter without its accent."""
    return unicodedata.normalize("NFD", character)[0]


def is_punctuation(character: str) -> bool:
    """Whether Unicode counts *character* as punctuation."""
    return "P" in unicodedata.category(character)


def is_symbol(character: str) -> bool:
    """Whether Unicode counts *character* as a symbol or a number."""
    return unicodedata.category(character)[0] in "SN"


def is_separator(character: str) -> bool:
    """Whether *character* separates words."""
    kinds = ("Zs", "Zl", "Zp", "Po", "Pd", "Pc")
    return character.isspace() or character in "｜+<>" or unicodedata.category(character) in kinds


def is_case_variable(character: str) -> bool:
    """Whether *character* is a letter of one case."""
    return character.islower() != character.isupper()


def is_unprintable(character: str) -> bool:
    """Whether *character* is a control that does not occur in text."""
    return not character.isspace() and not character.isprintable() and character not in "\x1a\ufeff"


def iana_name(cp_name: str, strict: bool = True) -> str:
    """Return the name of Python's codec: 'utf_8' for 'UTF8'; an unknown name is an error unless *strict* is false."""
    name = cp_name.lower().replace("-", "_")
    found = next((codec for alias, codec in aliases.items() if name in (alias, codec)), None)
    if found is None and strict:
        raise ValueError(f"Unable to retrieve IANA for '{name}'")
    return found or name


def any_specified_encoding(sequence: bytes | bytearray, search_zone: int = 8192) -> str | None:
    """Return the encoding that the first bytes declare, or ``None``."""
    if not isinstance(sequence, bytes | bytearray):
        raise TypeError(f"any_specified_encoding() needs bytes; got {type(sequence).__name__}")
    for match in _DECLARED.finditer(bytes(sequence[:search_zone]).decode("ascii", "ignore")):
        name = iana_name(match[1], strict=False)
        if name in IANA_SUPPORTED:
            return name
    return None


def is_multi_byte_encoding(name: str) -> bool:
    """Whether characters of the encoding *name* can have several bytes."""
    known = lookup(name)
    return known is not None and known.kind in ("multi", "escape", "utf")


def identify_sig_or_bom(sequence: bytes | bytearray) -> tuple[str | None, bytes]:
    """Return the encoding of the byte order mark of *sequence*, and the mark; ``None`` and b"" without one."""
    for name, marks in ENCODING_MARKS.items():
        for mark in [marks] if isinstance(marks, bytes) else marks:
            if sequence.startswith(mark):
                return name, mark
    return None, b""


def should_strip_sig_or_bom(iana_encoding: str) -> bool:
    """Whether the codec leaves the mark in the text."""
    return iana_encoding not in ("utf_16", "utf_32")


@cache
def cp_similarity(iana_name_a: str, iana_name_b: str) -> float:
    """Return the share of the 256 bytes that have the same character in two code pages."""
    if is_multi_byte_encoding(iana_name_a) or is_multi_byte_encoding(iana_name_b):
        return 0.0
    pages = [
        [bytes((byte,)).decode(codecs.lookup(name).name, "ignore") for byte in range(256)]
        for name in (iana_name_a, iana_name_b)
    ]
    return len([None for one, other in zip(*pages, strict=True) if one == other]) / 256


def is_cp_similar(iana_name_a: str, iana_name_b: str) -> bool:
    """Whether four in five bytes have the same character in two code pages."""
    return iana_name_a != iana_name_b and cp_similarity(iana_name_a, iana_name_b) >= 0.8


def set_logging_handler(
    name: str = "charset_normalizer",
    level: int = logging.INFO,
    format_string: str = "%(asctime)s | %(levelname)s | %(message)s",
) -> None:
    """Add a handler to the logger *name*; our steps go to 'charset_normalizer'."""
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter(format_string))
    logger = logging.getLogger(name)
    logger.setLevel(level)
    logger.addHandler(handler)


def mess_ratio(decoded_sequence: str, maximum_threshold: float = 0.2, debug: bool = False) -> float:
    """Return the share of characters that do not belong in text: mojibake, controls, U+FFFD."""
    from charlens.mojibake.damage import find_damage

    if not decoded_sequence:
        return 0.0
    damaged = sum(part.end - part.start for part in find_damage(decoded_sequence))
    controls = sum(map(is_unprintable, decoded_sequence))
    return min(round(max(damaged, controls) / len(decoded_sequence), 3), 1.0)


def coherence_ratio(
    decoded_sequence: str, threshold: float = 0.1, lg_inclusion: str | None = None
) -> list[tuple[str, float]]:
    """Return the English name of the language of a text and its confidence; an empty list if there is none."""
    verdict = detect(decoded_sequence.encode("utf-8", "ignore"))
    name = language_name(verdict.language)
    allowed = lg_inclusion.split(",") if lg_inclusion else [name]
    return (
        [(name, verdict.confidence)] if name in allowed and name and verdict.confidence >= threshold else []
    )


def encoding_languages(iana_name: str) -> list[str]:
    """Return the English names of the languages of a single-byte encoding."""
    return _languages(iana_name, ("single", "ascii", "ebcdic"))


def mb_encoding_languages(iana_name: str) -> list[str]:
    """Return the English names of the languages of a multi-byte encoding."""
    return _languages(iana_name, ("multi", "escape"))


def _languages(name: str, kinds: Iterable[str]) -> list[str]:
    known: Encoding | None = lookup(name)
    if known is None or known.kind not in kinds:
        return []
    return list(dict.fromkeys(map(language_name, known.languages)))
