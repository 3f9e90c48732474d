"""Show misses in detail: the bytes around the first non-ASCII byte, and how each detector decodes them.

This shows pieces of the data, so it is not part of a public report.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

from charlens.evaluation.names import BINARY, resolve
from charlens.evaluation.results import Evaluation, Row
from charlens.evaluation.tables import said

# An escape counts too: it is the first sign of ISO-2022.
_FIRST = re.compile(rb"[\x80-\xff\x1b]")
_BEFORE, _AFTER = 12, 36
# More would make the page slow; the record has all of them.
_MOST_MISSES = 1200


@dataclass(frozen=True, slots=True)
class Reading:
    """The text by several detectors that agree."""

    peers: tuple[str, ...]
    name: str
    grade: str
    text: str | None


@dataclass(frozen=True, slots=True)
class Miss:
    """One sample that some detector missed."""

    row: Row
    #: The offset of the first non-ASCII byte.
    offset: int
    before: bytes
    after: bytes
    #: The text by the label.
    truth: str | None
    readings: tuple[Reading, ...]


def find_misses(evaluation: Evaluation) -> tuple[list[Miss], int]:
    """Return the misses to show, those of charlens first, and the number of all misses."""
    rows = [row for row in evaluation.rows if _missed_by(row, evaluation)]
    rows.sort(key=lambda row: _by_interest(row, evaluation))
    return [_close_up(row, evaluation) for row in rows[:_MOST_MISSES]], len(rows)


def _missed_by(row: Row, evaluation: Evaluation) -> list[str]:
    return [peer for peer in evaluation.namers if not row.right(peer)]


def _by_interest(row: Row, evaluation: Evaluation) -> tuple[bool, int, str]:
    """Order our own misses first, then those that most detectors share."""
    missed = _missed_by(row, evaluation)
    ours = any(peer.startswith("charlens") for peer in missed)
    return not ours, -len(missed), row.sample.id


def _close_up(row: Row, evaluation: Evaluation) -> Miss:
    data = row.sample.load()
    found = _FIRST.search(data)
    offset = found.start() if found else 0
    start, end = max(0, offset - _BEFORE), min(len(data), offset + _AFTER)
    groups: dict[tuple[str, str], list[str]] = {}
    for peer in evaluation.namers:
        groups.setdefault((said(row, peer), row.grade(peer).value), []).append(peer)
    readings = tuple(
        Reading(tuple(peers), name, grade, _read(data, name, start, end))
        for (name, grade), peers in groups.items()
    )
    truth = None if row.sample.encoding == BINARY else _read(data, row.sample.encoding, start, end)
    return Miss(row, offset, data[start:offset], data[offset:end], truth, readings)


def _read(data: bytes, label: str, start: int, end: int) -> str | None:
    """Decode the bytes from *start* to *end*, after the bytes before them."""
    name = resolve(label)
    if name is None or name.codec is None:
        return None
    decoder = codecs.getincrementaldecoder(name.codec)("replace")
    try:
        decoder.decode(data[:start])
        return decoder.decode(data[start:end])
    except (UnicodeError, ValueError):
        return None
