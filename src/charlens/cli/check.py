"""`charlens check`: check that files are in the expected encoding, for pre-commit and CI.

Arguments and messages; the checks are in `checking`, fixing is planned in `charlens.files.plan`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import click

from charlens.cli.checking import RULES, Problem, Wanted, check_file, switched_off, wanted_for
from charlens.cli.hosts import HOSTS
from charlens.cli.options import INPUT, format_option, jobs_option, no_ignore_option
from charlens.cli.pool import map_paths
from charlens.cli.records import render_records
from charlens.cli.terminal import Interruption, complain, count, paint, print_lines, progress, reason, shown
from charlens.cli.walk import choice_of, choice_options, find_files
from charlens.cli.writers import Job, painted, work_on, writer_options, writing_of
from charlens.encodings import canonical, squeeze
from charlens.errors import CharlensError
from charlens.files.plan import NEWLINES
from charlens.files.reading import Request
from charlens.files.words import as_command

_LOST = (Problem("unreadable", "the worker process crashed while reading it"),)
_KEYS = ("path", "rule", "message", "line", "column", "fixed")
FORMATS = ("text", "json", "jsonl", "csv", *HOSTS)
INTERRUPTED = 130


@click.command()
@click.argument("paths", nargs=-1, metavar="[PATH]...", type=INPUT)
@click.option(
    "--encoding", "-e", default="utf-8", show_default=True, metavar="ENCODING", help="The expected encoding."
)
@click.option("--bom/--no-bom", default=None, help="Require or forbid a byte order mark.  [default: either]")
@click.option(
    "--newline",
    type=click.Choice(tuple(NEWLINES), case_sensitive=False),
    help="The expected line ending.  [default: any]",
)
@click.option("--fix", is_flag=True, help="Fix what can be fixed safely.")
@click.option("--exit-non-zero-on-fix", is_flag=True, help="Exit with code 1 even if everything was fixed.")
@click.option(
    "--min-confidence",
    type=click.FloatRange(0, 1),
    default=0.9,
    show_default=True,
    help="--fix skips files detected with a lower confidence.",
)
@writer_options
@click.option(
    "--off",
    multiple=True,
    metavar="RULE[:GLOB]",
    help="Turn a rule off, everywhere or for matching paths; repeatable.",
)
@choice_options
@no_ignore_option
@jobs_option
@format_option(FORMATS)
@click.option("--quiet", "-q", is_flag=True, help="Print nothing; only set the exit code.")
def check(paths: tuple[str, ...], **given: Any) -> None:
    """Check that files are in the expected encoding, UTF-8 by default; exit with code 1 if not.

    PATH defaults to the current folder. The rules report files in another encoding or in several encodings, bytes that
    do not decode, mojibake (GrÃ¼ÃŸe), characters that were lost (U+FFFD), unexpected byte order marks and line endings,
    and declarations that do not match the file. Binary files pass, and files kept by --backup are skipped. --fix only
    writes changes that were verified; if it fixes everything, the exit code is 0.

    To silence one line, put 'charlens: ignore' or 'charlens: ignore[rule]' in it.

    \b
    charlens check                                      check the current folder
    charlens check --no-bom --newline lf src docs       also check marks and line endings
    charlens check --off 'mojibake:tests/*' .           turn a rule off for some paths
    charlens check --fix --newline lf .                 fix what can be fixed
    charlens check --format sarif . > charlens.sarif    for code scanning
    """
    label, bom = given["encoding"], given["bom"]
    if bom is None and squeeze(label) == "utf8sig":  # Python's name for UTF-8 with a byte order mark
        bom = True
    try:
        wanted = Wanted(canonical(label), bom, given["newline"], given["min_confidence"])
        wanted = wanted._replace(off=switched_off(given["off"]))
    except (CharlensError, ValueError) as error:
        raise click.UsageError(str(error)) from None
    paths = paths or (".",)
    if given["fix"]:
        writing_of(given, "check")
    run = _Run(wanted, given)
    if given["form"] in HOSTS:
        print_lines(HOSTS[given["form"]](run.records(paths), RULES))
    elif given["form"] != "text":
        print_lines(render_records(run.records(paths), given["form"], _KEYS))
    else:
        print_lines(run.lines(paths))
    failed = run.problems if given["exit_non_zero_on_fix"] else run.problems - run.fixed
    sys.exit(INTERRUPTED if run.interrupted else 1 if failed else 0)


class _Run:
    """One call of the command, with its counts."""

    def __init__(self, wanted: Wanted, given: dict[str, Any]) -> None:
        self.wanted = wanted
        self.given = given
        self.files = self.bad = self.problems = self.fixed = 0
        self.choice = choice_of(given, given["suffix"])
        self.stop = Interruption()
        self.interrupted = False
        # Records have the real name, and so has SARIF for its URIs.
        escaped = given["form"] in ("text", "github", "gitlab")
        self.name: Callable[[str], str] = shown if escaped else str

    def lines(self, paths: tuple[str, ...]) -> Iterator[str]:
        """Yield a line for each problem, as path:line:column for editors, and a summary."""
        for record in self.records(paths):
            place = ":".join(str(record[key]) for key in ("line", "column") if record[key])
            where = f"{record['path']}:{place}" if place else record["path"]
            fixed = paint(" (fixed)", "green") if record["fixed"] else ""
            if not self.given["quiet"]:
                yield f"{where}: {paint(record['rule'], 'red')}: {record['message']}{fixed}"
        if not self.given["quiet"]:
            yield self._summary()

    def _summary(self) -> str:
        if not self.problems:
            return f"{count(self.files, 'file')} checked, no problems found"
        files, problems = count(self.files, "file"), count(self.problems, "problem")
        if self.given["fix"]:
            return f"{files} checked: {problems} found, {self.fixed:,} fixed, {self.problems - self.fixed:,} left"
        return f"{files} checked, {self.bad:,} failed: {problems} found"

    def records(self, paths: tuple[str, ...]) -> Iterator[dict[str, Any]]:
        """Yield the problems of all files as plain data."""
        look = partial(find_files, paths, ignore=not self.given["no_ignore"], choice=self.choice)

        def bad_folder(path: str, error: OSError) -> None:
            complain(f"{shown(path)}: {reason(error)}")
            self.problems += 1

        def how_many() -> int:
            return sum(1 for _ in look(complain=lambda path, error: None))

        files = (entry.path for entry in look(complain=bad_folder))
        work = partial(check_file, wanted=self.wanted)
        with self.stop as stop:
            results = map_paths(work, files, self.given["jobs"], stop)
            with progress(how_many, quiet=self.given["quiet"]) as advance:
                for path, result in results:
                    advance(1)
                    yield from self._problems(path, _LOST if result is None else result)
            self.interrupted = stop.asked
        if self.interrupted:
            complain(f"interrupted after {count(self.files, 'file')}")

    def _problems(self, path: str, problems: tuple[Problem, ...]) -> Iterator[dict[str, Any]]:
        """Count the problems of one file, fix them if requested, and yield them."""
        self.files += 1
        self.bad += bool(problems)
        left = self._fix(path, problems) if problems and self.given["fix"] else problems
        rules = {problem.rule for problem in left}
        # What shows only after the fix: the text of a file that was in another encoding.
        seen = {problem.rule for problem in problems}
        problems += tuple(problem for problem in left if problem.rule not in seen)
        self.problems += len(problems)
        for problem in sorted(problems, key=lambda problem: (problem.line, problem.column)):
            fixed = problem.rule not in rules
            self.fixed += fixed
            line, column = problem.line or None, problem.column or None
            yield dict(
                zip(_KEYS, (self.name(path), problem.rule, problem.message, line, column, fixed), strict=True)
            )

    def _fix(self, path: str, problems: tuple[Problem, ...]) -> tuple[Problem, ...]:
        """Fix the file at *path* as far as the fix can be verified; return the remaining problems."""
        rules = {problem.rule for problem in problems}
        if rules == {"unreadable"}:
            return problems
        try:
            wanted = wanted_for(path, self.wanted)
        except (OSError, ValueError):  # it is gone
            return problems
        request = Request(
            wanted.encoding,
            wanted.bom,
            wanted.newline,
            wanted.min_confidence,
            declarations=not wanted.is_off("declaration", path),
            repair="mojibake" in rules,
            spare_examples=True,
        )
        job = Job(request, writing_of(self.given, "check"), self.given["diff"])
        result = self.stop.run(partial(work_on, path, job))
        if result is None:
            return problems
        if result.status == "refused":
            complain(f"{shown(path)}: not fixed: {as_command(result.words)}")
        if self.given["form"] == "text":
            print_lines(painted(result.diff))
        # The new bytes were verified before writing; after Ctrl-C they are not checked a second time.
        return (
            self.stop.run(partial(check_file, path, wanted)) or () if result.status == "changed" else problems
        )
