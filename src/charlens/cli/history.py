"""The verb `charlens evaluate history`: labelled files from the history of Git repositories.

Only arguments and messages are here; `charlens.evaluation.history` does the work.
"""

from __future__ import annotations

from pathlib import Path

import click

from charlens.plural import count


@click.command("history")
@click.argument("repositories", nargs=-1, required=True, type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option(
    "--out", type=click.Path(path_type=Path, file_okay=False), required=True, help="The folder to write to."
)
@click.option(
    "--most", type=click.IntRange(1), default=100, show_default=True, help="Maximum number of files per repository."
)
def history_command(repositories: tuple[Path, ...], out: Path, most: int) -> None:
    """Collect files that commits of Git REPOSITORIES converted to UTF-8.

    They are written to a new folder with a manifest.tsv, as they were before the commit: real files whose encoding is
    known. Measure detectors on them with 'charlens evaluate run --data FOLDER'. Clones need their whole history.
    """
    from charlens.errors import CharlensError
    from charlens.evaluation.history import write_history

    if out.exists() and any(out.iterdir()):
        raise click.ClickException(f"{out} is not empty. Pass a new folder.")
    try:
        found = write_history(repositories, out, most)
    except CharlensError as error:
        raise click.ClickException(str(error)) from error
    for source, number in found.items():
        click.echo(f"{source}: {count(number, 'file')}")
    click.echo(f"Wrote {count(sum(found.values()), 'file')} and manifest.tsv to {out}.")
