"""Files in several encodings as documents: each line keeps the encoding of its part.

Reading joins the texts of the parts.  Writing keeps the bytes of unchanged lines, and gives new lines the encoding of
the line before them.  `charlens.inputs.mixed` finds the parts.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from charlens.errors import UnencodableError
from charlens.files.line_ends import match_lines, split_lines, split_raw
from charlens.source import LARGEST_MIXED

if TYPE_CHECKING:
    from charlens.inputs.mixed import Segment
    from charlens.types import Verdict

#: Non-ASCII bytes that a legacy part must have: fewer decode in any encoding, and are more likely damage.
_LEAST_BYTES = 4


class PartLine(NamedTuple):
    """A line of a part: text and bytes with the line ending, and the encoding."""

    text: str
    data: bytes
    encoding: str


def is_sure(part: Segment, data: bytes, least: float) -> bool:
    """Whether a part of *data* decodes completely and its encoding is certain."""
    if part.verdict.damage or part.verdict.cut or part.confidence < least:
        return False
    piece = data[part.start : part.end]
    return (part.encoding or "").startswith(("ascii", "utf")) or sum(
        byte > 0x7F for byte in piece
    ) >= _LEAST_BYTES


def find_parts(data: bytes, verdict: Verdict) -> tuple[PartLine, ...]:
    """Return the lines of a file in several encodings; () if it has one encoding, or is not all text."""
    if len(data) > LARGEST_MIXED:
        return ()
    from charlens.inputs.mixed import find_mixture

    parts = find_mixture(data, verdict)
    if any(part.encoding is None for part in parts):
        return ()
    lines: list[PartLine] = []
    for part in parts:
        name = part.encoding or ""
        piece = data[part.start if part.start else len(part.verdict.bom) : part.end]
        try:
            lines += (PartLine(text, raw, name) for text, raw in _split(piece, name))
        except UnicodeDecodeError:  # a damaged part of UTF-16 or UTF-32 has no lines of its own
            return ()
    return tuple(lines)


def _split(piece: bytes, encoding: str) -> Iterator[tuple[str, bytes]]:
    """Yield the lines of *piece*, as text and as bytes."""
    if not encoding.startswith(("utf-16", "utf-32")):
        yield from split_raw(piece, partial(str, encoding=encoding, errors="replace"))
        return
    for text, end in split_lines(piece.decode(encoding, "surrogatepass")):
        yield text + end, (text + end).encode(encoding, "surrogatepass")


def encode_parts(old: tuple[PartLine, ...], raw: str, errors: str) -> bytes:
    """Return the bytes of the text *raw*; *old* are its lines before the edit, *errors* is as in `str.encode`."""
    new = [text + end for text, end in split_lines(raw)]
    places = match_lines([line.text for line in old], new)
    out = []
    encoding = old[0].encoding
    for number, line in enumerate(new):
        place = places.get(number)
        if place is not None:
            encoding = old[place].encoding
            if old[place].text == line:
                out.append(old[place].data)
                continue
        try:
            out.append(line.encode(encoding, errors))
        except UnicodeEncodeError as error:
            raise UnencodableError(line[error.start], number + 1, error.start + 1, encoding) from None
    return b"".join(out)
