"""Find the legacy encodings that can decode the bytes.

Single-byte encodings are checked by the set of byte values, multi-byte ones by walking their sequences over the whole
input, all in one pass; an incomplete sequence at the end rules nothing out, nor do a few stray bytes in a long text.
EBCDIC is a candidate only if its stage did not decide, or if the caller names it.  The statistics decide how likely
each candidate is.
"""

from __future__ import annotations

from charlens.encodings import rank
from charlens.findings import EBCDIC_JUDGED_FROM, Candidates
from charlens.options import DEFAULTS, Options
from charlens.source import Source
from charlens.stages.structure.strays import FIRST_FORGIVEN, find_damaged, find_undefined, forgive_allowed
from charlens.stages.structure.tables import structure_tables


def find_candidates(source: Source, options: Options = DEFAULTS) -> Candidates:
    """Return the encodings that decode the bytes of *source*, and where the others fail."""
    tables = structure_tables()
    scan, surveyed = source.scan, source.surveyed
    if surveyed is not None:
        candidates = Candidates(surveyed[0], surveyed[1], surveyed[2], tables.rules)
        if options.only is not None:
            forgive_allowed(source, candidates, options)
        return candidates
    numbers, doubtful, cut, walks = source.candidates(*tables.kernel)
    if options.only is None and source.size >= EBCDIC_JUDGED_FROM:
        numbers &= tables.not_ebcdic
        doubtful &= tables.not_ebcdic
    if source.whole:
        doubtful |= cut
    damaged = find_undefined(source, numbers, doubtful)
    if scan.non_ascii >= 2 * FIRST_FORGIVEN:
        damaged += find_damaged(source, memoryview(walks).cast("q"), numbers)
    for name, _ in damaged:
        numbers |= 1 << rank(name)
        doubtful |= 1 << rank(name)
    candidates = Candidates(numbers, doubtful, walks, tables.rules, damaged)
    if options.only is not None and scan.non_ascii:
        forgive_allowed(source, candidates, options)
    return candidates
