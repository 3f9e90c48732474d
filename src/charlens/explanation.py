"""Why the best candidate won: the byte pairs that decided, where they are, and what each candidate reads there.

The scores of two classes differ by their initial values (priors and hints) and by what each different pair of bytes
added.  All of these are integers, so the sum is exactly the difference.  Only legacy text is decided this way;
for everything else, the steps of the verdict are the whole explanation.  It is computed on request, in plain Python.
"""

from __future__ import annotations

import codecs
import re
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from mmap import mmap
from typing import TYPE_CHECKING, NamedTuple

from charlens import kernel
from charlens.api import detect
from charlens.findings import Candidates, Markup, Scores
from charlens.inputs.stream_state import StreamSource, large_source
from charlens.kernel.facts import FIRST_LEAD, FIRST_TRAIL
from charlens.kernel.pure_scores import begins, character_number, windows
from charlens.limits import check_time, end_of_character, time_limit
from charlens.options import DEFAULTS
from charlens.plural import count
from charlens.source import LARGEST, Bytes, as_buffer
from charlens.stages.markup import strip_markup
from charlens.types import Buffer, Step, Verdict

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from charlens.keywords import Keywords

#: The most offsets listed for a pair, and the most pairs listed in the steps.
_MOST_OFFSETS = 8
_IN_STEPS = 3
#: Bytes below this are never part of a longer character in any multi-byte encoding: decoding can start after one.
_FIRST_PART = 0x30
_PARTS = bytes(range(_FIRST_PART, 256))
#: How far back to look for such a byte; few lines have no space for longer.
_FAR = 1024
#: Larger than any difference of scores.
_ANY_REACH = 1 << 30
_NO_FEATURE = 0xFFFF
_WORD = re.compile(rb"[^\s]+")


class Candidate(NamedTuple):
    """One of the two combinations of encoding and language that are compared."""

    encoding: str
    language: str
    score: int


class Contribution(NamedTuple):
    """How much one byte pair contributed to the difference."""

    #: The pair in the input; if the model treats several pairs as one, the most frequent.
    pair: bytes
    times: int
    #: The first places where it occurs; empty if it only occurs across a gap in the text that was read.
    offsets: tuple[int, ...]
    #: How the winner and the rival decode the first place.
    reads: tuple[str, str]
    #: Positive points count for the winner, negative ones for the rival.
    points: int
    #: Its share of all points, for and against.
    share: float


class Explanation(NamedTuple):
    """Why the best candidate won over the second best."""

    verdict: Verdict
    #: None if the structure of the bytes decided, or if no other encoding decodes them.
    winner: Candidate | None = None
    rival: Candidate | None = None
    #: The difference at the start, from prior frequency and hints.
    begin: int = 0
    #: What the byte pairs added, largest first.
    contributions: tuple[Contribution, ...] = ()
    #: `begin` plus all points: the difference of the scores.
    total: int = 0

    @property
    def steps(self) -> tuple[Step, ...]:
        """The steps of the verdict, including the byte pairs that decided."""
        return tuple(step for old in self.verdict.steps for step in (old, *self._evidence(old)))

    def _evidence(self, step: Step) -> Iterator[Step]:
        if step.stage != "statistics" or self.winner is None or self.rival is None:
            return
        names = (
            f"{self.winner.encoding} {self.winner.language} over {self.rival.encoding} {self.rival.language}"
        )
        yield Step(
            "evidence",
            f"{names}: {self.total:+} points, including {self.begin:+} from prior frequency and hints",
        )
        for part in self.contributions[:_IN_STEPS]:
            ours, theirs = part.reads
            yield Step(
                "evidence",
                f"{part.points:+} points ({part.share:.0%}): {part.pair.hex(' ').upper()}, "
                f"{count(part.times, 'time')}, is {ours!r} in {self.winner.encoding} "
                f"and {theirs!r} in {self.rival.encoding}",
                part.offsets[0] if part.offsets else None,
            )


def explain(
    data: bytes | bytearray | memoryview | mmap, verdict: Verdict | None = None, **keywords: Unpack[Keywords]
) -> Explanation:
    """Explain the *verdict* for *data*; without a verdict, detect *data* first with the given keywords."""
    view, most = as_buffer(data, "explain"), keywords.get("max_bytes")
    with time_limit(keywords.get("max_seconds")):
        verdict = detect(view, **keywords) if verdict is None else verdict
        return _explain(view if most is None else view[: end_of_character(view, most)], verdict)


