"""Call other detectors, and charlens itself, with one interface.

An adapter calls one library and interprets its results; it never judges.
A library that is not installed stays in the list and says what is missing.  Detectors must only be called
through `ask`, which always returns an `Answer`.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib import import_module, metadata
from importlib.util import find_spec
from typing import Any

from charlens.types import Outcome


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer of a detector for one sample."""

    encoding: str | None
    confidence: float | None = None
    language: str | None = None
    outcome: Outcome = Outcome.TEXT
    #: Whether the name is a web label ('Big5' includes HKSCS), not a codec of Python.
    web_label: bool = False
    #: Why there is no usable answer: the detector raised, hung, crashed or returned an invalid result.
    error: str | None = None
    #: A remark about an odd answer that is still usable.
    remark: str | None = None


@dataclass(frozen=True)
class Peer:
    """One detector.  Subclasses say what to import and how to call it."""

    name: str = ""
    #: The module to import, the distribution that brings it, and the function that detects.
    module: str = ""
    distribution: str = ""
    function: str = "detect"
    #: The code of a first call for `data`, run in a new interpreter.
    first_call: str = ""
    #: Variables to be set before the process that asks this detector starts.
    environment: Mapping[str, str] = field(default_factory=dict)
    #: Whether it names encodings; those in `rivals` only distinguish text from binary.
    names_encodings: bool = True
    #: Whether its names are web labels.
    web_labels: bool = False

    @property
    def missing_reason(self) -> str | None:
        """Why this detector is not available, or ``None``."""
        if self.module and _spec(self.module) is None:
            return f"not installed; pip install {self.distribution or self.module} adds it"
        return None

    def available(self) -> bool:
        """Whether this detector is available."""
        return self.missing_reason is None

    def version(self) -> str:
        """Return the version of the detector."""
        return metadata.version(self.distribution)

    @cached_property
    def _function(self) -> Callable[..., Any]:
        """The function of the library; `ask` checks what it returns."""
        function: Callable[..., Any] = getattr(import_module(self.module), self.function)
        return function

    def detect(self, data: bytes) -> Answer:
        """Call the library; may raise anything."""
        raise NotImplementedError


def ask(peer: Peer, data: bytes) -> Answer:
    """Call *peer* for *data*; an exception or an invalid result becomes an answer with an error."""
    try:
        answer = peer.detect(data)
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # a panic in Rust is not an Exception
        return failed(f"raised {type(error).__name__}: {error}")
    checked = _checked(answer)
    return replace(checked, web_label=True) if peer.web_labels else checked


def failed(words: str) -> Answer:
    """Return an answer with an error."""
    # 200 characters: a message may quote the whole input.
    return Answer(None, outcome=Outcome.UNDECIDED, error=words[:200])


def _checked(answer: object) -> Answer:
    """Return *answer* if it is valid, else an answer with an error."""
    if not isinstance(answer, Answer):
        return failed(f"returned {answer!r}")
    if answer.encoding is not None and not isinstance(answer.encoding, str):
        return failed(f"named {answer.encoding!r} as encoding")
    confidence = answer.confidence
    if confidence is None:
        return answer
    if not isinstance(confidence, (int, float)) or not math.isfinite(confidence):
        return failed(f"gave {confidence!r} as confidence")
    if not 0 <= confidence <= 1:
        # uchardet sometimes returns 1.001: the encoding is usable, the number is not a probability.
        remark = f"confidence {confidence:.3f} is outside 0 to 1"
        return replace(answer, confidence=min(1.0, max(0.0, confidence)), remark=remark)
    return answer


def _spec(module: str) -> object:
    try:
        return find_spec(module)
    except (ImportError, ValueError):
        return None


def _text_or_none(encoding: str | None, confidence: float | None, language: str | None = None) -> Answer:
    """Build the answer of a library that returns a name, or ``None`` for undecided."""
    if encoding is None or encoding == "":
        return Answer(None, confidence, None, Outcome.UNDECIDED)
    return Answer(encoding, confidence, language or None)


class ChardetLike(Peer):
    """A library with the function `detect` of chardet."""

    def detect(self, data: bytes) -> Answer:
        found = self._function(data)
        return _text_or_none(found["encoding"], found["confidence"], found.get("language"))


