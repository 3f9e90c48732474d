"""Score the remaining candidates: a linear score for each (encoding, language), by the byte pairs of the text.

Evidence comes from windows with non-ASCII bytes from the whole input, so the time is limited for
large files.  The kernel adds up the rows of the model; this stage turns the sums into probabilities with
the priors of the encodings.  `reading` chooses the text.
"""

from __future__ import annotations

from bisect import bisect_left
from math import exp
from typing import TYPE_CHECKING, NamedTuple

from charlens import kernel
from charlens.encodings.sets import same_reading
from charlens.findings import Evidence, Findings, Hints, Scores
from charlens.models import default_model
from charlens.options import Options
from charlens.stages.statistics.evidence import (
    CONTROLS_OF_DOS,
    SPARSE,
    Odds,
    against_rare,
    as_nudges,
    from_declarations,
    from_hints,
    from_known_words,
    from_surroundings,
    priors,
)
from charlens.stages.statistics.glued import find_glued
from charlens.stages.statistics.known_words import MOST_BYTES, find_known_words
from charlens.stages.statistics.platforms import find_platform
from charlens.stages.statistics.surroundings import FEW, FEW_IN_MANY, around, read_surroundings
from charlens.types import Buffer

if TYPE_CHECKING:
    from charlens.hints import Hints as Given
    from charlens.models.format import Model

#: The approximate number of non-ASCII bytes that are read, and the number of windows, spread over the input. On the
#: labelled files it does not matter whether 1,000 or all are read: there are 15 to 17 misses, each time others.
_ENOUGH = 2048
_WINDOWS = 32
#: The smallest and the largest size of a window; text with more non-ASCII bytes has smaller ones.
_LEAST_WINDOW = 64
_MOST_WINDOW = 4096
#: Classes whose odds are under 1 in e^8 (1 in 3,000) of the best do not matter, nor does the 33rd.
_REACH = 8.0
_MOST_CLASSES = 32
#: The log-odds of C1 controls against an encoding: they do not occur in text. Snippets of held-out sources gain 0.1
#: points; 2 and 6 have the same effect.
_DOUBT = 4.0
#: If the likeliest text has this share or more, the platform is not looked for: that would take a third of the time.
_SURE = 0.9
#: Without any of these, control bytes are no evidence for a platform.
_PLATFORM_SIGNS = 1 << 13 | CONTROLS_OF_DOS

_ALL = (0, 0)


class _Begin(NamedTuple):
    """Settings that depend only on the number of non-ASCII bytes."""

    #: The log-odds of a step of a score.
    factor: float
    #: The prior of each class, and the limits of `kernel.score`: most classes, reach, penalty of the doubtful.
    bias: bytes
    limits: tuple[int, int, int]


def score_candidates(found: Findings, words: Buffer, options: Options) -> Scores:
    """Return the classes that are likely for *words*, the most likely first, with their probabilities.

    Earlier findings count as evidence; evidence from the text itself is added to the findings.
    """
    candidates, markup = found.candidates, found.markup
    assert candidates is not None
    model = options.model or default_model()
    beyond_ascii = found.scan.non_ascii if markup is None or not markup.enough else markup.non_ascii
    if beyond_ascii > len(words):
        beyond_ascii = len(words)  # the words of a large input are windows
    factor, bias, limits = _begin(model, beyond_ascii)
    evidence = _evidence(found, words, beyond_ascii, model, options.hints)
    nudges = as_nudges(evidence, factor) if evidence else ()
    windows = _ALL if beyond_ascii <= _ENOUGH else _windows(len(words), beyond_ascii)
    possible, doubtful = candidates.numbers, candidates.doubtful
    if options.restricts:
        possible &= options.allowed
    encodings = possible, doubtful
    pairs, distinct, flat = kernel.score(words, model.parts, encodings, (bias, nudges), windows, limits)
    shares = _shares(flat, factor)
    if beyond_ascii <= FEW_IN_MANY and shares and shares[0] < _SURE:
        platform = _platform(found, words, model, flat[::2], shares)
        if platform is not None:
            found.hints = _with(found.hints, platform)
            nudges += as_nudges([platform[1:]], factor)
            pairs, distinct, flat = kernel.score(words, model.parts, encodings, (bias, nudges), windows, limits)
            shares = _shares(flat, factor)
    if beyond_ascii <= MOST_BYTES and len(shares) > 1:
        same = same_reading(candidates.seen, model.leaders[flat[0]].bit_length() - 1)
        found.known_words = find_known_words(words, model, (possible, same), flat[::2], shares)
        if found.known_words is not None:
            nudges += as_nudges(from_known_words(model, found.known_words), factor)
            pairs, distinct, flat = kernel.score(words, model.parts, encodings, (bias, nudges), windows, limits)
            shares = _shares(flat, factor)
    return Scores(
        flat[::2],
        shares,
        pairs,
        distinct,
        model,
        bias,
        nudges,
        windows,
        possible,
        doubtful,
        limits[2],
    )


