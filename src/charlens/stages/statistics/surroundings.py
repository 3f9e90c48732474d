"""Weigh the ASCII words around a few non-ASCII bytes.

'levels—may' in windows-1252 is 'levelsómay' on a Macintosh, and the two bytes alone cannot decide; but the words around
them are English, and English has no 'ó'.  If there are few non-ASCII bytes, the language of the words is evidence:
log-odds for each language, which the statistics add to the initial scores.  Many need no other evidence.
"""

from __future__ import annotations

from math import exp, log

from charlens import kernel
from charlens.findings import Surroundings
from charlens.models.language_model import default_language_model
from charlens.types import Buffer

#: The words around count up to this many non-ASCII bytes; with 64 or 200, no answer was different.
FEW = 24
#: … and up to this many if at most one byte in 40 is non-ASCII: a sign that occurs 50 times is still one sign. In
#: English with one sign 36 times or more, each of 18 signs in six places and three encodings, 22 answers become
#: right and 5 wrong with it.
FEW_IN_MANY = 256
#: Words up to this size are read whole; of longer input, only windows around the non-ASCII bytes are read.
_WHOLE = 512
_WINDOWS, _WINDOW, _AHEAD, _BACK = 8, 72, 4096, 36
#: Fewer letters than this are no evidence.
_LEAST_LETTERS = 3
#: The number of languages to score; the others have the least share.
_MOST = 8
# The weight of the logarithm, the least share of any language, and that of languages in other scripts: ASCII next to
# them is markup, code or English. Chosen on development files, cuts of them and snippets (`bench/rules.py` shows what
# is missed without): 0.5 to 0.9 give about the same.
_WEIGHT = 0.7
_LEFT = 0.002
_OTHER_SCRIPTS = 0.02

# English occurs everywhere: next to it, words of any other language are nearly as likely as English ones, those in
# other scripts less so. On development files, cuts and snippets 0.01 to 0.004 give the same answers, 0.0015 misses one
# more; the smaller the share, the fewer lists of accented letters in programs are taken for Cyrillic.
_ENGLISH = "en"
_LEFT_BESIDE_ENGLISH = 0.2
_OTHER_SCRIPTS_BESIDE_ENGLISH = 0.004

_OTHERS = _WEIGHT * log(_OTHER_SCRIPTS / _LEFT)
_OTHERS_BESIDE_ENGLISH = _WEIGHT * log(_OTHER_SCRIPTS_BESIDE_ENGLISH / _LEFT_BESIDE_ENGLISH)

_BLANK_BEYOND_ASCII = bytes(range(0x80)) + b" " * 0x80


def read_surroundings(words: Buffer) -> Surroundings | None:
    """Return the language of the ASCII in *words* as evidence, or ``None``."""
    model = default_language_model()
    numbers = kernel.languages(bytes(around(words)).translate(_BLANK_BEYOND_ASCII), model.tables, _MOST)
    if len(numbers) <= 4 or numbers[1] < _LEAST_LETTERS:
        return None
    odds = model.odds(numbers)
    best, first = odds[0]
    shares = [exp(value - best) for value, _ in odds]
    left, others = _LEFT, _OTHERS
    if model.languages[first] == _ENGLISH:
        left, others = _LEFT_BESIDE_ENGLISH, _OTHERS_BESIDE_ENGLISH
    least = left * sum(shares)
    likely = []
    for row, share in enumerate(shares):
        if share <= least:
            break  # they are sorted, the best first
        likely.append((odds[row][1], _WEIGHT * log(share / least + 1.0)))
    return Surroundings(tuple(likely), others, numbers, model)


def around(words: Buffer) -> Buffer:
    """Return *words*, or if they are long, some windows around non-ASCII bytes."""
    return words if len(words) <= _WHOLE else kernel.excerpt(words, _WINDOWS, _WINDOW, _AHEAD, _BACK)
