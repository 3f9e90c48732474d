"""A codec that detects the encoding: after `register()`, `open(path, encoding="auto")` reads any text.

It works wherever the name of an encoding is accepted: csv, configparser, pandas, zipfile.  A new file (mode 'w' or 'x')
is written in UTF-8; writing into an existing file is refused with a message.  How many bytes are read before the
decision, and what that means, is in docs/codec.md.
"""

from __future__ import annotations

import codecs
import gc
import io
import re
import threading
from functools import partial
from typing import Any, NoReturn

from charlens.api import decode_as, decodes_all, detect, list_parts, why_not_text
from charlens.encodings import all_encodings, rank, squeeze
from charlens.inputs.controls import FEW_NULS, detect_text
from charlens.kernel.facts import BLOCKED_BYTES
from charlens.options import make_options
from charlens.source import as_buffer
from charlens.types import Part, Verdict

#: Bytes read before the encoding is decided; for shorter input, the text is the same as from `charlens.decode`.
HELD = 1 << 20

#: Bytes that plain ASCII does not have: shifts of 7-bit encodings, blocked controls, 0x80 and above.
_NOT_PLAIN = re.compile(b"[" + re.escape(BLOCKED_BYTES) + rb"\x1a\x1b+~\x80-\xff]")

#: The numbers of the states for `getstate`; from 4 on, the rank of the encoding. Only a new decoder is 0: to go back to
#: that, `tell()` calls `reset`, and the decision would be forgotten.
_FRESH, _HOLDING, _AFTER_ASCII, _IN_PARTS, _FIRST_RANK = 0, 1, 2, 3, 4
_RANKS = 0xFF
#: A position of `tell()` has 31 bits for the state, one of them for line endings and eight for the number above. Shift
#: states of ISO-2022 need up to 64: those that are larger are numbered.
_MOST_FLAGS = 1 << 21

#: The bits of the shift state of a codec: at most eight bytes (ISO-2022-KR).
_SHIFT_BITS = 72
_SHIFTS = (1 << _SHIFT_BITS) - 1

_lock = threading.Lock()
_registered: dict[str, Any] = {}


def register(name: str = "auto", **keywords: Any) -> None:
    """Make *name* a codec that detects what it reads; *keywords* are those of `detect`, for instance `only`.

    A second call with the same name replaces the keywords.
    """
    wanted = squeeze(name)
    if wanted != "auto" and _is_taken(name):
        raise ValueError(f"{name!r} is already the name of an encoding; choose another, such as 'auto-ru'")
    for key in ("only", "never"):
        if keywords.get(key) is not None and not isinstance(keywords[key], str):
            keywords[key] = list(keywords[key])
    detect(b"", **keywords)  # wrong keywords are reported now, not when a file is opened
    unregister(name)
    info = _codec_info(name, keywords)

    def search(sought: str) -> codecs.CodecInfo | None:
        return info if squeeze(sought) == wanted else None

    with _lock:
        _registered[wanted] = search
        codecs.register(search)


def unregister(name: str = "auto") -> None:
    """Undo `register`; a name that was not registered is not an error."""
    with _lock:
        search = _registered.pop(squeeze(name), None)
        if search is not None:
            codecs.unregister(search)


def _is_taken(name: str) -> bool:
    if squeeze(name) in _registered:
        return False
    try:
        codecs.lookup(name)
    except LookupError:
        return False
    return True


def _codec_info(name: str, keywords: dict[str, Any]) -> codecs.CodecInfo:
    def decode(data: Any, errors: str = "strict") -> tuple[str, int]:
        view = bytes(as_buffer(data, "codec"))
        decoder = AutoDecoder(errors, **keywords)
        decoder.verdict = verdict = _detect(view, True, keywords)
        if verdict.mixed:
            return decode_as(view, "", verdict.bom, verdict.mixed, errors), len(view)
        return decoder.decode(view, True), len(view)

    return codecs.CodecInfo(
        name=name,
        encode=_refuse,
        decode=decode,
        incrementalencoder=_Encoder,
        incrementaldecoder=partial(AutoDecoder, **keywords),
        streamreader=partial(_Reader, keywords=keywords),
        streamwriter=_Writer,
    )


