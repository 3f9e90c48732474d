"""What the caller knows about the bytes: language, domain, platform, a prior, a declared charset.

A hint is evidence that the bytes can outweigh.  This module checks hints; `stages.statistics.evidence` turns them into
log-odds that are added to the initial score of each class.  Hints cannot make an encoding possible that does not
decode, and have no effect on Unicode, which is recognised by its structure.  The tables are in `hints.json`.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any

from charlens.encodings import canonical
from charlens.errors import UnknownEncodingError
from charlens.patterns import Pattern
from charlens.plural import did_you_mean

_FILE = os.path.join(os.path.dirname(__file__), "hints.json")
_TAG = Pattern(r"[A-Za-z]{2,8}([-_][A-Za-z0-9]{1,8})*")
_DOMAIN_LABEL = Pattern(r"[a-z][a-z0-9-]*")
#: The length of the part of a tag that names a script, as in 'zh-Hant'.
_SCRIPT = 4
#: The length of the longest tag of a language in use, without script and region: 'yue'.
_LONGEST_TAG = 3


class Hints:
    """The hints of one call, checked; the statistics stage turns them into evidence."""

    # Equal by identity: evidence is cached by this, and a tuple of tuples takes half a microsecond to hash.
    __slots__ = ("declared", "languages", "platform", "prior", "tld")

    def __init__(
        self,
        languages: tuple[tuple[str, tuple[str, ...]], ...] = (),
        tld: str = "",
        platform: str = "",
        prior: tuple[tuple[str, float], ...] = (),
        declared: str = "",
    ) -> None:
        #: Each language as given, and as the tags that the model uses.
        self.languages = languages
        self.tld = tld
        self.platform = platform
        #: Encodings and their shares.
        self.prior = prior
        self.declared = declared


def parse_hints(given: Mapping[str, object] | Hints) -> Hints:
    """Check the mapping given as `detect(hints=...)`; raise an error that says what to pass instead.

    Hints that were checked before are returned unchanged.
    """
    if isinstance(given, Hints):
        return given
    if not isinstance(given, dict) and not isinstance(given, Mapping):  # the first is ten times as fast
        raise TypeError(f"hints= must be a mapping such as {{'language': 'ru'}}; got {type(given).__name__}")
    try:
        return _read(tuple(given.items()))
    except TypeError:  # a list cannot be remembered; or the error says what is wrong
        return _read.__wrapped__(tuple(given.items()))


@lru_cache(maxsize=256)
def _read(given: tuple[tuple[str, object], ...]) -> Hints:
    read: dict[str, Any] = {}
    for key, value in given:
        if key not in _PARSERS:
            near = did_you_mean(str(key), _PARSERS)
            raise ValueError(f"Unknown hint {key!r}. {near}The hints are {', '.join(_PARSERS)}.")
        if value is not None:
            field, parse = _PARSERS[key]
            read[field] = parse(value)
    return Hints(**read)


def _languages(value: object) -> tuple[tuple[str, tuple[str, ...]], ...]:
    tags = [value] if isinstance(value, str) else value
    if not isinstance(tags, Iterable) or isinstance(tags, bytes | Mapping):
        raise TypeError(
            f"the hint 'language' must be a tag such as 'ru', or a list of tags; got {_type(value)}"
        )
    return tuple((tag, tags_of(tag)) for tag in tags)


def tags_of(tag: object) -> tuple[str, ...]:
    """Return the model's tags for a language: 'zh-Hant' for 'zh-TW', 'nb' and 'nn' for 'norwegian'."""
    if not isinstance(tag, str):
        raise TypeError(f"a language must be a str, such as 'ru' or 'zh-Hant'; got {_type(tag)}")
    return _tags(tag)


@lru_cache(maxsize=256)
def _tags(tag: str) -> tuple[str, ...]:
    known = _tables()["languages"]
    parts = language_tag(tag).lower().replace("_", "-").split("-")
    found = []
    # 'sr-Latn-RS' is tried first, then 'sr-Latn', then 'sr'.
    for length in range(len(parts), 0, -1):
        shorter = "-".join(parts[:length])
        found += known.get(shorter, [shorter])
        if shorter in known or (length > 1 and len(parts[length - 1]) == _SCRIPT):
            break
    return tuple(dict.fromkeys(found))


