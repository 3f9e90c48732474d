"""`charlens repair`: undo text that was encoded twice; the difference is shown before anything is written.

The plain case is `charlens.repair.mojibake`.  Where that leaves lines that still look wrong (bytes lost, a no-break space
turned into a space, several wrong decodings in one line), ftfy is the right tool, if it is installed.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from difflib import unified_diff
from pathlib import Path
from typing import Any

import click

from charlens.cli.terminal import complain, paint, print_lines, reason, safe, shown
from charlens.errors import CharlensError
from charlens.files.document import Document, load
from charlens.repair.mojibake import undo_double_encoding

_METHODS = ("auto", "plain", "ftfy")
_COLOURS = {"+": "green", "-": "red", "@": "cyan"}


@click.command()
@click.argument("paths", nargs=-1, required=True, metavar="FILE...", type=click.Path())
@click.option("--in-place", "-i", is_flag=True, help="Write what was repaired; on a terminal, after asking.")
@click.option("--yes", "-y", is_flag=True, help="Do not ask.")
@click.option("--backup", "-b", is_flag=True, help="Keep the old file beside the new one, as FILE.bak.")
@click.option(
    "--method",
    type=click.Choice(_METHODS),
    default="auto",
    show_default=True,
    help="Undo plainly, with ftfy, or plainly and then with ftfy where that is not enough.",
)
@click.option("--quiet", "-q", is_flag=True, help="No difference.")
def repair(paths: tuple[str, ...], **given: Any) -> None:
    """Undo text that was encoded twice: 'GrÃ¼ÃŸe' becomes 'Grüße' again.

    The difference is printed first; without --in-place nothing is written. The exit code is 1 where something is to be
    repaired and was not written, or a file could not be read.

    \b
    charlens repair notes.txt                   show what would change
    charlens repair notes.txt | less -R
    charlens repair --in-place --backup *.txt   repair, keep notes.txt.bak
    charlens repair --method ftfy notes.txt     ftfy alone (pip install 'charlens[repair]')
    """
    mend = _mender(given["method"])
    left = [path for path in paths if not _repair(path, mend, given)]
    sys.exit(1 if left else 0)


def _repair(path: str, mend: Callable[[str], str], given: dict[str, Any]) -> bool:
    """Repair one file; return whether nothing is left to do."""
    name = shown(path)
    try:
        document = load(Path(path))
        if not document.is_text:
            complain(f"{name}: {document.verdict.outcome.value}, not text")
            return False
        before, after = document.text, mend(document.text)
        if before == after:
            return True
        if not given["quiet"]:
            print_lines(_difference(name, before, after))
        if not given["in_place"]:
            return False
        if not given["yes"] and sys.stdin.isatty() and not click.confirm(f"Write {name}?", err=True):
            return False
        document.text = after
        _write(path, document, given["backup"])
    except (OSError, CharlensError, MemoryError) as error:
        complain(f"{name}: {reason(error)}")
        return False
    return True


def _write(path: str, document: Document, backup: bool) -> None:
    if backup:
        from charlens.cli.converting import write_backup

        write_backup(path, document.original, ".bak")
    document.save()


def _mender(method: str) -> Callable[[str], str]:
    """Return the function that repairs a text by *method*."""
    if method == "plain":
        return undo_double_encoding
    try:
        from ftfy import fix_encoding
        from ftfy.badness import is_bad
    except ImportError:
        if method == "ftfy":
            raise click.UsageError("ftfy is not installed: pip install 'charlens[repair]'") from None
        return undo_double_encoding

    def with_ftfy(text: str) -> str:
        # Only lines that look wrong: what is right must not change.
        return "\n".join(fix_encoding(line) if is_bad(line) else line for line in text.split("\n"))

    return with_ftfy if method == "ftfy" else lambda text: with_ftfy(undo_double_encoding(text))


def _difference(name: str, before: str, after: str) -> Iterator[str]:
    lines = unified_diff(before.split("\n"), after.split("\n"), name, f"{name} (repaired)", n=1, lineterm="")
    for line in lines:
        yield paint(safe(line), _COLOURS.get(line[:1], ""))