def _detect(data: bytes, final: bool, keywords: dict[str, Any]) -> Verdict:
    """Return the verdict for *data*, which the caller expects to be text, so a few stray NULs are accepted.

    If the data is *final*, the text is that of `charlens.decode`, which checks every line.
    """
    keywords = {"parts": final, **keywords}
    verdict = detect_text(data, few_nuls=FEW_NULS, **keywords)
    if decodes_all(data, verdict, final):
        return verdict
    return detect_text(data, few_nuls=FEW_NULS, **{**keywords, "max_bytes": None})


class AutoDecoder(codecs.IncrementalDecoder):
    """Collects bytes until the encoding is clear or `HELD` bytes were read, then decodes.

    If the first `HELD` bytes are plain ASCII, they are returned without a decision; the encoding is decided when the
    first other byte arrives.
    """

    def __init__(self, errors: str = "strict", **keywords: Any) -> None:
        super().__init__(errors)
        self._keywords = keywords
        self._held = bytearray()
        #: The numbers of flags of the inner decoder that do not fit into a position of `tell()`.
        self._large_flags: dict[int, int] = {}
        #: The lengths of the pieces that were held and turned out to be ASCII.
        self._ascii_pieces: list[int] = []
        self.reset()

    def reset(self) -> None:
        """Forget the decision and all held bytes."""
        #: The verdict behind the decision; None before it.
        self.verdict: Verdict | None = None
        self._inner: codecs.IncrementalDecoder | None = None
        self._name = ""
        self._held.clear()
        self._after_ascii = self._strip_mark = False
        #: Bytes to come that are known to be ASCII: `tell()` decodes a piece again.
        self._known_ascii = 0

    def decode(self, input: Any, final: bool = False) -> str:
        """Return the text that is certain so far, or with *final* all of it."""
        if self._inner is not None:
            return self._inner_text(bytes(input), final)
        self._held += input
        text = self._take(min(self._known_ascii, len(self._held)))
        self._known_ascii -= len(text)
        if self._after_ascii:
            text += self._pass_on()
        if not self._held or not (final or self._is_enough()):
            return text
        held = bytes(self._held)
        self._held.clear()
        verdict = self.verdict or _detect(held, final, self._keywords)
        if not final and verdict.encoding == "ascii":
            self._after_ascii = True
            self._ascii_pieces.append(len(held))
            return text + held.decode("ascii")
        self._decide(verdict, held)
        return text + self._inner_text(held.removeprefix(verdict.bom), final)

    def _is_enough(self) -> bool:
        """Whether to decide now; a decision made before `setstate` is kept."""
        return len(self._held) >= (HELD if self.verdict is None else max(len(self.verdict.bom), 1))

    def _pass_on(self) -> str:
        """Remove the lines of plain ASCII at the start of the held bytes and return them."""
        match = _NOT_PLAIN.search(self._held)
        # Keep the whole line: the letters before an 'ö' help to detect its encoding.
        end = self._held.rfind(b"\n", 0, match.start()) + 1 if match else len(self._held)
        return self._take(end)

    def _take(self, end: int) -> str:
        """Remove ASCII at the start of the held bytes and return it."""
        text = self._held[:end].decode("ascii")
        del self._held[:end]
        return text

    def _decide(self, verdict: Verdict, held: bytes) -> None:
        name = verdict.encoding
        if name is None and self.errors == "strict":
            at = verdict.steps[-1].offset or 0
            words = f"this is not text ({why_not_text(verdict)})"
            raise UnicodeDecodeError("auto", held, at, min(at + 1, len(held)), words)
        verdict = list_parts(verdict, held, make_options(**self._keywords))
        if verdict.mixed and self.errors == "strict":
            names = ", ".join(dict.fromkeys(part.encoding for part in verdict.mixed))
            start, end, _ = verdict.mixed[1]
            words = f"in several encodings ({names}); use charlens.load() or charlens.decode()"
            raise UnicodeDecodeError("auto", held, start, end, words)
        self.verdict = verdict
        # With errors="replace", even binary data is decoded.
        self._name = name or "utf-8"
        if verdict.mixed:
            self._inner = _PartsDecoder(self.errors, verdict.mixed, len(verdict.bom))
        else:
            self._inner = codecs.getincrementaldecoder(self._name)(self.errors)
        self._strip_mark = name == "utf-7"  # its mark can be in the same Base64 run as the text

    def _inner_text(self, data: bytes, final: bool) -> str:
        assert self._inner is not None
        text = self._inner.decode(data, final)
        if self._strip_mark and text:
            self._strip_mark = False
            text = text.removeprefix("\ufeff")
        return text

    def getstate(self) -> tuple[bytes, int]:
        """Return the held bytes, and a number for the rest of the state."""
        if self._inner is None:
            waiting = _HOLDING if self._held or self.verdict else _FRESH
            piece = len(self._ascii_pieces) + 1 if self._held else 0
            return bytes(self._held), piece << 8 | (_AFTER_ASCII if self._after_ascii else waiting)
        held, flags = self._inner.getstate()
        assert isinstance(flags, int)
        if flags >= _MOST_FLAGS:
            flags = _MOST_FLAGS + self._large_flags.setdefault(flags, len(self._large_flags))
        number = _IN_PARTS if isinstance(self._inner, _PartsDecoder) else rank(self._name) + _FIRST_RANK
        return held, flags << 8 | number

    def setstate(self, state: tuple[bytes, int]) -> None:
        """Go back to a state of `getstate`.

        The decision is kept: `tell()` decodes a piece of the file again from the start, and that piece alone could get
        another answer.
        """
        held, flags = state
        number = flags & _RANKS
        self._held = bytearray(held)
        self._inner = None
        piece = flags >> 8
        known = number in (_HOLDING, _AFTER_ASCII) and 0 < piece <= len(self._ascii_pieces)
        self._known_ascii = self._ascii_pieces[piece - 1] if known else 0
        self._after_ascii = known or number == _AFTER_ASCII
        if number == _IN_PARTS and self.verdict is not None:
            self._inner = _PartsDecoder(self.errors, self.verdict.mixed, len(self.verdict.bom))
        elif number >= _FIRST_RANK:
            self._name = all_encodings()[number - _FIRST_RANK].name
            self._inner = codecs.getincrementaldecoder(self._name)(self.errors)
        if self._inner is not None:
            flags >>= 8
            if flags >= _MOST_FLAGS:
                flags = list(self._large_flags)[flags - _MOST_FLAGS]
            self._inner.setstate((held, flags))
            self._held.clear()


