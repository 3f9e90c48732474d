"""Distinguish text from binary with the rules of other tools.

Each rule is an adapter like those of `peers`, and runs and is reported in the same way; it
names no encoding.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module

from charlens.evaluation.peers import Answer, Peer
from charlens.types import Outcome

# zlib's txtvsbin: text has a byte of the first list and none of the second.
_ZLIB_ALLOWED = bytes([9, 10, 13, *range(32, 256)])
_ZLIB_BLOCKED = bytes([*range(7), *range(14, 26), *range(28, 32)])

# PKZip: text has more than four in five of its bytes in this range.
_PKZIP_TEXT = bytes(range(7, 128))

# git: a NUL in the first 8,000 bytes makes a file binary (FIRST_FEW_BYTES in xdiff-interface.c).
_GIT_FIRST_BYTES = 8000


@dataclass(frozen=True)
class Rule(Peer):
    """A rule that says whether bytes are text."""

    is_text: Callable[[bytes], bool] = bool
    names_encodings: bool = False

    def version(self) -> str:
        return super().version() if self.distribution else "a rule, written here"

    def detect(self, data: bytes) -> Answer:
        return Answer(None, outcome=Outcome.TEXT if self.is_text(data) else Outcome.BINARY)


def zlib_says_text(data: bytes) -> bool:
    """Whether zlib's lists of allowed and blocked bytes call *data* text."""
    blocked = len(data) - len(data.translate(None, _ZLIB_BLOCKED))
    return blocked == 0 and len(data.translate(None, _ZLIB_ALLOWED)) < len(data)


def pkzip_says_text(data: bytes) -> bool:
    """Whether more than 80 % of *data* are bytes from 7 to 127."""
    textual = len(data) - len(data.translate(None, _PKZIP_TEXT))
    return textual * 5 > len(data) * 4


def git_says_text(data: bytes) -> bool:
    """Whether the first 8,000 bytes have no NUL."""
    return b"\0" not in data[:_GIT_FIRST_BYTES]


def charset_normalizer_says_text(data: bytes) -> bool:
    """Whether `charset_normalizer.is_binary` says no."""
    return not import_module("charset_normalizer").is_binary(data)


def binary_rivals() -> tuple[Peer, ...]:
    """Return the rules that only distinguish text from binary."""
    return (
        Rule("zlib lists", is_text=zlib_says_text),
        Rule("PKZip 80 %", is_text=pkzip_says_text),
        Rule("git NUL", is_text=git_says_text),
        Rule(
            "charset-normalizer is_binary",
            "charset_normalizer",
            "charset-normalizer",
            is_text=charset_normalizer_says_text,
        ),
    )
