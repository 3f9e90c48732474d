"""Look for known words in the likely readings of a short text.

'ģimene' in windows-1257 is 'ìimene' in windows-1252: the byte pairs do not tell which, but only the first is a word.
If a text has few non-ASCII bytes and several readings are likely, the words of each reading that its language knows
are evidence: log-odds for its class.  Longer text has enough byte pairs.
"""

from __future__ import annotations

from math import exp
from typing import TYPE_CHECKING

from charlens import kernel
from charlens.encodings import all_encodings
from charlens.findings import KnownWords
from charlens.models.words import packed_words
from charlens.stages.statistics.surroundings import around
from charlens.types import Buffer

if TYPE_CHECKING:
    from charlens.kernel.shapes import Judged
    from charlens.models.format import Model

#: Words are looked for up to this many non-ASCII bytes: with 24 to 200, the misses of development are the same.
MOST_BYTES = 40
#: The log-odds of a known word, by its length in bytes, in tenths, and the most that a class can have. Chosen on words,
#: cuts and snippets of development: 0.8 to 1.4 times as much, and at most 4 to 8, give about the same.
_POINTS = bytes((0, 0, 9, 24, 30, 36, 42))
_MOST_POINTS = 5.0
#: A class with less than this part of the best one's share stays behind it, whatever words it has.
_CHANCE = exp(-_MOST_POINTS)


def find_known_words(words: Buffer, model: Model, possible: int, judged: Judged) -> KnownWords | None:
    """Return the points of the likely classes for words that their language knows; ``None`` if there are none.

    *possible* are the encodings that decode the input, as a set, and *judged* is what `kernel.judge_legacy` returned.
    """
    numbers, shares, texts = judged[-3:]
    least = shares[0] * _CHANCE
    likely = [number for number, share in zip(numbers, shares, strict=True) if share >= least]
    if not model.words or sum(best in likely for _, _, best in texts) < 2:
        return None  # no other text can win
    piece = bytes(around(words))
    readings: dict[int, list[int]] = {}
    for number in likely:
        member = next(each for each in model.members[number] if possible >> each & 1)
        readings.setdefault(member, []).append(number)
    found: list[tuple[int, float]] = []
    for member, classes in readings.items():
        encoding = all_encodings()[member]
        width = 2 if encoding.kind == "multi" else 1
        salts = b"".join([model.salts[number] for number in classes])
        known = kernel.known_words(packed_words(piece, encoding), width, _POINTS, salts, model.words)
        found += [(each, min(tenths / 10, _MOST_POINTS)) for each, tenths in zip(classes, known, strict=True) if tenths]
    found.sort(key=lambda each: -each[1])
    return KnownWords(tuple(found), model) if found else None