class Chardet(ChardetLike):
    """chardet, whose ``None`` means binary."""

    def detect(self, data: bytes) -> Answer:
        answer = super().detect(data)
        return answer if answer.encoding else replace(answer, outcome=Outcome.BINARY)


class Chardetng(Peer):
    """chardetng, the detector of Firefox, with UTF-8 allowed as for local files."""

    def detect(self, data: bytes) -> Answer:
        detector = self._function()
        detector.feed(data, last=True)
        name, sure = detector.guess_assess(tld=None, allow_utf8=True)
        # 0.99 and 0.01 are the values of its own chardet-like function.
        return Answer(name, 0.99 if sure else 0.01)


class Icu(Peer):
    """ICU's CharsetDetector by way of PyICU."""

    # 200 KB, as in chardet: ICU reads everything, and is slow on the few large files.
    _MOST_BYTES = 200_000

    def version(self) -> str:
        return f"{metadata.version(self.distribution)} (ICU {import_module('icu').ICU_VERSION})"

    def detect(self, data: bytes) -> Answer:
        detector = import_module("icu").CharsetDetector()
        detector.setText(data[: self._MOST_BYTES])
        match = detector.detect()
        if match is None:
            return Answer(None, None, None, Outcome.UNDECIDED)
        return _text_or_none(match.getName(), match.getConfidence() / 100, match.getLanguage())


class Resiliparse(Peer):
    """resiliparse: uchardet with names for the web."""

    @cached_property
    def _function(self) -> Callable[..., Any]:
        function: Callable[..., Any] = import_module("resiliparse.parse.encoding").detect_encoding
        return function

    def detect(self, data: bytes) -> Answer:
        return _text_or_none(self._function(data), None)


class Charlens(Peer):
    """charlens itself, with the kernel that `environment` forces."""

    @property
    def missing_reason(self) -> str | None:
        if not hasattr(import_module("charlens"), "detect"):
            return "this charlens has no detect() yet"
        kernel = self.environment.get("CHARLENS_KERNEL")
        if kernel == "native" and _spec("charlens.kernel._native") is None:
            return "the native kernel is not built here; install charlens with a C compiler present"
        return None

    def version(self) -> str:
        from charlens.evaluation.sources import source_hash

        other = os.environ.get("CHARLENS_LANGUAGES")
        return f"{metadata.version('charlens')}+{source_hash()}{f'+{other}' if other else ''}"

    def detect(self, data: bytes) -> Answer:
        verdict = import_module("charlens").detect(data)
        return Answer(verdict.encoding, verdict.confidence, verdict.language, verdict.outcome)


def encoding_peers() -> tuple[Peer, ...]:
    """Return every detector that names encodings, ours first, whether it is installed or not.

    chardet, charset-normalizer and charlens distinguish a subset from its superset and name codecs of Python.
    The others use the labels of mail and the web; with Python's codec of that name, they would get a
    miss for a 'Big5' that any browser decodes.
    """
    ours = "import charlens; charlens.detect(data)"
    ng = "import chardetng_py; chardetng_py.detect(data, allow_utf8=True)"
    cchardet = "import cchardet; cchardet.detect(data)"
    icu = "import icu; d = icu.CharsetDetector(); d.setText(data); d.detect()"
    resiliparse = "from resiliparse.parse.encoding import detect_encoding; detect_encoding(data)"
    normalizer = "import charset_normalizer; charset_normalizer.detect(data)"
    return (
        Charlens("charlens-native", first_call=ours, environment={"CHARLENS_KERNEL": "native"}),
        Charlens("charlens-pure", first_call=ours, environment={"CHARLENS_KERNEL": "pure"}),
        Chardet("chardet", "chardet", "chardet", first_call="import chardet; chardet.detect(data)"),
        ChardetLike("uchardet", "cchardet", "faust-cchardet", first_call=cchardet, web_labels=True),
        ChardetLike("charset-normalizer", "charset_normalizer", "charset-normalizer", first_call=normalizer),
        Resiliparse("resiliparse", "resiliparse", "resiliparse", first_call=resiliparse, web_labels=True),
        Icu("icu", "icu", "PyICU", first_call=icu, web_labels=True),
        Chardetng(
            "chardetng", "chardetng_py", "chardetng-py", "EncodingDetector", first_call=ng, web_labels=True
        ),
    )
