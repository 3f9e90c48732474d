"""The Python blocks of the documentation run and give the values that the page shows.

The blocks of a page share one namespace and one empty folder.  Of a line that ends in ``#> value`` the repr of the
expression has to be that value.  On some pages `charlens` in the console blocks is run as well, in its turn, and has to
print the lines below it, if there are any.
"""

from __future__ import annotations

import ast
import http.server
import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from charlens import pipeline
from charlens.encodings import all_encodings
from charlens.models import default_model
from charlens.models.language_model import NO_LANGUAGE, default_language_model

DOCS = Path(__file__).parent.parent / "docs"
#: The pages whose blocks run; a page that is not here has no promise in it.
PAGES = (
    "../README.md",
    "codec.md",
    "confidence.md",
    "drop-ins.md",
    "editors.md",
    "encodings.md",
    *(f"errors/{path.name}" for path in sorted((DOCS / "errors").glob("*.md"))),
    "explanation.md",
    "hints.md",
    "how-it-decides.md",
    "html.md",
    "index.md",
    "mixed.md",
    "quickstart.md",
    "recipes.md",
    "scale.md",
    "streams.md",
    "tables.md",
    "together.md",
)

#: The pages of which the console blocks run, too.
CONSOLES = ("../README.md", "index.md", "quickstart.md", "recipes.md")
#: Files that the blocks of a page are about, and that no block of it makes.
FILES = {
    "../README.md": {
        "customers.csv": "Kunde;Straße;Betrag\r\nJürgen Weiß;Bäckergasse 3;12,50\r\n".encode("cp1252"),
        "project/main.c": "/* Größe des Puffers, in Bytes */\nint size = 4096;\n".encode("cp1252"),
        "project/hello.py": "# -*- coding: koi8-r -*-\nprint('Привет, мир! Как дела?')\n".encode("koi8-r"),
        "project/index.html": (
            '<meta charset="shift_jis">\n<p>このページは古いです。書き直しましょう。</p>\n'.encode("cp932")
        ),
        "project/notes.txt": "Already UTF-8: naïve café\n".encode(),
        "project/logo.png": b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR",
    }
}
#: Verbs that a page may show before the command has them.
COMING: tuple[str, ...] = ()

