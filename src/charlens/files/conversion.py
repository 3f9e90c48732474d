"""Convert bytes in memory with the same checks as `charlens convert`."""

from __future__ import annotations

from typing import Literal

from charlens.encodings import canonical
from charlens.errors import NotTextError
from charlens.files.plan import NEWLINES, plan_bytes
from charlens.files.reading import Refused, Request
from charlens.files.words import in_python
from charlens.source import as_buffer
from charlens.types import Buffer


def convert(
    data: Buffer,
    to: str = "utf-8",
    *,
    source: str | None = None,
    bom: bool | None = None,
    newline: Literal["lf", "crlf", "cr"] | None = None,
    min_confidence: float = 0.9,
) -> bytes:
    """Convert *data* to the encoding *to* and update declarations inside it (HTML, XML, Python and others).

    - *source* is the current encoding. By default it is detected, with a confidence of at least *min_confidence*.
    - *bom* adds or removes the byte order mark, and *newline* ('lf', 'crlf' or 'cr') converts line endings. By default,
      both stay the same.

    Raises `NotTextError` if *data* is not text, and another `CharlensError` if the result would not be the same text.
    """
    if newline is not None and newline not in NEWLINES:
        raise ValueError(f"newline= is {newline!r}; use one of {', '.join(NEWLINES)}.")
    canonical(to)
    view = bytes(as_buffer(data, "convert"))
    plan = plan_bytes(view, Request(to, bom, newline, min_confidence, source))
    if plan.status == "binary":
        raise NotTextError(
            f"charlens.convert() needs text, but this is {plan.words}. If it is text, name its encoding with source=."
        )
    if plan.status == "refused":
        raise Refused(f"Not converted: {in_python(plan.words, 'pass source=')}.")
    return plan.after
