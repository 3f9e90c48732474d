"""`charlens explain`: why a file was detected as its encoding.

Arguments and messages; `charlens.explain` does the work.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any, NamedTuple

import click

from charlens.cli.hexview import View, hex_lines
from charlens.cli.options import INPUT, format_option, piped_in
from charlens.cli.output import Report, record, remarks
from charlens.cli.records import as_json
from charlens.cli.terminal import columns, complain, paint, print_lines, reason, safe, shown
from charlens.explanation import Candidate, Explanation
from charlens.explanation import explain as explain_bytes
from charlens.inputs.paths import open_bytes, spool_bytes
from charlens.types import Buffer

#: The most pairs and places shown without --verbose.
_PAIRS = 8
_PLACES = 4
#: The most candidates shown side by side.
_READINGS = 5
#: Characters shown before and after a place.
_BEFORE, _AFTER = 18, 22
#: How far back to look for the beginning of a line.
_FAR = 2048


def _number(ctx: click.Context, param: click.Parameter, value: str | None) -> int | None:
    """Parse an offset, decimal or as 0x40."""
    try:
        number = None if value is None else int(value, 0)
    except ValueError:
        raise click.BadParameter(f"{value!r} is not a number such as 64 or 0x40.") from None
    if number is not None and number < 0:
        raise click.BadParameter("the offset must not be negative.")
    return number


@click.command()
@click.argument("path", metavar="[FILE]", required=False, type=INPUT)
@format_option(("text", "json"))
@click.option(
    "--offset",
    callback=_number,
    metavar="NUMBER",
    help="First byte of the hex view.  [default: the bytes that mattered]",
)
@click.option(
    "--length",
    type=click.IntRange(0),
    default=128,
    show_default=True,
    help="Number of bytes in the hex view.",
)
@click.option("--quiet", "-q", is_flag=True, help="Print only the steps.")
@click.option("--verbose", "-v", is_flag=True, help="Print all byte pairs, and more places.")
def explain(path: str | None, form: str, **given: Any) -> None:
    """Explain why charlens chose the encoding of a file.

    Prints the steps of the detection; how each candidate reads the places that decided; the byte pairs that decided,
    with their points for or against the answer; and a hex view. Without FILE, standard input is read.

    \b
    charlens explain letter.txt
    charlens explain letter.txt --offset 0x40 --length 64
    charlens explain letter.txt --format json | jq .contributions[0]
    """
    path = path or piped_in("explain")[0]
    try:
        with spool_bytes(sys.stdin.buffer) if path == "-" else open_bytes(path) as data:
            page = _Page(path, data, explain_bytes(data, parts=True), given)
            print_lines([as_json(_as_data(page), indent=2)] if form == "json" else _lines(page))
    except (OSError, MemoryError, ValueError) as error:
        complain(f"{shown(path)}: {reason(error)}")
        sys.exit(1)


class _Page(NamedTuple):
    path: str
    data: Buffer
    explanation: Explanation
    given: dict[str, Any]

    @property
    def names(self) -> list[str]:
        """The encodings to show side by side, the answer first."""
        verdict, rival = self.explanation.verdict, self.explanation.rival
        names = [verdict.encoding, rival.encoding if rival else None]
        names += [other.encoding for other in verdict.alternatives]
        return list(dict.fromkeys(name for name in names if name))[:_READINGS]

    @property
    def places(self) -> list[int]:
        """The first places of the strongest pairs, no two of them close together."""
        found: list[int] = []
        for part in self.explanation.contributions:
            at = next(iter(part.offsets), -1)
            if at >= 0 and all(abs(at - other) > _BEFORE for other in found):
                found.append(at)
        return found[: 3 * _PLACES if self.given["verbose"] else _PLACES]


def _as_data(page: _Page) -> dict[str, Any]:
    whole = page.explanation
    return {
        **record(Report(page.path, whole.verdict)),
        "alternatives": [other._asdict() for other in whole.verdict.alternatives],
        "steps": [
            {"stage": step.stage, "message": step.words, "offset": step.offset} for step in whole.steps
        ],
        "winner": whole.winner._asdict() if whole.winner else None,
        "rival": whole.rival._asdict() if whole.rival else None,
        "begin": whole.begin,
        "total": whole.total,
        "contributions": [{**part._asdict(), "pair": part.pair.hex()} for part in whole.contributions],
    }


def _lines(page: _Page) -> Iterator[str]:
    verdict = page.explanation.verdict
    answer = verdict.encoding or verdict.outcome.value
    language = f", language {verdict.language}" if verdict.language else ""
    line = f"{shown(page.path)}: {answer}, confidence {verdict.confidence:.2f}{language}"
    yield paint(", ".join([line, *remarks(verdict)]), "green", bold=True)
    yield from _section("Steps")
    steps = page.explanation.verdict.steps
    yield from columns(
        [
            ["  " + s.stage, safe(s.words) + (f" (byte {s.offset})" if s.offset is not None else "")]
            for s in steps
        ]
    )
    if page.given["quiet"]:
        return
    if page.explanation.winner and page.explanation.rival:
        yield from _readings(page)
        yield from _pairs(page, page.explanation.winner, page.explanation.rival)
    if page.given["length"] and len(page.data):
        yield from _section("Bytes")
        yield from ("  " + line for line in hex_lines(page.data, _view(page)))


def _section(title: str) -> Iterator[str]:
    yield ""
    yield paint(title, "", bold=True)


def _readings(page: _Page) -> Iterator[str]:
    verdict = page.explanation.verdict
    sure = {other.encoding: f"{other.confidence:.2f}" for other in verdict.alternatives}
    sure[verdict.encoding or ""] = f"{verdict.confidence:.2f}"
    yield from _section("Candidates, and how they read the places that decided")
    for at in page.places:
        yield f"  byte {at}"
        rows = [
            ["    " + name, sure.get(name, "-"), _read_around(page.data, at, name)] for name in page.names
        ]
        yield from columns(rows)


def _read_around(data: Buffer, at: int, encoding: str) -> str:
    """Decode the line around the byte *at* with *encoding*."""
    begin = max(0, at - _FAR)
    begin += bytes(data[begin:at]).rfind(b"\n") + 1
    before = bytes(data[begin:at]).decode(encoding, "replace")
    after = bytes(data[begin : at + 4 * _AFTER]).decode(encoding, "replace")[len(before) :]
    return safe(before[-_BEFORE:].lstrip() + after.split("\n")[0][:_AFTER].rstrip())


def _pairs(page: _Page, winner: Candidate, rival: Candidate) -> Iterator[str]:
    whole = page.explanation
    yield from _section(
        f"Byte pairs: {winner.encoding} {winner.language} over {rival.encoding} {rival.language}"
    )
    yield f"  {whole.total:+} points, including {whole.begin:+} from prior frequency and hints"
    listed = whole.contributions if page.given["verbose"] else whole.contributions[:_PAIRS]
    head = ["  points", "share", "pair", "times", "first", winner.encoding, rival.encoding]
    rows = [
        [
            f"{part.points:+}",
            f"{part.share:.0%}",
            part.pair.hex(" ").upper(),
            str(part.times),
            str(part.offsets[0]) if part.offsets else "-",
            safe(part.reads[0]),
            safe(part.reads[1]),
        ]
        for part in listed
    ]
    lines = list(columns([head, *rows], right=(0, 1, 3, 4)))
    yield lines[0]
    for line, part in zip(lines[1:], listed, strict=True):
        yield paint(line, "green" if part.points > 0 else "red")
    if len(whole.contributions) > len(listed):
        yield f"  and {len(whole.contributions) - len(listed)} more"


def _view(page: _Page) -> View:
    verdict = page.explanation.verdict
    damage = {at for span in verdict.damage for at in range(span.start, span.end)}
    shown_pairs = page.explanation.contributions[:_PAIRS]
    decided = {at + k for part in shown_pairs if part.points > 0 for at in part.offsets for k in (0, 1)}
    start = page.given["offset"]
    if start is None:
        offsets = [step.offset for step in verdict.steps if step.offset]
        first = min(damage, default=page.places[0] if page.places else offsets[0] if offsets else 0)
        start = max(0, first - 32)
    return View(start, page.given["length"], verdict.encoding, damage, decided)
