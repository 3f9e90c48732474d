"""Options that several verbs share."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])

#: A file or folder to read. One that cannot be read is reported like the others, and is no wrong usage.
INPUT = click.Path(readable=False)

jobs_option = click.option(
    "--jobs",
    "-j",
    type=click.IntRange(0),
    default=0,
    help="Number of worker processes.  [default: one per processor]",
)
#: For verbs that read one file: skips detection.
encoding_option = click.option(
    "--encoding", "-e", metavar="ENCODING", help="Read the file in this encoding instead of detecting it."
)
no_ignore_option = click.option(
    "--no-ignore", is_flag=True, help="Also process files that .gitignore excludes."
)


def format_option(formats: Sequence[str], more: str = "Output format.") -> Callable[[F], F]:
    """Return the option --format for these *formats*, the first of which is the default."""
    words = f"{more}  [default: {formats[0]}]"
    return click.option("--format", "form", type=click.Choice(tuple(formats)), default=formats[0], help=words)


def names_option(name: str, metavar: str, words: str) -> Callable[[F], F]:
    """Return the option *name* for a list of names: it can be repeated, or have several names with commas between."""
    more = f"{words}; repeatable, or a list with commas."
    return click.option(name, multiple=True, metavar=metavar, callback=_split, help=more)


def _split(context: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...]:
    names = [name.strip() for value in values for name in value.split(",")]
    if not all(names):
        raise click.BadParameter("a name is empty.")
    return tuple(names)


def on_the_line(option: str) -> bool:
    """Whether *option* is on the command line, not in the settings of the project."""
    return click.get_current_context().get_parameter_source(option) is click.core.ParameterSource.COMMANDLINE


def piped_in(verb: str) -> tuple[str, ...]:
    """Return the path of standard input, for a call without paths; on a terminal that is an error."""
    if sys.stdin is None or sys.stdin.isatty():
        raise click.UsageError(f"No input: name a file (charlens {verb} notes.txt) or pipe data in.")
    return ("-",)
