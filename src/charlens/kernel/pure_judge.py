"""Judge legacy text in plain Python: from the encodings that decode it to the likely texts, in one call.

Besides the byte pairs, the evidence is the language of the ASCII words around, Latin words that begin in the middle of
a two-byte character, and a rule against rare encodings where there is little to read.  With it and the priors, the
linear model scores its classes; classes that read the same text are joined.  The statistics stage has the constants,
with their reasons (`JudgeRules`).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import pairwise, takewhile
from math import exp, log
from operator import itemgetter

from charlens.kernel.facts import MOST_JUDGED, MOST_NUDGES, MOST_ODDS, MOST_STRAYED, MOST_WHOLE, UNDEFINED
from charlens.kernel.odds import class_odds
from charlens.kernel.pure_languages import excerpt, languages, read_model
from charlens.kernel.pure_scores import score, score_all
from charlens.kernel.shapes import Judged, JudgeRules
from charlens.types import Buffer

#: Evidence for all encodings or languages.
ALL_ENCODINGS, ALL_LANGUAGES = (1 << 128) - 1, (1 << 256) - 1

_BLANK_BEYOND_ASCII = bytes(range(0x80)) + b" " * 0x80
# Lead bytes, small letters, capitals, the rest.
_KINDS = bytes(
    ord("+") if byte > 0x80 else ord("a") if 0x61 <= byte <= 0x7A else ord("A") if 0x41 <= byte <= 0x5A else 0
    for byte in range(256)
)


#: The least log-odds of a step of a score, so that no nudge is too large.
_LEAST_FACTOR = 1e-5


def _fit(rules: JudgeRules) -> bool:
    """Whether no constant makes a number too large, or a piece longer than its room."""
    large = 1 << 20
    ranges = {
        "few": (-large, large),
        "few_in_many": (-large, large),
        "sparse": (0, large),
        "enough": (1, large),
        "windows": (1, large),
        "least_window": (1, large),
        "most_window": (rules.least_window, large),
        "most_classes": (1, MOST_JUDGED),
        "reach": (0, 100),
        "doubt": (0, 100),
        "whole": (0, MOST_WHOLE),
        "pieces": (1, 64),
        "piece": (1, 4096),
        "ahead": (0, large),
        "back": (0, large),
        "most_languages": (1, MOST_JUDGED),
        "least_letters": (0, large),
        "language_reach": (0, 100),
        "weight": (0, 1),
        "left": (1e-9, 1),
        "left_beside_english": (1e-9, 1),
    }
    ranges |= dict.fromkeys(("glued", "most_glued", "against_rare"), (-20, 0))
    ranges |= dict.fromkeys(("others", "others_beside_english"), (-20, 20))
    inside = all(least <= getattr(rules, name) <= most for name, (least, most) in ranges.items())
    return inside and rules.pieces * (rules.piece + 1) <= MOST_WHOLE


class JudgeTables:
    """What `judge_legacy` knows, parsed once.

    *model* is seven tables as `score` takes them, *languages* the model that the kernel function `languages` takes.
    *families* has 16 bytes for each class: the encodings that it covers, in the order of preference, and then 255.
    *meanings* has, for each byte value, 128 numbers of 16 bits: the character in each encoding, or `UNDEFINED`;
    *relatives* 128 sets of encodings, 16 bytes each: those that read the same text as a multi-byte encoding, whatever
    the bytes are, with itself, and nothing for the others.  *begins* are three tables with a row for each amount of
    non-ASCII bytes: up to how many it holds, 64 bits; the log-odds of a step of a score, a float; the priors of the
    classes, 32 bits each.  *odds* are four: the prior log-odds of each class of *languages*, the sharpness of each
    script, both floats; for each class the languages of *model* that are the same, and once those that are not written
    in Latin, as sets of 32 bytes.  *sets* are two sets of encodings, 16 bytes each: the rare ones, and those in which a
    letter can be the second byte of a character.
    """

    def __init__(
        self,
        model: tuple[Buffer, Buffer, Buffer, Buffer, Buffer, Buffer, Buffer],
        languages: Buffer,
        families: bytes,
        meanings: Buffer,
        relatives: bytes,
        begins: tuple[Buffer, Buffer, Buffer],
        odds: tuple[Buffer, Buffer, bytes],
        sets: bytes,
        rules: JudgeRules,
    ) -> None:
        classes = len(model[3]) // 16
        tables = (*model, languages, families, meanings, relatives, *begins, *odds, sets)
        if not all(memoryview(table).readonly for table in tables) or any(len(each) % 8 for each in begins[:2]):
            raise ValueError("JudgeTables(): the tables do not fit: they must be read-only, and whole numbers")
        score(b"", model, (0, 0), (bytes(4 * classes), ()), (0, 0), (0, 0, 0))  # raises an error if they do not fit
        self.model, self.languages, self.rules = model, languages, rules
        self.families = [
            tuple(takewhile(lambda each: each < 128, families[at : at + 16])) for at in range(0, len(families), 16)
        ]
        self.meanings = memoryview(meanings).cast("B").cast("H")
        self.relatives = [int.from_bytes(relatives[at : at + 16], "little") for at in range(0, len(relatives), 16)]
        self.amounts = memoryview(begins[0]).cast("B").cast("q").tolist()
        self.factors = memoryview(begins[1]).cast("B").cast("d").tolist()
        self.bias = memoryview(begins[2]).cast("B")
        self.priors = memoryview(odds[0]).cast("B").cast("d").tolist()
        self.sharpness = memoryview(odds[1]).cast("B").cast("d").tolist()
        spoken = [int.from_bytes(odds[2][at : at + 32], "little") for at in range(0, len(odds[2]), 32)]
        self.spoken, self.not_latin = spoken[:-1], spoken[-1] if spoken else 0
        self.rare, self.lettered = (int.from_bytes(sets[at : at + 16], "little") for at in (0, 16))
        rows = len(self.amounts)
        scripts = read_model(bytes(languages))[2]
        if (
            not rows
            or any(each >= after for each, after in pairwise(self.amounts))
            or len(memoryview(model[0]).cast("B")) != 2 * 65536
            or len(model[1]) % classes
            or not 0 < len(model[2]) < 256
            or not all(_LEAST_FACTOR <= each <= 1 / _LEAST_FACTOR for each in self.factors)
            or not all(1e-9 <= each <= 1e9 for each in self.sharpness)
            or not all(-1e6 <= each <= 1e6 for each in self.priors)
            or len(self.sharpness) != len(scripts)
            or any(each.first + each.classes > len(self.priors) for each in scripts)
            or sum(each.classes for each in scripts) > len(self.priors)
            or not _fit(rules)
            or len(self.factors) != rows
            or len(self.bias) != 4 * rows * classes
            or len(families) != 16 * classes
            or not all(self.families)
            or len(self.meanings) != 256 * 128
            or len(relatives) != 16 * 128
            or len(odds[2]) != 32 * (len(self.priors) + 1)
            or len(sets) != 32
        ):
            raise ValueError("JudgeTables(): the tables do not fit one another")


def judge_legacy(
    tables: JudgeTables,
    data: Buffer,
    facts: tuple[int, int, int, int],
    evidence: tuple[float, ...],
    strays: tuple[int, ...],
) -> Judged:
    """Judge *data*, text in a legacy encoding.

    *facts* are the byte values of the whole input, the number of its non-ASCII bytes, the encodings that decode it,
    and those among them that are doubtful (see `score`).  *evidence* from elsewhere is three numbers for each piece: a
    set of encodings, a set of languages, and the log-odds of a class that covers one of each.
    *strays* has three sets for each encoding that decodes all but some bytes: the encoding itself, the values of these
    bytes, and the encodings that lack the same ones.
    """
    seen, beyond_ascii, possible, doubtful = facts
    fit = len(evidence) <= 3 * MOST_NUDGES and not len(evidence) % 3 and len(strays) <= 3 * MOST_STRAYED
    if not fit or beyond_ascii < 0 or not all(-MOST_ODDS <= points <= MOST_ODDS for points in evidence[2::3]):
        raise ValueError("judge_legacy(): there is too much evidence, or a number is out of range")
    rules = tables.rules
    row = min(bisect_left(tables.amounts, beyond_ascii), len(tables.amounts) - 1)
    factor = tables.factors[row]
    piece = data if len(data) <= rules.whole else excerpt(data, rules.pieces, rules.piece, rules.ahead, rules.back)
    sparse = is_sparse(rules, seen, beyond_ascii, len(data))
    glued = count_glued(bytes(piece)) if beyond_ascii <= rules.few_in_many and possible & tables.lettered else 0
    letters: tuple[int, ...] = ()
    if beyond_ascii <= (rules.few_in_many if sparse else rules.few):
        letters = languages(bytes(piece).translate(_BLANK_BEYOND_ASCII), tables.languages, rules.most_languages)
        letters = _near_best(tables, letters)
    evidence += own_evidence(tables, possible, glued, letters, sparse and beyond_ascii <= rules.few_in_many)
    cut = (0, 0) if beyond_ascii <= rules.enough else cut_of(rules, len(data), beyond_ascii)
    limits = (rules.most_classes, int(rules.reach / factor), int(rules.doubt / factor))
    begin = (bias_of(tables, row), as_nudges(evidence, factor))
    pairs, distinct, flat = score_all(data, tables.model, (possible, doubtful), begin, cut, limits)
    shares = shares_of(flat[1::2], factor)
    texts = join_texts(tables, seen, possible, strays, list(zip(flat[::2], shares, strict=True)))
    return Judged(row, pairs, distinct, sparse, glued, letters, cut, flat[::2], shares, texts)


def is_sparse(rules: JudgeRules, seen: int, beyond_ascii: int, length: int) -> bool:
    """Whether there is one non-ASCII byte, one value of such bytes, or few of them in a long text."""
    one_value = beyond_ascii == 1 or (seen >> 0x80).bit_count() == 1
    return one_value or beyond_ascii * rules.sparse <= length


def count_glued(piece: bytes) -> int:
    """Count the Latin words that begin in a two-byte character: one non-ASCII byte, a letter and a small letter."""
    count = piece.translate(_KINDS).count
    # A byte after another non-ASCII byte can be the end of a character; the letter is then one of its own.
    return count(b"+aa") + count(b"+Aa") - count(b"++aa") - count(b"++Aa")


def cut_of(rules: JudgeRules, length: int, beyond_ascii: int) -> tuple[int, int]:
    """Return how far apart the windows of a long text are, and how long."""
    stride = -(-length // rules.windows)
    return stride, max(rules.least_window, min(rules.most_window, rules.enough * stride // max(1, beyond_ascii)))


def _near_best(tables: JudgeTables, letters: tuple[int, ...]) -> tuple[int, ...]:
    """Return *letters*, what `languages` returned, without the languages that are too far behind the best to count."""
    rules = tables.rules
    if len(letters) <= 4 or letters[1] < rules.least_letters:
        return letters
    return letters[: 4 + 2 * len(class_odds(tables.sharpness, tables.priors, letters, rules.language_reach))]


def language_odds(
    rules: JudgeRules, sharpness: Sequence[float], priors: Sequence[float], letters: tuple[int, ...]
) -> tuple[float, list[tuple[float, int]]] | None:
    """Return the log-odds of languages in other scripts, and those of the likely ones, the best first.

    *letters* is what `languages` returned for the words in ASCII; the result is ``None`` if they say too little.
    *sharpness* and *priors* are as `class_odds` takes them.
    """
    if len(letters) <= 4 or letters[1] < rules.least_letters:
        return None
    odds = class_odds(sharpness, priors, letters, rules.language_reach)
    best = odds[0][0]
    shares = [exp(each - best) for each, _ in odds]
    together = 0.0
    for share in shares:  # not `sum`, which rounds otherwise from Python 3.12 on
        together += share
    is_english = odds[0][1] == rules.english
    least = together * (rules.left_beside_english if is_english else rules.left)
    likely = [
        (rules.weight * log(share / least + 1.0), number)
        for share, (_, number) in zip(shares, odds, strict=True)
        if share > least
    ]
    return rules.others_beside_english if is_english else rules.others, likely


def own_evidence(
    tables: JudgeTables, possible: int, glued: int, letters: tuple[int, ...], against_rare: bool
) -> tuple[float, ...]:
    """Return the evidence of the words."""
    rules = tables.rules
    found: tuple[float, ...] = ()
    if glued:
        found += (possible & tables.lettered, ALL_LANGUAGES, max(glued * rules.glued, rules.most_glued))
    odds = language_odds(rules, tables.sharpness, tables.priors, letters)
    if odds is not None:
        found += (ALL_ENCODINGS, tables.not_latin, odds[0])
        for each, number in odds[1]:
            found += (ALL_ENCODINGS, tables.spoken[number], each)
    return (*found, tables.rare, ALL_LANGUAGES, rules.against_rare) if against_rare else found


def as_nudges(evidence: tuple[float, ...], factor: float) -> tuple[int, ...]:
    """Return *evidence* as nudges for `score`, in steps of a score worth *factor* each."""
    return tuple([round(each / factor) if place % 3 == 2 else int(each) for place, each in enumerate(evidence)])


def bias_of(tables: JudgeTables, row: int) -> memoryview:
    """Return the priors of the classes in a *row* of `begins`."""
    size = 4 * len(tables.families)
    return tables.bias[size * row : size * (row + 1)]


def shares_of(totals: tuple[int, ...], factor: float) -> tuple[float, ...]:
    """Return how likely each class is among those with these *totals*, the best first."""
    likely = [exp((total - totals[0]) * factor) for total in totals]
    together = 0.0
    for each in likely:
        together += each
    return tuple([each / together for each in likely])


def same_reading(seen: int, number: int, meanings: Buffer, relatives: Buffer) -> int:
    """Return the encodings that read bytes of the values *seen* as encoding *number* does, with itself, as a set.

    *meanings* and *relatives* are as in `JudgeTables`.
    """
    points, own = memoryview(meanings).cast("B").cast("H"), bytes(relatives)
    if seen < 0 or seen >> 256 or not 0 <= number < 128 or len(points) != 256 * 128 or len(own) != 128 * 16:
        raise ValueError("same_reading(): a number is out of range, or the tables do not fit")
    sets = [int.from_bytes(own[at : at + 16], "little") for at in range(0, len(own), 16)]
    return same_values(seen, number, points, sets)


def same_values(seen: int, number: int, meanings: memoryview, relatives: list[int]) -> int:
    """Do what `same_reading` does, with tables that were parsed."""
    if relatives[number]:
        return relatives[number]
    found = ALL_ENCODINGS
    for value in range(256):
        if seen >> value & 1:
            row = meanings[128 * value : 128 * value + 128]
            point = row[number]
            if point == UNDEFINED:
                return 1 << number
            found &= sum(1 << other for other, each in enumerate(row) if each == point)
    return found


def join_texts(
    tables: JudgeTables, seen: int, possible: int, strays: tuple[int, ...], shares: list[tuple[int, float]]
) -> tuple[tuple[float, int, int], ...]:
    """Join the classes that read the same text: share, encodings, and the best class of each; the likeliest first."""
    lacking = {encoding: (values, alike) for encoding, values, alike in zip(*[iter(strays)] * 3, strict=True)}
    texts: list[tuple[float, int, int]] = []
    joined = 0
    # The classes are sorted, the best first, so the first one of each text is its most likely.
    for number, share in shares:
        family = tables.families[number]
        # If the first of a family cannot decode the bytes, or is not allowed, another member stands for it.
        leader = next((each for each in family if possible >> each & 1), family[0])
        if not joined >> leader & 1:
            values, alike = lacking.get(1 << leader, (0, possible))
            same = same_values(seen & ~values, leader, tables.meanings, tables.relatives) & alike & possible
            texts.append((share, same, number))
            joined |= same
            continue
        for place, (whole, same, best) in enumerate(texts):
            if same >> leader & 1:
                texts[place] = (whole + share, same, best)
                break
    texts.sort(key=itemgetter(0), reverse=True)
    return tuple(texts)
