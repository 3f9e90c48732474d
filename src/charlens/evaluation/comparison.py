"""Put the figures of the last evaluation into pages of the documentation.

A page has places for them, `<!-- figures: NAME -->` to `<!-- end of figures -->`; the text between is replaced by
figures from `results.json`.  The text around must be true for any figures.  What a record
does not have (a detector, a dataset, a table) is left out; docs/evaluation.md explains the figures.

    python -m charlens.evaluation.comparison docs/results PAGE…            writes the figures into the pages
    python -m charlens.evaluation.comparison docs/results PAGE… --check    exits 1 when a page is not current

Instead of a folder with results.json it takes a report in Markdown, whose tables are named by their headings
(`true-against-detected-utf-8` is the table under "True against detected, UTF-8"), or a folder of such reports
(`many-table-4` is the one under "Table 4" in many.md).
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from charlens.evaluation.record import FORMAT, RecordError

COMMAND = "python -m charlens.evaluation.comparison"

#: The kernel to show, since the answers of both are the same; the table of speed shows both.
_OURS = "charlens-native"
_TWIN = "charlens-pure"
_SHOWN_AS = {_OURS: "**charlens**", _TWIN: "charlens, plain Python", "uchardet": "uchardet (cchardet)"}
#: A band of confidence is mentioned if it has at least this many answers, since fewer are mostly chance, and if its
#: mean confidence is above its share of right answers by more than this.
_ENOUGH = 30
_TOO_SURE = 0.1
_NOT_MEASURED = "*(not in this record)*"

_PLACE = re.compile(r"(<!-- figures: ([a-z0-9-]+) -->\n).*?(<!-- end of figures -->)", re.DOTALL)


@dataclass(frozen=True)
class Record:
    """The results.json of a run, by the names of its tables."""

    circumstances: Mapping[str, str]
    detectors: Sequence[Mapping[str, Any]]
    datasets: Mapping[str, int]
    tables: Mapping[str, Mapping[str, Mapping[str, Any]]]

    def rows(self, dataset: str, title: str) -> Iterator[dict[str, Any]]:
        """Yield the rows of a table by column; none if the table is not there."""
        table = self.tables.get(dataset, {}).get(title)
        if table:
            for row in table["rows"]:
                yield dict(zip(table["columns"], row, strict=True))

    def peers(self, row: Mapping[str, Any]) -> list[str]:
        """Return those detectors that *row* has a column for, one of our kernels only."""
        names = [one["name"] for one in self.detectors if one["name"] in row]
        return [name for name in names if name != _TWIN or _OURS not in names]


def read_public_record(folder: Path) -> Record:
    """Read the results.json in *folder*; it may have been written with ``--public``."""
    path = folder / "results.json"
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise RecordError(f"{path} cannot be read: {error}. Make it with: charlens evaluate --out {folder}") from None
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise RecordError(f"{path} is not a record of charlens evaluate in format {FORMAT}. Run the evaluation again.")
    return Record(
        found["circumstances"],
        found["detectors"],
        {one["name"]: one["samples"] for one in found["datasets"]},
        {name: {table["title"]: table for table in tables} for name, tables in found["tables"].items()},
    )


def read_report(path: Path) -> dict[str, str]:
    """Return the tables of a report in Markdown, by their headings in small letters and hyphens."""
    _, *parts = re.split(r"^#+ (.+)$", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    tables = zip(parts[::2], (re.findall(r"^\|.*", body, re.MULTILINE) for body in parts[1::2]), strict=True)
    return {re.sub("[^a-z0-9]+", "-", title.lower()).strip("-"): "\n".join(lines) for title, lines in tables}


def read_reports(folder: Path) -> dict[str, str]:
    """Return the tables of all reports in *folder*, with the names of the reports before theirs."""
    reports = {path.stem: read_report(path) for path in sorted(folder.glob("*.md"))}
    return {f"{report}-{name}": table for report, tables in reports.items() for name, table in tables.items()}


def main(argv: Sequence[str] | None = None) -> int:
    """Fill the places of the pages, or with ``--check`` say which pages are not current."""
    parser = argparse.ArgumentParser(prog=COMMAND, description="Put the figures of an evaluation into pages.")
    parser.add_argument("results", type=Path, help="the folder that has results.json, or reports in Markdown")
    parser.add_argument("pages", type=Path, nargs="+", metavar="PAGE")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if a page is not current")
    options = parser.parse_args(argv)
    try:
        record = _read(options.results)
        wanted = {path: fill(path.read_text(encoding="utf-8"), record) for path in options.pages}
    except (RecordError, OSError) as error:
        print(f"{COMMAND}: {error}", file=sys.stderr)
        return 1
    stale = [path for path, text in wanted.items() if path.read_text(encoding="utf-8") != text]
    for path in stale:
        if options.check:
            pages = " ".join(map(str, options.pages))
            print(f"{path} is not current. Run: {COMMAND} {options.results} {pages}", file=sys.stderr)
        else:
            path.write_text(wanted[path], encoding="utf-8", newline="\n")
            print(f"wrote {path}")
    return 1 if options.check and stale else 0


def _read(place: Path) -> Record | dict[str, str]:
    if place.suffix == ".md":
        return read_report(place)
    reports = {} if (place / "results.json").exists() else read_reports(place)
    return reports or read_public_record(place)


def fill(page: str, record: Record | Mapping[str, str]) -> str:
    """Return *page* with every place for figures filled from *record*, or from the tables of a report."""
    tables = {name: make(record) for name, make in FIGURES.items()} if isinstance(record, Record) else record

    def filled(match: re.Match[str]) -> str:
        name = match[2]
        if name not in tables:
            raise RecordError(f"there are no figures {name!r}; there are {', '.join(tables)}.")
        return f"{match[1]}\n{tables[name] or _NOT_MEASURED}\n\n{match[3]}"

    return _PLACE.sub(filled, page)


def _headline(record: Record, dataset: str = "labelled", files: str = "labelled files") -> str:
    """Share of right answers on whole files, and the calibration of the confidence."""
    errors = {row["detector"]: row["ECE"] for row in record.rows(dataset, "Calibration")}
    lines = [
        [
            _shown(row["detector"]),
            *(_percent(row[column]) for column in ("micro", "macro")),
            f"{row['misses']:,}",
            _decimals(errors.get(row["detector"]), 3),
        ]
        for row in _best_first(record, dataset)
    ]
    samples = f"on {record.datasets.get(dataset, 0):,} {files}"
    return _table([samples, "right text", "mean over encodings", "misses", "calibration error"], lines)


def _fresh(record: Record) -> str:
    """The same on files of sources that were never used for choices, from a separate record."""
    return _headline(record, "fresh", "fresh files")


def _averages(record: Record) -> str:
    """Shares with their intervals, by text and by name, and the kinds of misses."""
    silent = ("undecided", "binary", "failed")
    lines = [
        [
            _shown(row["detector"]),
            *(_interval(row[column]) for column in ("micro", "macro")),
            _interval(row["micro, by source"]).partition("(")[2].rstrip(")") or "–",
            f"{100 * row['equal micro'][0]:.2f}",
            *(f"{row.get(fault, 0):,}" for fault in ("wrong", "undecodable")),
            f"{sum(row.get(fault, 0) for fault in silent):,}",
        ]
        for row in _best_first(record)
    ]
    misses = ("wrong", "undecodable", "no answer")
    return _table(["detector", "right text", "mean over encodings", "by source", "same name", *misses], lines)


def _sizes(record: Record) -> str:
    """Shares by number of bytes."""
    return _tallies(record, "labelled, cut", "By size", "bytes", skip=("all",))


def _encodings(record: Record) -> str:
    """Shares by the true encoding."""
    return _tallies(record, "labelled", "By encoding", "true encoding")


def _beaten(record: Record) -> str:
    """The encodings in which another detector has more right texts than charlens."""
    lines = []
    for row in record.rows("labelled", "By encoding"):
        peers = record.peers(row)
        ours = next((name for name in (_OURS, _TWIN) if name in peers), None)
        better = [name for name in peers if ours and name != ours and row[name][0] > row[ours][0]]
        if better and ours and row["true encoding"] != "all":
            who = ", ".join(f"{_shown(name)} {row[name][0]}" for name in better)
            lines.append([f"`{row['true encoding']}`", f"{row['samples']:,}", str(row[ours][0]), who])
    columns = ["true encoding", "files", "charlens has right", "others have right"]
    if lines or not any(record.rows("labelled", "By encoding")):
        return _table(columns, lines, words=("others have right",))
    return "None: in every encoding, no other detector has more right texts than charlens."


def _calibration(record: Record) -> str:
    """Mean confidence against share right, on whole files and on pieces."""
    lines = []
    for dataset, words in (("labelled", "whole files"), ("labelled, cut", "pieces")):
        for row in _once(record.rows(dataset, "Calibration")):
            if row["ECE"] is not None:
                means = [_percent(row["mean confidence"], 1), _percent(row["share right"], 1)]
                lines.append([_shown(row["detector"]), words, *means, _decimals(row["ECE"], 3)])
    return _table(["detector", "on", "mean confidence", "right", "calibration error"], lines, words=("on",))


def _reliability(record: Record) -> str:
    """For charlens: the share of right answers by confidence, and where it is much lower."""
    bands: dict[str, list[str]] = {}
    too_sure: list[str] = []
    sets = {"labelled": "whole files", "labelled, cut": "pieces"}
    datasets = [name for name in sets if any(record.rows(name, "Reliability"))]
    ours = _OURS if any(one["name"] == _OURS for one in record.detectors) else _TWIN
    for place, dataset in enumerate(datasets):
        for row in record.rows(dataset, "Reliability"):
            if row["detector"] == ours:
                cells = bands.setdefault(row["confidence"], ["–", "–"] * len(datasets))
                cells[2 * place : 2 * place + 2] = [f"{row['answers']:,}", _percent(row["share right"], 1)]
                if row["answers"] >= _ENOUGH and row["mean confidence"] - row["share right"] > _TOO_SURE:
                    too_sure.append(f"{sets[dataset]} from {row['confidence']}")
    columns = [column for name in datasets for column in (f"answers, {sets[name]}", "right")]
    table = _table(["confidence", *columns], [[band, *bands[band]] for band in sorted(bands)])
    words = f"Too sure by more than ten points, with {_ENOUGH} answers or more: {', '.join(too_sure) or 'nowhere'}."
    return f"{table}\n\n{words}" if table else ""


def _language(record: Record) -> str:
    """Shares of right languages."""
    rows = list(_once(record.rows("labelled", "Language")))
    if not rows:
        return ""
    columns = [column for column in rows[0] if column != "detector"]
    lines = [[_shown(row["detector"]), *(_cell(row[column]) for column in columns)] for row in rows]
    return _table(["detector", *columns], lines)


def _binary(record: Record) -> str:
    """Text against binary, the detectors and the simple rules."""
    lines = [
        [_shown(row["by"]), _percent(row["recall"]), _percent(row["texts kept"])]
        + [f"{row[column]:,}" for column in ("binaries called text", "texts called binary")]
        for row in _once(record.rows("Text or binary", "Text or binary"), "by")
    ]
    columns = ["by", "binaries found", "texts kept", "binaries called text", "texts called binary"]
    return _table(columns, lines)


def _speed(record: Record) -> str:
    """Files per second, and the cost of the first call."""
    columns = ["files/s", "MB/s", "import and first call, ms", "memory added, MB"]
    rows = list(record.rows("Speed", "Speed"))
    there = [column for column in columns if rows and column in rows[0]]
    lines = [[_shown(row["detector"]), *(_figure(row[column]) for column in there)] for row in rows]
    return _table(["detector", *there], lines)


def _circumstances(record: Record) -> str:
    """When, where and with which versions."""
    versions = [f"{one['name']} ({one['version']})" for one in record.detectors if one["missing"] is None]
    lines = [f"- {name}: {value}" for name, value in record.circumstances.items()]
    lines.append("- detectors: " + ", ".join(versions))
    lines += [f"- {one['name']} took no part: {one['missing']}" for one in record.detectors if one["missing"]]
    return "\n".join(lines)


#: The names of places in pages, with their functions.
FIGURES: Mapping[str, Callable[[Record], str]] = {
    "headline": _headline,
    "fresh": _fresh,
    "averages": _averages,
    "sizes": _sizes,
    "encodings": _encodings,
    "beaten": _beaten,
    "calibration": _calibration,
    "reliability": _reliability,
    "language": _language,
    "binary": _binary,
    "speed": _speed,
    "circumstances": _circumstances,
}


def _best_first(record: Record, dataset: str = "labelled") -> list[dict[str, Any]]:
    """Return the averages on whole files, the best first."""
    return sorted(_once(record.rows(dataset, "Averages")), key=lambda row: -(row["micro"][0] or 0))


def _once(rows: Iterator[dict[str, Any]], column: str = "detector") -> Iterator[dict[str, Any]]:
    """Yield *rows* without the twin of our kernel, if both are there."""
    found = list(rows)
    both = any(row[column] == _OURS for row in found)
    yield from (row for row in found if not (both and row[column] == _TWIN))


def _tallies(record: Record, dataset: str, title: str, first: str, skip: Sequence[str] = ()) -> str:
    """Lay out a table of [right, equal, total] by detector as percentages."""
    rows = [row for row in record.rows(dataset, title) if row[first] not in skip]
    if not rows:
        return ""
    peers = record.peers(rows[0])
    lines = [[row[first], f"{row['samples']:,}", *(_tally(row[peer]) for peer in peers)] for row in rows]
    return _table([first, "samples", *map(_shown, peers)], lines)


def _table(columns: Sequence[str], lines: Sequence[Sequence[str]], words: Sequence[str] = ()) -> str:
    """Return a table with its figures right-aligned, except the first column and *words*; "" without lines."""
    if not lines:
        return ""
    rule = ["---", *("---" if column in words else "--:" for column in columns[1:])]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in (columns, rule, *lines))


def _shown(name: str) -> str:
    return _SHOWN_AS.get(name, name)


def _cell(value: Any) -> str:
    """Return a cell of a table whose columns may change: an interval, a tally, a share or a number."""
    if isinstance(value, list):
        return _tally(value) if all(isinstance(part, int) for part in value) else _interval(value)
    return _percent(value) if isinstance(value, float) else _figure(value)


def _percent(value: Any, digits: int = 2) -> str:
    """Return a share, or the middle of an interval, in percent."""
    value = value[0] if isinstance(value, list) else value
    return "–" if value is None else f"{100 * value:.{digits}f} %"


def _interval(value: Any) -> str:
    if value is None or value[0] is None:
        return "–"
    return f"{100 * value[0]:.2f} ({100 * value[1]:.1f}–{100 * value[2]:.1f})"


def _tally(value: Any) -> str:
    return f"{100 * value[0] / value[2]:.1f}" if value and value[2] else "–"


def _decimals(value: float | None, digits: int) -> str:
    return "–" if value is None else f"{value:.{digits}f}"


def _figure(value: Any) -> str:
    if value is None:
        return "–"
    return f"{value:,.0f}" if isinstance(value, int) or value >= 100 else f"{value:,.1f}"


if __name__ == "__main__":
    sys.exit(main())
