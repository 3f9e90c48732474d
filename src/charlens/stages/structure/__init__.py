"""Find the legacy encodings that can decode the bytes at all.

Single-byte encodings are judged by the set of byte values, multi-byte ones by walking their sequences over the
whole input, all in one pass; a sequence cut off at the end rules nothing out, nor do a few stray bytes in a long text.
EBCDIC is a candidate only if the caller names it: its stage has said no.  How likely each candidate is, is for statistics.
"""

from __future__ import annotations

from functools import lru_cache

from charlens import kernel
from charlens.encodings import rank
from charlens.encodings.walks import packed_tables, pair_masks
from charlens.findings import Candidates
from charlens.options import DEFAULTS, Options
from charlens.source import Source
from charlens.stages.structure.strays import BYTES_PER_FAULT, Damaged, find_damaged, forgive_allowed
from charlens.stages.structure.tables import structure_tables

_LOWER_HALF = (1 << 128) - 1


def find_candidates(source: Source, options: Options = DEFAULTS) -> Candidates:
    """Return the encodings that decode the bytes of *source*, and where the others fail."""
    rules, rows, ebcdic = structure_tables()
    scan = source.scan
    found = kernel.disjoint(scan.seen, rows)
    walked = source.walk(packed_tables(), pair_masks())
    numbers = found & _LOWER_HALF | _whole(tuple([error < 0 for error in walked[::2]]))
    if options.only is None:
        numbers &= ~ebcdic
    doubtful = numbers & ~(found >> 128)
    doubtful &= found
    damaged: tuple[Damaged, ...] = ()
    if scan.non_ascii >= BYTES_PER_FAULT:
        damaged = find_damaged(source, walked, numbers)
        for name, _ in damaged:
            numbers |= 1 << rank(name)
            doubtful |= 1 << rank(name)
    candidates = Candidates(numbers, doubtful, walked, scan.seen, scan.first, rules, damaged)
    if options.only is not None and scan.non_ascii:
        return forgive_allowed(source, candidates, options.allows)
    return candidates


@lru_cache(maxsize=1024)
def _whole(decodes: tuple[bool, ...]) -> int:
    """Return the set of encodings whose tables found no wrong sequence."""
    return sum(1 << number for number, able in zip(structure_tables().rules.walked, decodes, strict=True) if able)
