"""Turn verdicts into text, JSON, JSON lines or CSV: one record a file, failures among them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

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
    reports: Iterable[Report], form: str, *, verbose: bool = False, style: Style = PLAIN
) -> Iterator[str]:
    """Yield the lines of the output, each as soon as its file is done where the format allows it."""
    if form in ("json", "jsonl"):
        import json  # here, as csv below: words for a person need neither, and they take 6 ms of 60

    if form == "json":
        yield json.dumps([record(report) for report in reports], indent=2)
    elif form == "jsonl":
        for report in reports:
            yield json.dumps(record(report))
    elif form == "csv":
        from charlens.cli.records import csv_line

        yield csv_line(_COLUMNS)
        for report in reports:
            yield csv_line([_cell(value) for value in record(report).values()])
    else:
        for report in reports:
            yield from _in_words(report, verbose, style)


_COLUMNS = (
    "path",
    "outcome",
    "encoding",
    "confidence",
    "language",
    "bom",
    "web_name",
    "equivalents",
    "damage",
    "cut",
    "media_type",
    "mixed",
    "error",
)


def record(report: Report) -> dict[str, Any]:
    """Return the report as plain data; the keys are a promise."""
    verdict = report.verdict or _NO_VERDICT
    return {
        "path": report.path,
        "outcome": verdict.outcome.value,
        "encoding": verdict.encoding,
        "confidence": round(verdict.confidence, 4),
        "language": verdict.language,
        "bom": verdict.bom.hex(),
        "web_name": verdict.web_name,
        "equivalents": list(verdict.equivalents),
        "damage": [[span.start, span.end] for span in verdict.damage],
        "cut": verdict.cut,
        "media_type": verdict.media_type,
        "mixed": [list(part) for part in verdict.mixed],
        "error": report.error,
    }


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, list):
        return " ".join("-".join(map(str, item)) if isinstance(item, list) else str(item) for item in value)
    return str(value)


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


def _summary(verdict: Verdict) -> str:
    if verdict.encoding is None:
        last = verdict.steps[-1]
        where = f" at offset {last.offset}" if last.offset is not None else ""
        kind = f", media type {verdict.media_type}" if verdict.media_type else ""
        return f"{verdict.outcome.value} ({last.words.removeprefix(f'{verdict.outcome.value}: ')}{where}){kind}"
    words = f"{verdict.encoding}{' with BOM' if verdict.bom else ''}, confidence {verdict.confidence:.2f}"
    if verdict.mixed:
        words += f", in several encodings: {_parts(verdict)}"
    if verdict.media_type:
        words += f", media type {verdict.media_type}"
    if verdict.damage:
        words += f", {len(verdict.damage)} damaged range(s) from byte {verdict.damage[0].start}"
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
