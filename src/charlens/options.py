"""The keywords of `detect`, checked once and carried through the pipeline as one value."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from charlens.encodings import all_encodings, canonical, squeeze
from charlens.hints import parse_hints
from charlens.kernel.facts import SURVEY_EBCDIC, SURVEY_JUDGES
from charlens.limits import make_limits
from charlens.plural import did_you_mean, suggest

if TYPE_CHECKING:
    from charlens.models.format import Model

_POLICIES = ("verify", "obey", "ignore")
_WAYS = ("direct", "parser", "none")
#: The bytes in which a page must declare its charset (the HTML standard's limit).
PRESCAN = 1024


class Options:
    """The checked keywords of `detect`."""

    # Slots, not a named tuple, whose items take longer to read: the stages read twenty.
    __slots__ = (
        "content_type",
        "declared",
        "evidence",
        "hints",
        "language",
        "limits",
        "markup",
        "model",
        "never",
        "only",
        "parts",
        "prescan",
        "restricts",
        "survey",
    )

    def __init__(
        self,
        only: frozenset[str] | None = None,
        never: frozenset[str] = frozenset(),
        hints: Any = None,
        content_type: str | None = None,
        declared: str = "verify",
        markup: Any = "direct",
        prescan: int = PRESCAN,
        model: Any = None,
        parts: bool = False,
        language: bool = True,
        limits: Any = None,
    ) -> None:
        self.only = only
        self.never = never
        #: A `charlens.hints.Hints`, or None.
        self.hints = hints
        self.content_type = content_type
        self.declared = declared
        #: 'direct', 'none', or a function that takes a page and returns its text.
        self.markup = markup
        self.prescan = prescan
        #: A `charlens.models.format.Model`, or None for the default model.
        self.model = model
        #: Whether to check every line of legacy text for a change of encoding, not only three places.
        self.parts = parts
        #: Whether to detect the language.
        self.language = language
        #: A `charlens.limits.Limits`, or None.
        self.limits = limits
        #: Whether *only* or *never* were given.
        self.restricts = only is not None or bool(never)
        #: What the caller said, as `kernel.survey` takes it; None until `charlens.survey` knows.
        self.evidence: tuple[float, ...] | None = () if content_type is None and hints is None else None
        #: What the kernel's survey does: it judges with the default model, among all encodings, and pages of EBCDIC are
        #: candidates if the caller names the encodings.
        judges = model is None and not self.restricts
        self.survey = (SURVEY_JUDGES if judges else 0) | (0 if only is None else SURVEY_EBCDIC)

    def replace(self, **changed: Any) -> Options:
        """Return these options with some of them *changed*."""
        own = {name: getattr(self, name) for name in self.__slots__ if name not in ("evidence", "restricts", "survey")}
        return Options(**own | changed)

    @property
    def allowed(self) -> int:
        """The allowed encodings, as a set of bits."""
        return _allowed(self.only, self.never)

    def allows(self, encoding: str) -> bool:
        """Whether *encoding* may be the answer."""
        return (self.only is None or encoding in self.only) and encoding not in self.never


DEFAULTS = Options()


def options_for(keywords: Mapping[str, Any]) -> Options:
    """Return the options for the *keywords* of `detect`; those for a header alone are remembered."""
    header = keywords.get("content_type")
    if len(keywords) == 1 and type(header) is str and len(header) <= _LONGEST_HEADER:
        return _with_header(header)
    return make_options(**keywords)


#: Longer headers are not remembered: servers send what they like.
_LONGEST_HEADER = 200


#: A crawler passes a header with each page, and most headers are the same.
@lru_cache(maxsize=256)
def _with_header(header: str) -> Options:
    return make_options(content_type=header)


@lru_cache(maxsize=256)
def _allowed(only: frozenset[str] | None, never: frozenset[str]) -> int:
    names = [encoding.name for encoding in all_encodings()]
    return sum(1 << n for n, name in enumerate(names) if (only is None or name in only) and name not in never)


def make_options(
    only: Iterable[str] | None = None,
    never: Iterable[str] | None = None,
    hints: Mapping[str, object] | None = None,
    content_type: str | None = None,
    declared: str = "verify",
    markup: str = "direct",
    model: Model | str | os.PathLike[str] | None = None,
    prescan: int = PRESCAN,
    parts: bool = False,
    language: bool = True,
    max_bytes: int | None = None,
    max_seconds: float | None = None,
    **unknown: object,
) -> Options:
    """Check the keywords of `detect` and return them as `Options`."""
    if unknown:
        raise TypeError(_advice(next(iter(unknown))))
    if not isinstance(language, bool):
        raise TypeError(
            f"language= must be True or False (whether to detect the language); to say which language is likely, "
            f"write hints={{'language': {language!r}}}"
        )
    if not isinstance(parts, bool):
        raise TypeError(f"parts= must be True or False (whether to check every line); got {parts!r}")
    if isinstance(prescan, bool) or not isinstance(prescan, int) or prescan < 1:
        raise ValueError(f"prescan= must be a positive number of bytes; got {prescan!r}.")
    if not isinstance(content_type, str | None):
        raise TypeError(f"content_type= must be a str (the HTTP header); got {type(content_type).__name__}")
    if declared not in _POLICIES:
        raise ValueError(f"declared= is {declared!r}; use one of {', '.join(_POLICIES)}.")
    return Options(
        None if only is None else _names(only, "only"),
        frozenset() if never is None else _names(never, "never"),
        None if hints is None else parse_hints(hints),
        content_type or None,
        declared,
        _way(markup),
        prescan,
        model if model is None else _model(model),
        parts,
        language,
        make_limits(max_bytes, max_seconds),
    )


def _advice(name: str) -> str:
    """Return the message for a keyword that does not exist."""
    from charlens.keywords import Keywords  # here: only needed for an error

    known = Keywords.__annotations__
    near = suggest(["only"]) if name in ("encoding", "encodings") else did_you_mean(name, known, 1)
    return f"Unknown keyword {name}=. {near}The keywords are {', '.join(known)}."


def _way(markup: str) -> Any:
    if markup not in _WAYS:
        raise ValueError(f"markup= is {markup!r}; use one of {', '.join(_WAYS)}.")
    if markup != "parser":
        return markup
    # Imported by name: the core must not depend on packages outside the standard library.
    from importlib import import_module

    return import_module("charlens.integrations.lexbor").strip_markup


def _model(model: Model | str | os.PathLike[str]) -> Model:
    from charlens.models.format import Model, read_model

    if not isinstance(model, Model | str | os.PathLike):
        raise TypeError(f"model= must be a model or the folder of one; got {type(model).__name__}")
    return model if isinstance(model, Model) else read_model(model)


def _names(labels: Iterable[str], keyword: str) -> frozenset[str]:
    if isinstance(labels, str):
        raise TypeError(f"{keyword}= must be a list of names: write {keyword}=[{labels!r}]")
    if not isinstance(labels, Iterable):
        raise TypeError(f"{keyword}= must be a list of names, such as ['utf-8']; got {type(labels).__name__}")
    given = tuple(labels)
    for label in given:
        if not isinstance(label, str):
            canonical(label)  # raises the error that says so
    return _canonical_names(given)


@lru_cache(maxsize=256)
def _canonical_names(labels: tuple[str, ...]) -> frozenset[str]:
    names = set()
    for label in labels:
        name = canonical(label)
        names.add(name)
        # 'utf-16' allows both byte orders.
        if squeeze(label) in ("utf16", "utf32"):
            names.add(name.replace("-le", "-be"))
    return frozenset(names)
