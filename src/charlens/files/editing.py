"""Plan a change of a text by hand: what an editor, a script or an assistant made of it, in the file's own encoding.

`Document` finds the bytes for the new text; whether the file may be touched at all is for the planner.  The proof: the
new bytes read back as the text; lines that did not change keep their bytes; what the text declares is no less true than
before.  What cannot be proved is refused in words.  Writing is for `charlens.files.writing`.
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

#: Below this confidence, characters beyond ASCII are not added: they might be written in the wrong encoding.
_SURE = 0.9

_LOST = "\ufffd"
_LOSTS = re.compile(f"{_LOST}+")
#: Bytes that do not decode, as a document carries them.
_KEPT = re.compile("[\udc00-\udcff]+")


def open_document(path: str, encoding: str | None = None, opened: BinaryIO | None = None) -> Document:
    """Read the file at *path*, or *opened* from it, for a change; what is not to be changed as text is refused."""
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
    """Work out what the file of *document* becomes with *text*, and prove it; nothing is written or raised.

    *certain* says that the encoding of the document was given, not found; *root* is for `find_said`.
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
        if isinstance(error, UnencodableError):  # its own words are for who calls `save`
            words = (
                f"line {error.line}, column {error.column}: {error.character!r} is not in {error.encoding}"
            )
        return Plan(path, "refused", document.verdict, words, before=before, source=document.encoding)
    changed = _changed_lines(old, document.text)
    return plan._replace(
        status="change" if after != before else "unchanged",
        changes=(Change("text", f"{count(changed, 'line')} in {encoding}"),) if changed else (),
    )


def shown_text(document: Document) -> str:
    """Return the text for people and programs that know only UTF-8: U+FFFD for bytes that do not decode."""
    return _KEPT.sub(_LOST, document.text)


def _with_kept_bytes(old: str, text: str) -> str:
    """Put the bytes that do not decode back into lines that came back as `shown_text` or `charlens cat` gave them."""
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
    """Return the document of a file that is not there yet."""
    return Document(b"", path=path, encoding=canonical(encoding) if encoding else None)


def _wanted(path: str, text: str, root: str) -> str:
    """Return the encoding for a text that was ASCII or nothing: what it declares, what the project says, UTF-8."""
    declared = next((found.encoding for found in find_declared(text) if found.encoding), None)
    if declared and declared.startswith(("utf-16", "utf-32")):
        declared = "utf-8"  # what a browser takes it for, since the declaration could be read as ASCII
    said = find_said(path, root)
    return declared or (said.encoding if said else "utf-8")


def _target(document: Document, old: str, text: str, root: str) -> str | None:
    """Return the encoding to write if it is not the file's own; refuse new characters where that is in doubt."""
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
    """Check that the bytes of the lines in front of the change and behind it are as they were."""
    skip = len(document.bom)
    lines = [raw for _, raw in split_raw(plan.before[skip:], lambda line: "")]
    old, new = plan.old_text.split("\n"), plan.new_text.split("\n")
    if document.encoding != plan.target or len(lines) != len(old) - (old[-1] == ""):
        return  # another encoding, or one in which a line end is not the byte that it is in ASCII
    front, back = _kept(old, new)
    if front == min(len(old), len(new)):
        front -= 1  # its line end is new, or gone
    after = plan.after[skip:]
    if not after.startswith(b"".join(lines[:front])) or not after.endswith(
        b"".join(lines[len(old) - back :])
    ):
        raise Refused("lines that were not edited would change")


def _kept(old: list[str], new: list[str]) -> tuple[int, int]:
    """Return how many lines are the same at the top and, of the rest, at the bottom."""
    front = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(old, new, strict=False)))
    rest = zip(reversed(old[front:]), reversed(new[front:]), strict=False)
    return front, sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], rest))


def _changed_lines(old: str, new: str) -> int:
    """Count the lines between those that stay at the top and at the bottom."""
    before, after = old.split("\n"), new.split("\n")
    return max(len(before), len(after)) - sum(_kept(before, after))
