"""Detect while the bytes come in: `Detector` takes them piece by piece and needs the same memory for any amount.

Up to 4 MB the bytes are kept, and the verdict is that of `detect` for the same bytes.  Beyond, every byte is still
looked at (scan, walks, units, shifts: `charlens.inputs.stream_state`), so an encoding that cannot decode one
of them is not the answer; of the bytes themselves only windows of evidence stay.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from charlens.detect import (
    as_buffer,
    conclude,
    detect,
    examine,
    join_scans,
    make_options,
    scan_bytes,
    score_words,
)
from charlens.inputs.stream_state import (
    CarriedDamage,
    CarriedEvidence,
    CarriedScan,
    CarriedShifts,
    CarriedUnits,
    CarriedWalks,
    unfinished,
)
from charlens.stages.content import BLOCKED, classify_content
from charlens.stages.ebcdic import find_ebcdic
from charlens.stages.escapes import find_escapes
from charlens.stages.signature import find_signature
from charlens.stages.structure import find_candidates
from charlens.stages.unicode import _is_text_behind_mark, _judge_damage, _judge_wide, recognise_unicode
from charlens.stages.verdict import decide
from charlens.types import (
    Buffer,
    Content,
    EbcdicForm,
    EscapeForm,
    Findings,
    Options,
    Outcome,
    Scan,
    Signature,
    Span,
    UnicodeForm,
    Verdict,
)

#: Up to here the bytes are kept whole. `detect`, too, treats more than 4 MB in another way than less.
KEPT = 4 << 20
#: A blocked byte in the first megabyte settles "binary" for a longer input, in `detect` as well.
_PROBE = 1 << 20
#: Beyond `KEPT`, pieces of at most this size are worked on, so that memory does not depend on what is fed.
_PIECE = 1 << 18
#: Whether there is enough is asked at 1 KB, 2 KB, 4 KB ...: all together twice the work of asking once, at the end.
_FIRST_LOOK = 1 << 10
#: The longest mark, '+/v8-'.
_LONGEST_MARK = 5
#: As much as the EBCDIC stage reads from each of three places.
_SAMPLE = 8192

_WIDE = ("utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be")


class Detector:
    """Takes bytes as they come and tells what they are.

    `done` turns true as soon as there is an answer with a confidence of *enough*, or a byte order mark; then feeding
    can stop, or go on to have every byte checked.  The other keywords are those of `detect`.
    """

    def __init__(self, *, enough: float = 0.99, **keywords: Any) -> None:
        for name in ("only", "never"):
            names = keywords.get(name)
            if isinstance(names, Iterable) and not isinstance(names, str):
                keywords[name] = list(names)  # an iterator must serve more than once
        if not 0.0 <= enough <= 1.0:
            raise ValueError(f"enough= is a confidence, from 0 to 1; got {enough!r}")
        detect(b"", **keywords)  # wrong keywords are told now, not at the first look
        self._keywords = keywords
        self._enough = enough
        self.reset()

    def reset(self) -> None:
        """Forget everything that was fed."""
        self._kept = bytearray()
        self._carried: _Carried | None = None
        self._verdict: Verdict | None = None
        self._next_look = _FIRST_LOOK
        self._marked = False  # whether the mark was looked for
        self._closed = False
        #: How many bytes were fed.
        self.fed = 0
        #: Whether more bytes are not needed for the answer.
        self.done = False

    def feed(self, data: Buffer | bytearray) -> None:
        """Take the next bytes."""
        if self._closed:
            raise ValueError("charlens.Detector: feed() after close(); reset() begins anew")
        view = as_buffer(data, "Detector.feed")
        if not len(view):
            return
        self._verdict = None
        self.fed += len(view)
        if self._carried is None and self.fed <= KEPT:
            self._kept += view
        else:
            self._carry(view)
        if not self.done:
            self._look()

    def _carry(self, view: Buffer) -> None:
        if self._carried is None:
            room = KEPT - len(self._kept)
            self._carried = _Carried(bytes(self._kept) + bytes(view[:room]), self._options())
            self._kept = bytearray()
            view = view[room:]
        for start in range(0, len(view), _PIECE):
            self._carried.add(bytes(view[start : start + _PIECE]))

    def _options(self) -> Options:
        known = {name: self._keywords.get(name) for name in ("only", "never", "model", "hints")}
        return make_options(**known)

    def _look(self) -> None:
        """See whether there is enough by now."""
        if not self._marked and self.fed >= _LONGEST_MARK and self._carried is None:
            self._marked = True
            if find_signature(bytes(self._kept[:_LONGEST_MARK])) and self.verdict.bom:
                self.done = True
                return
        if self.fed < self._next_look:
            return
        while self._next_look <= self.fed:
            self._next_look *= 2
        # Of plain ASCII no amount is enough: the first letter beyond it may be the last byte.
        verdict = self.verdict
        answered = verdict.outcome is Outcome.BINARY or verdict.encoding not in (None, "ascii")
        self.done = answered and verdict.confidence >= self._enough

    @property
    def verdict(self) -> Verdict:
        """The answer for what was fed so far."""
        if self._verdict is None:
            if self._carried is not None:
                self._verdict = self._carried.verdict()
            else:
                self._verdict = detect(bytes(self._kept), **self._keywords)
        return self._verdict

    def close(self) -> Verdict:
        """Return the answer for everything that was fed; nothing can be fed after it."""
        self._closed = self.done = True
        return self.verdict

    def __enter__(self) -> Detector:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


class _Carried:
    """A stream that has outgrown what is kept: what is known of all its bytes, and the verdict from that."""

    def __init__(self, head: bytes, options: Options) -> None:
        self._options = options
        self._waiting = bytearray()
        self._held = b""
        early = examine(head[:_PROBE], options)
        blocked = early.content is not None and early.content.byte is not None
        #: The verdict that stands whatever comes.
        self._settled = decide(early, options) if blocked else None
        self._signature = find_signature(head)
        form = None if blocked else examine(head, options).unicode
        self._form = form if form is not None and form.encoding in _WIDE else None
        self._units = CarriedUnits(form.encoding) if self._form and form else None
        self._scan = CarriedScan()
        self._damage = CarriedDamage(self._signature is not None and self._signature.encoding == "utf-8")
        self._walks = CarriedWalks()
        self._shifts = CarriedShifts()
        self._evidence = CarriedEvidence()
        middle = len(head) // 2
        self._samples = head[:_SAMPLE] + head[middle : middle + _SAMPLE]
        self._tail = b""
        for start in range(0, len(head), _PIECE):
            self.add(head[start : start + _PIECE])

    def add(self, data: bytes) -> None:
        """Take the next bytes; small pieces are put together before they are looked at."""
        if self._settled is None:
            self._waiting += data
            if len(self._waiting) >= _PIECE:
                self._flush()

    def _flush(self) -> None:
        """Look at what is waiting, but for a character that may go on behind it."""
        piece = self._held + bytes(self._waiting)
        self._waiting.clear()
        whole = len(piece) - unfinished(piece)
        self._held = piece[whole:]
        if whole:
            self._take(piece[:whole])

    def _take(self, piece: bytes) -> None:
        start = self._scan.length
        scan = self._scan.add(piece)
        if self._units is not None:
            self._units.add(piece)
            return
        self._walks.add(piece, start, not scan.non_ascii)
        if scan.non_ascii:
            self._damage.add(piece, start)
            self._evidence.add(piece, start)
        elif not self._scan.whole.non_ascii:
            self._shifts.add(piece, start)
        self._tail = (self._tail + piece)[-_SAMPLE:]

    def verdict(self) -> Verdict:
        """Return the answer for all bytes so far."""
        if self._settled is not None:
            return self._settled
        self._flush()
        found = self._examine()
        return conclude(found, self._samples + b"\n" + self._evidence.words(), self._options)

    def _examine(self) -> Findings:
        """Run the stages, each with what was carried for it."""
        scan = join_scans(self._scan.whole, scan_bytes(self._held), self._scan.length)
        scan = scan._replace(data=self._samples)
        found = Findings(scan)
        found.signature = self._signature
        found.unicode = unicode = self._recognise_unicode(scan, self._signature)
        if unicode is None or unicode.encoding == "ascii":
            found.escapes = self._find_escapes(scan)
            if found.escapes is None and (unicode is None or scan.blocked >= 0):
                found.ebcdic = find_ebcdic(scan._replace(data=self._samples + self._tail))
        settled = found.escapes or found.ebcdic or unicode
        found.content = _classify(scan, settled)
        if found.content.is_text and (settled is None or self._options.restricts):
            found.candidates = find_candidates(scan, self._walks.results(self._held, self._scan.length))
            if settled is None:
                words = self._evidence.words()
                score_words(found, words, min(scan.non_ascii, len(words)), self._options)
        return found

    def _recognise_unicode(self, scan: Scan, signature: Signature | None) -> UnicodeForm | None:
        if self._units is not None:
            return self._judge_units(scan, self._units.with_end(self._held))
        if scan.utf8_error < 0:
            # One byte instead of the data: the stage reads UTF-8 off the scan, and of UTF-16 there is nothing.
            return recognise_unicode(scan._replace(data=b" "), signature)
        damage = self._damage.with_end(self._held, self._scan.length)
        if damage.hopeless:
            return None
        cut = scan_bytes(self._held)[6]
        form = _judge_damage(damage.good, damage.bad, damage.spans, cut)
        if form is None and signature is not None and signature.encoding == "utf-8":
            spans = tuple(map(Span, damage.spans[::2], damage.spans[1::2]))
            how = "has its mark, but most of it is not well-formed"
            return UnicodeForm("utf-8", 0.6, how, cut, spans, damage.bad)
        return form

    def _judge_units(self, scan: Scan, units: CarriedUnits) -> UnicodeForm | None:
        """Let the unicode stage judge all units; behind a mark, the form of the head stands unless it is no text."""
        form, signature = self._form, self._signature
        assert form is not None
        characters, weight, _, faults, first, left = units.weighed
        if signature is None or signature.encoding != form.encoding:
            return _judge_wide(scan, form.encoding, units.weighed, self._scan.length + len(self._held))
        if not _is_text_behind_mark(characters, weight, faults):
            return None
        if not faults:
            return form._replace(cut=left)
        damage = form.damage or (Span(first, first + (2 if "16" in form.encoding else 4)),)
        return form._replace(confidence=0.97, how="has its mark", cut=left, damage=damage, damaged=faults)

    def _find_escapes(self, scan: Scan) -> EscapeForm | None:
        if scan.non_ascii:
            return None
        for start, region, names in self._shifts.regions():
            form = find_escapes(scan_bytes(region)) if names else None
            encoding = _widen(form.encoding, names) if form else None
            if form and encoding:
                return form._replace(
                    encoding=encoding, offset=start + form.offset, cut=self._shifts.cut(encoding)
                )
        return None


def _widen(encoding: str, names: tuple[str, ...]) -> str | None:
    """Return *encoding* if it decoded everything, else the smallest of its family that did, or ``None``."""
    family = encoding[:9]  # 'iso2022_j', or a name that is shorter
    return encoding if encoding in names else next((name for name in names if name[:9] == family), None)


def _classify(scan: Scan, settled: UnicodeForm | EscapeForm | EbcdicForm | None) -> Content:
    """Ask the content stage; where a blocked byte stands is known, the byte itself by where its value comes first."""
    if scan.blocked < 0:
        return classify_content(scan, settled)
    first = memoryview(scan.first).cast("q")
    value = next(v for v in range(256) if BLOCKED >> v & 1 and first[v] == scan.blocked)
    content = classify_content(scan._replace(data=bytes([value]), blocked=0), settled)
    return content if content.byte is None else content._replace(offset=scan.blocked)
