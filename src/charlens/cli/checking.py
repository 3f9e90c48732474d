"""Check one file: return its problems, each with a rule, a message and a place.  Nothing here prints.

Used by `charlens check`, in several processes.  Binary files have no problems.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from fnmatch import fnmatch
from typing import NamedTuple

from charlens.api import detect
from charlens.files.atomic import is_journal
from charlens.files.declarations import contradictions
from charlens.files.formats import OPENING, Standard, find_standard
from charlens.files.ignored import without_ignored
from charlens.files.line_ends import Ends, Line, count_ends, count_ends_in
from charlens.files.marks import named
from charlens.files.plan import NEWLINES
from charlens.files.project import find_said
from charlens.files.reading import Refused
from charlens.files.repairing import Repairer, is_plain, whole_lines
from charlens.files.streaming import declares_late, is_large, may_stream
from charlens.files.writing import read_pieces
from charlens.inputs.mixed import find_mixture
from charlens.inputs.paths import detect_path, open_bytes, open_regular
from charlens.kernel.facts import UTF8_MARK
from charlens.mojibake import repair
from charlens.mojibake.damage import find_damage, may_be_damaged
from charlens.plural import count, did_you_mean
from charlens.types import Buffer, Outcome, Verdict

RULES = {
    "encoding": "The file is not in the expected encoding.",
    "damaged": "Some bytes do not decode.",
    "mixed": "The file is in several encodings.",
    "mojibake": "Text was decoded with the wrong encoding and then saved.",
    "lost": "Characters were lost before the file was saved; they cannot be repaired.",
    "bom": "A byte order mark is unexpected or missing.",
    "newline": "The line endings are not the expected ones.",
    "declaration": "The file declares an encoding that it is not in.",
    "unreadable": "The file could not be read.",
}


class Wanted(NamedTuple):
    """The expectations for every file."""

    encoding: str
    bom: bool | None = None
    newline: str | None = None
    min_confidence: float = 0.9
    #: Rules that are turned off, each with a pattern of paths.
    off: tuple[tuple[str, str], ...] = ()
    #: Where the project says so, if the encoding is that of the project.
    said: str = ""
    #: Whether the format writes other characters as escapes, so that a file in ASCII stays in ASCII.
    escapes: bool = False

    @property
    def name(self) -> str:
        """The encoding, and who wants it."""
        return f"{self.encoding} ({self.said})" if self.said else self.encoding

    def is_off(self, rule: str, path: str) -> bool:
        """Whether *rule* is turned off for the file at *path*."""
        return any(rule == name and _fits(path, pattern) for name, pattern in self.off)


def _fits(path: str, pattern: str) -> bool:
    path = path.removeprefix("./")
    return fnmatch(path, pattern) or fnmatch(path, f"*/{pattern}")


def switched_off(options: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """Return the rules and patterns of --off; an unknown rule is an error that lists the rules."""
    found = []
    for option in options:
        rule, _, pattern = option.partition(":")
        if rule not in RULES:
            near = did_you_mean(rule, RULES)
            raise ValueError(f"--off {rule}: unknown rule. {near}The rules are {', '.join(RULES)}.")
        found.append((rule, pattern or "*"))
    return tuple(found)


class Problem(NamedTuple):
    """A failed rule; line and column count from 1, and are 0 if there is no place."""

    rule: str
    message: str
    line: int = 0
    column: int = 0


def wanted_for(path: str, wanted: Wanted) -> Wanted:
    """Return the expectations for the file at *path*.

    Git wants what .gitattributes says, and no file may have a byte order mark or line ending that its format forbids.
    """
    said = find_said(path)
    if said and said.in_git:
        with open_regular(path) as file:
            wanted = wanted._replace(encoding=named(said.label, file.read(4)), said=said.words)
    if said and said.bom is not None and said.encoding[:6] == wanted.encoding[:6]:
        wanted = wanted._replace(bom=said.bom)
    standard = _standard(path)
    if standard is None:
        return wanted
    wanted = wanted._replace(escapes=standard.escapes)
    if wanted.bom and wanted.encoding in ("ascii", "utf-8") and standard.mark_refusal:
        wanted = wanted._replace(bom=None)
    if wanted.newline != "lf" and standard.newline_refusal:
        wanted = wanted._replace(newline=None)
    return wanted


def _standard(path: str) -> Standard | None:
    with open_regular(path) as file:
        head = file.read(OPENING)
    return find_standard(path, head.removeprefix(UTF8_MARK).decode("latin-1"))


def check_file(path: str, wanted: Wanted) -> tuple[Problem, ...]:
    """Return the problems of the file at *path*."""
    if is_journal(path):
        return ()
    try:
        wanted = wanted_for(path, wanted)
        if is_large(path):
            problems = _check_large(path, wanted)
        elif may_stream(path) and _is_clean(path, wanted):
            problems = ()
        else:
            with open_bytes(path) as data:
                problems = check_bytes(data, wanted)
        problems += (*_project_problems(path, wanted, problems), *_mark_problems(path, wanted))
    except OSError as error:
        problems = (Problem("unreadable", error.strerror or str(error)),)
    except (ValueError, MemoryError) as error:
        problems = (Problem("unreadable", str(error) or "not enough memory to read it"),)
    return tuple(problem for problem in problems if not wanted.is_off(problem.rule, path))


def check_bytes(data: Buffer, wanted: Wanted) -> tuple[Problem, ...]:
    """Return the problems of *data*."""
    data = bytes(data)
    verdict = detect(data)
    if verdict.outcome is not Outcome.TEXT or verdict.encoding is None or verdict.media_type:
        return ()
    ends = count_ends(data, verdict.encoding) if wanted.newline else None
    problem = _encoding_problem(data, verdict, wanted)
    if problem is not None:
        return (problem, *_form_problems(verdict, wanted, ends, data))
    body = data[len(verdict.bom) :]
    text = body.decode(wanted.encoding, "replace")
    return (
        *_text_problems(text),
        *_declaration_problems(text, wanted),
        *_form_problems(verdict, wanted, ends, data),
    )


def _project_problems(path: str, wanted: Wanted, found: tuple[Problem, ...]) -> tuple[Problem, ...]:
    """Return the problem if .editorconfig names another encoding for the file."""
    said = find_said(path)
    if (
        said is None
        or said.in_git
        or said.encoding in (wanted.encoding, "ascii")
        or any(each.rule == "encoding" for each in found)
    ):
        return ()
    if detect_path(path).encoding in (None, "ascii"):
        return ()
    return (Problem("declaration", f"{said.words}, but it is {wanted.encoding}"),)


def _mark_problems(path: str, wanted: Wanted) -> list[Problem]:
    """Return the problem if the standard of the format forbids the byte order mark."""
    # What an option asks for has been checked; --bom counts only where the format allows a mark.
    if wanted.bom is not None:
        return []
    with open_regular(path) as file:
        is_marked = file.read(len(UTF8_MARK)) == UTF8_MARK
    standard = _standard(path) if is_marked else None
    refusal = standard.mark_refusal if standard else ""
    return [Problem("bom", refusal, 1, 1)] if refusal else []


def _is_clean(path: str, wanted: Wanted) -> bool:
    """Whether a file is seen to have no problem without taking it into memory; what is found there is worded better."""
    verdict = detect_path(path)
    if verdict.outcome is not Outcome.TEXT or verdict.media_type:
        return True
    if (
        wanted.encoding != "utf-8"
        or verdict.encoding not in ("ascii", "utf-8")
        or verdict.damage
        or verdict.cut
    ):
        return False
    ends = count_ends_in(read_pieces(path), verdict.encoding) if wanted.newline else None
    skip = len(verdict.bom)
    head = next(whole_lines(path, skip), b"").decode("utf-8", "ignore")
    if (
        _form_problems(verdict, wanted, ends)
        or _declaration_problems(head, wanted)
        or declares_late(path, skip)
    ):
        return False
    return is_plain(path, skip)


def _check_large(path: str, wanted: Wanted) -> tuple[Problem, ...]:
    """Return the problems of a large file, read in pieces: the first one for each rule."""
    verdict = detect_path(path)
    if verdict.outcome is not Outcome.TEXT or verdict.encoding is None or verdict.media_type:
        return ()
    if wanted.encoding not in (verdict.encoding, *verdict.equivalents) and verdict.encoding != "ascii":
        words = f"{verdict.encoding}, confidence {verdict.confidence:.2f}; expected {wanted.name}"
        return (Problem("encoding", words),)
    ends = count_ends_in(read_pieces(path), verdict.encoding) if wanted.newline else None
    form = _form_problems(verdict, wanted, ends)
    if verdict.damage or verdict.cut:
        at = verdict.damage[0].start if verdict.damage else os.path.getsize(path) - verdict.cut
        return (
            Problem("damaged", f"byte {at} is not {verdict.encoding}", _line_of(read_pieces(path), at)),
            *form,
        )
    return (*_piecewise(path, verdict, wanted), *form)


def _piecewise(path: str, verdict: Verdict, wanted: Wanted) -> Iterable[Problem]:
    """Return the problems of the text of a large file."""
    found: dict[str, Problem] = {}
    offset = 0
    repairer = Repairer()
    for piece in whole_lines(path, len(verdict.bom), wanted.encoding):
        problems: list[Problem] = []
        if not offset:
            problems += _declaration_problems(piece.decode("utf-8", "ignore"), wanted)
        if "mojibake" not in found:
            problems += _misread_problems(piece, repairer)
        if not problems and "lost" not in found and may_be_damaged(piece):
            problems += _damage_problems(piece.decode("utf-8", "ignore"))
        if problems:
            lines = _line_of(whole_lines(path, len(verdict.bom), wanted.encoding), offset) - 1
            for problem in problems:
                found.setdefault(problem.rule, problem._replace(line=problem.line + lines))
        offset += len(piece)
    return found.values()


def _misread_problems(piece: bytes, repairer: Repairer) -> list[Problem]:
    try:
        parts, _ = repairer.find(piece)
    except Refused:
        return []
    if not parts:
        return []
    first = parts[0]
    was = piece[first.start : first.end].decode("utf-8")
    found = _Misread(was, first.new, len(parts), first.encoding, first.chain, repairer.probability)
    return [Problem("mojibake", found.words, piece.count(b"\n", 0, first.start) + 1, 1)]


def _line_of(pieces: Iterable[bytes], offset: int) -> int:
    """Return the line number of *offset*."""
    line = 1
    for piece in pieces:
        if offset <= 0:
            break
        line += piece.count(b"\n", 0, offset)
        offset -= len(piece)
    return line


def _encoding_problem(data: bytes, verdict: Verdict, wanted: Wanted) -> Problem | None:
    """Return the problem with the encoding, or None if the expected encoding gives the same text."""
    mixed = _mixed_problem(data, verdict, wanted)
    if mixed is not None:
        return mixed
    if verdict.encoding == wanted.encoding and (verdict.damage or verdict.cut):
        at = verdict.damage[0].start if verdict.damage else len(data) - verdict.cut
        place = Line.place(data[:at].decode(wanted.encoding, "replace"), at)
        return Problem("damaged", f"byte {at} is not valid {wanted.encoding}", place.line)
    if _is_in(data, verdict, wanted):
        return None
    at = _first_wrong(data, wanted.encoding)
    line = data.count(b"\n", 0, at) + 1
    sure = f"{verdict.encoding}, confidence {verdict.confidence:.2f}"
    return Problem("encoding", f"{sure}; expected {wanted.name}", line)


def _mixed_problem(data: bytes, verdict: Verdict, wanted: Wanted) -> Problem | None:
    parts = find_mixture(data, verdict)
    if not parts:
        return None
    names = ", ".join(dict.fromkeys(part.encoding or "binary" for part in parts))
    start = next(part.start for part in parts if part.encoding not in (wanted.encoding, "ascii"))
    return Problem("mixed", f"in several encodings: {names}", data.count(b"\n", 0, start) + 1)


def _is_in(data: bytes, verdict: Verdict, wanted: Wanted) -> bool:
    if wanted.encoding in (verdict.encoding, *verdict.equivalents):
        return True
    body = data[len(verdict.bom) :]
    try:
        text = body.decode(wanted.encoding)
    except UnicodeError:
        return False
    # ASCII bytes are valid in every encoding that extends ASCII. And an uncertain detection is not enough
    # to reject bytes that are well-formed.
    same = verdict.encoding is not None and text == body.decode(verdict.encoding, "replace")
    return same or (verdict.confidence < wanted.min_confidence and not verdict.bom)


def _first_wrong(data: bytes, encoding: str) -> int:
    try:
        data.decode(encoding)
    except UnicodeDecodeError as error:
        return error.start
    except UnicodeError:
        pass
    return 0


class _Misread(NamedTuple):
    """Mojibake: its first part, and the text that it should be."""

    was: str
    new: str
    parts: int
    #: The encoding of the text, and those that it was decoded with.
    encoding: str
    chain: tuple[str, ...]
    probability: float

    @property
    def words(self) -> str:
        were = "was" if self.parts == 1 else "were"
        parts = f"{count(self.parts, 'passage')} of {self.encoding} {were}"
        change = f"{_excerpt(self.was)!r} should be {_excerpt(self.new)!r}"
        times = {2: "twice ", 3: "three times "}.get(len(self.chain), "") if len({*self.chain}) == 1 else ""
        names = self.chain[0] if times else " and ".join(self.chain)
        return f"{parts} decoded {times}as {names}: {change} (probability {self.probability:.2f})"


def _text_problems(text: str) -> list[Problem]:
    found = repair(without_ignored(text, "mojibake"))
    if not found.changed:
        return _damage_problems(text)
    first = found.parts[0]
    place = Line.place(text, first.start)
    words = _Misread(
        text[first.start : first.end],
        first.new,
        len(found.parts),
        found.encoding,
        found.chain,
        found.probability,
    ).words
    spans = [(part.start, part.end) for part in found.parts]
    return [Problem("mojibake", words, place.line, place.column), *_damage_problems(text, ("lost",), spans)]


def _damage_problems(
    text: str, rules: tuple[str, ...] = ("mojibake", "lost"), repaired: Sequence[tuple[int, int]] = ()
) -> list[Problem]:
    """Return what was damaged before *text* was saved, outside the ranges that can be *repaired*."""
    problems = []
    for rule in rules:
        for damage in find_damage(without_ignored(text, rule)):
            if damage.rule == rule and not any(start <= damage.start < end for start, end in repaired):
                place = Line.place(text, damage.start)
                problems.append(Problem(rule, damage.words, place.line, place.column))
    return problems


def _declaration_problems(text: str, wanted: Wanted) -> list[Problem]:
    problems = []
    visible = without_ignored(text, "declaration")
    encoding = "ascii" if wanted.escapes and text.isascii() else wanted.encoding
    for declared in contradictions(visible, encoding):
        place = Line.place(text, declared.start)
        words = f"declares {declared.name} but is {wanted.encoding}"
        problems.append(Problem("declaration", words, place.line, place.column))
    return problems


def _excerpt(text: str) -> str:
    """Return the beginning of *text*, as much as fits into a line."""
    line = text.split("\n", 1)[0].rstrip("\r")
    return line if len(line) <= 40 else line[:39] + "…"


def _form_problems(verdict: Verdict, wanted: Wanted, ends: Ends | None, data: bytes = b"") -> list[Problem]:
    """Return the problems with the byte order mark and the line endings; with *data*, also the first line."""
    problems = []
    if wanted.bom is not None and wanted.bom is not bool(verdict.bom):
        words = "missing byte order mark" if wanted.bom else "unexpected byte order mark"
        problems.append(Problem("bom", words, 1, 1))
    if wanted.newline and ends is not None:
        wrong = {name: number for name, number in ends._asdict().items() if number and name != wanted.newline}
        if wrong:
            counted = ", ".join(f"{number} {name}" for name, number in wrong.items())
            line = _first_other_end(data, verdict.encoding or "ascii", NEWLINES[wanted.newline])
            problems.append(Problem("newline", f"line endings: {counted}; expected {wanted.newline}", line))
    return problems


def _first_other_end(data: bytes, encoding: str, newline: str) -> int:
    ends = re.finditer("\r\n|\r|\n", data.decode(encoding, "replace"))
    return next((number for number, end in enumerate(ends, 1) if end[0] != newline), 0)
