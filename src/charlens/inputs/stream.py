"""Detect while the bytes arrive: `Detector` takes them in pieces and uses constant memory.

Up to 4 MB are kept; after that, `StreamState` extracts what the stages need.  In both cases the
verdict is that of `detect` for the same bytes with the same options.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from charlens.findings import Content
from charlens.inputs.stream_state import StreamState
from charlens.limits import Limited, Limits, end_of_character, time_limit
from charlens.options import make_options
from charlens.pipeline import run
from charlens.source import CONTROLS_READ, LARGEST, Bytes, as_buffer
from charlens.stages.signature import find_signature
from charlens.types import Buffer, Outcome, Verdict

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from charlens.keywords import Keywords

#: Small pieces are joined to this size before they are passed to the state.
_PIECE = 1 << 18
#: Whether the answer is decided is checked at 1 KB, 2 KB, 4 KB …: in total, twice the work of checking once.
_FIRST_LOOK = 1 << 10
#: The longest mark, '+/v8-'.
_LONGEST_MARK = 5


class Detector:
    """Detects the encoding of data that arrives in chunks.

    `done` becomes True as soon as more bytes cannot change the encoding: for binary data, after a megabyte. With
    *enough*, it also becomes True after a Unicode byte order mark, and as soon as the answer so far has that
    confidence, at the risk that the rest of the input contradicts it. The other keywords are those of `detect`;
    *max_seconds* limits the time for each answer, and after *max_bytes* `done` is True.
    """

    def __init__(self, *, enough: float | None = None, **keywords: Unpack[Keywords]) -> None:
        if enough is not None and (not isinstance(enough, int | float) or not 0.0 <= enough <= 1.0):
            raise ValueError(f"enough= must be a confidence from 0 to 1; got {enough!r}")
        self._options = make_options(**keywords)
        self._limits = self._options.limits or Limits()
        self._options = self._options.replace(limits=None)
        self._enough = enough
        self.reset()

    def reset(self) -> None:
        """Start again with an empty input."""
        self._kept = bytearray()
        self._state: StreamState | None = None
        self._verdict: Verdict | None = None
        self._next_look = _FIRST_LOOK
        self._closed = False
        #: With `max_bytes`: the last byte, if the next one can belong to its character.
        self._before = 0
        #: The number of bytes that were fed and read.
        self.fed = 0
        #: Whether `max_bytes` were fed; more bytes are ignored.
        self.full = False
        #: Whether the input starts with a Unicode byte order mark and has so far the text that the mark promises.
        self.marked = False
        #: Whether more bytes are unnecessary.
        self.done = False

    def feed(self, data: Buffer | bytearray) -> None:
        """Add the next bytes."""
        if self._closed:
            raise ValueError("charlens.Detector: feed() after close(); call reset() to start again")
        view = as_buffer(data, "Detector.feed")
        if self._limits.bytes is not None:
            view = self._within(view, self._limits.bytes)
        if not len(view):
            return
        self._verdict = None
        before = self.fed
        self.fed += len(view)
        self._kept += view
        if self._state is None and self.fed > LARGEST:
            self._state = StreamState(bytes(self._kept[:LARGEST]), self._options)
            del self._kept[:LARGEST]
        if self._state is not None and len(self._kept) >= _PIECE:
            self._flush()
        if not self.done:
            self._look(before)

    def _within(self, view: Buffer, most: int) -> Buffer:
        """Return what the limit of *most* bytes leaves of *view*, with the rest of a character that it cuts."""
        part = view
        if self.fed + len(view) > most:
            part = view[: end_of_character(view, most - self.fed, self._before)]
            self.full = self.done = True
            self._verdict = None
        if len(view):
            self._before = view[-1] if len(part) == len(view) else 0
        return part

    def _flush(self) -> None:
        assert self._state is not None
        view = memoryview(bytes(self._kept))
        self._kept.clear()
        for start in range(0, len(view), LARGEST):
            self._state.add(view[start : start + LARGEST])

    def _look(self, before: int) -> None:
        """Check whether the answer is decided by now."""
        if before < _LONGEST_MARK <= self.fed and self._state is None:
            signature = find_signature(bytes(self._kept[:_LONGEST_MARK]))
            if signature is not None and signature.encoding.startswith(("utf-8", "utf-16", "utf-32")):
                # Bytes that follow may still show that it is not text, so the mark alone does not make it `done`.
                self.marked = bool(self.verdict.bom)
                self.done = self.marked and self._enough is not None
        if self.fed < self._next_look:
            return
        while self._next_look <= self.fed:
            self._next_look *= 2
        verdict = self.verdict
        if verdict.outcome is Outcome.BINARY:
            self.done = self._is_binary_for_good(verdict)
        elif self._enough is not None and verdict.encoding not in (None, "ascii"):
            # No amount of plain ASCII is enough: the last byte may be the first non-ASCII one.
            self.done = verdict.confidence >= self._enough

    def _is_binary_for_good(self, verdict: Verdict) -> bool:
        """Whether a blocked byte has decided "binary", so no later byte can change that."""
        content = next((found for found in verdict.findings if isinstance(found, Content)), None)
        if content is None or content.byte is None:
            return False
        return self.fed >= max(1 << 20, content.offset + CONTROLS_READ)

    @property
    def verdict(self) -> Verdict:
        """The answer for the data so far."""
        if self._verdict is None:
            with time_limit(self._limits.seconds):
                if self._state is not None:
                    self._flush()
                    self._verdict = run(self._state.source(), self._options)
                else:
                    self._verdict = run(Bytes(bytes(self._kept)), self._options)
            if self.full and self._limits.bytes:
                limited = Limited(self._limits.bytes)
                self._verdict = self._verdict._replace(findings=(*self._verdict.findings, limited))
        return self._verdict

    def close(self) -> Verdict:
        """End the input and return the answer; `feed` is then an error."""
        self._closed = self.done = True
        return self.verdict

    def __enter__(self) -> Detector:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()
