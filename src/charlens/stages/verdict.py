"""Make one answer of what the stages found.

This is the only place that builds a `Verdict`.  It weighs nothing anew.
"""

from __future__ import annotations

from charlens.encodings import web_name
from charlens.findings import Findings, Note
from charlens.types import Outcome, Verdict

#: The block list never took a text of the evaluation for binary, but "polluted" texts exist.
_BINARY_CONFIDENCE = 0.99
#: How sure an answer is that there is no answer, where nothing is allowed or nothing was scored.
_NO_ANSWER = 0.5

_EMPTY = Note("there are no bytes, so there is nothing to decide")


def decide(found: Findings) -> Verdict:
    """Return the verdict that the findings add up to."""
    if not found.size:
        return Verdict(Outcome.UNDECIDED, None, 1.0, findings=(_EMPTY,))
    if found.content is not None and not found.content.is_text:
        return Verdict(Outcome.BINARY, None, _BINARY_CONFIDENCE, findings=found.all())
    reading = found.reading
    if reading is None:
        confidence = 1.0 - found.undecided[0].confidence if found.undecided else _NO_ANSWER
        return Verdict(
            Outcome.UNDECIDED, None, confidence, alternatives=found.undecided, findings=found.all()
        )
    if found.declarations is not None:
        conflict = _conflict(found)
        if conflict is not None:
            found.notes += (conflict,)
    encoding, confidence, language, bom, same, others, damage, cut, web = reading
    if found.language is not None:
        language = found.language.language
    return Verdict(
        Outcome.TEXT,
        encoding,
        confidence,
        language,
        bom,
        same,
        others,
        damage,
        cut,
        found.all(),
        web or web_name(encoding),
    )


def _conflict(found: Findings) -> Note | None:
    """Return a note where what was declared is not the answer."""
    reading, declarations = found.reading, found.declarations
    assert reading is not None and declarations is not None
    if not declarations.charsets:
        return None
    declaration = declarations.charsets[0]
    if any(map(declaration.covers, (reading.encoding, *reading.equivalents))):
        return None
    if reading.encoding.startswith("utf-16") and declaration.label.lower().startswith("utf-16"):
        return None  # 'utf-16' means UTF-8 only where the label could be read byte by byte
    return Note(
        f"{declaration}, but {_contradiction(found, declaration.encoding)}: {reading.encoding}",
        declaration.offset if declaration.offset >= 0 else None,
    )


def _contradiction(found: Findings, declared: str | None) -> str:
    """Say why the bytes are not what was declared."""
    if found.signature:
        return "the byte order mark says otherwise"
    if found.unicode or found.escapes or found.ebcdic:
        return "the bytes have another form"
    if declared == "utf-8":
        return f"the bytes are not UTF-8 from byte {found.scan.utf8_error} on"
    if found.candidates and declared not in found.candidates.possible:
        return "that does not decode the bytes"
    return "the words say otherwise"
