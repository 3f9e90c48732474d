"""The prose in `tests/prose` for the tests: by language, encoded, and cut into windows.

The texts are ours and small (1 to 3 KB each), one per language; see `tests/prose/README.md`.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

from charlens import kernel
from charlens.encodings import all_encodings

#: The plain kernel takes milliseconds where the native one takes microseconds: it is asked about one in this many.
THIN = 16 if kernel.NAME == "pure" else 1

FOLDER = Path(__file__).with_name("prose")

#: language tag -> text
PROSE: dict[str, str] = {path.stem: path.read_text(encoding="utf-8") for path in sorted(FOLDER.glob("*.txt"))}

#: The marks of the encodings that have one.
MARKS: dict[str, bytes] = {
    "utf-8": b"\xef\xbb\xbf",
    "utf-16-le": b"\xff\xfe",
    "utf-16-be": b"\xfe\xff",
    "utf-32-le": b"\xff\xfe\x00\x00",
    "utf-32-be": b"\x00\x00\xfe\xff",
}

#: UTF-16 and UTF-32, with the bytes in a unit.
WIDE: dict[str, int] = {"utf-16-le": 2, "utf-16-be": 2, "utf-32-le": 4, "utf-32-be": 4}


@cache
def legacy(encoding: str, language: str) -> bytes | None:
    """The prose of *language* in *encoding*, or ``None`` where the encoding cannot hold it.

    Typography that the encoding lacks (dashes, curly quotes, a euro sign) is left out, as it was typed
    without then; more than one character in fifty may not be missing.
    """
    text = PROSE[language]
    data = text.encode(encoding, "ignore")
    return data if 50 * (len(text) - len(data.decode(encoding))) <= len(text) else None


def legacy_pairs(*kinds: str) -> list[tuple[str, str]]:
    """Every (encoding, language) of these kinds for which there is prose that the encoding can hold."""
    return [
        (encoding.name, language)
        for encoding in all_encodings()
        if encoding.kind in kinds
        for language in encoding.languages
        if language in PROSE and legacy(encoding.name, language) is not None
    ]


def windows(data: bytes, size: int, step: int, unit: int = 1, thin: int = THIN) -> Iterator[bytes]:
    """Cut *data* into windows of *size* bytes that start every *step* bytes, on a whole *unit*; fewer if `THIN`."""
    step = max(unit, step - step % unit) * thin
    for start in range(0, max(1, len(data) - size + 1), step):
        yield data[start : start + size]


def spread(data: bytes, size: int, count: int, unit: int = 1, thin: int = THIN) -> Iterator[bytes]:
    """Cut about *count* windows of *size* bytes out of *data*, evenly spread."""
    yield from windows(data, size, max(unit, (len(data) - size) // count), unit, thin)
