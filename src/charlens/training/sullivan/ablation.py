"""What each open idea of the paper brings, and what each choice of ours does.

Every variant is measured as Table 4 is, on the same splits.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from charlens.training.sullivan.corpus import Plan, open_fold
from charlens.training.sullivan.documents import Twins
from charlens.training.sullivan.experiment import Score, add_up, run_fold, run_fold_by_width
from charlens.training.sullivan.links import EVERY, FEWEST
from charlens.training.sullivan.paper import LABELS
from charlens.training.sullivan.sampling import Negatives
from charlens.training.sullivan.settings import PLAIN, SCALED, SETTLED, TRAITS, Readings, Settings
from charlens.training.sullivan.work import Crew, spread

#: Fewer than for Table 4: two dozen variants take as long as two dozen tables.
SPLITS = 3
#: Half of a page of the median length, 7,000 characters.
_CUT = 3500
#: A short article of an encyclopedia with its markup; three in four of the pages made of texts have less.
_LONG = 4000


class Variant(NamedTuple):
    """A way to run the experiment, under a name."""

    name: str
    settings: Settings
    #: What is different about the plan, by the names of its fields.
    changes: Mapping[str, Any] = {}


class _Task(NamedTuple):
    plan: Plan
    number: int
    variant: Variant


def variants() -> list[Variant]:
    """Return the three settings of Table 4, each open idea on top of two of them, and our own choices undone."""
    return [
        Variant("plain", PLAIN),
        *_ideas("plain", PLAIN),
        Variant("scaled", SCALED),
        *_ideas("scaled", SCALED),
        Variant("settled", SETTLED),
        Variant("settled, without features of the encoding", replace(SETTLED, traits=0.0)),
        Variant("settled, with n-grams of ASCII alone", replace(SETTLED, beyond_ascii=False)),
        Variant("settled, without n-grams of one side", replace(SETTLED, one_sided=0)),
        Variant("settled + width first", replace(SETTLED, width_first=True)),
        Variant("settled + confidence interval", replace(SETTLED, confident=True)),
        Variant("settled + PCA, 100 components", replace(SETTLED, components=100)),
        Variant("settled, twins as examples of both labels", SETTLED, {"twins": Twins.LANGUAGE}),
        Variant("settled, twins as negatives", SETTLED, {"twins": Twins.NEVER}),
        Variant("settled, twins by bytes alone", SETTLED, {"twins": Twins.BYTES}),
        Variant(f"settled, pages cut at {_CUT:,} characters", SETTLED, {"cut": _CUT}),
    ]


def plain_variants() -> list[Variant]:
    """Return what may explain that the paper's method falls short: documents, draw, reading, features, C, and links.

    Those without links come first: pages with links are others, and reading them takes longest.
    """
    drawn = {"negatives": Negatives.DOCUMENTS}
    links, both, every = {"links": FEWEST}, {"links": FEWEST, **drawn}, {"links": EVERY}
    few, more, most = (replace(PLAIN, features=count) for count in (300, 3000, 10_000))
    best = replace(more, cost=10.0)
    return [
        Variant("350 documents", PLAIN, {"documents": 350}),
        Variant("plain", PLAIN),
        Variant("negatives by documents", PLAIN, drawn),
        Variant("the same, 300 features", few, drawn),
        Variant("the same, 3,000 features", more, drawn),
        Variant("the same, 10,000 features", most, drawn),
        Variant("the same, readings present", replace(PLAIN, readings=Readings.PRESENT), drawn),
        Variant("the same, threshold 10", replace(PLAIN, threshold=10), drawn),
        Variant("the same, C × 10", replace(PLAIN, cost=10.0), drawn),
        Variant("the same, C × 100", replace(PLAIN, cost=100.0), drawn),
        Variant("links", PLAIN, links),
        Variant("links, 300 features", few, links),
        Variant("links, 3,000 features", more, links),
        Variant("links, 10,000 features", most, links),
        Variant("links, 3,000 features, C × 100", replace(more, cost=100.0), links),
        Variant("links, 3,000 features, C × 10", best, links),
        Variant("the same, Chinese in its own script", best, {**links, "own_script": True}),
        Variant(f"the same, pages of {_LONG:,} characters", best, {**links, "least": _LONG}),
        Variant("links, negatives by documents", PLAIN, both),
        Variant("links, negatives by documents, 300 features", few, both),
        Variant("links, negatives by documents, 3,000 features", more, both),
        Variant("all links, 3,000 features, C × 10", best, every),
        Variant("the same, and negatives by documents", best, {**every, **drawn}),
    ]


def _ideas(name: str, base: Settings) -> list[Variant]:
    return [
        Variant(f"{name} + width first", replace(base, width_first=True)),
        Variant(f"{name} + confidence interval", replace(base, confident=True)),
        Variant(f"{name} + n-grams of one side", replace(base, one_sided=base.features)),
        # A tenth: as many as there are pages in the smallest training sets.
        Variant(f"{name} + PCA, 100 components", replace(base, components=100)),
        Variant(f"{name} + features of the encoding", replace(base, traits=TRAITS)),
        Variant(f"{name} + no n-grams of ASCII alone", replace(base, beyond_ascii=True)),
    ]


class Outcome(NamedTuple):
    """A variant with its figures."""

    variant: Variant
    scores: dict[str, Score]

    @property
    def mean(self) -> float:
        """The mean accuracy over the labels, in percent."""
        return sum(score.accuracy for score in self.scores.values()) / len(self.scores)


def run_ablation(plan: Plan, chosen: Sequence[Variant], crew: Crew) -> Iterator[Outcome]:
    """Measure the variants, in their order."""
    numbers = range(min(SPLITS, plan.splits))
    tasks = [_Task(plan, number, variant) for variant in chosen for number in numbers]
    results = spread(_measure, tasks, crew)
    for variant in chosen:
        scores = [next(results) for _ in numbers]
        yield Outcome(variant, {label: add_up([each[label] for each in scores]) for label in LABELS})


def _measure(task: _Task) -> dict[str, Score]:
    variant = task.variant
    fold = open_fold(replace(task.plan, **variant.changes), task.number)
    if variant.settings.width_first:
        return run_fold_by_width(fold, variant.settings)
    return run_fold(fold, variant.settings, leave_out=False)[1]
