"""Table 4: for each label an SVM against the rest, trained on some pages and tested on others.

One call does one split of the pages; figures of several splits are added up.  Printing is for `tables`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from charlens.training.sullivan.classifier import Fit, Plane, decide, fit
from charlens.training.sullivan.corpus import Fold
from charlens.training.sullivan.paper import LABELS
from charlens.training.sullivan.settings import Settings
from charlens.training.sullivan.svm import leave_one_out
from charlens.training.sullivan.width import learn_widths, rivals_of, width_of


class Learned(NamedTuple):
    """The plane of a label, and how its training went."""

    plane: Plane
    training: int
    support_vectors: int
    #: Examples of the training set that a plane found without them gets wrong; ``None``: not computed.
    loo_errors: int | None


class Score(NamedTuple):
    """The figures of a label in one split, or added up over several."""

    training: int
    support_vectors: int
    loo_errors: int
    #: The size of the training sets that `loo_errors` was computed for.
    loo_of: int
    test: int
    right: int
    splits: int = 1

    @property
    def accuracy(self) -> float:
        """The share of test documents that are on their side, in percent."""
        return 100 * self.right / self.test

    @property
    def loo_error(self) -> float | None:
        """The leave-one-out error in percent, if it was computed."""
        return 100 * self.loo_errors / self.loo_of if self.loo_of else None


def learn(fold: Fold, label: str, settings: Settings, *, leave_out: bool) -> Learned:
    """Learn to tell *label* from the rest, on the training pages of *fold*."""
    drawn = fold.training([label])
    return _learned(fit(fold.corpus.table, drawn.places, drawn.positive, settings), leave_out)


def _learned(found: Fit, leave_out: bool) -> Learned:
    errors = leave_one_out(found.gram, found.sides, found.cost, found.solution) if leave_out else None
    return Learned(found.plane, len(found.sides), found.solution.support_vectors, errors)


def examine(fold: Fold, label: str, learned: Learned) -> Score:
    """Ask the plane of *label* about test documents, half of them of that label."""
    drawn = fold.test([label])
    yes = decide(fold.corpus.table, drawn.places, learned.plane) > 0
    return _score(learned, int(np.count_nonzero(yes == drawn.positive)), len(yes))


def _score(learned: Learned, right: int, test: int) -> Score:
    errors = learned.loo_errors
    worked_out = 0 if errors is None else learned.training
    return Score(learned.training, learned.support_vectors, errors or 0, worked_out, test, right)


def run_fold(
    fold: Fold, settings: Settings, *, leave_out: bool
) -> tuple[dict[str, Learned], dict[str, Score]]:
    """Learn and test all labels on one split."""
    learned = {label: learn(fold, label, settings, leave_out=leave_out) for label in LABELS}
    return learned, {label: examine(fold, label, learned[label]) for label in LABELS}


def run_fold_by_width(fold: Fold, settings: Settings) -> dict[str, Score]:
    """The same with a first decision by width: yes is the right width, and yes among its labels."""
    table = fold.corpus.table
    model = learn_widths(fold, settings)
    scores = {}
    for label in LABELS:
        drawn = fold.test([label])
        yes = np.array([width == width_of(label) for width in model.widths(table, drawn.places)])
        learned = _among_rivals(fold, label, settings)
        if learned is not None:
            yes &= decide(table, drawn.places, learned.plane) > 0
        found = learned or Learned(model.planes[width_of(label)], 0, 0, None)
        scores[label] = _score(found, int(np.count_nonzero(yes == drawn.positive)), len(yes))
    return scores


def _among_rivals(fold: Fold, label: str, settings: Settings) -> Learned | None:
    """Learn to tell *label* from others of its width; ``None`` if it is alone."""
    if not rivals_of(label):
        return None
    drawn = fold.training([label], rivals_of(label))
    return _learned(fit(fold.corpus.table, drawn.places, drawn.positive, settings), False)


def add_up(scores: Iterable[Score]) -> Score:
    """Add the figures of several splits up."""
    columns: Any = zip(*scores, strict=True)
    return Score(*map(sum, columns))
