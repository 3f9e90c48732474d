"""Lines that say 'charlens: ignore': no rule looks at them, and nothing in them is changed."""

from __future__ import annotations

import re

_IGNORE = re.compile(r"charlens:\s*ignore(?:\[(?P<rules>[\w, -]+)\])?")


def without_ignored(text: str, rule: str) -> str:
    """Return *text* with the lines that *rule* must not look at blanked; places stay where they are."""
    if "charlens:" not in text:
        return text
    lines = text.splitlines(keepends=True)
    for number, line in enumerate(lines):
        match = _IGNORE.search(line)
        if match and (match["rules"] is None or rule in re.split(r"[, ]+", match["rules"])):
            lines[number] = re.sub(r"[^\r\n]", " ", line)
    return "".join(lines)


#: Between back quotes, single quotation marks or brackets.
_QUOTED = re.compile(r"`[^`\n]+`|'[^'\n]+'|\([^()\n]+\)")


def is_example(line: str) -> bool:
    """Whether all of *line* beyond ASCII is quoted, as in text that speaks of it."""
    return _QUOTED.sub("", line).isascii()
