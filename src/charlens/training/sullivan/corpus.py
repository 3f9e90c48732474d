"""The documents of an experiment with their frequencies, and the splits drawn from them.

A process reads and counts the pages once and keeps them; tasks for `work` are small, and so are their results.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from charlens.training.sullivan.classifier import Table, tabulate
from charlens.training.sullivan.documents import Document, Page, Role, Twins, read_pages, write_documents
from charlens.training.sullivan.ngrams import IntArray
from charlens.training.sullivan.paper import LABELS, TRAINING_SHARE
from charlens.training.sullivan.sampling import Negatives, Split, draw, split_pages

# The lowest threshold that any setting has; what fewer documents have can never be chosen.
_LEAST = 3


@dataclass(frozen=True, slots=True)
class Plan:
    """What is measured on, and how often."""

    pages: Path
    seed: int = 0
    #: The maximum number of documents per label (training and test together).
    documents: int = 3500
    #: How many times the pages are split again; the figures are pooled.
    splits: int = 20
    #: For training, long pages are cut into parts of at least this many characters; 0: they are not cut.
    #: 8,000: the median page has 7,000.  Cross-validation on whole pages, as in `settle`: 99.58 % without,
    #: 99.70 % with parts of 8,000, 99.33 % with parts of 4,000, which are too unlike a page.
    cut: int = 8000
    twins: Twins = Twins.NARROWEST
    negatives: Negatives = Negatives.ALIKE
    #: The fewest links to other languages that every page gets, as the pages of the paper have them; 0: none.
    links: int = 0
    #: Pages with fewer characters take no part.
    least: int = 0
    #: Whether Chinese is written in the encodings of its own script alone: no traditional page in GB2312, no simplified
    #: one in Big5, where what the encoding lacks is a question mark.
    own_script: bool = False


class Corpus(NamedTuple):
    """Every page in every encoding of its language, and the frequencies of all."""

    documents: Sequence[Document]
    table: Table


class Examples(NamedTuple):
    """Places of documents, and which of them are positive."""

    places: IntArray
    positive: Any


def open_corpus(plan: Plan) -> Corpus:
    """Read and count the pages of *plan*, or return what this process has already counted."""
    source = (plan.pages, plan.cut, plan.links)
    documents = _documents(*source, plan.twins)
    if plan.least or plan.own_script:
        documents = [document._replace(owned=document.owned or _out(document, plan)) for document in documents]
    return Corpus(documents, _table(*source))


#: The encodings that lack most characters of the other script.
_SCRIPTS = {"GB2312": "zh-hans", "Big5": "zh-hant"}


def _out(document: Document, plan: Plan) -> bool:
    """Say whether *document* takes no part by *plan*."""
    language = document.page.language
    foreign = _SCRIPTS.get(document.label, language) != language
    return len(document.page.text) < plan.least or (plan.own_script and foreign)


@lru_cache(maxsize=1)
def _pages(folder: Path, cut: int, links: int) -> list[Page]:
    return read_pages(folder, cut, links)


@lru_cache(maxsize=4)
def _documents(folder: Path, cut: int, links: int, twins: Twins) -> list[Document]:
    return write_documents(_pages(folder, cut, links), twins)


@lru_cache(maxsize=1)
def _table(folder: Path, cut: int, links: int) -> Table:
    # The bytes of the documents are the same however twins are treated.
    return tabulate([document.data for document in _documents(folder, cut, links, Twins.NEVER)], _LEAST)


class Fold(NamedTuple):
    """One split of the pages, by its number, and the documents drawn from its sides."""

    corpus: Corpus
    plan: Plan
    number: int
    split: Split

    def training(self, labels: Sequence[str], rest: Sequence[str] = ()) -> Examples:
        """Draw documents for training: some in *labels*, and as many in *rest* (by default all other labels)."""
        return self._draw(self.split.training, Role.TRAINING, labels, TRAINING_SHARE, rest)

    def test(self, labels: Sequence[str]) -> Examples:
        """Draw documents for the test likewise, from the other pages."""
        return self._draw(self.split.test, Role.TEST, labels, 1 - TRAINING_SHARE)

    def settling(self, role: Role, labels: Sequence[str]) -> Examples:
        """Draw documents from the pages that settings are chosen on, to learn from or to ask about."""
        return self._draw(self.split.settling, role, labels, 1.0)

    def _draw(
        self, pages: frozenset[str], role: Role, labels: Sequence[str], share: float, rest: Sequence[str] = ()
    ) -> Examples:
        rest = rest or [other for other in LABELS if other not in labels]
        most = round(self.plan.documents * share)
        seed = f"{self.plan.seed} {self.number} {role.value} {' '.join(labels)}"
        drawn = draw(self.corpus.documents, pages, role, labels, rest, most, seed, self.plan.negatives)
        places = np.array(drawn.positive + drawn.negative, np.int64)
        return Examples(places, np.arange(len(places)) < len(drawn.positive))


def open_fold(plan: Plan, number: int) -> Fold:
    """Split the pages of *plan* for the time *number*."""
    corpus = open_corpus(plan)
    return Fold(corpus, plan, number, split_pages(corpus.documents, plan.seed, number))
