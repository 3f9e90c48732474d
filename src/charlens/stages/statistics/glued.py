"""Latin words that begin in the middle of a two-byte character: '¡Hola' is not '？ola'.

In Big5, GBK, Shift_JIS and their relatives, the second byte of a character can be an ASCII letter.  In text of these
encodings, a small letter hardly ever follows; in other text, it mostly does.  Pairs of ASCII bytes are no features of
the model, so this is evidence of its own.  `kernel.judge_legacy` counts such words.
"""

from __future__ import annotations

from functools import lru_cache

from charlens import kernel
from charlens.encodings import rank
from charlens.encodings.walks import walk_table, walked_encodings
from charlens.findings import Evidence

#: The log-odds of such a word, and of all of them together. Counted in the training texts: after a single non-ASCII
#: byte and a letter, 0.3 % of what follows in Chinese and Japanese is a small letter, and 46 to 87 % in European
#: languages, which gives -5 to -6; in files, Latin words next to Chinese ones are more frequent than in prose.
POINTS = -4.0
MOST_POINTS = -8.0
#: Some lead bytes: in each of these encodings, 'A' can follow one. A codec would know, too, but takes megabytes.
_LEADS = (0x81, 0x88, 0xA4, 0xB0)


def glued_evidence(count: int, possible: int) -> Evidence:
    """Return the evidence of *count* such words against the *possible* encodings in which a character can end so."""
    points = max(count * POINTS, MOST_POINTS)
    return Evidence("Latin words after single non-ASCII bytes", possible & with_letters(), (1 << 256) - 1, points)


@lru_cache(maxsize=1)
def with_letters() -> int:
    """Return the multi-byte encodings in which 'A' can end a character, as a set."""
    return sum(1 << rank(name) for name in walked_encodings() if any(_is_character(lead, name) for lead in _LEADS))


def _is_character(lead: int, encoding: str) -> bool:
    """Whether *lead* and 'A' are one character."""
    return kernel.walk(bytes((lead, 0x41)), walk_table(encoding)) == (-1, 0, 1)
