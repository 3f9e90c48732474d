"""Score what is still possible: a linear score for each (encoding, language), by the byte pairs of the words.

Evidence comes from windows where the bytes beyond ASCII are, all over the input, so the cost stays flat for
large files.  The kernel adds up the rows of the model; this stage turns the sums into probabilities with
the priors of the encodings.  What to answer is for the verdict.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from math import exp
from typing import TYPE_CHECKING, NamedTuple

from charlens import kernel
from charlens.stages.statistics.priors import begin_with
from charlens.sums import add_up
from charlens.types import Buffer, Hinted, Scores, Surroundings

if TYPE_CHECKING:
    from charlens.models.format import Model

#: About so many bytes beyond ASCII are read, in so many windows all over the input. On the labelled files it makes no
#: difference whether 1,000 are read or all of them: 15 to 17 misses, now these, now those.
_ENOUGH = 2048
_WINDOWS = 32
#: A window has at least and at most so many bytes; the more of it is beyond ASCII, the fewer.
_LEAST_WINDOW = 64
_MOST_WINDOW = 4096
#: Where bytes beyond ASCII are rare, all of an input up to this size is read: the kernel skips ASCII fast.
_ALL_OF = 4 << 20
#: Classes whose odds are under 1 in e^8 (1 in 3,000) of the best do not matter, nor does the 33rd.
_REACH = 8.0
_MOST_CLASSES = 32
#: What C1 controls say against an encoding, as log-odds: nobody writes them. Snippets of sources kept apart gain 0.1
#: points by it; 2 and 6 do the same.
_DOUBT = 4.0

#: What the native lane goes by, with the names that it has for it.
LIMITS = {
    "enough": _ENOUGH,
    "windows": _WINDOWS,
    "least_window": _LEAST_WINDOW,
    "most_window": _MOST_WINDOW,
    "all_of": _ALL_OF,
    "most_classes": _MOST_CLASSES,
    "reach": _REACH,
    "doubt": _DOUBT,
}

_ALL = (0, 0)


class Asked(NamedTuple):
    """What the scores begin with."""

    #: The set of the encodings that are possible, and of those the doubtful: with bytes that are C1 controls in them.
    numbers: int
    doubtful: int
    #: How many bytes of the words are 0x80 or more.
    beyond_ascii: int
    hints: Hinted | None = None
    surroundings: Surroundings | None = None


def score_candidates(words: Buffer, asked: Asked, model: Model) -> Scores:
    """Return the classes that are likely for *words*, the likeliest first, with their probabilities."""
    numbers, doubtful, beyond_ascii, hints, surroundings = asked
    row = min(bisect_left(model.amounts, beyond_ascii), len(model.factors) - 1)
    factor = model.factors[row]
    bias = begin_with(model, row, hints)
    if surroundings is not None:
        bias = _with_surroundings(model, bias, surroundings, factor)
    windows = _ALL if beyond_ascii <= _ENOUGH and len(words) <= _ALL_OF else _windows(len(words), beyond_ascii)
    sets = numbers.to_bytes(16, "little") + doubtful.to_bytes(16, "little")
    penalty = int(_DOUBT / factor)
    pairs, distinct, flat = kernel.score(
        words,
        model.parts,
        sets,
        bias,
        windows,
        (_MOST_CLASSES, int(_REACH / factor), penalty),
    )
    if not flat:
        return Scores((), (), 0, 0, model, bias, windows, sets, penalty)
    best = flat[1]
    likely = [exp((total - best) * factor) for total in flat[1::2]]
    whole = add_up(likely)
    shares = tuple([share / whole for share in likely])
    # tuple.__new__ is what Scores() comes to, without a call in between.
    return tuple.__new__(Scores, (flat[::2], shares, pairs, distinct, model, bias, windows, sets, penalty))


def _windows(length: int, beyond_ascii: int) -> tuple[int, int]:
    """Return how far apart the windows are, and how long."""
    stride = -(-length // _WINDOWS)
    return stride, max(_LEAST_WINDOW, min(_MOST_WINDOW, _ENOUGH * stride // max(1, beyond_ascii)))


def _with_surroundings(model: Model, bias: bytes, surroundings: Surroundings, factor: float) -> bytes:
    """Return *bias* with what the words around speak for."""
    key = (bias, surroundings.others)
    table = model.tables.get(key)
    if table is None:
        begin = array("i", bias)
        step = round(surroundings.others / factor)
        for number in surroundings.strangers:
            begin[number] += step
        table = model.tables[key] = begin.tobytes()
    begin = array("i", table)
    spoken = model.spoken
    for language, odds in surroundings.languages:
        step = round(odds / factor)
        for number in spoken.get(language, ()):
            begin[number] += step
    return begin.tobytes()
