"""Stray bytes in a long text of a multi-byte encoding: a few faults among many good sequences.

A file of thousands of characters with one broken one is still in that encoding; the faults are told as damage.  How
many are too many, and what each says against the encoding, is settled here; the statistics stage adds it to the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from charlens import kernel
from charlens.types import MOST_SPANS, Buffer, Candidates, Hinted, Span

if TYPE_CHECKING:
    from charlens.models.format import Model

#: The encodings that get this grace, and their relatives: where one of these decodes everything, or has fewer faults,
#: it is that one, and no byte is stray. A character of GB 18030 is no fault in GBK.
TOLERANT = {
    "cp932": ("shift_jis", "shift_jis_2004", "shift_jisx0213"),
    "euc_jp": ("euc_jis_2004", "euc_jisx0213"),
    "gbk": ("gb18030", "gb2312"),
    "gb18030": ("gbk", "gb2312"),
    "cp949": ("euc_kr",),
    "big5hkscs": ("big5", "cp950"),
}
#: At least so many good sequences for each fault; more faults are no accident. That alone rules out little: GBK reads
#: Shift_JIS with one fault in 10,000. The statistics decide, and on 2,956 labelled files no answer changes for it.
GOOD_PER_FAULT = 100
#: A fault before this offset is not forgiven: in text of another encoding the first one nearly always is there, and
#: looking further costs some 7 µs of the 32 that 4 KB of Japanese take.
FIRST_FORGIVEN = 64
#: What one fault says against an encoding, as log-odds: as much as one sequence of UTF-8 says for it.
_PER_FAULT = 4.0
#: So many results are kept for each model.
_MOST_KEPT = 256
#: Text with fewer bytes beyond ASCII than this cannot have enough.
LEAST_BEYOND_ASCII = 2 * GOOD_PER_FAULT


#: An encoding and its faults.
Damaged = tuple[str, tuple[Span, ...]]


def find_strays(data: Buffer, table: bytes, first: int) -> tuple[Span, ...]:
    """Return the faults of *data*, walked by *table*, of which the first is at *first*.

    Nothing is returned where they are too many: the encoding is ruled out.
    """
    view = memoryview(data)
    error, _, good = kernel.walk(view[first + 1 :], table)
    # Most encodings that it is not in end here: the next fault is near, and before the first there was no room.
    if error >= 0 and first // 2 + good < GOOD_PER_FAULT:
        return ()
    good += kernel.walk(view[:first], table)[2]
    # One byte is taken for wrong; what follows it is read anew, so ASCII after a lead byte is not lost.
    spans = [Span(first, first + 1)]
    start = first + 1
    while error >= 0:
        start += error + 1
        spans.append(Span(start - 1, start))
        if are_too_many(spans, good):
            return ()
        error, _, sequences = kernel.walk(view[start:], table)
        good += sequences
    return tuple(spans) if are_few(spans, good) else ()


def are_too_many(spans: Sequence[Span], good: int) -> bool:
    """Whether there are more faults than the next sequences, however many, should make up for."""
    return len(spans) > 1 + good // GOOD_PER_FAULT or len(spans) >= MOST_SPANS


def are_few(spans: Sequence[Span], good: int) -> bool:
    """Whether so few faults among so many *good* sequences are accidents."""
    return len(spans) * GOOD_PER_FAULT <= good


def settle_strays(damaged: list[Damaged], is_whole: Callable[[str], bool]) -> tuple[Damaged, ...]:
    """Return those of *damaged* that no relative reads better; *is_whole* says which encodings have no fault."""
    faults = {name: len(spans) for name, spans in damaged}
    return tuple(
        (name, spans)
        for name, spans in damaged
        if not any(is_whole(o) or faults.get(o, MOST_SPANS) < len(spans) for o in TOLERANT[name])
    )


def forgive_allowed(data: Buffer, candidates: Candidates, allowed: Callable[[str], bool]) -> Candidates:
    """Return *candidates* with those that are *allowed* but for a few stray bytes, where no other is allowed.

    Whoever names the encodings that it may be wants one of them, also one that a larger relative reads better.
    """
    from charlens.encodings.walks import walk_table, walked_encodings  # here: most calls allow everything

    if any(allowed(name) for name in candidates.possible):
        return candidates
    found = tuple(
        (name, spans)
        for index, name in enumerate(walked_encodings())
        if allowed(name) and (spans := find_strays(data, walk_table(name), candidates.walked[2 * index]))
    )
    numbers = sum(1 << candidates.rules.names.index(name) for name, _ in found)
    return candidates._replace(
        numbers=candidates.numbers | numbers,
        doubtful=candidates.doubtful | numbers,
        damaged=(*candidates.damaged, *found),
    )


def weigh_strays(candidates: Candidates, model: Model, hints: Hinted | None) -> Hinted:
    """Return *hints*, or none, with what the faults say against the classes of damaged candidates."""
    faults = {name: len(spans) for name, spans in candidates.damaged}
    key = f"{hints.key if hints else ''}; faults: {faults}"
    known: Hinted | None = model.joined.get(key)
    if known is not None:
        return known
    against = {
        leader: _PER_FAULT * min(faults[member] for member in members if member in faults)
        for leader, members in model.families.items()
        if not faults.keys().isdisjoint(members)
    }
    begin = hints.odds if hints else (0.0,) * len(model.classes)
    odds = tuple(odd - against.get(pair[0], 0.0) for odd, pair in zip(begin, model.classes, strict=True))
    if len(model.joined) >= _MOST_KEPT:
        model.joined.clear()
    joined = model.joined[key] = Hinted(key, odds, key)
    return joined
