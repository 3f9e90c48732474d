"""The types of the keywords of `detect`, for type checkers and editors; `options` checks the values."""

import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Literal, TypedDict

if TYPE_CHECKING:
    from charlens.models.format import Model

#: How declarations are used: as evidence, as the answer (like a browser), or not at all.
Declared = Literal["verify", "obey", "ignore"]
#: How a page is read: with the built-in scanner, with a parser (extra `html`), or as plain text.
Markup = Literal["direct", "parser", "none"]


class Hints(TypedDict, total=False):
    """What you know about the data; evidence for the detection (see docs/hints.md)."""

    #: One or more BCP 47 tags or English names.
    language: str | Iterable[str] | None
    #: The top-level domain, such as 'ru'.
    tld: str | None
    platform: Literal["windows", "dos", "mac", "unix"] | None
    #: Encodings with weights or counts.
    prior: Mapping[str, float] | None
    #: A charset that was declared outside the data.
    declared: str | None


class Keywords(TypedDict, total=False):
    """The keywords of `detect`, which many other functions accept too."""

    only: Iterable[str] | None
    never: Iterable[str] | None
    hints: Hints | None
    content_type: str | None
    declared: Declared
    markup: Markup
    prescan: int
    model: "Model | str | os.PathLike[str] | None"
    parts: bool
    language: bool
    #: The number of bytes to read, and the seconds after which `LimitError` is raised.
    max_bytes: int | None
    max_seconds: float | None
