"""`CharsetDetector` and `CharsetMatch` of PyICU: the same calls, with the answers of charlens.

As in ICU, names are those of the web standards and the IANA registry; the confidence is that of charlens, 0 to 100.
"""

from __future__ import annotations

from charlens.api import detect
from charlens.compat.tables import language_code
from charlens.encodings import all_encodings, lookup
from charlens.keywords import Hints
from charlens.types import Outcome, Verdict

__all__ = ["CharsetDetector", "CharsetMatch", "ICUError"]

_UNICODE = {"ascii": "US-ASCII", "utf-16-le": "UTF-16LE", "utf-16-be": "UTF-16BE", "utf-32-le": "UTF-32LE"}


class ICUError(Exception):
    """Raised if no text was set."""


class CharsetMatch:
    """One reading of the text that was set."""

    def __init__(self, data: bytes, encoding: str, confidence: float, language: str | None) -> None:
        self._data = data
        self._encoding = encoding
        self._confidence = confidence
        self._language = language

    def getName(self) -> str:
        """Return the name of the encoding: 'UTF-8', 'windows-1251', 'Shift_JIS'."""
        return _name(self._encoding)

    def getConfidence(self) -> int:
        """Return the confidence, from 0 to 100."""
        return round(100 * self._confidence)

    def getLanguage(self) -> str:
        """Return the code of the language, or ''."""
        return language_code(self._language) or ""

    def __str__(self) -> str:
        return self._data.decode(self._encoding, "replace")

    def __repr__(self) -> str:
        return f"<CharsetMatch: {self.getName()}, {self.getConfidence()}>"


class CharsetDetector:
    """Takes bytes and their declared encoding, and returns the most likely readings."""

    def __init__(self, text: bytes | None = None, declaredEncoding: str | None = None) -> None:
        self._data = text
        self._declared = declaredEncoding
        self._filter = False

    def setText(self, text: bytes) -> CharsetDetector:
        """Set the bytes to detect."""
        self._data = bytes(text)
        return self

    def setDeclaredEncoding(self, encoding: str) -> CharsetDetector:
        """Set the declared encoding, which is used as a hint."""
        self._declared = encoding
        return self

    def enableInputFilter(self, enable: bool) -> bool:
        """Set whether markup is removed, and return the previous setting."""
        before, self._filter = self._filter, bool(enable)
        return before

    def isInputFilterEnabled(self) -> bool:
        """Whether markup is removed."""
        return self._filter

    def detect(self) -> CharsetMatch | None:
        """Return the most likely reading; ``None`` for binary data."""
        matches = self.detectAll()
        return matches[0] if matches else None

    def detectAll(self) -> tuple[CharsetMatch, ...]:
        """Return all readings, the most likely first."""
        if self._data is None:
            raise ICUError("No text has been set: call setText() first.")
        verdict = self._verdict(self._data)
        if verdict.outcome is not Outcome.TEXT or verdict.codec is None:
            return ()
        best = CharsetMatch(self._data, verdict.codec, verdict.confidence, verdict.language)
        others = (CharsetMatch(self._data, *other) for other in verdict.alternatives)
        return (best, *others)

    def _verdict(self, data: bytes) -> Verdict:
        hints: Hints | None = None
        if self._declared and lookup(self._declared):
            hints = {"declared": self._declared}
        return detect(data, hints=hints, markup="direct" if self._filter else "none")

    def getAllDetectableCharsets(self) -> list[str]:
        """Return the names of all supported encodings."""
        return list(dict.fromkeys(_name(encoding.name) for encoding in all_encodings()))


def _name(encoding: str) -> str:
    known = lookup("utf-8" if encoding == "utf-8-sig" else encoding)
    if encoding in ("utf-16", "utf-32"):
        return encoding.upper()
    return _UNICODE.get(encoding) or (known.web or known.iana if known else None) or encoding
