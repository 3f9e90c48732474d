"""`charlens edit`: an editor on a UTF-8 copy of a file, written back in the file's own encoding."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import Any

import click

from charlens.cli.options import encoding_option
from charlens.cli.terminal import complain, shown
from charlens.cli.write import open_or_make, write_text
from charlens.cli.writers import writer_options
from charlens.files.editing import shown_text

_DEFAULT = "notepad" if sys.platform == "win32" else "vi"


@click.command()
@click.argument("path", metavar="FILE", type=click.Path())
@encoding_option
@click.option("--editor", metavar="COMMAND", help="Instead of $VISUAL or $EDITOR.")
@writer_options
@click.option("--quiet", "-q", is_flag=True, help="Say nothing if all is well.")
def edit(path: str, **given: Any) -> None:
    """Edit FILE with $VISUAL or $EDITOR as UTF-8, and write it back in its own encoding, mark and line ends.

    The editor gets a copy; lines that stay the same keep their bytes. If the encoding cannot hold a character, FILE
    stays as it was, the copy is kept and named, and the exit code is 1.

    \b
    charlens edit readme.1st
    EDITOR='code --wait' charlens edit src/main.pas
    """
    document = open_or_make(path, given["encoding"])
    folder = Path(mkdtemp(prefix="charlens-"))
    copy = folder / os.path.basename(path)
    copy.write_text(shown_text(document), encoding="utf-8", newline="")
    command = given["editor"] or os.environ.get("VISUAL") or os.environ.get("EDITOR") or _DEFAULT
    if not _run(command, copy):
        rmtree(folder, ignore_errors=True)
        sys.exit(1)
    try:
        text = copy.read_bytes().decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        complain(
            f"{shown(path)}: the editor left no UTF-8 in {shown(str(copy))} ({error}); nothing was written"
        )
        sys.exit(1)
    if not write_text(document, text, given, "edit"):
        complain(f"your text is in {shown(str(copy))}")
        sys.exit(1)
    rmtree(folder, ignore_errors=True)


def _run(command: str, copy: Path) -> bool:
    try:
        done = subprocess.run([*shlex.split(command), str(copy)], check=False)
    except OSError as error:
        complain(f"{command}: {error.strerror}; set $EDITOR, or use --editor")
        return False
    if done.returncode:
        complain(f"{command}: ended with {done.returncode}; nothing was written")
    return done.returncode == 0
