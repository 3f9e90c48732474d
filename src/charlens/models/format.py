"""Read and write a model: `model.bin`, one file with everything that detection needs, which is mapped, not parsed.

    magic   8 bytes   b"CHARLENS"
    version 4 bytes   6
    header  4 bytes   length of the header that follows
    crc32   4 bytes   of the whole file, with zeros here
    sha256  32 bytes  of everything that follows; it names the model
    header            JSON: classes, families, unit, priors, languages, sharpness, levels, wide, words
    pairs             65,536 times 16 bits: the feature of each pair of bytes, 0xFFFF for none
    weights           features times classes, signed bytes
    characters        pairs of bytes that can be a character, times the classes that are wide, signed bytes
    words             the set of known words, as many bytes as the header says (`kernel.known_words`)

All numbers are little-endian.  A file that is truncated, has another version, or does not match its checksum is
refused.  The checksum is tested, not the hash, because loading OpenSSL would take 3 MB of memory.
"""

from __future__ import annotations

import json
import mmap
import os
import struct
import sys
import zlib
from array import array
from bisect import bisect_left
from functools import lru_cache
from typing import Any

from charlens.encodings import rank
from charlens.errors import CharlensError
from charlens.kernel.facts import CHARACTERS
from charlens.models.words import salt_of
from charlens.types import Buffer

MAGIC = b"CHARLENS"
VERSION = 6
_HEAD = struct.Struct("<8sIII32s")
#: The offset of the bytes that are hashed.
HASHED_FROM = _HEAD.size
_PAIRS = 2 * 0x10000


class ModelError(CharlensError, ValueError):
    """A file is not a model, or is incomplete."""


class Model:
    """A linear model over byte pairs, ready for the kernel."""

    def __init__(
        self, header: dict[str, Any], tables: tuple[memoryview, memoryview, memoryview, memoryview], name: str
    ) -> None:
        pairs, weights, characters, words = tables
        #: (encoding, language) of each class.
        self.classes: tuple[tuple[str, str], ...] = tuple(map(tuple, header["classes"]))
        #: For each encoding of a class, the encodings it covers in the order of preference, itself first.
        self.families: dict[str, tuple[str, ...]] = {k: tuple(v) for k, v in header["families"].items()}
        #: The log-odds (natural logarithm) of one step of a score.
        self.unit = float(header["unit"])
        #: How often each encoding occurs, on any scale.
        self.priors: dict[str, float] = dict(header["priors"])
        #: How common files in each language are, on any scale.
        self.common_languages: dict[str, float] = dict(header["languages"])
        #: (non-ASCII bytes up to, factor): the factor that turns a score into log-odds.
        self.sharpness: tuple[tuple[int, float], ...] = tuple(
            (int(n), float(f)) for n, f in header["sharpness"]
        )
        #: The same for lookups: the limits, and the log-odds of one step of a score below each.
        self.amounts = [limit for limit, _ in self.sharpness]
        self.factors = [factor * self.unit for _, factor in self.sharpness]
        #: For each class the numbers of the encodings it covers, in the order of preference.
        self.members: tuple[tuple[int, ...], ...] = tuple(
            tuple(map(rank, self.families[encoding])) for encoding, _ in self.classes
        )
        #: All of them as a set, and the first one.
        self.sets = tuple(sum(1 << number for number in numbers) for numbers in self.members)
        self.leaders = tuple(1 << numbers[0] for numbers in self.members)
        #: The languages in the order of their numbers; the numbers by tag, and as sets by the main part of the tag.
        self.languages: tuple[str, ...] = tuple(dict.fromkeys(language for _, language in self.classes))
        self.language_numbers = {tag: number for number, tag in enumerate(self.languages)}
        self.by_main_tag: dict[str, int] = {}
        for tag, number in self.language_numbers.items():
            main = tag.split("-")[0].lower()
            self.by_main_tag[main] = self.by_main_tag.get(main, 0) | 1 << number
        #: The tables for `charlens.kernel.pure.score`.
        self.parts = (
            pairs,
            weights,
            bytes(header["levels"]),
            b"".join([numbers.to_bytes(16, "little") for numbers in self.sets]),
            bytes(self.language_numbers[language] for _, language in self.classes),
            characters,
            array("H", header["wide"]).tobytes(),
        )
        #: What each class begins with if priors do not count.
        self.no_bias = bytes(4 * len(self.classes))
        #: The set of known words (`kernel.known_words`); empty if the model has none.
        self.words = words
        #: For each class, what the hashes of the words of its language begin with.
        self.salts = tuple(salt_of(language).to_bytes(4, sys.byteorder) for _, language in self.classes)
        #: The first 16 digits of the file's hash, which identify the model.
        self.name = name
        #: The file that it was read from; a pickled verdict refers to its model by this path.
        self.path = ""
        #: A cache of the statistics stage: its tables for the kernel.
        self.judge: Any = None

    def factor(self, beyond_ascii: int) -> float:
        """Return the log-odds of a step of a score; the more non-ASCII bytes, the less a step says."""
        return self.factors[min(bisect_left(self.amounts, beyond_ascii), len(self.factors) - 1)]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Model) and self.name == other.name

    def __hash__(self) -> int:
        return hash(self.name)

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        if not self.path:
            raise TypeError("a model that was not read from a file cannot be pickled")
        return _model_at, (self.path,)


