"""The site of the documentation is complete, needs no network, and its generated parts are current."""

from __future__ import annotations

import html
import importlib.util
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any
from xml.etree import ElementTree

import pytest

from charlens.encodings import all_encodings, reference
from charlens.evaluation import comparison
from charlens.evaluation.record import RecordError

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"

#: Resources that a browser loads without a click.
_LOADED = re.compile(
    r"<(?:script|img|iframe|source|link)\b[^>]*?\b(?:src|href)=[\"']?((?:https?:)?//[^\"'\s>]+)"
)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built strictly: a broken link in a page or in the navigation is an error."""
    pytest.importorskip("material", reason="mkdocs-material is not installed (extra: docs)")
    folder = tmp_path_factory.mktemp("site")
    # A proxy that is not there: anything that asks for something over the network fails.
    nowhere = dict.fromkeys(("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"), "http://127.0.0.1:9")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)]
    built = subprocess.run(command, cwd=ROOT, env={**os.environ, **nowhere}, capture_output=True, text=True)
    assert built.returncode == 0, built.stderr
    return folder


def test_every_page_is_in_the_site(site: Path) -> None:
    """Every Markdown page under docs becomes a page, and one can get to it from the first."""
    first = (site / "index.html").read_text(encoding="utf-8")
    for path in DOCS.rglob("*.md"):
        target = path.relative_to(DOCS).with_suffix(".html").as_posix()
        assert (site / target).is_file() and f'href="{target}"' in first, target


def test_the_page_that_runs_alone_is_in_the_site(site: Path) -> None:
    """The link to it leads somewhere: to the page, or where it was not made, to words that say so."""
    assert 'href="try/index.html"' in (site / "inspect.html").read_text(encoding="utf-8")
    assert "charlens inspect" in (site / "try" / "index.html").read_text(encoding="utf-8")


def test_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    """No page of the site has a script, a style, a font or a picture of another host."""
    loaded = {
        url for path in site.rglob("*.html") for url in _LOADED.findall(path.read_text(encoding="utf-8"))
    }
    assert loaded == set()


@pytest.mark.parametrize("text", ['<script src="https://a/b.js">', "<link rel=x href=//a/b.css>"])
def test_what_is_loaded_is_found(text: str) -> None:
    """Resources of other hosts are found, and links are not."""
    assert _LOADED.findall(text)
    assert not _LOADED.findall('<a href="https://a/">a</a> <img src="pictures/a.svg">')


def site_module(name: str) -> ModuleType:
    """A script of the folder docs/_site."""
    spec = importlib.util.spec_from_file_location(name, DOCS / "_site" / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def nav() -> ModuleType:
    return site_module("nav")


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
def test_the_picture_of_the_terminal_is_current(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The picture in README.md shows what the commands print today; --check tells one that does not."""
    terminal = site_module("terminal")
    assert terminal.main(["--check"]) == 0
    monkeypatch.setattr(terminal, "PICTURE", tmp_path / "terminal.svg")
    terminal.PICTURE.write_text("<svg/>", encoding="utf-8")
    assert terminal.main(["--check"]) == 1
    assert terminal.main([]) == 0 and "cp1252" in terminal.PICTURE.read_text(encoding="utf-8")


def test_colours_become_colours() -> None:
    """Escape sequences become the colours of the words, and the words are escaped."""
    drawn = site_module("terminal").draw(["plain \x1b[32m<green>\x1b[0m", "\x1b[1mbold  gap\x1b[0m"])
    assert ">plain</text>" in drawn and 'fill="#8bdc8b">&lt;green&gt;</text>' in drawn
    assert drawn.count('font-weight="bold"') == 2 and "\x1b" not in drawn


@pytest.mark.parametrize("path", [DOCS / "logo.svg", DOCS / "pictures/terminal.svg"], ids=str)
def test_drawings_are_whole_and_load_nothing(path: Path) -> None:
    """Each drawing parses, has a name for those who cannot see it, and asks for nothing from elsewhere."""
    root = ElementTree.parse(path).getroot()
    assert root.get("aria-label")
    text = path.read_text(encoding="utf-8").replace("http://www.w3.org/", "")
    assert "href=" not in text and "url(http" not in text and "@import" not in text


def test_the_navigation_follows_the_pages(nav: ModuleType, tmp_path: Path) -> None:
    """A page that is not there is left out, with a section that has no other; one that is not named comes last."""
    for name in ("index.md", "a.md", "new.md"):
        (tmp_path / name).write_text("# x\n")
    wanted: list[Any] = [
        {"One": ["index.md", {"Gone": "gone.md"}]},
        {"Empty": ["gone.md"]},
        {"Two": [{"A": "a.md"}]},
    ]
    assert nav.complete(wanted, tmp_path) == [{"One": ["index.md"]}, {"Two": [{"A": "a.md"}, "new.md"]}]


