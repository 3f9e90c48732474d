"""`charlens undo`: restore what a journal of `convert`, `check --fix` or `repair` has written down."""

from __future__ import annotations

import sys
from collections import Counter
from typing import Any

import click

from charlens.cli.terminal import complain, print_lines, shown
from charlens.errors import CharlensError


@click.command()
@click.argument("journal", type=click.Path(dir_okay=False))
@click.option("--dry-run", "-n", is_flag=True, help="Only show what would be restored.")
@click.option("--quiet", "-q", is_flag=True, help="Name only what was not restored.")
def undo(journal: str, **given: Any) -> None:
    """Restore the files that JOURNAL, written with --log, tells of, byte by byte.

    A file that somebody changed since is left alone and named; the exit code is then 1.

    \b
    charlens convert -i --log done.jsonl old/
    charlens undo done.jsonl
    """
    from charlens.files.journal import undo as undo_all

    counts: Counter[str] = Counter()
    try:
        for done in undo_all(journal, dry_run=given["dry_run"]):
            counts[done.status] += 1
            if done.status == "refused":
                complain(f"{shown(done.path)}: not restored: {done.words}")
            elif done.status == "restored" and not given["quiet"]:
                print_lines([f"{shown(done.path)}: {done.words or 'restored'}"])
    except (OSError, CharlensError, UnicodeError) as error:
        complain(f"{shown(journal)}: {getattr(error, 'strerror', None) or error}")
        sys.exit(1)
    if not given["quiet"]:
        words = "would be restored" if given["dry_run"] else "restored"
        print_lines(
            [
                f"{counts['restored']:,} {words}, {counts['unchanged']:,} need no change, {counts['refused']:,} refused"
            ]
        )
    sys.exit(1 if counts["refused"] else 0)
