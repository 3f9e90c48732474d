"""Detect the encoding and the delimiter of a table in a text file.

Used by the readers for pandas and polars, which detect the types of the columns.
"""

from __future__ import annotations

import csv
import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO, NamedTuple

from charlens.errors import NotTextError
from charlens.inputs.controls import FEW_NULS, detect_text
from charlens.inputs.paths import open_bytes
from charlens.plural import count
from charlens.types import Buffer, Outcome, Verdict

#: If several fit equally well, the first one wins.
DELIMITERS = (",", ";", "\t", "|")
#: Bytes searched for the delimiter; a line cut off at their end does not count.
_SAMPLE = 1 << 16
_MOST_LINES = 200

#: Suffixes of compressed files and their readers; pandas uses the same suffixes.
_COMPRESSED = {".gz": "gzip", ".bz2": "bz2", ".xz": "lzma"}

Source = str | os.PathLike[str] | bytes | bytearray | memoryview | BinaryIO


class TableFormat(NamedTuple):
    """The encoding and the delimiter of a table."""

    #: A codec that also removes a byte order mark: 'utf-8-sig', 'cp1251' …; None for an empty file.
    encoding: str | None
    #: The delimiter, or None if the file has only one column or no delimiter fits.
    delimiter: str | None
    verdict: Verdict


def describe(source: Source, **keywords: Any) -> TableFormat:
    """Detect the format of the table in *source*, a path, bytes or a binary file; *keywords* are those of `detect`."""
    with read_source(source) as data:
        return describe_bytes(data, keywords)


def describe_as(data: Buffer, encoding: str) -> str | None:
    """Find the delimiter of a table in a known *encoding*."""
    return find_delimiter(bytes(data[:_SAMPLE]).decode(encoding, "ignore"), whole=len(data) <= _SAMPLE)


def describe_bytes(data: Buffer, keywords: dict[str, Any]) -> TableFormat:
    """Detect the format of the table in *data*; raise an error if it is not text."""
    verdict = detect_text(data, few_nuls=FEW_NULS, **keywords)
    if verdict.encoding is None:
        if verdict.outcome is Outcome.UNDECIDED and not len(data):
            return TableFormat(None, None, verdict)
        reason = verdict.steps[-1].words
        kind = verdict.outcome.value
        raise NotTextError(f"not a table, but {kind} data: {reason.removeprefix(f'{kind}: ')}")
    head = bytes(data[len(verdict.bom) : _SAMPLE])
    # 'ignore': the last character may be cut off.
    text = head.decode(verdict.encoding, "ignore")
    return TableFormat(verdict.codec, find_delimiter(text, whole=len(data) <= _SAMPLE), verdict)


def find_delimiter(text: str, whole: bool = True) -> str | None:
    """Return the delimiter that gives the lines of *text* the same number of fields, at least two.

    Unless *text* is the *whole* file, its last line is left out.  Quotes are respected.
    """
    lines = text.splitlines(keepends=True)
    if not whole and len(lines) > 1:
        lines.pop()
    best, best_share, best_fields = None, 0.0, 1
    for delimiter in DELIMITERS:
        share, fields = _fit(lines[:_MOST_LINES], delimiter)
        if fields > 1 and (share, fields) > (best_share, best_fields):
            best, best_share, best_fields = delimiter, share, fields
    # Fewer than half of the rows agree: prose with commas, not a table.
    return best if best_share >= 0.5 else None


def _fit(lines: list[str], delimiter: str) -> tuple[float, int]:
    """Return the share of rows that have the most common number of fields, and that number."""
    counts: dict[int, int] = {}
    try:
        for row in csv.reader(lines, delimiter=delimiter):
            if row:
                counts[len(row)] = counts.get(len(row), 0) + 1
    except csv.Error:
        return 0.0, 1
    if not counts:
        return 0.0, 1
    fields = max(counts, key=lambda number: (counts[number], number))
    return counts[fields] / sum(counts.values()), fields


@contextmanager
def read_source(source: Source) -> Iterator[Buffer]:
    """Provide the bytes of *source*: a path (also of a gzip, bzip2 or xz file), bytes, or the rest of a binary file."""
    if isinstance(source, bytes | bytearray | memoryview):
        yield bytes(source)
    elif isinstance(source, str | os.PathLike):
        path = os.fspath(source)
        if "://" in path:
            raise ValueError(
                f"{path!r} is a URL, not a path. Download it first and pass the bytes: "
                "read_csv(requests.get(url).content)."
            )
        with _open(path) as data:
            yield data
    else:
        data = source.read()
        if isinstance(data, str):
            raise TypeError(
                "this file is open in text mode, so it is already decoded; open it with mode 'rb'"
            )
        yield data


@contextmanager
def _open(path: str) -> Iterator[Buffer]:
    module = _COMPRESSED.get(os.path.splitext(path)[1].lower())
    if module is None:
        with open_bytes(path) as data:
            yield data
        return
    from importlib import import_module

    with import_module(module).open(path, "rb") as file:
        yield file.read()


def warn_of_damage(verdict: Verdict, errors: str | None) -> bool:
    """Warn about bytes that do not decode, unless the caller set *errors*; return whether there are any."""
    if errors is not None or not (verdict.damage or verdict.cut):
        return False
    if verdict.damage:
        where = f"{count(len(verdict.damage), 'range')} cannot be decoded, starting at byte {verdict.damage[0].start}"
    else:
        where = "the last character is cut off"
    warnings.warn(
        f"damaged {verdict.encoding}: {where}. The bytes were replaced by U+FFFD. "
        "To get an error instead, pass encoding_errors='strict'; to silence this warning, pass 'replace'.",
        UserWarning,
        stacklevel=3,
    )
    return True
