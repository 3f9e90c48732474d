"""Choose among settings by cross-validation, on pages that every split trains on and none tests on.

They are dealt into four parts, page by page; each part in turn is tested by what the others teach, features
chosen anew each time; where that is right everywhere, the error of leaving one out decides.  The pages for
testing are never looked at.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from charlens.training.sullivan.classifier import decide, fit
from charlens.training.sullivan.corpus import Examples, Fold, Plan, open_fold
from charlens.training.sullivan.documents import Role
from charlens.training.sullivan.paper import LABELS
from charlens.training.sullivan.settings import TRAITS, Readings, Scaling, Settings
from charlens.training.sullivan.svm import leave_one_out
from charlens.training.sullivan.work import Crew, spread

_PARTS = 4
# Dealt so many times.  Among the best settings it cannot choose, all being right everywhere; leaving one out can.
_DEALS = 1


class Trial(NamedTuple):
    """What one setting got right, label by label, in percent."""

    settings: Settings
    accuracy: dict[str, float]
    #: Errors of leaving one out of the examples that all these pages give; ``None``: not worked out.
    loo_errors: int | None
    examples: int

    @property
    def mean(self) -> float:
        """The mean over the labels."""
        return sum(self.accuracy.values()) / len(self.accuracy)


class _Task(NamedTuple):
    plan: Plan
    settings: Settings


def candidates() -> list[Settings]:
    """Return what is chosen among: the paper's method, the same scaled, and with two open ideas."""
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
    ideas = [
        Settings(features=3000, scaling=Scaling.UNIT, cost=100.0, one_sided=more, traits=weight)
        for more in (0, 3000, 10_000)
        for weight in (0.0, 0.01, TRAITS, 0.1)
    ]
    return [*plain, *scaled, *ideas[1:]]


def cross_validate(plan: Plan, settings: Sequence[Settings], crew: Crew) -> list[Trial]:
    """Try all *settings* on the pages for settling, the best first."""
    trials = spread(_try, [_Task(plan, each) for each in settings], crew)
    return sorted(trials, key=lambda trial: (-trial.mean, trial.loo_errors or 0))


def _try(task: _Task) -> Trial:
    fold = open_fold(task.plan, 0)
    accuracy = {}
    errors, examples = 0, 0
    for label in LABELS:
        rest = [other for other in LABELS if other != label]
        training = fold.settling(Role.TRAINING, [label], rest)
        validation = fold.settling(Role.TEST, [label], rest)
        right = 0
        for deal in range(_DEALS):
            parts = deal_pages(fold, deal)
            right += sum(
                _right(fold, training, validation, parts, part, task.settings) for part in range(_PARTS)
            )
        accuracy[label] = 100 * right / (_DEALS * len(validation.places))
        errors += _left_out(fold, training, task.settings)
        examples += len(training.places)
    return Trial(task.settings, accuracy, errors if _is_worth_leaving_out(task.settings) else None, examples)


def _is_worth_leaving_out(settings: Settings) -> bool:
    # The others are told apart by the parts alone, and have so many support vectors that it would take minutes.
    return settings.traits > 0


def _left_out(fold: Fold, training: Examples, settings: Settings) -> int:
    if not _is_worth_leaving_out(settings):
        return 0
    found = fit(fold.corpus.table, training.places, training.positive, settings)
    return leave_one_out(found.gram, found.sides, found.cost, found.solution)


def deal_pages(fold: Fold, deal: int) -> dict[str, int]:
    """Return the part that each page for settling falls into, language by language."""
    names = sorted(fold.split.settling)
    random.Random(f"deal {fold.plan.seed} {deal}").shuffle(names)
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
