"""Run the whole experiment, and hold its figures as one value that becomes tables or JSON."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

from charlens.plural import count
from charlens.training.sullivan import comparison, tables
from charlens.training.sullivan.ablation import Outcome, plain_variants, run_ablation, variants
from charlens.training.sullivan.characters import Character, Published, best_characters, published
from charlens.training.sullivan.comparison import Duel, compare
from charlens.training.sullivan.corpus import Fold, Plan, open_corpus, open_fold
from charlens.training.sullivan.documents import count_twins
from charlens.training.sullivan.experiment import Learned, Score, add_up, examine, learn, run_fold
from charlens.training.sullivan.growth import SIZES, compare_windows, grow
from charlens.training.sullivan.kernels import compare_kernels
from charlens.training.sullivan.paper import LABELS, TABLE_4, TABLE_5, TABLE_5_DOCUMENTS
from charlens.training.sullivan.settings import METHODS, PLAIN, Settings
from charlens.training.sullivan.settle import Trial, candidates, cross_validate
from charlens.training.sullivan.work import Crew, spread

# Two of each encoding show what is chosen; more would be a list.
_CHARACTERS = 2

Announce = Callable[[str], None]


@dataclass
class Report:
    """All figures of an experiment."""

    plan: Plan
    pages: int
    twins: dict[tuple[str, str], int]
    runs: dict[str, dict[str, Score]]
    duels: dict[str, Duel]
    characters: list[Character] = field(default_factory=list)
    published: list[Published] = field(default_factory=list)
    outcomes: list[Outcome] = field(default_factory=list)
    reasons: list[Outcome] = field(default_factory=list)
    #: Kernels, labels, widths: as tables at once.
    more: list[tables.Table] = field(default_factory=list)
    trials: list[Trial] = field(default_factory=list)

    def tables(self) -> list[tables.Table]:
        """Return the figures as tables, those that there are."""
        found = [tables.twins(self.twins, self.pages)] if self.twins else []
        if self.published:
            found += [tables.published_features(self.published), tables.best_features(self.characters)]
        found += [tables.table_4(self.runs), tables.table_5(self.duels)]
        if self.outcomes:
            found.append(tables.ablation(self.outcomes))
        if self.reasons:
            found.append(tables.ablation(self.reasons, "Why plain falls short"))
        found += self.more
        if self.trials:
            found.append(tables.cross_validation(self.trials))
        return found

    def as_json(self) -> dict[str, Any]:
        """Return the figures as what JSON can hold."""
        return {
            "seed": self.plan.seed,
            "splits": self.plan.splits,
            "documents": self.plan.documents,
            "cut": self.plan.cut,
            "pages": self.pages,
            "twins": {f"{one} {other}": count for (one, other), count in self.twins.items()},
            "table_2": {
                "published": [_published(row) for row in self.published],
                "best": [found._asdict() | {"gram": found.gram.hex()} for found in self.characters],
            },
            "table_4": {name: _scores(scores) for name, scores in self.runs.items()},
            "table_5": {
                label: duel._asdict() | {"pages": len(duel.pages)} for label, duel in self.duels.items()
            },
            "ablation": _outcomes(self.outcomes),
            "reasons": _outcomes(self.reasons),
            "more": [table._asdict() for table in self.more],
            "cross_validation": [
                {"settings": tables.describe(each.settings), "mean": each.mean, "labels": each.accuracy}
                | {"loss": each.loss}
                for each in self.trials
            ],
        }


def _outcomes(outcomes: list[Outcome]) -> list[dict[str, Any]]:
    return [
        {"variant": each.variant.name, "mean": each.mean, "labels": _scores(each.scores)} for each in outcomes
    ]


def _published(row: Published) -> dict[str, Any]:
    return {**row.row._asdict(), "character": row.character, "divergence_here": row.divergence} | {
        "divergence_present": row.divergence_present
    }


def _scores(scores: dict[str, Score]) -> dict[str, Any]:
    return {
        label: {
            **score._asdict(),
            "accuracy": score.accuracy,
            "loo_error": score.loo_error,
            "published": TABLE_4[label].accuracy,
        }
        for label, score in scores.items()
    }


class _Task(NamedTuple):
    plan: Plan
    number: int


class _LabelTask(NamedTuple):
    plan: Plan
    label: str
    settings: Settings


class _Split(NamedTuple):
    runs: dict[str, dict[str, Score]]
    duels: dict[str, Duel]


def run_experiment(plan: Plan, crew: Crew, announce: Announce) -> Report:
    """Train and test on every split of *plan*, and compare."""
    announce(f"reading and counting the pages; {count(plan.splits, 'split')}, {len(METHODS)} settings, 13 labels each")
    splits = []
    for split in spread(_run, [_Task(plan, number) for number in range(plan.splits)], crew):
        splits.append(split)
        announce(f"split {len(splits)} of {plan.splits} is done")
    runs = {
        name: {label: add_up(each.runs[name][label] for each in splits) for label in LABELS}
        for name in METHODS
    }
    duels = {label: comparison.add_up([each.duels[label] for each in splits]) for label in TABLE_5}
    report = _report(plan, runs, duels)
    fold = open_fold(plan, 0)
    report.characters = best_characters(fold, PLAIN, _CHARACTERS)
    report.published = published(fold, PLAIN)
    return report


def _run(task: _Task) -> _Split:
    fold = open_fold(task.plan, task.number)
    runs: dict[str, dict[str, Score]] = {}
    learned: dict[str, Learned] = {}
    for name, settings in METHODS.items():
        learned, runs[name] = run_fold(fold, settings, leave_out=True)
    return _Split(runs, compare(fold, learned, documents_a_split(task.plan)))


def documents_a_split(plan: Plan) -> int:
    """Return how many documents of each label a split gives to Table 5."""
    return -(-TABLE_5_DOCUMENTS // plan.splits)


def learn_labels(plan: Plan, settings: Settings, crew: Crew, announce: Announce) -> dict[str, Learned]:
    """Train all labels on the first split of *plan*."""
    learned: dict[str, Learned] = {}
    tasks = [_LabelTask(plan, label, settings) for label in LABELS]
    for label, found in zip(LABELS, spread(_learn, tasks, crew), strict=True):
        announce(f"{label}: {found.training} documents, {found.support_vectors} support vectors")
        learned[label] = found
    return learned


def _learn(task: _LabelTask) -> Learned:
    return learn(open_fold(task.plan, 0), task.label, task.settings, leave_out=True)


def examine_model(fold: Fold, learned: dict[str, Learned]) -> Report:
    """Test planes that were trained before, on the split that they were trained on."""
    scores = {label: examine(fold, label, learned[label]) for label in LABELS}
    return _report(fold.plan, {"model": scores}, compare(fold, learned, TABLE_5_DOCUMENTS))


def _report(plan: Plan, runs: dict[str, dict[str, Score]], duels: dict[str, Duel]) -> Report:
    documents = open_corpus(plan).documents
    pages = len({document.page.name for document in documents})
    return Report(plan, pages, count_twins(documents), runs, duels)


def add_ablation(report: Report, crew: Crew, announce: Announce) -> None:
    """Measure the variants, and add them to *report*."""
    for outcome in run_ablation(report.plan, variants(), crew):
        announce(f"{outcome.variant.name}: {outcome.mean:.2f} %")
        report.outcomes.append(outcome)


def add_reasons(report: Report, crew: Crew, announce: Announce) -> None:
    """Measure what may explain that the paper's method falls short, and add it to *report*."""
    for outcome in run_ablation(report.plan, plain_variants(), crew):
        announce(f"{outcome.variant.name}: {outcome.mean:.2f} %")
        report.reasons.append(outcome)


