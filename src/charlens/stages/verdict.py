"""Build one answer from what the stages found.

This is the only place that builds a `Verdict`.  It makes no new decisions.
"""

from __future__ import annotations

from charlens.encodings import rank, web_name
from charlens.findings import Conflict, Findings, Note
from charlens.types import Outcome, Verdict

_EMPTY = Note("the input is empty")
#: A name is read ten times as fast as the attribute of an enumeration (CPython 3.11).
_TEXT = Outcome.TEXT


def decide(found: Findings) -> Verdict:
    """Return the verdict for the findings."""
    if not found.size:
        return Verdict(Outcome.UNDECIDED, None, 0.0, findings=(_EMPTY,))
    content, encoding = found.content, found.encoding
    media_type = None if found.container is None else found.container.media_type
    if content is not None and not content.is_text:
        return Verdict(Outcome.BINARY, None, 1 - content.likely, findings=found, media_type=media_type)
    if encoding is None:
        return Verdict(
            Outcome.UNDECIDED,
            None,
            0.0,  # nothing is claimed; the alternatives have their probabilities
            alternatives=found.alternatives,
            findings=found,
            media_type=media_type,
        )
    if found.declarations is not None and found.declarations.charsets:
        found.notes += _conflict(found, encoding)
    doubted = found.uneven is not None or (content is not None and content.byte is not None)
    share = _share_of_text(found) if doubted else 1.0
    mixed = found.uneven.parts if found.uneven is not None else ()
    alternatives, language = found.alternatives, found.language
    if share < 1.0 and alternatives:
        alternatives = tuple([each._replace(confidence=each.confidence * share) for each in alternatives])
    return Verdict(
        _TEXT,
        encoding,
        found.confidence * share,
        found.likely_language if language is None else language.language,
        found.bom,
        found.equivalents,
        alternatives,
        found.damage,
        found.cut,
        found,
        found.web_name or web_name(encoding),
        media_type,
        mixed,
    )


def _share_of_text(found: Findings) -> float:
    """Return how likely the input is text, times the share of it that one encoding can be right for."""
    content, uneven = found.content, found.uneven
    share = content.likely if content is not None and content.byte is not None else 1.0
    if uneven is None:
        return share
    if uneven.parts:
        own = sum(part.end - part.start for part in uneven.parts if part.encoding == found.encoding)
        return share * own / found.size
    return share if uneven.share is None else share * uneven.share


def _conflict(found: Findings, answer: str) -> tuple[Conflict, ...]:
    """Return a note if the answer is not the declared encoding."""
    assert found.declarations is not None
    declaration = found.declarations.charsets[0]
    covered = declaration.covered
    if covered & found.same:
        return ()
    if covered >> rank(answer) & 1 or any(covered >> rank(name) & 1 for name in found.equivalents):
        return ()
    if answer.startswith("utf-16") and declaration.label.lower().startswith("utf-16"):
        return ()  # 'utf-16' means UTF-8 only if the label could be read byte by byte
    words = f"{declaration}, but {_contradiction(found, declaration.encoding)}; chose {answer}"
    return (Conflict(words, declaration.offset if declaration.offset >= 0 else None),)


def _contradiction(found: Findings, declared: str | None) -> str:
    """Return why the bytes are not in the declared encoding."""
    if found.signature:
        return "the byte order mark says otherwise"
    if found.unicode or found.escapes or found.ebcdic:
        return "the structure of the bytes shows another encoding"
    if declared == "utf-8":
        return f"byte {found.scan.utf8_error} is not valid UTF-8"
    if found.candidates and declared and not found.candidates.numbers >> rank(declared) & 1:
        return "it cannot decode the bytes"
    return "the text looks different"