@lru_cache(maxsize=4)
def _model_at(path: str) -> Model:
    """Return the model in the file *path*, read once; used to unpickle verdicts."""
    return read_model(path)


def write_model(
    path: str | os.PathLike[str],
    header: dict[str, Any],
    pairs: bytes,
    weights: bytes,
    characters: bytes = b"",
    words: bytes = b"",
) -> str:
    """Write a model file atomically and return its hash."""
    import hashlib

    from charlens.files.atomic import write_atomically

    # Padding after the JSON keeps the 16-bit numbers on even offsets.
    header = {**header, "words": len(words)}
    text = json.dumps(header, ensure_ascii=True, sort_keys=True, separators=(",", ":")).encode()
    text += b" " * (-(_HEAD.size + len(text)) % 64)
    body = text + pairs + weights + characters + words
    digest = hashlib.sha256(body).digest()
    head = _HEAD.pack(MAGIC, VERSION, len(text), checksum_of(len(text), digest, body), digest)
    write_atomically(path, head + body)
    return digest.hex()


def checksum_of(length: int, digest: bytes, body: Buffer) -> int:
    """Return the checksum of the file with *body*, whose header has this *length*."""
    return zlib.crc32(body, zlib.crc32(_HEAD.pack(MAGIC, VERSION, length, 0, digest)))


def read_model(path: str | os.PathLike[str]) -> Model:
    """Read the model in the file *path*, or in the folder *path* that holds `model.bin`."""
    name = os.fspath(path)
    if os.path.isdir(name):
        name = os.path.join(name, "model.bin")
    try:
        with open(name, "rb") as file:
            data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except ValueError:  # an empty file cannot be mapped
        return parse_model(b"", name)
    except OSError as error:
        if os.path.isfile(os.path.join(path, "sullivan.json")):
            how = f"This is an SVM model: use 'charlens classify --model {os.fspath(path)}'."
        else:
            how = "Train one with 'charlens train'."
        raise ModelError(f"no model at {name}: {error.strerror}. {how}") from error
    model = parse_model(data, name)
    model.path = os.path.abspath(name)
    if hasattr(mmap, "MADV_DONTNEED"):  # not on every system
        # The check has read the whole file; detection needs only some pages, which are read again.
        data.madvise(mmap.MADV_DONTNEED)
    return model


def parse_model(data: bytes | mmap.mmap, name: str) -> Model:
    """Check the bytes of a model file and return the model; *name* is for the errors."""
    if len(data) < _HEAD.size or data[: len(MAGIC)] != MAGIC:
        raise ModelError(f"{name} is not a charlens model")
    _, version, length, checksum, digest = _HEAD.unpack_from(data)
    if version != VERSION:
        raise ModelError(
            f"{name} is a model of version {version}; this charlens reads {VERSION}. Train it again."
        )
    view = memoryview(data)[_HEAD.size :]
    if len(view) < length or checksum_of(length, digest, view) != checksum:
        raise ModelError(
            f"{name} is damaged or cut short: its checksum does not fit. Get it again or train it again."
        )
    try:
        if (_HEAD.size + length) % 64:
            raise ValueError("the length of the header is not a multiple of 64")
        header = json.loads(bytes(view[:length]))
        _check_numbers(header)
        known = len(view) - header["words"]
        end = known - CHARACTERS * len(header.get("wide", ()))
        weights = view[length + _PAIRS : end]
        if end < length + _PAIRS or len(weights) % len(header["classes"]):
            raise ValueError("the weights do not fit the classes")
        pairs = view[length : length + _PAIRS]
        if sys.byteorder == "big":
            swapped = bytearray(pairs)
            swapped[::2], swapped[1::2] = pairs[1::2], pairs[::2]
            pairs = memoryview(bytes(swapped))
        return Model(header, (pairs, weights, view[end:known], view[known:]), digest.hex()[:16])
    except KeyError as error:
        raise ModelError(f"{name} lacks {error} in its header. Train it again with this charlens.") from error
    except (AttributeError, IndexError, OverflowError, RecursionError, TypeError, ValueError) as error:
        raise ModelError(
            f"{name} has a header that cannot be used: {error}. Train it again with this charlens."
        ) from error


def _check_numbers(header: dict[str, Any]) -> None:
    """Raise unless detection can work with the numbers of *header*."""
    odds = [header["unit"], *header["priors"].values(), *header["languages"].values()]
    factors = [factor for _, factor in header["sharpness"]]
    if not all(0 < number < 1e12 for number in (*odds, *factors)):
        raise ValueError("a unit, prior, language or sharpness is not a number over 0")
    if not isinstance(header["words"], int) or header["words"] < 0 or header["words"] % 3:
        raise ValueError("the size of the words is not a multiple of 3")
    if not header["classes"] or not factors or not header["levels"]:
        raise ValueError("it has no classes, no sharpness or no levels")
    for encoding, language in header["classes"]:
        header["priors"][encoding], header["languages"][language]
    for encoding in header["priors"]:
        header["families"][encoding][0]
