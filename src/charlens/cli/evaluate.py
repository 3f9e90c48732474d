"""The verb `charlens evaluate`: measure charlens and other detectors, compare runs, list public data.

Only arguments and messages are here; `charlens.evaluation` does the work, and is imported when it is needed.
"""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from charlens.cli.groups import RunByDefault
from charlens.cli.options import format_option, jobs_option
from charlens.plural import count

if TYPE_CHECKING:
    from charlens.evaluation.compare import Comparison
    from charlens.evaluation.made import Recipe
    from charlens.evaluation.peers import Peer
    from charlens.evaluation.plan import Announce, Plan
    from charlens.evaluation.record import Run
    from charlens.evaluation.results import Evaluation
    from charlens.evaluation.run import RunOptions


_LATE = {
    "history": (
        "charlens.cli.history:history_command",
        "Collect labelled files from the history of Git repositories.",
    ),
    "sullivan": (
        "charlens.training.sullivan.command:evaluate_sullivan",
        "Repeat Sullivan's SVM experiment and compare with the published tables.",
    )
}


@click.group(cls=RunByDefault, late=_LATE, name="evaluate")
def evaluate() -> None:
    """Measure charlens and other detectors on labelled data.

    'charlens evaluate --data FOLDER' is short for 'charlens evaluate run --data FOLDER'.
    """


def _sizes(ctx: click.Context, param: click.Parameter, value: str | None) -> Sequence[int] | None:
    """Read sizes in bytes, '10,20,50', or 'all' for the usual ones."""
    if value is None:
        return None
    if value == "all":
        from charlens.evaluation.made import SIZES

        return SIZES
    try:
        sizes = tuple(int(part) for part in value.split(","))
    except ValueError:
        sizes = ()
    if not sizes or min(sizes) < _LEAST_SIZE:
        raise click.BadParameter(
            f"{value!r} is not a list of sizes. Write bytes such as 10,20,50, each {_LEAST_SIZE} or more, or 'all'."
        )
    return sizes


# Two characters in UTF-16, or one and a half in GBK: less cannot be detected.
_LEAST_SIZE = 4

_FOLDER = click.Path(path_type=Path, file_okay=False)
_time_limit = click.option(
    "--time-limit", type=float, default=30.0, show_default=True, help="Seconds allowed per answer."
)
_no_cache = click.option("--no-cache", is_flag=True, help="Do not use cached answers.")
_seed = click.option("--seed", type=int, default=0, show_default=True, help="Seed of the random choices.")


