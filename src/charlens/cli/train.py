"""`charlens train`: train a model on UTF-8 texts by language, and prepare such texts from public datasets."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from charlens.cli.groups import RunByDefault
from charlens.errors import CharlensError, UnknownEncodingError

#: The subcommand for each recipe.
_RECIPES = {"charlens": "run", "sullivan": "sullivan"}
_LATE = {
    "cells": (
        "charlens.training.readers.cells:cells",
        "Add names and labels from Faker, the Unicode CLDR, GeoNames and Django to training texts.",
    ),
    "corpus": (
        "charlens.training.readers.command:corpus",
        "Convert datasets (Hugging Face, JSON lines, Parquet, Wikipedia dumps) to training texts.",
    ),
    "files": (
        "charlens.training.readers.excerpts:files",
        "Add pieces of real files, such as source code, to training texts.",
    ),
    "sullivan": (
        "charlens.training.sullivan.command:train_sullivan",
        "Train the SVMs of Sullivan's paper; same as --recipe sullivan.",
    ),
}


class _ByRecipe(RunByDefault):
    """Finds the subcommand by `--recipe`, at any position."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put the recipe's subcommand first."""
        for place, word in enumerate(args):
            name, equals, value = word.partition("=")
            if name == "--recipe":
                after = place + 1 if equals else place + 2
                recipe = value if equals else "".join(args[place + 1 : after])
                if recipe not in _RECIPES:
                    raise click.UsageError(
                        f"Unknown recipe {recipe!r}. The recipes are {', '.join(_RECIPES)}.", ctx
                    )
                args = [_RECIPES[recipe], *args[:place], *args[after:]]
                break
        return super().parse_args(ctx, args)


@click.group(cls=_ByRecipe, late=_LATE, name="train")
def train() -> None:
    """Train a detection model on UTF-8 texts, sorted by language.

    'charlens train --corpus DIR --out DIR' is short for 'charlens train run --corpus DIR --out DIR'; for its options,
    see 'charlens train run --help'. 'charlens train --recipe sullivan' trains the SVMs of Sullivan's paper.
    """


@train.command("run")
@click.option(
    "--corpus",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="The folder with the texts.",
)
@click.option(
    "--out", type=click.Path(file_okay=False, path_type=Path), help="The folder to write the model to."
)
@click.option(
    "--work",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder for intermediate results.  [default: OUT/work]",
)
@click.option("--encodings", metavar="A,B,…", help="Only these encodings.")
@click.option("--languages", metavar="xx,yy,…", help="Only these languages.")
@click.option(
    "--also",
    multiple=True,
    metavar="ENCODING:xx",
    help="Also train this encoding for this language; repeatable.",
)
@click.option(
    "--without",
    multiple=True,
    metavar="xx/SOURCE",
    help="Skip this source, such as sl/tatoeba; repeatable.",
)
@click.option("--features", default=8300, show_default=True, help="Number of byte pairs to keep.")
@click.option("--samples", default=2500, show_default=True, help="Number of samples per class.")
@click.option("--passes", default=6, show_default=True, help="Number of passes over the samples.")
@click.option("--seed", default=0, show_default=True, help="The same seed gives the same model.")
def run_command(**given: Any) -> None:
    """Train a model on UTF-8 texts by language.

    CORPUS contains <language>/<source>.txt, or <language>.txt, with languages as BCP 47 tags. Each language
    is encoded in every encoding that was used for it; whole sources are held out for calibration and
    tests. If training is interrupted, run the same command again to continue.

    \b
    charlens train --corpus texts/ --out my-model/
    charlens train --corpus texts/ --out my-model/ --encodings cp1251,koi8-r,cp866 --languages ru,bg
    charlens train --corpus texts/ --out my-model/ --also mac-cyrillic:cv
    """
    if not given["corpus"] or not given["out"]:
        raise click.UsageError("Pass --corpus DIR (the texts) and --out DIR (for the model).")
    try:
        from charlens.training.fit import Settings
        from charlens.training.recipe import Recipe
        from charlens.training.recipe import train as run
    except ImportError as error:
        raise click.ClickException(f"Training needs {error.name}: pip install 'charlens[train]'") from error
    recipe = Recipe(
        corpus=given["corpus"],
        out=given["out"],
        work=given["work"] or given["out"] / "work",
        encodings=_split(given["encodings"]),
        languages=_split(given["languages"]),
        also=tuple(_pair(text) for text in given["also"]),
        without=tuple(source.lower().removesuffix(".txt") for source in given["without"]),
        features=given["features"],
        samples=given["samples"],
        settings=Settings(passes=given["passes"], seed=given["seed"]),
    )
    _print_figures(_trained(run, recipe), recipe.out)


def _split(text: str | None) -> tuple[str, ...]:
    return tuple(part.strip() for part in (text or "").split(",") if part.strip())


def _pair(text: str) -> tuple[str, str]:
    encoding, colon, language = text.partition(":")
    if not colon or not language:
        raise click.UsageError(f"--also takes ENCODING:LANGUAGE, such as koi8-r:tt; got {text!r}")
    return encoding, language


def _trained(run: Any, recipe: Any) -> dict[str, Any]:
    try:
        return _with_progress(run, recipe)
    except UnknownEncodingError as error:
        raise click.ClickException(
            f"{error} If Python has a codec for it, add it to the table: "
            "'python -m charlens.encodings.generate --add NAME --languages xx'"
        ) from error
    except (CharlensError, ValueError) as error:
        raise click.ClickException(str(error)) from error


def _with_progress(run: Any, recipe: Any) -> dict[str, Any]:
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn())
    with Progress(*columns, transient=True, disable=not sys.stderr.isatty()) as progress:
        task = progress.add_task("texts", total=1.0)
        result: dict[str, Any] = run(
            recipe, lambda words, done: progress.update(task, description=words, completed=done)
        )
        return result


def _print_figures(manifest: dict[str, Any], out: Path) -> None:
    click.echo(
        f"{out / 'model.bin'}: {manifest['bytes']:,} bytes, {manifest['classes']} classes, "
        f"{len(manifest['encodings'])} encodings, {len(manifest['languages'])} languages, "
        f"{manifest['features']} features"
    )
    unused = manifest["unused"]
    if unused:
        some = ", ".join(unused[:10]) + (" …" if len(unused) > 10 else "")
        click.echo(
            f"Not used, because no encoding in this model is known for it: {some}. Add one with --also ENCODING:xx."
        )
    click.echo("Accuracy on sources that were not used for training, all classes weighted equally:")
    click.echo(f"{'bytes':>12} {'samples':>8} {'text':>7} {'language':>9}")
    for size, row in manifest["figures"].items():
        click.echo(f"{size:>12} {row['samples']:>8} {row['text']:>6.2f}% {row['language']:>8.2f}%")
