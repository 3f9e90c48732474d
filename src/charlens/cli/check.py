"""`charlens check`: are all files in the wanted encoding? For pre-commit and CI.

Arguments and words for the terminal; the checks are in `checking`, fixing is planned in `charlens.files.plan`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import click

from charlens.cli.checking import RULES, Problem, Wanted, check_file, switched_off
from charlens.cli.pool import map_paths
from charlens.cli.records import render_records
from charlens.cli.sarif import as_sarif
from charlens.cli.terminal import Interruption, complain, paint, print_lines, progress, reason, shown
from charlens.cli.walk import find_files
from charlens.cli.writers import Job, painted, work_on, writer_options, writing_of
from charlens.encodings import canonical
from charlens.errors import CharlensError
from charlens.files.plan import NEWLINES, Request

_LOST = (Problem("unreadable", "the process that read it ended"),)
_KEYS = ("path", "rule", "words", "line", "column", "fixed")
INTERRUPTED = 130


@click.command()
@click.argument("paths", nargs=-1, required=True, metavar="PATH...", type=click.Path())
@click.option(
    "--encoding", "-e", default="utf-8", show_default=True, metavar="ENCODING", help="What is wanted."
)
@click.option("--bom/--no-bom", default=None, help="A byte order mark is wanted, or not.  [default: either]")
@click.option(
    "--newline", type=click.Choice(tuple(NEWLINES)), help="The line end that is wanted.  [default: any]"
)
@click.option("--fix", is_flag=True, help="Fix what can be proved right.")
@click.option(
    "--min-confidence",
    type=click.FloatRange(0, 1),
    default=0.9,
    show_default=True,
    help="--fix leaves files below it.",
)
@writer_options
@click.option(
    "--off", multiple=True, metavar="RULE[:GLOB]", help="Switch a rule off, everywhere or for some paths."
)
@click.option("--no-ignore", is_flag=True, help="Also check what .gitignore files name.")
@click.option(
    "--jobs", "-j", type=click.IntRange(0), default=0, help="Processes.  [default: one a processor]"
)
@click.option(
    "--format", "form", type=click.Choice(("text", "json", "jsonl", "csv", "sarif")), default="text"
)
@click.option("--quiet", "-q", is_flag=True, help="Print nothing; only set the exit code.")
@click.option("--verbose", "-v", is_flag=True, help="Also say how many files were checked.")
def check(paths: tuple[str, ...], **given: Any) -> None:
    """Check that files are in the wanted encoding; the exit code is 1 where one is not.

    Found are: another encoding, bytes that do not decode, files in several encodings, text that was decoded
    wrongly before it was saved (GrÃ¼ÃŸe), text that was damaged then (U+FFFD), wrong marks and line ends, and
    declarations that contradict the file. Binary files pass. --fix changes only what can be proved right; the
    exit code is 1 then, too, for pre-commit to stop. A line with 'charlens: ignore' in it is not looked at;
    'charlens: ignore[rule]' switches one rule off there.

    \b
    charlens check .                                    is everything UTF-8?
    charlens check --no-bom --newline lf src docs       and plain
    charlens check --off 'mojibake:tests/*' .           switch a rule off for some paths
    charlens check --fix --newline lf .                 fix it
    charlens check --format sarif . > charlens.sarif    for a code host
    """
    try:
        wanted = Wanted(canonical(given["encoding"]), given["bom"], given["newline"], given["min_confidence"])
        wanted = wanted._replace(off=switched_off(given["off"]))
    except (CharlensError, ValueError) as error:
        raise click.UsageError(str(error)) from None
    if given["fix"]:
        writing_of(given, "check")
    run = _Run(wanted, given)
    if given["form"] == "sarif":
        print_lines([as_sarif(run.records(paths), RULES)])
    elif given["form"] != "text":
        print_lines(render_records(run.records(paths), given["form"], _KEYS))
    else:
        print_lines(run.lines(paths))
    sys.exit(INTERRUPTED if run.interrupted else 1 if run.problems else 0)


class _Run:
    """One call of the command, and how much it found."""

    def __init__(self, wanted: Wanted, given: dict[str, Any]) -> None:
        self.wanted = wanted
        self.given = given
        self.files = self.bad = self.problems = 0
        self.interrupted = False
        # SARIF has URIs, which are made of the name itself.
        self.name: Callable[[str], str] = str if given["form"] == "sarif" else shown

    def lines(self, paths: tuple[str, ...]) -> Iterator[str]:
        """Yield a line for each problem, in the form that editors jump to, and a summary."""
        for record in self.records(paths):
            place = ":".join(str(record[key]) for key in ("line", "column") if record[key])
            where = f"{record['path']}:{place}" if place else record["path"]
            fixed = paint(" (fixed)", "green") if record["fixed"] else ""
            if not self.given["quiet"]:
                yield f"{where}: {paint(record['rule'], 'red')}: {record['words']}{fixed}"
        if self.given["verbose"] or (self.problems and not self.given["quiet"]):
            yield f"{self.files:,} files checked, {self.bad:,} failed, {self.problems:,} problem(s)"

    def records(self, paths: tuple[str, ...]) -> Iterator[dict[str, Any]]:
        """Yield the problems of all files as plain data."""
        ignore = not self.given["no_ignore"]

        def bad_folder(path: str, error: OSError) -> None:
            complain(f"{shown(path)}: {reason(error)}")
            self.problems += 1

        def count() -> int:
            return sum(1 for _ in find_files(paths, ignore=ignore, complain=lambda path, error: None))

        files = (entry.path for entry in find_files(paths, ignore=ignore, complain=bad_folder))
        work = partial(check_file, wanted=self.wanted)
        with Interruption() as stop:
            results = map_paths(work, files, self.given["jobs"], stop)
            with progress(count, quiet=self.given["quiet"]) as advance:
                for path, result in results:
                    advance(1)
                    yield from self._problems(path, _LOST if result is None else result)
            self.interrupted = stop.asked

    def _problems(self, path: str, problems: tuple[Problem, ...]) -> Iterator[dict[str, Any]]:
        """Count the problems of one file, fix them if asked to, and yield them."""
        self.files += 1
        self.problems += len(problems)
        self.bad += bool(problems)
        left = self._fix(path, problems) if problems and self.given["fix"] else problems
        rules = {problem.rule for problem in left}
        for problem in problems:
            yield {"path": self.name(path), **problem._asdict(), "fixed": problem.rule not in rules}

    def _fix(self, path: str, problems: tuple[Problem, ...]) -> tuple[Problem, ...]:
        """Fix the file at *path* where that can be proved right; return the problems that are left."""
        wanted = self.wanted
        rules = {problem.rule for problem in problems}
        request = Request(
            wanted.encoding,
            wanted.bom,
            wanted.newline,
            wanted.min_confidence,
            declarations=not wanted.is_off("declaration", path),
            repair="mojibake" in rules,
            spare_examples=True,
        )
        result = work_on(path, Job(request, writing_of(self.given, "check"), self.given["diff"]))
        if result.status == "refused":
            complain(f"{shown(path)}: not fixed: {result.words}")
        if self.given["form"] == "text":
            print_lines(painted(result.diff))
        return check_file(path, wanted) if result.status == "changed" else problems
