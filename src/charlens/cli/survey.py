"""Detect one file, and count the results of many: the work of `charlens scan`, without its messages.

A `Found` is small, because it is sent between processes; the size of a `Summary` does not grow with the files.
"""

from __future__ import annotations

import heapq
import os
import stat
from collections import Counter
from collections.abc import Iterable
from typing import Any, NamedTuple

from charlens.api import detect
from charlens.files.line_ends import count_ends_in
from charlens.inputs.paths import detect_path, open_bytes, open_regular
from charlens.types import Outcome, Verdict

#: Smaller files are read with two system calls, without a file object.
_SMALL = 1 << 20
#: The most doubtful files, and files that could not be read, kept by name; the others are only counted.
MOST_KEPT = 1000


class Found(NamedTuple):
    """The result for one file: the fields of `charlens detect`, and some more."""

    outcome: str = "undecided"
    encoding: str | None = None
    confidence: float = 0.0
    language: str | None = None
    bom: str = ""
    web_name: str | None = None
    damage: tuple[tuple[int, int], ...] = ()
    cut: int = 0
    #: 'lf', 'crlf', 'cr', 'mixed' or 'none'; None if the file is not text.
    newline: str | None = None
    size: int = 0
    #: The most likely alternative.
    rival: str | None = None
    #: The parts of a file in several encodings: start, end and encoding.
    mixed: tuple[tuple[int, int, str], ...] = ()
    error: str | None = None

    @property
    def several(self) -> str:
        """The encodings of a file in several encodings, in words; "" for other files."""
        return (
            f"in several encodings: {', '.join(dict.fromkeys(part[2] for part in self.mixed))}"
            if self.mixed
            else ""
        )

    def record(self, path: str) -> dict[str, Any]:
        """Return it as plain data, the path first; the keys are part of the public schema."""
        return {"path": path, **self._asdict(), "confidence": round(self.confidence, 4)}


LOST = Found(error="the worker process crashed while reading it; the file was skipped")


def survey(path: str) -> Found:
    """Detect the file at *path*; an error is returned as part of the result."""
    try:
        status = os.stat(path)
        if stat.S_ISREG(status.st_mode) and 0 < status.st_size < _SMALL:
            return examine(_read_small(path, status.st_size))
        if status.st_size < _SMALL:  # the system reports size 0
            with open_bytes(path) as data:
                return examine(bytes(data))
        verdict = detect_path(path)
        with open_regular(path) as file:
            return _describe(status.st_size, verdict, iter(lambda: file.read(_SMALL), b""))
    except OSError as error:
        return Found(error=error.strerror or str(error))
    except ValueError as error:  # a NUL in a path
        return Found(error=str(error))
    except MemoryError:
        return Found(error="not enough memory to read it")


def _read_small(path: str, size: int) -> bytes:
    # Do not block if the file was replaced by a pipe in the meantime.
    flags = (
        os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
    )
    handle = os.open(path, flags)
    try:
        data = os.read(handle, _SMALL)
        while len(data) != size and (more := os.read(handle, _SMALL)):
            data += more  # a short read is not the end of the file
        return data
    finally:
        os.close(handle)


def examine(data: bytes) -> Found:
    """Detect *data*."""
    return _describe(len(data), detect(data), (data,))


def _describe(size: int, verdict: Verdict, pieces: Iterable[bytes]) -> Found:
    """Return the *verdict* for *size* bytes in *pieces* as a small record."""
    text = verdict.outcome is Outcome.TEXT and verdict.encoding is not None
    return Found(
        verdict.outcome.value,
        verdict.encoding,
        verdict.confidence,
        verdict.language,
        verdict.bom.hex(),
        verdict.web_name,
        tuple((span.start, span.end) for span in verdict.damage),
        verdict.cut,
        count_ends_in(pieces, verdict.encoding or "").style if text else None,
        size,
        verdict.alternatives[0].encoding if verdict.alternatives else None,
        tuple((start, end, name) for start, end, name in verdict.mixed),
    )


class Doubt(NamedTuple):
    """A file that a person should check; the least certain one is the greatest."""

    rank: float
    path: str
    found: Found

    @property
    def words(self) -> str:
        """Why it is doubtful."""
        found = self.found
        if found.damage:
            return f"{found.encoding}, damaged at byte {found.damage[0][0]}"
        if found.cut:
            return f"{found.encoding}, last character cut off"
        if found.mixed:
            return found.several
        if found.encoding is None:
            return "undecided: no encoding is likely enough"
        rival = f", or {found.rival}" if found.rival else ""
        return f"{found.encoding} {found.confidence:.2f}{rival}"


class Summary:
    """Counts over many files, and the names of those that are doubtful or could not be read."""

    #: The noun for what is counted.
    unit = "files"

    def __init__(self, min_confidence: float) -> None:
        self.min_confidence = min_confidence
        self.files = self.size = self.doubtful = self.failed = 0
        self.outcomes: Counter[str] = Counter()
        self.encodings: Counter[str] = Counter()
        self.languages: Counter[str] = Counter()
        self.newlines: Counter[str] = Counter()
        self.marks: Counter[str] = Counter()
        self._doubts: list[Doubt] = []
        self.errors: list[tuple[str, str]] = []
        self.seconds = 0.0
        self.interrupted = False

    def add(self, path: str, found: Found) -> None:
        """Count one file."""
        self.files += 1
        if found.error is not None:
            self.fail(path, found.error)
            return
        self.size += found.size
        self.outcomes[found.outcome if found.size else "empty"] += 1
        if found.encoding is not None:
            self.encodings["several" if found.mixed else found.encoding] += 1
            self.languages[found.language or "unknown"] += 1
            self.newlines[found.newline or "none"] += 1
            self.marks["with BOM" if found.bom else "without BOM"] += 1
        if found.size and self._is_doubtful(found):
            self.doubtful += 1
            rank = -1.0 if found.damage or found.cut else -found.confidence
            keep = heapq.heappush if len(self._doubts) < MOST_KEPT else heapq.heappushpop
            keep(self._doubts, Doubt(rank, path, found))

    def fail(self, path: str, error: str) -> None:
        """Count something that could not be read."""
        self.failed += 1
        self.outcomes["unreadable"] += 1
        if len(self.errors) < MOST_KEPT:
            self.errors.append((path, error))

    def _is_doubtful(self, found: Found) -> bool:
        if found.outcome == "binary":
            return False
        return bool(found.damage or found.cut or found.mixed) or found.confidence < self.min_confidence

    @property
    def doubts(self) -> list[Doubt]:
        """The doubtful files, the least certain first."""
        return sorted(self._doubts, key=lambda doubt: (-doubt.rank, doubt.path))

    @property
    def counters(self) -> dict[str, Counter[str]]:
        """The tables of the summary by name."""
        return {
            "outcome": self.outcomes,
            "encoding": self.encodings,
            "language": self.languages,
            "newline": self.newlines,
            "bom": self.marks,
        }

    def record(self) -> dict[str, Any]:
        """Return the counts as plain data."""
        return {
            "files": self.files,
            "bytes": self.size,
            "seconds": round(self.seconds, 3),
            "interrupted": self.interrupted,
            "unreadable": self.failed,
            "doubtful": self.doubtful,
            **{name: dict(counter.most_common()) for name, counter in self.counters.items()},
        }
