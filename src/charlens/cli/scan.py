"""`charlens scan`: the encodings in a whole folder.

Arguments and messages; `survey` detects the files and counts, and `report` writes the page.
"""

from __future__ import annotations

import os
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import click

from charlens.cli.options import INPUT, format_option, jobs_option, no_ignore_option
from charlens.cli.pool import map_paths
from charlens.cli.records import render_records
from charlens.cli.survey import LOST, Found, Summary, survey
from charlens.cli.terminal import (
    Interruption,
    columns,
    complain,
    count,
    paint,
    print_lines,
    progress,
    reason,
    shown,
)
from charlens.cli.walk import choice_of, choice_options, find_files, need_page

#: The most rows of each table, and doubtful files, printed without --verbose.
_ROWS = 12
#: The most files in the table of the report; a browser can sort this many without delay.
_MOST_ROWS = 100_000
#: The exit code after Ctrl-C, by the convention of shells.
INTERRUPTED = 130


@click.command()
@click.argument("paths", nargs=-1, metavar="[PATH]...", type=INPUT)
@format_option(
    ("text", "json", "jsonl", "csv"), "text prints a summary; the others print one record per file."
)
@click.option(
    "--report",
    type=click.Path(dir_okay=False),
    help="Also write an HTML report with charts and a table of all files.",
)
@choice_options
@no_ignore_option
@click.option(
    "--min-confidence",
    type=click.FloatRange(0, 1),
    default=0.9,
    show_default=True,
    help="List files with a lower confidence as doubtful.",
)
@jobs_option
@click.option("--quiet", "-q", is_flag=True, help="No progress bar; in text format, no summary either.")
@click.option("--verbose", "-v", is_flag=True, help="Also print a line per file, and the full tables.")
def scan(paths: tuple[str, ...], **given: Any) -> None:
    """Summarise a folder: encodings, languages, line endings, byte order marks, and doubtful files.

    PATH defaults to the current folder. Subfolders are included, .gitignore is respected, and symbolic links to folders
    are not followed. If a file cannot be read, charlens reports it, continues with the others, and exits with code 1.

    \b
    charlens scan                                       summarise the current folder
    charlens scan src docs --report encodings.html      and write an HTML report
    charlens scan . --format csv > files.csv            one row per file
    charlens scan /var/www --no-ignore -j 4             all files, four processes
    charlens scan . --format jsonl | jq 'select(.encoding == "cp1252").path'
    """
    if given["report"]:
        need_page(given["report"], "--report")
    paths = paths or (".",)
    given["choice"] = choice_of(given)
    summary = Summary(given["min_confidence"])
    rows: list[list[Any]] = []
    print_lines(_output(paths, summary, {**given, "rows": rows}))
    if given["report"]:
        write_report(summary, given["report"], paths, rows)
    sys.exit(INTERRUPTED if summary.interrupted else 1 if summary.failed else 0)


def _output(paths: tuple[str, ...], summary: Summary, given: dict[str, Any]) -> Iterator[str]:
    form, quiet, verbose = given["form"], given["quiet"], given["verbose"]
    results = _results(paths, summary, given)
    if form != "text":
        records = (found.record(path) for path, found in results)
        yield from render_records(records, form, ("path", *Found._fields), summary.record)
    else:
        for path, found in results:
            if verbose and found.error is None:
                yield f"{shown(path)}: {_in_words(found)}"
        if not quiet:
            yield from describe_summary(summary, verbose)


