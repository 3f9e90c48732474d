"""Plan a change of a file and verify it, before anything is written.

A plan names every change.  To verify it means to check that the new bytes decode, that the text is the old text except
for the named changes, that declarations in the text are true, and that a second run would change nothing.  If a check
fails, the plan is refused with a message.  Nothing here prints or writes; `charlens.files.writing` writes the plan.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from charlens.api import detect
from charlens.encodings import canonical, lookup
from charlens.errors import CharlensError
from charlens.files.declarations import (
    Edit,
    apply_edits,
    contradictions,
    edits_in_words,
    find_declared,
    plan_edits,
)
from charlens.files.formats import Standard, escape_edits, find_standard, unescape
from charlens.files.ignored import EXAMPLE, has_examples, without_ignored
from charlens.files.line_ends import Line
from charlens.files.marks import MARKS, implies_mark
from charlens.files.project import find_said
from charlens.files.reading import Reading, Refused, Request, decode_strictly, in_words, read, source_of
from charlens.files.words import reason
from charlens.inputs.paths import open_regular
from charlens.plural import count
from charlens.stages.declarations.mail import counts_bytes, find_signature, seven_bit_parts
from charlens.stages.declarations.sources import IN_PARTS
from charlens.types import MOST_SPANS, Outcome, Verdict

NEWLINES = {"lf": "\n", "crlf": "\r\n", "cr": "\r"}
_NEWLINE_NAMES = {value: name for name, value in NEWLINES.items()}
_ANY_END = re.compile("\r\n|\r|\n")


_COUNTED = "the mail has a Content-Length, which would be wrong then; remove that line first, or leave it as it is"


class Change(NamedTuple):
    """One change of a plan; *edits* apply to the text after the changes before it."""

    #: 'encoding', 'damage', 'repair', 'declaration', 'escapes', 'newline' or 'bom'.
    kind: str
    words: str
    edits: tuple[Edit, ...] = ()


class Plan(NamedTuple):
    """The planned changes of one file, or why there are none."""

    path: str
    #: 'change', 'unchanged', 'refused' or 'binary'.
    status: str
    verdict: Verdict | None = None
    #: Why the plan was refused.
    refusal: str = ""
    changes: tuple[Change, ...] = ()
    before: bytes = b""
    after: bytes = b""
    #: The old encoding (for a mixed file, the names of all), and the new one.
    source: str | None = None
    target: str | None = None
    #: Whether encoding the old text again gives the old bytes.
    lossless: bool = False
    #: The old text and the new one, with their line endings.
    old_text: str = ""
    new_text: str = ""
    #: For a file in several encodings, all of them.
    mixed: tuple[str, ...] = ()
    #: For a large file, which is not in memory: a stamp to check that it has not changed.
    stamp: tuple[int, ...] = ()

    @property
    def words(self) -> str:
        """The changes other than the encoding, or the reason for a refusal."""
        return self.refusal or ", ".join(change.words for change in self.changes if change.words)


def plan_file(path: str, request: Request) -> Plan:
    """Plan the change of the file at *path*; nothing is written or raised."""
    try:
        with open_regular(path) as file:
            data = file.read()
    except (OSError, ValueError, MemoryError) as error:
        return Plan(path, "refused", refusal=reason(error))
    return plan_bytes(data, request, path)


def plan_bytes(
    data: bytes,
    request: Request,
    path: str = "-",
    *,
    verdict: Verdict | None = None,
    edit: tuple[str, str] | None = None,
) -> Plan:
    """Plan the change of *data*, the content of the file *path*, and verify it.

    *verdict* is that of *data*, if it is known; *edit* is the text as the user saw it, and the text that replaces it.
    """
    verdict = verdict or detect(data)
    if verdict.outcome is not Outcome.TEXT and data and not request.source:
        words = "binary" if verdict.outcome is Outcome.BINARY else "it is not clear whether this is text or binary"
        detail = verdict.steps[-1].words.removeprefix("binary: ")
        return Plan(path, "binary", verdict, f"{words} ({detail})", before=data)
    if verdict.media_type:  # an encoding given for a whole folder applies to the text files in it
        return Plan(path, "binary", verdict, f"not plain text: {verdict.media_type}", before=data)
    source = canonical(request.source) if request.source else verdict.encoding
    try:
        # Who has edited the text has seen how it was read.
        source = source_of(path if edit is None else "-", verdict, request, data)
        plan = _plan(Plan(path, "change", verdict, before=data, source=source), request, edit)
        prove(plan, request)
        if plan.after != data:
            if edit is None and path != "-":
                _prove_detected(plan, request)
            mark = MARKS.get(plan.target or "")
            respect_project(plan, request, bool(mark and plan.after.startswith(mark)))
    except CharlensError as error:
        return Plan(path, "refused", verdict, str(error), before=data, source=source)
    return plan._replace(status="unchanged") if plan.after == data else plan


def _plan(plan: Plan, request: Request, edit: tuple[str, str] | None = None) -> Plan:
    assert plan.verdict is not None
    original = read(plan.before, plan.verdict, plan.source or "utf-8", request)
    if edit and edit[0] != original.text and not original.lost:
        raise Refused("its text was edited before it was read in the right way; convert it first, then edit it")
    reading = original._replace(text=edit[1]) if edit else original
    standard = find_standard(plan.path, reading.text)
    target = _target(request, reading, standard)
    changes = list(_text_changes(reading, target, request, standard))
    text = reading.text
    for change in changes:
        text = apply_edits(text, change.edits)
    if request.newline:
        text, newline = _with_newline(text, request.newline)
        refuse_newline(request, newline, standard)
        changes += newline
    bom = _mark(request, reading, target, standard)
    if bool(bom) != bool(reading.bom):
        changes.append(Change("bom", "adds a byte order mark" if bom else "removes the byte order mark"))
    if reading.mixed:
        changes.insert(0, Change("encoding", count(reading.parts, "part")))
    if reading.lost:
        changes.insert(0, replacement(reading.lost))
    same = target == reading.encoding and text == original.text and not reading.mixed and not reading.lost
    if target != reading.encoding or reading.mixed or any(change.edits for change in changes):
        refuse_signed(reading.text)
    if any(change.kind == "newline" for change in changes):
        refuse_counted(reading.text)
    body = plan.before[len(reading.bom) :] if same else _encode(text, target, reading.text)
    return plan._replace(
        changes=tuple(changes),
        after=bom + body,
        source=in_words(reading.mixed) if reading.mixed else reading.encoding,
        mixed=reading.mixed,
        target=target,
        old_text=reading.text,
        new_text=text,
        lossless=not reading.mixed and _encodes_back(original, plan.before),
    )


def refuse_signed(text: str) -> None:
    """Refuse to change the bytes of a mail with a signature or a length for them."""
    signature = find_signature(text)
    if signature:
        raise Refused(
            f"the mail is signed ({signature}), and the signature would be wrong then; leave it as it is"
        )
    if counts_bytes(text):
        raise Refused(_COUNTED)


def refuse_counted(text: str) -> None:
    """Refuse to change the length of a mail that names it."""
    if counts_bytes(text, ascii_too=True):
        raise Refused(_COUNTED)


def respect_project(plan: Plan, request: Request, is_marked: bool) -> None:
    """Refuse a change of the encoding or the mark that contradicts .editorconfig or .gitattributes."""
    if plan.path == "-" or not request.declarations:
        return
    if plan.target == plan.source and all(change.kind != "bom" for change in plan.changes):
        return
    said = find_said(plan.path)
    refusal = said.refusal(plan.target or "utf-8", is_marked) if said else ""
    standard = find_standard(plan.path, plan.new_text)
    if said and refusal != said.words and standard and standard.mark_refusal:
        return  # a mark that the project wants, but the format forbids
    if said and refusal:
        advice = "change that first" if refusal == said.words else f"use {'--bom' if said.bom else '--no-bom'}"
        raise Refused(f"{refusal}; {advice}, or use --keep-declarations")


def replacement(places: int) -> Change:
    """Return the change that replaces bytes that do not decode."""
    least = "at least " if places >= MOST_SPANS else ""
    return Change("damage", f"writes U+FFFD for bytes that do not decode ({least}{count(places, 'place')})")


def _encode(text: str, encoding: str, before: str) -> bytes:
    """Encode *text*; a character that cannot be encoded is named with its place *before* the changes, if it has one."""
    try:
        return text.encode(encoding)
    except UnicodeEncodeError as error:
        lost = text[error.start]
        place = Line.place(before, before.index(lost)) if lost in before else Line.place(text, error.start)
        where = f"line {place.line}, column {place.column}: {lost!r} is not in {encoding}"
        raise Refused(f"a character would be lost: {where}") from None


def _encodes_back(reading: Reading, before: bytes) -> bool:
    try:
        return reading.bom + reading.text.encode(reading.encoding) == before
    except UnicodeError:
        return False


def _target(request: Request, reading: Reading, standard: Standard | None) -> str:
    target = canonical(request.target) if request.target else reading.encoding
    if standard is None or request.target is None or not request.declarations:
        return target
    if standard.escapes:
        keeps = reading.encoding in ("ascii", "utf-8") and target in ("utf-8", reading.encoding)
        return reading.encoding if keeps else "ascii"
    if refusal := standard.refusal(target, reading.text, is_ascii=reading.text.isascii()):
        raise Refused(refusal)
    return target


def _text_changes(
    reading: Reading, target: str, request: Request, standard: Standard | None
) -> list[Change]:
    """Return the changes of the text, in the order in which they are applied."""
    changes = []
    text = reading.text
    if request.repair:
        from charlens.mojibake import repair

        found = repair(without_ignored(text, "mojibake"))
        if request.spare_examples and has_examples(text, found.parts):
            raise Refused(EXAMPLE)
        if found.changed:
            edits = tuple(Edit(*part[:2], text[part.start : part.end], part.new) for part in found.parts)
            changes.append(Change("repair", f"repairs {count(len(edits), 'passage')}", edits))
            text = apply_edits(text, edits)
    if request.declarations:
        if not reading.mixed and not request.source:
            _refuse_several(text)
        edits = plan_edits(without_ignored(text, "declaration"), target)
        if edits and _is_seven_bit(reading.encoding) and not _is_seven_bit(target):
            places = ((found.start, found.end, found.label, "8bit") for found in seven_bit_parts(text))
            edits = tuple(sorted((*edits, *(Edit(*place) for place in places))))
        changes += [Change("declaration", edits_in_words(edits), edits)] if edits else []
        text = apply_edits(text, edits)
        escapes = escape_edits(text) if standard and standard.escapes and target == "ascii" else ()
        if escapes:
            changes.append(Change("escapes", f"{count(len(escapes), 'character')} as \\uXXXX", escapes))
    return changes


def _is_seven_bit(encoding: str) -> bool:
    known = lookup(encoding)
    return known is not None and known.kind == "escape"


def _refuse_several(text: str) -> None:
    """Refuse a mailbox whose messages declare several encodings: decoding it with one of them is wrong."""
    said = {found.encoding for found in find_declared(text) if found.kind in IN_PARTS}
    if len(said) > 1:
        names = ", ".join(sorted(map(str, said)))
        raise Refused(f"its parts declare different encodings ({names}), but it was read in one")


def _with_newline(text: str, newline: str) -> tuple[str, list[Change]]:
    kinds = {end for end in _ANY_END.findall(text) if end != NEWLINES[newline]}
    if not kinds:
        return text, []
    names = ", ".join(sorted(_NEWLINE_NAMES[end] for end in kinds))
    return _ANY_END.sub(NEWLINES[newline], text), [Change("newline", f"line endings {names} to {newline}")]


def refuse_newline(request: Request, changes: list[Change], standard: Standard | None) -> None:
    """Refuse *changes* of the line endings that the *standard* of the format forbids."""
    if changes and standard and standard.newline_refusal and request.newline != "lf" and request.declarations:
        raise Refused(f"{standard.newline_refusal}; convert it without --newline")


def _mark(request: Request, reading: Reading, target: str, standard: Standard | None) -> bytes:
    """Return the byte order mark to write."""
    if not wants_mark(request, reading.bom, reading.encoding, target, standard):
        return b""
    return reading.bom if target == reading.encoding and reading.bom else MARKS[target]


def wants_mark(request: Request, bom: bytes, source: str, target: str, standard: Standard | None) -> bool:
    """Whether the result has a byte order mark: as requested, otherwise as before if the encoding stays the same.

    Raise `Refused` if one is requested that *target* does not have, or that the *standard* of the format forbids.
    """
    refusal = standard.mark_refusal if standard and target in ("ascii", "utf-8") else ""
    wanted = request.bom
    if wanted is None and request.target and implies_mark(request.target):
        wanted = True
    if wanted is None:
        # UTF-16 needs a mark; UTF-8 made from it does not.
        wanted = bool(bom) and not refusal and (target == source or target[:6] in ("utf-16", "utf-32"))
    if wanted and refusal and request.declarations:
        raise Refused(f"{refusal}; convert it without")
    if wanted and target not in MARKS:
        raise Refused(f"{target} has no byte order mark")
    return wanted


def prove(plan: Plan, request: Request) -> None:
    """Raise `Refused` unless all checks pass (see the docstring of this module)."""
    target = plan.target or "utf-8"
    mark = MARKS.get(target, b"")
    body = plan.after[len(mark) :] if mark and plan.after.startswith(mark) else plan.after
    text = decode_strictly(body, target, "the result would not decode")
    if text != plan.new_text:
        raise Refused(f"the result would not decode to the same text in {target}")
    _prove_text(plan, text)
    if request.declarations and plan.changes:
        false = contradictions(without_ignored(text, "declaration"), target)
        if false:
            raise Refused(f"the declaration {false[0].name!r} would be wrong")
    if plan.after != plan.before:
        _prove_second_run(plan, request)


def _prove_text(plan: Plan, text: str) -> None:
    """Check that *text* is the old text except for the changes in the plan."""
    expected = plan.old_text
    for change in plan.changes:
        if any(expected[edit.start : edit.end] != edit.old for edit in change.edits):
            raise Refused("internal check failed: the planned changes do not match the text")
        before, expected = expected, apply_edits(expected, change.edits)
        if change.kind == "escapes" and unescape(before) != unescape(expected):
            raise Refused("internal check failed: the escapes would decode to other characters")
    if any(change.kind == "newline" for change in plan.changes):
        expected, text = _ANY_END.sub("\n", expected), _ANY_END.sub("\n", text)
    if text != expected:
        raise Refused("internal check failed: more would change than planned")


def _prove_second_run(plan: Plan, request: Request) -> None:
    """Check that the same request would not change the result."""
    target = plan.target or "utf-8"
    if plan.after and target in ("ascii", "utf-8"):
        refuse_other(detect(plan.after), target)
    again = _plan(plan._replace(before=plan.after, source=target), request._replace(source=target))
    if again.after != plan.after:
        raise Refused(f"a second run would change it again ({again.words or again.target})")


def _prove_detected(plan: Plan, request: Request) -> None:
    """Check that a second run, which detects the encoding of the result, would not change it."""
    if not request.target or request.source or plan.target in ("ascii", "utf-8"):
        return  # the encoding stays or was given, or `refuse_other` has checked it
    seen = detect(plan.after)
    is_known = plan.target in (seen.encoding, *seen.equivalents) and not seen.damage
    if seen.encoding is None or seen.media_type or (is_known and not request.mixed):
        return
    try:
        again = _plan(plan._replace(before=plan.after, verdict=seen, source=seen.encoding), request)
    except CharlensError:
        return  # a second run would refuse it
    if again.after != plan.after:
        raise not_recognised(seen, "" if plan.mixed else plan.source or "")


def not_recognised(seen: Verdict, source: str) -> Refused:
    """Return the refusal of a result that would be taken for *seen*, and converted again; it was in *source*."""
    anyway = f", or to convert it anyway, use --from {source}" if source else ""
    return Refused(
        f"the result would be detected as {seen.encoding}, and a second run would convert it again; "
        f"choose utf-8{anyway}"
    )


def refuse_other(seen: Verdict, target: str) -> None:
    """Raise `Refused` unless a result in UTF-8, for which the verdict is *seen*, is detected as what it is."""
    if seen.encoding not in (target, "ascii") or seen.damage:
        raise Refused(f"the result would then be detected as {seen.encoding or seen.outcome.value}")
