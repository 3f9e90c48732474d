"""Features of the encoding itself, which no frequency of a single n-gram says.

The paper's last open idea: "incorporate knowledge of specific encodings into the classification"; its example is the
share of n-grams with the high bit set.  Besides shares there are facts: that *no* byte is high, or that *every* high
byte is in a sequence of an encoding, is what one sign in a long page changes, and a share hardly shows.
"""

from __future__ import annotations

import re

import numpy as np

from charlens.training.sullivan.paper import CODECS

# What a sequence with high bytes looks like; which of them are characters is not asked.
_SEQUENCES = {
    "UTF-8": rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}",
    "GB2312": rb"[\xa1-\xa9\xb0-\xf7][\xa1-\xfe]",
    "GB18030": rb"[\x81-\xfe](?:[\x40-\x7e\x80-\xfe]|[0-9][\x81-\xfe][0-9])",
    "Big5": rb"[\xa1-\xf9][\x40-\x7e\xa1-\xfe]",
    "Shift-JIS": rb"[\x81-\x9f\xe0-\xef][\x40-\x7e\x80-\xfc]|[\xa1-\xdf]",
    "EUC-JP": rb"[\xa1-\xfe][\xa1-\xfe]|\x8e[\xa1-\xdf]|\x8f[\xa1-\xfe][\xa1-\xfe]",
    "EUC-KR": rb"[\xa1-\xfe][\xa1-\xfe]",
}
# The first bytes of what most sequences in a text of the language are: common hanzi, kana, Hangul.  Several encodings
# have the same sequences, and the rows are where they differ.
_USUAL = {
    "GB2312": bytes(range(0xB0, 0xD8)),
    "Big5": bytes(range(0xA4, 0xC7)),
    "Shift-JIS": b"\x82\x83",
    "EUC-JP": b"\xa4\xa5",
    "EUC-KR": bytes(range(0xB0, 0xC9)),
}
# The longest sequence first at each place: a high byte that begins none is skipped alone.
_PATTERNS = {label: re.compile(pattern) for label, pattern in _SEQUENCES.items()}
_HIGH = bytes(range(0x80, 0x100))
# The small letters of an encoding of one byte a character: most of what is high in a text of it.
_SMALL = {
    label: bytes(byte for byte in _HIGH if bytes([byte]).decode(CODECS[label]).islower())
    for label in ("ISO-8859-1", "ISO-8859-2", "ISO-8859-5", "KOI8-R")
}
# Only GB18030 has them in text: the four-byte sequences are high, digit, high, digit.
_BEFORE_DIGIT = re.compile(rb"[\x81-\xfe](?=[0-9])")

SHARES = (
    "bytes with the high bit",
    "pairs with both high bits",
    "triples with all high bits",
    "NUL bytes",
    "bytes 80 to 9F",
    "high bytes before a digit",
)
NAMES = (
    *SHARES,
    "no high byte",
    "no byte 80 to 9F",
    *(f"high bytes that are small letters of {label}" for label in _SMALL),
    *(f"most small letters in {label}" for label in _SMALL),
    *(f"high bytes in sequences of {label}" for label in _SEQUENCES),
    *(f"sequences of {label} that are usual" for label in _USUAL),
    *(f"no high byte outside sequences of {label}" for label in _SEQUENCES),
)


def measure(data: bytes) -> tuple[float, ...]:
    """Return the traits of *data*, shares from 0 to 1 and facts as 0 or 1, in the order of `NAMES`."""
    values = np.frombuffer(data, np.uint8)
    high, low_high = values >= 0x80, (values >= 0x80) & (values < 0xA0)
    total, highs = max(len(values), 1), int(high.sum())
    pairs, triples = high[:-1] & high[1:], high[:-2] & high[1:-1] & high[2:]
    small = [_count(data, letters) for letters in _SMALL.values()]
    outside = [_outside(data, pattern) if highs else 0 for pattern in _PATTERNS.values()]
    return (
        highs / total,
        float(pairs.sum()) / total,
        float(triples.sum()) / total,
        float((values == 0).sum()) / total,
        float(low_high.sum()) / total,
        len(_BEFORE_DIGIT.findall(data)) / max(highs, 1),
        float(highs == 0),
        float(not low_high.any()),
        *(count / max(highs, 1) for count in small),
        *(float(count == max(small) > 0) for count in small),
        *((highs - left) / highs if highs else 0.0 for left in outside),
        *(_usual(data, label) if highs else 0.0 for label in _USUAL),
        *(float(highs > 0 and left == 0) for left in outside),
    )


def _outside(data: bytes, pattern: re.Pattern[bytes]) -> int:
    """Count the high bytes that are left when all sequences are taken out, from the left."""
    return _count(pattern.sub(b"", data), _HIGH)


def _usual(data: bytes, label: str) -> float:
    """Return the share of the sequences of *label* that begin with one of its usual bytes."""
    firsts = bytes(found[0] for found in _PATTERNS[label].findall(data))
    return _count(firsts, _USUAL[label]) / max(len(firsts), 1)


def _count(data: bytes, values: bytes) -> int:
    return len(data) - len(data.translate(None, values))

