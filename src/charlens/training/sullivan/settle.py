"""Choose among settings by cross-validation, on pages that every split trains on and none tests on.

They are dealt into four parts, page by page; each part in turn is tested by what the others teach, features
chosen again each time; among settings that are as often right, the one with the smaller loss is better.  The pages
for testing are never looked at.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from charlens.training.sullivan.classifier import decide, fit
from charlens.training.sullivan.corpus import Examples, Fold, Plan, open_fold
from charlens.training.sullivan.documents import Role
from charlens.training.sullivan.ngrams import FloatArray, IntArray
from charlens.training.sullivan.paper import LABELS
from charlens.training.sullivan.settings import SETTLED, TRAITS, Readings, Scaling, Settings
from charlens.training.sullivan.svm import sides_of
from charlens.training.sullivan.work import Crew, spread

_PARTS = 4


class Trial(NamedTuple):
    """What one setting got right, label by label, in percent."""

    settings: Settings
    accuracy: dict[str, float]
    #: How far documents fall short of a margin of one, in the mean over the labels.
    loss: float

    @property
    def mean(self) -> float:
        """The mean over the labels."""
        return sum(self.accuracy.values()) / len(self.accuracy)


class _Task(NamedTuple):
    plan: Plan
    settings: Settings


def candidates() -> list[Settings]:
    """Return what is chosen among: the paper's method, the same scaled, and with open ideas."""
    plain = [
        Settings(features=features, readings=readings)
        for features in (300, 1000, 3000)
        for readings in Readings
    ]
    scaled = [
        Settings(features=features, scaling=scaling, cost=100.0)
        for features in (1000, 3000)
        for scaling in Scaling
    ]
    ideas = [
        replace(SETTLED, one_sided=more, traits=weight, beyond_ascii=beyond)
        for more in (0, SETTLED.one_sided)
        for weight in (0.0, TRAITS / 3, TRAITS, 3 * TRAITS)
        for beyond in (False, True)
    ]
    # Once each: the ideas all switched off are among the scaled.
    return list(dict.fromkeys([*plain, *scaled, *ideas]))


def cross_validate(plan: Plan, settings: Sequence[Settings], crew: Crew) -> list[Trial]:
    """Try all *settings* on the pages for settling, the best first."""
    trials = spread(_try, [_Task(plan, each) for each in settings], crew)
    return sorted(trials, key=lambda trial: (-trial.mean, trial.loss))


def _try(task: _Task) -> Trial:
    fold = open_fold(task.plan, 0)
    parts = deal_pages(fold)
    accuracy, losses = {}, []
    for label in LABELS:
        training = fold.settling(Role.TRAINING, [label])
        validation = fold.settling(Role.TEST, [label])
        margins = np.concatenate(
            [
                _margins(_Part(fold, parts, part), training, validation, task.settings)
                for part in range(_PARTS)
            ]
        )
        accuracy[label] = 100 * float((margins > 0).mean())
        losses.append(float(np.maximum(1 - margins, 0).mean()))
    return Trial(task.settings, accuracy, sum(losses) / len(losses))


def deal_pages(fold: Fold) -> dict[str, int]:
    """Return the part that each page for settling falls into, language by language."""
    names = sorted(fold.split.settling)
    random.Random(f"deal {fold.plan.seed}").shuffle(names)
    # By language, so that each part has some of each: the name begins with it.
    names.sort(key=lambda name: name.partition("/")[0])
    return {name: place % _PARTS for place, name in enumerate(names)}


class _Part(NamedTuple):
    fold: Fold
    parts: dict[str, int]
    number: int

    def has(self, places: IntArray) -> Any:
        """Say of each document at *places* whether its page is in this part."""
        documents = self.fold.corpus.documents
        return np.array([self.parts[documents[place].page.name] == self.number for place in places])


def _margins(part: _Part, training: Examples, validation: Examples, settings: Settings) -> FloatArray:
    """Train on all other parts; return how far each document of this one is on its side, above 0 for right."""
    table = part.fold.corpus.table
    taught, asked = ~part.has(training.places), part.has(validation.places)
    plane = fit(table, training.places[taught], training.positive[taught], settings).plane
    decided: FloatArray = decide(table, validation.places[asked], plane)
    return sides_of(validation.positive[asked]) * decided