class _PartsDecoder(codecs.IncrementalDecoder):
    """Decodes each part of an input in several encodings; the last one goes on to the end."""

    def __init__(self, errors: str, parts: tuple[Part, ...], start: int) -> None:
        super().__init__(errors)
        self._parts = parts
        self._enter(start)

    def _enter(self, at: int) -> None:
        """Continue at the offset *at*, in the part that it belongs to."""
        self._at = at
        self._place = next(
            (place for place, part in enumerate(self._parts) if at < part.end), len(self._parts) - 1
        )
        self._inner = codecs.getincrementaldecoder(self._parts[self._place].encoding)(self.errors)

    def decode(self, input: Any, final: bool = False) -> str:
        """Return the text of the next bytes."""
        text = ""
        data = bytes(input)
        while self._place < len(self._parts) - 1:
            rest = self._parts[self._place].end - self._at
            if len(data) < rest:
                break
            text += self._inner.decode(data[:rest], True)
            data = data[rest:]
            self._enter(self._at + rest)
        self._at += len(data)
        return text + self._inner.decode(data, final)

    def getstate(self) -> tuple[bytes, int]:
        """Return the bytes of an incomplete character, and a number for the offset and the state in its part."""
        held, flags = self._inner.getstate()
        return held, (self._at << _SHIFT_BITS | flags) << 1 | 1 if flags else self._at << 1

    def setstate(self, state: tuple[bytes, int]) -> None:
        """Go back to a state of `getstate`."""
        held, flags = state
        at, inner = (flags >> 1 + _SHIFT_BITS, flags >> 1 & _SHIFTS) if flags & 1 else (flags >> 1, 0)
        # The bytes of an incomplete character were counted when they came.
        self._enter(at - len(held))
        self._at = at
        self._inner.setstate((held, inner))


