"""Convert large files in constant memory: in pieces, each of which is verified while it is written.

A file is replaced only after its last piece was proved.  What a plan in memory may do and a stream cannot (escapes,
declarations in every part of a mailbox, parts in several encodings, repairing and converting at once) is left to such
a plan up to `LARGE`, and larger files are refused with a message.
"""

from __future__ import annotations

import codecs
import hashlib
import os
import stat
from collections.abc import Iterator
from typing import Any, NamedTuple

from charlens.api import detect
from charlens.encodings import canonical, lookup
from charlens.errors import ChangedOnDiskError, CharlensError
from charlens.files.atomic import status_of, write_atomically
from charlens.files.declarations import apply_edits, contradictions, edits_in_words, plan_edits
from charlens.files.formats import OPENING, find_standard
from charlens.files.journal import Journal
from charlens.files.line_ends import count_ends_in
from charlens.files.marks import MARKS
from charlens.files.plan import (
    NEWLINES,
    Change,
    Plan,
    not_recognised,
    plan_bytes,
    plan_file,
    refuse_counted,
    refuse_newline,
    refuse_other,
    refuse_signed,
    replacement,
    respect_project,
    wants_mark,
)
from charlens.files.reading import (
    USE_MIXED,
    Refused,
    Request,
    in_words,
    refuse_controls,
    rounded_down,
    source_of,
)
from charlens.files.repairing import Inverse, Repairer, is_plain, repaired, unrepaired, whole_lines
from charlens.files.words import reason
from charlens.files.writing import read_pieces, write_backup
from charlens.inputs.mixed.even import Evenness
from charlens.inputs.mixed.units import MOST_UNITS, find_units
from charlens.inputs.paths import detect_path, open_bytes
from charlens.inputs.stream import Detector
from charlens.models import default_model
from charlens.source import LARGEST, LARGEST_MIXED, find_faults
from charlens.stages.declarations.sources import ANYWHERE, IN_PARTS, may_declare
from charlens.types import Outcome, Verdict

#: Larger files are never held in memory: what cannot be streamed is refused.
LARGE = LARGEST_MIXED
#: Larger files are streamed where that is sure to give the same; otherwise a plan holds text and bytes in memory.
STREAMED = LARGEST
#: Bytes that are converted at once.
_PIECE = 1 << 20
#: Bytes per piece in which the encoding is detected again, to notice a file in several encodings.
_WINDOW = 4 << 20
_TAIL = 4096
_NO_JOURNAL = "larger than {} MB, and a journal cannot undo this change: use --backup instead of --log"


class Pieces:
    """Converts a file in several encodings: each piece, of whole lines, by a plan of its own."""

    def __init__(self, request: Request) -> None:
        self._request = request
        #: The encodings that were found.
        self.names: list[str] = []

    def convert(self, path: str) -> Iterator[bytes]:
        """Yield the new bytes; raise `Refused` where a piece cannot be proved."""
        request, start = self._request, 0
        for piece in whole_lines(path, 0):
            plan = plan_bytes(piece, request, path)
            if plan.status not in ("change", "unchanged"):
                raise Refused(f"the lines from byte {start} on: {plan.words}")
            self.names = [*dict.fromkeys([*self.names, *(plan.mixed or (plan.source or "",))])]
            # Only the first piece has a mark, and what declares an encoding.
            request = request._replace(declarations=False, bom=False)
            start += len(piece)
            yield plan.after


class Recipe(NamedTuple):
    """How to convert the bytes."""

    source: str
    target: str
    skip: int
    mark: bytes
    newline: str | None
    declarations: bool
    #: Repairs mojibake, if that is the only change requested; else None.
    repairer: Repairer | None = None
    #: The error handler of the decoder: 'strict' or 'replace'.
    errors: str = "strict"
    #: Whether the result must be detected as what it is, so that a second run has nothing to do.
    proves: bool = True
    #: Whether the user gave the encoding, so that the text may have controls.
    given: bool = False
    #: What converts a file in several encodings, and nothing else.
    pieces: Pieces | None = None


def is_large(path: str) -> bool:
    """Whether the file at *path* is too large for memory."""
    return _size(path) > LARGE