def language_tag(name: str) -> str:
    """Return the BCP 47 tag of a language given as a tag or an English name: 'ru' for 'Russian'."""
    names: dict[str, str] = _tables()["names"]
    known = names.get(name.strip().lower())
    if known:
        return known
    # Primary tags in use have at most three letters; anything longer is a name.
    if _TAG.fullmatch(name) and len(re.split("[-_]", name)[0]) <= _LONGEST_TAG:
        return name
    raise ValueError(
        f"Unknown language {name!r}. {did_you_mean(name, names)}"
        f"Pass a BCP 47 tag, such as 'ru', 'zh-Hant' or 'pt-BR', or an English name."
    )


def _tld(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"the hint 'tld' must be a str, such as 'ru' or '.jp'; got {_type(value)}")
    label = value.strip().rstrip(".").rpartition(".")[2].lower()
    if not label.isascii():
        label = "xn--" + label.encode("punycode").decode("ascii")
    if not _DOMAIN_LABEL.fullmatch(label):
        raise ValueError(
            f"{value!r} is not a top-level domain. Pass the last part of a host, such as 'ru' or '.jp'."
        )
    return label


def _platform(value: object) -> str:
    names = platform_names()
    if not isinstance(value, str):
        raise TypeError(f"the hint 'platform' must be one of {', '.join(names)}; got {_type(value)}")
    if value.lower() not in names:
        raise ValueError(f"Unknown platform {value!r}. Pass one of {', '.join(names)}.")
    return value.lower()


def _prior(value: object) -> tuple[tuple[str, float], ...]:
    advice = "Pass encodings with weights or counts, such as {'cp1251': 90, 'koi8-r': 10}."
    if not isinstance(value, Mapping):
        raise TypeError(f"the hint 'prior' must be a mapping; got {_type(value)}. {advice}")
    weights: dict[str, float] = {}
    for label, weight in value.items():
        if isinstance(weight, bool) or not isinstance(weight, int | float):
            raise TypeError(f"the prior of {label!r} must be a number; got {_type(weight)}. {advice}")
        if not 0 <= weight < math.inf:
            raise ValueError(
                f"the prior of {label!r} is {weight}; it must be finite and not negative. {advice}"
            )
        name = _encoding(label, "prior")
        weights[name] = weights.get(name, 0.0) + weight
    whole = sum(weights.values())
    if not whole:
        raise ValueError(f"the hint 'prior' has no weights. {advice}")
    return tuple((name, weight / whole) for name, weight in sorted(weights.items()))


def _declared(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"the hint 'declared' must be a label such as 'windows-1251'; got {_type(value)}")
    return _encoding(value, "declared")


def _encoding(label: object, hint: str) -> str:
    try:
        return canonical(label)  # type: ignore[arg-type]
    except UnknownEncodingError as error:
        raise ValueError(f"the hint {hint!r}: {error}") from None


def _type(value: object) -> str:
    return type(value).__name__


_PARSERS: dict[str, tuple[str, Callable[[object], object]]] = {
    "language": ("languages", _languages),
    "tld": ("tld", _tld),
    "platform": ("platform", _platform),
    "prior": ("prior", _prior),
    "declared": ("declared", _declared),
}


@lru_cache(maxsize=1)
def _tables() -> dict[str, dict[str, Any]]:
    import json  # here: few calls have hints, and it takes 3 ms

    with open(_FILE, encoding="utf-8") as file:
        tables: dict[str, dict[str, Any]] = json.load(file)
    return tables


def tld_languages(tld: str) -> list[str]:
    """Return the languages that are usual under a top-level domain."""
    languages: list[str] = _tables()["tlds"].get(tld, [])
    return languages


def platform_names() -> list[str]:
    """Return the names of the known platforms."""
    return list(_tables()["platforms"])


def platform_encodings(platform: str) -> list[str]:
    """Return the encodings that are usual on a platform."""
    encodings: list[str] = _tables()["platforms"][platform]
    return encodings
