"""The keywords of chardet's functions, checked, and which names they allow.

chardet counts 'utf-8' and 'utf-8-sig' as two encodings, charlens as one with or without a mark; and one
encoding of chardet (Shift_JIS, GB 18030) can be several in charlens.  `Wishes` translates.
"""

from __future__ import annotations

import enum
import warnings
from collections.abc import Iterable
from typing import Any, NamedTuple

from charlens.compat.tables import table
from charlens.encodings import lookup, squeeze
from charlens.types import Verdict

DEFAULT_MAX_BYTES = 200_000

_MARKED = "utf-8-sig"


class EncodingEra(enum.IntFlag):
    """Groups of encodings by origin."""

    MODERN_WEB = 1
    LEGACY_ISO = 2
    LEGACY_MAC = 4
    LEGACY_REGIONAL = 8
    DOS = 16
    MAINFRAME = 32
    ALL = 63


class Wishes(NamedTuple):
    """The keywords that all three entries share."""

    only: frozenset[str] | None
    never: frozenset[str]
    superset: bool
    compatible: bool
    no_match: str
    empty: str
    most: int

    def allows(self, encoding: str) -> bool:
        """Whether *encoding* may be the answer."""
        return (self.only is None or encoding in self.only) and encoding not in self.never

    def keywords(self) -> dict[str, Any]:
        """Return the keywords for `charlens.detect`; UTF-8 is excluded only if it is with and without a mark."""
        only = None if self.only is None else {_unmarked(name) for name in self.only}
        never = {_unmarked(name) for name in self.never}
        if self.allows("utf-8") or self.allows(_MARKED):
            never.discard("utf-8")
        return {"only": only, "never": never or None}

    def name_of(self, verdict: Verdict) -> str | None:
        """Return the codec of *verdict*; ``None`` if it is not allowed, or if the mark is wrong."""
        name = verdict.codec
        if name is None or (verdict.bom and verdict.damage):
            return None
        if name == _MARKED and not self.allows(_MARKED):
            name = "utf-8"
        return name if name not in ("utf-8", _MARKED) or self.allows(name) else None


def _unmarked(name: str) -> str:
    return "utf-8" if name == _MARKED else name


def check(
    filters: tuple[EncodingEra, Iterable[str] | None, Iterable[str] | None],
    names: tuple[bool, bool, bool],
    no_match: str,
    empty: str,
    max_bytes: int,
) -> Wishes:
    """Check the keywords; *filters* are era, include and exclude, and *names* controls the name of the answer."""
    if isinstance(max_bytes, bool) or not isinstance(max_bytes, int) or max_bytes < 1:
        raise ValueError("max_bytes must be a positive integer")
    era, include, exclude = filters
    rename, superset, compatible = names
    if rename:
        deprecated("should_rename_legacy is called prefer_superset now", 3)
    only = None if include is None else _names(include, "include_encodings")
    if only is not None and not only:
        raise ValueError("include_encodings must not be empty; leave it out to allow everything")
    if era != EncodingEra.ALL:
        of_era = {
            name
            for one, members in table("chardet_eras").items()
            if EncodingEra[one] & era
            for name in members
        }
        if "utf-8" in of_era:
            of_era.add(_MARKED)
        only = frozenset(of_era) if only is None else only & of_era
    return Wishes(
        only,
        frozenset() if exclude is None else _names(exclude, "exclude_encodings"),
        rename or superset,
        compatible,
        _name(no_match, "no_match_encoding"),
        _name(empty, "empty_input_encoding"),
        # Only a limit from the caller is used: with chardet's default, the answer might not decode the rest.
        max_bytes if max_bytes != DEFAULT_MAX_BYTES else 1 << 62,
    )


def _names(labels: Iterable[str], keyword: str) -> frozenset[str]:
    """Return our names for *labels*; one encoding of chardet can be several of ours."""
    names: set[str] = set()
    for label in labels:
        name = _name(label, keyword)
        names.add(name)
        names.update(*(family for family in table("chardet_families") if name in family))
        if squeeze(label) in ("utf16", "utf32"):
            names.add(name.replace("-le", "-be"))
    return frozenset(names)


def _name(label: str, keyword: str) -> str:
    if squeeze(label) in ("utf8sig", "utf8bom"):
        return _MARKED
    known = lookup(label)
    if known is None:
        raise ValueError(f"Unknown encoding {label!r} in {keyword}")
    return known.name


def deprecated(words: str, depth: int) -> None:
    """Warn the caller *depth* calls up."""
    warnings.warn(words, DeprecationWarning, stacklevel=depth + 1)
