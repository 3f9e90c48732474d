"""Score what is still possible: a linear score for each (encoding, language), by the byte pairs of the words.

Evidence comes from windows where the bytes beyond ASCII are, all over the input, so the cost stays flat for
large files.  The kernel adds up the rows of the model; this stage turns the sums into probabilities with
the priors of the encodings.  What to answer is for the verdict.
"""

from __future__ import annotations

import math
import re
from array import array
from functools import lru_cache
from typing import TYPE_CHECKING

from charlens import kernel
from charlens.types import Buffer, Candidates, Score, Scores

if TYPE_CHECKING:
    from charlens.declared import Odds
    from charlens.models import Model

#: At most so many windows of this size are read: 64 KB of evidence decide as well as all of it.
_WINDOW = 4096
_WINDOWS = 16
#: Classes whose odds are under 1 in e^12 of the best do not matter, nor does the 41st.
_REACH = 12.0
_MOST_CLASSES = 40
#: How much of the logarithm of an encoding's frequency counts, and of the amount of text in a language; 1 would be
#: right if the counts were those of the user's own files.
_PRIOR_WEIGHT = 0.3
_LANGUAGE_WEIGHT = 0.2
#: Tables kept for each model: which classes compete, by the encodings that are possible.
_MOST_TABLES = 512

_BEYOND_ASCII = re.compile(rb"[\x80-\xff]")


def score_candidates(
    words: Buffer, candidates: Candidates, model: Model, beyond_ascii: int, odds: Odds | None = None
) -> Scores:
    """Return the classes that are likely for *words*, the likeliest first, with their probabilities.

    *odds* are what is known of encodings and languages beside the words.
    """
    row = _amount(model, beyond_ascii)
    factor = model.sharpness[row][1] * model.unit
    pairs, distinct, flat = kernel.score(
        _evidence(words),
        model.pairs,
        model.weights,
        model.levels,
        _allowed(model, candidates.possible),
        _bias(model, row) if odds is None else _shifted_bias(model, row, odds),
        _MOST_CLASSES,
        int(_REACH / factor),
    )
    if not flat:
        return Scores((), 0, 0, model.name, model.families)
    best = flat[1]
    likely = [math.exp((total - best) * factor) for total in flat[1::2]]
    whole = sum(likely)
    ranked = [
        Score(*model.classes[number], share / whole) for number, share in zip(flat[::2], likely, strict=True)
    ]
    return Scores(tuple(ranked), pairs, distinct, model.name, model.families)


def _amount(model: Model, beyond_ascii: int) -> int:
    """Return the row of the model's sharpness for so many bytes beyond ASCII."""
    for row, (limit, _) in enumerate(model.sharpness):
        if beyond_ascii <= limit:
            return row
    return len(model.sharpness) - 1


def _evidence(words: Buffer) -> Buffer:
    """Return the bytes to look at: all of a short input, windows around bytes beyond ASCII of a long one."""
    if len(words) <= _WINDOW * _WINDOWS:
        return words
    stride = len(words) // _WINDOWS
    pieces = []
    for start in range(0, stride * _WINDOWS, stride):
        match = _BEYOND_ASCII.search(words, start, start + stride)
        if match:
            first = max(start, match.start() - 16)
            pieces.append(bytes(words[first : min(first + _WINDOW, start + stride)]))
    return b" ".join(pieces)


def _allowed(model: Model, possible: tuple[str, ...]) -> bytes:
    """Return a byte for each class: 1 where its encoding, or one of its family, is possible."""
    table = model.tables.get(possible)
    if table is None:
        leaders = {
            leader for leader, members in model.families.items() if not set(members).isdisjoint(possible)
        }
        if len(model.tables) >= _MOST_TABLES:
            model.tables.clear()
        table = model.tables[possible] = bytes([encoding in leaders for encoding, _ in model.classes])
    return table


def _bias(model: Model, row: int) -> bytes:
    """Return what each class begins with: its prior, in steps of a score that has this sharpness."""
    table = model.tables.get(row)
    if table is None:
        factor = model.sharpness[row][1] * model.unit
        table = model.tables[row] = array("i", [round(prior / factor) for prior in _priors(model)]).tobytes()
    return table


def _shifted_bias(model: Model, row: int, odds: Odds) -> bytes:
    """Return the bias of each class with the *odds* of its encoding and its language on top."""
    table = model.tables.get((row, odds))
    if table is None:
        factor = model.sharpness[row][1] * model.unit
        encodings, languages = odds.encodings, odds.languages
        extra = [
            max(encodings.get(name, 0.0) for name in (encoding, *model.families.get(encoding, ())))
            + languages.get(language.split("-")[0], 0.0)
            for encoding, language in model.classes
        ]
        plain = memoryview(_bias(model, row)).cast("i")
        if len(model.tables) >= _MOST_TABLES:
            model.tables.clear()
        shifted = [begin + round(more / factor) for begin, more in zip(plain, extra, strict=True)]
        table = model.tables[row, odds] = array("i", shifted).tobytes()
    return table


@lru_cache(maxsize=8)
def _priors(model: Model) -> tuple[float, ...]:
    """Return the logarithm of how likely each class is before anything is seen, on any scale."""
    return tuple(
        _PRIOR_WEIGHT * math.log(model.priors[encoding] + 1)
        + _LANGUAGE_WEIGHT * math.log(model.texts[language] + 1)
        for encoding, language in model.classes
    )
