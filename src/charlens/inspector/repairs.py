"""Find mojibake, and show what a repair would change.

The search is limited, so the page can show it without delay; a plan repairs the whole file (`converting`).
"""

from __future__ import annotations

from codecs import getincrementaldecoder
from collections.abc import Iterator
from typing import Any

from charlens.files.ignored import without_ignored
from charlens.inspector.contents import Content
from charlens.inspector.descriptions import LISTED
from charlens.mojibake import repair

#: The most bytes searched.  Clean text takes a second for 200 MB.
LOOKED = 64 << 20
#: Bytes read at a time: a second of work if every line is wrong.
_PIECE = 256 << 10
#: The search ends after this many places.
_ENOUGH = 1000


def find_repairs(content: Content, encoding: str) -> dict[str, Any] | None:
    """Return the changes of a repair near the beginning of the file; None if there is no mojibake."""
    line, count, read, more = 1, 0, 0, False
    first: dict[str, Any] | None = None
    shown: list[dict[str, Any]] = []
    for text in _texts(content, encoding):
        found = repair(without_ignored(text, "mojibake"))
        if first is None and (found.parts or found.refusal):
            first = {
                "chain": found.chain,
                "probability": round(found.probability, 4),
                "refusal": found.refusal,
            }
        for part in found.parts[: LISTED - len(shown)]:
            place = line + text.count("\n", 0, part.start)
            shown.append({"line": place, "old": text[part.start : part.end], "new": part.new})
        count += len(found.parts)
        line += text.count("\n")
        read += _PIECE
        more = count >= _ENOUGH or read >= LOOKED
        if more:
            break
    return {**first, "count": count, "parts": shown, "more": more and read < content.size} if first else None


def _texts(content: Content, encoding: str) -> Iterator[str]:
    """Yield the text of a file in whole lines, some thousand at a time."""
    decoder = getincrementaldecoder(encoding)("replace")
    held = ""
    for piece in content.pieces(_PIECE):
        text = held + decoder.decode(piece)
        end = text.rfind("\n") + 1 or (0 if len(text) < _PIECE else len(text))
        held = text[end:]
        if end:
            yield text[:end]
    yield held + decoder.decode(b"", True)