def _results(paths: tuple[str, ...], summary: Summary, given: dict[str, Any]) -> Iterator[tuple[str, Found]]:
    """Yield the result for each file and count it; Ctrl-C ends this early and is noted in the summary."""

    def bad_folder(path: str, error: OSError) -> None:
        complain(f"{shown(path)}: {reason(error)}")
        summary.fail(path, reason(error))

    look = partial(find_files, paths, ignore=not given["no_ignore"], choice=given["choice"])

    def files() -> Iterator[str]:
        return (entry.path for entry in look(complain=bad_folder))

    def how_many() -> int:
        return sum(1 for _ in look(complain=lambda path, error: None))

    begin = time.perf_counter()
    with Interruption() as stop:
        results = map_paths(_look_for_report if given["report"] else _look, files(), given["jobs"], stop)
        with progress(how_many, quiet=given["quiet"]) as advance:
            for number, (path, result) in enumerate(results):
                found, row = (LOST, None) if result is None else result
                if row is not None and number < _MOST_ROWS:
                    given["rows"].append([shown(path), *row[1:]])
                if found.error is not None:
                    complain(f"{shown(path)}: {found.error}")
                summary.add(path, found)
                if number % 64 == 63:
                    advance(64)
                yield path, found
        summary.interrupted = stop.asked
    summary.seconds = time.perf_counter() - begin
    if summary.interrupted:
        complain("interrupted; the summary covers only the files read so far")


def _look(path: str) -> tuple[Found, list[Any] | None]:
    return survey(path), None


def _look_for_report(path: str) -> tuple[Found, list[Any] | None]:
    """Detect a file and also return its row in the table."""
    from charlens.inspector.overview import look_closely  # here: only a report needs it

    closely = look_closely(path)
    return closely.found, closely.row(path)


def _in_words(found: Found) -> str:
    if found.encoding is None:
        return found.outcome if found.size else "empty"
    mark = " with BOM" if found.bom else ""
    name = found.several or f"{found.encoding}{mark}, confidence {found.confidence:.2f}"
    return f"{name}, {found.language or '-'}, {found.newline}"


def describe_summary(summary: Summary, verbose: bool = False) -> Iterator[str]:
    """Return the summary as lines."""
    rate = summary.files / summary.seconds if summary.seconds else 0
    ended = " (interrupted)" if summary.interrupted else ""
    one = summary.unit.removesuffix("s")
    yield (
        f"{count(summary.files, one)}, {in_bytes(summary.size)}, {summary.seconds:.1f} s, "
        f"{rate:,.0f} {summary.unit}/s{ended}"
    )
    rows = [row for name, counter in summary.counters.items() for row in _table(name, counter, verbose)]
    yield from columns(rows, right=(2, 3))
    if not summary.doubtful:
        return
    yield ""
    least = f"confidence < {summary.min_confidence:g}"
    yield paint(
        f"{count(summary.doubtful, f'doubtful {one}')} ({least}, damaged, mixed or undecided):", "yellow"
    )
    listed = summary.doubts if verbose else summary.doubts[:_ROWS]
    yield from columns([["   " + shown(doubt.path), doubt.words] for doubt in listed])
    if summary.doubtful > len(listed):
        yield f"   and {summary.doubtful - len(listed):,} more"


def _table(name: str, counter: Counter[str], verbose: bool) -> Iterator[list[str]]:
    whole = counter.total() if hasattr(counter, "total") else sum(counter.values())
    if not whole:
        return
    yield ["", "", "", ""]
    ranked = counter.most_common()
    listed = ranked if verbose or len(ranked) <= _ROWS else ranked[: _ROWS - 1]
    for index, (value, number) in enumerate(listed):
        yield [name if not index else "", value, f"{number:,}", f"{number / whole:.1%}"]
    rest = sum(number for _, number in ranked[len(listed) :])
    if rest:
        yield ["", f"{len(ranked) - len(listed)} others", f"{rest:,}", f"{rest / whole:.1%}"]


def in_bytes(size: float) -> str:
    """Return a number of bytes with a unit: '3.2 MB'."""
    if size == 1:
        return "1 byte"
    for unit in ("bytes", "kB", "MB"):
        if size < 1000:
            return f"{size:,.0f} {unit}" if unit == "bytes" else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:,.1f} GB"


def write_report(summary: Summary, target: str, paths: Sequence[str], rows: Sequence[list[Any]] = ()) -> None:
    """Write the page with charts and the table of *rows*; print an error and exit if that fails."""
    from charlens.cli.report import draw_page
    from charlens.files.atomic import write_atomically

    names = ", ".join(shown(os.path.abspath(path)) for path in paths)
    try:
        write_atomically(target, draw_page(summary, names, rows).encode("utf-8", "backslashreplace"))
    except OSError as error:
        complain(f"{shown(target)}: {reason(error)}")
        sys.exit(1)