@evaluate.command("run")
@click.option(
    "--data",
    type=_FOLDER,
    multiple=True,
    help="A folder with a manifest.tsv, or with files in ENCODING-LANGUAGE/.",
)
@click.option(
    "--cut",
    callback=_sizes,
    metavar="SIZES",
    help="Also cut the files of --data to these sizes, such as 10,100.",
)
@click.option("--made", callback=_sizes, metavar="SIZES", help="Make snippets of these sizes from --text.")
@click.option(
    "--text", type=_FOLDER, help="A folder of UTF-8 texts, <language>/<source>.txt or <language>.txt."
)
@click.option("--sources", metavar="NAMES", help="Use only these sources of --text, separated by commas.")
@click.option(
    "--kept-apart", is_flag=True, help="Use only the texts that 'charlens train' sets aside for testing."
)
@click.option(
    "--without", multiple=True, metavar="xx/SOURCE", help="A source that the training skipped; repeatable."
)
@click.option(
    "--per-class",
    type=click.IntRange(1),
    default=10,
    show_default=True,
    help="Number of cuts per class and size.",
)
@click.option("--binary", type=_FOLDER, help="A folder of files that are not text.")
@click.option("--peers", metavar="NAMES", help="Run only these detectors, separated by commas.")
@click.option("--kinds", metavar="NAMES", help="Use only samples of these kinds, such as html,xml.")
@click.option(
    "--part",
    type=click.Choice(("development", "test")),
    default=None,
    help="Use only the sources for choosing settings (development), or only the others (test).",
)
@click.option(
    "--blank-declarations", "blank", is_flag=True, help="Hide the encoding declarations inside the files."
)
@click.option(
    "--limit", type=click.IntRange(0), default=0, help="Maximum number of samples per set; 0 means all."
)
@jobs_option
@_time_limit
@click.option(
    "--cache", type=_FOLDER, help="Folder for cached answers.  [default: ~/.cache/charlens/evaluation]"
)
@_no_cache
@click.option("--no-speed", is_flag=True, help="Do not measure speed.")
@_seed
@click.option(
    "--public", is_flag=True, help="Write a report for publication: figures and names, but none of the data."
)
@click.option(
    "--out",
    type=_FOLDER,
    default=Path("charlens-evaluation"),
    show_default=True,
    help="The folder to write to.",
)
def run_command(**given: Any) -> None:
    """Run all detectors on the data and write a report.

    The report is results.json, REPORT.md, report.html and pictures/ in the folder --out. --data defaults to
    $CHARLENS_DATA/labelled or ~/.cache/charlens-data/labelled, and --binary to the folder 'binary' next to it.
    """
    from charlens.errors import CharlensError
    from charlens.evaluation.plan import carry_out
    from charlens.evaluation.report import write_report

    plan = _plan(given)
    try:
        with _progress(given) as (options, announce):
            run = carry_out(plan, options, announce)
        draw = find_spec("matplotlib") is not None
        written = write_report(run, given["out"], public=given["public"], draw=draw)
    except CharlensError as error:
        raise click.ClickException(str(error)) from error
    _say(run)
    if not draw:
        click.echo(
            "No pictures were drawn, because matplotlib is not installed: pip install 'charlens[evaluate]'"
        )
    best = given["out"] / ("REPORT.md" if given["public"] else "report.html")
    click.echo(f"\nWrote {len(written)} files to {given['out']}; start with {best}.")


def _plan(given: dict[str, Any]) -> Plan:
    from charlens.evaluation.plan import Plan, data_root

    root = data_root()
    data, binary = given["data"], given["binary"]
    if not data and not given["made"]:
        if root is None or not (root / "labelled").is_dir():
            raise click.UsageError(
                "No data to measure on. Pass --data FOLDER, or --made 10,100 --text FOLDER, or set "
                "CHARLENS_DATA to a folder with 'labelled' in it. 'charlens evaluate datasets' lists public sets."
            )
        data = (root / "labelled",)
        binary = binary or (root / "binary" if (root / "binary").is_dir() else None)
    text = given["text"] or (root / "train" if root and (root / "train").is_dir() else None)
    return Plan(
        data=data,
        binary=binary,
        text=text,
        made=_recipe(given, given["made"]),
        cut=_recipe(given, given["cut"]),
        peers=_chosen(given["peers"]),
        kinds=_names(given["kinds"]),
        part=given["part"] or "",
        limit=given["limit"],
        blank=given["blank"],
        speed=not given["no_speed"],
        seed=given["seed"],
        command=_command(),
    )


def _recipe(given: dict[str, Any], sizes: Sequence[int] | None) -> Recipe | None:
    from charlens.evaluation.made import Recipe

    if sizes is None:
        return None
    return Recipe(
        sizes,
        given["per_class"],
        given["seed"],
        sources=_names(given["sources"]),
        kept_apart=given["kept_apart"],
        without=given["without"],
    )


def _names(words: str | None) -> tuple[str, ...]:
    return tuple(part.strip() for part in words.split(",") if part.strip()) if words else ()


