"""Read a file whose change is planned: decode it strictly, or refuse it because its encoding is not certain.

`charlens.files.plan` decides what becomes of the text.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import NamedTuple

from charlens.api import detect
from charlens.encodings import canonical, lookup
from charlens.errors import CharlensError
from charlens.files.ignored import without_ignored
from charlens.files.line_ends import Line
from charlens.files.marks import MARKS, named
from charlens.files.parts import is_sure
from charlens.inputs.mixed import Segment, find_mixture, share_of_lines
from charlens.inputs.mixed.doubt import find_utf8_line
from charlens.source import CODEC_ERRORS, find_faults
from charlens.stages.declarations.mail import declared_bodies
from charlens.types import Verdict

#: What a refused file in several encodings needs.
USE_MIXED = "use --mixed to convert it"
#: The confidence from which a file in the target encoding is not converted a second time.
_CERTAIN = 0.9
#: The characters that are searched for mojibake as `repair` does; it takes up to 2 µs for each.
_MOST_REPAIRED = 1 << 22
#: The beginning of a word, as much of it as a message shows, and the end of one.
_WORD, _WORD_UP_TO = re.compile(r"\S{0,20}"), re.compile(r"\S{0,20}$")
#: C1 controls; U+0085 is the line ending of EBCDIC.
_CONTROL = re.compile("[\x80-\x84\x86-\x9f]")


class Refused(CharlensError):
    """A plan cannot be made or verified; the message says why."""


class Request(NamedTuple):
    """The requested changes, for every file."""

    #: The encoding as given: 'utf-16' implies a mark, 'utf-16-le' does not. None keeps the encoding of the file.
    target: str | None = "utf-8"
    bom: bool | None = None
    newline: str | None = None
    min_confidence: float = 0.9
    #: The current encoding, if the user gave it; it is then not detected.
    source: str | None = None
    #: Whether to rewrite declarations in the text.
    declarations: bool = True
    #: Whether to repair mojibake.
    repair: bool = False
    #: Whether to skip mojibake in quotation marks: in docs and tests it is an example.
    spare_examples: bool = False
    #: Whether to convert files in several encodings to one.
    mixed: bool = False
    #: Whether to replace bytes that do not decode by U+FFFD; otherwise such files are refused.
    replace: bool = False


class Reading(NamedTuple):
    """The text of a file, and how it was decoded."""

    text: str
    encoding: str
    bom: bytes
    #: For a file in several encodings, all of them, and the number of parts.
    mixed: tuple[str, ...] = ()
    parts: int = 0
    #: Offsets of bytes that do not decode and are replaced.
    lost: int = 0


def source_of(path: str, verdict: Verdict, request: Request, data: bytes) -> str | None:
    """Return the encoding to read: what the user gave, unless the file was converted before.

    *data* are at least the first bytes. A second run must not convert a file twice: one that already is in a Unicode
    target is read as that, and one that seems to be in another target is refused.
    """
    if not request.source:
        return verdict.encoding
    source, target = named(request.source, data), lookup(request.target or "")
    if path == "-" or target is None or verdict.damage or source in (verdict.encoding, *verdict.equivalents):
        return source
    if verdict.encoding == target.name == "utf-8":
        return verdict.encoding
    is_marked = verdict.bom and (verdict.encoding or "")[:6] == target.name[:6]
    if verdict.confidence < _CERTAIN or not (is_marked or verdict.encoding == target.name):
        return source
    if target.kind == "utf":
        return verdict.encoding
    if target.kind == "ascii":
        return source
    raise Refused(
        f"it already seems to be {target.name} (confidence {verdict.confidence:.2f}), not {source}; to convert it "
        "anyway, use standard input"
    )


def read(data: bytes, verdict: Verdict, encoding: str, request: Request) -> Reading:
    """Decode *data* strictly; refuse it if the encoding is uncertain."""
    if not data:
        return Reading("", "utf-8", b"")
    if request.source:
        mark = MARKS.get(encoding, b"")
        mark = mark if data.startswith(mark) else b""
        return _decoded(data, encoding, mark, request, f"not {request.source}")
    mail = _read_mail(data) if request.mixed else None
    if mail:
        return mail
    parts = find_mixture(data, verdict)
    if parts:
        return _read_mixed(data, parts, request)
    share = share_of_lines(data, verdict)
    if share < 1:
        raise Refused(
            f"only about {share:.0%} of the lines seem to be {encoding}, and they alternate too often to be separated; "
            f"split the file, or if all of them are {encoding}, use --from {encoding}"
        )
    if verdict.damage and not request.replace:
        raise Refused(f"damaged {encoding}: byte {verdict.damage[0].start} does not decode")
    if verdict.cut and not request.replace:
        raise Refused(f"the last character ({encoding}) is cut off")
    known = lookup(encoding)
    line = find_utf8_line(data, encoding) if known and known.kind in ("single", "multi") else None
    if line:
        raise Refused(
            f"line {line} may be utf-8, and the rest is {encoding}; correct that line first, or if it is {encoding}, "
            f"too, use --from {encoding}"
        )
    reading = _decoded(data, encoding, verdict.bom, request, f"damaged {encoding}")
    changes = request.target and canonical(request.target) != encoding
    if changes and known and known.kind in ("single", "multi") and not request.repair:
        _refuse_mojibake(reading.text, encoding)
    if verdict.confidence < request.min_confidence:
        rival = f", or {verdict.alternatives[0].encoding}" if verdict.alternatives else ""
        raise Refused(f"not certain enough: {encoding} {rounded_down(verdict.confidence)}{rival}")
    if changes:
        refuse_controls(reading.text, encoding)
    return reading


def rounded_down(confidence: float) -> str:
    """Return a confidence that is too low with two digits; 0.8983 as 0.89, since 0.90 would be enough."""
    return f"{math.floor(100 * confidence) / 100:.2f}"


def _refuse_mojibake(text: str, encoding: str) -> None:
    """Refuse *text* in a legacy encoding that reads as mojibake in places: there, the bytes may be UTF-8."""
    from charlens.mojibake import repair
    from charlens.mojibake.damage import find_leftovers

    text = without_ignored(text, "mojibake")
    parts = repair(text[:_MOST_REPAIRED]).parts
    starts = [start + _first_difference(text[start:end], new) for start, end, new in parts]
    starts += [damage.start for damage in find_leftovers(text)]
    if starts:
        line = Line.place(text, starts[0]).line
        word = "".join(_WORD_UP_TO.findall(text, 0, starts[0])[:1] + _WORD.findall(text, starts[0])[:1])
        raise Refused(
            f"line {line} may be utf-8 in part ({word!r} is mojibake), and the rest seems to be {encoding}; correct "
            f"that line first, or to convert it as it is, use --from {encoding}"
        )


def _first_difference(one: str, other: str) -> int:
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (left, right) in pairs if left != right), 0)


def refuse_controls(text: str, encoding: str, line: int = 1) -> None:
    """Refuse *text*, which starts in *line* of a file, if it has invisible controls because *encoding* is wrong.

    Text has no C1 controls; bytes that are letters or quotation marks in other encodings become them. In Unicode they
    are left over from an earlier mistake, which `charlens.repair` finds.
    """
    found = None if encoding.startswith("utf-") else _CONTROL.search(text)
    if found:
        line += Line.place(text, found.start()).line - 1
        raise Refused(
            f"line {line} would have the invisible control character U+{ord(found[0]):04X}, so it is probably not "
            f"{encoding}; see 'charlens explain', and if you know the encoding, use --from ENCODING"
        )


def _decoded(data: bytes, encoding: str, mark: bytes, request: Request, words: str) -> Reading:
    """Return the text after *mark*, with U+FFFD for bytes that do not decode if the request allows that."""
    body = data[len(mark) :]
    spans, cut = find_faults(body, encoding) if request.replace else ((), 0)
    lost = len(spans) + bool(cut)
    return Reading(
        decode_strictly(body, encoding, words, "replace" if lost else "strict"), encoding, mark, lost=lost
    )


def _read_mail(data: bytes) -> Reading | None:
    """Decode each part of a mail or an mbox with its charset, if there are several and each of them can be right."""
    pieces, names, done = [], [], 0
    for start, end, label in declared_bodies(data.decode("latin-1")):
        known, piece = lookup(label), data[start:end]
        is_utf8 = not any(find_faults(piece, "utf-8"))
        if known is None or is_utf8 is not (known.name == "utf-8") or not data[done:start].isascii():
            return None
        try:
            pieces += [data[done:start].decode("ascii"), piece.decode(known.name)]
        except CODEC_ERRORS:
            return None
        refuse_controls(pieces[-1], known.name, data.count(b"\n", 0, start) + 1)
        names.append(known.name)
        done = end
    several = tuple(dict.fromkeys(names))
    if len(several) < 2 or not data[done:].isascii():
        return None
    return Reading("".join([*pieces, data[done:].decode("ascii")]), several[0], b"", several, len(names))


def _read_mixed(data: bytes, parts: tuple[Segment, ...], request: Request) -> Reading:
    names = [*dict.fromkeys(part.encoding or "binary" for part in parts)]
    if not request.mixed:
        starts = {part.encoding or "binary": part.start for part in reversed(parts)}
        places = ", ".join(f"{name} from byte {starts[name]}" for name in names)
        raise Refused(f"in several encodings ({places}); {USE_MIXED}")
    _refuse_doubtful(data, parts, request)
    texts = []
    for part in parts:
        place = f"bytes {part.start} to {part.end}"
        if part.encoding is None:
            raise Refused(f"{place} are binary data")
        if not is_sure(part, data, request.min_confidence):
            few = "has too few non-ASCII bytes" if part.confidence >= request.min_confidence else "is not certain"
            raise Refused(f"not certain enough: {place} may be {part.encoding}, but that part {few}")
        piece = data[part.start + len(part.verdict.bom) : part.end]
        texts.append(decode_strictly(piece, part.encoding, f"damaged {place}"))
        refuse_controls(texts[-1], part.encoding, data.count(b"\n", 0, part.start) + 1)
    mark = parts[0].verdict.bom
    return Reading("".join(texts), parts[0].encoding or "utf-8", mark, tuple(names), len(parts))


def _refuse_doubtful(data: bytes, parts: tuple[Segment, ...], request: Request) -> None:
    """Refuse parts whose encoding is not certain if all of them are read together, without regard to the others."""
    pools: dict[str, list[bytes]] = {}
    for part in parts:
        known = lookup(part.encoding or "")
        if known is not None and known.kind in ("single", "multi"):
            pools.setdefault(known.name, []).append(data[part.start : part.end])
    for name, pieces in pools.items():
        verdict = detect(b"".join(pieces))
        if name not in (verdict.encoding, *verdict.equivalents) or verdict.confidence < request.min_confidence:
            alone = f"are {verdict.encoding or 'not text'} ({verdict.confidence:.2f})"
            if name in (verdict.encoding, *verdict.equivalents):
                alone = f"are too few to be certain ({rounded_down(verdict.confidence)})"
            raise Refused(f"not certain enough: the lines that seem to be {name}, read on their own, {alone}")


def in_words(names: Sequence[str]) -> str:
    """Return the names of encodings as words: 'cp1251, koi8-r and utf-8'."""
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]


def decode_strictly(body: bytes, encoding: str, words: str, errors: str = "strict") -> str:
    try:
        return body.decode(encoding, errors)
    except UnicodeDecodeError as error:
        raise Refused(f"{words}: byte {error.start} does not decode") from None
    except CODEC_ERRORS:
        raise Refused(f"{words}: some bytes do not decode") from None
