"""Draw the figures of an evaluation: confusions, accuracy by length, reliability, speed.

Each picture is drawn once and saved as SVG and PNG.  matplotlib is imported here and nowhere else,
and only when a picture is requested.  In the SVG, ink and grid take the colours of the page around
it, so it is readable on light and dark backgrounds.
"""

from __future__ import annotations

import io
import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from charlens.evaluation.metrics import calibration, group, micro, tally
from charlens.evaluation.results import Evaluation, Row
from charlens.evaluation.speed import Speed
from charlens.evaluation.tables import said

# The colours of Okabe and Ito, for the colour-blind; the first one is for charlens.
_COLOURS = ("#d55e00", "#0072b2", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7f7f7f", "#8c6d31")
_MARKERS = "osD^vPX*"
# Placeholders; in the SVG they become the colours of the page.
_INK, _GRID = "#010203", "#c8c9ca"

# More true encodings than this make labels too small to read; those with most misses are shown.
_MOST_ENCODINGS = 32


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture in both forms."""

    name: str
    title: str
    svg: str
    png: bytes


def confusion_matrix(evaluation: Evaluation, peer: str) -> Picture:
    """Draw true against detected for one detector; right answers count as the true encoding."""
    counts = {
        truth: Counter(truth if row.right(peer) else said(row, peer) for row in rows)
        for truth, rows in group(evaluation.rows, lambda row: row.sample.true_name).items()
    }
    missed = {truth: count.total() - count[truth] for truth, count in counts.items()}
    worst = Counter(missed).most_common(_MOST_ENCODINGS)
    truths = [truth for truth, misses in worst if misses] or [truth for truth, _ in worst[:1]]
    named = sorted({name for truth in truths for name in counts[truth] if name not in truths})
    columns = truths + named
    shares = [[counts[truth][name] / counts[truth].total() for name in columns] for truth in truths]
    size = (2.5 + 0.22 * len(columns), 2.2 + 0.22 * len(truths))
    with _drawing(
        f"confusion-{peer}", f"What {peer} takes for what (right answers lie on the diagonal)", size
    ) as (axes, pictures):
        # Zero cells are blank.
        cells = [[value or math.nan for value in line] for line in shares]
        axes.imshow(cells, cmap="YlOrRd", vmin=0, vmax=1, zorder=2)
        axes.set_xticks(range(len(columns)), columns, rotation=90, fontsize=7)
        labels = [f"{truth} ({counts[truth].total()})" for truth in truths]
        axes.set_yticks(range(len(truths)), labels, fontsize=7)
        axes.set_xlabel("detected")
        axes.set_ylabel("true encoding (samples)")
        for y, truth in enumerate(truths):
            for x, name in enumerate(columns):
                if counts[truth][name]:
                    colour = "white" if shares[y][x] > 0.6 else "black"
                    axes.text(
                        x, y, str(counts[truth][name]), ha="center", va="center", fontsize=5, color=colour
                    )
    return pictures[0]


def accuracy_by_length(evaluation: Evaluation) -> Picture:
    """Draw the share of right answers over the length that samples were cut to."""
    by_size = sorted(group(evaluation.rows, lambda row: row.sample.cut).items())
    sizes = [size for size, _ in by_size]
    title = f"Accuracy by length ({evaluation.dataset.name})"
    with _drawing(f"length-{_slug(evaluation.dataset.name)}", title, (7, 4.2)) as (axes, pictures):
        for index, peer in enumerate(evaluation.namers):
            found = [micro(rows, peer) for _, rows in by_size]
            values = [100 * each.value for each in found]
            axes.plot(sizes, values, label=peer, **_style(index), linewidth=1.6)
            low, high = [100 * each.low for each in found], [100 * each.high for each in found]
            axes.fill_between(sizes, low, high, color=_colour(index), alpha=0.12, linewidth=0)
        axes.set_xscale("log")
        axes.set_xticks(sizes, [f"{size:,}" for size in sizes])
        axes.minorticks_off()
        axes.set_xlabel("bytes")
        axes.set_ylabel("right text, %")
        axes.set_ylim(0, 101)
        _legend(axes)
    return pictures[0]


def reliability_diagram(evaluation: Evaluation) -> Picture:
    """Draw the share of right answers over confidence: a probability lies on the diagonal."""
    title = f"Reliability ({evaluation.dataset.name})"
    with _drawing(f"reliability-{_slug(evaluation.dataset.name)}", title, (7, 4.2)) as (axes, pictures):
        axes.plot([0, 1], [0, 1], color=_GRID, linewidth=1, linestyle="--")
        for index, peer in enumerate(evaluation.namers):
            found = calibration(evaluation.rows, peer)
            if found is None:
                continue
            # The size of a point is the share of all answers that lie in its bin.
            areas = [15 + 250 * part.count / found.count for part in found.bins]
            x, y = [part.confidence for part in found.bins], [part.share for part in found.bins]
            axes.plot(x, y, **_style(index), linewidth=1, label=f"{peer} (ECE {found.error:.2f})")
            axes.scatter(x, y, s=areas, color=_colour(index), alpha=0.6)
        axes.set_xlabel("confidence that was given")
        axes.set_ylabel("share of right answers")
        axes.set_xlim(-0.03, 1.03)
        axes.set_ylim(-0.03, 1.03)
        _legend(axes)
    return pictures[0]


#: For distances in the picture, a factor of ten in speed counts as much as this many percent of accuracy.
_DECADE = 9.0


def _has_neighbour_to_the_right(point: tuple[float, float], points: Sequence[tuple[float, float]]) -> bool:
    """Whether the nearest point is a faster one; the label is then placed on the left."""

    def distance(other: tuple[float, float]) -> float:
        return math.hypot(other[0] - point[0], _DECADE * math.log10(other[1] / point[1]))

    others = [other for other in points if other != point]
    return bool(others) and min(others, key=distance)[1] > point[1]


def speed_against_accuracy(rows: Sequence[Row], speeds: Sequence[Speed]) -> Picture:
    """Draw the share of right answers over speed: the best are at the upper right."""
    points = [
        (100 * tally(rows, speed.peer).share, speed.files_per_second, index, speed.peer)
        for index, speed in enumerate(speeds)
        if speed.files_per_second and rows and speed.peer in rows[0].judgements
    ]
    with _drawing("speed", "Speed against accuracy", (6.4, 4.2)) as (axes, pictures):
        for share, speed, index, peer in points:
            axes.plot([speed], [share], **{**_style(index), "markersize": 9}, linestyle="")
            left = _has_neighbour_to_the_right((share, speed), [point[:2] for point in points])
            axes.annotate(
                peer,
                (speed, share),
                xytext=(-9, -3) if left else (9, -3),
                ha="right" if left else "left",
                textcoords="offset points",
                fontsize=8,
            )
        axes.set_xscale("log")
        axes.margins(x=0.25, y=0.15)
        axes.set_xlabel("files per second (one process)")
        axes.set_ylabel("right text, % of files")
    return pictures[0]


def _colour(index: int) -> str:
    return _COLOURS[index % len(_COLOURS)]


def _style(index: int) -> dict[str, Any]:
    return {
        "color": _colour(index),
        "marker": _MARKERS[index % len(_MARKERS)],
        "markersize": 4.5,
        # charlens is first and on top; its two kernels overlap.
        "zorder": 20 - index,
    }


def _legend(axes: Any) -> None:
    # Next to the drawing: inside it, a legend of eight entries would cover the lines.
    axes.legend(fontsize=8, frameon=False, loc="center left", bbox_to_anchor=(1, 0.5), labelcolor=_INK)


@contextmanager
def _drawing(name: str, title: str, size: tuple[float, float]) -> Iterator[tuple[Any, list[Picture]]]:
    """Provide axes to draw on; after the block, the picture is in the list."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    ink = dict.fromkeys(
        ("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color"), _INK
    )
    settings: Any = {
        **ink,
        "grid.color": _GRID,
        "axes.facecolor": "none",
        "axes.spines.top": False,
        "axes.spines.right": False,
        # Text stays text: the SVG is small and uses the fonts of the page.
        "svg.fonttype": "none",
        # The ids inside an SVG depend on this; two pictures in one page must not share any.
        "svg.hashsalt": name,
    }
    pictures: list[Picture] = []
    with rc_context(settings):
        figure = Figure(figsize=size, layout="constrained")
        axes = figure.add_subplot()
        axes.grid(True, linewidth=0.6, alpha=0.8)
        axes.set_title(title, fontsize=10)
        yield axes, pictures
        pictures.append(Picture(name, title, _svg(figure), _png(figure)))


def _svg(figure: Any) -> str:
    stream = io.StringIO()
    figure.savefig(stream, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    svg = stream.getvalue()
    svg = svg[svg.index("<svg") :]
    # A width in points is too large on a phone.
    svg = re.sub(r'(<svg[^>]*?) width="[^"]*"', r"\1", svg, count=1)
    svg = re.sub(r'(<svg[^>]*?) height="[^"]*"', r"\1", svg, count=1)
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, count=1, flags=re.DOTALL)
    return svg.replace(_INK, "currentColor").replace(_GRID, "var(--grid, #c8c9ca)")


def _png(figure: Any) -> bytes:
    stream = io.BytesIO()
    # 110 dpi: sharp enough in a page, and below 100 KB each.
    figure.savefig(stream, format="png", dpi=110, facecolor="white", metadata={"Software": None})
    return stream.getvalue()


def _slug(words: str) -> str:
    return re.sub(r"\W+", "-", words).strip("-")
