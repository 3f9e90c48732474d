"""Shared by the verbs that write files: their options, executing a plan, standard input, and showing a diff.

`work_on` runs in several processes, so its arguments and results are small, and it does not print.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice
from typing import Any, NamedTuple, TypeVar

import click

from charlens.cli.options import on_the_line
from charlens.cli.pool import hold
from charlens.cli.terminal import complain, paint, print_bytes, safe, shown
from charlens.errors import CharlensError
from charlens.files.atomic import is_journal
from charlens.files.declarations import Edit
from charlens.files.journal import Journal
from charlens.files.line_ends import Change, find_changes
from charlens.files.plan import Plan, plan_bytes, plan_file
from charlens.files.reading import Refused, Request, in_words
from charlens.files.streaming import Recipe, is_large, plan_path, transcode, write_large
from charlens.files.words import reason
from charlens.files.writing import (
    Writing,
    finish_target,
    need_replaceable,
    prepare_target,
    same_as,
    write_plan,
    write_to,
)
from charlens.plural import count

F = TypeVar("F", bound=Callable[..., Any])

_COLOURS = {"+": "green", "-": "red", "@": "cyan"}
#: The most lines of a diff shown for one file.
_MOST_LINES = 2000
#: Characters of a text whose lines are not taken apart to compare them.
_LONG = 4 << 20


def writer_options(verb: F) -> F:
    """Add the options of every verb that writes."""
    for option in (
        click.option(
            "--log",
            type=click.Path(dir_okay=False),
            help="Record the changes in this file, so that 'charlens undo' can revert them.",
        ),
        click.option("--diff", is_flag=True, help="Show the changes to the text."),
        click.option(
            "--suffix",
            default=".bak",
            show_default=True,
            help="The suffix that --backup adds to the file name.",
        ),
        click.option("--backup", "-b", is_flag=True, help="Keep a copy of the original file."),
    ):
        verb = option(verb)
    return verb


def writing_of(given: dict[str, Any], verb: str) -> Writing:
    """Return how to write, by the options *given*; report impossible combinations before any work is done."""
    if given["backup"] and (not given["suffix"] or "/" in given["suffix"]):
        raise click.UsageError(
            "--suffix must not be empty or contain '/', because the backup needs a different name in the same folder."
        )
    if on_the_line("suffix") and not given["backup"]:
        raise click.UsageError("--suffix is the suffix of backups; add --backup to keep them.")
    if given["log"]:
        try:
            Journal(given["log"]).open()
        except OSError as error:
            raise click.UsageError(f"--log: cannot write to {given['log']} ({error.strerror}).") from None
    backup = given["suffix"] if given["backup"] else None
    return Writing(backup, given["log"], bool(given.get("keep_times")), verb, hold)


class Result(NamedTuple):
    """The result for one file."""

    path: str
    #: 'change' (in a dry run), 'changed', 'unchanged', 'refused' or 'binary'.
    status: str
    source: str | None = None
    confidence: float | None = None
    words: str = ""
    #: The difference in the text, if requested.
    diff: tuple[str, ...] = ()
    target: str = ""
    #: The new encoding.
    encoding: str | None = None


class Job(NamedTuple):
    """What `work_on` does to every file."""

    request: Request
    #: None in a dry run.
    writing: Writing | None
    diff: bool = False


def refuse_for_input(given: dict[str, Any], options: tuple[str, ...], done: str) -> None:
    """Exit with a message if one of *options*, which need a file, is given on the command line for standard input."""
    for option in options:
        if given[option] and on_the_line(option):
            name = option.replace("_", "-")
            raise click.UsageError(f"--{name}: standard input is {done} to standard output; name a file.")


def convert_input(request: Request) -> None:
    """Write standard input to standard output with the changes in *request*; exit with 1 if they are refused."""
    plan = plan_bytes(sys.stdin.buffer.read(), request)
    if plan.status in ("refused", "binary"):
        complain(f"standard input: {plan.words}")
        sys.exit(1)
    print_bytes((plan.after,))


def work_on(path: str, job: Job, target: str | None = None) -> Result:
    """Plan, verify and write one file; never raise."""
    log = job.writing.log if job.writing else None
    if is_journal(path) or (log and os.path.realpath(path) == os.path.realpath(log)):
        return Result(path, "binary", words="a journal of charlens, which is never changed")
    whole = job.diff or (target is not None and log is not None)
    plan, recipe = plan_path(path, job.request, whole=whole)
    if recipe is not None:
        try:
            return _stream(plan, recipe, job, target)
        except Refused as error:
            if is_large(path):
                return Result(path, "refused", plan.source, _confidence(plan), str(error), (), target or path)
        plan = plan_file(path, job.request)
    return carry_out(plan, job, target)


def _stream(plan: Plan, recipe: Recipe, job: Job, target: str | None) -> Result:
    """Prove and write one file piece by piece; raise `Refused` where a piece cannot be proved."""
    path = plan.path
    result = Result(
        path, plan.status, plan.source, _confidence(plan), plan.words, (), target or path, plan.target
    )
    if plan.status == "unchanged" and target is None:
        return result
    try:
        if job.writing is None:
            for _ in transcode(path, recipe):
                pass
        else:
            if target is not None:
                prepare_target(target, job.writing)
            write_large(plan, recipe, target, job.writing)
            if target is not None:
                finish_target(path, target, job.writing)
    except Refused:
        raise
    except (OSError, CharlensError, MemoryError) as error:
        return result._replace(status="refused", words=_why_not(error, target))
    if recipe.repairer is not None:
        result = result._replace(words=f"repairs {count(recipe.repairer.parts, 'passage')}")
    if recipe.pieces is not None:
        names = [name for name in recipe.pieces.names if name != "ascii"]
        result = result._replace(source=in_words(names), words="in parts")
    return result._replace(status="changed") if job.writing and plan.status == "change" else result


def carry_out(plan: Plan, job: Job, target: str | None = None) -> Result:
    """Write a verified *plan*, to *target* if one is given; if that fails, the result is 'refused'."""
    diff = tuple(differences(plan)) if job.diff and plan.status == "change" else ()
    result = Result(
        plan.path,
        plan.status,
        plan.source,
        _confidence(plan),
        plan.words,
        diff,
        target or plan.path,
        plan.target,
    )
    if job.writing is None or plan.status not in ("change", "unchanged"):
        return result
    try:
        if target is not None:
            write_to(plan, target, job.writing)
        elif plan.status == "change":
            write_plan(plan, job.writing, same_as(plan.path, plan.before))
    except (OSError, CharlensError, MemoryError) as error:
        return result._replace(status="refused", words=_why_not(error, target))
    return result._replace(status="changed") if plan.status == "change" else result


def foreseen(result: Result) -> Result:
    """Return the *result* of a dry run, refused if the file that it would replace may not be replaced."""
    if result.status != "change":
        return result
    try:
        need_replaceable(result.target)
    except OSError as error:
        return result._replace(status="refused", words=reason(error))
    return result


def _confidence(plan: Plan) -> float | None:
    """Return how certain the detection was; None for an encoding that was given, and that it did not find."""
    verdict = plan.verdict
    if verdict is None:
        return None
    found = plan.mixed or plan.source is None or plan.source in (verdict.encoding, *verdict.equivalents)
    return verdict.confidence if found else None


def _why_not(error: Exception, target: str | None) -> str:
    """Return why a file was not written; an error of the system names *target*, if there is one."""
    return f"{shown(target)}: {reason(error)}" if target and isinstance(error, OSError) else reason(error)


def differences(plan: Plan) -> Iterator[str]:
    """Yield the difference between the old and the new text in the format of `diff -u`."""
    name = shown(plan.path)
    if len(plan.old_text) > _LONG and [change.kind for change in plan.changes] == ["repair"]:
        hunks = _repaired(plan.old_text, plan.changes[0].edits)
    else:
        old, new = plan.old_text.splitlines(), plan.new_text.splitlines()
        hunks = chain.from_iterable(_hunk(old, new, near) for near in _near(find_changes(old, new)))
    first = next(hunks, None)
    if first is None:
        return  # only line endings differ
    lines = chain((f"--- {name}", f"+++ {name} (changed)", first), hunks)
    for line in islice(lines, _MOST_LINES):
        yield safe(line)
    if next(lines, None) is not None:
        yield f"… more than {_MOST_LINES:,} lines of changes; the rest is not shown"


def _repaired(text: str, edits: Iterable[Edit]) -> Iterator[str]:
    """Yield the lines of a long *text* that are repaired, without those around them: there is no need to compare."""
    line = done = 0
    for edit in edits:
        line += text.count("\n", done, edit.start)
        done = edit.start
        old, new = edit.old.splitlines(), edit.new.splitlines()
        yield f"@@ -{_range(line, len(old))} +{_range(line, len(new))} @@"
        yield from (f"-{each}" for each in old)
        yield from (f"+{each}" for each in new)


def _near(changes: Iterable[Change]) -> Iterator[list[Change]]:
    """Yield groups of *changes* that belong to one hunk because the lines around them meet."""
    group: list[Change] = []
    for change in changes:
        if group and change.old_start - group[-1].old_end > 2:
            yield group
            group = []
        group.append(change)
    if group:
        yield group


def _hunk(old: list[str], new: list[str], changes: list[Change]) -> Iterator[str]:
    """Yield the lines of one hunk, with one line of context."""
    before = min(1, changes[0].old_start)
    after = min(1, len(old) - changes[-1].old_end)
    old_start, new_start = changes[0].old_start - before, changes[0].new_start - before
    old_size = changes[-1].old_end + after - old_start
    new_size = changes[-1].new_end + after - new_start
    yield f"@@ -{_range(old_start, old_size)} +{_range(new_start, new_size)} @@"
    done = old_start
    for change in changes:
        yield from (f" {line}" for line in old[done : change.old_start])
        yield from (f"-{line}" for line in old[change.old_start : change.old_end])
        yield from (f"+{line}" for line in new[change.new_start : change.new_end])
        done = change.old_end
    yield from (f" {line}" for line in old[done : done + after])


def _range(start: int, size: int) -> str:
    """Return a range of lines in the format of `diff -u`: counted from 1; an empty one has the line before."""
    return f"{start + 1}" if size == 1 else f"{start + 1 if size else start},{size}"


def painted(diff: tuple[str, ...]) -> Iterator[str]:
    """Yield the lines of a difference in colours."""
    return (paint(line, _COLOURS.get(line[:1], "")) for line in diff)


def refused(result: Result) -> None:
    """Print the reason why a file was not written."""
    complain(f"{shown(result.path)}: not written: {result.words}")
