"""Convert a file from the page: a verified plan, its result as a download, and saving it.

`charlens.files` plans, verifies and writes; this module turns a question of the page into a request.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from charlens import kernel
from charlens.encodings import canonical
from charlens.files.plan import NEWLINES, Plan, plan_bytes
from charlens.files.reading import Refused, Request
from charlens.files.streaming import LARGE, Recipe, plan_large, transcode, write_large
from charlens.files.writing import Writing, same_as, write_plan, write_to
from charlens.inputs.mixed import Segment
from charlens.inputs.paths import open_bytes
from charlens.inspector.contents import Content
from charlens.inspector.descriptions import printable
from charlens.source import LARGEST, find_faults

#: The largest file that is split into parts; without the native kernel, which is ten times as fast, a smaller one.
LARGEST_IN_PARTS = LARGE if kernel.NAME == "native" else LARGEST


def plan_for(content: Content, question: dict[str, Any]) -> tuple[Plan, Recipe | None]:
    """Return the plan for a conversion; with a recipe if the file is too large for memory."""
    newline = question.get("newline") or None
    if newline not in (None, *NEWLINES):
        raise ValueError(f"newline is {newline!r}; use one of {', '.join(NEWLINES)}")
    request = Request(
        str(question.get("target") or "utf-8"),
        question.get("bom"),
        newline,
        source=question.get("encoding") or None,
        declarations=bool(question.get("declarations", True)),
        repair=bool(question.get("repair")),
        replace=bool(question.get("replace")),
    )
    if content.size > LARGE:
        return plan_large(content.path, request)
    data = content.read(0, content.size)
    if question.get("parts") is not None:
        joined = _join(content, question["parts"])
        plan = plan_bytes(joined, request._replace(source="utf-8"), content.path)
        changed = plan.status if plan.status == "refused" else "change"
        return plan._replace(before=data, status=changed), None
    return plan_bytes(data, request, content.path), None


def product(content: Content, question: dict[str, Any]) -> tuple[str, Iterator[bytes]]:
    """Return the name and the bytes of the converted file that the question describes."""
    plan, recipe = plan_for(content, question)
    if plan.status in ("refused", "binary"):
        raise Refused(plan.refusal)
    name = os.path.basename(content.name)
    return name, transcode(content.path, recipe) if recipe else iter((plan.after,))


def save(content: Content, question: dict[str, Any]) -> dict[str, Any]:
    """Write a plan: replace the file and keep a backup, or write a new file next to it."""
    if content.own:
        raise Refused("this is a copy of what was dropped; download the result instead")
    plan, recipe = plan_for(content, question)
    if plan.status not in ("change", "unchanged"):
        raise Refused(plan.refusal)
    writing = Writing(backup=".bak", verb="convert")
    target = None
    if question.get("where") != "replace":
        stem, suffix = os.path.splitext(content.path)
        target = f"{stem}.{plan.target or 'utf-8'}{suffix}"
        if os.path.lexists(target):
            raise Refused(f"{os.path.basename(target)} already exists")
    if recipe is not None:
        write_large(plan, recipe, target, writing)
    elif target is not None:
        write_to(plan, target, writing)
    elif plan.status == "change":
        write_plan(plan, writing, same_as(plan.path, plan.before))
    return {
        "saved": printable(target or content.path),
        "backup": target is None and plan.status == "change",
    }


def parts_found(content: Content) -> tuple[Segment, ...]:
    """Return the parts of a file in several encodings; raise `Refused` for one that is too large."""
    if content.size > LARGEST_IN_PARTS:
        raise Refused(
            f"larger than {LARGEST_IN_PARTS >> 20} MB: its parts are not looked for; split it first"
        )
    return content.parts()


def parts_of(content: Content, chosen: list[Any]) -> list[tuple[int, str | None]]:
    """Return the start of each part and its encoding (None for binary); *chosen* overrides encodings, by start."""
    others = {int(begin): canonical(name) for begin, name in chosen}
    parts = [(part.start, others.pop(part.start, part.encoding)) for part in parts_found(content)]
    if others:
        raise ValueError(f"no part begins at byte {min(others)}")
    return parts


def places_lost(content: Content, question: dict[str, Any]) -> int:
    """Return the number of places that do not decode in the chosen encoding, limited to the length of a list."""
    if question.get("parts") is not None or not question.get("encoding"):
        return 0
    with open_bytes(content.path) as data:
        spans, cut = find_faults(data, canonical(question["encoding"]))
    return len(spans) + bool(cut)


def _join(content: Content, chosen: list[Any]) -> bytes:
    """Return the text of all parts as UTF-8."""
    data = content.read(0, content.size)
    parts = parts_of(content, chosen)
    texts = []
    for (start, name), (end, _) in zip(parts, [*parts[1:], (len(data), None)], strict=True):
        if name is None:
            raise Refused(f"bytes {start} to {end} are binary; choose an encoding for them")
        try:
            texts.append(data[start:end].decode(name).removeprefix("\ufeff"))
        except UnicodeError:
            raise Refused(
                f"the part from byte {start} on is not in {name}: some bytes do not decode"
            ) from None
    return "".join(texts).encode()
