"""The names that other packages use in their answers, read from `names.json` on first use.

`names.json` is written by hand, from the output of those packages.  Each drop-in decides how to use the names.
"""

from __future__ import annotations

import codecs
import json
from bisect import bisect_right
from functools import cache
from pathlib import Path
from typing import Any

#: Languages that the other packages report under another code.
_NEAR_LANGUAGES = {"nb": "no", "nn": "no", "arz": "ar", "yue": "zh"}

#: Pairs of names; the second one decodes every text in the first in the same way.
_SUPERSETS = {("gbk", "GB18030"), ("gb2312", "GB18030")}


@cache
def table(name: str) -> Any:
    """Return one part of `names.json`."""
    path = Path(__file__).with_name("names.json")
    return json.loads(path.read_text(encoding="utf-8"))[name]


def language_code(language: str | None) -> str | None:
    """Return the two or three letters of *language*, without a script: 'zh' for 'zh-Hans', 'no' for 'nb'."""
    if language is None:
        return None
    code = language.partition("-")[0]
    return _NEAR_LANGUAGES.get(code, code)


def language_name(language: str | None) -> str:
    """Return the English name of *language*, or ''."""
    code = language_code(language)
    names: dict[str, str] = table("languages")
    return names.get(code, code.capitalize()) if code else ""


def same_text(data: bytes | None, name: str, other: str) -> bool:
    """Whether the codec *other* decodes all of *data* to the same text as the codec *name*.

    Without *data* (it was not kept), whether that is so for every text.
    """
    if codecs.lookup(name).name == codecs.lookup(other).name:
        return True
    if data is None:
        return (name, other) in _SUPERSETS
    try:
        return data.decode(name, "ignore") == data.decode(other, "strict")
    except UnicodeDecodeError:
        return False


def reads(data: bytes, name: str) -> bool:
    """Whether the codec *name* decodes all of *data*."""
    try:
        data.decode(name)
    except UnicodeError:
        return False
    return True


def block_name(character: str) -> str:
    """Return the Unicode block of *character*, or '' for a rare one."""
    starts, names = _blocks()
    return names[bisect_right(starts, ord(character)) - 1]


@cache
def _blocks() -> tuple[list[int], list[str]]:
    rows: list[tuple[int, str]] = table("blocks")
    return [start for start, _ in rows], [name for _, name in rows]
