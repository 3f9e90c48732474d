"""Tables made in parts by the processes of this machine: the options, messages and summary of `warc` and `batch`.

`charlens.integrations.parts` makes a part.  One whose process ends twice is left out and named in `_errors.jsonl`.
"""

from __future__ import annotations

import contextlib
import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import Any, TypeVar

import click

from charlens.cli.options import jobs_option
from charlens.cli.pool import map_paths
from charlens.cli.survey import Found, Summary
from charlens.cli.terminal import Interruption, complain, count, progress, reason, safe, shown
from charlens.cli.walk import need_page
from charlens.integrations import parts
from charlens.integrations.locations import Folder, is_remote
from charlens.integrations.parts import ERRORS, LOST, Job, Made, Part

#: The first errors are printed; all of them are in a file.
_SHOWN = 3

F = TypeVar("F", bound=Callable[..., Any])


def part_options(verb: F) -> F:
    """Add the options that all verbs with parts have."""
    for option in reversed(
        (
            click.option(
                "--output", "-o", required=True, type=click.Path(), help="The folder to write the parts to."
            ),
            jobs_option,
            click.option(
                "--text/--no-text", default=True, help="Include or omit the decoded text.  [default: include]"
            ),
            click.option(
                "--min-confidence",
                type=click.FloatRange(0, 1),
                default=0.0,
                help="Omit the text if the confidence is lower.",
            ),
            click.option(
                "--model", type=click.Path(exists=True), help="Use a model made by 'charlens train'."
            ),
            click.option(
                "--report",
                type=click.Path(dir_okay=False),
                callback=_check_report,
                help="Also write an HTML report with charts.",
            ),
            click.option("--quiet", "-q", is_flag=True, help="No progress bar and no summary."),
        )
    ):
        verb = option(verb)
    return verb


def _check_report(context: click.Context, parameter: click.Parameter, target: str | None) -> str | None:
    if target:
        need_page(target, "--report")
    return target


@contextlib.contextmanager
def as_usage_errors() -> Iterator[None]:
    """Exit with the words of an error about the inputs or the output."""
    try:
        yield
    except OSError as error:
        words = reason(error) if error.strerror else str(error)
        raise click.UsageError(safe(f"{error.filename}: {words}" if error.filename else words)) from None
    except ValueError as error:  # also a scheme that Arrow does not know
        raise click.UsageError(safe(str(error))) from None


def run(job: Job, output: str, given: dict[str, Any], unit: str = "pages") -> None:
    """Make all parts of *job* that are missing, print a summary, and exit; *unit* is the noun for what a row is.

    The exit code is 1 if something could not be read.
    """
    begin = time.perf_counter()
    names = set(Folder(output).names())
    todo = [part for part in job.parts if part.name not in names]
    failed: dict[Part, str] = {}
    tasks = {json.dumps(part): part for part in todo}
    with Interruption() as stop:
        results = map_paths(partial(_make, job, output), tasks, given["jobs"], stop, apart=True)
        with progress(lambda: len(todo), quiet=given["quiet"]) as advance:
            for task, result in results:
                if result is None or result:
                    failed[tasks[task]] = result or LOST
                    complain(f"{shown(tasks[task].path)}: {result or LOST}")
                advance(1)
        if stop.asked:
            complain("interrupted; run the same command again to resume")
            sys.exit(130)
    made = {
        part: Made(failure=failed[part]) if part in failed else parts.look_at(output, part)
        for part in job.parts
    }
    errors = parts.finish(output, made)["errors"]
    for error in islice((error for each in made.values() for error in each.errors), _SHOWN):
        what = " ".join(str(error[key]) for key in ("input", "url", "id") if key in error)
        complain(f"{shown(what)}: {error['error']}")
    if given["quiet"] and not given.get("report"):
        sys.exit(1 if errors else 0)
    summary = _add_up([part for part in made if part not in failed], output, unit)
    summary.seconds = time.perf_counter() - begin
    from charlens.cli.scan import describe_summary, write_report

    if given.get("report"):
        write_report(summary, given["report"], list(dict.fromkeys(part.path for part in job.parts)))
    if not given["quiet"]:
        done = f"{count(len(job.parts), 'part')} ({len(job.parts) - len(todo):,} already done)"
        for line in (*describe_summary(summary), f"{done}; {errors_in(output, errors)}"):
            click.echo(line)
    sys.exit(1 if errors else 0)


def _make(job: Job, output: str, task: str) -> str:
    return parts.make_part(job, output, Part(*json.loads(task)))


class PartSummary(Summary):
    """Counts over the rows of all parts."""

    def __init__(self, unit: str) -> None:
        super().__init__(0.9)
        self.unit = unit
        self.declared: Counter[str] = Counter()

    @property
    def counters(self) -> dict[str, Counter[str]]:
        """The tables of the summary by name."""
        tables = {"outcome": self.outcomes, "encoding": self.encodings, "language": self.languages}
        return {**tables, "declared": self.declared} if self.declared else tables


def _add_up(made: Sequence[Part], output: str, unit: str) -> PartSummary:
    """Count the rows of the parts; the text column is not read."""
    import pyarrow.parquet as pq

    summary = PartSummary(unit)
    folder = Folder(output)
    for part in made:
        with folder.open(part.name) as source:
            file = pq.ParquetFile(source)
            names = [name for name in file.schema_arrow.names if name != "text"]
            for batch in file.iter_batches(columns=names):
                for row in batch.to_pylist():
                    _count(row, summary)
    return summary


def _count(row: dict[str, Any], summary: PartSummary) -> None:
    if row["outcome"] is None and row["error"] is None:
        return  # a null
    name = next((str(row[key]) for key in ("url", "id", "offset") if row.get(key) is not None), "null")
    damage = tuple((span["start"], span["end"]) for span in row["damage"] or ())
    found = Found(
        row["outcome"] or "undecided",
        row["encoding"],
        row["confidence"] or 0.0,
        row["language"],
        damage=damage,
        cut=row["cut"] or 0,
        size=row["size"] or 0,
        error=row["error"] if row["outcome"] is None else None,
    )
    summary.add(name, found)
    if "conflict" in row and row["outcome"] == "text":
        said = row["http_charset"] or row["meta_charset"]
        summary.declared["wrong" if row["conflict"] else "right" if said else "nothing"] += 1


def errors_in(output: str, errors: int) -> str:
    """Return the number of errors, and where they are listed."""
    place, mark, settings = output.partition("?") if is_remote(output) else (output, "", "")
    where = f"{place.rstrip('/')}/{ERRORS}{mark}{settings}"
    return count(errors, "error") + (f"; see {shown(where)}" if errors else "")
