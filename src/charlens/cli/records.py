"""Records as JSON, JSON lines or CSV, each written as soon as it is there; what is in them is for the verbs."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

Record = dict[str, Any]


def render_records(
    records: Iterable[Record],
    form: str,
    keys: Sequence[str],
    summary: Callable[[], Record] | None = None,
) -> Iterator[str]:
    """Yield the lines of *records*, which have *keys*; JSON has the *summary*, worked out at the end, beside them."""
    if form == "jsonl":
        yield from map(json.dumps, records)
    elif form == "csv":
        yield csv_line(keys)
        yield from (csv_line([_cell(record[key]) for key in keys]) for record in records)
    else:
        # By hand, so that no more than one record is in memory.
        yield '{"files": ['
        for number, record in enumerate(records):
            yield ("," if number else "") + json.dumps(record)
        yield "]}" if summary is None else f'], "summary": {json.dumps(summary())}}}'


#: What a spreadsheet takes for the beginning of a formula.
_FORMULA = ("=", "+", "-", "@")


def csv_line(cells: Sequence[str]) -> str:
    """Return a row of CSV, whose first cell is a path; no cell is a formula for a spreadsheet."""
    path, *others = cells
    path = f"./{path}" if path.startswith(_FORMULA) else path  # the same file
    others = [f"'{cell}" if cell.startswith(_FORMULA) else cell for cell in others]
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="").writerow((path, *others))
    return buffer.getvalue()


def _cell(value: object) -> str:
    if isinstance(value, tuple | list):
        return " ".join("-".join(map(str, v)) if isinstance(v, tuple | list) else str(v) for v in value)
    return "" if value is None else str(value)
