"""Find the slowest input for each entry, and whether its time grows with the size: python bench/worst.py [PAGE].

Each entry is run on several kinds of hostile input, of 128 and 512 KB. The search starts from the kind with the most
nanoseconds per byte and inserts pieces of other kinds, which stay if the whole becomes slower. The result is run at
five sizes, each twice the previous one; the exponent is the slope of the logarithms of time and size (1 is linear). The
limits are guarantees: a run that exceeds one ends with exit code 1. With a PAGE, the table is written to that page.

A short input has a fixed cost, so the sizes begin at 128 KB; the last column is the longest time in milliseconds that
any kind takes at 16 KB.
"""

from __future__ import annotations

import argparse
import math
import random
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from itertools import cycle
from pathlib import Path

import charlens
import charlens.html
from charlens.files.line_ends import find_changes

#: Nanoseconds a byte, and the exponent.
LIMITS = {
    "detect": 200,
    "segments": 5000,
    "explain": 5000,
    "repair": 5000,
    "Document": 5000,
    "html.decode": 5000,
    "differences": 5000,
}
MOST_EXPONENT = 1.25
SIZES = [1 << power for power in range(17, 22)]
SHORT = 1 << 14
#: A change is kept if it makes the input slower by more than what one measurement differs from the next.
CLEARLY = 1.05

GERMAN = "für Äpfel über größere Straßen, "


