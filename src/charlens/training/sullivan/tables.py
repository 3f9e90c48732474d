"""Lay the figures out as tables, the published ones next to ours.

A table is Markdown that reads well on a terminal too.  Nothing is measured here.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import fields
from enum import Enum
from typing import NamedTuple

from charlens.training.sullivan.ablation import Outcome
from charlens.training.sullivan.characters import Character, Published
from charlens.training.sullivan.comparison import Duel
from charlens.training.sullivan.experiment import Learned, Score
from charlens.training.sullivan.growth import Grown
from charlens.training.sullivan.kernels import Cell
from charlens.training.sullivan.paper import LABELS, TABLE_4, TABLE_5
from charlens.training.sullivan.settings import Settings
from charlens.training.sullivan.settle import Trial


class Table(NamedTuple):
    """A title, columns, rows of words, and what must be known to read them."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""


def as_markdown(table: Table) -> str:
    """Return *table* as Markdown with its columns in line."""
    lines = [table.columns, *table.rows]
    widths = [max(_width(line[place]) for line in lines) for place in range(len(table.columns))]
    # The first column is words, all others are figures.
    rule = ["-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:])]
    body = [_line(table.columns, widths), _line(rule, widths), *(_line(row, widths) for row in table.rows)]
    parts = [f"### {table.title}", "\n".join(body), table.note]
    return "\n\n".join(part for part in parts if part)


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    first = cells[0] + " " * (widths[0] - _width(cells[0]))
    rest = (" " * (width - _width(cell)) + cell for cell, width in zip(cells[1:], widths[1:], strict=True))
    return "| " + " | ".join([first, *rest]) + " |"


def _width(text: str) -> int:
    """Return the columns that *text* takes on a terminal: two for a wide character."""
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in text)


def _percent(value: float | None, digits: int = 2) -> str:
    return "-" if value is None else f"{value:.{digits}f}"


def published_features(rows: Sequence[Published]) -> Table:
    """Table 2 as published, with the divergence that the same n-gram has here."""
    cells = tuple(
        (
            row.label,
            row.language,
            str(row.value),
            row.value.to_bytes(row.width, "big").hex(" "),
            character or "-",
            language,
            _percent(divergence),
            _percent(present),
            _percent(row.divergence),
        )
        for row, character, language, divergence, present in rows
    )
    columns = (
        "encoding",
        "language, paper",
        "value",
        "bytes",
        "character",
        "language here",
        "KL",
        "KL, readings present",
        "KL, paper",
    )
    note = (
        "The character is what the bytes are in the encoding; a dash: no character of it. Language here: "
        "the language whose pages have the n-gram most. A dash for KL: too few documents of a side have it. "
        "Readings present: Gaussians of the documents that have the n-gram, not of all."
    )
    return Table("Table 2: the published features", columns, cells, note)


def best_features(rows: Sequence[Character]) -> Table:
    """Table 2 of these pages: the characters of the highest divergence of each label."""
    cells = tuple(
        (
            found.label,
            found.language,
            found.character,
            found.gram.hex(" "),
            str(int.from_bytes(found.gram, "big")),
            _percent(found.divergence),
            str(found.place),
        )
        for found in rows
    )
    columns = ("encoding", "language", "character", "bytes", "value", "KL", "place")
    note = "The best of each encoding that are characters; place is that among all its n-grams."
    return Table("Table 2: the best features that are characters", columns, cells, note)


def table_4(runs: Mapping[str, Mapping[str, Score]]) -> Table:
    """Table 4: support vectors, the error of leaving one out and the accuracy of each of *runs*."""
    *_, last = runs.values()
    rows = []
    for label in LABELS:
        score, paper = last[label], TABLE_4[label]
        below = [name for name, run in runs.items() if round(run[label].accuracy, 2) < paper.accuracy]
        sizes = (round(score.training / score.splits), paper.training, score.test, paper.test)
        figures = [cell for run in runs.values() for cell in _figures(run[label])]
        published = (str(paper.support_vectors), _percent(paper.loo_error), _percent(paper.accuracy))
        rows.append((label, *map(str, sizes), *figures, *published, ", ".join(below)))
    columns = ("label", "training", "paper", "test", "paper")
    ours = [f"{name} {figure}" for name in runs for figure in ("SVs", "LOO %", "%")]
    paper_columns = ("paper SVs", "paper LOO %", "paper %", "below the paper")
    return Table("Table 4", (*columns, *ours, *paper_columns), tuple(rows), _NOTE_4)


def _figures(score: Score) -> tuple[str, str, str]:
    return (
        str(round(score.support_vectors / score.splits)),
        _percent(score.loo_error),
        _percent(score.accuracy),
    )


_NOTE_4 = (
    "Training size and support vectors: mean over the splits; test documents and the errors of leaving "
    "one out (LOO): added up over them."
)


def training(labels: Mapping[str, Learned]) -> Table:
    """What training alone tells: sizes, support vectors and the leave-one-out error."""
    rows = tuple(
        (
            label,
            str(learned.training),
            str(len(learned.plane.grams)),
            str(learned.support_vectors),
            str(TABLE_4[label].support_vectors),
            "-" if learned.loo_errors is None else _percent(100 * learned.loo_errors / learned.training),
            _percent(TABLE_4[label].loo_error),
        )
        for label, learned in labels.items()
    )
    columns = ("label", "training", "n-grams", "SVs", "paper", "LOO %", "paper")
    return Table("Training", columns, rows)


