"""Lines with 'charlens: ignore': no rule applies to them, and they are not changed."""

from __future__ import annotations

import re
from collections.abc import Iterable

_IGNORE = re.compile(r"charlens:\s*ignore(?:\[(?P<rules>[\w, -]+)\])?")


def without_ignored(text: str, rule: str) -> str:
    """Return *text* with the lines that *rule* ignores replaced by spaces; offsets stay the same."""
    if "charlens:" not in text:
        return text
    lines = text.splitlines(keepends=True)
    for number, line in enumerate(lines):
        match = _IGNORE.search(line)
        if match and (match["rules"] is None or rule in re.split(r"[, ]+", match["rules"])):
            lines[number] = re.sub(r"[^\r\n]", " ", line)
    return "".join(lines)


#: Text in back quotes, single quotation marks or brackets, and in double quotation marks (which data uses too).
_QUOTED = re.compile(r"`[^`\n]+`|'[^'\n]+'|\([^()\n]+\)")
_STRING = re.compile(rf'{_QUOTED.pattern}|"[^"\n]*"')


def has_examples(text: str, lines: Iterable[tuple[int, int]]) -> bool:
    """Whether one of the misread *lines* of *text* has mojibake only in quotes, as an example.

    Double quotation marks count only if other non-ASCII text in the file is fine; in a misread file, none is.
    """
    places = [*lines]
    ends = [0, *(end for _, end in places)]
    starts = [*(start for start, _ in places), len(text)]
    right = any(not text[end:start].isascii() for end, start in zip(ends, starts, strict=True))
    quoted = _STRING if right else _QUOTED
    return any(quoted.sub("", text[start:end]).isascii() for start, end in places)
