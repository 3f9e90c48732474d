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
    *,
    noun: str = "files",
) -> Iterator[str]:
    """Yield the lines of *records*, which have *keys*.

    In JSON they stand under *noun*, and the *summary*, worked out at the end, beside them.
    """
    if form == "jsonl":
        yield from map(json.dumps, records)
    elif form == "csv":
        yield _csv_line(keys)
        yield from (_csv_line([_cell(record[key]) for key in keys]) for record in records)
    else:
        # By hand, so that no more than one record is in memory.
        yield f'{{"{noun}": ['
        for number, record in enumerate(records):
            yield ("," if number else "") + json.dumps(record)
        yield "]}" if summary is None else f'], "summary": {json.dumps(summary())}}}'


def _csv_line(cells: Iterable[str]) -> str:
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="").writerow(cells)
    return buffer.getvalue()


def _cell(value: object) -> str:
    if isinstance(value, tuple | list):
        return " ".join("-".join(map(str, v)) if isinstance(v, tuple | list) else str(v) for v in value)
    return "" if value is None else str(value)
