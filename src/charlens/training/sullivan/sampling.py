"""Split the pages, and draw documents: half of one label, half of the rest.

The split is by page, language by language, so that all encodings and all parts of a page are on one
side.  The paper says only that negatives "were drawn from the remaining encodings", which can be read in two ways.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Iterable, Sequence
from enum import Enum
from typing import NamedTuple

from charlens.training.sullivan.documents import Document, Role
from charlens.training.sullivan.paper import TRAINING_SHARE


class Split(NamedTuple):
    """The names of the pages on each side."""

    training: frozenset[str]
    test: frozenset[str]
    #: Those for training that are so in every split: settings are chosen on them, so no split may test on them.
    settling: frozenset[str]


class Negatives(Enum):
    """How documents of the remaining encodings are drawn."""

    #: The same number from each encoding, and within it from each language.
    ALIKE = "alike"
    #: From all documents in them at random: two in three are in UTF-8 or UTF-16, which have every page.
    DOCUMENTS = "documents"


class Draw(NamedTuple):
    """Places of documents in the list of all: those of the label, and those that are not."""

    positive: tuple[int, ...]
    negative: tuple[int, ...]


#: The share of the pages that settings are chosen on.  The rest for testing, 60 %, is twice what a split tests.
SETTLING_SHARE = 0.4


def split_pages(documents: Iterable[Document], seed: int, number: int) -> Split:
    """Divide the pages of each language at random for the time *number*, at least one on each side."""
    names: dict[str, dict[str, None]] = {}
    for document in documents:
        names.setdefault(document.page.language, {})[document.page.name] = None
    training: set[str] = set()
    test: set[str] = set()
    settling: set[str] = set()
    for language, pages in names.items():
        order = sorted(pages)
        random.Random(f"settling {seed} {language}").shuffle(order)
        count = min(max(round(TRAINING_SHARE * len(order)), 1), len(order) - 1)
        always = min(round(SETTLING_SHARE * len(order)), count)
        rest = order[always:]
        random.Random(f"split {seed} {number} {language}").shuffle(rest)
        settling.update(order[:always])
        training.update(order[:always], rest[: count - always])
        test.update(rest[count - always :])
    return Split(frozenset(training), frozenset(test), frozenset(settling))


def draw(
    documents: Sequence[Document],
    pages: frozenset[str],
    role: Role,
    labels: Collection[str],
    rest: Collection[str],
    most: int,
    seed: str,
    negatives: Negatives = Negatives.ALIKE,
) -> Draw:
    """Draw at most *most* documents of *pages*, half written in *labels*, half in *rest*."""
    chance = random.Random(f"draw {seed}")
    positive: dict[str, dict[str, list[int]]] = {}
    negative: dict[str, dict[str, list[int]]] = {}
    for place, document in enumerate(documents):
        if document.owned or document.page.name not in pages or document.page.role not in (role, Role.BOTH):
            continue
        if document.label in labels:
            side = positive
        elif document.label in rest and not document.twins.intersection(labels):
            side = negative
        else:
            continue
        side.setdefault(document.label, {}).setdefault(document.page.language, []).append(place)
    chosen = _level(positive, most // 2, chance)
    if negatives is Negatives.ALIKE:
        others = _level(negative, len(chosen), chance)
    else:
        everything = [
            place for languages in negative.values() for places in languages.values() for place in places
        ]
        others = chance.sample(everything, min(len(chosen), len(everything)))
    # If the rest is smaller than the label (two labels of one width), the halves stay equal.
    return Draw(tuple(chosen[: len(others)]), tuple(others))


def _level(groups: dict[str, dict[str, list[int]]], most: int, chance: random.Random) -> list[int]:
    """Take in turn from each label, and within it in turn from each language."""
    queues = []
    for languages in groups.values():
        shuffled = [chance.sample(places, len(places)) for places in languages.values()]
        queues.append(_in_turn(shuffled))
    return _in_turn(queues)[:most]


def _in_turn(queues: Sequence[Sequence[int]]) -> list[int]:
    longest = max(map(len, queues), default=0)
    return [queue[turn] for turn in range(longest) for queue in queues if turn < len(queue)]