_BLOCK = re.compile(r"^```(python|console)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def run_block(source: str, namespace: dict[str, object], name: str) -> int:
    """Run *source* statement by statement; return how many values were compared."""
    lines = source.splitlines()
    compared = 0
    for node in ast.parse(source).body:
        _, marked, wanted = lines[(node.end_lineno or 1) - 1].partition("#> ")
        if marked and isinstance(node, ast.Expr):
            value = eval(compile(ast.Expression(node.value), name, "eval"), namespace)
            assert repr(value) == wanted.strip(), f"{name}: {ast.unparse(node)} is {value!r}"
            compared += 1
        else:
            exec(compile(ast.Module([node], []), name, "exec"), namespace)
    return compared


def run_console(source: str, verbs: frozenset[str], name: str) -> int:
    """Run what *source* calls charlens with, in this folder; return how many commands were run."""
    done = 0
    for part in source.split("$ ")[1:]:
        line, _, wanted = part.partition("\n")
        words = line.partition("  #")[0].split(maxsplit=2)
        if words[0] != "charlens" or (words[1] in COMING and words[1] not in verbs):
            continue
        command = f'"{sys.executable}" -m charlens {" ".join(words[1:])}'
        environment = {**os.environ, "PYTHONUTF8": "1", "COLUMNS": "120"}
        ran = subprocess.run(command, shell=True, capture_output=True, encoding="utf-8", env=environment)
        assert ran.returncode == 0, f"{name}: {line}: {ran.stderr}"
        assert not wanted.strip() or ran.stdout.strip() == wanted.strip(), (
            f"{name}: {line} prints {ran.stdout}"
        )
        done += 1
    return done


#: What the console blocks of docs/command.md are about, besides the examples, in a folder `old`.
OLD = {
    "page.html": (
        '<!doctype html>\n<meta charset="windows-1251">\n'
        "<p>Съешь ещё этих мягких французских булок, да выпей чаю.</p>\n"
    ).encode("cp1251"),
    "twice.txt": "GrÃ¼ÃŸe aus KÃ¶ln\nzweite Zeile\n".encode(),
}


def commands_of(page: str) -> dict[str, list[str]]:
    """Return the commands of the console blocks of *page* about `old`, with the lines that they print."""
    parts = [part for kind, source in _BLOCK.findall(page) if kind == "console" for part in source.split("$ ")[1:]]
    found = {}
    for line, *shown in (part.splitlines() for part in parts):
        if line.startswith("charlens") and "old" in line and shown:
            found[line] = [each.rstrip() for each in shown if each.strip("… ") and "files/s" not in each]
    return found


@pytest.mark.parametrize("command", commands_of((DOCS / "command.md").read_text(encoding="utf-8")))
def test_the_page_of_the_command_shows_what_it_prints(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each line that the page shows is printed, without the time."""
    from command import run

    monkeypatch.chdir(tmp_path)
    shutil.copytree(DOCS.parent / "examples", "old")
    for name, content in OLD.items():
        Path("old", name).write_bytes(content)
    _, out, err = run(*command.split()[1:])
    printed = {line.rstrip() for line in (out + err).splitlines()}
    lines = commands_of((DOCS / "command.md").read_text(encoding="utf-8"))[command]
    assert [line for line in lines if line not in printed] == []


def verbs_of_the_command() -> frozenset[str]:
    """Return the verbs that the command has."""
    import click

    from charlens.cli.app import app

    return frozenset(app.list_commands(click.Context(app)))


class Page(http.server.BaseHTTPRequestHandler):
    """A server with one page, in windows-1251 and without a charset."""

    body = ("<p>Съешь ещё этих мягких французских булок, да выпей чаю.</p>\n" * 200).encode("cp1251")

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(self.body)))
        self.end_headers()
        self.wfile.write(self.body)

    def log_message(self, format: str, *args: object) -> None:
        """Be quiet."""


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/page"
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize("page", PAGES)
def test_the_blocks_of_a_page_run(page: str, url: str, tmp_path: Path) -> None:
    """Every block runs, in order, in a fresh interpreter, and gives the values shown."""
    for name in ("duckdb", "pandas", "polars", "pyarrow", "requests"):
        if find_spec(name) is None:
            pytest.skip(f"{name} is not installed (extra: dev)")
    command = [sys.executable, "-X", "utf8", __file__, page, url]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, encoding="utf-8")
    assert done.returncode == 0, done.stderr


def run_page(page: str, url: str) -> None:
    """Run the blocks of *page*; there have to be some, and they have to show, or assert, something."""
    blocks = _BLOCK.findall((DOCS / page).read_text(encoding="utf-8"))
    namespace: dict[str, object] = {"__name__": "page", "url": url}
    shown = 0
    if page in CONSOLES:
        shutil.copytree(DOCS.parent / "examples", "examples")
    for name, content in FILES.get(page, {}).items():
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_bytes(content)
    for kind, source in blocks:
        if kind == "python":
            shown += run_block(source, namespace, page) + source.count("assert ")
        elif page in CONSOLES:
            run_console(source, verbs_of_the_command(), page)
    assert shown, f"{page} shows no value"


def test_every_page_with_a_python_block_is_run() -> None:
    """Every page with a Python block is run by the tests."""
    pages = {
        path.relative_to(DOCS).as_posix(): path.read_text(encoding="utf-8") for path in DOCS.rglob("*.md")
    }
    blocks = {page: [kind for kind, _ in _BLOCK.findall(text)] for page, text in pages.items()}
    assert {page for page, kinds in blocks.items() if "python" in kinds} == set(PAGES) - {"../README.md"}


def test_every_page_has_the_stages_of_the_pipeline() -> None:
    """The number of stages, the table, the picture and its descriptions agree with `charlens.pipeline`."""
    words = (pipeline.__doc__ or "").partition("\n\n")[2].partition("\n\n")[0]
    stages = [name.strip() for name in words.split("→")]
    page = (DOCS / "how-it-decides.md").read_text(encoding="utf-8")
    assert len(stages) == 14 and "fourteen stages" in page
    assert re.findall(r"^\| (\w+) \|.*\?", page, re.MULTILINE) == stages
    picture = (DOCS / "pictures" / "stages.svg").read_text(encoding="utf-8")
    assert re.findall(r'class="name"[^>]*>(\w+)<', picture) == ["scan", *stages]
    listed = ", ".join(stages[:-1]) + " and verdict"
    assert listed in page and listed in " ".join(picture.split())
    contributing = (DOCS.parent / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert " → ".join(stages) in contributing


def test_the_readme_counts_right() -> None:
    """The numbers of encodings and languages in the README are those of the table and of the models."""
    legacy = [each for each in all_encodings() if each.kind in ("single", "multi", "ebcdic")]
    pairs = default_model().classes
    readme = (DOCS.parent / "README.md").read_text(encoding="utf-8")
    assert f"{len(legacy)} legacy encodings in {len({language for _, language in pairs})} languages" in readme
    named = set(default_language_model().languages) - {NO_LANGUAGE}
    assert f"**Detect the language**: one of {len(named)}." in readme


@pytest.mark.parametrize("path", sorted((DOCS / "errors").glob("*.md")), ids=lambda path: path.stem)
def test_every_error_has_a_page(path: Path) -> None:
    """The overview links to each page under its title, which is the message that people search for."""
    title, *_ = path.read_text(encoding="utf-8").splitlines()
    overview = (DOCS / "errors.md").read_text(encoding="utf-8")
    assert f"[{title.removeprefix('# ')}](errors/{path.name})" in overview


def test_a_wrong_console_block_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Wrong output and failing commands are found; other programs are not run."""
    pytest.importorskip("click")
    monkeypatch.chdir(tmp_path)
    Path("a.txt").write_bytes(b"abc")
    verbs = verbs_of_the_command()
    right = "$ rm a.txt\n$ charlens detect a.txt   # one\na.txt: ascii, confidence 1.00\n"
    assert run_console(right, verbs, "page") == 1
    for wrong in (
        "$ charlens detect a.txt\na.txt: utf-8\n",
        "$ charlens detect b.txt\n",
        "$ charlens lift a.txt\n",
    ):
        with pytest.raises(AssertionError):
            run_console(wrong, verbs, "page")


@pytest.mark.parametrize(
    "source", ["1 + 1  #> 3", "raise ValueError", "undefined", "def broken(:\n    pass"], ids=str.split
)
def test_a_wrong_block_is_found(source: str) -> None:
    """A wrong value, an error or an undefined name makes the check fail."""
    with pytest.raises((AssertionError, ValueError, NameError, SyntaxError)):
        run_block(source, {}, "page")
    assert run_block("1 + 1  #> 2", {}, "page") == 1


if __name__ == "__main__":
    run_page(*sys.argv[1:])
