"""Choose among settings by cross-validation, on training pages alone.

The training pages of a split are dealt into four parts, page by page; each part in turn is tested by what
the others teach, features chosen anew each time.  The pages for testing are never looked at.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from charlens.training.sullivan.classifier import decide, fit
from charlens.training.sullivan.corpus import Examples, Fold, Plan, open_fold, spread
from charlens.training.sullivan.paper import LABELS
from charlens.training.sullivan.settings import Readings, Scaling, Settings

_PARTS = 4
# Dealt so many times: by one deal alone, the best settings are within chance of each other.
_DEALS = 3


class Trial(NamedTuple):
    """What one setting got right, label by label, in percent."""

    settings: Settings
    accuracy: dict[str, float]

    @property
    def mean(self) -> float:
        """The mean over the labels."""
        return sum(self.accuracy.values()) / len(self.accuracy)


class _Task(NamedTuple):
    plan: Plan
    number: int
    settings: Settings


def candidates() -> list[Settings]:
    """Return what is chosen among: the paper's method, the same scaled, and with n-grams of one side."""
    plain = [
        Settings(features=features, readings=readings)
        for features in (300, 1000, 3000)
        for readings in Readings
    ]
    scaled = [
        Settings(features=features, scaling=scaling, cost=100.0)
        for features in (1000, 3000, 10_000)
        for scaling in Scaling
    ]
    one_sided = [
        Settings(features=features, scaling=Scaling.UNIT, cost=100.0, one_sided=more)
        for features in (100, 300)
        for more in (3000, 10_000)
    ]
    return [*plain, *scaled, *one_sided]


def cross_validate(plan: Plan, number: int, settings: Sequence[Settings], jobs: int) -> list[Trial]:
    """Try all *settings* on the training pages of one split, the best first."""
    trials = spread(_try, [_Task(plan, number, each) for each in settings], jobs)
    return sorted(trials, key=lambda trial: -trial.mean)


def _try(task: _Task) -> Trial:
    fold = open_fold(task.plan, task.number)
    accuracy = {}
    for label in LABELS:
        rest = [other for other in LABELS if other != label]
        training, validation = fold.training([label], rest), fold.validation([label], rest)
        right = 0
        for deal in range(_DEALS):
            parts = deal_pages(fold, deal)
            right += sum(_right(fold, training, validation, parts, part, task.settings) for part in range(_PARTS))
        accuracy[label] = 100 * right / (_DEALS * len(validation.places))
    return Trial(task.settings, accuracy)


def deal_pages(fold: Fold, deal: int) -> dict[str, int]:
    """Return the part that each page for training falls into, language by language."""
    names = sorted(fold.split.training)
    random.Random(f"deal {fold.plan.seed} {fold.number} {deal}").shuffle(names)
    # By language, so that each part has some of each: the name begins with it.
    names.sort(key=lambda name: name.partition("/")[0])
    return {name: place % _PARTS for place, name in enumerate(names)}


def _right(
    fold: Fold, training: Examples, validation: Examples, parts: dict[str, int], part: int, settings: Settings
) -> int:
    """Train on all parts but *part*, and count what is right in it."""
    documents = fold.corpus.documents
    taught = np.array([parts[documents[place].page.name] != part for place in training.places])
    asked = np.array([parts[documents[place].page.name] == part for place in validation.places])
    if not asked.any() or len(set(training.positive[taught].tolist())) < 2:
        return 0
    plane = fit(fold.corpus.table, training.places[taught], training.positive[taught], settings).plane
    yes = decide(fold.corpus.table, validation.places[asked], plane) > 0
    return int(np.count_nonzero(yes == validation.positive[asked]))
