"""Arrange tables, pictures and misses into the sections of a report.

The order is the same for HTML, Markdown and JSON; `html_report` and `markdown` format the sections.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from charlens.evaluation import languages, plots, tables, troubles
from charlens.evaluation.metrics import tally
from charlens.evaluation.misses import Miss, find_misses
from charlens.evaluation.record import Run
from charlens.evaluation.results import Evaluation
from charlens.evaluation.tables import Table

# Longer lists of problems are folded.
_SHORT = 10


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a report."""

    title: str
    words: str = ""
    #: Tables that are open from the start, and those that are folded.
    tables: tuple[Table, ...] = ()
    folded: tuple[Table, ...] = ()
    #: True against detected, a table for each true encoding.
    histograms: tuple[Table, ...] = ()
    pictures: tuple[plots.Picture, ...] = ()
    misses: tuple[Miss, ...] = ()
    #: How many misses there are, of which `misses` may be the first.
    missed: int = 0

    def all_tables(self) -> tuple[Table, ...]:
        """Return the open and the folded tables, and the histograms."""
        return (*self.tables, *self.folded, *self.histograms)


def arrange(run: Run, *, public: bool, draw: bool = True) -> list[Section]:
    """Return the sections of the report on *run*; a *public* one shows no piece of the data."""
    sections = [_dataset_section(run, evaluation, public, draw) for evaluation in run.evaluations]
    texts = run.evaluations[0] if run.evaluations else None
    if run.binaries is not None and texts is not None:
        found = troubles.problems(run.binaries.problems)
        folded = (found,) if found.rows else ()
        sections.append(Section("Text or binary", "", (tables.text_or_binary(texts, run.binaries),), folded))
    if run.speeds:
        pictures = (plots.speed_against_accuracy(texts.rows, run.speeds),) if draw and texts else ()
        sections.append(Section("Speed", "", (tables.speeds(run.speeds),), pictures=pictures))
    sections.append(Section("Detectors", _missing_words(run), (tables.detectors(run.states),)))
    return sections


def _dataset_section(run: Run, evaluation: Evaluation, public: bool, draw: bool) -> Section:
    dataset = evaluation.dataset
    encodings = {row.sample.true_name for row in evaluation.rows}
    words = (
        f"{len(evaluation.rows):,} samples in {len(encodings)} encodings, data hash {dataset.hash}; "
        f"{len(evaluation.apart)} counted apart, {len(evaluation.problems)} problems."
    )
    if not evaluation.rows or not evaluation.namers:
        return Section(
            dataset.name, words + " Nothing to measure.", (troubles.problems(evaluation.problems),)
        )
    opened = [tables.summary(evaluation, run.seed)]
    if _is_cut(evaluation):
        whole = (each for each in run.evaluations if each.dataset.name == dataset.cut_from)
        opened.append(tables.by_size(evaluation, next(whole, None)))
    opened.append(tables.calibrations(evaluation))
    named = languages.named_languages(evaluation)
    if named is not None:
        opened.append(named)
    troubled = [table for table in _troubles(evaluation) if table.rows]
    opened += [table for table in troubled if len(table.rows) <= _SHORT]
    folded = [table for table in troubled if len(table.rows) > _SHORT] + _folded(evaluation)
    misses, missed = ([], 0) if public else find_misses(evaluation)
    pictures = _pictures(evaluation) if draw else ()
    return Section(
        dataset.name,
        words,
        tuple(opened),
        tuple(folded),
        tuple(tables.histograms(evaluation)),
        pictures,
        tuple(misses),
        missed,
    )


def _is_cut(evaluation: Evaluation) -> bool:
    return any(row.sample.cut for row in evaluation.rows)


def _folded(evaluation: Evaluation) -> list[Table]:
    choices: tuple[Callable[[Evaluation], Table], ...] = (
        tables.by_encoding,
        tables.by_language,
        tables.by_length,
        tables.by_source,
        tables.confusions,
        tables.reliability,
    )
    # If samples were cut, the table by size is open.
    made = [make(evaluation) for make in choices if not (make is tables.by_length and _is_cut(evaluation))]
    named = languages.by_named_language(evaluation)
    return [*made, named] if named is not None else made


def _troubles(evaluation: Evaluation) -> tuple[Table, ...]:
    return (
        troubles.failures(evaluation),
        troubles.apart(evaluation),
        troubles.suspects(evaluation),
        troubles.liars(evaluation),
        troubles.problems(evaluation.problems),
    )


def _pictures(evaluation: Evaluation) -> tuple[plots.Picture, ...]:
    """Draw the pictures; the one by length only if samples were cut."""
    pictures = []
    if _is_cut(evaluation):
        pictures.append(plots.accuracy_by_length(evaluation))
    else:
        pictures += [plots.confusion_matrix(evaluation, peer) for peer in _worth_a_matrix(evaluation)]
    pictures.append(plots.reliability_diagram(evaluation))
    return tuple(pictures)


def _worth_a_matrix(evaluation: Evaluation) -> list[str]:
    """Return charlens and the best of the others, for two matrices."""
    ranked = sorted(evaluation.namers, key=lambda peer: -tally(evaluation.rows, peer).right)
    ours = [peer for peer in ranked if peer.startswith("charlens")][:1]
    others = [peer for peer in ranked if not peer.startswith("charlens")][:1]
    return ours + others


def _missing_words(run: Run) -> str:
    missing = [state.name for state in run.states if state.missing]
    if not missing:
        return "All detectors took part."
    return f"Missing, and in no table: {', '.join(missing)}. The table says why."
