"""Read and write the language model: `languages.bin`, one file that the kernel reads as it is.

    magic   8 bytes   b"CHARLANG"
    version 4 bytes   1
    header  4 bytes   length of the header that follows
    crc32   4 bytes   of everything after these 24 bytes
    length  4 bytes   of the whole file
    header            JSON: languages, scripts, sharpness, priors, least
    tables            what `kernel.tongue` takes

All numbers are little-endian.  A file that is cut short, of another version, or that does not fit its checksum is
refused.  A checksum and not a hash: reading must stay under 2 ms, and nobody is to be kept from writing such a file.
"""

from __future__ import annotations

import json
import math
import os
import struct
import sys
import zlib
from array import array
from functools import lru_cache
from typing import Any, NamedTuple

from charlens.kernel.pure_tongue import FIELDS, FOLDED
from charlens.models.format import ModelError

#: The language model that `detect` uses.
DEFAULT = "languages-2026-11-15"
FILE = "languages.bin"
#: The tag of the class for letters that are in no language: hashes, keys, encoded bytes.
NO_LANGUAGE = "zxx"
MAGIC = b"CHARLANG"
VERSION = 1
_HEAD = struct.Struct("<8sIIII")


class LanguageModel(NamedTuple):
    """What the language stage needs, ready for the kernel."""

    #: The tag of each class.
    languages: tuple[str, ...]
    #: The name of each script, in the order of their numbers less one.
    scripts: tuple[str, ...]
    #: What a step of a sum, divided by the square root of the n-grams, adds to the logarithm of the odds; by script.
    sharpness: tuple[float, ...]
    #: The logarithm of how likely each class is before anything is seen.
    priors: tuple[float, ...]
    #: The mean sum per n-gram under which text is in no language that the model knows; by script.
    least: tuple[float, ...]
    #: What `kernel.tongue` takes.
    tables: bytes

    def likely(self, numbers: tuple[int, ...]) -> list[tuple[str, float]]:
        """Return the languages in *numbers*, a result of `kernel.tongue`, with their probabilities, the likeliest first."""
        if len(numbers) <= 4:
            return []
        sharp = self.sharpness[numbers[0] - 1] / math.sqrt(numbers[3] or 1)
        odds = [
            (total * sharp + self.priors[number], self.languages[number])
            for number, total in zip(numbers[4::2], numbers[5::2], strict=True)
        ]
        odds.sort(reverse=True)
        shares = [math.exp(value - odds[0][0]) for value, _ in odds]
        whole = sum(shares)
        return [(language, share / whole) for (_, language), share in zip(odds, shares, strict=True)]


@lru_cache(maxsize=1)
def default_language_model() -> LanguageModel:
    """Return the language model that ships with the package, read when first asked for."""
    return read_language_model(os.path.join(os.path.dirname(__file__), DEFAULT))


def write_language_model(
    path: str | os.PathLike[str], header: dict[str, Any], tables: bytes
) -> bytes:
    """Write a language model atomically and return its bytes."""
    from charlens.atomic import write_atomically

    text = json.dumps(header, sort_keys=True, separators=(",", ":")).encode()
    body = text + tables
    head = _HEAD.pack(MAGIC, VERSION, len(text), zlib.crc32(body), _HEAD.size + len(body))
    write_atomically(path, head + body)
    return head + body


def read_language_model(path: str | os.PathLike[str]) -> LanguageModel:
    """Read the language model in the file *path*, or in the folder *path* that holds `languages.bin`."""
    name = os.fspath(path)
    if os.path.isdir(name):
        name = os.path.join(name, FILE)
    try:
        with open(name, "rb") as file:
            data = file.read()
    except OSError as error:
        raise ModelError(
            f"no language model at {name}: {error.strerror}. "
            "Train one with 'python -m charlens.training.languages'."
        ) from error
    return parse_language_model(data, name)


def parse_language_model(data: bytes, name: str) -> LanguageModel:
    """Check the bytes of a language model and return it; *name* is for the errors."""
    if len(data) < _HEAD.size or not data.startswith(MAGIC):
        raise ModelError(f"{name} is no language model of charlens")
    _, version, length, checksum, whole = _HEAD.unpack_from(data)
    if version != VERSION:
        raise ModelError(f"{name} is a language model of version {version}; this charlens reads {VERSION}.")
    if len(data) != whole or zlib.crc32(memoryview(data)[_HEAD.size :]) != checksum:
        raise ModelError(f"{name} is damaged or cut short. Get it again or train it again.")
    try:
        header = json.loads(data[_HEAD.size : _HEAD.size + length])
        languages, priors = tuple(header["languages"]), tuple(map(float, header["priors"]))
        scripts, sharpness = tuple(header["scripts"]), tuple(map(float, header["sharpness"]))
        least = tuple(map(float, header["least"]))
    except (KeyError, TypeError, ValueError) as error:
        raise ModelError(f"{name} has a header that cannot be read: {error!r}") from error
    if len(priors) != len(languages) or not len(scripts) == len(sharpness) == len(least):
        raise ModelError(f"{name} has parts that do not fit one another")
    tables = _native_order(data[_HEAD.size + length :])
    return LanguageModel(languages, scripts, sharpness, priors, least, tables)


def _native_order(tables: bytes) -> bytes:
    """Turn the bytes of the numbers around where this machine has them the other way."""
    if sys.byteorder == "little":
        return tables
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
