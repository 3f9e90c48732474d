"""The text rows of the table: source, documents, logs, and the prose of the tests in every encoding.

Prose is cut between characters, never inside one.
"""

from __future__ import annotations

import csv
import io
import json
import random
import unicodedata
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

from common import languages, prose
from samples import HEADS, Row, chance, heads, machine_files, made, some_size, spread

Maker = Callable[[random.Random], bytes]

_MOST_FILES = 400
_FILES = {
    "source code": ".py .c .h .sh .pl .js .css .pyx .rs .java",
    "JSON, documents, settings": ".json .md .rst .txt .html .xml .toml .cfg .ini .yaml .yml .csv .conf",
}

_WEST = "fr de es it pt nl sv da nb fi is ca gl"
_CENTRE = "pl cs sk hu hr sl sr-Latn sq"
_CYRILLIC = "ru bg be mk sr-Cyrl"
#: Encodings and the languages written in them, by family.
_LEGACY: dict[str, dict[str, str]] = {
    "Western": dict.fromkeys(("cp1252", "latin-1", "iso8859-15", "cp850", "cp437", "mac-roman"), _WEST),
    "Central European": dict.fromkeys(("cp1250", "iso8859-2", "cp852", "mac-latin2"), _CENTRE),
    "Cyrillic": {
        **dict.fromkeys(("cp1251", "iso8859-5", "mac-cyrillic", "cp855"), _CYRILLIC),
        "koi8-r": "ru bg",
        "cp866": "ru bg be",
        "koi8-u": "uk ru",
        "cp1125": "uk",
        "kz1048": "kk",
    },
    "Greek, Turkish, Baltic": {
        **dict.fromkeys(("cp1253", "iso8859-7", "cp737", "cp869"), "el"),
        **dict.fromkeys(("cp1254", "iso8859-9", "cp857"), "tr"),
        **dict.fromkeys(("cp1257", "iso8859-13", "cp775"), "lt lv et"),
    },
    "Hebrew, Arabic": {
        **dict.fromkeys(("cp1255", "iso8859-8", "cp862"), "he yi"),
        **dict.fromkeys(("cp1256", "iso8859-6", "cp720"), "ar"),
    },
    "Thai, Vietnamese": {**dict.fromkeys(("cp874", "iso8859-11"), "th"), "cp1258": "vi"},
    "Chinese, Japanese, Korean": {
        **dict.fromkeys(("gbk", "gb2312", "gb18030"), "zh-Hans"),
        **dict.fromkeys(("big5", "cp950", "big5hkscs"), "zh-Hant"),
        **dict.fromkeys(("shift_jis", "cp932", "euc-jp"), "ja"),
        **dict.fromkeys(("euc-kr", "cp949", "johab"), "ko"),
    },
}
_SHIFTING = {"iso2022_jp": "ja", "iso2022_kr": "ko", "hz": "zh-Hans"}
_EBCDIC = {"cp037": "en es fr pt nl", "cp500": "fr it es en", "cp273": "de", "cp1140": "en es fr de"}

