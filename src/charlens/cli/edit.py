"""`charlens edit`: an editor on a UTF-8 copy of a file, written back in the encoding of the file."""

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
@click.option("--editor", metavar="COMMAND", help="The editor to run instead of $VISUAL or $EDITOR.")
@writer_options
@click.option("--quiet", "-q", is_flag=True, help="Print nothing on success.")
def edit(path: str, **given: Any) -> None:
    """Edit FILE as UTF-8 in $VISUAL or $EDITOR, then save it with its original encoding, BOM and line endings.

    The editor opens a temporary copy. Lines that you do not change keep their exact bytes. If you add a character that
    the encoding cannot represent, FILE is left unchanged, charlens says where your copy is, and the exit code is 1.

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
            f"{shown(path)}: cannot read the edited copy {shown(str(copy))} as UTF-8 ({error}); nothing was written"
        )
        sys.exit(1)
    if not write_text(document, text, given, "edit"):
        complain(f"your text was kept in {shown(str(copy))}")
        sys.exit(1)
    rmtree(folder, ignore_errors=True)


def _run(command: str, copy: Path) -> bool:
    try:
        done = subprocess.run([*shlex.split(command), str(copy)], check=False)
    except OSError as error:
        complain(f"cannot start the editor {command!r} ({error.strerror}); set $EDITOR or use --editor")
        return False
    if done.returncode:
        complain(f"the editor {command!r} exited with code {done.returncode}; nothing was written")
    return done.returncode == 0
