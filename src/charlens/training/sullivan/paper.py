"""What the paper says: its labels, its languages, its figures.

Only facts of the publication are here, so that what is ours and what is Sullivan's stay apart.
"""

from __future__ import annotations

from typing import NamedTuple

#: Label to the codec that writes it, in the order of Table 4.  Java's 'UTF-16' writes a byte order
#: mark and then big-endian; `documents.encode` puts the mark.
CODECS = {
    "UTF-8": "utf-8",
    "UTF-16": "utf-16-be",
    "US-ASCII": "ascii",
    "ISO-8859-1": "latin-1",
    "ISO-8859-2": "iso8859-2",
    "ISO-8859-5": "iso8859-5",
    "KOI8-R": "koi8-r",
    "GB2312": "gb2312",
    "GB18030": "gb18030",
    "Big5": "big5",
    "Shift-JIS": "shift_jis",
    "EUC-JP": "euc-jp",
    "EUC-KR": "euc-kr",
}
LABELS = tuple(CODECS)

_LATIN_1 = ("ISO-8859-1",)
_LATIN_2 = ("ISO-8859-2",)
_CHINESE = ("Big5", "GB2312", "GB18030")
#: Table 3: language to its encodings.  Its 'Chinese' is both ways of writing it, as Table 2 shows.
LANGUAGES = {
    "en": ("US-ASCII",),
    "es": _LATIN_1,
    "fr": _LATIN_1,
    "de": _LATIN_1,
    "it": _LATIN_1,
    "pt": _LATIN_1,
    "pl": _LATIN_2,
    "cs": _LATIN_2,
    "hu": _LATIN_2,
    "ru": ("ISO-8859-5", "KOI8-R"),
    "zh-hans": _CHINESE,
    "zh-hant": _CHINESE,
    "ja": ("Shift-JIS", "EUC-JP"),
    "ko": ("EUC-KR",),
}
#: "Additionally, every example was encoded into UTF-16"; the pages came in UTF-8.
EVERY_LANGUAGE = ("UTF-8", "UTF-16")

#: The share of documents that are for training.
TRAINING_SHARE = 0.7


def encodings_of(language: str) -> tuple[str, ...]:
    """Return the labels that a page in *language* is written in."""
    return (*LANGUAGES[language], *EVERY_LANGUAGE)


class Row4(NamedTuple):
    """A row of Table 4; the error and the accuracy are in percent."""

    training: int
    test: int
    support_vectors: int
    loo_error: float
    accuracy: float


TABLE_4 = {
    "UTF-8": Row4(2231, 1275, 575, 2.15, 96.16),
    "UTF-16": Row4(2285, 1302, 129, 0.09, 99.92),
    "US-ASCII": Row4(2457, 1134, 396, 1.95, 98.41),
    "ISO-8859-1": Row4(2489, 1425, 644, 1.77, 97.54),
    "ISO-8859-2": Row4(2622, 1415, 264, 0.31, 99.65),
    "ISO-8859-5": Row4(2456, 1110, 62, 0.16, 99.82),
    "KOI8-R": Row4(2418, 1157, 65, 0.04, 99.91),
    "GB2312": Row4(2411, 1147, 170, 0.12, 99.30),
    "GB18030": Row4(2419, 1140, 425, 2.27, 98.16),
    "Big5": Row4(2427, 1141, 144, 0.16, 100.00),
    "Shift-JIS": Row4(2481, 1084, 113, 0.08, 100.00),
    "EUC-JP": Row4(2474, 1111, 135, 0.04, 99.91),
    "EUC-KR": Row4(2444, 1158, 112, 0.04, 99.83),
}


class Row2(NamedTuple):
    """A row of Table 2: an n-gram as the number that its bytes make, first byte first."""

    label: str
    language: str
    value: int
    width: int
    divergence: float


TABLE_2 = (
    Row2("UTF-8", "Simplified Chinese", 35280, 2, 210.97),
    Row2("UTF-8", "Korean", 47569, 2, 179.39),
    Row2("UTF-8", "Traditional Chinese", 40372, 2, 127.29),
    Row2("ISO-8859-5", "Russian", 213, 1, 10.91),
    Row2("ISO-8859-1", "Portuguese", 195, 1, 2.71),
)

#: Table 5: share of 1,000 documents named rightly by the SVM and by jcharset, in percent.
TABLE_5 = {"UTF-8": (94.2, 100.0), "ISO-8859-1": (99.5, 83.6), "GB18030": (99.0, 72.5)}
TABLE_5_DOCUMENTS = 1000