def _platform(
    found: Findings, words: Buffer, model: Model, numbers: tuple[int, ...], shares: tuple[float, ...]
) -> Evidence | None:
    """Return the evidence of names for a platform, unless the text of the likeliest class is likely enough."""
    assert found.candidates is not None
    same = same_reading(found.candidates.seen, model.leaders[numbers[0]].bit_length() - 1)
    likely = sum([share for number, share in zip(numbers, shares, strict=True) if model.leaders[number] & same])
    return find_platform(words) if likely < _SURE else None


def _with(hints: Hints | None, evidence: Evidence) -> Hints:
    return Hints((*(hints.evidence if hints else ()), evidence))


def _shares(flat: tuple[int, ...], factor: float) -> tuple[float, ...]:
    """Return the probability of each class among those that `kernel.score` returned, the best first."""
    if len(flat) <= 2:
        return (1.0,) if flat else ()
    best = flat[1]
    likely = [1.0]
    for total in flat[3::2]:
        likely.append(exp((total - best) * factor))
    together = sum(likely)
    return tuple([share / together for share in likely])


def _begin(model: Model, beyond_ascii: int) -> _Begin:
    row = bisect_left(model.amounts, beyond_ascii, 0, len(model.amounts) - 1)
    begin: _Begin | None = model.begins.get(row)
    if begin is None:
        factor = model.factors[row]
        limits = (_MOST_CLASSES, int(_REACH / factor), int(_DOUBT / factor))
        begin = model.begins[row] = _Begin(factor, priors(model, factor, model.amounts[row]), limits)
    return begin


def _windows(length: int, beyond_ascii: int) -> tuple[int, int]:
    """Return how far apart the windows are, and how long."""
    stride = -(-length // _WINDOWS)
    return stride, max(_LEAST_WINDOW, min(_MOST_WINDOW, _ENOUGH * stride // max(1, beyond_ascii)))


def _evidence(
    found: Findings, words: Buffer, beyond_ascii: int, model: Model, hints: Given | None
) -> list[Odds]:
    """Collect the evidence besides the byte pairs; evidence from the words is also added to the findings."""
    evidence: list[Odds] = []
    assert found.candidates is not None
    if found.declarations or found.markup:
        evidence = from_declarations(model, found.declarations, found.markup)
    if hints or found.scan.seen & _PLATFORM_SIGNS:
        found.hints = from_hints(model, hints, found.scan)
    glued = find_glued(around(words), found.candidates.numbers) if beyond_ascii <= FEW_IN_MANY else None
    if glued is not None:
        found.hints = _with(found.hints, glued)
    if found.hints is not None:
        evidence += [each[1:] for each in found.hints.evidence]
    one_value = beyond_ascii == 1 or (found.scan.seen >> 0x80).bit_count() == 1
    sparse = one_value or beyond_ascii * SPARSE <= len(words)
    if beyond_ascii <= (FEW_IN_MANY if sparse else FEW):
        found.surroundings = read_surroundings(words)
        if found.surroundings is not None:
            evidence += from_surroundings(model, found.surroundings)
        if sparse:
            evidence.append(against_rare(model))
    return evidence
