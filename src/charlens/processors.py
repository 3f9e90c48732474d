"""How many processors there are, and how many threads a caller asked for."""

from __future__ import annotations

import os


def number_of_threads(threads: int | None) -> int:
    """Check the keyword *threads* and return the number of threads: one per processor for 0 or None."""
    if threads is not None and (not isinstance(threads, int) or isinstance(threads, bool) or threads < 0):
        raise ValueError(f"threads= must be a number of threads, 0 for one per processor; got {threads!r}.")
    return threads or processors()


def processors() -> int:
    """Return the number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
