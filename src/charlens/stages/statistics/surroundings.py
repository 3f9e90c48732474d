"""Weigh the ASCII words around a few non-ASCII bytes.

'levels—may' in windows-1252 is 'levelsómay' on a Macintosh, and the two bytes alone cannot decide; but the words around
them are English, and English has no 'ó'.  If there are few non-ASCII bytes, the language of the words is evidence:
log-odds for each language, which `kernel.judge_legacy` adds to the initial scores.  Many need no other evidence.
"""

from __future__ import annotations

from math import log

from charlens import kernel
from charlens.types import Buffer

#: The words around count up to this many non-ASCII bytes; with 64 or 200, no answer was different.
FEW = 24
#: The same limit if at most one byte in 40 is non-ASCII: a sign that occurs 50 times is still one sign. In
#: English with one sign 36 times or more, each of 18 signs in six places and three encodings, 22 answers become
#: right and 5 wrong with it.
FEW_IN_MANY = 256
#: Words up to this size are read whole; of longer input, only windows around the non-ASCII bytes are read.
WHOLE = 512
WINDOWS, WINDOW, AHEAD, BACK = 8, 72, 4096, 36
#: Fewer letters than this are no evidence.
LEAST_LETTERS = 3
#: The number of languages to score; the others have the least share.
MOST = 8
# The weight of the logarithm, the least share of any language, and that of languages in other scripts: ASCII next to
# them is markup, code or English. Chosen on development files, cuts of them and snippets (`bench/rules.py` shows what
# is missed without): 0.5 to 0.9 give about the same.
WEIGHT = 0.7
LEFT = 0.002
_OTHER_SCRIPTS = 0.02

# English occurs everywhere: next to it, words of any other language are likely, too, those in other scripts less so.
# With 0.2, 351 instead of 284 files of source packages were missed (`bench/packages.py`, the model of 2026-11-19);
# elsewhere nothing changes. Of the second share, 0.01 to 0.004 give the same answers on development files, and 0.0015
# misses one more; the smaller, the fewer lists of accented letters are taken for Cyrillic.
ENGLISH = "en"
LEFT_BESIDE_ENGLISH = 0.05
_OTHER_SCRIPTS_BESIDE_ENGLISH = 0.004

OTHERS = WEIGHT * log(_OTHER_SCRIPTS / LEFT)
OTHERS_BESIDE_ENGLISH = WEIGHT * log(_OTHER_SCRIPTS_BESIDE_ENGLISH / LEFT_BESIDE_ENGLISH)


def around(words: Buffer) -> Buffer:
    """Return *words*, or if they are long, some windows around non-ASCII bytes."""
    return words if len(words) <= WHOLE else kernel.excerpt(words, WINDOWS, WINDOW, AHEAD, BACK)
