"""charlens inside other libraries: each adapter against the real one, with a page that it misreads alone."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from charlens.html import decode, html_to_unicode

aiohttp = pytest.importorskip("aiohttp")
bs4 = pytest.importorskip("bs4")
httpx = pytest.importorskip("httpx")
requests = pytest.importorskip("requests")
scrapy_http = pytest.importorskip("scrapy.http")
w3lib = pytest.importorskip("w3lib.encoding")

_TEXT = (Path(__file__).parent / "prose" / "ru.txt").read_text(encoding="utf-8")
PROSE = _TEXT[:400].encode("koi8-r", "ignore").decode("koi8-r")
TEXT = f"<html><head><title>Проба</title></head><body><p>{PROSE}</p></body></html>"
#: Declares nothing; every one of these libraries would read it as ISO-8859-1, UTF-8 or not at all.
PAGE = TEXT.encode("koi8-r")
#: Declares what it is not.
LIAR = TEXT.replace("<head>", '<head><meta charset="iso-8859-1">').encode("cp1251")


def test_httpx_uses_it_if_the_header_has_no_charset() -> None:
    """A client with our default_encoding reads a page in KOI8-R whose header has no charset."""
    from charlens.integrations.httpx import default_encoding

    def answer(request: Any) -> Any:
        return httpx.Response(200, headers={"Content-Type": "text/html"}, content=PAGE)

    with httpx.Client(transport=httpx.MockTransport(answer), default_encoding=default_encoding) as client:
        assert client.get("http://example.org/").text == TEXT


def test_aiohttp_uses_it_if_the_header_has_no_charset() -> None:
    """A session with our resolver reads a page in KOI8-R from a real server whose header has no charset."""
    from aiohttp import web

    from charlens.integrations.aiohttp import resolve_charset

    async def serve(request: Any) -> Any:
        return web.Response(body=PAGE, headers={"Content-Type": "text/html"})

    async def fetch() -> str:
        app = web.Application()
        app.router.add_get("/", serve)
        runner = web.AppRunner(app)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        port = runner.addresses[0][1]
        try:
            session = aiohttp.ClientSession(fallback_charset_resolver=resolve_charset)
            async with session, session.get(f"http://127.0.0.1:{port}/") as response:
                text: str = await response.text()
                return text
        finally:
            await runner.cleanup()

    assert asyncio.run(fetch()) == TEXT


class _Canned(requests.adapters.BaseAdapter):  # type: ignore[misc]
    """Answers every request with the same body."""

    def __init__(self, body: bytes, content_type: str) -> None:
        super().__init__()
        self.body, self.content_type = body, content_type

    def send(self, request: Any, **_: Any) -> Any:
        response = requests.Response()
        response.status_code, response.url, response.request = 200, request.url, request
        response._content = self.body
        response.headers["Content-Type"] = self.content_type
        response.encoding = requests.utils.get_encoding_from_headers(response.headers)
        return response

    def close(self) -> None:
        pass


@pytest.mark.parametrize(
    "content_type", ["text/html", "text/html; charset=koi8-r", "text/html; charset=utf-8"]
)
def test_requests_reads_by_the_hook(content_type: str) -> None:
    """With our hook `response.text` is right without a charset, with a right one and with a wrong one."""
    from charlens.integrations.requests import set_encoding

    with requests.Session() as session:
        session.mount("http://", _Canned(PAGE, content_type))
        session.hooks["response"].append(set_encoding)
        assert session.get("http://example.org/").text == TEXT


@pytest.mark.parametrize("page", [PAGE, LIAR], ids=["undeclared", "wrongly declared"])
def test_scrapy_reads_through_the_middleware(page: bytes) -> None:
    """A response that went through the middleware has the right text, and its request has the verdict."""
    from scrapy import Request

    from charlens.integrations.scrapy import CharlensMiddleware

    request = Request("http://example.org/")
    response = scrapy_http.HtmlResponse(
        request.url, body=page, headers={"Content-Type": "text/html"}, request=request
    )
    passed = CharlensMiddleware().process_response(request, response)
    assert "Проба" in passed.css("title::text").get()
    assert passed.text.endswith(f"{PROSE}</p></body></html>")
    assert passed.meta["charlens"].encoding == passed.encoding


def test_scrapy_responses_that_are_not_text_are_unchanged() -> None:
    """An image, and a text response with a body that is binary, come back as they were."""
    from scrapy import Request

    from charlens.integrations.scrapy import CharlensMiddleware

    request = Request("http://example.org/")
    image = scrapy_http.Response(request.url, body=b"\x89PNG\r\n")
    binary = scrapy_http.HtmlResponse(request.url, body=b"\x00\x01\x02")
    assert CharlensMiddleware().process_response(request, image) is image
    assert CharlensMiddleware().process_response(request, binary) is binary


def test_scrapy_follows_links_of_an_ascii_page() -> None:
    """A page in ASCII keeps Scrapy's encoding: links, forms and extracted links can have letters beyond it."""
    from scrapy import FormRequest, Request
    from scrapy.linkextractors import LinkExtractor

    from charlens.integrations.scrapy import CharlensMiddleware

    request = Request("http://example.org/")
    page = b'<html><body><a href="/c?q=&eacute;">x</a><form action="/f"><input name="q"></form></body></html>'
    response = scrapy_http.HtmlResponse(request.url, body=page, request=request)
    passed = CharlensMiddleware().process_response(request, response)
    assert passed.encoding == response.encoding != "ascii"
    assert passed.meta["charlens"].encoding == "ascii"
    assert passed.follow("/x?q=é").url == response.follow("/x?q=é").url
    assert FormRequest.from_response(passed, formdata={"q": "é"}).url.endswith("?q=%E9")
    assert len(LinkExtractor().extract_links(passed)) == 1
    declared = response.replace(body=b'<meta charset="koi8-r">' + page)
    assert CharlensMiddleware().process_response(request, declared).encoding == "koi8-r"


