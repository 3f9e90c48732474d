"""`charlens completion`: a script that makes a shell complete verbs, options and files.

Click has the scripts for bash, zsh and fish; the one for PowerShell is here.
"""

from __future__ import annotations

import os

import click
from click.shell_completion import CompletionItem, ShellComplete, add_completion_class, get_completion_class

#: PowerShell completes file names by itself if this returns nothing.
_POWERSHELL = """\
Register-ArgumentCompleter -Native -CommandName %(prog_name)s -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $words = $commandAst.CommandElements | Where-Object { $_.Extent.EndOffset -le $cursorPosition }
    $env:COMP_WORDS = ($words | ForEach-Object { $_.ToString() }) -join "`n"
    $env:COMP_CWORD = $wordToComplete
    $env:%(complete_var)s = "powershell_complete"
    try {
        %(prog_name)s | Where-Object { $_ } | ForEach-Object {
            $value, $help = $_ -split "`t", 2
            [System.Management.Automation.CompletionResult]::new($value, $value, "ParameterValue", $help)
        }
    }
    finally {
        Remove-Item Env:COMP_WORDS, Env:COMP_CWORD, Env:%(complete_var)s -ErrorAction SilentlyContinue
    }
}
"""


class PowerShellComplete(ShellComplete):
    """Completion for PowerShell 5.1 and later, on every system."""

    name = "powershell"
    source_template = _POWERSHELL

    def get_completion_args(self) -> tuple[list[str], str]:
        """Return the words before the cursor, and the one that is being written."""
        words = os.environ["COMP_WORDS"].split("\n")[1:]
        incomplete = os.environ.get("COMP_CWORD", "")  # PowerShell has no empty variables
        if incomplete and words and words[-1] == incomplete:
            words.pop()
        return words, incomplete

    def format_completion(self, item: CompletionItem) -> str:
        """Return a line for *item*: the value and its help; PowerShell rejects an empty help."""
        return f"{item.value}\t{item.help or item.value}"

    def complete(self) -> str:
        """Return the lines; nothing for files and folders, which PowerShell completes itself."""
        items = self.get_completions(*self.get_completion_args())
        return "\n".join(self.format_completion(item) for item in items if item.type == "plain")


add_completion_class(PowerShellComplete)


@click.command()
@click.argument("shell", type=click.Choice(("bash", "zsh", "fish", "powershell")))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print a script that makes your shell complete charlens commands and options.

    \b
    eval "$(charlens completion bash)"                        # in ~/.bashrc
    eval "$(charlens completion zsh)"                         # in ~/.zshrc
    charlens completion fish > ~/.config/fish/completions/charlens.fish
    charlens completion powershell | Out-String | Invoke-Expression    # in $PROFILE
    """
    kind = get_completion_class(shell)
    assert kind is not None  # the choices are the registered ones
    root = ctx.find_root()
    click.echo(kind(root.command, {}, "charlens", "_CHARLENS_COMPLETE").source())
