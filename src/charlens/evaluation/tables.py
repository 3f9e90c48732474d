"""Make tables of the figures of an evaluation.

A `Table` is data: `report` writes it as HTML and Markdown, and `record` as JSON.  In every cell that
has a share, both measures are kept: the same text, and the same name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from charlens.evaluation.judge import Grade
from charlens.evaluation.metrics import (
    Interval,
    Tally,
    binary_scores,
    by_sources,
    calibration,
    group,
    macro,
    micro,
    tally,
)
from charlens.evaluation.results import Evaluation, PeerState, Row, detected_name
from charlens.evaluation.speed import Speed


@dataclass(frozen=True, slots=True)
class Figure:
    """A number that is not a share, with its number of decimals."""

    value: float
    digits: int = 0
    unit: str = ""

    def __str__(self) -> str:
        return f"{self.value:,.{self.digits}f}{self.unit}"


#: A float is a share, and shown in percent.
Cell = str | int | float | Figure | Interval | Tally | None


@dataclass(frozen=True, slots=True)
class Table:
    """A table with its title and an explanation."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""


def summary(evaluation: Evaluation, seed: int = 0) -> Table:
    """Micro and macro averages by both measures, and errors."""
    rows: list[tuple[Cell, ...]] = []
    for peer in evaluation.namers:
        count = tally(evaluation.rows, peer)
        rows.append(
            (
                peer,
                micro(evaluation.rows, peer, seed=seed),
                macro(evaluation.rows, peer, seed=seed),
                by_sources(evaluation.rows, peer, seed=seed),
                micro(evaluation.rows, peer, seed=seed, equal=True),
                macro(evaluation.rows, peer, seed=seed, equal=True),
                count.misses,
                *(count.of(grade) for grade in _FAULTS),
            )
        )
    columns = ("detector", "micro", "macro", "micro, by source", "equal micro", "equal macro", "misses")
    note = (
        "Micro: share of samples with the right text. Macro: mean of that share over the encodings. "
        "Equal: the same by the name of the encoding. Intervals: 95 %, bootstrap over samples; 'by "
        "source' resamples whole sources, since the files of one source are alike. The misses by kind: "
        "another text, an encoding that cannot decode the bytes, no encoding named, called binary, no "
        "usable answer."
    )
    return Table("Averages", (*columns, *(grade.value for grade in _FAULTS)), tuple(rows), note)


_FAULTS = (Grade.WRONG, Grade.UNDECODABLE, Grade.UNDECIDED, Grade.BINARY, Grade.FAILED)


def by_encoding(evaluation: Evaluation) -> Table:
    """Shares by true encoding."""
    return _shares(evaluation, "By encoding", "true encoding", lambda row: row.sample.true_name)


def by_language(evaluation: Evaluation) -> Table:
    """Shares by language, like Table 4 of Faghani, Hadian and Minaei-Bidgoli (2015)."""
    return _shares(evaluation, "By language", "language", lambda row: row.sample.language or "(not known)")


def by_source(evaluation: Evaluation) -> Table:
    """Shares by source."""
    return _shares(evaluation, "By source", "source", lambda row: row.sample.source or "(not known)")


# Classes for the sizes of whole files; cut samples have an exact size.
_BOUNDS = (10, 20, 50, 100, 200, 500, 2000, 10_000, 100_000)


def by_length(evaluation: Evaluation) -> Table:
    """Shares by the length in bytes of whole files."""
    return _shares(evaluation, "By length", "bytes", _length_class, order=_by_first_number)


def by_size(evaluation: Evaluation, whole: Evaluation | None = None) -> Table:
    """Shares by the size that samples were cut to, and those of the *whole* files they were cut from."""
    table = _shares(evaluation, "By size", "bytes", _length_class, order=_by_first_number)
    lines = list(table.rows)
    if whole is not None:
        counts = (tally(whole.rows, peer) for peer in evaluation.namers)
        lines.insert(-1, ("whole files", len(whole.rows), *counts))
    note = "Samples are cut to at most this size." + (" 'all' leaves out the whole files." if whole else "")
    return Table(table.title, table.columns, tuple(lines), note)


def _length_class(row: Row) -> str:
    if row.sample.cut:
        return str(row.sample.cut)
    bound = next((bound for bound in _BOUNDS if row.sample.length <= bound), None)
    return f"up to {bound:,}" if bound else f"over {_BOUNDS[-1]:,}"


def _by_first_number(entry: tuple[str, list[Row]]) -> int:
    words = entry[0]
    size = int("".join(filter(str.isdigit, words)))
    return size + 1 if words.startswith("over") else size


def _most_first(entry: tuple[str, list[Row]]) -> tuple[int, str]:
    return (-len(entry[1]), entry[0])


def _shares(
    evaluation: Evaluation,
    title: str,
    name: str,
    key: Callable[[Row], str],
    order: Callable[[tuple[str, list[Row]]], object] = _most_first,
) -> Table:
    peers = evaluation.namers
    groups = sorted(group(evaluation.rows, key).items(), key=order)  # type: ignore[arg-type]
    rows: list[tuple[Cell, ...]] = [
        (label, len(members), *(tally(members, peer) for peer in peers)) for label, members in groups
    ]
    total: tuple[Cell, ...] = ("all", len(evaluation.rows), *(tally(evaluation.rows, peer) for peer in peers))
    note = "Share of samples with the right text; next to it, smaller, the share with exactly the same name."
    return Table(title, (name, "samples", *peers), (*rows, total), note)


