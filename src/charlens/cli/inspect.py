"""`charlens inspect`: a page on which a person sees what the bytes are.

Arguments and words for the terminal; the page and its answers are in `charlens.inspector`.
"""

from __future__ import annotations

import os
import signal
import sys
import webbrowser

import click

from charlens.cli.terminal import complain, reason, shown


@click.command()
@click.argument("path", required=False, metavar="[PATH]", type=click.Path())
@click.option(
    "--save", type=click.Path(dir_okay=False), help="Write the page for this file to one HTML file instead."
)
@click.option(
    "--port", type=click.IntRange(0, 65535), default=0, help="The port to use.  [default: a free one]"
)
@click.option("--no-browser", is_flag=True, help="Print the address only.")
def inspect(path: str | None, save: str | None, port: int, no_browser: bool) -> None:
    """Show what the bytes of a file are, and why, on a page in the browser.

    PATH is a file, or a folder for a table of its files; without it, drop a file onto the page. The page is served on
    127.0.0.1 only, under an address that nobody can guess, and nothing leaves this machine. Ctrl-C ends it.

    \b
    charlens inspect letter.txt
    charlens inspect old/                          a table of all files below
    charlens inspect                               drop or paste
    charlens inspect letter.txt --save out.html    one file to keep or send
    """
    if path is not None and not os.path.exists(path):
        complain(f"{shown(path)}: no such file or folder")
        sys.exit(1)
    if save is not None:
        _save(path, save)
        return
    from charlens.inspector.answers import Inspector
    from charlens.inspector.server import Server

    # Ended by the system, or with its terminal, as by Ctrl-C: it deletes the copies of what was dropped.
    for name in ("SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), lambda *_: sys.exit(0))
    inspector = Inspector(path)
    try:
        with Server(inspector, port) as server:
            click.echo(server.address)
            sys.stdout.flush()
            if not no_browser:
                webbrowser.open(server.address)
            server.serve_forever()
    except KeyboardInterrupt:
        click.echo("charlens: the page is closed", err=True)
    except OSError as error:
        complain(f"port {port}: {reason(error)}")
        sys.exit(1)
    finally:
        inspector.close()


def _save(path: str | None, target: str) -> None:
    if path is None or os.path.isdir(path):
        raise click.UsageError(
            "--save needs a file; for a folder, use 'charlens scan FOLDER --report out.html'"
        )
    from charlens.files.atomic import write_atomically
    from charlens.inspector.saved import save_page

    try:
        write_atomically(target, save_page(path).encode())
    except OSError as error:
        complain(f"{shown(error.filename or path)}: {reason(error)}")
        sys.exit(1)
    click.echo(f"{shown(target)} written")
