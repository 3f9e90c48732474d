"""Where a name stands in a text: in one piece, or in several that a format reads as one; and how it is found."""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from charlens.patterns import Pattern

#: The first characters of a file, in which most kinds have their declaration. A browser reads 1,024 bytes, but pages
#: that start with a long comment or title declare later.
HEAD = 16 << 10


class Found(NamedTuple):
    """The name of an encoding in a text, *end* not included."""

    start: int
    end: int
    #: The name; the text in its place may have quotation marks and line endings in it.
    label: str
    #: Why it must not be rewritten, or "".
    refusal: str = ""


def found(match: re.Match[str]) -> Found:
    """Return the group 'name' of *match*, or else the group 'other'."""
    group = "name" if match["name"] is not None else "other"
    return Found(match.start(group), match.end(group), match[group])


def blanked(text: str, hidden: Pattern) -> str:
    """Return *text* with spaces for what *hidden* matches; lines and offsets stay the same."""
    return str(hidden.sub(lambda match: re.sub(r"[^\r\n]", " ", match[0]), text))


def at_start(pattern: Pattern) -> Callable[[str], Iterator[Found]]:
    """Return a function that finds *pattern* at the beginning of a text."""

    def find(text: str) -> Iterator[Found]:
        match = pattern.match(text, 1 if text.startswith("\ufeff") else 0)
        if match:
            yield found(match)

    return find


def anywhere(
    pattern: Pattern, opens: Pattern | None = None, most: int | None = HEAD
) -> Callable[[str], Iterator[Found]]:
    """Return a function that finds *pattern* in texts whose beginning matches *opens*."""

    def find(text: str) -> Iterator[Found]:
        if opens is None or opens.match(text, 1 if text.startswith("\ufeff") else 0):
            yield from map(found, pattern.finditer(text, 0, len(text) if most is None else most))

    return find


class Joined:
    """Pieces of a text that are read as one: strings of a catalogue, or folded lines."""

    def __init__(self, text: str, spans: Iterable[tuple[int, int]]) -> None:
        self._spans = [span for span in spans if span[0] < span[1]]
        self.text = "".join(text[start:end] for start, end in self._spans)

    def found(self, match: re.Match[str], place: str | int = "name") -> Found:
        """Return the name in *match*, in the place of the group *place* of the whole text."""
        first, last = match.start(place), match.end(place) - 1
        return Found(self._at(first), self._at(last) + 1, match["name"])

    def _at(self, index: int) -> int:
        for start, end in self._spans:
            if index < end - start:
                return start + index
            index -= end - start
        raise IndexError(index)
