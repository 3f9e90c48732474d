"""Inputs for the fuzzers: bytes by grammar, from nothing to 70 KB, with heads that the stages look for."""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import NamedTuple

PROSE = Path(__file__).resolve().parent.parent / "tests" / "prose"

#: Pieces that some stage looks for.
PIECES = (
    b"<meta ",
    b"<META/",
    b"charset=",
    b"content=",
    b"http-equiv=",
    b'"content-type"',
    b"'Content-Type'",
    b"text/html; charset=",
    b"utf-8",
    b"windows-1251",
    b"iso-8859-2",
    b'"',
    b"'",
    b">",
    b"<",
    b"</",
    b"<!--",
    b"-->",
    b"<script>",
    b"</script>",
    b"<title ",
    b"</TITLE>",
    b"<?xml version='1.0' encoding='koi8-r'?>",
    b"<html lang=ru>",
    b"<body>",
    b"<!doctype html>",
    b"<p>",
    b"<b/",
    b"<td\n",
    b"WEBVTT",
    b" --> ",
    b"\n00:01,22 --> 1:02:03,456\n",
    b"[Script Info]\n",
    b"\nDialogue: 0,0,0,0,0,0,0,0,0,",
    b"\r\n",
    b"\r",
    b"\n",
    b"# -*- coding: latin-1 -*-\n",
    b'@charset "cp1252";',
    b"Content-Type: text/plain; charset=koi8-r\n\n",
    b"\x1b$B",
    b"\x1b(B",
    b"\x1b(I",
    b"\x1b$)C",
    b"~{",
    b"~}",
    b"+AOk-",
    b"+/v8-",
    b"\xef\xbb\xbf",
    b"\xff\xfe",
    b"\xfe\xff",
    b"\xff\xfe\x00\x00",
    b"\x84\x31\x95\x33",
    b"\x00",
    b"\x01",
    b"\x0e",
    b"\x1a",
    b"\xe9",
    b"\x80",
    b"\xff",
    b"\x81\x40",
    b"\xa4\xa2",
    b"\x8e\xa1",
    b"\xc3\xa9",
    b"\xe2\x82",
    b"\xf0\x9f\x98\x80",
    b"\xed\xa0\x80",
    b"@@@@",
    b"\x40\x40\x15",
    b" ",
    b"a",
    b"=",
    b"/",
    b"&eacute;",
)
ENCODINGS = (
    "utf-8",
    "utf-16",
    "utf-16-le",
    "utf-32-be",
    "cp1252",
    "cp1251",
    "koi8-r",
    "cp437",
    "cp866",
    "iso8859-2",
    "mac-roman",
    "cp932",
    "euc_jp",
    "gbk",
    "gb18030",
    "big5hkscs",
    "cp949",
    "iso2022_jp",
    "iso2022_kr",
    "hz",
    "utf-7",
    "cp500",
    "cp1255",
    "cp874",
    "ascii",
)
SIZES = (
    0,
    1,
    2,
    7,
    15,
    16,
    17,
    63,
    64,
    65,
    100,
    255,
    256,
    500,
    1023,
    1024,
    4095,
    4096,
    4097,
    16_384,
    33_000,
    70_000,
)


def texts() -> list[str]:
    """Return the prose of the tests."""
    return [path.read_text(encoding="utf-8") for path in sorted(PROSE.glob("*.txt"))]


#: Mostly short, for many inputs in little time: the rules are the same, and long ones come often enough.
SHORT_SIZES = (*range(65), *range(65), *range(1, 130, 2), *range(0, 600, 30), 1024, 4096, 4097)
LONG_SIZES = (16_384, 33_000, 70_000)

#: Keywords of `detect`, and values for them.
OPTIONS: dict[str, tuple[object, ...]] = {
    "only": (["utf-8", "cp1252", "cp1251"], ["cp932"], ["utf-16"], ["koi8-r", "iso8859-5", "cp866"]),
    "never": (["utf-8"], ["cp1252", "utf-7"]),
    "hints": ({"language": "ru"}, {"tld": "jp", "platform": "dos"}, {"prior": {"cp1251": 3, "koi8-r": 1}}),
    "content_type": ("text/html; charset=windows-1251", "text/plain", 'a/b; charset="utf-8"'),
    "declared": ("verify", "obey", "ignore"),
    "markup": ("direct", "none"),
    "language": (False,),
}


class Limit(NamedTuple):
    """How long to fuzz: by time, or by a number of inputs, which is the same on every machine."""

    seconds: float
    inputs: int | None

    @staticmethod
    def add_options(parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--seconds", type=float, default=60)
        parser.add_argument(
            "--inputs", type=int, help="this many inputs (of each process), however long they take"
        )

    def turns(self) -> Iterator[int]:
        """Count from 1 until the limit is reached."""
        end = time.monotonic() + self.seconds
        for turn in count(1):
            if turn > self.inputs if self.inputs is not None else time.monotonic() >= end:
                return
            yield turn


class Maker:
    """Makes inputs from a seed, of one of *sizes* mostly."""

    def __init__(self, seed: int, sizes: tuple[int, ...] = SIZES) -> None:
        self._random = random.Random(seed)
        self._texts = texts()
        self._sizes = sizes
        self._encoded: dict[tuple[int, str, bool], bytes] = {}

    def make(self) -> bytes:
        """Return the next input."""
        kind = self._random.random()
        if kind < 0.1:
            return self._random.randbytes(min(self._random.choice(self._sizes), 1024))
        if kind < 0.35:
            return b"".join(self._random.choices(PIECES, k=self._random.randrange(1, 40)))
        data = self._prose()
        for _ in range(self._random.choice((0, 0, 1, 1, 3, 10))):
            at = self._random.randrange(len(data) + 1)
            cut = self._random.randrange(3)
            data = data[:at] + self._random.choice(PIECES) + data[at + cut :]
        return data

    def _prose(self) -> bytes:
        number, encoding = self._random.randrange(len(self._texts)), self._random.choice(ENCODINGS)
        data = self._encode(number, encoding, self._random.random() < 0.3)
        size = self._random.choice(self._sizes)
        if size > len(data):
            data = data * (1 + size // max(1, len(data)))
        start = self._random.randrange(max(1, len(data) - size)) if self._random.random() < 0.5 else 0
        data = data[start : start + size]
        return data.replace(b"\n", b"\r\n") if self._random.random() < 0.1 else data

    def _encode(self, number: int, encoding: str, page: bool) -> bytes:
        """Return a text in *encoding*, or a page of it; each is encoded once."""
        key = number, encoding, page
        if key not in self._encoded:
            text = self._texts[number]
            if page:
                head = f"<!doctype html><html><head><meta charset={encoding}></head><body><p>"
                text = head + text.replace(". ", ".</p>\n<p class='x'>")
            self._encoded[key] = text.encode(encoding, "ignore")
        return self._encoded[key]

    def options(self, chance: random.Random | None = None) -> dict[str, object]:
        """Return keywords of `detect`."""
        chance = chance or self._random
        named = chance.sample(sorted(OPTIONS), k=chance.choice((0, 0, 0, 1, 1, 2, 3)))
        return {name: chance.choice(OPTIONS[name]) for name in named}


def pieces(data: bytes, chance: random.Random) -> Iterator[bytes]:
    """Yield *data* in pieces of random sizes."""
    at = 0
    while at < len(data):
        size = chance.choice((1, 7, 64, 1000, 5000, 70_000))
        yield data[at : at + size]
        at += size
