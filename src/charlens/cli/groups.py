"""Groups of commands with a default command; some commands are only imported when they are called."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

import click

from charlens.plural import did_you_mean


class RunByDefault(click.Group):
    """A group whose default command is `run`: arguments that start with no subcommand are passed to it.

    *late* maps subcommands that are imported when called to 'module:attribute' and a line of help.
    """

    def __init__(
        self, *arguments: Any, late: Mapping[str, tuple[str, str]] | None = None, **options: Any
    ) -> None:
        super().__init__(*arguments, **options)
        self._late = dict(late or {})

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put `run` before arguments that do not start with a subcommand."""
        if not args or (args[0] not in self.list_commands(ctx) and args[0] not in ctx.help_option_names):
            if args and not args[0].startswith("-"):
                near = did_you_mean(args[0], self.list_commands(ctx))
                ctx.fail(f"Unknown command {args[0]!r}. {near}See '{ctx.command_path} --help'.")
            args = ["run", *args]
        return super().parse_args(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all subcommands."""
        return [*super().list_commands(ctx), *self._late]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a subcommand; import it if necessary."""
        if cmd_name not in self._late:
            return super().get_command(ctx, cmd_name)
        module, _, attribute = self._late[cmd_name][0].partition(":")
        command: click.Command = getattr(importlib.import_module(module), attribute)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of subcommands without importing the late ones."""
        known = [(name, command.get_short_help_str(80)) for name, command in sorted(self.commands.items())]
        late = [(name, help_line) for name, (_, help_line) in self._late.items()]
        with formatter.section("Commands"):
            formatter.write_dl([*known, *late])
