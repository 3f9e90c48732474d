"""The linear model in plain Python: scores of classes by pairs of bytes, of a whole text and of its windows."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

from charlens.kernel.facts import BEFORE_WINDOW, CHARACTERS, FIRST_LEAD, FIRST_TRAIL, MOST_NUDGES, MOST_POINTS
from charlens.kernel.pure_walks import candidates
from charlens.types import Buffer

_BEYOND_ASCII = re.compile(rb"[\x80-\xff]")


def score(
    data: Buffer,
    model: tuple[Buffer, Buffer, Buffer, Buffer, Buffer, Buffer, Buffer],
    sets: tuple[int, int],
    begin: tuple[Buffer, tuple[int, ...]],
    cut: tuple[int, int],
    limits: tuple[int, int, int],
) -> tuple[int, int, tuple[int, ...]]:
    """Score the classes of a linear model by the byte pairs of *data*.

    *model* is seven tables: for each pair of bytes (65,536 of them, 16 bits each) the number of its feature, or
    0xFFFF; one row of signed bytes for each feature, as long as there are classes; what a feature counts that occurs
    once, twice and so on, the last for all above; for each class the set of its encodings, 128 bits;
    its language, a byte; then for each pair of a byte from FIRST_LEAD on and one from FIRST_TRAIL on, which can be a
    character of two bytes, a row of signed bytes, one for each of the wide classes; and the numbers of these classes,
    16 bits each.  However often such a pair occurs, its row counts as a feature that occurs once.  *sets* are the
    possible encodings and the doubtful ones among them: only classes that cover a possible one take part, and those
    that cover only doubtful ones lose the last of *limits*.  *begin* has 32 bits for each class, to begin with, and
    nudges: a set of encodings, a set of languages, and the points of a class that covers one of these encodings in one
    of these languages, and so on.  *cut* is a stride and a size: of each stride only that many bytes are read, from 16
    before its first non-ASCII byte on; with a stride of 0 all of the input is read.  A window counts as if between
    two spaces.  *limits* are the most classes to return, how far behind the best one they may be, and that penalty.
    Returns the number of pairs that were features, of different ones, and, best first, class and score of the best
    classes; of equals the first class comes first.
    """
    members, spoken, characters, wide = model[3:]
    (possible, doubtful), (bias, nudges) = sets, begin
    classes, wide_classes = len(members) // 16, memoryview(wide).cast("H")
    if (
        min(cut) < 0
        or len(nudges) > 3 * MOST_NUDGES
        or not 0 <= limits[2] < 1 << 24
        or len(nudges) % 3
        or (possible | doubtful) >> 128
        or len(bias) != 4 * classes
        or len(spoken) != classes
        or len(memoryview(characters).cast("b")) != CHARACTERS * len(wide_classes)
        or max(wide_classes, default=-1) >= classes
    ):
        raise ValueError("score(): the parts of the model do not fit one another")
    return score_all(data, model, sets, begin, cut, limits)


def score_all(
    data: Buffer,
    model: tuple[Buffer, Buffer, Buffer, Buffer, Buffer, Buffer, Buffer],
    sets: tuple[int, int],
    begin: tuple[Buffer, tuple[int, ...]],
    cut: tuple[int, int],
    limits: tuple[int, int, int],
) -> tuple[int, int, tuple[int, ...]]:
    """Do what `score` does, for arguments that were checked, with any number of nudges."""
    pairs, weights, levels, members, spoken, characters, wide = model
    (possible, doubtful), (bias, nudges) = sets, begin
    most, reach, penalty = limits
    wide_classes, character_rows = memoryview(wide).cast("H"), memoryview(characters).cast("b")
    features = memoryview(pairs).cast("H")
    rows = memoryview(weights).cast("b")
    classes = len(members) // 16
    counts: Counter[int] = Counter()
    met: set[int] = set()
    for _, window in windows(data, *cut):
        for first, second in pairwise(b" " + window + b" "):
            counts[features[first << 8 | second]] += 1
            if first >= FIRST_LEAD and second >= FIRST_TRAIL:
                met.add(character_number(first, second))
    del counts[0xFFFF]
    totals = begins(members, spoken, bias, nudges)
    for feature, count in counts.items():
        level = levels[min(count, len(levels)) - 1]
        row = rows[feature * classes : (feature + 1) * classes]
        totals = [total + level * weight for total, weight in zip(totals, row, strict=True)]
    for character in met:
        for place, number in enumerate(wide_classes):
            totals[number] += levels[0] * character_rows[character * len(wide_classes) + place]
    clean = possible & ~doubtful
    own = [int.from_bytes(members[16 * number : 16 * number + 16], "little") for number in range(classes)]
    ranked = sorted(
        (-totals[number] + (0 if own[number] & clean else penalty), number)
        for number in range(classes)
        if possible & own[number]
    )
    near = [row for row in ranked[:most] if ranked[0][0] + reach >= row[0]]
    return counts.total(), len(counts), tuple(value for total, number in near for value in (number, -total))


def score_families(
    data: Buffer,
    model: tuple[Buffer, Buffer, Buffer, Buffer, Buffer, Buffer, Buffer],
    bias: Buffer,
    possible: int,
    reach: int,
) -> tuple[int, int, tuple[int, ...]]:
    """Score as `score` does, and return only the best of all classes with the same encodings.

    That is the most likely language of each encoding.  *bias* is what each class begins with, *possible* the encodings
    that take part; no class is more than *reach* behind the best.
    """
    members = bytes(model[3])
    most = len(members) // 16
    pairs, distinct, flat = score(data, model, (possible, 0), (bias, ()), (0, 0), (most, reach, 0))
    best: dict[bytes, tuple[int, int]] = {}
    for number, total in zip(flat[::2], flat[1::2], strict=True):
        best.setdefault(members[16 * number : 16 * number + 16], (number, total))
    return pairs, distinct, tuple(value for row in best.values() for value in row)


#: The most windows and groups that `compare` and `misfits` take at once.
MOST_WINDOWS, MOST_GROUPS = 64, 2


def compare(
    data: Buffer,
    windows: tuple[int, ...],
    structure: tuple[Buffer, Buffer, Buffer, bytes],
    model: tuple[Buffer, Buffer, Buffer, Buffer, Buffer, Buffer, Buffer],
    bias: Buffer,
    sets: tuple[int, ...],
) -> tuple[int, ...]:
    """Score each of *windows* of *data*, a start and an end each, by itself.

    *structure* is what `candidates` takes after the data, *model* and *bias* what `score` takes.  *sets* are one or two
    groups of encodings that may be found, and those to compare with.  Returns for each window pairs and different
    pairs, as `score` does; for each group the best class among those that decode the window, or -1, and its score; and
    the best score of the classes that cover one of the encodings to compare with, whether or not these decode it, or 0.
    """
    _check_windows("compare", windows, len(data))
    if min(sets) < 0 or max(sets) >> 128:
        raise ValueError("compare(): a number is out of range")
    *groups, others = sets
    if not 1 <= len(groups) <= MOST_GROUPS:
        raise ValueError("compare(): needs a tuple of two or three sets")
    found: list[int] = []
    for start, end in zip(windows[::2], windows[1::2], strict=True):
        window = bytes(data[start:end])
        possible = candidates(window, sum(1 << value for value in set(window)), *structure)[0]
        pairs, distinct, other = score(window, model, (others, 0), (bias, ()), (0, 0), (1, 0, 0))
        found += (pairs, distinct)
        for group in groups:
            _, _, best = score(window, model, (possible & group, 0), (bias, ()), (0, 0), (1, 0, 0))
            found += best or (-1, 0)
        found.append(other[1] if other else 0)
    return tuple(found)


def misfits(
    data: Buffer,
    windows: tuple[int, ...],
    model: tuple[Buffer, Buffer, Buffer, Buffer, Buffer, Buffer, Buffer],
    number: int,
    least: int,
) -> tuple[int, ...]:
    """Return those of *windows* of *data*, a start and an end each, that class *number* of *model* does not fit.

    It fits if the score of its pairs is *least* or more for each different one on average; characters of two bytes do
    not count.
    """
    _check_windows("misfits", windows, len(data))
    pairs, weights, levels, members, _, _, _ = model
    classes = len(members) // 16
    if not 0 <= number < classes or abs(least) > MOST_POINTS:
        raise ValueError("misfits(): the parts of the model do not fit, or a number is out of range")
    features, rows = memoryview(pairs).cast("H"), memoryview(weights).cast("b")
    found: list[int] = []
    for start, end in zip(windows[::2], windows[1::2], strict=True):
        window = b" " + bytes(data[start:end]) + b" "
        counts = Counter(features[first << 8 | second] for first, second in pairwise(window))
        del counts[0xFFFF]
        points = (
            rows[feature * classes + number] * levels[min(count, len(levels)) - 1] for feature, count in counts.items()
        )
        if sum(points) < least * len(counts):
            found += (start, end)
    return tuple(found)


def _check_windows(name: str, windows: tuple[int, ...], length: int) -> None:
    """Raise unless *windows* are a start and an end each, within *length* bytes."""
    if len(windows) % 2 or len(windows) > 2 * MOST_WINDOWS:
        raise ValueError(f"{name}(): needs at most {MOST_WINDOWS} windows, a start and an end each")
    if not all(0 <= start <= end <= length for start, end in zip(windows[::2], windows[1::2], strict=True)):
        raise ValueError(f"{name}(): a window is outside the data")


#: The classes of bytes in UTF-8, as letters: ASCII, trail, lead of two, lead of three, lead of four.
_CLASSES = bytes(b"aTLEF"[(b >= 0x80) + (b >= 0xC0) + (b >= 0xE0) + (b >= 0xF0)] for b in range(256))
#: Characters of UTF-8 between ASCII, or two of a kind after it.
_UTF8 = (b"aLTa", b"aLTLT", b"aETTa", b"aETTE")


def line_windows(data: Buffer, size: int) -> tuple[int, ...]:
    """Return windows of *data* that are not ASCII, and before them how often they look like UTF-8.

    There are up to three windows of *size* bytes, a start and an end each: at the beginning, in the middle and at the
    end.  The last two begin with a line if one begins within *size* * 2 bytes.  What looks like UTF-8 is counted as
    `bytes.count` does, in the windows joined by line endings.
    """
    if not 1 <= size <= 4096:
        raise ValueError("line_windows(): a number is out of range")
    length = len(data)
    found: list[int] = []
    pieces: list[bytes] = []
    for start in (0, length // 2, length - size) if length > size else (0, length // 2):
        piece = bytes(data[start : start + 2 * size])
        skip = piece.find(b"\n") + 1 if start else 0
        piece = piece[skip : skip + size]
        if not piece.isascii():
            found += (start + skip, start + skip + len(piece))
            pieces.append(piece)
    return (sum(map(b"\n".join(pieces).translate(_CLASSES).count, _UTF8)), *found)


def character_number(first: int, second: int) -> int:
    """Return the number of a pair of bytes among those that can be a character."""
    return (first - FIRST_LEAD) * (256 - FIRST_TRAIL) + second - FIRST_TRAIL


def begins(members: Buffer, spoken: Buffer, bias: Buffer, nudges: tuple[int, ...]) -> list[int]:
    """Return what each class begins with: its bias and the nudges that fit it."""
    totals = list(memoryview(bias).cast("i"))
    for encodings, spoken_in, step in zip(nudges[::3], nudges[1::3], nudges[2::3], strict=True):
        for number, language in enumerate(bytes(spoken)):
            own = int.from_bytes(members[16 * number : 16 * number + 16], "little")
            if own & encodings and spoken_in >> language & 1:
                totals[number] += step
    return totals


def windows(data: Buffer, stride: int, size: int) -> Iterator[tuple[int, bytes]]:
    """Yield what `score` looks at, each window with its offset."""
    if stride == 0:
        yield 0, bytes(data)
        return
    for start in range(0, len(data), stride):
        piece = bytes(data[start : start + stride])
        match = _BEYOND_ASCII.search(piece)
        if match:
            first = max(0, match.start() - BEFORE_WINDOW)
            yield start + first, piece[first : first + size]
