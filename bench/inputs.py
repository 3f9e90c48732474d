"""Make the inputs of the speed benchmark: text from the prose of the tests, an executable, gzip data.

The same bytes every time on one machine; a large input repeats a block of about 1 MB of shuffled lines.
"""

from __future__ import annotations

import gzip
import random
import sys
import sysconfig
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import NamedTuple

from common import prose

SIZES = {"100 B": 100, "4 KB": 4_096, "100 KB": 102_400, "50 MB": 50_000_000}

_BLOCK = 1_000_000


class Kind(NamedTuple):
    """A kind of input and how a block of it is made."""

    name: str
    make_block: Callable[[], bytes]
    binary: bool = False


def _ascii() -> bytes:
    return shuffled("en").encode("ascii", "ignore")


def _cyrillic() -> bytes:
    return shuffled("ru", "uk", "bg").encode()


def _chinese() -> bytes:
    return shuffled("zh-Hans", "zh-Hant").encode()


def _latin() -> bytes:
    return shuffled("de", "fr", "es", "nl").encode()


def shuffled(*tags: str) -> str:
    """Return about a megabyte of lines of these languages in random order."""
    lines = [line for tag in tags for line in prose(tag).splitlines(keepends=True)]
    return "".join(random.Random(1).choices(lines, k=_BLOCK // 110))


def _executable() -> bytes:
    """Return the interpreter: its program, its library and its extension modules."""
    library = Path(sysconfig.get_config_var("LIBDIR") or "", sysconfig.get_config_var("INSTSONAME") or "")
    modules = sorted(Path(sysconfig.get_path("platstdlib"), "lib-dynload").glob("*.so"))
    return b"".join(path.read_bytes() for path in (Path(sys.executable), library, *modules) if path.is_file())


def _gzip() -> bytes:
    """Return gzip members of text without repetitions."""
    words = " ".join(prose(tag) for tag in ("de", "fr", "es", "en")).split()
    chooser = random.Random(2)
    texts = (" ".join(chooser.choices(words, k=200_000)) for _ in range(3))
    return b"".join(gzip.compress(text.encode(), mtime=0) for text in texts)


KINDS = (
    Kind("ASCII", _ascii),
    Kind("UTF-8 Cyrillic", _cyrillic),
    Kind("UTF-8 Chinese", _chinese),
    Kind("UTF-8 Latin", _latin),
    Kind("executable", _executable, binary=True),
    Kind("gzip", _gzip, binary=True),
)


def kind_named(name: str) -> Kind:
    """Return the kind of this name."""
    return next(kind for kind in KINDS if kind.name == name)


def baseline_of(kind: Kind) -> dict[str, Callable[[bytes], object]]:
    """Return the functions of Python for the same question: is it ASCII, is it UTF-8."""
    if kind.binary:
        return {}
    if kind.name == "ASCII":
        return {"bytes.isascii": bytes.isascii}
    return {"bytes.decode": bytes.decode}


def sizes_of(kind: Kind) -> dict[str, int]:
    """Return the sizes to measure; 100 bytes of an executable are hardly more than its magic number."""
    return {label: size for label, size in SIZES.items() if size >= 4_096 or not kind.binary}


@cache
def _block(kind: Kind) -> bytes:
    return kind.make_block()


def make_input(kind: Kind, size: int) -> bytes:
    """Return *size* bytes of this kind; a little less where that would cut a character."""
    block = _block(kind)
    data = (block * (size // len(block) + 1))[:size]
    return data if kind.binary else data.decode("utf-8", "ignore").encode()
