"""Detect a whole column of byte strings: one buffer and offsets, as Arrow has them.

The kernel scans all rows in one call, without the interpreter lock, and returns facts about each.  Rows of plain ASCII
or UTF-8 with the same facts have the same answer: the pipeline runs for the first of them, and the others share the
result.  Every other row goes through the pipeline alone, but equal short rows only once.  This module has no rules
about answers, only about what an answer can depend on (`_is_plain`); `tests/test_batch.py` and `fuzz/twins.py` compare
it with `detect`, row by row.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import pairwise
from operator import attrgetter
from typing import Any, NamedTuple

from charlens import kernel
from charlens.api import detect_with
from charlens.findings import Findings
from charlens.kernel import facts
from charlens.options import DEFAULTS, Options, make_options
from charlens.plural import count
from charlens.processors import number_of_threads
from charlens.source import LARGEST, as_buffer
from charlens.stages.content import ALLOWED, BLOCKED
from charlens.stages.escapes import SHIFTING
from charlens.stages.language import recognise_language
from charlens.stages.unicode import DOUBTFUL_LEADS, FEW
from charlens.types import Buffer, Outcome, Part, Span, Verdict

#: The kernel looks for four sets of bytes in each row; these are their bits in its facts.
_BLOCKED, _ALLOWED, _SHIFTS, _DOUBTFUL = (1 << number for number in range(facts.COLUMN_SETS))
#: ESC may start a part in ISO-2022-JP; '<' may start a declaration, which can change the name that ASCII is given.
_SETS = b"".join(
    values.to_bytes(32, "little")
    for values in (BLOCKED | 1 << 0x1B, ALLOWED, SHIFTING | 1 << ord("<"), DOUBTFUL_LEADS)
)
_OPENING = sum(1 << value for value in {mark[0] for mark, _ in facts.MARKS}).to_bytes(32, "little")
_NOT_PLAIN = _BLOCKED | facts.ROW_OPENS | facts.ROW_NOT_UTF8 | facts.ROW_LONG

#: Bytes per thread, at least: for less, starting a thread costs more than it saves.
_BYTES_EACH = 1 << 20

#: Rows up to this many bytes often repeat (names, cities); the answers for this many different ones are kept.
_SHORT, _MOST_KNOWN = 64, 1 << 16

Offsets = Sequence[int] | memoryview


class Answer(NamedTuple):
    """The fields of a verdict that are about the encoding; rows can share them."""

    outcome: Outcome
    encoding: str | None
    confidence: float
    damage: tuple[Span, ...]
    cut: int
    bom: bytes
    mixed: tuple[Part, ...]


class Columns:
    """The verdicts for a column: lists with one value for each row."""

    def __init__(self, answers: list[Answer], places: array[int], language: list[str | None]) -> None:
        #: The different answers, and for each row the index of its answer among them.
        self.answers = answers
        self.places = places
        #: BCP 47 tags or None; all None if the language was not to be detected.
        self.language = language

    def __len__(self) -> int:
        return len(self.places)

    def _column(self, field: str) -> list[Any]:
        values = [getattr(answer, field) for answer in self.answers]
        return [values[place] for place in self.places]

    @property
    def outcome(self) -> list[Outcome]:
        """Whether each row is text."""
        return self._column("outcome")

    @property
    def encoding(self) -> list[str | None]:
        """The name of each row's encoding, as `bytes.decode` takes it."""
        return self._column("encoding")

    @property
    def confidence(self) -> list[float]:
        """The probability that the answer is right."""
        return self._column("confidence")

    @property
    def damage(self) -> list[tuple[Span, ...]]:
        """The ranges of each row that do not decode."""
        return self._column("damage")

    @property
    def cut(self) -> list[int]:
        """The number of bytes at the end of each row that begin an unfinished character."""
        return self._column("cut")


def detect_batch(
    data: bytes | bytearray | memoryview,
    offsets: Offsets,
    headers: Sequence[str | None] | None = None,
    threads: int = 0,
    language: bool = True,
    model: Any = None,
) -> Columns:
    """Detect every row of a column; the answers are those of `detect`.

    Row *n* is ``data[offsets[n]:offsets[n + 1]]``; *offsets* are integers in a list, an `array` or a view of 32 or 64
    bits.  *headers* are the HTTP headers of the rows (`content_type` of `detect`) or None.  *threads* is the number
    of threads, 0 for one per processor.  *language* can be False to skip the detection of the language.  *model* is a
    model made by `charlens train`.
    """
    view = as_buffer(data, "batch.detect_batch")
    bounds = _bounds(offsets, len(view))
    if headers is not None and len(headers) != len(bounds) - 1:
        raise ValueError(
            f"detect_batch(): got {count(len(bounds) - 1, 'row')} but {count(len(headers), 'header')}."
        )
    rows = memoryview(_scan(view, bounds, threads)).cast("H")
    answers: list[Answer] = []
    places = _settle(view, bounds, rows, answers)
    settled = len(answers)
    if headers is not None:
        _drop_where_headers_decide(places, rows, headers)
    languages: list[str | None] = [None] * len(rows)
    make = partial(make_options, language=language, model=model)
    _detect_others(view, bounds, headers, make, (places, answers, languages))
    if language:
        _add_languages(view, bounds, places, settled, answers, languages)
    return Columns(answers, places, languages)