def test_the_page_of_encodings_has_all_of_them(tmp_path: Path) -> None:
    """Every encoding has a line, and --check tells a page that is not current."""
    path = tmp_path / "encodings.md"
    assert reference.main([str(path), "--check"]) == 1
    assert reference.main([str(path)]) == 0 and reference.main([str(path), "--check"]) == 0
    listed = re.findall(r"^\| `([^`]+)` \|", path.read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(listed) == sorted(encoding.name for encoding in all_encodings())
    path.write_text(path.read_text(encoding="utf-8").replace("koi8-r", "koi8-x"), encoding="utf-8")
    assert reference.main([str(path), "--check"]) == 1


def records() -> Iterator[dict[str, Any]]:
    """The record in docs/results, and poorer ones: without a peer, without a table, with nothing in it."""
    path = DOCS / "results" / "results.json"
    whole = json.loads(path.read_text(encoding="utf-8"))
    yield whole
    yield {**whole, "detectors": whole["detectors"][:1]}
    yield {**whole, "tables": {"labelled": whole["tables"]["labelled"][:1]}}
    yield {**whole, "tables": {}, "detectors": [], "datasets": []}


@pytest.mark.parametrize("number", range(4))
def test_figures_are_put_into_a_page(number: int, tmp_path: Path) -> None:
    """Every place is filled whatever the record has; filling again changes nothing; --check tells a stale page."""
    record = list(records())[number]
    (tmp_path / "results.json").write_text(json.dumps(record), encoding="utf-8")
    places = [f"<!-- figures: {name} -->\n<!-- end of figures -->\n" for name in comparison.FIGURES]
    path = tmp_path / "page.md"
    path.write_text("# A page\n\n" + "\nWords.\n\n".join(places), encoding="utf-8")
    arguments = [str(tmp_path), str(path)]
    assert comparison.main([*arguments, "--check"]) == 1
    assert comparison.main(arguments) == 0 and comparison.main([*arguments, "--check"]) == 0
    text = path.read_text(encoding="utf-8")
    assert text.count("Words.") == len(places) - 1 and "-->\n<!-- end" not in text
    assert number < 2 or "not in this record" in text


@pytest.mark.parametrize(
    ("results", "name"), [("results/some.md", "true-utf-8-5"), ("results", "some-true-utf-8-5")]
)
def test_tables_of_reports_are_put_into_a_page(tmp_path: Path, results: str, name: str) -> None:
    """A report in Markdown, or a folder of them, fills the places that are named like its headings."""
    (tmp_path / "results").mkdir()
    report, page = tmp_path / "results" / "some.md", tmp_path / "page.md"
    report.write_text(
        "# Pages\n\n- a fact\n\n## True, UTF-8 (5)\n\n| a |\n| - |\n\nWords.\n", encoding="utf-8"
    )
    page.write_text(f"<!-- figures: {name} -->\n<!-- end of figures -->\n", encoding="utf-8")
    arguments = [str(tmp_path / results), str(page)]
    assert comparison.main([*arguments, "--check"]) == 1
    assert comparison.main(arguments) == 0 and comparison.main([*arguments, "--check"]) == 0
    assert "-->\n\n| a |\n| - |\n\n<!--" in page.read_text(encoding="utf-8")


def test_a_kernel_is_shown_once() -> None:
    """Both kernels give the same answers, so the tables of answers have one line for them, and speed has two."""
    record = comparison.read_public_record(DOCS / "results")
    averages = comparison.FIGURES["averages"](record)
    assert averages.count("charlens") == 1 and "charlens, plain Python" in comparison.FIGURES["speed"](record)


def test_an_unknown_place_for_figures_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A name that is no name of figures, and a folder without a record, are reported and not passed over."""
    record = comparison.read_public_record(DOCS / "results")
    with pytest.raises(RecordError, match="headline"):
        comparison.fill("<!-- figures: headlines -->\n<!-- end of figures -->", record)
    assert comparison.main([str(tmp_path), str(DOCS / "index.md")]) == 1
    assert "charlens evaluate" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "page"),
    [
        ("can't decode byte 0xe9", "errors/utf-8-cannot-decode-byte.html"),
        ("can't encode character", "errors/charmap-cannot-encode-character.html"),
        ("Non-UTF-8 code", "errors/syntaxerror-non-utf-8-code.html"),
        ("mojibake", "errors/mojibake.html"),
        ("garbled", "errors/mojibake.html"),
        ("gibberish", "errors.html"),
        ("ParserError", "errors/pandas-read-csv.html"),
        ("ï»¿", "errors/bom-characters.html"),
    ],
)
def test_the_search_finds_errors_by_their_words(site: Path, words: str, page: str) -> None:
    """The index of the search has the words of the message under the title of its page."""
    index = json.loads((site / "search" / "search_index.json").read_text(encoding="utf-8"))
    titles = {entry["location"] for entry in index["docs"] if words in html.unescape(entry["title"])}
    assert page in {location.partition("#")[0] for location in titles}