def repeated(piece: bytes) -> Callable[[int], bytes]:
    """Return a maker of inputs that repeat *piece*."""
    return lambda size: (piece * (size // len(piece) + 1))[:size]


def drawn(alphabet: bytes, seed: int = 1) -> Callable[[int], bytes]:
    """Return a maker of random inputs over *alphabet*."""
    return lambda size: bytes(random.Random(seed).choices(alphabet, k=size))


def by_turns(letters: str, encodings: tuple[str, ...], sizes: range) -> Callable[[int], bytes]:
    """Return a maker of lines of *letters*, the first in the first of *encodings*, the next in the next, and so on."""

    def make(size: int) -> bytes:
        chance, turns, made = random.Random(2), cycle(encodings), bytearray()
        while len(made) < size:
            word = "".join(chance.choices(letters, k=chance.choice(sizes)))
            made += f"{word}\n".encode(next(turns), "replace")
        return bytes(made[:size])

    return make


def different(
    misread: bool, words: int = 1, encodings: tuple[str, ...] = ("utf-8", "cp1252")
) -> Callable[[int], bytes]:
    """Return a maker of lines of words that are all different: misread once, or in one of *encodings*."""

    def make(size: int) -> bytes:
        chance, lines, length = random.Random(2), [], 0
        letters = "abcdeghi\u00e4\u00f6\u00fc\u00df\u00e9\u00e0"
        while length < size:
            text = " ".join("".join(chance.choices(letters, k=5)) for _ in range(words)) + "\n"
            wrong = (
                text.encode().decode("latin-1").encode() if misread else text.encode(chance.choice(encodings))
            )
            lines.append(wrong)
            length += len(wrong)
        return b"".join(lines)[:size]

    return make


#: Kinds of input, by name.
KINDS: dict[str, Callable[[int], bytes]] = {
    "prose in windows-1252": repeated((GERMAN + "\n").encode("cp1252")),
    "mixed line endings": repeated(b"a\r\nb\nc\rd\n"),
    "carriage returns": repeated(b"\r"),
    "mojibake": repeated((GERMAN + "\n").encode().decode("cp1252", "replace").encode()),
    "mojibake three times": repeated("fÃƒÂ¼r \n".encode()),
    "short misread lines": different(True),
    "high bytes": drawn(bytes(range(0x80, 0x100))),
    "all bytes": drawn(bytes(range(0x100))),
    "lead bytes": repeated(b"\x81\xfe"),
    "escapes": repeated(b"\x1b$B\x1b(B"),
    "plus signs": repeated(b"+AOQ-"),
    "one run of UTF-7": repeated(b"+" + b"AOQ" * 21),
    "tags that open": repeated(b"<a b='\xe9"),
    "comments that open": repeated(b"<!--\xe9"),
    "marks": repeated(b"\xff\xfe\n"),
    "NULs between lines": repeated(b"\0\n\xe9t\xe9\n"),
    "declarations": repeated(b'<meta charset="x\xe9">'),
    "lines that alternate": repeated(GERMAN.encode() + b"\n" + GERMAN.encode("cp1252") + b"\n"),
    "short lines that alternate": repeated("ü\n".encode() + b"\xfc\n"),
    "short lines in two encodings": different(False),
    "lines in two encodings": different(False, 10),
    "long lines in two encodings": different(False, 80),
    "UTF-8 with some other lines": different(False, 30, ("utf-8",) * 12 + ("cp1252",)),
    "prose in EBCDIC": repeated((GERMAN + "\x85").encode("cp273")),
    "signs in EBCDIC": repeated("a[b é {ö} \"c\"d\x85".encode("cp500")),
    "Hebrew in EBCDIC": repeated("שלום ב עולם\x85".encode("cp424")),
    "prose in UTF-16": repeated((GERMAN + "\n").encode("utf-16-le")),
    "lone surrogates": repeated(b"a\0\0\xd8"),
    "tiny lines in three encodings": by_turns(
        "абвгдежзиклмнопрсту", ("utf-8", "cp1251", "koi8-r"), range(2, 4)
    ),
    "tiny lines in five encodings": by_turns(
        "的一是不了人我在有他这中大来上", ("utf-8", "gbk", "big5", "cp932", "euc-kr"), range(1, 3)
    ),
}


#: Pieces in turn: the kind of each, and its length in bytes.
Splice = tuple[tuple[str, int], ...]
LENGTHS = (1, 8, 64, 512, 4096)


def make_spliced(splice: Splice, size: int) -> bytes:
    """Return *size* bytes: the pieces of *splice* in turn, each going on where the last one of its kind ended."""
    streams = {kind: KINDS[kind](size) for kind, _ in splice}
    at = dict.fromkeys(streams, 0)
    made = bytearray()
    for kind, length in cycle(splice):
        if len(made) >= size:
            return bytes(made[:size])
        made += streams[kind][at[kind] : at[kind] + length]
        at[kind] += length
        if at[kind] >= size:
            at[kind] = 0
    return b""


def climb(entry: Callable[[bytes], object], start: str, tries: int, show: bool = False) -> Splice:
    """Return the slowest splice found in some tries, each a random change of the slowest one before."""
    chance = random.Random(start)
    best: Splice = ((start, LENGTHS[-1]),)
    most = seconds(entry, make_spliced(best, SIZES[0]))
    for _ in range(tries):
        at = chance.randrange(len(best) + 1)
        piece = (chance.choice([*KINDS, *(kind for kind, _ in best)]), chance.choice(LENGTHS))
        other = (*best[:at], piece, *best[at + chance.randrange(2) :])
        time_taken = seconds(entry, make_spliced(other, SIZES[0]))
        if time_taken > CLEARLY * most:
            best, most = other, time_taken
            if show:
                print(f"{1e9 * most / SIZES[0]:9,.0f} {best}")
    return best


def edit(data: bytes) -> None:
    """Change every line of a document and write it."""
    document = charlens.Document(data, encoding="cp1252")
    document.text = document.text.replace("a", "b\na")
    document.to_bytes(errors="replace")


def differ(data: bytes) -> None:
    """Compare the lines of *data* with the same lines in another order."""
    lines = data.decode("latin-1").splitlines()
    for _ in find_changes(lines, lines[::2] + lines[1::2]):
        pass


ENTRIES: dict[str, Callable[[bytes], object]] = {
    "detect": charlens.detect,
    "segments": charlens.segments,
    "explain": charlens.explain,
    "repair": charlens.repair,
    "Document": edit,
    "html.decode": charlens.html.decode,
    "differences": differ,
}


def seconds(entry: Callable[[bytes], object], data: bytes, runs: int = 2) -> float:
    """Return the processor time of *entry*, the minimum of several runs; NotTextError is an answer."""
    times = []
    for _ in range(runs):
        begin = time.process_time()
        with suppress(charlens.CharlensError):
            entry(data)
        times.append(time.process_time() - begin)
    return max(min(times), 1e-6)


def slope(sizes: list[int], times: list[float]) -> float:
    """Return the exponent of growth: the slope of the line through the logarithms."""
    xs, ys = [math.log(size) for size in sizes], [math.log(each) for each in times]
    x, y = sum(xs) / len(xs), sum(ys) / len(ys)
    return sum((a - x) * (b - y) for a, b in zip(xs, ys, strict=True)) / sum((a - x) ** 2 for a in xs)


HEAD = f"{'entry':<12} {'worst input':<40} {'ns/byte':>8} {'limit':>6} {'exponent':>9} {'ms at 16 KB':>12}"


def measure(name: str, limit: int, tries: int) -> str:
    """Return the row of the table for an entry."""
    entry = ENTRIES[name]
    short = max(seconds(entry, make(SHORT)) for make in KINDS.values())
    found = {
        kind: max(seconds(entry, make(size)) / size for size in SIZES[:3:2]) for kind, make in KINDS.items()
    }
    splice = climb(entry, max(found, key=found.__getitem__), tries)
    times = [seconds(entry, make_spliced(splice, size)) for size in SIZES]
    worst = max(1e9 * each / size for each, size in zip(times, SIZES, strict=True))
    exponent = slope(SIZES, times)
    over = "  over" if worst > limit or exponent > MOST_EXPONENT else ""
    first, *others = dict.fromkeys(kind for kind, _ in splice)
    kinds = f"{first} + {len(others)} others" if others else first
    return f"{name:<12} {kinds:<40} {worst:>8,.0f} {limit:>6,} {exponent:>9.2f} {1000 * short:>12.0f}{over}"


def put_into(page: Path, table: str) -> None:
    """Put the table between its marks in *page*."""
    text = page.read_text(encoding="utf-8")
    begin, end = "<!-- worst -->\n", "<!-- end of worst -->"
    before, rest = text.split(begin)
    after = rest.split(end)[1]
    page.write_text(f"{before}{begin}\n```text\n{table}\n```\n\n{end}{after}", encoding="utf-8")


def main() -> int:
    """Measure, print a table, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--entry", action="append", choices=ENTRIES, help="only this one; may be repeated")
    parser.add_argument("--tries", type=int, default=60, help="changes that the climb tries")
    parser.add_argument("page", type=Path, nargs="?", help="a page with marks for the table")
    given = parser.parse_args()
    chosen = given.entry or list(ENTRIES)
    rows = []
    print(HEAD)
    for name in chosen:
        ENTRIES[name](KINDS["prose in windows-1252"](256))  # what is loaded on first use
        rows.append(measure(name, LIMITS[name], given.tries))
        print(rows[-1], flush=True)
    if given.page:
        put_into(given.page, f"{HEAD}\n" + "\n".join(rows))
    return 1 if any(row.endswith("over") for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
