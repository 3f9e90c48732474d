"""Table 5: the SVM and Mozilla's detector on the same documents.

The paper asked jcharset, the Java port of Mozilla's detector; here it is uchardet, the C++ one, through
`cchardet` (faust-cchardet).  Its answer is right when it gives the document's text, whatever its name:
windows-1252 for ISO-8859-1 is not a mistake.
"""

from __future__ import annotations

import random
from importlib.util import find_spec
from typing import NamedTuple

import numpy as np

from charlens.training.sullivan.classifier import decide
from charlens.training.sullivan.corpus import Fold
from charlens.training.sullivan.documents import Document, Role, decode
from charlens.training.sullivan.experiment import Learned
from charlens.training.sullivan.ngrams import IntArray
from charlens.training.sullivan.paper import TABLE_5


class Duel(NamedTuple):
    """Documents of a label, and how many each named rightly."""

    documents: int
    #: The names of the pages that they are, which may be fewer: splits draw again.
    pages: frozenset[str]
    #: The SVM of the label says yes: the paper's question.
    svm: int
    #: Of the thirteen SVMs that of the label says yes most: a harder question.
    highest: int
    #: ``None`` if it is not installed.
    uchardet: int | None


def compare(fold: Fold, learned: dict[str, Learned], count: int) -> dict[str, Duel]:
    """Draw up to *count* test documents of each label of Table 5, and ask."""
    duels = {}
    for label in TABLE_5:
        places = _drawn(fold, label, count)
        answers = {other: decide(fold.corpus.table, places, found.plane) for other, found in learned.items()}
        best = np.array(list(answers.values())).argmax(axis=0)
        duels[label] = Duel(
            len(places),
            frozenset(fold.corpus.documents[place].page.name for place in places),
            int(np.count_nonzero(answers[label] > 0)),
            int(np.count_nonzero(best == list(answers).index(label))),
            _ask_uchardet([fold.corpus.documents[place] for place in places]),
        )
    return duels


def _drawn(fold: Fold, label: str, count: int) -> IntArray:
    chance = random.Random(f"compare {fold.plan.seed} {fold.number} {label}")
    places = [
        place
        for place, document in enumerate(fold.corpus.documents)
        if document.label == label
        and not document.owned
        and document.page.name in fold.split.test
        and document.page.role is not Role.TRAINING
    ]
    return np.array(chance.sample(places, min(count, len(places))), np.int64)


def _ask_uchardet(documents: list[Document]) -> int | None:
    if find_spec("cchardet") is None:
        return None
    import cchardet

    return sum(gives_text(cchardet.detect(document.data)["encoding"], document) for document in documents)


def gives_text(answer: str | None, document: Document) -> bool:
    """Say whether *answer* decodes the document to the text that its label does."""
    if answer is None:
        return False
    try:
        return document.data.decode(answer) == decode(document.data, document.label)
    except (LookupError, UnicodeDecodeError):
        return False


def add_up(duels: list[Duel]) -> Duel:
    """Add the figures of several splits up."""
    asked = [duel.uchardet for duel in duels]
    return Duel(
        sum(duel.documents for duel in duels),
        frozenset[str]().union(*(duel.pages for duel in duels)),
        sum(duel.svm for duel in duels),
        sum(duel.highest for duel in duels),
        None if None in asked else sum(count for count in asked if count is not None),
    )
