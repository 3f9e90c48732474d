"""The binary rows of the table: files by kind, and generated data.

Data that consists of text bytes is left out on purpose (pickles of protocol 0, ASCII PBM images, base64).
"""

from __future__ import annotations

import array
import bz2
import gzip
import io
import json
import lzma
import marshal
import math
import pickle
import random
import sqlite3
import struct
import sys
import tarfile
import wave
import zipfile
import zlib
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from common import languages, prose
from samples import HEADS, Row, heads, machine_files, made, some_size, spread

Maker = Callable[[random.Random], bytes]

_KINDS = {
    "archives": "gz zip tar bz2 xz 7z rar zst lz4 egg whl jar deb",
    "images": "png jpg jpeg gif bmp ico webp tif tiff",
    "fonts": "ttf otf woff woff2 eot pfb pcf",
    "sound and film": "wav mp3 ogg mp4 flac",
    "databases, keys, pickles": "db sqlite p12 der dat pickle",
    "documents": "pdf doc docx xls xlsx ppt pptx odt",
    "compiled (.pyc, .mo)": "pyc mo",
}
_PROGRAMS = "executables and libraries"
_OTHER = "other files given"
_MAGIC = (b"\x7fELF", b"MZ", b"!<arch>\n", b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe")
_MOST_FILES = 400


def binary_rows(given: Path | None, count: int) -> Iterator[Row]:
    """Yield the rows of files, from the folder *given* and the machine, then those made."""
    for label, head in HEADS.items():
        for kind, paths in _files(given).items():
            yield Row(f"{kind}, heads of {label}", False, _by_suffix(paths, head))
    yield made("archives, images, sound, databases, made here", False, _FORMATS, count)
    yield made("pickles, protocols 2 to 5", False, {f"protocol {p}": _pickler(p) for p in range(2, 6)}, count)
    yield made("gzip heads, 20 B to 4 KB", False, {"heads": _gzip_head, "small, whole": _small_gzip}, count)
    for least, most in ((20, 63), (64, 4096)):
        name = f"raw deflate fragments, {least} B to {most} B"
        yield made(name, False, {"deflate": partial(_deflate_fragment, least, most)}, count)
    yield made("random bytes, 64 B to 4 KB", False, {"random": _random}, count)
    yield made("int16 PCM", False, _pcm_makers(), count)
    yield made(
        "unsigned 8-bit PCM, loud", False, {s: _pcm8(s, 100, 127) for s in _SHAPES if s != "clicks"}, count
    )
    yield made("unsigned 8-bit PCM, quiet", False, {s: _pcm8(s, 4, 90) for s in _SHAPES}, count)
    for name, code, bits in (("uint16", "H", 16), ("int32", "I", 32), ("int64", "Q", 64)):
        yield made(f"{name} arrays", False, _number_makers(code, _integers(bits)), count)
    for name, code in (("uint16", "H"), ("int32", "I")):
        shapes: dict[str, Shape] = {"counting": partial(_count_up, 60_000)}
        yield made(f"{name} arrays that count up from anywhere", False, _number_makers(code, shapes), count)
    yield made("float32 arrays", False, _number_makers("f", _FLOATS), count)
    yield made("float64 arrays", False, _number_makers("d", _FLOATS), count)


# ---- files


def _files(given: Path | None) -> dict[str, list[Path]]:
    """Sort the files of the machine and of the folder *given* into kinds."""
    kind_of = {f".{suffix}": kind for kind, suffixes in _KINDS.items() for suffix in suffixes.split()}
    kinds: dict[str, list[Path]] = {_PROGRAMS: [], **{kind: [] for kind in _KINDS}, _OTHER: []}
    programs = [path for path in machine_files() if path.suffix in ("", ".so", ".a", ".o", ".exe", ".dll")]
    kinds[_PROGRAMS] = [path for path in programs if _is_program(path)]
    for path in machine_files():
        # The extension .dat and .db can be anything on a machine; in a folder of binary files it is binary.
        if path.suffix in kind_of and path.suffix not in (".dat", ".db"):
            kinds[kind_of[path.suffix]].append(path)
    kinds = {kind: spread(paths, _MOST_FILES) for kind, paths in kinds.items()}
    for path in sorted(given.rglob("*")) if given else ():
        if path.is_file():
            kinds[kind_of.get(path.suffix.lower(), _OTHER)].append(path)
    return {kind: paths for kind, paths in kinds.items() if paths}


def _is_program(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(8).startswith(_MAGIC)
    except OSError:
        return False


def _by_suffix(paths: list[Path], head: int) -> dict[str, list[bytes]]:
    parts: dict[str, list[Path]] = {}
    for path in paths:
        parts.setdefault(path.suffix.lower() or "no suffix", []).append(path)
    return {suffix: heads(same, head) for suffix, same in sorted(parts.items())}


# ---- compressed data


def _payload(rng: random.Random, size: int) -> bytes:
    """Return *size* bytes worth compressing: words of one language, or JSON, or numbers."""
    words = prose(rng.choice(languages())).split()
    style = rng.randrange(3)
    if style == 0:
        text = " ".join(rng.choices(words, k=size // 4 + 1))
    elif style == 1:
        text = json.dumps(
            [{"id": rng.randrange(10**6), "name": rng.choice(words)} for _ in range(size // 24 + 1)]
        )
    else:
        text = "\n".join(f"{rng.randrange(10**4)};{rng.uniform(0, 99):.2f}" for _ in range(size // 8 + 1))
    return text.encode()[:size]


def _gzip_head(rng: random.Random) -> bytes:
    """Return the first 20 to 4,096 bytes of a gzip file that has more, with and without its name and time."""
    output = io.BytesIO()
    with gzip.GzipFile(
        filename=rng.choice(("", "notes.txt", "backup-2024.tar")),
        mode="wb",
        fileobj=output,
        compresslevel=rng.choice((1, 6, 9)),
        mtime=rng.choice((0, rng.randrange(2**31))),
    ) as file:
        file.write(_payload(rng, 40_000))
    return output.getvalue()[: some_size(rng, 20, 4096)]


def _small_gzip(rng: random.Random) -> bytes:
    return gzip.compress(_payload(rng, some_size(rng, 4, 4000)), mtime=0)


def _random(rng: random.Random) -> bytes:
    return rng.randbytes(some_size(rng, 64, 4096))


def _deflate_fragment(least: int, most: int, rng: random.Random) -> bytes:
    """Return *least* to *most* bytes out of the middle of a deflate stream: no header, no end."""
    size = some_size(rng, least, most)
    stream = b""
    while len(stream) <= size + 200:  # some payloads shrink to nearly nothing
        compressor = zlib.compressobj(rng.choice((1, 6, 9)), wbits=-15)
        stream = compressor.compress(_payload(rng, 60_000)) + compressor.flush()
    start = rng.randrange(200, len(stream) - size)
    return stream[start : start + size]


# ---- formats


def _zip(rng: random.Random) -> bytes:
    output = io.BytesIO()
    with zipfile.ZipFile(output, "w", rng.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))) as archive:
        for number in range(rng.randrange(1, 5)):
            info = zipfile.ZipInfo(f"part{number}.txt", (2020 + number, 1, 2, 3, 4, 6))
            archive.writestr(info, _payload(rng, some_size(rng, 20, 6000)), archive.compression)
    return output.getvalue()


def _tar(rng: random.Random) -> bytes:
    output = io.BytesIO()
    with tarfile.open(fileobj=output, mode="w") as archive:
        for number in range(rng.randrange(1, 5)):
            content = _payload(rng, some_size(rng, 20, 6000))
            info = tarfile.TarInfo(f"part{number}.txt")
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return output.getvalue()


def _sqlite(rng: random.Random) -> bytes:
    connection = sqlite3.connect(":memory:")
    connection.execute("create table things (id integer primary key, name text, price real)")
    words = prose(rng.choice(languages())).split()
    rows = [(rng.choice(words), rng.uniform(0, 99)) for _ in range(some_size(rng, 1, 500))]
    connection.executemany("insert into things (name, price) values (?, ?)", rows)
    connection.commit()
    if sys.version_info >= (3, 11):
        return connection.serialize()[:16_384]
    return b"SQLite format 3\x00\x10\x00\x01\x01\x00"  # Python 3.10 cannot serialise; its first 21 bytes


def _png(rng: random.Random) -> bytes:
    width, height = rng.randrange(1, 64), rng.randrange(1, 64)
    lines = b"".join(b"\0" + bytes(rng.choices((0, 40, 255, 90), k=3 * width)) for _ in range(height))

    def chunk(name: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"IDAT", zlib.compress(lines))
        + chunk(b"IEND", b"")
    )


def _bmp(rng: random.Random) -> bytes:
    width, height = rng.randrange(1, 40), rng.randrange(1, 40)
    line = (3 * width + 3) // 4 * 4
    pixels = bytes(rng.choices((32, 128, 200, 255), k=line * height))
    info = struct.pack("<IiiHHIIiiII", 40, width, height, 1, 24, 0, len(pixels), 2835, 2835, 0, 0)
    return b"BM" + struct.pack("<IHHI", 54 + len(pixels), 0, 0, 54) + info + pixels


def _wave(rng: random.Random) -> bytes:
    output = io.BytesIO()
    wide = rng.choice((1, 2))
    with wave.open(output, "wb") as file:
        file.setnchannels(rng.choice((1, 2)))
        file.setsampwidth(wide)
        file.setframerate(rng.choice((8000, 22050, 44100)))
        file.writeframes(_pcm8("sine", 4, 127)(rng) if wide == 1 else _pcm16("speech", "<")(rng))
    return output.getvalue()


def _things(rng: random.Random) -> list[object]:
    words = prose(rng.choice(languages())).split()
    makers: tuple[Callable[[], object], ...] = (
        lambda: rng.choice(words),
        lambda: rng.randrange(-(10**6), 10**6),
        lambda: rng.uniform(-1, 1),
        lambda: {rng.choice(words): rng.randrange(100)},
        lambda: [rng.choice(words), None, True],
    )
    return [rng.choice(makers)() for _ in range(some_size(rng, 1, 300))]


def _pickler(protocol: int) -> Maker:
    return lambda rng: pickle.dumps(_things(rng), protocol)


_FORMATS: dict[str, Maker] = {
    "zip": _zip,
    "tar": _tar,
    "gzip": lambda rng: gzip.compress(_payload(rng, some_size(rng, 20, 20_000)), mtime=0),
    "bz2": lambda rng: bz2.compress(_payload(rng, some_size(rng, 20, 20_000))),
    "xz": lambda rng: lzma.compress(_payload(rng, some_size(rng, 20, 20_000))),
    "zlib": lambda rng: zlib.compress(_payload(rng, some_size(rng, 20, 20_000))),
    "sqlite": _sqlite,
    "png": _png,
    "bmp": _bmp,
    "wav": _wave,
    "marshal": lambda rng: marshal.dumps(_things(rng)),
}


# ---- sound without a header


def _sine(rng: random.Random, count: int) -> list[float]:
    step = 2 * math.pi * rng.uniform(50, 3000) / 44_100
    return [math.sin(step * i) for i in range(count)]


def _noise(rng: random.Random, count: int) -> list[float]:
    return [rng.uniform(-1, 1) for _ in range(count)]


def _speech(rng: random.Random, count: int) -> list[float]:
    """Three tones that swell and fade, with a little noise: voiced sound, roughly."""
    steps = [2 * math.pi * rng.uniform(80, 2500) / 16_000 for _ in range(3)]
    swell = 2 * math.pi * rng.uniform(2, 8) / 16_000
    return [
        (sum(math.sin(step * i) for step in steps) / 3.2 + rng.gauss(0, 0.02)) * abs(math.sin(swell * i + 1))
        for i in range(count)
    ]


def _clicks(rng: random.Random, count: int) -> list[float]:
    """Silence with a click now and then."""
    return [rng.uniform(-1, 1) if rng.random() < 0.02 else 0.0 for _ in range(count)]


_SHAPES = {"sine": _sine, "noise": _noise, "speech": _speech, "clicks": _clicks}


def _pcm_makers() -> dict[str, Maker]:
    return {f"{shape}, {_ORDERS[order]}": _pcm16(shape, order) for shape in _SHAPES for order in _ORDERS}


def _pcm16(shape: str, order: str) -> Maker:
    def make(rng: random.Random) -> bytes:
        # 64 bytes to 16 KB; from a whisper to full scale.
        amplitude = some_size(rng, 30, 32_767)
        values = [
            round(amplitude * max(-1.0, min(1.0, v))) for v in _SHAPES[shape](rng, some_size(rng, 32, 8192))
        ]
        return struct.pack(f"{order}{len(values)}h", *values)

    return make


def _pcm8(shape: str, least: int, most: int) -> Maker:
    def make(rng: random.Random) -> bytes:
        amplitude = some_size(rng, least, most)
        values = _SHAPES[shape](rng, some_size(rng, 256, 8192))
        return bytes(128 + round(amplitude * max(-1.0, min(1.0, value))) for value in values)

    return make


# ---- arrays of numbers

_ORDERS = {"<": "little endian", ">": "big endian"}

Shape = Callable[[random.Random, int], list[float]]


def _number_makers(code: str, shapes: dict[str, Shape]) -> dict[str, Maker]:
    """Return a maker for each shape in both byte orders: 16 to 2,048 numbers, at least 64 bytes."""

    def maker(shape: Shape, order: str) -> Maker:
        width = array.array(code).itemsize

        def make(rng: random.Random) -> bytes:
            values = shape(rng, some_size(rng, max(16, 64 // width), 2048))
            return struct.pack(f"{order}{len(values)}{code}", *values)

        return make

    return {
        f"{name}, {_ORDERS[order]}": maker(shape, order)
        for name, shape in shapes.items()
        for order in _ORDERS
    }


def _count_up(most: int, rng: random.Random, count: int) -> list[float]:
    start = rng.randrange(most)
    return [start + i for i in range(count)]


def _integers(bits: int) -> dict[str, Shape]:
    full = 2**bits

    def below(limit: int) -> Shape:
        return lambda rng, count: [rng.randrange(limit) for _ in range(count)]

    def small_signed(rng: random.Random, count: int) -> list[float]:
        return [rng.randrange(-100, 101) % full for _ in range(count)]

    def sorted_ids(rng: random.Random, count: int) -> list[float]:
        return sorted(rng.randrange(min(full, 10**6)) for _ in range(count))

    def offsets(rng: random.Random, count: int) -> list[float]:
        """Positions in a file, each some bytes after the last: an index."""
        position, found = 0, []
        for _ in range(count):
            found.append(position % full)
            position += rng.randrange(1, 60)
        return list(found)

    shapes = {f"below {limit}": below(limit) for limit in (256, 1000, 4096)}
    shapes |= {
        "full range": below(full),
        "small, signed": small_signed,
        "counting from 0": partial(_count_up, 1),
    }
    return shapes | {"sorted ids": sorted_ids, "file offsets": offsets}


_FLOATS: dict[str, Shape] = {
    "normal": lambda rng, count: [rng.gauss(0, 1) for _ in range(count)],
    "0 to 1": lambda rng, count: [rng.random() for _ in range(count)],
    "whole numbers": lambda rng, count: [float(rng.randrange(1000)) for _ in range(count)],
    "prices": lambda rng, count: [rng.randrange(1, 10**5) / 100 for _ in range(count)],
    "places on a map": lambda rng, count: [rng.uniform(45, 55) for _ in range(count)],
}