def table_5(duels: Mapping[str, Duel]) -> Table:
    """Table 5: our SVM and uchardet next to the published SVM and jcharset."""
    rows = tuple(
        (
            label,
            str(duel.documents),
            str(len(duel.pages)),
            _share(duel.svm, duel),
            f"{TABLE_5[label][0]:.1f}",
            _share(duel.uchardet, duel),
            f"{TABLE_5[label][1]:.1f}",
            _share(duel.highest, duel),
        )
        for label, duel in duels.items()
    )
    columns = (
        "encoding",
        "documents",
        "pages",
        "SVM %",
        "SVM, paper",
        "uchardet %",
        "jcharset, paper",
        "highest of 13 %",
    )
    note = (
        "Documents: over all splits, each time by SVMs that have not seen the page; pages: how many these are. SVM: "
        "that of the encoding says yes. uchardet: its answer gives the same text. Highest of 13: of all "
        "thirteen SVMs that of the encoding gives the highest value, which the paper did not ask."
    )
    return Table("Table 5", columns, rows, note)


def _share(count: int | None, duel: Duel) -> str:
    return "not installed" if count is None else f"{100 * count / duel.documents:.1f}"


def twins(counts: Mapping[tuple[str, str], int], pages: int) -> Table:
    """The pairs of labels in which a page is the same bytes."""
    rows = tuple((f"{one} and {other}", str(count)) for (one, other), count in sorted(counts.items()))
    return Table(f"Pages that are the same bytes in two labels, of {pages:,}", ("labels", "pages"), rows)


def ablation(outcomes: Sequence[Outcome], title: str = "Ablation") -> Table:
    """The accuracy of each variant, label by label."""
    rows = tuple(
        (
            outcome.variant.name,
            _percent(outcome.mean),
            str(sum(outcome.scores[label].accuracy < TABLE_4[label].accuracy for label in LABELS)),
            *(_percent(outcome.scores[label].accuracy, 1) for label in LABELS),
        )
        for outcome in outcomes
    )
    paper = tuple(_percent(TABLE_4[label].accuracy, 1) for label in LABELS)
    mean = sum(row.accuracy for row in TABLE_4.values()) / len(TABLE_4)
    columns = ("variant", "mean", "rows below", *LABELS)
    splits = outcomes[0].scores[LABELS[0]].splits
    note = f"Accuracy in percent, splits: {splits}; rows below: labels below the published accuracy."
    return Table(title, columns, (*rows, ("published", _percent(mean), "", *paper)), note)


def cross_validation(trials: Sequence[Trial]) -> Table:
    """The settings tried, the best first."""
    rows = tuple(
        (
            describe(trial.settings),
            _percent(trial.mean),
            f"{trial.loss:.4f}",
            *(_percent(trial.accuracy[label], 1) for label in LABELS),
        )
        for trial in trials
    )
    note = (
        "Accuracy in percent on pages that every split trains on, a quarter of them left out in turn; loss: how far "
        "documents fall short of a margin of one. The pages for testing take no part."
    )
    return Table(
        "Cross-validation on the pages for settling", ("settings", "mean", "loss", *LABELS), rows, note
    )


def describe(settings: Settings) -> str:
    """Return in a few words what is special about *settings*."""
    words = [f"{settings.features} features"]
    for field in fields(settings)[1:]:
        value = getattr(settings, field.name)
        if value == field.default:
            continue
        name = field.name.replace("_", " ")
        if value is True:
            words.append(name)
        else:
            words.append(f"{name} {value.value if isinstance(value, Enum) else format(value, 'g')}")
    return ", ".join(words)


def kernels(found: Mapping[str, Mapping[tuple[str, str], Cell]]) -> Table:
    """The four kernels of SVM-light, in both units."""
    ways = list(found[LABELS[0]])
    rows = []
    for kernel, unit in ways:
        cells = [found[label][kernel, unit] for label in LABELS]
        shares = [100 * cell.right / cell.test for cell in cells]
        vectors = sum(cell.support_vectors for cell in cells)
        mean = sum(shares) / len(shares)
        rows.append(
            (f"{kernel}, {unit}", _percent(mean), str(vectors), *(_percent(share, 1) for share in shares))
        )
    note = "Accuracy in percent; SVs: support vectors of all labels and splits. Parameters and C are SVM-light's own."
    return Table("The kernels of SVM-light", ("kernel, unit", "mean", "SVs", *LABELS), tuple(rows), note)


def growth(found: Mapping[str, Sequence[Grown]]) -> Table:
    """What becomes of the SVMs as labels grow."""
    rows = tuple(
        (
            f"{method}, {grown.labels} labels",
            _percent(sum(grown.accuracy.values()) / grown.labels),
            _percent(sum(grown.accuracy[label] for label in LABELS) / len(LABELS)),
            _percent(min(grown.accuracy.values())),
            _percent(grown.support, 1),
            _percent(grown.highest),
        )
        for method, sizes in found.items()
        for grown in sizes
    )
    columns = ("method", "mean %", "the paper's 13 %", "lowest %", "SVs %", "highest of all right %")
    note = (
        "Mean, the paper's 13, lowest: accuracy of yes or no, half of the documents of the label. SVs: share of the "
        "training documents that hold a plane. Highest of all: test documents for which the highest of all SVMs is "
        "that of their encoding, or of one with the same bytes."
    )
    return Table("More labels", columns, rows, note)


def windows(found: Mapping[str, Mapping[str, float]]) -> Table:
    """Width first, and n-grams by width."""
    labels = list(next(iter(found.values())))
    rows = tuple(
        (way, _percent(sum(shares.values()) / len(shares)), *(_percent(shares[label], 1) for label in labels))
        for way, shares in found.items()
    )
    note = "Accuracy in percent. UTF-16 is big-endian, utf-16-le little-endian, both without a mark."
    return Table("Width first, then n-grams by width", ("way", "mean", *labels), rows, note)