def add_kernels(report: Report, crew: Crew, announce: Announce) -> None:
    """Compare the kernels of SVM-light, and add the table to *report*."""
    announce("four kernels, two units, 13 labels")
    report.more.append(tables.kernels(dict(zip(LABELS, compare_kernels(report.plan, crew), strict=True))))


def add_growth(report: Report, texts: Path, announce: Announce) -> None:
    """Measure more labels, and n-grams by width, on pages made of *texts*."""
    announce(f"{' and '.join(map(str, SIZES))} labels; n-grams by width")
    seed = report.plan.seed
    report.more.append(tables.growth({name: list(grow(texts, METHODS[name], seed)) for name in METHODS}))
    ways = {"plain": PLAIN, "plain with n-grams of one side": replace(PLAIN, one_sided=PLAIN.features)}
    found = {name: compare_windows(texts, settings, seed) for name, settings in ways.items()}
    rows = {f"{name}, {way}": shares for name, each in found.items() for way, shares in each.items()}
    report.more.append(tables.windows(rows))


def add_cross_validation(report: Report, crew: Crew, announce: Announce) -> None:
    """Try the candidates on the pages for settling, and add them to *report*."""
    announce(f"cross-validation of {len(candidates())} settings")
    report.trials = cross_validate(report.plan, candidates(), crew)
