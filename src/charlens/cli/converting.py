"""Convert one file: what would be written, why it is not, and the writing.

Used by `charlens convert` and `charlens check --fix`; nothing here prints.  `Document` keeps marks and line ends,
`charlens.files.atomic` writes; this module decides what may be written at all.
"""

from __future__ import annotations

import os
import shutil
import stat
from pathlib import Path
from typing import Any, NamedTuple

from charlens.api import detect
from charlens.cli.terminal import reason
from charlens.encodings import squeeze
from charlens.errors import CharlensError, UnencodableError
from charlens.files.atomic import write_atomically
from charlens.files.declarations import contradictions, rewrite_declared
from charlens.files.document import Document, load
from charlens.types import Outcome, Verdict

NEWLINES = {"lf": "\n", "crlf": "\r\n", "cr": "\r"}
_NEWLINE_NAMES = {value: name for name, value in NEWLINES.items()}


class Wish(NamedTuple):
    """What is wanted of every file."""

    #: The name of the encoding as it was given: 'utf-16' asks for a mark, 'utf-16-le' does not.
    target: str
    bom: bool | None = None
    newline: str | None = None
    min_confidence: float = 0.9
    #: What the files are in, where the user knows; then nothing is detected.
    source: str | None = None
    #: Whether declarations in the text are made to say the target.
    declarations: bool = True
    #: What else is done to the text, such as undoing a double encoding.
    mend: Any = None

    @property
    def mark(self) -> bool | None:
        """Whether to write a byte order mark; None keeps what is there."""
        unordered = squeeze(self.target) in ("utf16", "utf32")
        return True if self.bom is None and unordered else self.bom


class Plan(NamedTuple):
    """What would become of one file."""

    path: str
    #: 'convert', 'unchanged', 'refused' or 'binary'.
    status: str
    verdict: Verdict | None = None
    #: What would change, or why nothing may.
    words: str = ""
    document: Document | None = None
    content: bytes = b""
    #: The encoding that the file is in, before anything is written.
    source: str | None = None


def plan_file(path: str, wish: Wish) -> Plan:
    """Work out what the file at *path* would become; nothing is written, and nothing is raised."""
    try:
        document = load(Path(path), encoding=wish.source)
    except (OSError, ValueError, MemoryError) as error:
        return Plan(path, "refused", None, reason(error))
    return _plan(path, document, wish)._replace(source=document.encoding)


def plan_bytes(data: bytes, wish: Wish) -> Plan:
    """Work out what *data* would become."""
    from charlens.encodings import canonical

    encoding = canonical(wish.source) if wish.source else None
    return _plan("-", Document(data, detect(data), encoding=encoding), wish)


def _plan(path: str, document: Document, wish: Wish) -> Plan:
    verdict = document.verdict
    if not document.is_text:
        words = "binary" if verdict.outcome is Outcome.BINARY else "neither text nor binary for sure"
        return Plan(path, "binary", verdict, f"{words} ({verdict.steps[-1].words.removeprefix('binary: ')})")
    refusal = _refusal(document, wish)
    if refusal:
        return Plan(path, "refused", verdict, refusal, document)
    try:
        changes = _apply(document, wish)
        content = document.to_bytes(encoding=wish.target, bom=wish.mark)
    except UnencodableError as error:
        words = f"line {error.line}, column {error.column}: {error.character!r} is not in {error.encoding}"
        return Plan(path, "refused", verdict, f"would lose a character: {words}", document)
    except CharlensError as error:
        return Plan(path, "refused", verdict, str(error), document)
    if content == document.original:
        return Plan(path, "unchanged", verdict, "", document, content)
    if _marked(content) != bool(document.bom):
        changes.append("adds a mark" if _marked(content) else "takes the mark away")
    return Plan(path, "convert", verdict, ", ".join(changes), document, content)


def _refusal(document: Document, wish: Wish) -> str:
    """Return why this file must not be written, or ''."""
    verdict = document.verdict
    if wish.source:
        return "" if _decodes(document) else f"it is not in {document.encoding}: some bytes do not decode"
    if verdict.damage:
        return f"damaged {verdict.encoding}: byte {verdict.damage[0].start} does not decode"
    if verdict.cut:
        return f"the last character ({verdict.encoding}) is cut off"
    if document.original and verdict.confidence < wish.min_confidence:
        rival = f", or {verdict.alternatives[0].encoding}" if verdict.alternatives else ""
        return f"doubtful: {verdict.encoding} {verdict.confidence:.2f}{rival}"
    if not _decodes(document):
        return f"some bytes do not decode as {verdict.encoding}"
    # Unicode is checked to the last byte; a legacy encoding decodes nearly everything.
    if verdict.encoding not in ("ascii", "utf-8") and not verdict.bom:
        from charlens.inputs.mixed import segments

        parts = segments(document.original)
        if len(parts) > 1:
            names = ", ".join(sorted({part.encoding or "binary" for part in parts}))
            return f"in several encodings ({names}), from byte {parts[1].start} on"
    return ""


def _decodes(document: Document) -> bool:
    """Whether the text has no byte in it that travels undecoded."""
    return not any("\udc00" <= character <= "\udcff" for character in document.text)


def _apply(document: Document, wish: Wish) -> list[str]:
    """Change the text as wished; return what was changed, in words."""
    changes = []
    text = document.text
    if wish.mend is not None:
        mended = wish.mend(text)
        if mended != text:
            changes.append("double encoding undone")
        text = mended
    if wish.declarations:
        said = contradictions(text, wish.target)
        text = rewrite_declared(text, wish.target)
        changes += [f"declaration {found.name}" for found in said]
    if text != document.text:
        document.text = text
    if wish.newline and any(end != NEWLINES[wish.newline] for end in document.newlines):
        names = ", ".join(_NEWLINE_NAMES[end] for end in document.newlines)
        changes.append(f"line ends {names} to {wish.newline}")
        document.newline = NEWLINES[wish.newline]
    return changes


def _marked(content: bytes) -> bool:
    from charlens.stages.signature import find_signature

    return find_signature(content) is not None


def write_plan(plan: Plan, wish: Wish, *, backup: str | None = None) -> None:
    """Replace the file by what was planned, in one step; a *backup* is written before, beside it."""
    assert plan.document is not None
    if backup:
        write_backup(plan.path, plan.document.original, backup)
    plan.document.save(encoding=wish.target, bom=wish.mark)


def write_backup(path: str, data: bytes, suffix: str) -> None:
    """Write *data* beside *path*; a backup that is there already is never overwritten."""
    name, number = path + suffix, 0
    while os.path.exists(name):
        with open(name, "rb") as file:
            if file.read() == data:
                return
        number += 1
        name = f"{path}{suffix}.{number}"
    write_atomically(name, data)
    shutil.copystat(path, name)


def write_to(plan: Plan, target: str) -> None:
    """Write what was planned to *target*, with the mode of the old file."""
    os.makedirs(os.path.dirname(target) or ".", exist_ok=True)
    write_atomically(target, plan.content)
    os.chmod(target, stat.S_IMODE(os.stat(plan.path).st_mode))