def _chosen(words: str | None) -> tuple[Peer, ...]:
    from charlens.evaluation.peers import encoding_peers

    peers = encoding_peers()
    wanted = _names(words)
    unknown = [name for name in wanted if name not in {peer.name for peer in peers}]
    if unknown:
        known = ", ".join(peer.name for peer in peers)
        raise click.UsageError(f"Unknown detector {', '.join(unknown)}. The detectors are {known}.")
    return tuple(peer for peer in peers if not wanted or peer.name in wanted)


def _command() -> str:
    """Return the command as given, with folders by name only: a report must not show home directories."""
    words = sys.argv[1:] if "evaluate" in sys.argv[1:] else ["evaluate"]
    return shlex.join(["charlens", *(Path(word).name if "/" in word else word for word in words)])


@contextmanager
def _progress(given: dict[str, Any]) -> Iterator[tuple[RunOptions, Announce]]:
    """Show a progress bar on a terminal while the detectors run; otherwise print one line for each part."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    from charlens.evaluation.cache import default_folder
    from charlens.evaluation.run import RunOptions

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    bars = Progress(*columns, console=console, disable=not console.is_terminal)
    tasks: dict[str, Any] = {}

    def announce(name: str, count: int, peers: Sequence[str]) -> None:
        console.print(f"{name}: {count:,} samples" if count else f"{name} …", highlight=False)
        for task in tasks.values():
            bars.remove_task(task)
        tasks.clear()
        if count:
            tasks.update((peer, bars.add_task(peer, total=count)) for peer in peers)

    def advance(peer: str, count: int) -> None:
        if peer in tasks:
            bars.advance(tasks[peer], count)

    cache = None if given["no_cache"] else given["cache"] or default_folder()
    with bars:
        yield RunOptions(given["jobs"], given["time_limit"], cache, advance), announce


def _say(run: Run) -> None:
    """Print the averages, and warnings."""
    from charlens.evaluation.tables import summary

    for evaluation in run.evaluations:
        click.echo(
            f"\n{evaluation.dataset.name}: {len(evaluation.rows):,} samples, hash {evaluation.dataset.hash}"
        )
        if not evaluation.rows or not evaluation.namers:
            continue
        click.echo(f"  {'':20} {'right':>8} {'equal':>8} {'macro':>8} {'misses':>7}")
        for peer, micro, macro, _, equal, _, misses, *_ in summary(evaluation, run.seed).rows:
            shares = "".join(f"{100 * share.value:8.2f}%" for share in (micro, equal, macro))  # type: ignore[union-attr]
            click.echo(f"  {peer:20}{shares} {misses:7}")
        _say_languages(evaluation)
        if evaluation.problems:
            click.echo(f"  {count(len(evaluation.problems), 'problem')} with the data; the report lists them")
    for state in run.states:
        if state.missing:
            click.echo(f"missing: {state.name} ({state.missing})")


def _say_languages(evaluation: Evaluation) -> None:
    """Print how often each detector named the right language."""
    from charlens.evaluation.languages import named_languages

    table = named_languages(evaluation)
    if table is not None:
        click.echo(f"  {'':20} {'language':>8} {'answered':>9} {'right of them':>14}")
        for peer, right, _, answered, of_answered, _ in table.rows:
            click.echo(f"  {peer:20} {right:8.2%} {answered:9.2%} {of_answered:14.2%}")


@evaluate.command("compare")
@click.argument("before", type=click.Path(path_type=Path, dir_okay=False))
@click.argument("after", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--peer", help="The detector to compare.  [default: charlens-native, or charlens-pure]")
@click.option("--against", help="Compare with this detector in AFTER.  [default: the same one]")
@format_option(["text", "json"])
def compare_command(before: Path, after: Path, peer: str | None, against: str | None, form: str) -> None:
    """Compare two results.json file by file: what is better, and what is worse."""
    from charlens.errors import CharlensError
    from charlens.evaluation.compare import compare, detectors_of
    from charlens.evaluation.record import read_record

    try:
        old, new = read_record(before), read_record(after)
        shared = [name for name in detectors_of(old) if name in detectors_of(new)]
        ours = next((name for name in ("charlens-native", "charlens-pure") if name in shared), None)
        chosen = peer or ours
        if chosen is None:
            raise click.UsageError(
                f"Neither kernel of charlens is in both records. Pass --peer: {', '.join(shared)}."
            )
        found = compare(old, new, chosen, against or chosen)
    except CharlensError as error:
        raise click.ClickException(str(error)) from error
    click.echo(_as_json(found) if form == "json" else "\n\n".join(map(_in_words, found)))


def _in_words(found: Comparison) -> str:
    head = (
        f"{found.dataset}: {found.right_before:,} → {found.right_after:,} right of {found.shared:,}; "
        f"{len(found.better)} better, {len(found.worse)} worse (probability of this by chance: {found.chance:.3f})"
    )
    lines = [head]
    if found.only_before or found.only_after:
        lines.append(f"  not compared: {found.only_before} only before, {found.only_after} only after")
    for title, changes in (
        ("better", found.better),
        ("worse", found.worse),
        ("otherwise wrong", found.otherwise),
    ):
        if changes:
            lines += [f"  {title}:", *(f"    {change}" for change in changes)]
    return "\n".join(lines)


def _as_json(found: Sequence[Comparison]) -> str:
    from dataclasses import asdict

    return json.dumps([asdict(each) for each in found], ensure_ascii=False, indent=1)


@evaluate.command("html")
@click.option("--data", type=_FOLDER, help="Labelled pages.  [default: $CHARLENS_DATA/labelled]")
@click.option("--pages", type=_FOLDER, help="UTF-8 pages by language.  [default: $CHARLENS_DATA/html]")
@click.option(
    "--corpus",
    type=click.Path(path_type=Path),
    help="Only the paper's own pages: a clone of IUST-HTMLCharDet, its corpus.zip, or that unpacked.",
)
@click.option(
    "--per-class",
    type=click.IntRange(1),
    default=12,
    show_default=True,
    help="Number of made pages per class.",
)
@jobs_option
@_time_limit
@click.option("--cache", type=_FOLDER, help="Folder for cached answers.")
@_no_cache
@_seed
@click.option(
    "--out", type=_FOLDER, default=Path("charlens-html"), show_default=True, help="The folder to write to."
)
def html_command(**given: Any) -> None:
    """Measure web pages, by encoding, language, share of markup and declaration."""
    import time

    from charlens.errors import CharlensError
    from charlens.evaluation.made_pages import PageRecipe
    from charlens.evaluation.plan import data_root
    from charlens.evaluation.report import circumstances
    from charlens.evaluation.web_report import markdown, measure_corpus, measure_pages, sections, write_pages

    root = data_root() or Path("charlens-data")
    recipe = PageRecipe(given["per_class"], seed=given["seed"])
    started = time.monotonic()
    try:
        with _progress(given) as (options, announce):
            if given["corpus"]:
                for title, lines in measure_corpus(given["corpus"], options, announce):
                    click.echo(f"\n{title}\n\n{markdown(lines)}")
                return
            run = measure_pages(
                given["data"] or root / "labelled", given["pages"] or root / "html", recipe, options, announce
            )
    except CharlensError as error:
        raise click.ClickException(str(error)) from error
    facts = circumstances(_command(), time.monotonic() - started)
    for title, lines in sections(run):
        click.echo(f"\n{title}\n\n{markdown(lines)}")
    written = write_pages(run, given["out"], facts)
    click.echo(f"\nWrote {len(written)} files to {given['out']}.")


@evaluate.command("datasets")
def datasets_command() -> None:
    """List public datasets and how to download them."""
    from charlens.evaluation.sets import public_sets

    for each in public_sets():
        click.echo(f"{each.name}: {each.what}\n  licence: {each.licence}\n  layout: {each.layout}")
        click.echo("".join(f"  $ {line}\n" for line in each.get.strip().splitlines()))
