"""Work done in parts, each of which is one Parquet file; shared by `charlens warc` and `charlens batch`.

A part is written next to its final name and renamed when it is complete, so a part that exists is done, and the next
run continues where the last one ended.  The settings and the model are in the names.  A part whose process ends twice
is left out and named in `_errors.jsonl`, with the records that could not be read; `_SUCCESS` is written last.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import click

from charlens.cli.options import jobs_option
from charlens.cli.pool import map_paths
from charlens.cli.survey import Found, Summary
from charlens.cli.terminal import Interruption, complain, count, progress, reason, shown
from charlens.cli.walk import need_page
from charlens.files.atomic import TEMPORARY, beside, write_atomically
from charlens.integrations.locations import absolute, match, size_of

if TYPE_CHECKING:
    import pyarrow

#: The version of the tables; parts of different versions must not be in the same folder.
_FORMAT = 2
_SUCCESS, _ERRORS = "_SUCCESS", "_errors.jsonl"
_LOST = "the worker process crashed twice (out of memory, or a bug in a library); this part was skipped"


class Part(NamedTuple):
    """A piece of work: the name of its file, the input, and which piece of it."""

    name: str
    path: str
    start: int
    end: int


F = TypeVar("F", bound=Callable[..., Any])
#: Makes the rows of a part.  It is sent to other processes, so it is a function of a module or a `partial` of one.
Rows = Callable[[Part], "Iterator[pyarrow.RecordBatch]"]


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


def expand(patterns: Sequence[str], what: str) -> list[str]:
    """Return the files that match *patterns*, sorted; a pattern without a match is an error."""
    paths: list[str] = []
    for pattern in patterns:
        try:
            found = match(pattern)
        except (
            OSError,
            ValueError,
        ) as error:  # a store that does not answer, a scheme that Arrow does not know
            raise click.UsageError(f"{shown(pattern)}: {reason(error)}") from None
        if not found:
            raise click.UsageError(f"{shown(pattern)}: no such file, and no file matches it as a pattern.")
        for path in found:
            if os.path.isdir(path):
                raise click.UsageError(
                    f"{shown(path)} is a folder. Name the {what} in it: {shown(os.path.join(path, '*'))}."
                )
        paths += found
    return list(dict.fromkeys(paths))


def stamp(*settings: object, model: str | None = None) -> str:
    """Return the end of the part names for these *settings* and this *model*."""
    from charlens.models import default_model
    from charlens.models.format import read_model

    name = default_model().name if model is None else read_model(model).name
    digest = hashlib.sha256(repr((_FORMAT, name, *settings)).encode()).hexdigest()[:8]
    return f"{name}.{digest}.parquet"


def part_of(path: str, number: int, ending: str, start: int, end: int) -> Part:
    """Return piece *number* of the input at *path*; the size of the input is part of its name."""
    place = absolute(path)
    source = hashlib.sha256(f"{place}\0{size_of(place)}".encode("utf-8", "surrogateescape")).hexdigest()
    return Part(f"part-{source[:10]}-{number:05d}.{ending}", path, start, end)


def prepare(output: str, ending: str) -> None:
    """Create the folder for the parts; a folder that contains other files is an error."""
    try:
        os.makedirs(output, exist_ok=True)
        names = os.listdir(output)
        with beside(os.path.join(output, ".writable")) as probe:
            open(probe, "wb").close()
        os.unlink(os.path.join(output, ".writable"))
    except (FileExistsError, NotADirectoryError):
        raise click.UsageError(f"--output {shown(output)} is a file. Name a folder.") from None
    except PermissionError:
        raise click.UsageError(
            f"--output {shown(output)}: no permission to write there. Choose another folder, or change its permissions."
        ) from None
    except OSError as error:
        raise click.UsageError(f"--output {shown(output)}: {reason(error)}") from None
    others = [name for name in names if name.startswith("part-") and not name.endswith((ending, TEMPORARY))]
    if others:
        raise click.UsageError(
            f"--output {shown(output)} has parts that were made with other settings or another model, such as "
            f"{shown(others[0])}. Name another folder, or remove this one."
        )
    strange = [name for name in names if not name.startswith(("part-", "_", "."))]
    if strange:
        raise click.UsageError(
            f"--output {shown(output)} has other files in it, such as {shown(strange[0])}. Name a new folder."
        )


def make_part(output: str, rows: Rows, schema: pyarrow.Schema, task: str) -> str:
    """Write one part; return an error message, or "". It never raises, because it runs in a separate process."""
    import pyarrow.parquet as pq

    part = Part(*json.loads(task))
    target = os.path.join(output, part.name)
    try:
        with beside(target) as temporary, pq.ParquetWriter(temporary, schema, compression="zstd") as writer:
            for batch in rows(part):
                writer.write_batch(batch)
    except Exception as error:  # reported; the other parts continue
        return f"{type(error).__name__}: {error}"
    return ""


def run(
    parts: Sequence[Part],
    output: str,
    rows: Rows,
    schema: pyarrow.Schema,
    given: dict[str, Any],
    unit: str = "pages",
) -> None:
    """Make all missing *parts*, print a summary, and exit; *unit* is the noun for what a row is.

    The exit code is 1 if something could not be read.
    """
    begin = time.perf_counter()
    with contextlib.suppress(FileNotFoundError):
        os.unlink(os.path.join(output, _SUCCESS))
    todo = [part for part in parts if not os.path.exists(os.path.join(output, part.name))]
    failed: dict[Part, str] = {}
    work = partial(make_part, output, rows, schema)
    tasks = {json.dumps(part): part for part in todo}
    with Interruption() as stop:
        results = map_paths(work, tasks, given["jobs"], stop, apart=True)
        with progress(lambda: len(todo), quiet=given["quiet"]) as advance:
            for task, result in results:
                if result is None or result:
                    failed[tasks[task]] = result or _LOST
                    complain(f"{shown(tasks[task].path)}: {result or _LOST}")
                advance(1)
        if stop.asked:
            complain("interrupted; run the same command again to resume")
            sys.exit(130)
    summary = _add_up(parts, failed, output, unit)
    summary.seconds = time.perf_counter() - begin
    _finish(parts, failed, summary, output)
    if given.get("report"):
        from charlens.cli.scan import write_report

        write_report(summary, given["report"], list(dict.fromkeys(part.path for part in parts)))
    if not given["quiet"]:
        for line in describe(summary, len(parts), len(parts) - len(todo)):
            click.echo(line)
    sys.exit(1 if summary.troubles else 0)


class PartSummary(Summary):
    """Counts over the rows of all parts."""

    def __init__(self, unit: str) -> None:
        super().__init__(0.9)
        self.unit = unit
        self.declared: Counter[str] = Counter()
        self.troubles: list[dict[str, Any]] = []

    @property
    def counters(self) -> dict[str, Counter[str]]:
        """The tables of the summary by name."""
        tables = {"outcome": self.outcomes, "encoding": self.encodings, "language": self.languages}
        return {**tables, "declared": self.declared} if self.declared else tables


def _add_up(parts: Sequence[Part], failed: dict[Part, str], output: str, unit: str) -> PartSummary:
    """Count the rows of the parts; the text column is not read."""
    import pyarrow.parquet as pq

    summary = PartSummary(unit)
    for part in parts:
        if part in failed:
            summary.troubles.append({"input": part.path, "part": part.name, "error": failed[part]})
            continue
        file = pq.ParquetFile(os.path.join(output, part.name))
        names = [name for name in file.schema_arrow.names if name != "text"]
        for batch in file.iter_batches(columns=names):
            for row in batch.to_pylist():
                _count(row, part, summary)
    return summary


def _count(row: dict[str, Any], part: Part, summary: PartSummary) -> None:
    if row["outcome"] is None and row["error"] is None:
        return  # a null
    name = next((str(row[key]) for key in ("url", "id", "offset") if row.get(key) is not None), "null")
    if row["error"] is not None:
        known = {key: row[key] for key in ("url", "offset", "id") if row.get(key) is not None}
        summary.troubles.append({"input": part.path, "part": part.name, **known, "error": row["error"]})
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


def _finish(parts: Sequence[Part], failed: dict[Part, str], summary: PartSummary, output: str) -> None:
    """Write the errors, clean up, and write `_SUCCESS`, in this order."""
    lines = "".join(json.dumps(trouble, default=str) + "\n" for trouble in summary.troubles)
    write_atomically(os.path.join(output, _ERRORS), lines.encode())
    for name in os.listdir(output):
        if name.endswith(TEMPORARY):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(os.path.join(output, name))
    if not failed:
        done = {"parts": len(parts), "rows": summary.files, "errors": len(summary.troubles)}
        write_atomically(os.path.join(output, _SUCCESS), json.dumps(done).encode() + b"\n")


def describe(summary: PartSummary, parts: int, before: int) -> Iterable[str]:
    """Return the summary as lines."""
    from charlens.cli.scan import describe_summary

    yield from describe_summary(summary)
    where = f", see {_ERRORS}" if summary.troubles else ""
    yield f"{count(parts, 'part')} ({before:,} already done); {count(len(summary.troubles), 'error')}{where}"
