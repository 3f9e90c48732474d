"""`charlens inspect`: a page in the browser that shows the bytes of a file and their meaning.

Arguments and messages; the page and its answers are in `charlens.inspector`.
"""

from __future__ import annotations

import os
import signal
import sys
import webbrowser

import click

from charlens.cli.options import INPUT
from charlens.cli.terminal import complain, reason, shown
from charlens.cli.walk import need_page


@click.command()
@click.argument("path", required=False, metavar="[PATH]", type=INPUT)
@click.option(
    "--save",
    type=click.Path(dir_okay=False),
    help="Write the page to a single HTML file instead of serving it.",
)
@click.option(
    "--port", type=click.IntRange(0, 65535), default=0, help="The port to use.  [default: a free one]"
)
@click.option("--no-browser", is_flag=True, help="Print the address, but do not open a browser.")
def inspect(path: str | None, save: str | None, port: int, no_browser: bool) -> None:
    """Look at a file byte by byte in the browser: its encoding, the reasons, and the other readings.

    For a folder, the page lists the files in it. Without a PATH, drop a file onto the page. The page is served on
    127.0.0.1 only, at an address that cannot be guessed, and no data leaves this machine. Press Ctrl-C to stop.

    \b
    charlens inspect letter.txt
    charlens inspect old/                          list a folder
    charlens inspect                               drop a file, or paste text
    charlens inspect letter.txt --save out.html    save the page to send it to someone
    """
    if path is not None and not os.path.exists(path):
        complain(f"{shown(path)}: No such file or directory")
        sys.exit(1)
    if save is not None:
        _save(path, save)
        return
    from charlens.inspector.answers import Inspector
    from charlens.inspector.server import Server

    # End in the same way as with Ctrl-C, which deletes the copies of dropped files.
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
        click.echo("charlens: stopped", err=True)
    except OSError as error:
        complain(f"cannot serve on port {port}: {reason(error)}")
        sys.exit(1)
    finally:
        inspector.close()


def _save(path: str | None, target: str) -> None:
    if path is None or os.path.isdir(path):
        raise click.UsageError(
            "--save needs a file; for a folder, use 'charlens scan FOLDER --report out.html'."
        )
    need_page(target, "--save")
    from charlens.files.atomic import write_atomically
    from charlens.inspector.saved import save_page

    try:
        write_atomically(target, save_page(path).encode())
    except OSError as error:
        complain(f"{shown(error.filename or path)}: {reason(error)}")
        sys.exit(1)
    click.echo(f"{shown(target)} written")
