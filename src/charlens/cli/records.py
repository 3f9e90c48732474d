"""Records as JSON, JSON lines or CSV, each written as soon as it is ready; the verbs define their content.

In JSON, names of files are the real ones, so that a program can open the files.  In CSV they are escaped as in text.
"""

from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from charlens.cli.terminal import UNSAFE, shown

Record = dict[str, Any]


def as_json(value: object, indent: int | None = None) -> str:
    """Return *value* as JSON; what is unsafe on a terminal, or not in the encoding of standard output, is escaped."""
    plain = (getattr(sys.stdout, "encoding", None) or "").lower().replace("-", "") == "utf8"
    text = json.dumps(value, ensure_ascii=not plain, indent=indent)
    # A line feed can only be there for the indent.
    return UNSAFE.sub(lambda found: found[0] if found[0] == "\n" else f"\\u{ord(found[0]):04x}", text)


def render_records(
    records: Iterable[Record],
    form: str,
    keys: Sequence[str],
    summary: Callable[[], Record] | None = None,
    *,
    noun: str = "files",
) -> Iterator[str]:
    """Yield the lines of *records*, which have *keys*.

    In JSON they are under the key *noun*; the *summary* is computed last and written after them.
    """
    if form == "jsonl":
        yield from map(as_json, records)
    elif form == "csv":
        yield csv_line(keys)
        yield from (csv_line([_cell(record, key) for key in keys]) for record in records)
    else:
        # Written piece by piece: only one record is in memory.
        yield f'{{"{noun}": ['
        for number, record in enumerate(records):
            yield ("," if number else "") + as_json(record)
        yield "]}" if summary is None else f'], "summary": {as_json(summary())}}}'


#: Characters that start a formula in a spreadsheet.
_FORMULA = ("=", "+", "-", "@")


def csv_line(cells: Sequence[str]) -> str:
    """Return a row of CSV whose first cell is a path; no cell can be taken for a formula."""
    path, *others = cells
    path = f"./{path}" if path.startswith(_FORMULA) else path  # the same file
    others = [f"'{cell}" if cell.startswith(_FORMULA) else cell for cell in others]
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="").writerow((path, *others))
    return buffer.getvalue()


#: The keys of a record that have names of files.
_NAMES = ("path", "output")


def _cell(record: Record, key: str) -> str:
    value = record[key]
    if key in _NAMES and value is not None:
        return shown(value)
    if isinstance(value, tuple | list):
        return " ".join("-".join(map(str, v)) if isinstance(v, tuple | list) else str(v) for v in value)
    return "" if value is None else str(value)
