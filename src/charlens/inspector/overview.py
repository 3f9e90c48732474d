"""An overview of a file as a strip of cells, and rows of a table for many files."""

from __future__ import annotations

import re
from codecs import getincrementaldecoder
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from charlens.cli.checking import Problem, Wanted, check_file
from charlens.cli.survey import Found, survey
from charlens.errors import CharlensError
from charlens.files.document import Document, load
from charlens.files.words import reason
from charlens.inputs.paths import detect_path
from charlens.inspector.characters import line_start, reads_ascii
from charlens.inspector.contents import Content
from charlens.inspector.converting import LARGEST_IN_PARTS
from charlens.inspector.descriptions import declared_in
from charlens.inspector.rows import text_rows
from charlens.source import LARGEST, find_faults
from charlens.types import Span

#: In files up to this size every byte is counted; in larger ones, a sample of each cell.
_COUNTED = 8 << 20
_SAMPLE = 16 << 10
_ASCII = bytes(range(0x20, 0x7F)) + b"\t\n\r"
_HIGH = bytes(range(0x80, 0x100))
_BEYOND = re.compile("[^\x00-\x7f]")
#: Characters of a line in the table, and the number before the place of the problem.
_EXCERPT, _BEFORE = 160, 24


def draw_strip(
    content: Content, encoding: str | None, damage: tuple[Span, ...], cells: int
) -> dict[str, Any]:
    """Return for each of *cells* ranges the shares of ASCII, non-ASCII, controls, and bytes that do not decode."""
    size = content.size
    cells = max(1, min(cells, size))
    edges = [size * number // cells for number in range(cells + 1)]
    sampled = size > _COUNTED
    if sampled:
        found = [_sampled(content, encoding, start) for start in edges[:-1]]
        bad = [(span.start, span.start + 1) for span in damage]
    else:
        data = content.read(0, size)
        pieces = _as_ascii([data[start:end] for start, end in pairwise(edges)], encoding)
        found = [[*_shares(piece), 0.0] for piece in pieces]
        bad = [(span.start, span.end) for span in find_faults(data, encoding)[0]] if encoding else []
    for start, end in bad:
        for number in range(start * cells // size, min(cells, end * cells // size + 1)):
            left, right = edges[number], edges[number + 1]
            share = max(0, min(end, right) - max(start, left)) / (right - left)
            found[number][3] = round(min(1.0, found[number][3] + share), 4)
    return {"cells": found, "sampled": sampled, "size": size}


def _sampled(content: Content, encoding: str | None, start: int) -> list[float]:
    """Return the shares of one cell of a large file, from its first bytes."""
    begin = line_start(content, start, encoding or "latin-1")
    data = content.read(begin, start + _SAMPLE)
    faults = find_faults(data, encoding)[0] if encoding else ()
    (piece,) = _as_ascii([data], encoding)
    return [*_shares(piece), round(sum(span.end - span.start for span in faults) / len(data), 4)]


def _as_ascii(pieces: list[bytes], encoding: str | None) -> list[bytes]:
    """Return *pieces* with ASCII characters as ASCII bytes, also for encodings such as UTF-16."""
    if encoding is None or reads_ascii(encoding):
        return pieces
    # A character can begin in one piece and end in the next.
    decoder = getincrementaldecoder(encoding)("replace")
    return [_BEYOND.sub("\x80", decoder.decode(piece)).encode("latin-1") for piece in pieces]


def _shares(data: bytes) -> list[float]:
    whole = len(data) or 1
    high = len(data) - len(data.translate(None, _HIGH))
    plain = len(data) - len(data.translate(None, _ASCII))
    return [round(part / whole, 4) for part in (plain, high, len(data) - plain - high)]


class Closely(NamedTuple):
    """A file in a folder: its encoding, its problems, and the line to show."""

    found: Found
    problems: tuple[Problem, ...] = ()
    preview: str = ""

    def row(self, path: str) -> list[Any]:
        """Return it as a row of the table on the page and in the report of a scan."""
        found = self.found
        return [
            path,
            found.error or (found.outcome if found.size else "empty"),
            found.encoding,
            round(found.confidence, 4),
            found.language,
            found.newline,
            bool(found.bom),
            found.size,
            [[problem.rule, problem.message, problem.line] for problem in self.problems],
            self.preview,
        ]


def look_closely(path: str) -> Closely:
    """Return the encoding of the file at *path*, its problems, and the line to show; never raise."""
    found = survey(path)
    if found.error is not None or found.encoding is None or not found.size:
        return Closely(found)
    try:
        content = Content("", path, path)
        problems = _check(content, found.encoding)
        document = _mixed(path, found)
        if document is not None:
            names = ", ".join(dict.fromkeys(document.encodings))
            # Decoded with one encoding, a file in several encodings looks like mojibake.
            others = tuple(problem for problem in problems if problem.rule not in ("mixed", "mojibake"))
            odd = next((line for line in document.text.splitlines() if not line.isascii()), "")
            return Closely(
                found, (Problem("mixed", f"in several encodings: {names}"), *others), _excerpt(odd)
            )
        return Closely(found, problems, _preview(content, found, problems))
    except (OSError, CharlensError, ValueError, MemoryError) as error:
        return Closely(Found(error=reason(error)))


def _mixed(path: str, found: Found) -> Document | None:
    """Return a file in several encodings as a document; None if it has one encoding."""
    if (
        found.size > LARGEST_IN_PARTS
        or (found.bom and found.encoding != "utf-8")
        or (found.encoding in ("ascii", "utf-8") and not found.damage)
    ):
        return None
    if not detect_path(path, parts=True).mixed:
        return None
    document = load(Path(path))  # a str with a line ending would be taken for content
    return document if len(set(document.encodings) - {"ascii"}) > 1 else None


def _check(content: Content, encoding: str) -> tuple[Problem, ...]:
    """Return the other problems; a declaration that gives the same text is not one."""
    problems = check_file(content.path, Wanted(encoding))
    if any(problem.rule == "declaration" for problem in problems):
        said = declared_in(content, detect_path(content.path))
        if said and all(each["true"] for each in said):
            return tuple(problem for problem in problems if problem.rule != "declaration")
    return problems


def _excerpt(text: str, place: int = 0) -> str:
    """Return the beginning of *text*, or the text around *place* if that is further on."""
    begin = place - _BEFORE if place > 2 * _BEFORE else 0
    return ("…" if begin else "") + text[begin : begin + _EXCERPT].strip()


def _preview(content: Content, found: Found, problems: tuple[Problem, ...]) -> str:
    """Return the first line with a problem, else the first non-ASCII line, else the first line."""
    encoding = found.encoding or "ascii"
    line, column = next(((each.line, each.column) for each in problems if each.line), (0, 0))
    at = found.damage[0][0] if found.damage else 0
    if line and not at:
        head = content.read(0, LARGEST)
        for _ in range(line - 1):
            at = head.find(b"\n", at) + 1
    elif not at and reads_ascii(encoding):
        head = content.read(0, 1 << 16)
        at = next((place for place, byte in enumerate(head) if byte > 0x7F), len(found.bom) // 2)
    rows = text_rows(content, encoding, at, 1)
    runs = [(kind, text) for kind, text in rows[0]["runs"] if kind != "mark"] if rows else []
    kinds = [kind for kind, _ in runs]
    before = runs[: kinds.index("bad")] if "bad" in kinds else []
    place = sum(len(text) for _, text in before) if before else max(0, column - 1)
    return _excerpt("".join(text for _, text in runs), place)
