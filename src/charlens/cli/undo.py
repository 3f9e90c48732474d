"""`charlens undo`: revert the changes that --log recorded."""

from __future__ import annotations

import os
import sys
from collections import Counter
from typing import Any

import click

from charlens.cli.options import INPUT
from charlens.cli.terminal import complain, count, print_lines, shown
from charlens.errors import CharlensError


@click.command()
@click.argument("journal", type=INPUT)
@click.option("--dry-run", "-n", is_flag=True, help="Show what would be restored, and write nothing.")
@click.option("--quiet", "-q", is_flag=True, help="Only print files that could not be restored.")
def undo(journal: str, **given: Any) -> None:
    """Restore the original bytes of every file recorded in JOURNAL, a file written with --log.

    A file that was changed in the meantime is left unchanged and reported, and the exit code is 1. So is a file whose
    line in JOURNAL is incomplete, unless the file was not changed at all.

    \b
    charlens convert -i --log done.jsonl old/
    charlens undo done.jsonl
    """
    from charlens.files.journal import undo as undo_all

    counts: Counter[str] = Counter()
    try:
        for done in undo_all(journal, dry_run=given["dry_run"]):
            counts[done.status] += 1
            name = shown(_near(done.path))
            if done.status == "refused":
                complain(f"{name}: not restored: {done.words}")
            elif done.status == "unchanged" and done.words:
                complain(f"{name}: {done.words}")
            elif done.status == "restored" and not given["quiet"]:
                words = "would be restored" if given["dry_run"] else "restored"
                print_lines([f"{name}: {done.words or words}"])
    except UnicodeError:
        complain(f"{shown(journal)}: this is not a charlens journal")
        sys.exit(1)
    except (OSError, CharlensError) as error:
        words = getattr(error, "strerror", None) or str(error)
        complain(words if words.startswith(journal) else f"{shown(journal)}: {words}")
        sys.exit(1)
    if not given["quiet"]:
        words = "Would restore" if given["dry_run"] else "Restored"
        rest = f"({counts['unchanged']:,} unchanged, {counts['refused']:,} refused)"
        print_lines([f"{words} {count(counts['restored'], 'file')} {rest}"])
    sys.exit(1 if counts["refused"] else 0)


def _near(path: str) -> str:
    """Return *path* relative to the current folder, if it is in it."""
    try:
        inner = os.path.relpath(path)
    except ValueError:  # on another drive
        return path
    return path if inner.split(os.sep)[0] == os.pardir else inner
