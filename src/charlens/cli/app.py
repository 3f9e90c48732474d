"""The group of verbs; each verb's module is imported only when it is used."""

from __future__ import annotations

import importlib
import os
import sys

import click

from charlens import __version__, kernel
from charlens.cli.settings import defaults_for, find_settings

# Verb to module and one line of help; the help is here so that `charlens --help` loads no verb.
_VERBS = {
    "detect": "Tell what each file is: text or binary, and in which encoding.",
    "scan": "Tell what is in a tree of files, with a summary and a report.",
    "convert": "Convert files to another encoding, safely, in place or to a folder.",
    "check": "Check that files are in UTF-8 (or another encoding), for CI and pre-commit.",
    "cat": "Print files as UTF-8, whatever they are in.",
    "edit": "Edit a file as UTF-8; it is written back in its own encoding.",
    "write": "Write UTF-8 from standard input into a file, in the file's own encoding.",
    "mcp": "Let an assistant read and edit the files of a folder in their own encodings.",
    "encodings": "List the encodings that charlens knows, or those of one language.",
    "explain": "Tell why a file is what it is said to be.",
    "inspect": "Show what the bytes of a file are, on a page in the browser.",
    "repair": "Repair text that was decoded wrongly before it was saved (GrÃ¼ÃŸe).",
    "undo": "Restore the files that a journal (--log) tells of.",
    "warc": "Decode the pages of crawl archives into Parquet.",
    "batch": "Decode a column of Parquet files into Parquet.",
    "spark": "Decode the pages of crawl archives on a cluster.",
    "completion": "Print a completion script for bash, zsh or fish.",
    "train": "Make a model out of UTF-8 texts by language.",
    "classify": "Ask the SVMs of 'charlens train --recipe sullivan' about files.",
    "evaluate": "Measure charlens and its peers on labelled files.",
}


class Verbs(click.Group):
    """Finds a verb's module by its name."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the verbs in the order of the table."""
        return list(_VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the module of the verb *cmd_name* and return its command."""
        if cmd_name not in _VERBS:
            return None
        module = importlib.import_module(f"charlens.cli.{cmd_name}")
        command: click.Command = getattr(module, cmd_name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the verb and give it the settings of the project; a name that is unknown gets the nearest ones."""
        if args[0] not in _VERBS and not args[0].startswith("-"):
            from difflib import get_close_matches  # here: only where there is an error to explain

            near = get_close_matches(args[0], _VERBS, n=2)
            advice = f"Did you mean {' or '.join(map(repr, near))}?" if near else "See 'charlens --help'."
            if os.path.exists(args[0]):
                kind, verb = ("folder", "scan") if os.path.isdir(args[0]) else ("file", "detect")
                advice = f"It is a {kind}: charlens {verb} {args[0]}"
            ctx.fail(f"Unknown command {args[0]!r}. {advice}")
        name, command, rest = super().resolve_command(ctx, args)
        settings = find_settings(_VERBS)
        if command is not None and settings.path:
            ctx.default_map = {command.name or "": defaults_for(settings, command)}
            ctx.obj = os.path.dirname(settings.path)
        return name, command, rest

    def invoke(self, ctx: click.Context) -> object:
        """Run a verb; Ctrl-C ends it without a traceback, with the exit code that shells give it."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            click.echo("charlens: interrupted", err=True)
            sys.exit(130)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of verbs without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(_VERBS.items()))


_KERNELS = {
    "native": "native kernel",
    "portable": "native kernel without vector instructions",
    "pure": "kernel in plain Python",
}


@click.command(cls=Verbs, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(
    __version__,
    prog_name="charlens",
    message=f"%(prog)s %(version)s ({_KERNELS[kernel.NAME]}, Python {sys.version.split()[0]})",
)
def app() -> None:
    """Detect the encoding and language of files, convert them safely to UTF-8, and see why.

    \b
    charlens detect notes.txt                one file
    curl -s URL | charlens detect            standard input
    charlens scan . --report encodings.html  a whole tree
    charlens convert --dry-run old/          what would change
    charlens check --newline lf src          for CI
    charlens explain letter.txt              why
    charlens inspect letter.txt              a page in the browser
    """