def may_stream(path: str) -> bool:
    """Whether the file at *path* is large enough to be streamed."""
    return _size(path) > STREAMED


def _size(path: str) -> int:
    """Return the size of the file at *path*; 0 for what is not a regular file."""
    try:
        status = os.stat(path)
    except OSError:
        return 0
    return status.st_size if stat.S_ISREG(status.st_mode) else 0


def plan_path(path: str, request: Request, *, whole: bool = False) -> tuple[Plan, Recipe | None]:
    """Work out what the file at *path* would become; with a recipe where it is streamed.

    *whole* asks for old and new text in the plan, if they fit into memory.
    """
    size = _size(path)
    if size > LARGE:
        return plan_large(path, request)
    if size > STREAMED and not whole and (not request.repair or _needs_no_repair(path)):
        plan, recipe = plan_large(path, request._replace(repair=False, mixed=False))
        if recipe is not None and plan.verdict and _is_uniform(path, plan.verdict, recipe, size):
            return plan, recipe
    return plan_file(path, request), None


def _needs_no_repair(path: str) -> bool:
    verdict = detect_path(path)
    return verdict.encoding in ("ascii", "utf-8") and is_plain(path, len(verdict.bom))


def _is_uniform(path: str, verdict: Verdict, recipe: Recipe, size: int) -> bool:
    """Whether there is nothing that only a plan in memory looks for: another encoding or a declaration, anywhere."""
    source = lookup(recipe.source)
    legacy = source is not None and source.kind in ("single", "multi")
    if verdict.damage or verdict.cut or (not legacy and recipe.source not in ("ascii", "utf-8")):
        return False
    even = None
    if legacy and verdict.encoding == recipe.source:
        even = Evenness(recipe.source, default_model(), verdict.equivalents)
    if recipe.declarations and declares_late(path, recipe.skip):
        return False
    for piece in whole_lines(path, recipe.skip):
        if b"\x1b" in piece:
            return False
        if even is not None:
            even.add(piece, find_units(piece, size // MOST_UNITS))
    return even is None or bool(even)


def declares_late(path: str, skip: int) -> bool:
    """Whether something may be declared behind the first megabyte, in an encoding with the bytes of ASCII."""
    pieces = whole_lines(path, skip)
    return may_declare(next(pieces, b"")[_PIECE - _TAIL :]) or any(map(may_declare, pieces))


def plan_large(path: str, request: Request) -> tuple[Plan, Recipe | None]:
    """Plan the change of a large file from its verdict and its first bytes; it is verified while it is written."""
    try:
        return _plan(path, request, os.stat(path))
    except (OSError, ValueError, MemoryError) as error:
        return Plan(path, "refused", refusal=reason(error)), None


def _plan(path: str, request: Request, status: os.stat_result) -> tuple[Plan, Recipe | None]:
    verdict = detect_path(path)
    source = canonical(request.source) if request.source else verdict.encoding
    plan = Plan(path, "change", verdict, source=source, stamp=_stamp(status))
    if verdict.media_type or (not request.source and verdict.outcome is not Outcome.TEXT):
        words = f"not plain text: {verdict.media_type}" if verdict.media_type else verdict.outcome.value
        return plan._replace(status="binary", refusal=words), None
    try:
        source = source_of(path, verdict, request, _ends_of(path)[0])
        recipe, changes = _recipe(path, verdict, source or "utf-8", request)
        plan = plan._replace(source=source, target=recipe.target, changes=changes)
        same = recipe.target == source or (source == "ascii" and recipe.target == "utf-8")
        if not same or changes:
            respect_project(plan, request, bool(recipe.mark))
        else:
            plan = plan._replace(status="unchanged")
    except CharlensError as error:
        return plan._replace(status="refused", refusal=str(error)), None
    return plan, recipe


def _recipe(path: str, verdict: Verdict, source: str, request: Request) -> tuple[Recipe, tuple[Change, ...]]:
    if request.mixed and not request.source and _may_be_mixed(verdict):
        target = canonical(request.target or "utf-8")
        if request.declarations:
            begin, end = _ends_of(path)
            _declaration_changes(begin.decode(source, "ignore"), end.decode(source, "ignore"), target)
        return Recipe(source, target, 0, b"", None, False, pieces=Pieces(request)), (Change("encoding", ""),)
    if not request.source:
        _refuse_doubt(path, verdict, request)
    elif not request.replace and (source != verdict.encoding or verdict.damage or verdict.cut):
        faults = _find_faults(path, source)
        if faults:
            raise Refused(f"not {request.source}: byte {faults[0]} does not decode")
    if request.repair and _has_repairs(path, verdict, request):
        skip = len(verdict.bom)
        recipe = Recipe(source, source, skip, verdict.bom, None, False, Repairer(request))
        return recipe, (Change("repair", "repairs text"),)
    first, last = _ends_of(path)
    target = canonical(request.target) if request.target else source
    mark = MARKS.get(source, b"")
    bom = mark if first.startswith(mark) else b""
    head = first[len(bom) :].decode(source, "ignore")
    standard = find_standard(path, head)
    if standard and request.declarations and standard.escapes:
        raise _too_large(f"{standard.name} must be {standard.encoding}", "split it into smaller files first")
    is_ascii = verdict.encoding == "ascii"
    if standard and request.declarations and (refusal := standard.refusal(target, head, is_ascii=is_ascii)):
        raise Refused(refusal)
    if target != source:
        refuse_signed(head)
    changes = []
    if request.declarations:
        changes = _declaration_changes(head, last.decode(source, "ignore"), target)
    lost = len(_find_faults(path, source)) if request.replace else 0
    if lost:
        changes.insert(0, replacement(lost))
    newlines = _newline_changes(path, source, request.newline) if request.newline else []
    refuse_newline(request, newlines, standard)
    changes += newlines
    wanted = wants_mark(request, bom, source, target, standard)
    if wanted is not bool(bom):
        changes.append(Change("bom", "adds a byte order mark" if wanted else "removes the byte order mark"))
    if newlines or (target != source and source != "ascii"):
        refuse_counted(head)
    new_mark = MARKS[target] if wanted else b""
    recipe = Recipe(source, target, len(bom), new_mark, request.newline, request.declarations)
    given = bool(request.source) or target == source
    return recipe._replace(errors="replace" if lost else "strict", given=given), tuple(changes)


def _may_be_mixed(verdict: Verdict) -> bool:
    if verdict.bom or verdict.encoding in ("ascii", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"):
        return False
    return bool(verdict.damage) or verdict.encoding != "utf-8"


def _find_faults(path: str, encoding: str) -> list[int]:
    """Return the offsets of bytes that do not decode, limited to the length of a list."""
    with open_bytes(path) as data:
        spans, cut = find_faults(data, encoding)
        return [span.start for span in spans] + [len(data) - cut] * bool(cut)


def _has_repairs(path: str, verdict: Verdict, request: Request) -> bool:
    """Whether there is something to repair; stops at the first find."""
    if verdict.encoding != "utf-8":
        return False
    repairer = Repairer(request)
    return any(repairer.find(piece)[0] for piece in whole_lines(path, len(verdict.bom)))


def _ends_of(path: str) -> tuple[bytes, bytes]:
    """Return the first and the last bytes of a file."""
    # Not mapped: pages of a map count as memory of the process.
    with open(path, "rb") as file:
        first = file.read(_PIECE)
        file.seek(-min(_TAIL, len(first)), os.SEEK_END)
        return first, file.read()


def _refuse_doubt(path: str, verdict: Verdict, request: Request) -> None:
    if (verdict.damage or verdict.cut) and not request.replace:
        where = verdict.damage[0].start if verdict.damage else os.path.getsize(path) - verdict.cut
        hint = "; if it is in several encodings, use --mixed" if verdict.damage else ""
        raise Refused(f"damaged {verdict.encoding}: byte {where} does not decode{hint}")
    if verdict.encoding not in ("ascii", "utf-8") and not verdict.bom:
        _refuse_utf8(path, verdict)
    if verdict.confidence < request.min_confidence:
        raise Refused(f"not certain enough: {verdict.encoding} {rounded_down(verdict.confidence)}")


def _refuse_utf8(path: str, verdict: Verdict) -> None:
    """Refuse a legacy file of which some megabytes are UTF-8."""
    with open(path, "rb") as file:
        start = 0
        while window := file.read(_WINDOW):
            if detect(window).encoding == "utf-8":
                names = f"{verdict.encoding}, utf-8"
                raise Refused(f"in several encodings ({names}), near byte {start}; {USE_MIXED}")
            start += len(window)


def _too_large(why: str, advice: str) -> Refused:
    """Return the refusal of a file that could only be converted in memory."""
    return Refused(
        f"larger than {LARGE >> 20} MB, and {why}; {advice}, or use --keep-declarations"
    )


def _declaration_changes(head: str, tail: str, target: str) -> list[Change]:
    said = contradictions(head, target)
    names = [*dict.fromkeys(found.name.lower() for found in said if found.kind in IN_PARTS)]
    if names:
        raise _too_large(f"its parts declare {in_words(names)}", "split it into smaller files first")
    late = [found.name for found in contradictions(tail, target) if found.kind == "modeline"]
    if late:
        raise _too_large(f"{late[0]!r} is declared at the end", "change that line first")
    edits = plan_edits(head, target)
    return [Change("declaration", edits_in_words(edits), edits)] if edits else []


def _newline_changes(path: str, encoding: str, newline: str) -> list[Change]:
    ends = count_ends_in(read_pieces(path), encoding)
    names = sorted(name for name, number in ends._asdict().items() if number and name != newline)
    return [Change("newline", f"line endings {', '.join(names)} to {newline}")] if names else []


def transcode(
    path: str, recipe: Recipe, digests: list[Any] | None = None, inverse: Inverse | None = None
) -> Iterator[bytes]:
    """Yield the new bytes of the file at *path*; raise `Refused` if a piece cannot be verified.

    If given, *digests* gets the hashes of the old bytes, of the new ones, and of the old ones computed from the new
    text, and *inverse* gets the record to undo a repair.
    """
    if digests is not None:
        digests += [hashlib.sha256(), hashlib.sha256(), hashlib.sha256()]
    with open(path, "rb") as file:
        mark = file.read(recipe.skip)
        if digests is not None:
            digests[0].update(mark)
            digests[2].update(mark)
            digests[1].update(recipe.mark)
        if recipe.mark:
            yield recipe.mark
        if recipe.pieces is not None:
            yield from recipe.pieces.convert(path)
        elif recipe.repairer is None:
            yield from _pieces(file, recipe, digests)
        else:
            yield from repaired(path, recipe.skip, recipe.repairer, digests, inverse)


def _pieces(file: Any, recipe: Recipe, digests: list[Any] | None) -> Iterator[bytes]:
    decode = codecs.getincrementaldecoder(recipe.source)(recipe.errors).decode
    encode = codecs.getincrementalencoder(recipe.target)().encode
    check = codecs.getincrementaldecoder(recipe.target)().decode
    back = codecs.getincrementalencoder(recipe.source)(recipe.errors).encode
    in_unicode = recipe.target in ("ascii", "utf-8")
    detector = Detector() if recipe.proves and (in_unicode or not recipe.given) else None
    first, held, final, opening, line = True, "", False, "", 1
    while not final:
        raw = file.read(_PIECE)
        final = not raw
        try:
            old = decode(raw, final)
            text = held + old
            if not recipe.given:
                refuse_controls(old, recipe.source, line)
                line += old.count("\n")
            if first and recipe.declarations:
                opening = text[:OPENING]
                text = apply_edits(text, plan_edits(text, recipe.target))
            elif recipe.declarations and may_declare(raw):
                _refuse_late(opening, text, recipe.target)
            first = False
            text, held = _with_ends(text, recipe.newline, final)
            new = encode(text, final)
            if check(new, final) != text:
                raise Refused(f"the result would not decode to the same text in {recipe.target}")
            if digests is not None:
                digests[0].update(raw)
                digests[1].update(new)
                digests[2].update(back(old, final))
        except UnicodeEncodeError as error:
            raise Refused(
                f"a character would be lost: {error.object[error.start]!r} is not in {recipe.target}"
            ) from None
        except UnicodeError:
            raise Refused(f"not {recipe.source}: some bytes do not decode") from None
        if detector:
            detector.feed(new)
        if new:
            yield new
    if detector:
        seen = detector.close()
        if in_unicode:
            refuse_other(seen, recipe.target)
        elif recipe.target not in (seen.encoding, *seen.equivalents) and seen.encoding:
            raise not_recognised(seen, recipe.source)


def _refuse_late(opening: str, text: str, target: str) -> None:
    """Refuse a file of which a later piece, *text*, declares another encoding than *target*."""
    for found in contradictions(f"{opening}\n{text}", target):
        if found.kind in ANYWHERE and found.start > len(opening):
            raise _too_large(
                f"{found.name!r} is declared again further down", "split it into smaller files first"
            )


def _with_ends(text: str, newline: str | None, final: bool) -> tuple[str, str]:
    """Return *text* with the requested line endings, and a final CR to hold back: its LF may be in the next piece."""
    if newline is None:
        return text, ""
    held = "\r" if text.endswith("\r") and not final else ""
    text = text[: len(text) - len(held)].replace("\r\n", "\n").replace("\r", "\n")
    return text.replace("\n", NEWLINES[newline]), held


def write_large(plan: Plan, recipe: Recipe, target: str | None, writing: Any) -> None:
    """Write what was planned, to *target* or in place; nothing is replaced where a piece is refused."""
    if writing.log and recipe.pieces is not None:
        raise Refused(_NO_JOURNAL.format(LARGE >> 20))
    if target is None:
        status_of(os.path.realpath(plan.path))  # what must not be replaced needs no backup
    if writing.backup and target is None:
        write_backup(plan.path, None, writing.backup)
    digests: list[Any] | None = [] if writing.log and target is None else None
    inverse = Inverse(len(recipe.mark)) if digests is not None and recipe.repairer else None

    def look() -> None:
        if target is None and _stamp(os.stat(plan.path)) != plan.stamp:
            raise ChangedOnDiskError(
                f"{plan.path} was changed by another program in the meantime. Nothing was written."
            )
        if digests:
            undoing = {"repair": inverse.to_text()} if inverse else _undoing(plan, recipe, digests)
            before, after = (digest.hexdigest() for digest in digests[:2])
            journal = Journal(writing.log, keep_times=writing.keep_times)
            journal.add_inverse(writing.verb, plan.path, (before, after), undoing)
        writing.before()

    if target is not None:
        os.makedirs(os.path.dirname(target) or ".", exist_ok=True)
    write_atomically(
        target or plan.path,
        transcode(plan.path, recipe, digests, inverse),
        last_look=look,
        keep_times=writing.keep_times,
    )
    if target is not None:
        os.chmod(target, stat.S_IMODE(os.stat(plan.path).st_mode))


def _undoing(plan: Plan, recipe: Recipe, digests: list[Any]) -> dict[str, Any]:
    """Return the record to undo a conversion; refuse if the old bytes cannot be computed from the new ones."""
    before, _, back = (digest.digest() for digest in digests)
    if back != before or any(change.kind in ("declaration", "newline") for change in plan.changes):
        raise Refused(_NO_JOURNAL.format(LARGE >> 20))
    bom = MARKS[recipe.source].hex() if recipe.skip else ""
    return {"from": recipe.target, "to": recipe.source, "skip": len(recipe.mark), "mark": bom}


def stream_back(path: str, inverse: dict[str, Any], digest: str, *, keep_times: bool = False) -> None:
    """Undo the change of a large file; the result must have the hash *digest*."""
    made = hashlib.sha256()

    def look() -> None:
        if made.hexdigest() != digest:
            raise CharlensError("the original bytes could not be restored; left unchanged")

    def old() -> Iterator[bytes]:
        if "repair" in inverse:
            pieces = unrepaired(path, inverse["repair"])
        else:
            mark = bytes.fromhex(inverse["mark"])
            recipe = Recipe(inverse["from"], inverse["to"], inverse["skip"], mark, None, False)
            recipe = recipe._replace(proves=False, given=True)
            pieces = transcode(path, recipe)
        for piece in pieces:
            made.update(piece)
            yield piece

    write_atomically(path, old(), last_look=look, keep_times=keep_times)


def _stamp(status: os.stat_result) -> tuple[int, ...]:
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns
