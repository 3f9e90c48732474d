"""Make a crawl archive for measurements and tests: pages in 20 encodings, with right, wrong and missing headers.

The caller provides texts by language.  Every page is a record in a separate gzip member, as crawlers
write them; the same seed gives the same bytes.
"""

from __future__ import annotations

import gzip
import random
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from charlens.encodings.orthography import write

#: Languages and the encodings that pages in them are written in; the label that the web has for each encoding.
_WRITTEN = (
    ("en", "utf-8", "utf-8"),
    ("de", "cp1252", "windows-1252"),
    ("fr", "iso8859-15", "iso-8859-15"),
    ("ru", "cp1251", "windows-1251"),
    ("ru", "koi8-r", "koi8-r"),
    ("uk", "koi8-u", "koi8-u"),
    ("pl", "iso8859-2", "iso-8859-2"),
    ("cs", "cp1250", "windows-1250"),
    ("el", "iso8859-7", "iso-8859-7"),
    ("tr", "cp1254", "windows-1254"),
    ("he", "cp1255", "windows-1255"),
    ("ar", "cp1256", "windows-1256"),
    ("lt", "cp1257", "windows-1257"),
    ("vi", "cp1258", "windows-1258"),
    ("th", "cp874", "windows-874"),
    ("ja", "cp932", "shift_jis"),
    ("ja", "euc_jp", "euc-jp"),
    ("zh-Hans", "gb18030", "gb18030"),
    ("zh-Hant", "big5", "big5"),
    ("ko", "cp949", "euc-kr"),
    ("ru", "utf-8", "utf-8"),
    ("zh-Hans", "utf-8", "utf-8"),
    ("es", "utf-8", "utf-8"),
)
#: The labels that servers send by default.
_WRONG = ("iso-8859-1", "utf-8", "windows-1251", "gb2312")
_DECLARED = ("right", "wrong", "missing")


class MadePage(NamedTuple):
    """A page and its true properties."""

    url: str
    #: The Content-Type that the server sends.
    header: str
    declared: str
    encoding: str
    text: str

    @property
    def body(self) -> bytes:
        """The bytes of the page."""
        return self.text.encode(self.encoding)


def make_pages(
    texts: Mapping[str, str], count: int, seed: int = 0, lines_each: tuple[int, int] = (4, 40)
) -> Iterator[MadePage]:
    """Yield *count* pages out of *texts*, which has prose by language; a line of a page has about 250 bytes."""
    chance = random.Random(seed)
    known = [each for each in _WRITTEN if each[0] in texts]
    for number in range(count):
        language, encoding, label = known[number % len(known)]
        declared = _DECLARED[number // len(known) % len(_DECLARED)]
        joint, words = _words(texts[language], encoding)
        body = "\n".join(
            f'<div class="c{chance.randrange(99)}" id="{chance.getrandbits(40):x}"><p>'
            f"{joint.join(chance.choices(words, k=20))}</p></div>"
            for _ in range(chance.randrange(*lines_each))
        )
        text = f"<html><head><title>{number}</title></head>\n<body>\n{body}\n</body></html>\n"
        wrong = chance.choice([each for each in _WRONG if each != label])
        charset = {"right": f"; charset={label}", "wrong": f"; charset={wrong}", "missing": ""}[declared]
        yield MadePage(
            f"http://made-{number}.{language[:2]}/", f"text/html{charset}", declared, encoding, text
        )


@lru_cache(maxsize=64)
def _words(text: str, encoding: str) -> tuple[str, list[str]]:
    """Return the words of *text* as people write them in *encoding*, and what is between them.

    Pages are made of words, not of sentences, so that they compress as real pages do, about five to one.
    """
    written = write(text, encoding)
    read = (text.encode(encoding, "ignore") if written is None else written).decode(encoding)
    words = read.split()
    if len(words) > len(read) / 20:
        return " ", words
    return "", [read[at : at + 5] for at in range(0, len(read), 5)]


def record(url: str, header: str, body: bytes) -> bytes:
    """Return one response as a WARC record."""
    http = f"HTTP/1.1 200 OK\r\nContent-Type: {header}\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body
    fields = (
        "WARC/1.0",
        "WARC-Type: response",
        "WARC-Date: 2026-01-01T00:00:00Z",
        "WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-000000000000>",
        f"WARC-Target-URI: {url}",
        "Content-Type: application/http; msgtype=response",
        f"Content-Length: {len(http)}",
    )
    return "\r\n".join(fields).encode() + b"\r\n\r\n" + http + b"\r\n\r\n"


def write_archive(path: Path, pages: Iterator[MadePage]) -> None:
    """Write *pages* to a `.warc.gz` at *path*."""
    with open(path, "wb") as file:
        for page in pages:
            file.write(gzip.compress(record(page.url, page.header, page.body), 6, mtime=0))
