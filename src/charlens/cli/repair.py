"""`charlens repair`: repair mojibake, completely or not at all.

Arguments and messages; `charlens.repair` repairs the text, and `charlens.files.plan` decides what may be written.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any

import click

from charlens.cli.options import INPUT
from charlens.cli.terminal import complain, print_lines, shown
from charlens.cli.writers import (
    Job,
    Result,
    carry_out,
    convert_input,
    differences,
    painted,
    refuse_for_input,
    work_on,
    writer_options,
    writing_of,
)
from charlens.files.ignored import without_ignored
from charlens.files.line_ends import Line
from charlens.files.reading import Request
from charlens.files.streaming import is_large, plan_path
from charlens.mojibake.damage import find_damage

_NOTHING = "no mojibake found"
_REQUEST = Request(None, declarations=False, repair=True)


@click.command()
@click.argument("paths", nargs=-1, required=True, metavar="FILE...", type=INPUT)
@click.option("--in-place", "-i", is_flag=True, help="Write the repaired files; on a terminal, ask first.")
@click.option("--yes", "-y", is_flag=True, help="Do not ask for confirmation.")
@writer_options
@click.option("--quiet", "-q", is_flag=True, help="Do not show the changes.")
def repair(paths: tuple[str, ...], **given: Any) -> None:
    """Repair mojibake, text that was decoded with the wrong encoding and then saved: 'GrÃ¼ÃŸe' becomes 'Grüße'.

    charlens repairs the whole text, or single lines if only some are wrong, and changes a file only if the result is
    free of mojibake. It prints the changes and writes them only with --in-place. The exit code is 1 if a file needs
    repair but was not written, or could not be read.

    \b
    charlens repair notes.txt                   show the changes
    charlens repair notes.txt | less -R
    charlens repair --in-place --backup *.txt   write them, keep notes.txt.bak
    charlens repair - < notes.txt > right.txt   from standard input to standard output
    """
    if paths == ("-",):
        refuse_for_input(given, ("in_place", "log", "backup", "diff"), "repaired")
        convert_input(_REQUEST)
        return
    writing = writing_of(given, "repair")
    job = Job(_REQUEST, writing)
    left = [path for path in paths if not _repair(path, job, given)]
    sys.exit(1 if left else 0)


def _repair(path: str, job: Job, given: dict[str, Any]) -> bool:
    """Repair one file; return whether it is free of mojibake now."""
    name = shown(path)
    if os.path.isdir(path):
        complain(f"{name}: is a folder; 'charlens check {name}' finds the mojibake in it")
        return False
    if is_large(path):
        return _repair_large(path, job, given)
    plan, recipe = plan_path(path, job.request)
    if recipe is not None and plan.status == "change":  # it has grown
        return _repair_large(path, job, given)
    if plan.status in ("refused", "binary"):
        complain(f"{name}: {plan.words}")
        return False
    if plan.status == "unchanged":
        damage = find_damage(without_ignored(plan.old_text, "lost"))
        if damage:
            place = Line.place(plan.old_text, damage[0].start)
            complain(f"{name}:{place.line}:{place.column}: not repaired: {damage[0].words}")
        elif not given["quiet"]:
            complain(f"{name}: {_NOTHING}")
        return not damage
    if given["diff"] or not given["quiet"]:
        print_lines(painted(tuple(differences(plan))))
    return _write(name, given, lambda: carry_out(plan, job))


def _repair_large(path: str, job: Job, given: dict[str, Any]) -> bool:
    """Repair a large file as a stream; its changes are not shown, and it is read twice only to ask for confirmation."""
    name = shown(path)
    asks = not given["in_place"] or (not given["yes"] and sys.stdin.isatty())
    result = work_on(path, job._replace(writing=None) if asks else job)
    if result.status in ("refused", "binary"):
        complain(f"{name}: {result.words}")
    elif result.status == "unchanged" and not given["quiet"]:
        complain(f"{name}: {_NOTHING}")
    if result.status not in ("change", "changed"):
        return result.status == "unchanged"
    if not given["quiet"]:
        print_lines([f"{name}: {result.words}"])
    return result.status == "changed" or _write(name, given, lambda: work_on(path, job))


def _write(name: str, given: dict[str, Any], change: Callable[[], Result]) -> bool:
    """Change the file if requested, after a confirmation on a terminal; return whether it was changed."""
    if not given["in_place"]:
        if not given["quiet"]:
            complain(f"{name}: not written; to write the changes, add --in-place")
        return False
    if not given["yes"] and sys.stdin.isatty() and not click.confirm(f"Write {name}?", err=True):
        return False
    result = change()
    if result.status == "refused":
        complain(f"{name}: {result.words}")
    elif not given["quiet"]:
        complain(f"{name}: repaired")
    return result.status == "changed"
