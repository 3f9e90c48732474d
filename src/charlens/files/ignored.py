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


#: Why an example is not repaired.
EXAMPLE = (
    "the mojibake looks like an example, in quotes or next to the right text; 'charlens repair' changes it anyway"
)


def has_examples(text: str, repairs: Iterable[tuple[int, int, str]]) -> bool:
    """Whether one of the *repairs* of *text* (start, end, new text) is of an example.

    An example has its mojibake in quotes, or the right text in the same line. Double quotation marks count only if
    other non-ASCII text in the file is fine; in a misread file, none is.
    """
    places = [*repairs]
    ends = [0, *(end for _, end, _ in places)]
    starts = [*(start for start, _, _ in places), len(text)]
    right = any(not text[end:start].isascii() for end, start in zip(ends, starts, strict=True))
    quoted = _STRING if right else _QUOTED
    return any(
        quoted.sub("", text[start:end]).isascii() or _has_both(text, start, end, new)
        for start, end, new in places
    )


#: A shorter text can be in the line by chance.
_LEAST_EXAMPLE = 3


def _has_both(text: str, start: int, end: int, new: str) -> bool:
    """Whether the line around a repaired cell has the right text, too."""
    line, line_end = text.rfind("\n", 0, start) + 1, text.find("\n", end)
    right = new.strip(" \t\r\n\"'`")
    others = (text[line:start], text[end : line_end if line_end >= 0 else len(text)])
    return len(right) >= _LEAST_EXAMPLE and any(right in other for other in others)
