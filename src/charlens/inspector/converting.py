"""What becomes of a file: a plan that is proved, its product for a download, and saving it.

Planning, proving and writing are for `charlens.files`; here a question of the page becomes a request.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from charlens.encodings import canonical
from charlens.files.plan import NEWLINES, Plan, Refused, Request, plan_bytes
from charlens.files.streaming import LARGE, Recipe, plan_large, transcode, write_large
from charlens.files.writing import Writing, write_plan, write_to
from charlens.inspector.contents import Content
from charlens.inspector.descriptions import printable


def plan_for(content: Content, question: dict[str, Any]) -> tuple[Plan, Recipe | None]:
    """Return the plan for a question about converting; with a recipe where the file is too large for memory."""
    newline = question.get("newline") or None
    if newline not in (None, *NEWLINES):
        raise ValueError(f"newline is {newline!r}; use one of {', '.join(NEWLINES)}")
    request = Request(
        str(question.get("target") or "utf-8"),
        question.get("bom"),
        newline,
        source=canonical(question["encoding"]) if question.get("encoding") else None,
        declarations=bool(question.get("declarations", True)),
        repair=bool(question.get("repair")),
    )
    if content.size > LARGE:
        return plan_large(content.path, request)
    data = content.read(0, content.size)
    if question.get("parts"):
        joined = _join(data, question["parts"])
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
    """Carry out a plan: replace the file and keep a backup, or write beside it."""
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
        write_plan(plan, writing)
    return {
        "saved": printable(target or content.path),
        "backup": target is None and plan.status == "change",
    }


def _join(data: bytes, parts: list[Any]) -> bytes:
    """Return the text of *parts*, each a start and an encoding, as UTF-8."""
    starts = [int(start) for start, _ in parts]
    if not starts or starts[0] != 0 or sorted(set(starts)) != starts:
        raise ValueError("parts begin at 0 and are in order")
    texts = []
    for (start, name), end in zip(parts, [*starts[1:], len(data)], strict=True):
        try:
            texts.append(data[start:end].decode(canonical(name)).removeprefix("\ufeff"))
        except UnicodeError:
            raise Refused(
                f"the part from byte {start} on is not in {name}: some bytes do not decode"
            ) from None
    return "".join(texts).encode()
