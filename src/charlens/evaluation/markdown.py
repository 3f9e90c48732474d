"""Write a report as Markdown, for a repository: figures, names of files and encodings, links to pictures."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from charlens.evaluation.metrics import Interval, Tally
from charlens.evaluation.sections import Section
from charlens.evaluation.tables import Cell, Figure, Table

# Longer tables are only in results.json and in the HTML report.
_MOST_ROWS = 80


def to_markdown(sections: Sequence[Section], circumstances: Mapping[str, str]) -> str:
    """Return the report as Markdown."""
    parts = ["# Evaluation", _circumstances(circumstances), _HOW_TO_READ]
    for section in sections:
        parts.append(f"## {section.title}")
        if section.words:
            parts.append(section.words)
        parts += [_table(table, section.title) for table in section.tables if table.rows]
        parts += [f"![{picture.title}](pictures/{picture.name}.svg)" for picture in section.pictures]
        # The histograms of single encodings are left out: there are too many.
        parts += [_table(table) for table in section.folded if table.rows]
    return "\n\n".join(parts) + "\n"


_HOW_TO_READ = (
    "An answer is right when it gives the text that the author wrote (*equitable*), by whatever name; shares "
    "by the very name (*equal*) is next to it in brackets. `docs/evaluation.md` has the rules of the judge."
)


def show(cell: Cell) -> str:
    """Return a cell as text."""
    if cell is None:
        return "–"
    if isinstance(cell, Interval):
        if not math.isfinite(cell.value):
            return "–"
        return f"{100 * cell.value:.2f} ({100 * cell.low:.1f}–{100 * cell.high:.1f})"
    if isinstance(cell, Tally):
        return f"{100 * cell.share:.1f} ({100 * cell.equal_share:.1f})" if cell.total else "–"
    if isinstance(cell, Figure):
        return str(cell)
    if isinstance(cell, float):
        return f"{100 * cell:.1f} %" if math.isfinite(cell) else "–"
    return f"{cell:,}" if isinstance(cell, int) else cell


def _circumstances(circumstances: Mapping[str, str]) -> str:
    return "\n".join(f"- {name}: {value}" for name, value in circumstances.items())


def _table(table: Table, above: str = "") -> str:
    """Return a table under its title, unless that is right above it."""
    shown = table.rows if len(table.rows) <= _MOST_ROWS else (*table.rows[: _MOST_ROWS - 1], table.rows[-1])
    title = [] if table.title == above else [f"### {table.title}", ""]
    lines = [
        *title,
        _line(table.columns),
        _line(["--:" if _is_number(table, index) else "---" for index in range(len(table.columns))]),
        *(_line([show(cell) for cell in row]) for row in shown),
    ]
    if len(shown) < len(table.rows):
        lines += ["", f"{len(shown)} of {len(table.rows)} lines; results.json has all."]
    if table.note:
        lines += ["", table.note]
    return "\n".join(lines)


def _is_number(table: Table, index: int) -> bool:
    return not any(isinstance(row[index], str) for row in table.rows)


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"
