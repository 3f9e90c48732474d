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

from charlens.errors import CharlensError, UnencodableError
from charlens.files.document import Document
from charlens.files.formats import find_standard
from charlens.files.kept import KEPT
from charlens.files.line_ends import split_raw
from charlens.files.marks import MARKS
from charlens.files.plan import NEWLINES, Change, Plan, plan_bytes
from charlens.files.project import find_newline
from charlens.files.reading import Refused, Request, in_words
from charlens.files.streaming import LARGE
from charlens.files.truth import added_characters, encoding_for, prove_declarations, refuse_doubt
from charlens.files.words import reason
from charlens.inputs.paths import open_regular
from charlens.plural import count

_LOST = "\ufffd"
_LOSTS = re.compile(f"{_LOST}+")


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
    return Document(data, gate.verdict, path=path, encoding=encoding)


def plan_text(document: Document, text: str, *, certain: bool = False, root: str = "") -> Plan:
    """Plan to save *document* with *text*, and verify the plan; nothing is written or raised.

    The byte order mark and the line endings are those of the file; a new file has those of *text* or of the project.
    *certain* means that the encoding was given, not detected; *root* is passed to `find_said`.
    """
    path, before = document.path or "-", document.original
    plan = Plan(path, "change", document.verdict, before=before, source=document.encoding)
    try:
        old = document.text if before else ""
        is_marked, text = text.startswith("\ufeff"), text.removeprefix("\ufeff")
        text = _with_kept_bytes(old, text)
        target, bom = (None, None) if certain else _target(document, old, text, root)
        if bom or ((is_marked or document.marks_new) and not before):
            bom = _may_be_marked(path, text, target or document.encoding or "")
        _choose_newline(document, text, root)
        document.text = text
        after = document.to_bytes(encoding=target, bom=bom, declarations=False)
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
    several = document.encodings if len(document.encodings) > 1 else ()
    where = f"; the parts stay in {in_words(several)}" if several else f", in {encoding}"
    return plan._replace(
        status="change" if after != before else "unchanged",
        changes=(Change("text", f"{count(changed, 'line')} changed{where}"),) if changed else (),
    )


def shown_text(document: Document) -> str:
    """Return the text with U+FFFD for bytes that do not decode."""
    return KEPT.sub(_LOST, document.text)


def _with_kept_bytes(old: str, text: str) -> str:
    """Restore undecodable bytes in lines that are the same as in `shown_text` or the output of `charlens cat`."""
    known = {
        _LOSTS.sub(_LOST, KEPT.sub(_LOST, line)): line for line in old.split("\n") if KEPT.search(line)
    }
    if not known or _LOST not in text:
        return text
    lines = []
    for number, line in enumerate(text.split("\n"), 1):
        shown = line.removesuffix("\r")
        if _LOST in shown and shown not in old:
            kept = known.get(_LOSTS.sub(_LOST, shown), "")
            if not kept:
                raise Refused(
                    f"line {number} was changed, but contains bytes that do not decode (shown as U+FFFD)"
                )
            line = kept + line[len(shown) :]
        lines.append(line)
    return "\n".join(lines)


def new_document(path: str, encoding: str | None = None) -> Document:
    """Return the document of a file that does not exist yet."""
    return Document(b"", path=path, encoding=encoding)


def _target(document: Document, old: str, text: str, root: str) -> tuple[str | None, bool | None]:
    """Return the encoding to write, with or without a mark, if it differs from the file's; refuse uncertain ones."""
    added = added_characters(old, text)
    if not added and document.original:
        return None, None
    if document.encoding == "ascii" or not document.original:
        return encoding_for(document.path or "-", text, root)
    if document.verdict.encoding == document.encoding and len(document.encodings) == 1:
        refuse_doubt(document.verdict, added)
    return None, None


def _may_be_marked(path: str, text: str, encoding: str) -> bool:
    """Whether a file may get the byte order mark that its text, the name of its encoding or the project has."""
    standard = find_standard(path, text)
    return encoding in MARKS and not (encoding == "utf-8" and standard and standard.mark_refusal)


def _choose_newline(document: Document, text: str, root: str) -> None:
    """Choose the line ending where the file has none: LF in scripts, that of .editorconfig, or else as it is given."""
    if document.newline is not None:
        return
    path = document.path or "-"
    standard = find_standard(path, text)
    name = "lf" if standard and standard.newline_refusal else find_newline(path, root) if path != "-" else None
    if name:
        document.newline = NEWLINES[name]


def _prove(document: Document, plan: Plan) -> None:
    encoding = plan.target or "utf-8"
    at = -1 if "\0" in plan.old_text else plan.new_text.find("\0")
    if at >= 0:
        line = plan.new_text.count("\n", 0, at) + 1
        raise Refused(f"line {line} has a NUL character, so the new content is not text")
    if len(document.encodings) == 1:
        again = Document(plan.after, document.verdict, encoding=encoding)
        if again.text != plan.new_text:
            raise Refused(f"the result would not decode to the same text in {encoding}")
        _prove_kept(document, plan)
    prove_declarations(plan.path, plan.old_text, plan.new_text, encoding)


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