class _Encoder(codecs.IncrementalEncoder):
    """Writes new files in UTF-8, and refuses to write into existing ones.

    `open(path, "w")` has emptied the file before a codec is asked, so the content is lost even if it refuses.  Python
    does not pass the mode to a codec; the encoder asks the garbage collector, once, which text file refers to it
    (`gc.get_referrers`), and reads the mode there.  If it finds none (another interpreter, a wrapper of another
    library), it refuses.  It refuses when it is used, not when it is created, because
    `io.TextIOWrapper(io.BytesIO(data))` creates one for reading too.
    """

    _allowed = False

    def encode(self, input: str, final: bool = False) -> bytes:
        """Return the UTF-8 of *input*."""
        if not self._allowed:
            holders = (each for each in gc.get_referrers(self) if isinstance(each, io.TextIOWrapper))
            self._allowed = any(_opened_for_writing(holder) for holder in holders)
        return input.encode("utf-8", self.errors) if self._allowed else _refuse()


class _Writer(codecs.StreamWriter):
    """The same as `_Encoder`, for `codecs.open`."""

    def encode(self, input: str, errors: str = "strict") -> tuple[bytes, int]:
        """Return the UTF-8 of *input*."""
        return (input.encode("utf-8", errors), len(input)) if _opened_for_writing(self.stream) else _refuse()


def _opened_for_writing(file: Any) -> bool:
    """Whether *file* was opened with a mode that empties the file."""
    return str(getattr(file, "mode", ""))[:1] in ("w", "x")


class _Reader(codecs.StreamReader):
    """For `codecs.open` and `codecs.getreader`; reads and decodes the whole stream first."""

    def __init__(self, stream: Any, errors: str = "strict", keywords: dict[str, Any] | None = None) -> None:
        super().__init__(stream, errors)
        self._keywords = keywords or {}
        self._text: io.StringIO | None = None

    def decode(self, input: bytes, errors: str = "strict") -> tuple[str, int]:
        """Decode all of *input*."""
        return AutoDecoder(errors, **self._keywords).decode(input, True), len(input)

    def _all(self) -> io.StringIO:
        if self._text is None:
            self._text = io.StringIO(self.decode(self.stream.read(), self.errors)[0], newline="")
        return self._text

    def read(self, size: int = -1, chars: int = -1, firstline: bool = False) -> str:
        """Return up to *chars* characters (or *size*, if *chars* is not given), or all."""
        return self._all().read(chars if chars >= 0 else size)

    def readline(self, size: int | None = None, keepends: bool = True) -> str:
        """Return the next line."""
        line = self._all().readline(-1 if size is None else size)
        return line if keepends else line.rstrip("\r\n")

    def readlines(self, sizehint: int | None = None, keepends: bool = True) -> list[str]:
        """Return the remaining lines."""
        return self._all().read().splitlines(keepends)

    def reset(self) -> None:
        """Discard the text; the next call reads on from the stream's position."""
        self._text = None


def _refuse(*arguments: Any) -> NoReturn:
    raise io.UnsupportedOperation(
        "encoding='auto' can read files and write new ones, but not change an existing file, because the new text "
        "must be in the encoding of that file. Name the encoding (encoding='cp1252'), or use charlens.load(path), "
        "which saves a file in the encoding it found."
    )
