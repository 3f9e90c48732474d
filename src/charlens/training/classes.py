"""Which classes a model has: pairs of an encoding and a language for which there is text.

A larger encoding can decode the text of a smaller one in the same way, or nearly: windows-1252 that of ISO 8859-1, GBK
that of GB 2312.  They share a class under the name that the web uses.  Which member it was is decided by what decodes,
not by statistics.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from charlens.encodings import all_encodings, canonical

#: The encoding that gives a class its name, and those that share it, in the order of preference.
FAMILIES: dict[str, tuple[str, ...]] = {
    "cp1252": ("cp1252", "iso8859-1"),
    "cp1254": ("cp1254", "iso8859-9"),
    "cp874": ("cp874", "iso8859-11", "tis-620"),
    "gbk": ("gbk", "gb18030", "gb2312"),
    "cp932": ("cp932", "shift_jis", "shift_jis_2004", "shift_jisx0213"),
    "cp949": ("cp949", "euc_kr"),
    "big5hkscs": ("big5hkscs", "cp950", "big5"),
    "euc_jp": ("euc_jp", "euc_jis_2004", "euc_jisx0213"),
}
LEADERS = {member: leader for leader, members in FAMILIES.items() for member in members}


class Class(NamedTuple):
    """An encoding, by the name of its family, and a language."""

    encoding: str
    language: str


def find_classes(
    languages: Collection[str], only: Collection[str] = (), also: Collection[tuple[str, str]] = ()
) -> list[Class]:
    """Return the classes for which there is text in *languages* (lower-case tags), in a fixed order.

    *only* restricts the encodings; *also* adds pairs that `encodings.toml` does not have.
    """
    wanted = {canonical(name) for name in only}
    found: dict[Class, None] = {}
    for encoding in all_encodings():
        if encoding.kind not in ("single", "multi", "ebcdic") or (wanted and encoding.name not in wanted):
            continue
        for language in encoding.languages:
            if language.lower() in languages:
                found[Class(LEADERS.get(encoding.name, encoding.name), language)] = None
    for name, language in also:
        found[Class(LEADERS.get(canonical(name), canonical(name)), language)] = None
    return sorted(found)


def family(leader: str) -> tuple[str, ...]:
    """Return the encodings that the class of *leader* covers."""
    return FAMILIES.get(leader, (leader,))
