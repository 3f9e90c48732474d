"""`charlens completion`: a script that makes a shell complete verbs, options and files."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class


@click.command()
@click.argument("shell", type=click.Choice(("bash", "zsh", "fish")))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print what makes a shell complete charlens' verbs and options.

    \b
    eval "$(charlens completion bash)"                        # in ~/.bashrc
    eval "$(charlens completion zsh)"                         # in ~/.zshrc
    charlens completion fish > ~/.config/fish/completions/charlens.fish
    """
    kind = get_completion_class(shell)
    assert kind is not None  # the choices are those of click
    root = ctx.find_root()
    click.echo(kind(root.command, {}, "charlens", "_CHARLENS_COMPLETE").source())