# What a writer in a legacy encoding would have typed instead.
_PLAIN = str.maketrans(
    {"“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "‘": "'", "’": "'", "–": "-", "—": "-", "…": "..."}
    | {
        "\u00a0": " ",
        "\u202f": " ",
        "\u2009": " ",
        "€": "EUR",
        "×": "x",
        "−": "-",
        "№": "No.",
        "″": '"',
        "′": "'",
    }
)


def text_rows(count: int) -> Iterator[Row]:
    """Yield the rows of files found, then those made from prose."""
    for label, head in HEADS.items():
        for kind, suffixes in _FILES.items():
            yield Row(f"{kind}, heads of {label}", True, _files(suffixes.split(), head))
    yield made("JSON, CSV and XML, made here", True, {"JSON": _json, "CSV": _csv, "XML": _xml}, count)
    yield made(
        "logs with colour codes",
        True,
        {"ASCII": _ascii_log, "any language": _log, "progress": _progress},
        count,
    )
    yield made(
        "UTF-8, 2 B to 4 KB", True, {tag: _prose_in("utf-8", tag, 2, 4096) for tag in languages()}, count
    )
    yield made("UTF-8 with damage, 64 B to 4 KB", True, {tag: _damaged(tag) for tag in languages()}, count)
    for family, encodings in _LEGACY.items():
        yield _legacy(f"{family}, 40 B to 4 KB", encodings, count)
    yield _legacy("ISO-2022-JP, ISO-2022-KR, HZ, 40 B to 4 KB", _SHIFTING, count)
    yield made("EBCDIC, 40 B to 4 KB", True, _ebcdic_makers(), count)
    for bits in (16, 32):
        yield _wide(bits, "with a mark", 64, 4096, count)
        yield _wide(bits, "without a mark", 64, 4096, count)
        yield _wide(bits, "without a mark", 16, 63, count)
        yield made(f"UTF-{bits} source and data, without a mark", True, _wide_data(bits), count)


# ---- files, data, logs


def _files(suffixes: list[str], head: int) -> dict[str, list[bytes]]:
    parts = {}
    for suffix in suffixes:
        found = heads(spread(_found(suffix), _MOST_FILES // len(suffixes)), head)
        if found:
            parts[suffix] = found
    return parts


@cache
def _found(suffix: str) -> list[Path]:
    # The tests of interpreters hold files that are broken on purpose.
    return [
        path for path in machine_files() if path.suffix == suffix and not {"test", "tests"} & set(path.parts)
    ]


def _words(rng: random.Random) -> list[str]:
    return prose(rng.choice(languages())).split()


def _json(rng: random.Random) -> bytes:
    words = _words(rng)
    things = [
        {"id": n, "name": rng.choice(words), "size": rng.random()} for n in range(some_size(rng, 1, 200))
    ]
    return json.dumps(things, ensure_ascii=rng.random() < 0.5, indent=rng.choice((None, 2))).encode()


def _csv(rng: random.Random) -> bytes:
    output = io.StringIO()
    writer = csv.writer(output, delimiter=rng.choice(",;\t"))
    words = _words(rng)
    for number in range(some_size(rng, 2, 200)):
        writer.writerow((number, rng.choice(words), f"{rng.uniform(0, 100):.2f}", rng.choice(("", "x"))))
    return output.getvalue().encode()


def _xml(rng: random.Random) -> bytes:
    words = _words(rng)
    items = "".join(f"  <item id='{n}'>{rng.choice(words)}</item>\n" for n in range(some_size(rng, 1, 150)))
    return f"<?xml version='1.0' encoding='UTF-8'?>\n<items>\n{items}</items>\n".encode()


_COLOURS = {"DEBUG": "36", "INFO": "32", "WARNING": "1;33", "ERROR": "38;5;196", "CRITICAL": "48;2;200;0;0"}


def _ascii_log(rng: random.Random) -> bytes:
    return _log_of(rng, prose("en").translate(_PLAIN).encode("ascii", "ignore").decode().split())


def _log(rng: random.Random) -> bytes:
    return _log_of(rng, _words(rng))


def _log_of(rng: random.Random, words: list[str]) -> bytes:
    """Lines with a time, a coloured level and a few words, as loggers and test runners print them."""
    lines = []
    for number in range(some_size(rng, 2, 150)):
        level, colour = rng.choice(list(_COLOURS.items()))
        said = " ".join(rng.choices(words, k=rng.randrange(2, 12)))
        when = f"2024-05-{1 + number % 28:02d} 12:{number % 60:02d}:07"
        lines.append(f"\x1b[2m{when}\x1b[0m \x1b[{colour}m{level:<8}\x1b[0m {said}\x1b[K")
    return ("\n".join(lines) + rng.choice(("\n", "\a\n", "\r\n"))).encode()


def _progress(rng: random.Random) -> bytes:
    """A recording of a terminal: a line drawn again and again, with backspaces, bells and window titles."""
    done = rng.choice(("ok", "✔"))
    shown = "\x1b]0;building\x07" + "".join(
        rng.choice(
            (
                f"\r\x1b[34m[{'#' * n:<40}]\x1b[39m {n * 5 // 2:3d}%\x1b[0K",
                "|\b/\b-\b\\\b",
                f"\x1b[1A\x1b[2Kdone \x1b[32m{done}\x1b[0m\n",
            )
        )
        for n in range(some_size(rng, 3, 200))
    )
    return shown.encode()


# ---- prose


def _cut(rng: random.Random, text: str, encoding: str, size: int) -> bytes:
    """Return *size* bytes of *text* in *encoding*, or the few less that end with a whole character."""
    least = {"utf-16": 2, "utf-32": 4}.get(encoding[:6], 1)  # bytes to a character
    start = rng.randrange(max(1, len(text) - size // least))
    end = start + size
    while (data := text[start:end].encode(encoding)) and len(data) > size and end - start > 1:
        end -= max(1, (len(data) - size) // 4)
    return data


def _prose_in(encoding: str, tag: str, least: int, most: int) -> Maker:
    return lambda rng: _cut(rng, prose(tag), encoding, some_size(rng, least, most))


def _damaged(tag: str) -> Maker:
    """Make UTF-8 with a byte of another encoding in it, and enough around it to see that it is UTF-8."""

    def make(rng: random.Random) -> bytes:
        data = _cut(rng, prose(tag), "utf-8", some_size(rng, 64, 4096))
        at = rng.randrange(len(data))
        return data[:at] + rng.choice((b"\xe9", b"\xff", b"\x92", b"\xa0")) + data[at:]

    return make


def _legacy(name: str, encodings: dict[str, str], count: int) -> Row:
    makers = {encoding: _legacy_maker(encoding, tags.split()) for encoding, tags in encodings.items()}
    return made(name, True, makers, max(count, 60 * len(makers)))


def legacy_texts() -> dict[str, list[bytes]]:
    """Return the prose of the tests in each legacy encoding, and in UTF-8, a text for each language."""
    found = {"utf-8": [prose(tag).encode() for tag in languages()]}
    for encodings in _LEGACY.values():
        for encoding, tags in encodings.items():
            texts = (_writable(tag, encoding) for tag in tags.split())
            found[encoding] = [text.encode(encoding) for text in texts if text]
    return found


def _legacy_maker(encoding: str, tags: list[str]) -> Maker:
    texts = [text for text in (_writable(tag, encoding) for tag in tags) if text]
    if not texts:
        raise ValueError(f"no line of {', '.join(tags)} can be written in {encoding}")
    return lambda rng: _cut(rng, rng.choice(texts), encoding, some_size(rng, 40, 4096))


def _writable(tag: str, encoding: str) -> str:
    """Return the lines of a language that *encoding* can write, three times over, with plain punctuation."""
    text = prose(tag).translate(_PLAIN)
    if encoding == "cp1258":
        text = "".join(map(_tone_apart, text))
    lines = [line for line in text.splitlines() if _can_write(line, encoding)]
    return ("\r\n".join(lines) + "\r\n") * 3 if lines else ""


def _can_write(line: str, encoding: str) -> bool:
    try:
        line.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True


def _tone_apart(character: str) -> str:
    """Write a Vietnamese letter as windows-1258 has it: the letter, then its tone."""
    marks = unicodedata.normalize("NFD", character)
    tone = "".join(mark for mark in marks if mark in "\u0300\u0301\u0303\u0309\u0323")
    return unicodedata.normalize("NFC", "".join(mark for mark in marks if mark not in tone)) + tone


def _ebcdic_makers() -> dict[str, Maker]:
    """Return makers for each page and each way to end a line: NEL (0x15), LF (0x25), records of 80 columns."""

    def maker(page: str, tags: list[str], end: str) -> Maker:
        texts = [_writable(tag, page) for tag in tags]

        def make(rng: random.Random) -> bytes:
            lines = rng.choice(texts).split("\r\n")
            if end:
                text = end.join(lines)
            else:
                text = "".join(line[i : i + 72].ljust(80) for line in lines for i in range(0, len(line), 72))
            return _cut(rng, text, page, some_size(rng, 40, 4096))

        return make

    ends = {"0x15": "\x85", "0x25": "\n", "80 columns": ""}
    return {
        f"{page}, {label}": maker(page, tags.split(), end)
        for page, tags in _EBCDIC.items()
        for label, end in ends.items()
    }


# ---- UTF-16 and UTF-32


def _wide(bits: int, mark: str, least: int, most: int, count: int) -> Row:
    name = f"UTF-{bits} {mark}, {least} B to {most} B"
    marked = mark == "with a mark"
    each = max(1, round(count / (2 * len(languages()))))
    parts = {}
    for tag in languages():
        rng = chance(f"{name}/{tag}")
        parts[tag] = [
            _marked(
                _cut(rng, prose(tag), f"utf-{bits}-{order}", some_size(rng, least, most)), bits, order, marked
            )
            for order in ("le", "be")
            for _ in range(each)
        ]
    return Row(name, True, parts)


def _marked(data: bytes, bits: int, order: str, marked: bool) -> bytes:
    return "\ufeff".encode(f"utf-{bits}-{order}") + data if marked else data


def _wide_data(bits: int) -> dict[str, Maker]:
    def maker(make: Maker, order: str) -> Maker:
        return lambda rng: make(rng).decode().encode(f"utf-{bits}-{order}")

    kinds: dict[str, Maker] = {"JSON": _json, "CSV": _csv, "XML": _xml, "source": _source, "log": _log}
    return {f"{kind}, {order}": maker(make, order) for kind, make in kinds.items() for order in ("le", "be")}


def _source(rng: random.Random) -> bytes:
    text = ""
    while len(text) < 64:
        text = rng.choice(_found(".py")).read_bytes()[:16_384].decode("utf-8", "ignore")
    start = rng.randrange(len(text) - 63)
    return text[start : start + some_size(rng, 64, 4096)].encode()
