"""Measure crawl archives: `python bench/warc.py [--pages 20000] [--price 0.04]`.

A generated archive of pages in 20 encodings, with right, wrong and missing headers (see
`charlens.evaluation.made_archive`).  Each contender reads it with fastwarc and decodes every page; the table has
the time and the share of right texts.  Times are processor time of one process, the minimum of several rounds in which
the contenders take turns.  At the end, the script prints what a terabyte costs at that rate.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from time import process_time

from common import describe, languages, load, prose, table

import charlens
from charlens.encodings import web_codec, web_lookup
from charlens.evaluation.made_archive import MadePage, make_pages, write_archive
from charlens.integrations.warc import Unit, decode_unit

_ROUNDS = 3
#: Seconds from which a contender is measured once.
_LONG = 20.0
_ALONE, _ROWS = "fastwarc alone", "charlens warc: rows of Arrow"

Decode = Callable[[bytes, str], object]


def responses(path: Path) -> Iterator[tuple[bytes, str]]:
    """Yield body and Content-Type of each record."""
    from fastwarc.warc import ArchiveIterator, WarcRecordType

    with open(path, "rb") as file:
        for record in ArchiveIterator(file, record_types=WarcRecordType.response):
            yield record.reader.read(), record.http_headers.get("Content-Type") or ""


def by_header(body: bytes, header: str) -> str:
    """Believe the server, else UTF-8."""
    web = web_lookup(header.partition("charset=")[2])
    return body.decode((web_codec(web) if web else None) or "utf-8", "replace")


def by_charlens(body: bytes, header: str) -> str:
    """Give charlens the header."""
    return charlens.decode(body, content_type=header, parts=False)


def by_cchardet(body: bytes, header: str) -> str:
    """Try UTF-8, then ask cchardet."""
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError:
        return body.decode(load("cchardet").detect(body)["encoding"] or "latin-1", "replace")  # type: ignore[union-attr]


def by_resiliparse(body: bytes, header: str) -> str:
    """Ask resiliparse."""
    parse = load("resiliparse.parse.encoding")
    assert parse is not None
    encoding = parse.detect_encoding(body)
    text: str = parse.bytes_to_str(body, encoding or "utf-8", errors="replace")
    return text


def contenders() -> dict[str, Decode | None]:
    """Return the functions that turn a body and a header into text, by name."""
    found: dict[str, Decode | None] = {
        _ALONE: None,
        "and the header's charset": by_header,
        "and charlens": by_charlens,
    }
    if load("cchardet"):
        found["and UTF-8, then cchardet"] = by_cchardet
    if load("resiliparse.parse.encoding"):
        found["and resiliparse's detection"] = by_resiliparse
    return found


def read_all(path: Path, decode: Decode | None) -> None:
    """Read the archive, and make text of every page."""
    for body, header in responses(path):
        if decode is not None:
            decode(body, header)


def read_rows(path: Path) -> None:
    """Do the same as `charlens warc`, without writing the rows."""
    for _ in decode_unit(Unit(str(path))):
        pass


def right(path: Path, decode: Decode, pages: Iterator[MadePage]) -> list[str]:
    """Return the share of right texts: of all, and by the kind of header."""
    hits: Counter[str] = Counter()
    of: Counter[str] = Counter()
    for (body, header), page in zip(responses(path), pages, strict=True):
        hits[page.declared] += decode(body, header) == page.text
        of[page.declared] += 1
    kinds = ("right", "wrong", "missing")
    return [f"{hits.total() / of.total():.1%}", *(f"{hits[kind] / of[kind]:.1%}" for kind in kinds)]


def time_all(work: dict[str, Callable[[], None]]) -> dict[str, float]:
    """Return the minimum processor time of each, in turns; slow ones are measured once."""
    times: dict[str, float] = {}
    for _ in range(_ROUNDS):
        for name, run in work.items():
            if times.get(name, 0.0) < _LONG:
                begin = process_time()
                run()
                times[name] = min(times.get(name, float("inf")), process_time() - begin)
    return times


def main() -> None:
    """Make the archive, measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=20_000)
    parser.add_argument(
        "--lines", type=int, default=400, help="lines of a page on average, of about 180 bytes"
    )
    parser.add_argument("--price", type=float, default=0.04, help="dollars for an hour of a processor")
    given = parser.parse_args()
    print(describe(), "\n")
    texts = {tag: prose(tag) for tag in languages()}
    pages = partial(make_pages, texts, given.pages, lines_each=(given.lines // 10, given.lines * 19 // 10))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "made.warc.gz"
        write_archive(path, pages())
        size = path.stat().st_size
        decoders = contenders()
        work: dict[str, Callable[[], None]] = {
            name: partial(read_all, path, decode) for name, decode in decoders.items()
        }
        times = time_all({**work, _ROWS: partial(read_rows, path)})
        shares = {
            name: right(path, decode, pages()) for name, decode in decoders.items() if decode is not None
        }
        bodies = sum(len(body) for body, _ in responses(path))
    print(f"{given.pages:,} pages, {bodies / 1e6:.0f} MB of bodies, {size / 1e6:.0f} MB compressed\n")
    lines = [
        [
            name,
            f"{1e6 * seconds / given.pages:.0f}",
            f"{seconds / times[_ALONE]:.2f}",
            *shares.get(name, ["–"] * 4),
        ]
        for name, seconds in times.items()
    ]
    print(
        table(
            ["contender", "µs per page", "to fastwarc", "right text", "header right", "wrong", "missing"], lines
        )
    )
    print()
    for name in (_ALONE, _ROWS):
        hours = times[name] / size * 1e12 / 3600
        print(
            f"{name}: {size / times[name] / 1e6:.1f} MB of archive per second and processor; "
            f"a terabyte takes {hours:.0f} processor hours "
            f"({hours * given.price:.2f} dollars at {given.price} dollars per hour)"
        )


if __name__ == "__main__":
    main()