def _is_plain(fact: int) -> bool:
    """Whether all rows with these facts have the same answer, apart from the language."""
    if fact & _NOT_PLAIN or not fact & _ALLOWED:
        return False
    if fact < facts.ROW_LEADS:
        return not fact & _SHIFTS  # the escapes stage and declarations look at ASCII only
    cut = bool(fact // facts.ROW_CUT % 4)
    # Few characters before a cut, or few doubtful ones, are judged by their values, which the facts do not have.
    return fact // facts.ROW_LEADS - cut > FEW or not (cut or fact & _DOUBTFUL)


def _settle(view: Buffer, bounds: memoryview, rows: memoryview, answers: list[Answer]) -> array[int]:
    """Detect the first plain row of each kind; return for every row the index of its answer, or -1."""
    places: dict[int, int] = {}
    listed = rows.tolist()
    for fact in set(listed):
        places[fact] = -1
        if _is_plain(fact):
            first = listed.index(fact)
            places[fact] = len(answers)
            answers.append(_answer(detect_with(bytes(view[bounds[first] : bounds[first + 1]]), _WITHOUT)))
    return array("i", [places[fact] for fact in listed])


_WITHOUT = DEFAULTS.replace(language=False)


def _drop_where_headers_decide(places: array[int], rows: memoryview, headers: Sequence[str | None]) -> None:
    """Remove the answers that a header can change: the name of ASCII."""
    for row, header in enumerate(headers):
        if header and rows[row] < facts.ROW_LEADS:
            places[row] = -1


def _detect_others(
    view: Buffer,
    bounds: memoryview,
    headers: Sequence[str | None] | None,
    make: Callable[..., Options],
    columns: tuple[array[int], list[Answer], list[str | None]],
) -> None:
    """Detect the rows that have no answer yet, each by itself, with the options that *make* returns for its header."""
    places, answers, languages = columns
    checked: dict[str | None, Options] = {}
    known: dict[tuple[str | None, bytes], int] = {}
    for row in [row for row, place in enumerate(places) if place < 0]:
        header = headers[row] if headers is not None else None
        cell = bytes(view[bounds[row] : bounds[row + 1]])
        before = known.get((header, cell)) if len(cell) <= _SHORT else None
        if before is not None:
            places[row], languages[row] = places[before], languages[before]
            continue
        if header not in checked:
            checked[header] = make(content_type=header)
        verdict = detect_with(cell, checked[header])
        places[row] = len(answers)
        answers.append(_answer(verdict))
        languages[row] = verdict.language
        if len(cell) <= _SHORT and len(known) < _MOST_KNOWN:
            known[header, cell] = row


def _add_languages(
    view: Buffer,
    bounds: memoryview,
    places: array[int],
    settled: int,
    answers: list[Answer],
    languages: list[str | None],
) -> None:
    """Recognise the languages of the rows that share an answer."""
    nothing = Findings(kernel.scan(b""), 0)
    for row, (start, end) in enumerate(pairwise(bounds)):
        place = places[row]
        if place < settled:
            found = recognise_language(bytes(view[start:end]), nothing, answers[place].encoding or "")
            languages[row] = found.language if found else None


_fields_of = attrgetter(*Answer._fields)


def _answer(verdict: Verdict) -> Answer:
    return Answer._make(_fields_of(verdict))


def _bounds(offsets: Offsets, length: int) -> memoryview:
    """Return the offsets as a view of 32 or 64 bits."""
    try:
        view = memoryview(offsets)  # type: ignore[arg-type]
    except TypeError:
        view = memoryview(array("q", offsets))
    if view.format not in ("i", "q", "l") or not len(view):
        raise ValueError(
            "detect_batch(): offsets must be 32-bit or 64-bit integers, one more than there are rows. "
            "For an Arrow buffer: memoryview(buffer).cast('i')."
        )
    if view[0] < 0 or view[-1] > length:
        raise ValueError(f"detect_batch(): the offsets go beyond the data, which has {length:,} bytes.")
    return view


def _scan(view: Buffer, bounds: memoryview, threads: int) -> bytes:
    """Return the kernel's facts about all rows; each thread scans a part of them."""
    count = min(number_of_threads(threads), (bounds[-1] - bounds[0]) // _BYTES_EACH)
    if count < 2:
        return _scan_part(view, bounds)
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(count) as pool:
        return b"".join(pool.map(_scan_part, [view] * count, _parts(bounds, count)))


def _parts(bounds: memoryview, count: int) -> Iterator[memoryview]:
    rows = len(bounds) - 1
    for number in range(count):
        yield bounds[number * rows // count : (number + 1) * rows // count + 1]


def _scan_part(view: Buffer, bounds: memoryview) -> bytes:
    flat = bounds.cast("B")
    return kernel.scan_many(view, flat, bounds.itemsize, _SETS, _OPENING, LARGEST)
