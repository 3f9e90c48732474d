"""Turn verdicts into text, JSON, JSON lines or CSV: one record a file, failures among them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from charlens.cli.terminal import paint
from charlens.types import Outcome, Step, Verdict

FORMATS = ("text", "json", "jsonl", "csv")


class Report(NamedTuple):
    """What came of one file: a verdict, or the words of an error."""

    path: str
    verdict: Verdict | None
    error: str | None = None
    #: The explanation, where it was asked for.
    steps: tuple[Step, ...] = ()
    #: Media type and charset, where they were asked for.
    mime: str = ""


class Style(NamedTuple):
    """How a line in words is written."""

    mime: bool = False
    brief: bool = False
    minimal: bool = False


PLAIN = Style()


_NO_VERDICT = Verdict(Outcome.UNDECIDED, None, 0.0)


def render(
    reports: Iterable[Report],
    form: str,
    *,
    verbose: bool = False,
    style: Style = PLAIN,
    equivalents: bool = False,
) -> Iterator[str]:
    """Yield the lines of the output, each as soon as its file is done where the format allows it."""
    if form == "text":
        for report in reports:
            yield from _in_words(report, verbose, style)
        return
    # Here: words for a person need neither JSON nor CSV, and they take 6 ms of 60.
    from charlens.cli.records import as_json, render_records

    records = (record(report, equivalents) for report in reports)
    if form == "json":
        yield as_json(list(records), indent=2)
    else:
        yield from render_records(records, form, (*_COLUMNS, *(("equivalents",) if equivalents else ())))


#: The keys of a record; they are a promise (docs/records.json).
_COLUMNS = (
    "path",
    "outcome",
    "encoding",
    "confidence",
    "language",
    "bom",
    "web_name",
    "damage",
    "cut",
    "media_type",
    "mixed",
    "error",
)


def record(report: Report, equivalents: bool = False) -> dict[str, Any]:
    """Return the report as plain data; with *equivalents*, also the encodings that give the same text."""
    data = (report.verdict or _NO_VERDICT).to_dict()
    data.update(path=report.path, error=report.error)
    return {key: data[key] for key in (*_COLUMNS, *(("equivalents",) if equivalents else ()))}


def _in_words(report: Report, verbose: bool, style: Style) -> Iterator[str]:
    verdict = report.verdict
    if verdict is None:
        return
    if style.minimal:
        yield verdict.encoding or verdict.outcome.value
        return
    words = report.mime if style.mime else _summary(verdict)
    yield words if style.brief else f"{report.path}: {words}"
    if verbose:
        for step in report.steps or verdict.steps:
            where = f" (byte {step.offset})" if step.offset is not None else ""
            yield f"    {step.stage:<12} {step.words}{where}"


#: From here on a name is green on a terminal: the default of --min-confidence.
_SURE = 0.9


def _summary(verdict: Verdict) -> str:
    if verdict.encoding is None:
        last = verdict.steps[-1]
        where = f" at offset {last.offset}" if last.offset is not None else ""
        kind = f", media type {verdict.media_type}" if verdict.media_type else ""
        return (
            f"{verdict.outcome.value} ({last.words.removeprefix(f'{verdict.outcome.value}: ')}{where}){kind}"
        )
    name = paint(verdict.encoding, "green" if verdict.confidence >= _SURE else "yellow")
    words = f"{name}{' with BOM' if verdict.bom else ''}, confidence {verdict.confidence:.2f}"
    if verdict.mixed:
        words += f", in several encodings: {_parts(verdict)}"
    if verdict.media_type:
        words += f", media type {verdict.media_type}"
    if verdict.damage:
        ranges = "1 damaged range" if len(verdict.damage) == 1 else f"{len(verdict.damage)} damaged ranges"
        words += f", {ranges} from byte {verdict.damage[0].start}"
    if verdict.cut:
        words += ", last character cut off"
    if verdict.confidence < 0.5 and verdict.alternatives:
        words += f" (or {', '.join(other.encoding for other in verdict.alternatives[:3])})"
    return words


#: Parts that are listed in words.
_MOST_PARTS = 6


def _parts(verdict: Verdict) -> str:
    listed = ", ".join(f"{part.encoding} {part.start}-{part.end}" for part in verdict.mixed[:_MOST_PARTS])
    left = len(verdict.mixed) - _MOST_PARTS
    return f"{listed} and {left} more parts" if left > 0 else listed
