"""Describe a verdict for the page: the readings, the declarations in the file, and commands that do the same."""

from __future__ import annotations

import os
import shlex
from typing import Any

from charlens.encodings import all_encodings, web_name
from charlens.files.declarations import contradictions, find_declared
from charlens.inspector.contents import Content
from charlens.stages.declarations.sources import BY_NAME
from charlens.types import Outcome, Verdict

Answer = dict[str, Any]

#: The most readings shown side by side.
MOST_READINGS = 6
#: If there are fewer, other encodings of the language are added.
_COMPARED = 3
#: The most items shown of a list (pairs that decided, damaged ranges, equivalents).
LISTED = 60
#: Bytes searched for declarations.
_HEAD = 64 << 10


def printable(name: str) -> str:
    """Return a name for JSON, with bytes that are not UTF-8 escaped."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def steps_of(verdict: Verdict) -> list[Answer]:
    """Return the steps as plain data."""
    return [step._asdict() for step in verdict.steps]


def readings_of(verdict: Verdict) -> list[Answer]:
    """Return the answer, its alternatives, and other encodings of the language for comparison."""
    found: dict[str, Answer] = {}

    def add(name: str, confidence: float | None, language: str | None) -> None:
        reading = {"encoding": name, "web": web_name(name), "confidence": confidence, "language": language}
        found.setdefault(name, reading)

    if verdict.encoding:
        add(verdict.encoding, round(verdict.confidence, 4), verdict.language)
    for other in verdict.alternatives:
        add(other.encoding, round(other.confidence, 4), other.language)
    if verdict.outcome is Outcome.TEXT and verdict.encoding not in (None, "ascii"):
        same = {verdict.encoding, *verdict.equivalents}
        legacy = [
            each for each in all_encodings() if each.kind in ("single", "multi") and each.name not in same
        ]
        legacy.sort(key=lambda each: (verdict.language not in each.languages, -each.common))
        for each in legacy[: max(0, _COMPARED - len(found))]:
            add(each.name, None, None)
    return list(found.values())[:MOST_READINGS]


def declared_in(content: Content, verdict: Verdict) -> list[Answer]:
    """Return the declarations at the start of the file, and whether they are true."""
    if verdict.encoding is None:
        return []
    text = content.read(len(verdict.bom), _HEAD).decode(verdict.encoding, "replace")
    false = set(contradictions(text, verdict.encoding))
    return [
        {
            "who": BY_NAME[each.kind].words,
            "label": each.name,
            "encoding": each.encoding,
            # If the declared encoding gives the same text, nothing is wrong.
            "true": each not in false or each.encoding in verdict.equivalents,
        }
        for each in find_declared(text)[:LISTED]
    ]


def names_for(content: Content) -> Answer:
    """Return the name of the file quoted for a shell and for Python; a copy has its original name."""
    name = printable(content.name if not content.own else os.path.basename(content.name))
    return {"shell": shlex.quote(name), "python": repr(name)}
