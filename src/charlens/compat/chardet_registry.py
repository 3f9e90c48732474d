"""chardet's registry: its encodings by its names, with the facts of charlens.

The names and eras are chardet's (`names.json`); aliases and languages are those of `charlens.encodings`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from encodings.aliases import aliases
from types import MappingProxyType

from charlens.compat.chardet_wishes import EncodingEra
from charlens.compat.tables import table
from charlens.encodings import lookup, squeeze

__all__ = ["REGISTRY", "EncodingInfo", "get_candidates", "lookup_encoding", "normalize_encodings"]

#: Encodings of chardet that are another encoding with a byte order mark for charlens.
_MARKED = ("utf-8-sig", "utf-16", "utf-32")


@dataclass(frozen=True, slots=True)
class EncodingInfo:
    """The facts about one encoding."""

    name: str
    aliases: tuple[str, ...]
    era: EncodingEra
    is_multibyte_cjk: bool
    languages: tuple[str, ...]


def lookup_encoding(name: str) -> str | None:
    """Return chardet's name for the encoding that *name* means, or ``None``."""
    if squeeze(name) in map(squeeze, _MARKED):
        return next(marked for marked in _MARKED if squeeze(marked) == squeeze(name))
    known = lookup(name)
    if known is None:
        return None
    family: list[str] = next((each for each in table("chardet_families") if known.name in each), [known.name])
    return family[0]


def normalize_encodings(
    encodings: frozenset[str] | list[str] | None, param_name: str
) -> frozenset[str] | None:
    """Return chardet's names for *encodings*; raise an error that names the parameter for an unknown one."""
    if encodings is None:
        return None
    found = {label: lookup_encoding(label) for label in encodings}
    for label, name in found.items():
        if name is None:
            raise ValueError(f"Unknown encoding {label!r} in {param_name}")
    return frozenset(name for name in found.values() if name)


def get_candidates(
    era: EncodingEra,
    include_encodings: frozenset[str] | None = None,
    exclude_encodings: frozenset[str] | None = None,
) -> tuple[EncodingInfo, ...]:
    """Return the encodings of *era* that are in *include*, if that is given, and not in *exclude*."""
    return tuple(
        info
        for info in REGISTRY.values()
        if info.era & era
        and (include_encodings is None or info.name in include_encodings)
        and (exclude_encodings is None or info.name not in exclude_encodings)
    )


def _registry() -> Mapping[str, EncodingInfo]:
    entries: dict[str, EncodingInfo] = {}
    for era, members in table("chardet_eras").items():
        names = dict.fromkeys(lookup_encoding(member) or member for member in members)
        for name in (*names, *(_MARKED if "utf-8" in names else ())):
            known = lookup(name)
            before = entries[name].era if name in entries else EncodingEra(0)
            entries[name] = EncodingInfo(
                name,
                tuple(sorted(alias for alias, codec in aliases.items() if squeeze(codec) == squeeze(name))),
                before | EncodingEra[era],
                known is not None and known.kind in ("multi", "escape") and name != "utf-7",
                known.languages if known else (),
            )
    return MappingProxyType(dict(sorted(entries.items())))


REGISTRY = _registry()
