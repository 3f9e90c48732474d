"""Save a run as JSON and load it again, for `compare`.

`public` leaves out bytes, texts and lists of files, which may not be published.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from charlens.errors import CharlensError
from charlens.evaluation.metrics import Interval, Tally
from charlens.evaluation.results import Evaluation, PeerState, Row
from charlens.evaluation.speed import Speed
from charlens.evaluation.tables import Cell, Figure, Table, said

#: Increased when older readers cannot read the file.
FORMAT = 1


class RecordError(CharlensError, ValueError):
    """A file is not a record of an evaluation."""


@dataclass(frozen=True)
class Run:
    """All results of one call of `charlens evaluate`."""

    evaluations: tuple[Evaluation, ...]
    states: tuple[PeerState, ...]
    speeds: tuple[Speed, ...] = ()
    #: The evaluation of files that are not text.
    binaries: Evaluation | None = None
    #: Command, date, versions, machine.
    circumstances: Mapping[str, str] = field(default_factory=dict)
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Graded:
    """The answer of one detector for one sample in a record."""

    detected: str
    grade: str


#: The samples of a dataset by id, and by detector.
Recorded = dict[str, dict[str, Graded]]


def to_json(run: Run, tables: Mapping[str, Sequence[Table]], *, public: bool) -> str:
    """Return the record of *run*, with the tables of each dataset by its name."""
    record = {
        "format": FORMAT,
        "circumstances": dict(run.circumstances),
        "seed": run.seed,
        "detectors": [
            {"name": state.name, "version": state.version, "missing": state.missing} for state in run.states
        ],
        "datasets": [
            {
                "name": evaluation.dataset.name,
                "hash": evaluation.dataset.hash,
                "samples": len(evaluation.rows),
                "apart": len(evaluation.apart),
                "problems": len(evaluation.problems),
            }
            for evaluation in _all(run)
        ],
        "tables": {name: [_table(table) for table in found] for name, found in tables.items()},
    }
    if not public:
        record["files"] = {
            evaluation.dataset.name: {
                row.sample.id: _graded(row) for row in (*evaluation.rows, *evaluation.apart)
            }
            for evaluation in _all(run)
        }
    return json.dumps(record, ensure_ascii=False, indent=None if public else 1, separators=(",", ":")) + "\n"


def read_record(path: Path) -> dict[str, Recorded]:
    """Return the samples of a record, by the name of their dataset."""
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise RecordError(f"{path} cannot be read: {error.strerror}.") from None
    except ValueError as error:
        raise RecordError(f"{path} is not JSON: {error}.") from None
    if not isinstance(record, dict) or record.get("format") != FORMAT:
        raise RecordError(
            f"{path} is not a record of charlens evaluate in format {FORMAT}. Run the evaluation again."
        )
    if "files" not in record:
        raise RecordError(
            f"{path} was written with --public and has no list of files. Compare the results.json of a run "
            "without it."
        )
    return {
        name: {
            id_: {peer: Graded(*cells) for peer, cells in by_peer.items()} for id_, by_peer in files.items()
        }
        for name, files in record["files"].items()
    }


def _all(run: Run) -> tuple[Evaluation, ...]:
    return (*run.evaluations, *((run.binaries,) if run.binaries else ()))


def _graded(row: Row) -> dict[str, list[str]]:
    return {peer: [said(row, peer), judgement.grade.value] for peer, judgement in row.judgements.items()}


def _table(table: Table) -> dict[str, object]:
    return {
        "title": table.title,
        "columns": table.columns,
        "rows": [[_cell(cell) for cell in row] for row in table.rows],
    }


def _cell(cell: Cell) -> object:
    if isinstance(cell, Interval):
        return [_rounded(cell.value), _rounded(cell.low), _rounded(cell.high)]
    if isinstance(cell, Tally):
        return [cell.right, cell.equal, cell.total]
    if isinstance(cell, Figure):
        return round(cell.value, cell.digits)
    return _rounded(cell) if isinstance(cell, float) else cell


def _rounded(value: float) -> float | None:
    return round(value, 7) if math.isfinite(value) else None
