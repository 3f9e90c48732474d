"""`charlens edit`: an editor on a UTF-8 copy of a file, written back in the encoding of the file."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import Any, NoReturn

import click

from charlens.cli.options import INPUT, encoding_option
from charlens.cli.terminal import complain, shown
from charlens.cli.write import open_or_make, write_text
from charlens.cli.writers import writer_options, writing_of
from charlens.files.editing import shown_text

_DEFAULT = "notepad" if sys.platform == "win32" else "vi"


@click.command()
@click.argument("path", metavar="FILE", type=INPUT)
@encoding_option
@click.option("--editor", metavar="COMMAND", help=f"The editor to run instead of $VISUAL, $EDITOR or {_DEFAULT}.")
@writer_options
@click.option("--quiet", "-q", is_flag=True, help="Print nothing on success.")
def edit(path: str, **given: Any) -> None:
    """Edit FILE as UTF-8 in $VISUAL or $EDITOR, then save it with its original encoding, BOM and line endings.

    The editor opens a temporary copy. Lines that you do not change keep their exact bytes. If you add a character that
    the encoding cannot represent, or if the editor fails, FILE is left unchanged, charlens says where your copy is, and
    the exit code is 1.

    \b
    charlens edit readme.1st
    EDITOR='code --wait' charlens edit src/main.pas
    """
    writing_of(given, "edit")  # wrong options are reported before the editor starts
    document = open_or_make(path, given["encoding"])
    folder = Path(mkdtemp(prefix="charlens-"))
    copy = folder / os.path.basename(path)
    opened = shown_text(document).encode("utf-8")
    copy.write_bytes(opened)
    command = given["editor"] or os.environ.get("VISUAL") or os.environ.get("EDITOR") or _DEFAULT
    if not _run(command, copy):
        _leave(folder, copy, opened)
    try:
        text = copy.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        complain(
            f"{shown(path)}: cannot read the edited copy {shown(str(copy))} as UTF-8 ({error}); nothing was written"
        )
        _leave(folder, copy, opened)
    if text in ("", "\ufeff") and document.text:
        complain(f"{shown(path)}: the edited copy is empty; nothing was written")
        rmtree(folder, ignore_errors=True)
        sys.exit(1)
    if not write_text(document, text, given, "edit"):
        _leave(folder, copy, opened)
    rmtree(folder, ignore_errors=True)


def _leave(folder: Path, copy: Path, opened: bytes) -> NoReturn:
    """Exit with code 1; keep the *copy* if it was edited, and say where it is."""
    if copy.is_file() and copy.read_bytes() != opened:
        complain(f"your text was kept in {shown(str(copy))}")
    else:
        rmtree(folder, ignore_errors=True)
    sys.exit(1)


def _run(command: str, copy: Path) -> bool:
    try:
        done = subprocess.run([*shlex.split(command), str(copy)], check=False)
    except (OSError, ValueError) as error:  # a quotation mark without its pair
        words = getattr(error, "strerror", None) or error
        complain(f"cannot start the editor {command!r} ({words}); set $EDITOR or use --editor")
        return False
    if done.returncode:
        end = f"exited with code {done.returncode}"
        if done.returncode < 0:
            end = f"was killed by signal {-done.returncode}"
        complain(f"the editor {command!r} {end}; nothing was written")
    return done.returncode == 0
