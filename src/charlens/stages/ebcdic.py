"""Recognise text in the EBCDIC code pages of mainframes.

Their line ends and tabs are on the block list, so they are recognised before the content stage.  The sign is
the space: 0x40, which in every other encoding is '@'.  The page is the one whose reading has the
likeliest characters; pages that differ only in a few signs stay beside each other.
"""

from __future__ import annotations

from charlens import kernel
from charlens.stages.weights import character_weights
from charlens.types import EbcdicForm, Scan

_SPACE = 0x40
_SAMPLE = 8192
#: Shorter input has too few spaces to tell.
_SHORTEST = 24
#: The share of spaces: 12 to 22 % in prose; tables have more, code and lists of words less.
_LEAST_SPACES = 0.04
#: Quarters of a bit per character: prose has 40 and more in its own page, other bytes under 0.
_LEAST_WEIGHT = 24

# In the order in which they are met; the first wins where several read the same.
_PAGES = ("cp037", "cp500", "cp1140", "cp273", "cp1026", "cp424", "cp875")


def find_ebcdic(scan: Scan) -> EbcdicForm | None:
    """Return the EBCDIC pages that read the bytes as text, or ``None``."""
    length = len(scan.data)
    if length < _SHORTEST or not scan.seen >> _SPACE & 1 or not scan.non_ascii:
        return None
    sample = bytes(scan.data[:_SAMPLE])
    spaces = sample.count(_SPACE) / len(sample)
    if spaces < _LEAST_SPACES or sample.count(0x20) > sample.count(_SPACE):
        return None
    weights = sorted(((_weight(sample, page), -rank, page) for rank, page in enumerate(_PAGES)), reverse=True)
    if weights[0][0] < _LEAST_WEIGHT:
        return None
    # Pages within half a quarter-bit a character cannot be told apart by their characters.
    near = [
        page for weight, _, page in sorted(weights, key=lambda row: -row[1]) if weight >= weights[0][0] - 0.5
    ]
    others = [page for weight, _, page in weights if _LEAST_WEIGHT <= weight < weights[0][0] - 0.5]
    share = 0.85 / len(near)
    pages = [(page, share + 0.1 * (index == 0)) for index, page in enumerate(near)]
    return EbcdicForm((*pages, *((page, 0.01) for page in others)), spaces)


def _weight(sample: bytes, page: str) -> float:
    try:
        text = sample.decode(page)
    except UnicodeDecodeError:
        return float("-inf")
    # NEL, 0x15, is the line end of these pages; Python reads it as U+0085.
    units = text.replace("\x85", "\n").encode("utf-16-le")
    characters, weight, _, faults, _, _ = kernel.weigh(units, 2, 0, character_weights())
    return weight / characters if faults == 0 and characters else float("-inf")