def histograms(evaluation: Evaluation) -> list[Table]:
    """True against detected for each true encoding, like Table 3 of the same paper.

    Only encodings that some detector did not always name correctly are shown.
    """
    peers = evaluation.namers
    tables = []
    for truth, rows in sorted(group(evaluation.rows, lambda row: row.sample.true_name).items()):
        counts = {peer: Counter(said(row, peer) for row in rows) for peer in peers}
        names = sorted({name for count in counts.values() for name in count})
        if names == [truth]:
            continue
        names.sort(key=truth.__ne__)
        lines: list[tuple[Cell, ...]] = [
            (name, *(counts[peer][name] or None for peer in peers)) for name in names
        ]
        lines.append(("right", *(tally(rows, peer) for peer in peers)))
        tables.append(
            Table(
                f"{truth}, {len(rows)} {'sample' if len(rows) == 1 else 'samples'}",
                ("detected", *peers),
                tuple(lines),
            )
        )
    return tables


def said(row: Row, peer: str) -> str:
    """Return the answer of a detector in one word."""
    answer = row.answers[peer]
    if answer.error is not None:
        return "(failed)"
    if answer.encoding is None:
        return f"({answer.outcome.value})"
    return detected_name(answer.encoding)


# After the forty most frequent, confusions are single files, which are in the list of misses.
_CONFUSIONS = 40


def confusions(evaluation: Evaluation) -> Table:
    """The most frequent misses as pairs of true and detected, over all detectors."""
    peers = evaluation.namers
    counts: dict[tuple[str, str], Counter[str]] = {}
    for row in evaluation.rows:
        for peer in peers:
            if not row.right(peer):
                counts.setdefault((row.sample.true_name, said(row, peer)), Counter())[peer] += 1
    ranked = sorted(counts.items(), key=lambda entry: (-entry[1].total(), entry[0]))[:_CONFUSIONS]
    rows = tuple((truth, name, *(count[peer] or None for peer in peers)) for (truth, name), count in ranked)
    return Table("Most frequent misses", ("true encoding", "detected", *peers), rows)


def calibrations(evaluation: Evaluation) -> Table:
    """The calibration of each detector."""
    rows: list[tuple[Cell, ...]] = []
    for peer in evaluation.namers:
        found = calibration(evaluation.rows, peer)
        if found is None:
            rows.append((peer, None, None, None, 0))
        else:
            rows.append((peer, Figure(found.error, 3), found.confidence, found.share, found.count))
    note = (
        "ECE: expected calibration error, the mean distance between confidence and share of right answers "
        "over ten bins; 0 is a probability. A dash: this detector gives no confidence."
    )
    columns = ("detector", "ECE", "mean confidence", "share right", "answers")
    return Table("Calibration", columns, tuple(rows), note)


def reliability(evaluation: Evaluation) -> Table:
    """The bins of the calibration."""
    rows = [
        (peer, f"{part.low:.1f} to {part.high:.1f}", part.count, part.confidence, part.share)
        for peer in evaluation.namers
        if (found := calibration(evaluation.rows, peer)) is not None
        for part in found.bins
    ]
    columns = ("detector", "confidence", "answers", "mean confidence", "share right")
    return Table("Reliability", columns, tuple(rows))


def text_or_binary(texts: Evaluation, binaries: Evaluation) -> Table:
    """How well each detector and rule distinguishes binary from text."""
    rows = []
    for peer in texts.peers:
        if peer not in binaries.peers:
            continue
        scores = binary_scores((*texts.rows, *texts.apart), binaries.rows, peer)
        shares = (scores.precision, scores.recall, scores.text_recall)
        faults = (scores.text_as_binary, scores.binaries - scores.binary_as_binary)
        rows.append((peer, *shares, *faults))
    columns = ("by", "precision", "recall", "texts kept", "texts called binary", "binaries called text")
    note = (
        f"{len(texts.rows) + len(texts.apart):,} texts of '{texts.dataset.name}', {len(binaries.rows):,} "
        f"files of '{binaries.dataset.name}'. Precision and recall are those of 'binary'. Naming no "
        "encoding counts as binary: uchardet, ICU, resiliparse and chardetng have no word for it, and "
        "name one for nearly everything."
    )
    return Table("Text or binary", columns, tuple(rows), note)


def speeds(measured: Sequence[Speed]) -> Table:
    """Speed, memory and start time, relative to the fastest other detector."""
    peers = [speed.files_per_second for speed in measured if not speed.peer.startswith("charlens")]
    fastest = max(peers, default=0.0)
    rows = tuple(
        (
            speed.peer,
            Figure(speed.files_per_second),
            Figure(speed.megabytes_per_second, 2),
            Figure(fastest / speed.files_per_second, 2, "×") if fastest and speed.files_per_second else None,
            None if speed.first_call_ms is None else Figure(speed.first_call_ms),
            None if speed.memory_mb is None else Figure(speed.memory_mb, 1),
            speed.note,
        )
        for speed in sorted(measured, key=lambda speed: -speed.files_per_second)
    )
    note = (
        "One process, whole files in memory, median of repeated passes over the same files. The first "
        "call is timed in a fresh interpreter (median of three), and with it the resident memory that it "
        "adds."
    )
    if not any(speed.note for speed in measured):
        return Table("Speed", _SPEED_COLUMNS[:-1], tuple(row[:-1] for row in rows), note)
    return Table("Speed", _SPEED_COLUMNS, rows, note)


_SPEED_COLUMNS = (
    "detector",
    "files/s",
    "MB/s",
    "time, fastest peer = 1",
    "import and first call, ms",
    "memory added, MB",
    "note",
)


def detectors(states: Iterable[PeerState]) -> Table:
    """The detectors with their versions, and the missing ones."""
    rows = tuple((state.name, state.version or None, state.missing or "took part") for state in states)
    return Table("Detectors", ("detector", "version", "state"), rows)
