"""The two verbs: `charlens train --recipe sullivan` and `charlens evaluate sullivan`.

Only options and words for the terminal; numpy and the rest are imported when there is something to do.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from charlens.cli.options import jobs_option as _jobs
from charlens.errors import CharlensError

if TYPE_CHECKING:
    from charlens.training.sullivan.corpus import Plan
    from charlens.training.sullivan.model import Model
    from charlens.training.sullivan.report import Report
    from charlens.training.sullivan.work import Crew

_MODEL = "sullivan.json"
_FOLDER = click.Path(path_type=Path, file_okay=False)
_FILE = click.Path(path_type=Path, dir_okay=False)

_pages = click.option(
    "--pages",
    "--corpus",
    "pages",
    type=_FOLDER,
    help="UTF-8 pages, <language>/<name>.  [default: $CHARLENS_DATA/html, or ~/.cache/charlens-data/html]",
)
_seed = click.option("--seed", type=int, default=0, show_default=True, help="Seed of the random choices.")
_documents = click.option(
    "--documents",
    type=click.IntRange(20),
    default=3500,
    show_default=True,
    help="Maximum number of documents per label (training and test together); the paper has about 3,500.",
)
_cut = click.option(
    "--cut",
    type=click.IntRange(0),
    default=8000,
    show_default=True,
    help="For training, cut long pages into parts of this many characters; 0: do not.",
)
_links = click.option(
    "--links", is_flag=True, help="Give every page links to other languages, as the pages of the paper have."
)
_cache = click.option(
    "--cache", type=_FOLDER, help="Folder for cached results.  [default: ~/.cache/charlens/sullivan]"
)
_no_cache = click.option("--no-cache", is_flag=True, help="Do not cache results.")
_json = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of tables.")


@click.command("sullivan")
@_pages
@click.option(
    "--method",
    type=click.Choice(["plain", "scaled", "settled"]),
    default="settled",
    show_default=True,
    help="plain: the paper's; scaled: roots of the frequencies, a larger C; settled: with open ideas of the paper.",
)
@click.option("--out", type=_FOLDER, default=Path(), help=f"Where {_MODEL} goes.  [default: this folder]")
@_seed
@_documents
@_cut
@_links
@_jobs
@_cache
@_no_cache
@_json
def train_sullivan(**given: Any) -> None:
    """Train the thirteen SVMs of Sullivan's paper on 70 % of the pages, and write them to a file.

    'charlens evaluate sullivan --model FILE' tests them on the other 30 %; 'charlens classify --model DIR' asks them
    about any file.

    \b
    charlens train --recipe sullivan --pages html/ --out my-model/
    charlens train --recipe sullivan --method plain --pages html/ --out paper/
    """
    _check_packages()
    plan = _plan(given, splits=1)
    try:
        model = _train(plan, given["method"], _crew(given))
        given["out"].mkdir(parents=True, exist_ok=True)
        from charlens.training.sullivan.model import save

        save(model, given["out"] / _MODEL)
    except (CharlensError, OSError) as error:
        raise click.ClickException(str(error)) from error
    _print_training(model, given["as_json"])
    click.echo(f"The model is in {given['out'] / _MODEL}.", err=True)


@click.command("sullivan")
@_pages
@click.option("--model", type=_FILE, help=f"Test a {_MODEL} of 'charlens train' instead of training again.")
@click.option("--out", type=_FOLDER, help="Also write sullivan.md and sullivan-figures.json there.")
@_seed
@_documents
@click.option(
    "--splits",
    type=click.IntRange(1),
    default=20,
    show_default=True,
    help="How many times the pages are split; the figures are pooled.",
)
@_cut
@_links
@_jobs
@_cache
@_no_cache
@click.option("--quick", is_flag=True, help="One split of at most 400 documents per label: a one-minute trial.")
@click.option("--ablation", is_flag=True, help="Also measure the paper's open ideas, each on and off.")
@click.option(
    "--why", is_flag=True, help="Also measure what may explain that plain falls short of the paper."
)
@click.option("--kernels", is_flag=True, help="Also compare the four kernels of SVM-light.")
@click.option(
    "--growth",
    type=_FOLDER,
    metavar="TEXTS",
    help="Also measure 13, 30 and 86 labels, and n-grams by width, on texts as <language>/<source>.txt.",
)
@click.option("--settle", is_flag=True, help="Also show the cross-validation that settled the parameters.")
@_json
def evaluate_sullivan(**given: Any) -> None:
    """Run Sullivan's experiment, and print its Tables 2, 4 and 5 next to the published figures.

    \b
    charlens evaluate sullivan --pages html/
    charlens evaluate sullivan --pages html/ --ablation --settle --out results/
    charlens evaluate sullivan --pages many/ --cut 0 --splits 1 --why
    """
    _check_packages()
    if given["quick"]:
        given |= _QUICK
    try:
        report = _test(given) if given["model"] else _experiment(given)
        words = json.dumps(report.as_json(), ensure_ascii=False, indent=1)
        written = _markdown(report)
        if given["out"]:
            given["out"].mkdir(parents=True, exist_ok=True)
            (given["out"] / "sullivan.md").write_text(written + "\n", encoding="utf-8")
            (given["out"] / "sullivan-figures.json").write_text(words + "\n", encoding="utf-8")
    except (CharlensError, OSError) as error:
        raise click.ClickException(str(error)) from error
    click.echo(words if given["as_json"] else written)


# Enough to see all tables filled; the figures of so few documents are no result.
_QUICK = {"splits": 1, "documents": 400}


def _check_packages() -> None:
    missing = [name for name in ("numpy", "scipy", "sklearn") if find_spec(name) is None]
    if missing:
        raise click.ClickException(
            f"the experiment needs {' and '.join(missing)}: pip install 'charlens[train]'"
        )


def _plan(given: dict[str, Any], splits: int) -> Plan:
    from charlens.training.sullivan.corpus import Plan
    from charlens.training.sullivan.links import FEWEST

    return Plan(
        _folder(given),
        seed=given["seed"],
        documents=given["documents"],
        splits=splits,
        cut=given["cut"],
        links=FEWEST if given["links"] else 0,
    )


def _folder(given: dict[str, Any]) -> Path:
    if given["pages"]:
        folder: Path = given["pages"]
    else:
        root = os.environ.get("CHARLENS_DATA")
        folder = (Path(root) if root else Path.home() / ".cache" / "charlens-data") / "html"
    if not folder.is_dir():
        raise click.UsageError(
            f"There is no folder {folder}. Pass --pages FOLDER with UTF-8 pages as <language>/<name>, "
            "or set CHARLENS_DATA to a folder with 'html' in it."
        )
    return folder


def _crew(given: dict[str, Any]) -> Crew:
    from charlens.training.sullivan.work import Crew

    folder = given["cache"] or Path.home() / ".cache" / "charlens" / "sullivan"
    return Crew(given["jobs"] or os.cpu_count() or 1, None if given["no_cache"] else folder)


def _say(words: str) -> None:
    click.echo(words, err=True)


def _train(plan: Plan, method: str, crew: Crew) -> Model:
    from charlens.training.sullivan.corpus import open_corpus
    from charlens.training.sullivan.documents import fingerprint
    from charlens.training.sullivan.model import Model
    from charlens.training.sullivan.report import learn_labels
    from charlens.training.sullivan.settings import METHODS

    learned = learn_labels(plan, METHODS[method], crew, _say)
    pages = fingerprint(document.page for document in open_corpus(plan).documents)
    return Model(plan.seed, plan.documents, plan.cut, pages, METHODS[method], learned)


def _print_training(model: Model, as_json: bool) -> None:
    from charlens.training.sullivan.tables import as_markdown, training

    if as_json:
        rows = {label: learned._asdict() for label, learned in model.labels.items()}
        for row in rows.values():
            row["features"] = len(row.pop("plane").grams)
        click.echo(json.dumps(rows, indent=1))
    else:
        click.echo(as_markdown(training(model.labels)))


def _experiment(given: dict[str, Any]) -> Report:
    from charlens.training.sullivan.report import (
        add_ablation,
        add_cross_validation,
        add_growth,
        add_kernels,
        add_reasons,
        run_experiment,
    )

    crew = _crew(given)
    report = run_experiment(_plan(given, given["splits"]), crew, _say)
    more: list[tuple[bool, Callable[..., None]]] = [
        (given["ablation"], add_ablation),
        (given["why"], add_reasons),
        (given["kernels"], add_kernels),
        (given["settle"], add_cross_validation),
    ]
    for wanted, add in more:
        if wanted:
            add(report, crew, _say)
    if given["growth"]:
        add_growth(report, given["growth"], _say)
    return report


def _test(given: dict[str, Any]) -> Report:
    """Test the model of a file on the pages that its training left out."""
    from charlens.training.sullivan.corpus import Plan, open_fold
    from charlens.training.sullivan.documents import fingerprint
    from charlens.training.sullivan.links import FEWEST
    from charlens.training.sullivan.model import ModelError, load
    from charlens.training.sullivan.report import examine_model

    model = load(given["model"])
    plan = Plan(
        _folder(given),
        seed=model.seed,
        documents=model.documents,
        splits=1,
        cut=model.cut,
        links=FEWEST if given["links"] else 0,
    )
    fold = open_fold(plan, 0)
    if fingerprint(document.page for document in fold.corpus.documents) != model.pages:
        raise ModelError(
            f"{given['model']} was trained on other pages than those in {plan.pages}, so it is not known which of "
            "them it has seen. Pass the folder that it was trained on with --pages, or train it again."
        )
    return examine_model(fold, model.labels)


def _markdown(report: Report) -> str:
    from charlens.training.sullivan.tables import as_markdown

    return "\n\n".join(map(as_markdown, report.tables()))
