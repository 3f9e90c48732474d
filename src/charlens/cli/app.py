"""The group of verbs; each verb's module is imported only when it is used."""

from __future__ import annotations

import importlib
import os
import sys

import click

from charlens import __version__, kernel
from charlens.cli.settings import defaults_for, find_settings
from charlens.plural import did_you_mean

# Each verb with one line of help; the help is here because `charlens --help` must not load every verb.
_COMMON = {
    "detect": "Detect the encoding and language of files.",
    "scan": "Summarise the encodings in a folder; optionally write an HTML report.",
    "convert": "Convert files to UTF-8 or another encoding, in place or into a folder.",
    "check": "Check that files are UTF-8 (or another encoding), for CI and pre-commit.",
    "repair": "Repair mojibake: text that was decoded wrongly and then saved (GrÃ¼ÃŸe).",
    "explain": "Explain why charlens chose the encoding of a file.",
    "inspect": "Look at a file byte by byte in the browser.",
    "undo": "Undo the changes recorded in a journal (--log).",
    "cat": "Print files as UTF-8, whatever their encoding.",
    "edit": "Edit a file as UTF-8 and save it in its original encoding.",
    "write": "Replace the content of a file with UTF-8 from standard input, keeping its encoding.",
    "mcp": "Serve a folder to AI assistants (Model Context Protocol), keeping file encodings.",
    "encodings": "List the supported encodings, or those used for a language.",
    "completion": "Print a completion script for bash, zsh, fish or PowerShell.",
}
_SPECIAL = {
    "warc": "Decode the pages in WARC archives to Parquet.",
    "batch": "Decode a column of bytes in Parquet files.",
    "spark": "Decode the pages in WARC archives on a Spark cluster.",
    "train": "Train a detection model on your own texts.",
    "classify": "Classify files with the SVMs of 'charlens train --recipe sullivan'.",
    "evaluate": "Measure charlens and other detectors on labelled files.",
}
_VERBS = {**_COMMON, **_SPECIAL}
#: Words that people try, and the verb that does it here.
_OTHER_WORDS = {
    "decode": "charlens cat",
    "fix": "charlens repair (mojibake) or charlens check --fix (everything)",
    "guess": "charlens detect",
    "help": "charlens --help",
    "recode": "charlens convert",
    "version": "charlens --version",
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
        """Find the verb and apply the project settings to it; suggest similar verbs if the name is unknown."""
        if args[0] not in _VERBS and not args[0].startswith("-"):
            advice = did_you_mean(args[0], _VERBS).strip() or "See 'charlens --help'."
            if args[0] in _OTHER_WORDS:
                advice = f"Use: {_OTHER_WORDS[args[0]]}"
            if os.path.exists(args[0]):
                kind, verb = ("folder", "scan") if os.path.isdir(args[0]) else ("file", "detect")
                advice = f"This is a {kind}; to look at it, run: charlens {verb} {args[0]}"
            ctx.fail(f"Unknown command {args[0]!r}. {advice}")
        name, command, rest = super().resolve_command(ctx, args)
        settings = find_settings(_VERBS)
        if command is not None and settings.path:
            ctx.default_map = {command.name or "": defaults_for(settings, command)}
            ctx.obj = os.path.dirname(settings.path)
        return name, command, rest

    def invoke(self, ctx: click.Context) -> object:
        """Run a verb; Ctrl-C ends it without a traceback, with the exit code 130 that shells use."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            click.echo("charlens: interrupted", err=True)
            sys.exit(130)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of verbs without importing them."""
        width = max(map(len, _VERBS))
        for title, verbs in (
            ("Commands", _COMMON),
            ("Commands for archives, training and measuring", _SPECIAL),
        ):
            with formatter.section(title):
                formatter.write_dl([(verb.ljust(width), words) for verb, words in verbs.items()])


_KERNELS = {
    "native": "native kernel",
    "portable": "native kernel, no vector instructions",
    "pure": "pure Python kernel",
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
    charlens detect notes.txt                detect one file
    curl -s URL | charlens detect            detect standard input
    charlens scan . --report encodings.html  summarise a folder
    charlens convert --dry-run old/          preview a conversion to UTF-8
    charlens check --newline lf src          fail CI if a file is not UTF-8
    charlens repair notes.txt                show how to fix 'GrÃ¼ÃŸe'
    charlens explain letter.txt              see why
    charlens inspect letter.txt              see why, in the browser

    Run 'charlens COMMAND --help' for the options of a command.
    """
