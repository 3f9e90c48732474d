"""Convert bytes in memory as `charlens convert` converts files: planned, proved, or refused."""

from __future__ import annotations

from charlens.encodings import canonical
from charlens.errors import NotTextError
from charlens.files.plan import NEWLINES, Refused, Request, plan_bytes
from charlens.source import as_buffer
from charlens.types import Buffer


def convert(
    data: Buffer,
    to: str = "utf-8",
    *,
    source: str | None = None,
    bom: bool | None = None,
    newline: str | None = None,
    min_confidence: float = 0.9,
) -> bytes:
    """Return *data* in the encoding *to*; declarations inside it (HTML, XML, Python …) are made to match.

    *source* is the encoding of *data* where you know it; else it is detected, with *min_confidence* at least.
    *newline* is 'lf', 'crlf' or 'cr', and *bom* asks for a byte order mark or for none; by default both stay.
    What is not text is a `NotTextError`; what cannot be proved to be the same text is another `CharlensError`.
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
        raise Refused(f"Not converted: {plan.words}.")
    return plan.after
