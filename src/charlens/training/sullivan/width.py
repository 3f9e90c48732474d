"""A first decision by the width of the encoding: single, double or variable.

The paper's first open idea, "similar to a decision tree": one SVM for each width, the highest answer wins; then
a label competes only with those of its width.  Its Table 1 gives GB2312 two bytes, but a page in it has
markup of one byte, so here it is variable.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from charlens.training.sullivan.classifier import Plane, Table, decide, fit
from charlens.training.sullivan.corpus import Fold
from charlens.training.sullivan.ngrams import IntArray
from charlens.training.sullivan.settings import Settings

WIDTHS = {
    "single": ("US-ASCII", "ISO-8859-1", "ISO-8859-2", "ISO-8859-5", "KOI8-R"),
    "double": ("UTF-16",),
    "variable": ("UTF-8", "GB2312", "GB18030", "Big5", "Shift-JIS", "EUC-JP", "EUC-KR"),
}


class WidthModel(NamedTuple):
    """A plane for each width."""

    planes: dict[str, Plane]

    def widths(self, table: Table, places: IntArray) -> list[str]:
        """Return the width of each document at *places*."""
        answers = np.array([decide(table, places, plane) for plane in self.planes.values()])
        names = list(self.planes)
        return [names[best] for best in answers.argmax(axis=0)]


def width_of(label: str) -> str:
    """Return the width that *label* is of."""
    return next(width for width, labels in WIDTHS.items() if label in labels)


def rivals_of(label: str) -> tuple[str, ...]:
    """Return the other labels of the same width."""
    return tuple(other for other in WIDTHS[width_of(label)] if other != label)


def learn_widths(fold: Fold, settings: Settings) -> WidthModel:
    """Learn to tell each width from the two others."""
    planes = {}
    for width, labels in WIDTHS.items():
        drawn = fold.training(labels)
        planes[width] = fit(fold.corpus.table, drawn.places, drawn.positive, settings).plane
    return WidthModel(planes)