def _explain(view: Buffer, verdict: Verdict) -> Explanation:
    found = {type(finding): finding for finding in verdict.findings}
    scores, candidates = found.get(Scores), found.get(Candidates)
    if not isinstance(scores, Scores) or not isinstance(candidates, Candidates):
        return Explanation(verdict)
    if not scores.numbers:
        return Explanation(verdict)  # no allowed encoding was scored
    check_time()
    evidence, places = _evidence(view, scores, found.get(Markup))
    ranked = _ranked(evidence, scores)
    if ranked.pairs != scores.pairs:
        raise ValueError("this verdict belongs to other bytes; pass the data that was detected")
    pair = _two_best(verdict, candidates, ranked, scores)
    if pair is None:
        return Explanation(verdict)
    return _compare(view, verdict, _Evidence(evidence, places, scores), pair)


class _Evidence(NamedTuple):
    data: bytes
    #: The offset of each byte in the input; -1 for a space between windows.
    places: list[int] | range
    scores: Scores


class _Place(NamedTuple):
    """Where a pair is. At the ends of the input and of windows, one of its two bytes is a space that was added."""

    pair: bytes
    begin: int
    #: How many bytes of the pair are in the input.
    length: int


class _Ranked(NamedTuple):
    pairs: int
    #: The number and score of every class, best first.
    classes: list[tuple[int, int]]


class _Side(NamedTuple):
    number: int
    score: int
    #: The encoding that stands for the class in the verdict.
    encoding: str


def _evidence(data: Buffer, scores: Scores, markup: object) -> tuple[bytes, list[int] | range]:
    """Return the bytes that were scored and the offset of each in the input."""
    if isinstance(markup, Markup) and markup.enough:
        stripped = strip_markup(Bytes(data[:LARGEST]))
        if stripped is not None:
            words = bytes(stripped.words)
            seen, places = _scored_bytes(words, scores)
            offsets = _source_offsets(bytes(data), words)
            return seen, [offsets[place] if place >= 0 else -1 for place in places]
    if len(data) > LARGEST:
        source = large_source(data, DEFAULTS)
        offsets = source.places() if isinstance(source, StreamSource) else []
        seen, places = _scored_bytes(source.words, scores)
        return seen, [offsets[place] if place >= 0 else -1 for place in places]
    return _scored_bytes(data, scores)


def _source_offsets(data: bytes, words: bytes) -> list[int]:
    """Return the offset in *data* of each byte of *words*, the text of a page; -1 for spaces that were added."""
    offsets = [-1] * len(words)
    at = 0
    for word in _WORD.finditer(words):
        found = data.find(word[0], at)
        if found >= 0:
            offsets[word.start() : word.end()] = range(found, found + len(word[0]))
            at = found + len(word[0])
            continue
        for place, byte in enumerate(word[0], word.start()):  # a tag was in the middle of the word
            found = data.find(byte, at)
            if found >= 0:
                offsets[place], at = found, found + 1
    return offsets


def _scored_bytes(data: Buffer, scores: Scores) -> tuple[bytes, list[int] | range]:
    """Return the windows of *data* that were scored, and the offset of each byte."""
    stride, size = scores.windows
    if not stride:
        return bytes(data), range(len(data))
    places: list[int] = []
    pieces = []
    for start, window in windows(data, stride, size):
        places += ([-1] if places else []) + list(range(start, start + len(window)))
        pieces.append(window)
    return b" ".join(pieces), places


def _ranked(evidence: bytes, scores: Scores) -> _Ranked:
    """Score all classes again, including those too far behind for the verdict."""
    model = scores.model
    limits = (len(model.classes), _ANY_REACH, scores.penalty)
    # Mark all classes as possible; which of them decode without errors stays the same.
    clean = scores.possible & ~scores.doubtful
    everything = (1 << 128) - 1
    sets = (everything, everything & ~clean)
    pairs, _, flat = kernel.score(evidence, model.parts, sets, (scores.bias, scores.nudges), (0, 0), limits)
    return _Ranked(pairs, list(zip(flat[::2], flat[1::2], strict=True)))


def _two_best(
    verdict: Verdict, candidates: Candidates, ranked: _Ranked, scores: Scores
) -> tuple[_Side, _Side] | None:
    """Return the class of the answer and the best class that reads another text, or None."""
    classes = scores.model.classes
    ours = {verdict.encoding, *verdict.equivalents}
    possible = set(candidates.possible)
    rivals = possible - ours
    if verdict.alternatives:
        rivals = {verdict.alternatives[0].encoding}
    sides: list[_Side] = []
    for wanted in (ours, rivals, possible - ours):
        for number, score in ranked.classes:
            family = scores.model.families.get(classes[number][0], ())
            member = next((name for name in family if name in wanted), None)
            # A family that contains the answer cannot be the rival.
            if member and (wanted is ours or ours.isdisjoint(family)):
                name = verdict.encoding if wanted is ours else member
                sides.append(_Side(number, score, name or member))
                break
        if len(sides) == 2:
            return sides[0], sides[1]
        if not sides:
            return None
    return None


