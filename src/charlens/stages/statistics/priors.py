"""What the classes of a model begin with, before any byte is seen: priors and hints, as numbers for the kernel.

The statistics stage adds to them what the bytes say, and the native lane does the same.
"""

from __future__ import annotations

from array import array
from functools import lru_cache
from math import log
from typing import TYPE_CHECKING

from charlens import kernel
from charlens.types import Hinted

if TYPE_CHECKING:
    from charlens.models.format import Model
    from charlens.models.language_model import LanguageModel

#: How much of the logarithm of an encoding's frequency counts, and of the amount of text in a language; 1 would be
#: right if the counts were those of the user's own files.
_PRIOR_WEIGHT = 0.3
_LANGUAGE_WEIGHT = 0.2
#: So many tables of priors and hints are kept for each model.
_MOST_TABLES = 256


def begin_with(model: Model, row: int, hints: Hinted | None) -> bytes:
    """Return what each class begins with: its prior and its hints, in steps of a score of this sharpness."""
    known = model.tables.get((row, hints.key) if hints else row)
    if known is not None:
        return known
    factor = model.factors[row]
    begin = _priors(model)
    if hints:
        begin = tuple(prior + hint for prior, hint in zip(begin, hints.odds, strict=True))
    if len(model.tables) >= _MOST_TABLES:
        model.tables.clear()
    table = array("i", [round(odd / factor) for odd in begin]).tobytes()
    model.tables[(row, hints.key) if hints else row] = table
    return table


@lru_cache(maxsize=8)
def _priors(model: Model) -> tuple[float, ...]:
    """Return the logarithm of how likely each class is before anything is seen, on any scale."""
    return tuple(
        _PRIOR_WEIGHT * log(model.priors[encoding] + 1) + _LANGUAGE_WEIGHT * log(model.texts[language] + 1)
        for encoding, language in model.classes
    )


@lru_cache(maxsize=8)
def find_strangers(model: Model, languages: LanguageModel) -> tuple[int, ...]:
    """Return the numbers of the classes whose language is not written in Latin, or not known."""
    latin = kernel.tongue(b"any words", languages.tables, len(languages.languages))[4::2]
    known = {languages.languages[number] for number in latin}
    return tuple(number for number, (_, language) in enumerate(model.classes) if language not in known)
