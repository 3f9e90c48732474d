"""`charlens write`: UTF-8 from standard input into a file, in the encoding of the file.

Arguments and messages; `charlens.files.editing` decides what may be written.
"""

from __future__ import annotations

import os
import sys
from typing import Any

import click

from charlens.cli.options import INPUT, encoding_option
from charlens.cli.terminal import complain, print_lines, shown
from charlens.cli.writers import Job, carry_out, foreseen, painted, writer_options, writing_of
from charlens.encodings import canonical
from charlens.errors import CharlensError
from charlens.files.document import Document
from charlens.files.editing import new_document, open_document, plan_text
from charlens.files.reading import Request
from charlens.files.words import reason


@click.command()
@click.argument("path", metavar="FILE", type=INPUT)
@encoding_option
@click.option("--dry-run", "-n", is_flag=True, help="Only check whether it can be written.")
@writer_options
@click.option("--quiet", "-q", is_flag=True, help="Print nothing on success.")
def write(path: str, **given: Any) -> None:
    """Replace the content of FILE with UTF-8 from standard input, keeping its encoding, BOM and line endings.

    Lines that do not change keep their exact bytes. If the encoding cannot represent a character, charlens reports the
    character, writes nothing, and exits with code 1. A new file is written as UTF-8, or in the encoding that
    .editorconfig or .gitattributes ask for, with the line endings of .editorconfig or else those of the input.

    \b
    charlens cat old.c | sed 's/Grosse/Größe/' | charlens write old.c
    charlens write --dry-run notes.txt < new.txt
    """
    try:
        text = sys.stdin.buffer.read().decode("utf-8")
    except UnicodeDecodeError as error:
        raise click.UsageError(
            f"Standard input is not UTF-8 (byte {error.start}). Nothing was written."
        ) from None
    document = open_or_make(path, given["encoding"])
    if text in ("", "\ufeff") and document.text:
        raise click.UsageError("Standard input is empty. Nothing was written.")
    sys.exit(0 if write_text(document, text, given, "write") else 1)


def open_or_make(path: str, encoding: str | None) -> Document:
    """Return the document at *path*, or a new one; print an error and exit if that is not possible."""
    try:
        canonical(encoding or "utf-8")
    except CharlensError as error:
        raise click.UsageError(str(error)) from None
    try:
        return open_document(path, encoding) if os.path.lexists(path) else new_document(path, encoding)
    except (OSError, ValueError, CharlensError) as error:
        complain(f"{shown(path)}: {reason(error)}")
        sys.exit(1)


def write_text(document: Document, text: str, given: dict[str, Any], verb: str) -> bool:
    """Plan, verify and write; return whether the file now has the text."""
    plan = plan_text(document, text, certain=bool(given["encoding"]))
    job = Job(Request(None), None if given.get("dry_run") else writing_of(given, verb), given["diff"])
    result = carry_out(plan, job)
    result = result if job.writing else foreseen(result)
    name = shown(plan.path)
    if result.status == "refused":
        complain(f"{name}: not written: {result.words}")
        return False
    print_lines(painted(result.diff))
    if not given["quiet"]:
        words = {"change": "would be written", "changed": "written"}.get(result.status, "no change")
        print_lines([f"{name}: {words}{f' ({result.words})' if result.words else ''}"])
    return True
