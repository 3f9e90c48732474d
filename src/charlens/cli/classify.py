"""`charlens classify`: what the thirteen SVMs of a trained model say about each file (`svm_classify` in the paper)."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from charlens.cli.options import format_option
from charlens.cli.records import as_json
from charlens.cli.terminal import shown
from charlens.errors import CharlensError
from charlens.inputs.paths import open_bytes, spool_bytes

if TYPE_CHECKING:
    from charlens.training.sullivan.model import Model


@click.command()
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option(
    "--model",
    type=click.Path(path_type=Path),
    required=True,
    metavar="DIR",
    help="The folder written by 'charlens train --recipe sullivan --out DIR', or the file in it.",
)
@format_option(["text", "jsonl"])
@click.option(
    "-v", "--verbose", is_flag=True, help="Print the values of all SVMs, highest first (text format only)."
)
def classify(paths: tuple[str, ...], model: Path, form: str, verbose: bool) -> None:
    """Classify files with the SVMs of Sullivan's experiment.

    There is one SVM per encoding. The encoding whose SVM gives the highest value wins; values above 0 mean yes. If all
    values are below 0, charlens says so. For models made by 'charlens train --corpus', use 'charlens detect --model'.
    PATH may be - for standard input. If a file cannot be read, charlens reports it and exits with code 1.

    \b
    charlens train --recipe sullivan --method plain --pages html/ --out my-model/
    charlens classify --model my-model/ page.html letter.txt
    """
    try:
        machines = _load(model)
    except ImportError as error:
        raise click.ClickException(f"The SVMs need {error.name}: pip install 'charlens[train]'") from error
    except CharlensError as error:
        raise click.UsageError(str(error)) from error
    failed = False
    for record in _records(paths, machines):
        if "error" in record:
            failed = True
            click.echo(f"charlens: {record['error']}", err=True)
        if form == "jsonl":
            click.echo(as_json(record))
        elif "error" not in record:
            click.echo(_in_words(record, verbose))
    sys.exit(1 if failed else 0)


def _load(model: Path) -> Model:
    from charlens.training.sullivan.model import ModelError, load

    if model.is_dir():
        if (model / "model.bin").is_file() and not (model / "sullivan.json").is_file():
            raise ModelError(
                f"{model} is a charlens model, not an SVM model: use 'charlens detect --model {model}'."
            )
        model = model / "sullivan.json"
    return load(model)


def _records(paths: tuple[str, ...], machines: Model) -> Iterator[dict[str, Any]]:
    for path in paths:
        name = shown(path)
        try:
            with spool_bytes(sys.stdin.buffer) if path == "-" else open_bytes(path) as data:
                values = machines.decide(bytes(data))
        except OSError as error:
            yield {"path": path, "error": f"{name}: {error.strerror or error}"}
        except ValueError as error:  # a NUL in a path
            yield {"path": path, "error": f"{name}: {error}"}
        else:
            best = max(values, key=values.__getitem__)
            yield {"path": path, "label": best if values[best] > 0 else None, "values": values}


def _in_words(record: dict[str, Any], verbose: bool) -> str:
    values: dict[str, float] = record["values"]
    ranked = sorted(values.items(), key=lambda each: -each[1])
    label, value = ranked[0]
    words = f"{label} ({value:+.3f})" if record["label"] else f"no match (nearest: {label} {value:+.3f})"
    lines = [f"{shown(record['path'])}: {words}"]
    if verbose:
        lines += [f"    {label:<12} {value:+.4f}" for label, value in ranked]
    return "\n".join(lines)
