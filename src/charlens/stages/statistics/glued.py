"""Count the Latin words that begin in the middle of a two-byte character: '¡Hola' is not '？ola'.

In Big5, GBK, Shift_JIS and their relatives, the second byte of a character can be an ASCII letter.  In text of these
encodings, a small letter hardly ever follows; in other text, it mostly does.  Pairs of ASCII bytes are no features of
the model, so this is evidence of its own.
"""

from __future__ import annotations

from functools import lru_cache

from charlens import kernel
from charlens.encodings import rank
from charlens.encodings.walks import walk_table, walked_encodings
from charlens.findings import Evidence
from charlens.types import Buffer

#: The log-odds of such a word, and of all of them together. Counted in the training texts: after a single non-ASCII
#: byte and a letter, 0.3 % of what follows in Chinese and Japanese is a small letter, and 46 to 87 % in European
#: languages, which gives -5 to -6; in files, Latin words next to Chinese ones are more frequent than in prose.
_POINTS = -4.0
_MOST_POINTS = -8.0
_ALL_LANGUAGES = (1 << 256) - 1
#: Some lead bytes: in each of these encodings, 'A' can follow one. A codec would know, too, but takes megabytes.
_LEADS = (0x81, 0x88, 0xA4, 0xB0)

# Lead bytes, small letters, capitals, the rest.
_KINDS = bytes(
    ord("+") if byte > 0x80 else ord("a") if 0x61 <= byte <= 0x7A else ord("A") if 0x41 <= byte <= 0x5A else 0
    for byte in range(256)
)


def find_glued(words: Buffer, possible: int) -> Evidence | None:
    """Return the evidence against the *possible* encodings whose characters can end in a letter, or ``None``."""
    encodings = possible & _with_letters()
    if not encodings:
        return None
    count = bytes(words).translate(_KINDS).count
    # A byte after another non-ASCII byte can be the end of a character; the letter is then one of its own.
    glued = count(b"+aa") + count(b"+Aa") - count(b"++aa") - count(b"++Aa")
    if not glued:
        return None
    return Evidence(
        "Latin words after single non-ASCII bytes", encodings, _ALL_LANGUAGES, max(glued * _POINTS, _MOST_POINTS)
    )


@lru_cache(maxsize=1)
def _with_letters() -> int:
    """Return the multi-byte encodings in which 'A' can end a character, as a set."""
    return sum(1 << rank(name) for name in walked_encodings() if any(_is_character(lead, name) for lead in _LEADS))


def _is_character(lead: int, encoding: str) -> bool:
    """Whether *lead* and 'A' are one character."""
    return kernel.walk(bytes((lead, 0x41)), walk_table(encoding)) == (-1, 0, 1)
