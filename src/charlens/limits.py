"""Optional limits: how many bytes are read, and how long it may take.

The time starts with the outermost call; inner calls have the remaining time.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from time import monotonic
from typing import NamedTuple

from charlens.errors import LimitError
from charlens.types import Buffer, Step

#: The end of the time, on the clock of `monotonic`, and the seconds that were given; None without a limit.
_end: ContextVar[tuple[float, float] | None] = ContextVar("charlens-end", default=None)


class Limits(NamedTuple):
    """The limits of one call."""

    bytes: int | None = None
    seconds: float | None = None


class Limited(NamedTuple):
    """The finding that not all bytes were read."""

    bytes: int

    def step(self) -> Step:
        """Return the step that says how many bytes were read."""
        return Step("limit", f"only the first {self.bytes:,} bytes were read (max_bytes)", self.bytes)


def make_limits(max_bytes: int | None, max_seconds: float | None) -> Limits | None:
    """Check the limits; return None if there are none."""
    if max_bytes is None and max_seconds is None:
        return None
    if max_bytes is not None and (
        not isinstance(max_bytes, int) or isinstance(max_bytes, bool) or max_bytes < 1
    ):
        raise ValueError(f"max_bytes= must be a positive number of bytes; got {max_bytes!r}.")
    if max_seconds is not None and (not isinstance(max_seconds, int | float) or not max_seconds > 0):
        raise ValueError(f"max_seconds= must be a positive number; got {max_seconds!r}.")
    return Limits(max_bytes, max_seconds)


#: The bytes that a character of UTF-8 can have after its first one.
REST_OF_CHARACTER = 3


def end_of_character(data: Buffer, end: int, before: int = 0) -> int:
    """Return *end*, or where a character of UTF-8 ends that it cuts: half of it could be a letter of windows-1252.

    *before* is the byte before *data*; *end* is negative if it is before *data*, too.
    """
    last = min(end + REST_OF_CHARACTER, len(data))
    end = max(end, 0)
    if end < last and (data[end - 1] if end else before) >= 0x80:
        while end < last and 0x80 <= data[end] < 0xC0:
            end += 1
    return end


@contextmanager
def time_limit(seconds: float | None) -> Iterator[None]:
    """Make `check_time` raise after *seconds*, or earlier if an outer limit ends first."""
    outer = _end.get()
    end = None if seconds is None else (monotonic() + seconds, seconds)
    token = _end.set(min(outer, end) if outer and end else outer or end)
    try:
        yield
    finally:
        _end.reset(token)


def check_time() -> None:
    """Raise `LimitError` if the time is up."""
    end = _end.get()
    if end is not None and monotonic() > end[0]:
        raise LimitError(
            f"not finished within max_seconds={end[1]:g}. Allow more time, or read fewer bytes (max_bytes=)."
        )
