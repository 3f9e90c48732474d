"""Find where the encoding changes inside text: the best path through its lines, with a cost for each change.

Lines are grouped into units (`units`). If `even` does not find that all are in one encoding, each unit is scored for
the possible encodings; the path with the best sum is found in one pass (dynamic programming).  `pieces` has
already separated what is not text; `segments` detects each part.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from functools import lru_cache
from itertools import islice, pairwise
from typing import TYPE_CHECKING, NamedTuple

from charlens import kernel
from charlens.encodings import rank
from charlens.encodings.maps import defined_mask, same_text
from charlens.encodings.walks import walk_table, walked_encodings
from charlens.inputs.mixed.even import Evenness
from charlens.inputs.mixed.joined import join_alike
from charlens.inputs.mixed.points import (
    MOST_AGAINST,
    PER_SEQUENCE,
    POINT,
    RUN_IN_CONTEXT,
    against_legacy,
    against_partly,
    leaders,
    price_of,
)
from charlens.inputs.mixed.units import ASCII, OTHER, SHIFTED, UTF8, Unit, find_units
from charlens.limits import check_time
from charlens.options import Options
from charlens.source import Bytes
from charlens.stages.escapes import find_escapes
from charlens.stages.structure import find_candidates
from charlens.types import Part

if TYPE_CHECKING:
    from charlens.models.format import Model

#: The lead that a part must have, read as one text, over the encoding of the whole: in a single-byte encoding,
#: which decodes nearly everything; in a multi-byte one; and in UTF-8. With 14 instead of 18, 15 labelled files
#: are split, not 8; with 18 instead of 10, blocks of Big5 of a dozen characters are lost in GB 2312.
_CLEAR = 18 * POINT
_CLEAR_MULTI = 10 * POINT
_CLEAR_UTF8 = 14 * POINT
#: An encoding is certain to occur if at least this number of parts, read together, lead the
#: encoding of the whole by this much; a change to it then costs only _CHANGE_BACK. Files that change from line to
#: line are right in 92 % of their bytes instead of 86, and no more labelled files are split; with 20 instead of 30, two
#: are.
_LEAST_PARTS = 2
_BEYOND_DOUBT = 30 * POINT
_CHANGE_BACK = 2 * POINT
#: Points of a stray byte against the encoding of the whole.
_STRAY = 8 * POINT
#: An encoding that cannot decode the unit.
_IMPOSSIBLE = -(1 << 40)

#: The most encodings considered.
_MOST_STATES = 12
#: A sign that is typical of UTF-8 (quotes, dashes, the euro), and the letters of a word, with the marks of Vietnamese.
_SIGN = r"[\u2010-\u203a\u20ac]"
_WORD = re.compile(rf"(?:[^\W\d_¹²³¼½¾]|[\u0300-\u036f])+|{_SIGN}")
#: This many letters in the order of their codes are a table of characters; fewer can be a word.
_LEAST_ORDERED = 4
#: Words of a part that are scored: dozens are beyond doubt.
_MOST_WORDS = 512
_WALKED = frozenset(walked_encodings())


class Text(NamedTuple):
    """The text to split."""

    data: bytes
    #: The best encoding for the whole, or None.
    whole: str | None
    #: Whether a few bytes do not decode in it.
    has_strays: bool
    model: Model


def split_by_encoding(text: Text, options: Options) -> list[Part]:
    """Return the runs of lines of *text*, with the encoding of each; nothing for empty text."""
    data, whole, has_strays, model = text
    units = find_units(data)
    if whole is not None and not has_strays and not options.restricts:
        even = Evenness(whole, model, same_text(kernel.scan(data).seen, whole))
        even.add(data, units)
        if even:
            return [Part(0, len(data), whole)]
    # Equal lines are scored once.
    pieces = [data[unit.start : unit.end] for unit in units]
    looks = {}
    for piece, unit in zip(pieces, units, strict=True):
        if piece not in looks:
            check_time()
            looks[piece] = _look(piece, unit.form, text, options)
    states = _states(pieces, looks)
    if not states:
        return []
    if whole is not None and whole not in states:
        states.append(whole)  # it decodes every unit
    asked = sum(1 << rank(name) for name in states)
    said = {piece: _row(piece, look, states, asked, model) for piece, look in looks.items()}
    rows = [said[piece] for piece in pieces]
    prices = [price_of(name, model) for name in states]
    parts = _parts(units, [states[state] for state in _best_way(rows, prices)])
    chances = round(math.log(1 + sum(unit.form == OTHER for unit in units)) * POINT)
    there = _standing(text, parts, chances)
    if there:
        prices = [
            _CHANGE_BACK if name in there else price for name, price in zip(states, prices, strict=True)
        ]
        parts = _parts(units, [states[state] for state in _best_way(rows, prices)])
    if whole is not None:
        parts = _checked(text, whole, parts, there, chances)
    return join_alike(data, parts)


def _parts(units: list[Unit], encodings: list[str]) -> list[Part]:
    """Join neighbours with the same encoding."""
    changes = [0, *(n for n in range(1, len(units)) if encodings[n] != encodings[n - 1]), len(units)]
    return [Part(units[one].start, units[two - 1].end, encodings[one]) for one, two in pairwise(changes)]


def _standing(text: Text, parts: list[Part], chances: int) -> frozenset[str]:
    """Return the encodings that certainly occur, judged by all their parts together.

    A change to one of them, and back to the encoding of the whole, then costs less; in damaged UTF-8, a change back to
    UTF-8 always does.
    """
    pools: dict[str, list[bytes]] = {}
    for part in parts:
        pools.setdefault(part.encoding, []).append(text.data[part.start : part.end])
    main = text.whole or max(pools, key=lambda name: sum(map(len, pools[name])))
    there = {
        name
        for name, pieces in pools.items()
        if name != main
        and (
            _is_clearly_utf8(b"\n".join(pieces), main, chances)
            if name == "utf-8"
            else len(pieces) >= _LEAST_PARTS
            and (main == "utf-8" or _margin(b"\n".join(pieces), name, main, text.model) >= _BEYOND_DOUBT)
        )
    }
    is_damaged_utf8 = text.whole is None and main == "utf-8"
    return frozenset((*there, main)) if there or is_damaged_utf8 else frozenset()


#: The points of a unit for each encoding, 0 for the best; empty for a unit without evidence.
Points = dict[str, int]


class _Look(NamedTuple):
    """The first scores of a unit: its likely encodings, and what is needed to score others."""

    form: int
    points: Points
    #: The points of its UTF-8 sequences against legacy encodings.
    against: int = 0
    #: The legacy encodings that decode it (bit `rank`), and one that decodes it except for stray bytes.
    possible: int = 0
    forgiven: str | None = None
    #: The best score of a class of the model, and the log-odds of one step.
    best: int = 0
    factor: float = 1.0
    #: The bytes that occur in it.
    seen: int = 0


def _look(unit: bytes, form: int, text: Text, options: Options) -> _Look:
    """Return the likely encodings of *unit*; `_row` scores the others."""
    if form == ASCII:
        return _Look(form, {})
    source = Bytes(unit)
    points: Points
    if form == SHIFTED:
        found = find_escapes(source)
        points = {found.encoding: 0} if found and options.allows(found.encoding) else {}
        return _Look(form, points, seen=source.scan.seen)
    points, against = {}, 0
    if options.allows("utf-8"):
        partly = against_partly(unit)
        if partly is not None:
            points["utf-8"], against = 0, partly
    if form == UTF8:
        return _Look(form, points or {"": 0}, against_legacy(unit, 0), seen=source.scan.seen)
    possible = find_candidates(source).numbers
    if options.restricts:
        possible &= options.allowed
    forgiven = None
    if text.has_strays and text.whole and not possible >> rank(text.whole) & 1:
        forgiven = text.whole
        possible |= 1 << rank(forgiven)
    scores = _scores(unit, possible, possible, text.model, 0)
    best = max(scores.values(), default=0)
    factor = text.model.factor(source.scan.non_ascii)
    look = _Look(form, points, against, possible, forgiven, best, factor, source.scan.seen)
    points.update(_points(look, scores))
    return look if points else look._replace(points={"": 0})


def _points(look: _Look, scores: dict[str, int]) -> Points:
    """Return the points of *scores* for their encodings, up to the most that a unit can have against one."""
    best, factor, against = look.best, look.factor, look.against
    least = best - _reach(factor)
    points = {
        name: round((score - best) * factor * POINT) - against if score < best else -against
        for name, score in scores.items()
        if score >= least
    }
    if look.forgiven in points:
        points[look.forgiven] -= _STRAY
    return points


def _reach(factor: float) -> int:
    """Return how far behind the best a score can be without reaching the most points against an encoding."""
    return int(MOST_AGAINST / POINT / factor)


def _scores(unit: bytes, possible: int, asked: int, model: Model, reach: int) -> dict[str, int]:
    """Return the scores of the encodings *asked* for, at most *reach* behind the best, the best first.

    The first of the *possible* encodings (bit `rank`) of a family represents it. Priors are left out: they count
    once per file, not once per line.
    """
    _, _, flat = kernel.score_families(unit, model.parts, model.no_bias, asked, reach)
    scores = {}
    for members, score in zip(map(_families(model).__getitem__, flat[::2]), flat[1::2], strict=True):
        number, name = members[0]
        if not possible >> number & 1:
            name = next(name for number, name in members if possible >> number & 1)
        scores[name] = score
    return scores


@lru_cache(maxsize=8)
def _families(model: Model) -> tuple[tuple[tuple[int, str], ...], ...]:
    """Return for each class of the model its encodings, with their numbers."""
    return tuple(tuple((rank(name), name) for name in model.families[leader]) for leader, *_ in model.classes)


def _states(pieces: list[bytes], looks: dict[bytes, _Look]) -> list[str]:
    """Return the encodings that are best for some unit, ordered by the total length of those units."""
    weight: Counter[str] = Counter()
    for piece in pieces:
        for name, said in looks[piece].points.items():
            if said == 0 and name:
                weight[name] += len(piece)
    return [name for name, _ in weight.most_common(_MOST_STATES)]


def _row(unit: bytes, look: _Look, states: list[str], asked: int, model: Model) -> list[int]:
    """Return the points of a unit for each state; *asked* are the states as a set."""
    if not look.points:
        return [0] * len(states)
    points = dict(look.points)
    asked &= look.possible
    if asked:
        points.update(_points(look, _scores(unit, look.possible, asked, model, _reach(look.factor))))
    against = look.against if look.form == UTF8 else MOST_AGAINST
    row = []
    for name in states:
        if name in points:
            row.append(max(points[name], -MOST_AGAINST) if name != "utf-8" else points[name])
        else:
            row.append(-against if _decodes(unit, look.seen, name) else _IMPOSSIBLE)
    return row


def _decodes(unit: bytes, seen: int, name: str) -> bool:
    """Whether *name* decodes *unit*, whose byte values are *seen*."""
    if name in _WALKED:
        return kernel.walk(unit, walk_table(name))[0] < 0
    if name == "utf-8":
        return False  # otherwise it would be among the points
    try:
        return not seen & ~_defined(name)
    except ValueError:  # an encoding with escapes
        return unit.isascii()


#: Cached: computing the bytes that an encoding defines takes longer than looking for them in a line.
_defined = lru_cache(maxsize=256)(defined_mask)


def _best_way(rows: list[list[int]], prices: list[int]) -> list[int]:
    """Return the state of each unit on the path with the best sum; among equal paths, the one that changes last.

    *prices* are the costs of a change to each state; starting with it costs the same.
    """
    sums = [said - price for said, price in zip(rows[0], prices, strict=True)]
    before = []
    for row in rows[1:]:
        top = max(sums)
        before.append((sums, top))
        sums = [
            (kept if kept > top - price else top - price) + said
            for kept, price, said in zip(sums, prices, row, strict=True)
        ]
    state = sums.index(max(sums))
    way = [state]
    for sums, top in reversed(before):
        if sums[state] <= top - prices[state]:
            state = sums.index(top)
        way.append(state)
    way.reverse()
    return way


def _checked(
    text: Text, whole: str, parts: list[Part], there: frozenset[str], chances: int
) -> list[Part]:
    """Return *parts*; those without enough evidence get the encoding of the whole.

    *chances* is the logarithm of the number of other lines, in points: the more there are, the sooner one of them is
    UTF-8 by chance.
    """
    utf8 = b"\n".join(text.data[part.start : part.end] for part in parts if part.encoding == "utf-8")
    clear = _is_clearly_utf8(utf8, whole, chances)
    return [
        part
        if (clear and part.encoding == "utf-8") or part.encoding in there or _stands(text, part, whole)
        else part._replace(encoding=whole)
        for part in parts
    ]


def _is_clearly_utf8(lines: bytes, whole: str, chances: int) -> bool:
    """Whether *lines*, judged together, are in UTF-8: by runs next to ASCII, or by the sequences of single lines.

    *chances* is what one of the lines has by chance, in points.
    """
    of_runs = of_lines = 0
    seen: set[bytes] = set()
    for line in lines.split(b"\n"):
        words = running_words(line, whole) - seen
        seen |= words
        of_runs += PER_SEQUENCE * sum(run[0] < 0x80 or run[-1] < 0x80 for run in words)
        of_lines += max(0, against_legacy(b"\n".join(words), 0) - chances)
        if max(of_runs, of_lines) >= _CLEAR_UTF8:
            return True
    return False


def running_words(line: bytes, whole: str) -> set[bytes]:
    """Return the different runs of UTF-8 in *line* that can be words, and others in the encoding *whole*."""
    return {run for run in set(RUN_IN_CONTEXT.findall(line)) if _words(run, "utf-8", whole)}


def _stands(text: Text, part: Part, whole: str) -> bool:
    """Whether *part*, read as one text, is clearly not in the encoding of the whole.

    The sum over lines is not enough: in a list of words, each line can be a little more likely in another encoding,
    and it is still one list.
    """
    if part.encoding == whole:
        return True
    piece, model = text.data[part.start : part.end], text.model
    if not text.has_strays and not _decodes(piece, kernel.scan(piece).seen, whole):
        return True
    if part.encoding not in leaders(model) or whole not in leaders(model):
        return part.encoding != "utf-8"
    clear = _CLEAR_MULTI if part.encoding in _WALKED else _CLEAR
    return _margin(piece, part.encoding, whole, model) >= clear + price_of(part.encoding, model) - price_of(
        whole, model
    )


def _margin(piece: bytes, name: str, other: str, model: Model) -> int:
    """Return the lead of one encoding over another for *piece*; each different word counts once."""
    known = leaders(model)
    if name not in known or other not in known:
        return 0
    words = _words(piece, name, other)
    both = 1 << rank(name) | 1 << rank(other)
    factor = model.factor(kernel.scan(words).non_ascii)
    scores = _scores(words, both, both, model, _reach(factor))
    best = max(scores.values(), default=0)
    points = _points(_Look(OTHER, {}, best=best, factor=factor), scores)
    return points.get(name, -MOST_AGAINST) - points.get(other, -MOST_AGAINST)


def _words(piece: bytes, name: str, other: str) -> bytes:
    """Return the different non-ASCII words of *piece*, without tables of characters.

    A table of characters, an alphabet or a list of patterns can fit some encoding by chance, because the model
    knows running text.
    """
    words = dict.fromkeys(_WORD.findall(piece.decode(name, "replace")))
    running = (word.encode(name, "ignore") for word in words if _is_running(word, name, other))
    return b" ".join(islice(running, _MOST_WORDS))


def _is_running(word: str, name: str, other: str) -> bool:
    """Whether *word* can be a real word in the encoding *name*, and is a different one in *other*.

    A word has several letters, capitals only in usual places, and its letters are not all in the order of their codes.
    """
    if word.isascii() or (word[1:] != word[1:].lower() and word != word.upper()):
        return False
    beside = word.encode(name, "ignore").decode(other, "replace")
    if len(beside) < 2:
        return name == "utf-8" and re.match(_SIGN, word) is not None
    codes = (letter.encode(name, "ignore") for letter in word)
    return beside != word and (len(word) < _LEAST_ORDERED or any(one >= two for one, two in pairwise(codes)))