def test_requests_leaves_streams_and_binary_alone() -> None:
    """With stream=True no byte is read before the caller reads; a binary body keeps what requests set."""
    from charlens.integrations.requests import set_encoding

    class Endless(_Canned):
        def send(self, request: Any, **keywords: Any) -> Any:
            response = super().send(request)
            response._content, response._content_consumed = False, False
            response.raw = _Refusing()
            return response

    with requests.Session() as session:
        session.mount("http://", Endless(b"", "text/html"))
        session.hooks["response"].append(set_encoding)
        assert session.get("http://example.org/", stream=True).encoding == "ISO-8859-1"
        session.mount("http://", _Canned(b"\x00\x01\x02" * 50, "image/x-icon"))
        assert session.get("http://example.org/").encoding is None
        session.mount("http://", _Canned(b"plain", "text/html"))
        assert session.get("http://example.org/").encoding == "ISO-8859-1"


class _Refusing:
    """A stream that must not be read."""

    def stream(self, *_: Any, **__: Any) -> Any:
        raise AssertionError("the hook read a stream")

    read = stream

    def close(self) -> None:
        pass

    release_conn = close


def test_soup_has_the_attributes_of_beautiful_soup() -> None:
    """from_encoding and exclude_encodings count; the declared charset and U+FFFD are noted."""
    from charlens.integrations.beautifulsoup import make_soup

    page = '<meta charset="iso-8859-2"><p>Zażółć gęślą jaźń</p>'.encode("iso8859-2")
    soup, theirs = make_soup(page), bs4.BeautifulSoup(page, "html.parser")
    assert soup.declared_html_encoding == theirs.declared_html_encoding == "iso-8859-2"
    assert soup.contains_replacement_characters is theirs.contains_replacement_characters is False
    assert make_soup(page, from_encoding="cp1252").original_encoding == "cp1252"
    assert make_soup(page, from_encoding="utf-8").original_encoding == "iso8859-2"
    excluded = make_soup(page, exclude_encodings=["iso-8859-2", "cp1250"]).original_encoding
    assert excluded not in ("iso8859-2", "cp1250")
    damaged = make_soup(b"<p>" + "Größe und Übermaß. ".encode() * 30 + b"\xff</p>")
    assert damaged.contains_replacement_characters is True


def test_soup_of_a_page() -> None:
    """The soup has the right text and the encoding that it was read with."""
    from charlens.integrations.beautifulsoup import make_soup

    soup = make_soup(LIAR)
    assert soup.title.string == "Проба"
    assert soup.original_encoding == "cp1251"


