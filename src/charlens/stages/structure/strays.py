"""Stray bytes in a long text of a multi-byte encoding: a few errors among many good sequences.

A file of thousands of characters with one broken character is still in that encoding; the errors are reported as
damage. This module decides which encodings may have stray bytes, and how many; the statistics decide how much they
count against the encoding.
"""

from __future__ import annotations

from functools import lru_cache

from charlens.encodings import rank
from charlens.encodings.walks import walked_encodings
from charlens.findings import Candidates
from charlens.options import Options
from charlens.source import Source
from charlens.types import MOST_SPANS, Span

#: The encodings that may have stray bytes, and their relatives: if a relative decodes everything, or has fewer
#: errors, it is the answer, and no byte is stray. A character of GB 18030 is not an error in GBK.
TOLERANT = {
    "cp932": ("shift_jis", "shift_jis_2004", "shift_jisx0213"),
    "euc_jp": ("euc_jis_2004", "euc_jisx0213"),
    "gbk": ("gb18030", "gb2312"),
    "gb18030": ("gbk", "gb2312"),
    "cp949": ("euc_kr",),
    "big5hkscs": ("big5", "cp950"),
}
#: There must be this many non-ASCII bytes (100 characters) for each error; more errors are not an accident. That alone
#: rules out little: GBK decodes Shift_JIS with one error in 10,000. The statistics decide.
BYTES_PER_FAULT = 200
#: An error within this many bytes of the first one that is not UTF-8 is not accepted: in text in another encoding, the
#: first error is nearly always there, and searching further takes as long as the rest of the stage.
FIRST_FORGIVEN = 64

#: An encoding and its errors.
Damaged = tuple[str, tuple[Span, ...]]


def find_damaged(source: Source, walked: tuple[int, ...], numbers: int) -> tuple[Damaged, ...]:
    """Return the multi-byte encodings that decode all but a few stray bytes, with the stray bytes.

    If one decodes everything, no byte is stray; but GBK and GB 18030 decode nearly everything, and do not count.
    """
    strict, _ = _decoders()
    if numbers & strict:
        return ()
    most = min(source.scan.non_ascii // BYTES_PER_FAULT, MOST_SPANS)
    found: list[Damaged] = []
    for index, name, relatives in _tolerant():
        error = walked[2 * index]
        if error >= source.scan.utf8_error + FIRST_FORGIVEN and not numbers & relatives:
            spans = source.strays(name, error, most, BYTES_PER_FAULT)
            if spans:
                found.append((name, spans))
    faults = {name: len(spans) for name, spans in found}
    return tuple(
        [
            (name, spans)
            for name, spans in found
            if not any(faults.get(other, MOST_SPANS) < len(spans) for other in TOLERANT[name])
        ]
    )


def forgive_allowed(source: Source, candidates: Candidates, options: Options) -> Candidates:
    """Return *candidates* plus allowed encodings with a few stray bytes, if no other one is allowed.

    If the caller names the encodings, one of them is the answer, even if a larger relative has fewer errors.
    """
    if candidates.numbers & options.allowed:
        return candidates
    most = min(source.scan.non_ascii // BYTES_PER_FAULT, MOST_SPANS)
    found = tuple(
        (name, spans)
        for index, name in enumerate(walked_encodings())
        if options.allows(name)
        and (error := candidates.walked[2 * index]) >= 0
        and (spans := source.strays(name, error, most, BYTES_PER_FAULT))
    )
    numbers = sum(1 << rank(name) for name, _ in found)
    return candidates._replace(
        numbers=candidates.numbers | numbers,
        doubtful=candidates.doubtful | numbers,
        damaged=(*candidates.damaged, *found),
    )


@lru_cache(maxsize=1)
def _decoders() -> tuple[int, int]:
    """Return the set of tolerant encodings that do not decode nearly everything, and of those that do."""
    sets = [0, 0]
    for name in TOLERANT:
        sets[name.startswith("gb")] |= 1 << rank(name)
    return sets[0], sets[1]


@lru_cache(maxsize=1)
def _tolerant() -> tuple[tuple[int, str, int], ...]:
    """Return the encodings that may have stray bytes: number of the table, name, and the set of relatives."""
    return tuple(
        (index, name, sum(1 << rank(other) for other in TOLERANT[name]))
        for index, name in enumerate(walked_encodings())
        if name in TOLERANT
    )
