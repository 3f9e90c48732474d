"""Turn verdicts into text, JSON, JSON lines or CSV: one record per file, including files that failed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from charlens.cli.terminal import paint, shown, width
from charlens.findings import Content
from charlens.plural import count
from charlens.types import Outcome, Step, Verdict

FORMATS = ("text", "json", "jsonl", "csv")


class Report(NamedTuple):
    """The result for one file: a verdict, or an error message."""

    path: str
    verdict: Verdict | None
    error: str | None = None
    #: The explanation, if requested.
    steps: tuple[Step, ...] = ()
    #: Media type and charset, if requested.
    mime: str = ""


class Style(NamedTuple):
    """How a line of text is written."""

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
    paths: Sequence[str] = (),
) -> Iterator[str]:
    """Yield the lines of the output, each as soon as its file is done if the format allows it.

    *paths* are the names that will be reported, if the text is to be aligned in columns under a header.
    """
    if form == "text":
        room = min(_WIDEST_PATH, max(map(width, paths), default=0))
        if paths:
            yield paint(_row(("file", "encoding", "confidence", "language", ""), room), "", bold=True)
        for report in reports:
            yield from _in_words(report, verbose, style, room)
        return
    # Imported here: text output needs neither JSON nor CSV, which take 6 ms of 60 to import.
    from charlens.cli.records import as_json, render_records

    records = (record(report, equivalents) for report in reports)
    if form == "json":
        yield as_json(list(records), indent=2)
    else:
        yield from render_records(records, form, (*_COLUMNS, *(("equivalents",) if equivalents else ())))


#: The keys of a record; they are part of the public schema (docs/records.json).
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


def _in_words(report: Report, verbose: bool, style: Style, room: int) -> Iterator[str]:
    verdict = report.verdict
    if verdict is None:
        return
    if style.minimal:
        yield verdict.encoding or verdict.outcome.value
        return
    if room:
        yield _columns(_name(report), verdict, room)
    else:
        words = report.mime if style.mime else _summary(verdict)
        yield words if style.brief else f"{_name(report)}: {words}"
    if verbose:
        for step in report.steps or verdict.steps:
            where = f" (byte {step.offset})" if step.offset is not None else ""
            yield f"    {step.stage:<12} {step.words}{where}"


def _name(report: Report) -> str:
    """Return the name of the file for text output; in records, standard input is '-'."""
    return "standard input" if report.path == "-" else shown(report.path)


#: An encoding with at least this confidence is green on a terminal: the default of --min-confidence.
_SURE = 0.9


def _summary(verdict: Verdict) -> str:
    """Return the answer as a sentence."""
    if verdict.encoding is None:
        kind = f", media type {verdict.media_type}" if verdict.media_type else ""
        return f"{verdict.outcome.value} ({_reason(verdict)}){kind}"
    words = [
        f"{_painted(verdict, verdict.encoding)}{' with BOM' if verdict.bom else ''}",
        f"confidence {verdict.confidence:.2f}",
        *((f"language {verdict.language}",) if verdict.language else ()),
        *remarks(verdict),
    ]
    return ", ".join(words) + _doubt(verdict)


#: Columns of the encoding, the confidence and the language on a terminal; a longer path moves its own row only.
_ENCODING, _CONFIDENCE, _LANGUAGE, _WIDEST_PATH = 12, 10, 8, 60


def _columns(path: str, verdict: Verdict, room: int) -> str:
    """Return the answer as a row."""
    if verdict.encoding is None:
        notes = [_reason(verdict), *((verdict.media_type,) if verdict.media_type else ())]
        return _row((path, verdict.outcome.value, "", "", ", ".join(notes)), room)
    notes = [*(("with BOM",) if verdict.bom else ()), *remarks(verdict)]
    # Pad before painting: colour codes would count as width.
    name = _painted(verdict, verdict.encoding.ljust(_ENCODING))
    cells = (
        path,
        name,
        f"{verdict.confidence:.2f}",
        verdict.language or "-",
        ", ".join(notes) + _doubt(verdict),
    )
    return _row(cells, room)


def _row(cells: Sequence[str], room: int) -> str:
    path, encoding, confidence, language, notes = cells
    gap = " " * (room - width(path))
    row = (
        f"{path}{gap}  {encoding:<{_ENCODING}}  {confidence:<{_CONFIDENCE}}  {language:<{_LANGUAGE}}  {notes}"
    )
    return row.rstrip()


def _painted(verdict: Verdict, name: str) -> str:
    return paint(name, "green" if verdict.confidence >= _SURE else "yellow")


def _reason(verdict: Verdict) -> str:
    """Return why no encoding was named."""
    last = verdict.steps[-1]
    where = f" at offset {last.offset}" if last.offset is not None else ""
    return f"{last.words.removeprefix(f'{verdict.outcome.value}: ')}{where}"


def remarks(verdict: Verdict) -> Iterator[str]:
    """Yield remarks: several encodings, control bytes, damage, a cut."""
    for finding in verdict.findings:
        if isinstance(finding, Content) and finding.is_text and finding.sign:
            yield f"contains {finding.sign} at offset {finding.offset}"
    if verdict.mixed:
        yield f"in several encodings: {_parts(verdict)}"
    if verdict.media_type:
        yield f"media type {verdict.media_type}"
    if verdict.damage:
        yield f"{count(len(verdict.damage), 'damaged range')} from byte {verdict.damage[0].start}"
    if verdict.cut:
        yield "last character cut off"


def _doubt(verdict: Verdict) -> str:
    """Name other likely encodings if the confidence is low."""
    if verdict.confidence >= 0.5 or not verdict.alternatives:
        return ""
    return f" (or {', '.join(other.encoding for other in verdict.alternatives[:3])})"


#: The most parts listed in text output.
_MOST_PARTS = 6


def _parts(verdict: Verdict) -> str:
    listed = ", ".join(f"{part.encoding} {part.start}-{part.end}" for part in verdict.mixed[:_MOST_PARTS])
    left = len(verdict.mixed) - _MOST_PARTS
    return f"{listed} and {left} more parts" if left > 0 else listed