@pytest.mark.parametrize(
    ("header", "page"),
    [
        ("text/html; charset=windows-1251", TEXT.encode("cp1251")),
        ("text/html; charset=utf-8", TEXT.encode()),
        (None, b"\xef\xbb\xbf" + TEXT.encode()),
        ("text/html", b"\xff\xfe" + TEXT.encode("utf-16-le")),
        (None, TEXT.replace("<head>", "<head><meta charset=koi8-r>").encode("koi8-r")),
        ("text/html", b""),
    ],
)
def test_html_to_unicode_has_the_shape_of_w3lib(header: str | None, page: bytes) -> None:
    """Where w3lib is right, the same arguments give the same text, and a codec of the same name."""
    theirs, ours = w3lib.html_to_unicode(header, page), html_to_unicode(header, page)
    assert ours[1] == theirs[1]
    assert isinstance(ours[0], str) and len(ours) == len(theirs)
    if page:
        assert page.decode(ours[0]).lstrip("\ufeff") == theirs[1]


@pytest.mark.parametrize(
    ("header", "page", "keywords", "encoding"),
    [
        (None, b"plain", {}, "utf8"),
        (None, b"plain", {"default_encoding": "koi8-r"}, "koi8-r"),
        (None, b"plain", {"auto_detect_fun": lambda body: "utf-16"}, "utf-16-be"),
        ("text/html; charset=iso-8859-1", b"plain", {}, "cp1252"),
        ("text/html; charset=utf-8", b"PREFIX\xe3\xabSUFFIX", {}, "utf-8"),
        ("text/html; charset=gb2312", b"\xa8D", {}, "gb18030"),
        (None, b'< meta charset="koi8-r"> plain', {}, "koi8-r"),
        (None, b'<meta charset="utf-16"> plain', {}, "utf-16-be"),
        (None, b'<meta charset="UTF-16LE"> plain', {}, "utf-16-le"),
        ("text/html; charset=utf-16", b"<p>plain</p>", {}, "utf-16-be"),
    ],
)
def test_html_to_unicode_believes_declarations(
    header: str | None, page: bytes, keywords: dict[str, Any], encoding: str
) -> None:
    """ASCII and bytes that say little are what is declared, else the default; as w3lib has it."""
    theirs = w3lib.html_to_unicode(header, page, **keywords)
    assert html_to_unicode(header, page, **keywords) == (encoding, theirs[1])
    assert theirs[0] == encoding


def test_html_to_unicode_overrules_wrong_declarations() -> None:
    """A declaration that the bytes contradict clearly is not followed; UTF-7 is never read."""
    assert html_to_unicode("text/html; charset=utf-8", PAGE) == ("koi8-r", TEXT)
    assert html_to_unicode("text/html; charset=utf-7", b"+ADw-script+AD4-")[1] == "+ADw-script+AD4-"


def test_html_to_unicode_asks_the_caller_last() -> None:
    """Only a body in which nothing can be recognised is left to the caller's function, then to the default."""
    assert html_to_unicode(None, b"\0\1", auto_detect_fun=lambda body: "latin-1") == ("latin-1", "\0\1")
    assert html_to_unicode(None, b"\0\1", default_encoding="cp1252") == ("cp1252", "\0\1")
    assert html_to_unicode(None, PAGE, auto_detect_fun=lambda body: "cp1252") == ("koi8-r", TEXT)


def test_decode_gives_text_and_verdict() -> None:
    """One call gives the text, and the verdict with the declaration that lied among its steps."""
    text, verdict = decode(LIAR)
    assert text.endswith(f"{PROSE}</p></body></html>")
    assert verdict.encoding == "cp1251"
    assert any("iso-8859-1" in step.words for step in verdict.steps)


def test_decode_never_fails() -> None:
    """Binary, nothing at all, and a page that is declared to be what it cannot be: there is always a text."""
    assert decode(b"")[0] == ""
    assert decode(b"\0\1\2")[0] == "\0\1\2"
    text, verdict = decode(PAGE, "text/html; charset=utf-8", declared="obey")
    assert "\ufffd" in text
    assert verdict.encoding == "utf-8" and verdict.damage