def _compare(data: Buffer, verdict: Verdict, evidence: _Evidence, sides: tuple[_Side, _Side]) -> Explanation:
    winner, rival = sides
    model = evidence.scores.model
    weights, levels = model.parts[1:3]
    rows = memoryview(weights).cast("b")
    width = len(model.classes)
    own: list[tuple[int, list[_Place]]] = []
    for feature, places in _occurrences(evidence).items():
        level = levels[min(len(places), len(levels)) - 1]
        row = feature * width
        own.append((level * (rows[row + winner.number] - rows[row + rival.number]), places))
    # A character of two bytes has the points of its pair, and those of its own weights.
    sums: Counter[tuple[_Place, ...]] = Counter()
    for points, places in own + _characters(evidence, winner.number, rival.number):
        sums[tuple(places)] += points
    parts = [(points, places) for places, points in sums.items() if points]
    parts.sort(key=lambda part: (-abs(part[0]), part[1][0].begin))
    said = sum(abs(points) for points, _ in parts)
    names = (winner.encoding, rival.encoding)
    contributions = tuple(
        _contribution(data, places, names, (points, abs(points) / said)) for points, places in parts
    )
    begin = _begin(evidence.scores, winner.number) - _begin(evidence.scores, rival.number)
    return Explanation(
        verdict,
        Candidate(winner.encoding, model.classes[winner.number][1], winner.score),
        Candidate(rival.encoding, model.classes[rival.number][1], rival.score),
        begin,
        contributions,
        begin + sum(part.points for part in contributions),
    )


def _begin(scores: Scores, number: int) -> int:
    """Return the initial score of class *number*: its prior and the hints."""
    members, spoken = scores.model.parts[3:5]
    clean = scores.possible & ~scores.doubtful
    doubted = not any(clean >> member & 1 for member in scores.model.members[number])
    begin = begins(members, spoken, scores.bias, scores.nudges)[number]
    return begin - (scores.penalty if doubted else 0)


def _occurrences(evidence: _Evidence) -> dict[int, list[_Place]]:
    """Return for each feature all its places."""
    features = memoryview(evidence.scores.model.parts[0]).cast("H")
    found: dict[int, list[_Place]] = {}
    for place in _pairs(evidence):
        feature = features[place.pair[0] << 8 | place.pair[1]]
        if feature != _NO_FEATURE:
            found.setdefault(feature, []).append(place)
    return found


def _characters(evidence: _Evidence, winner: int, rival: int) -> list[tuple[int, list[_Place]]]:
    """Return the points from the separate weights of two-byte characters, with their places."""
    *_, rows, wide = evidence.scores.model.parts
    numbers, own = list(memoryview(wide).cast("H")), memoryview(rows).cast("b")
    level = evidence.scores.model.parts[2][0]
    found: dict[int, list[_Place]] = {}
    for place in _pairs(evidence):
        if place.pair[0] >= FIRST_LEAD and place.pair[1] >= FIRST_TRAIL:
            found.setdefault(character_number(*place.pair), []).append(place)

    def weight(character: int, number: int) -> int:
        return own[character * len(numbers) + numbers.index(number)] if number in numbers else 0

    return [(level * (weight(each, winner) - weight(each, rival)), places) for each, places in found.items()]


def _pairs(evidence: _Evidence) -> Iterator[_Place]:
    """Yield all pairs of bytes that were scored."""
    places = (-1, *evidence.places, -1)
    for index, (first, second) in enumerate(pairwise(b" " + evidence.data + b" ")):
        left, right = places[index], places[index + 1]
        yield _Place(bytes((first, second)), left if left >= 0 else right, (left >= 0) + (right >= 0))


def _contribution(
    data: Buffer, places: tuple[_Place, ...], names: tuple[str, str], weight: tuple[int, float]
) -> Contribution:
    pair = Counter(place.pair for place in places).most_common(1)[0][0]
    # A pair across two windows has no place in the input.
    own = [place for place in places if place.pair == pair and place.begin >= 0]
    reads = (_read(data, own[0], names[0]), _read(data, own[0], names[1])) if own else ("", "")
    offsets = tuple(place.begin for place in own[:_MOST_OFFSETS])
    return Contribution(pair, len(places), offsets, reads, *weight)


def _read(data: Buffer, place: _Place, encoding: str) -> str:
    """Decode the characters at *place* with *encoding*, including those that only overlap it."""
    _, begin, length = place
    before = bytes(data[max(0, begin - _FAR) : begin])
    start = begin - len(before) + len(before.rstrip(_PARTS))
    decoder = codecs.getincrementaldecoder(encoding)("replace")
    decoder.decode(bytes(data[start:begin]))
    text = ""
    for offset in range(begin, len(data)):
        read = decoder.decode(bytes(data[offset : offset + 1]), offset == len(data) - 1)
        text += read
        # Stop when a character ends at or after the end of the pair.
        if read and offset >= begin + length - 1:
            break
    return text
