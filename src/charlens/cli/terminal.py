"""Output on the terminal: safe file names, colours, columns, a progress bar.

The verbs decide what is printed.  Colours are only for terminals; NO_COLOR turns them off, FORCE_COLOR on.
"""

from __future__ import annotations

import os
import re
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NoReturn, TextIO, TypeVar

import click

from charlens.files.words import reason as reason  # used by all verbs
from charlens.plural import count as count

#: Controls of C0 and C1, undecoded bytes of file names, and characters that change the direction of writing.
UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u2028\u2029\ud800-\udfff]")


def shown(path: str) -> str:
    """Return the name of a file for printing, with control characters and bytes that are not UTF-8 escaped.

    Different names stay different: where a backslash can be part of a name, it is doubled.
    """
    return safe(path if os.sep == "\\" else path.replace("\\", "\\\\"))


def safe(text: str) -> str:
    """Return *text* with control characters and undecoded bytes escaped."""
    return UNSAFE.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    number = ord(match[0])
    if 0xDC80 <= number <= 0xDCFF:  # an undecoded byte of a file name (surrogateescape)
        return f"\\x{number - 0xDC00:02x}"
    return match[0].encode("unicode_escape").decode("ascii") if number < 0x80 else f"\\u{number:04x}"


def coloured(stream: TextIO | None = None) -> bool:
    """Whether to write colours to *stream* (by default standard output)."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return (stream or sys.stdout).isatty() and os.environ.get("TERM") != "dumb"


def paint(text: str, colour: str, *, bold: bool = False) -> str:
    """Return *text* in *colour*, if standard output shows colours."""
    return click.style(text, fg=colour or None, bold=bold or None) if coloured() else text


def complain(words: str) -> None:
    """Print a message to standard error."""
    click.echo(f"charlens: {words}", err=True, file=_above_bar(sys.stderr))


def _above_bar(stream: TextIO) -> TextIO | None:
    """Return *stream* if it writes above a progress bar, else None: click would bypass the bar."""
    return stream if hasattr(stream, "rich_proxied_file") else None


def print_lines(lines: Iterable[str]) -> None:
    """Print *lines* one by one; a closed pipe is not an error."""
    for line in lines:
        with _output():
            click.echo(line, color=coloured(), file=_above_bar(sys.stdout))
    with _output():
        sys.stdout.flush()


def print_bytes(pieces: Iterable[bytes]) -> None:
    """Write *pieces* to standard output; a closed pipe is not an error."""
    for piece in pieces:
        with _output():
            sys.stdout.buffer.write(piece)
    with _output():
        sys.stdout.buffer.flush()


@contextmanager
def _output() -> Iterator[None]:
    """End the command if standard output cannot be written: quietly after a closed pipe, else with an error."""
    try:
        yield
    except OSError as error:
        stop_writing(error)


def stop_writing(error: OSError) -> NoReturn:
    """End the command after an *error* of standard output."""
    sys.stdout = None  # keep Python from reporting it again at exit
    if isinstance(error, BrokenPipeError):
        sys.exit(0)
    complain(
        f"cannot write to standard output ({error.strerror}); stopped. Every file is finished or unchanged"
    )
    sys.exit(1)


T = TypeVar("T")


class Interruption:
    """Ctrl-C while the block runs: the first one asks to stop after the current file, the second stops at once."""

    def __init__(self) -> None:
        self.asked = False
        self._at_once = False
        self._before: Any = None

    def __call__(self) -> bool:
        """Whether to stop."""
        return self.asked

    def __enter__(self) -> Interruption:
        if threading.current_thread() is threading.main_thread():
            self._before = signal.signal(signal.SIGINT, self._ask)
        return self

    def __exit__(self, *details: object) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)

    def run(self, work: Callable[[], T]) -> T | None:
        """Return the result of *work*, or None if Ctrl-C stopped it; *work* must leave files intact then."""
        self._at_once = True
        try:
            return work()
        except KeyboardInterrupt:
            return None
        finally:
            self._at_once = False

    def _ask(self, number: int, frame: object) -> None:
        again, self.asked = self.asked, True
        if again or self._at_once:
            raise KeyboardInterrupt


def width(text: str) -> int:
    """Return the width of *text* on a terminal, in columns."""
    from unicodedata import combining, east_asian_width

    return sum((2 if east_asian_width(sign) in "WF" else 1) for sign in text if not combining(sign))


def columns(rows: Sequence[Sequence[str]], *, right: Sequence[int] = ()) -> Iterator[str]:
    """Yield *rows* as lines with aligned cells; the columns in *right* are right-aligned."""
    if not rows:
        return
    widths = [max(width(row[index]) for row in rows) for index in range(len(rows[0]))]
    for row in rows:
        cells = []
        for index, cell in enumerate(row):
            gap = " " * (widths[index] - width(cell))
            cells.append(gap + cell if index in right else cell + gap)
        yield "  ".join(cells).rstrip()


Advance = Callable[[int], None]


@contextmanager
def progress(count: Callable[[], int], *, quiet: bool) -> Iterator[Advance]:
    """Show a progress bar with rate and remaining time on standard error, if that is a terminal, while the block runs.

    *count* computes the total in a thread; the block reports the progress.
    """
    if quiet or not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        yield lambda number: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    rate = TextColumn("{task.fields[rate]}")
    bar = Progress(
        BarColumn(),
        MofNCompleteColumn(),
        rate,
        TimeRemainingColumn(),
        console=console,
        transient=True,
        # Results on the same terminal are printed above the bar; redirected results bypass it.
        redirect_stdout=sys.stdout.isatty(),
    )
    with bar:
        task = bar.add_task("", total=None, rate="")
        threading.Thread(target=lambda: bar.update(task, total=count()), daemon=True).start()

        def advance(number: int) -> None:
            speed = bar.tasks[0].finished_speed or bar.tasks[0].speed
            bar.update(task, advance=number, rate=f"{speed:,.0f} files/s" if speed else "")

        yield advance
