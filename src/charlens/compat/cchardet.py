"""A drop-in for cchardet and faust-cchardet: `detect` and `UniversalDetector`, with upper-case names.

The answers and the confidence are those of charlens.  The confidence is never over 1, and the encoding always decodes
the bytes, apart from damage in a few places.
"""

from __future__ import annotations

from typing import TypedDict

from charlens.compat.tables import same_text, table
from charlens.inputs.controls import detect_text
from charlens.inputs.stream import Detector
from charlens.types import Verdict

#: The version whose interface this module has.
__version__ = "3.2.0"

__all__ = ["DetectionResult", "UniversalDetector", "__version__", "detect"]

#: Bytes kept to check that a name decodes the text as our codec does.
_CHECKED = 1 << 22


class DetectionResult(TypedDict):
    """The answer of `detect`; both are None if nothing was recognised."""

    encoding: str | None
    confidence: float | None


def detect(msg: bytes) -> DetectionResult:
    """Return the most likely encoding of *msg* and its confidence."""
    if not isinstance(msg, bytes):
        raise TypeError(f"Argument 'msg' must be bytes; got {type(msg).__name__}")
    return _from_verdict(msg, detect_text(msg, few_nuls=1.0, beside_nuls=()))  # uchardet ignores NULs


class UniversalDetector:
    """Takes bytes in pieces; `result` has the answer for the bytes so far."""

    def __init__(self) -> None:
        self._detector = Detector()
        self._head = bytearray()
        self._closed = False

    def __enter__(self) -> UniversalDetector:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def feed(self, msg: bytes) -> None:
        """Take the next bytes; after `close` they are ignored."""
        if not isinstance(msg, bytes):
            raise TypeError(f"Argument 'msg' has to be bytes; got {type(msg).__name__}")
        if not self._closed:
            self._head += msg[: max(_CHECKED - len(self._head), 0)]
            self._detector.feed(msg)

    def close(self) -> None:
        """End the input."""
        self._closed = True

    def reset(self) -> None:
        """Start again, also after `close`."""
        self._detector.reset()
        self._head = bytearray()
        self._closed = False

    @property
    def done(self) -> bool:
        """Whether more bytes are not needed."""
        return self._closed or self._detector.done or self._detector.marked

    @property
    def result(self) -> DetectionResult:
        """The answer for the bytes so far."""
        if self._detector.fed == len(self._head):
            return detect(bytes(self._head))
        return _from_verdict(None, self._detector.verdict)


def _from_verdict(data: bytes | None, verdict: Verdict) -> DetectionResult:
    name = verdict.codec
    if name is None:
        return DetectionResult(encoding=None, confidence=None)
    # uchardet names the smallest of the encodings that give the same text, except for Estonian: it is the only language
    # that it knows in Windows-1257, and it names that first.
    wider = verdict.language in table("cchardet_wider_in").get(name, ())
    narrower = () if wider else table("cchardet_narrower").get(name, ())
    name = next((each for each in narrower if same_text(data, name, each)), name)
    shown: str = table("cchardet").get(name, name.upper())
    return DetectionResult(
        encoding=shown if same_text(data, name, shown) else name.upper(), confidence=verdict.confidence
    )


if __name__ == "__main__":
    from charlens.compat.cchardetect import main

    main()
