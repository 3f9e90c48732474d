"""Detectors for pages: charlens with several settings, others on the text only, and the hybrid of the paper.

The hybrid is that of Faghani, Hadian and Minaei-Bidgoli: if Mozilla's detector says UTF-8, it is UTF-8; for
everything else ICU decides, on the page without its markup.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib.util import find_spec
from typing import Any

from charlens import kernel
from charlens.evaluation.peers import Answer, Charlens, Peer, encoding_peers
from charlens.types import Outcome

_NATIVE = {"CHARLENS_KERNEL": "native"}


@dataclass(frozen=True)
class CharlensPages(Charlens):
    """charlens with keywords of `detect`."""

    keywords: Mapping[str, Any] = field(default_factory=dict)

    @property
    def missing_reason(self) -> str | None:
        if self.keywords.get("markup") == "parser" and find_spec("selectolax") is None:
            return "not installed; pip install 'charlens[html]' adds lexbor"
        return super().missing_reason

    def detect(self, data: bytes) -> Answer:
        import charlens

        verdict = charlens.detect(data, **self.keywords)
        return Answer(verdict.encoding, verdict.confidence, verdict.language, verdict.outcome)


@dataclass(frozen=True)
class OnWords(Peer):
    """Another detector on the page without its markup; on the whole page if its text is only ASCII."""

    inner: Peer = field(default_factory=Peer)

    @property
    def missing_reason(self) -> str | None:
        return self.inner.missing_reason

    def version(self) -> str:
        return f"{self.inner.version()} on words"

    def detect(self, data: bytes) -> Answer:
        return self.inner.detect(_words(data))


def _words(data: bytes, markup: str = "direct") -> bytes:
    """Return the text of a page; 7-bit pages are not changed, because ISO-2022-JP has '<' inside its characters."""
    if markup == "parser":
        from charlens.integrations.lexbor import strip_markup

        words = strip_markup(data)
    else:
        words = kernel.strip_markup(data, 0)
    return data if words.isascii() else words


@dataclass(frozen=True)
class Hybrid(Peer):
    """Mozilla's detector for UTF-8, else ICU on the text, which is extracted by the scanner or a parser."""

    markup: str = "direct"

    @cached_property
    def _parts(self) -> tuple[Peer, Peer]:
        named = {peer.name: peer for peer in encoding_peers()}
        return named["uchardet"], named["icu"]

    @property
    def missing_reason(self) -> str | None:
        if self.markup == "parser" and find_spec("selectolax") is None:
            return "not installed; pip install 'charlens[html]' adds lexbor"
        return self._parts[0].missing_reason or self._parts[1].missing_reason

    def version(self) -> str:
        return " and ".join(part.version() for part in self._parts)

    def detect(self, data: bytes) -> Answer:
        mozilla, icu = self._parts
        first = mozilla.detect(data)
        if first.encoding and first.encoding.upper().startswith(("UTF-8", "ASCII")):
            return first
        answer = icu.detect(_words(data, self.markup))
        return answer if answer.outcome is Outcome.TEXT else icu.detect(data)


def content_peers() -> tuple[Peer, ...]:
    """Return the detectors for pages without declarations."""
    named = {peer.name: peer for peer in encoding_peers()}
    asked = [named[name] for name in ("icu", "uchardet", "chardet", "charset-normalizer", "chardetng")]
    return (
        _ours("charlens", declared="ignore"),
        _ours("charlens, parser", declared="ignore", markup="parser"),
        _ours("charlens, all bytes", declared="ignore", markup="none"),
        Hybrid("hybrid", web_labels=True),
        Hybrid("hybrid, parser", web_labels=True, markup="parser"),
        *asked,
        *(OnWords(f"{peer.name}, words", web_labels=peer.web_labels, inner=peer) for peer in asked),
    )


def declared_peers() -> tuple[Peer, ...]:
    """Return the detectors for pages with declarations: those that use them."""
    named = {peer.name: peer for peer in encoding_peers()}
    return (
        _ours("charlens, verify", declared="verify"),
        _ours("charlens, obey", declared="obey"),
        _ours("charlens, ignore", declared="ignore"),
        named["chardet"],
        named["charset-normalizer"],
    )


def _ours(name: str, **keywords: str) -> Peer:
    return CharlensPages(name, environment=_NATIVE, keywords=keywords)
