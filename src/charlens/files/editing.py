"""Plan an edit: new text from an editor, a script or an assistant, written in the encoding of the file.

`Document` finds the bytes for the new text; this module decides whether the file may be changed.  It verifies that the
new bytes decode to the text, that unchanged lines keep their bytes, and that declarations in the text are not less
true than before.  What cannot be verified is refused with a message.  `charlens.files.writing` writes.
"""

from __future__ import annotations

import os
import re
from itertools import takewhile
from typing import BinaryIO

from charlens.encodings import canonical
from charlens.errors import CharlensError, UnencodableError
from charlens.files.declarations import contradictions, find_declared
from charlens.files.document import Document
from charlens.files.line_ends import split_raw
from charlens.files.plan import Change, Plan, Refused, Request, plan_bytes
from charlens.files.project import find_said
from charlens.files.streaming import LARGE
from charlens.files.words import reason
from charlens.inputs.paths import open_regular
from charlens.plural import count

#: Below this confidence, new non-ASCII characters are refused: they could be written in the wrong encoding.
_SURE = 0.9

_LOST = "\ufffd"
_LOSTS = re.compile(f"{_LOST}+")
#: Bytes that do not decode, as they appear in the text of a document.
_KEPT = re.compile("[\udc00-\udcff]+")


def open_document(path: str, encoding: str | None = None, opened: BinaryIO | None = None) -> Document:
    """Load the file at *path*, or *opened* from it, to edit it; refuse files that must not be edited as text."""
    with opened or open_regular(path) as file:
        if os.fstat(file.fileno()).st_size > LARGE:
            raise Refused(
                f"larger than {LARGE >> 20} MB; convert it to UTF-8 first, then edit it with any editor"
            )
        data = file.read()
    gate = plan_bytes(data, Request(None, declarations=False, source=encoding), path)
    if gate.status == "binary":
        raise Refused(gate.words)
    return Document(data, gate.verdict, path=path, encoding=canonical(encoding) if encoding else None)


def plan_text(document: Document, text: str, *, certain: bool = False, root: str = "") -> Plan:
    """Plan to save *document* with *text*, and verify the plan; nothing is written or raised.

    *certain* means that the encoding was given, not detected; *root* is passed to `find_said`.
    """
    path, before = document.path or "-", document.original
    plan = Plan(path, "change", document.verdict, before=before, source=document.encoding)
    try:
        old = document.text if before else ""
        text = _with_kept_bytes(old, text)
        target = None if certain else _target(document, old, text, root)
        document.text = text
        after = document.to_bytes(encoding=target, declarations=False)
        encoding = target or document.encoding or "utf-8"
        plan = plan._replace(after=after, target=encoding, old_text=old, new_text=document.text)
        _prove(document, plan)
    except (CharlensError, ValueError) as error:
        words = reason(error)
        if isinstance(error, UnencodableError):  # its own message is for callers of `save`
            words = (
                f"line {error.line}, column {error.column}: {error.character!r} is not in {error.encoding}"
            )
        return Plan(path, "refused", document.verdict, words, before=before, source=document.encoding)
    changed = _changed_lines(old, document.text)
    return plan._replace(
        status="change" if after != before else "unchanged",
        changes=(Change("text", f"{count(changed, 'line')} changed, in {encoding}"),) if changed else (),
    )


def shown_text(document: Document) -> str:
    """Return the text with U+FFFD for bytes that do not decode."""
    return _KEPT.sub(_LOST, document.text)


def _with_kept_bytes(old: str, text: str) -> str:
    """Restore undecodable bytes in lines that are the same as in `shown_text` or the output of `charlens cat`."""
    known = {
        _LOSTS.sub(_LOST, _KEPT.sub(_LOST, line)): line for line in old.split("\n") if _KEPT.search(line)
    }
    if not known or _LOST not in text:
        return text
    lines = []
    for number, line in enumerate(text.split("\n"), 1):
        if _LOST in line and line not in old:
            line = known.get(_LOSTS.sub(_LOST, line), "")
            if not line:
                raise Refused(
                    f"line {number} was changed, but contains bytes that do not decode (shown as U+FFFD)"
                )
        lines.append(line)
    return "\n".join(lines)


def new_document(path: str, encoding: str | None = None) -> Document:
    """Return the document of a file that does not exist yet."""
    return Document(b"", path=path, encoding=canonical(encoding) if encoding else None)


def _wanted(path: str, text: str, root: str) -> str:
    """Return the encoding for text that was ASCII or empty: as declared, as set in the project, or UTF-8."""
    declared = next((found.encoding for found in find_declared(text) if found.encoding), None)
    if declared and declared.startswith(("utf-16", "utf-32")):
        declared = "utf-8"  # as in a browser: a declaration that is readable as ASCII cannot be in UTF-16
    said = find_said(path, root)
    return declared or (said.encoding if said else "utf-8")


def _target(document: Document, old: str, text: str, root: str) -> str | None:
    """Return the encoding to write if it differs from the file's; refuse new characters if it is uncertain."""
    added = {character for character in text if not character.isascii()} - set(old)
    if not added:
        return None
    if document.encoding == "ascii" or not document.original:
        return _wanted(document.path or "-", text, root)
    verdict = document.verdict
    if verdict.encoding == document.encoding and verdict.confidence < _SURE and len(document.encodings) == 1:
        raise Refused(
            f"the encoding is probably {document.encoding}, but not certain ({verdict.confidence:.2f}); to add "
            f"{min(added)!r}, name the encoding"
        )
    return None


def _prove(document: Document, plan: Plan) -> None:
    encoding = plan.target or "utf-8"
    if len(document.encodings) == 1:
        again = Document(plan.after, document.verdict, encoding=encoding)
        if again.text != plan.new_text:
            raise Refused(f"the result would not decode to the same text in {encoding}")
        _prove_kept(document, plan)
    old = {found.name for found in contradictions(plan.old_text, encoding)}
    false = [found for found in contradictions(plan.new_text, encoding) if found.name not in old]
    if false:
        raise Refused(
            f"the text now declares {false[0].name!r}, but the file is in {encoding}; "
            f"convert it first: charlens convert --to {false[0].encoding}"
        )


def _prove_kept(document: Document, plan: Plan) -> None:
    """Check that the bytes of the lines before and after the change are the same."""
    skip = len(document.bom)
    lines = [raw for _, raw in split_raw(plan.before[skip:], lambda line: "")]
    old, new = plan.old_text.split("\n"), plan.new_text.split("\n")
    if document.encoding != plan.target or len(lines) != len(old) - (old[-1] == ""):
        return  # another encoding, or one whose line endings are not those of ASCII
    front, back = _kept(old, new)
    if front == min(len(old), len(new)):
        front -= 1  # its line ending was added or removed
    after = plan.after[skip:]
    if not after.startswith(b"".join(lines[:front])) or not after.endswith(
        b"".join(lines[len(old) - back :])
    ):
        raise Refused("lines that were not edited would change")


def _kept(old: list[str], new: list[str]) -> tuple[int, int]:
    """Return the number of equal lines at the top and at the bottom."""
    front = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(old, new, strict=False)))
    rest = zip(reversed(old[front:]), reversed(new[front:]), strict=False)
    return front, sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], rest))


def _changed_lines(old: str, new: str) -> int:
    """Count the lines between the equal ones at the top and at the bottom."""
    before, after = old.split("\n"), new.split("\n")
    return max(len(before), len(after)) - sum(_kept(before, after))
