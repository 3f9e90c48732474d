"""Read and write the language model: `languages.bin`, one file that the kernel reads as it is.

    magic   8 bytes   b"CHARLANG"
    version 4 bytes   2
    header  4 bytes   length of the header that follows
    crc32   4 bytes   of the whole file, with zeros here
    length  4 bytes   of the whole file
    header            text: a line each for languages, scripts, sharpness, priors, least; its name and values, with tabs
    tables            what `kernel.languages` takes

All numbers are little-endian.  A file that is truncated, has another version, or does not match its checksum is
refused.  There is a checksum instead of a hash, and lines instead of JSON, because they load faster: nearly every
detection needs this file.
"""

from __future__ import annotations

import math
import os
import struct
import sys
import zlib
from array import array
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from charlens.kernel.odds import class_odds

if TYPE_CHECKING:
    from charlens.models.format import ModelError
    from charlens.types import Buffer

#: The language model that `detect` uses.
DEFAULT = "languages-2026-11-15"
FILE = "languages.bin"
#: The tag of the class for letters without a language: hashes, keys, encoded bytes.
NO_LANGUAGE = "zxx"
#: Log-odds: a class that is e^7 times (1,100 times) less likely than the best does not matter.
REACH = 7.0
MAGIC = b"CHARLANG"
VERSION = 2
_HEAD = struct.Struct("<8sIIII")


class LanguageModel:
    """What the language stage needs, ready for the kernel."""

    def __init__(self, header: Mapping[str, Sequence[str]], tables: bytes) -> None:
        #: The tag of each class.
        self.languages = tuple(header["languages"])
        #: The name of each script, in the order of their numbers less one.
        self.scripts = tuple(header["scripts"])
        #: The log-odds of a step of a sum, divided by the square root of the number of n-grams; by script.
        self.sharpness = tuple(map(float, header["sharpness"]))
        #: The logarithm of the prior probability of each class.
        self.priors = tuple(map(float, header["priors"]))
        self.highest_prior = max(self.priors, default=0.0)
        #: Below this mean sum per n-gram, the text is in no language that the model knows; by script.
        self.least = tuple(map(float, header["least"]))
        #: The tables for `kernel.languages`.
        self.tables = tables
        if len(self.priors) != len(self.languages) or not len(self.scripts) == len(self.sharpness) == len(
            self.least
        ):
            raise ValueError("its lists are not equally long")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LanguageModel) and self.tables == other.tables

    def __hash__(self) -> int:
        return hash(self.languages)

    def __reduce__(self) -> tuple[object, tuple[()]]:
        # A verdict always refers to the built-in language model.
        return default_language_model, ()

    def odds(self, numbers: tuple[int, ...]) -> list[tuple[float, int]]:
        """Return the log-odds of the classes in *numbers*, a result of `kernel.languages`, the best first."""
        return class_odds(self.sharpness, self.priors, numbers, REACH)

    def likely(self, numbers: tuple[int, ...]) -> list[tuple[str, float]]:
        """Return the languages in *numbers* with their probabilities, the most likely first."""
        if len(numbers) <= 4:
            return []
        odds = self.odds(numbers)
        shares = [math.exp(value - odds[0][0]) for value, _ in odds]
        whole = sum(shares)
        return [
            (self.languages[number], share / whole) for (_, number), share in zip(odds, shares, strict=True)
        ]


@lru_cache(maxsize=1)
def default_language_model() -> LanguageModel:
    """Return the language model that comes with the package, read on first use.

    `CHARLENS_LANGUAGES` names the folder of another one, to measure it.
    """
    other = os.environ.get("CHARLENS_LANGUAGES")
    return read_language_model(other or os.path.join(os.path.dirname(__file__), DEFAULT))


def write_language_model(
    path: str | os.PathLike[str], header: Mapping[str, Sequence[object]], tables: bytes
) -> bytes:
    """Write a language model atomically and return its bytes."""
    from charlens.files.atomic import write_atomically

    lines = ("\t".join((name, *map(str, values))) for name, values in sorted(header.items()))
    text = "\n".join(lines).encode()
    body = text + tables
    head = _HEAD.pack(MAGIC, VERSION, len(text), checksum_of(len(text), body), _HEAD.size + len(body))
    write_atomically(path, head + body)
    return head + body


def checksum_of(length: int, body: Buffer) -> int:
    """Return the checksum of the file with *body*, whose header has this *length*."""
    return zlib.crc32(body, zlib.crc32(_HEAD.pack(MAGIC, VERSION, length, 0, _HEAD.size + len(body))))


def read_language_model(path: str | os.PathLike[str]) -> LanguageModel:
    """Read the language model in the file *path*, or in the folder *path* that holds `languages.bin`."""
    name = os.fspath(path)
    if os.path.isdir(name):
        name = os.path.join(name, FILE)
    try:
        with open(name, "rb") as file:
            data = file.read()
    except OSError as error:
        raise _error(
            f"no language model at {name}: {error.strerror}. "
            "Train one with 'python -m charlens.training.languages'."
        ) from error
    return parse_language_model(data, name)


def parse_language_model(data: bytes, name: str) -> LanguageModel:
    """Check the bytes of a language model and return it; *name* is for the errors."""
    if len(data) < _HEAD.size or not data.startswith(MAGIC):
        raise _error(f"{name} is not a language model of charlens")
    _, version, length, checksum, whole = _HEAD.unpack_from(data)
    if version != VERSION:
        raise _error(f"{name} is a language model of version {version}; this charlens reads {VERSION}.")
    if len(data) != whole or checksum_of(length, memoryview(data)[_HEAD.size :]) != checksum:
        raise _error(f"{name} is damaged or cut short. Get it again or train it again.")
    try:
        lines = data[_HEAD.size : _HEAD.size + length].decode().split("\n")
        header = {name: values for name, *values in (line.split("\t") for line in lines)}
        return LanguageModel(header, _native_order(data[_HEAD.size + length :]))
    except (KeyError, ValueError) as error:
        raise _error(f"{name} has a header that cannot be read: {error!r}") from error


def _native_order(tables: bytes) -> bytes:
    """Swap the bytes of the numbers on a big-endian machine."""
    if sys.byteorder == "little":
        return tables
    from charlens.kernel.facts import FOLDED
    from charlens.kernel.pure_languages import FIELDS

    scripts, slots = struct.unpack_from("<II", tables)
    start = 16 + 2 * FOLDED + 0x1000 + 4 * FIELDS * scripts
    pieces = []
    for width, first, last in (
        ("I", 0, 16),
        ("H", 16, 16 + 2 * FOLDED),
        ("B", 16 + 2 * FOLDED, 16 + 2 * FOLDED + 0x1000),
        ("I", 16 + 2 * FOLDED + 0x1000, start),
        ("H", start, start + 2 * slots),
        ("B", start + 2 * slots, len(tables)),
    ):
        numbers = array(width, tables[first:last])
        numbers.byteswap()
        pieces.append(numbers.tobytes())
    return b"".join(pieces)


def _error(words: str) -> ModelError:
    from charlens.models.format import ModelError  # here: imports hashlib and json, 4 ms

    return ModelError(words)
