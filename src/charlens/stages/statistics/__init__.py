"""Score the remaining candidates: a linear score for each (encoding, language), by the byte pairs of the text.

Evidence comes from windows with non-ASCII bytes from the whole input, so the time is limited for large files.
`kernel.judge_legacy` adds up the rows of the model, with the priors and the evidence of the words around, and returns
the likely texts with their probabilities.  This stage adds what hints and declarations say, and asks a short text for
known words.  `reading` chooses the text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from charlens import kernel
from charlens.findings import Evidence, Findings, Hints, Scores
from charlens.models import default_model
from charlens.options import Options
from charlens.stages.statistics.evidence import (
    PLATFORM_SIGNS,
    Odds,
    flatten,
    from_declarations,
    from_hints,
    from_known_words,
)
from charlens.stages.statistics.glued import glued_evidence
from charlens.stages.statistics.known_words import MOST_BYTES, find_known_words
from charlens.stages.statistics.platforms import find_platform
from charlens.stages.statistics.surroundings import FEW_IN_MANY
from charlens.stages.statistics.tables import Tables, tables_of
from charlens.types import Buffer

if TYPE_CHECKING:
    from charlens.kernel.shapes import Judged
    from charlens.models.format import Model

#: If the likeliest text has this share or more, the platform is not looked for: that would take a third of the time.
#: With 0.9, six signs in programs are wrong, with 0.95 to 0.999 two (`bench/rules.py`, 'programs').
_SURE = 0.95


def score_candidates(
    found: Findings, words: Buffer, options: Options, judged: Judged | None = None, given: tuple[float, ...] = ()
) -> Scores:
    """Return the classes that are likely for *words*, the most likely first, with their probabilities.

    Earlier findings count as evidence; evidence from the text itself is added to the findings.  *judged* is what the
    kernel returned if it has judged the text already, with what was *given*: the evidence of the caller.
    """
    scan, candidates, markup = found.scan, found.candidates, found.markup
    assert candidates is not None
    if judged is not None:  # then there is no markup, no other model, and all encodings are allowed
        if options.hints is not None:
            found.hints = from_hints(default_model(), options.hints, scan)
        facts = (scan.seen, scan.non_ascii, candidates.numbers, candidates.doubtful)
        return _take_judgement(found, words, tables_of(default_model()), facts, given, judged)
    model = options.model or default_model()
    beyond_ascii = scan.non_ascii if markup is None or not markup.enough else markup.non_ascii
    if beyond_ascii > len(words):
        beyond_ascii = len(words)  # the words of a large input are windows
    possible = candidates.numbers
    if options.restricts:
        possible &= options.allowed
    if markup is not None or found.declarations is not None or options.hints or scan.seen & PLATFORM_SIGNS:
        given = flatten(_evidence(found, model, options))
    facts = (scan.seen, beyond_ascii, possible, candidates.doubtful)
    tables = tables_of(model)
    judged = kernel.judge_legacy(tables.kernel, words, facts, given, candidates.strays)
    return _take_judgement(found, words, tables, facts, given, judged)


def _take_judgement(
    found: Findings,
    words: Buffer,
    tables: Tables,
    facts: tuple[int, int, int, int],
    given: tuple[float, ...],
    judged: Judged,
) -> Scores:
    """Return the scores of a judgement, which known words may change; add the evidence that it used to the findings."""
    texts = judged[-1]
    if len(texts) > 1 and facts[1] <= FEW_IN_MANY:
        assert found.candidates is not None
        more = flatten(_look_closer(found, words, tables, facts, judged))
        if more:
            given += more
            judged = kernel.judge_legacy(tables.kernel, words, facts, given, found.candidates.strays)
    if judged[4]:
        _add_evidence(found, glued_evidence(judged[4], facts[2]))
    return Scores(tables, facts, given, judged)


def _look_closer(
    found: Findings, words: Buffer, tables: Tables, facts: tuple[int, int, int, int], judged: Judged
) -> list[Odds]:
    """Return the evidence for which a text is read again if several readings of it are likely."""
    evidence: list[Odds] = []
    if judged[-1][0][0] < _SURE:
        platform = find_platform(words)
        if platform is not None:
            _add_evidence(found, platform)
            evidence.append(platform[1:])
    if facts[1] <= MOST_BYTES:
        found.known_words = find_known_words(words, tables.model, facts[2], judged)
        if found.known_words is not None:
            evidence += from_known_words(tables.model, found.known_words)
    return evidence


def _add_evidence(found: Findings, evidence: Evidence) -> None:
    found.hints = Hints((*(found.hints.evidence if found.hints else ()), evidence))


def _evidence(found: Findings, model: Model, options: Options) -> list[Odds]:
    """Collect the evidence of declarations, hints and control bytes."""
    evidence = from_declarations(model, found.declarations, found.markup)
    found.hints = from_hints(model, options.hints, found.scan)
    if found.hints is not None:
        evidence += [each[1:] for each in found.hints.evidence]
    return evidence
