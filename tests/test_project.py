"""Encodings set in `.gitattributes` and `.editorconfig` are checked by check and respected by convert."""

from __future__ import annotations

import random
import re
import time
from pathlib import Path

import pytest
from command import run

from charlens.files.project import _Pieces, _regular, find_said
from charlens.files.reading import Request
from charlens.files.streaming import is_large, plan_large

RUSSIAN = "Съешь ещё этих мягких французских булок, да выпей чаю.\n" * 3


@pytest.mark.parametrize(
    ("name", "content", "encoding"),
    [
        (".gitattributes", "*.txt text working-tree-encoding=UTF-16LE\n", "utf-16-le"),
        (".gitattributes", "# *.txt working-tree-encoding=UTF-16\n", None),
        (".gitattributes", "*.md working-tree-encoding=UTF-16\n", None),
        (".gitattributes", "sub/*.txt working-tree-encoding=cp1251\n", "cp1251"),
        (
            ".gitattributes",
            "*.txt working-tree-encoding=cp1251\n*.txt working-tree-encoding=koi8-r\n",
            "koi8-r",
        ),
        (".editorconfig", "root = true\n[*]\ncharset = latin1\n", "iso8859-1"),
        (".editorconfig", "[*.{md,txt}]\nindent_size = 2\ncharset = utf-8-bom\n", "utf-8"),
        (".editorconfig", "[*.md]\ncharset = latin1\n", None),
        (".editorconfig", "[*]\ncharset = latin1\n[*.txt]\ncharset = unset\n", None),
        (".editorconfig", "[sub/*.txt]\ncharset = latin1\n", "iso8859-1"),
        (".editorconfig", "[*/b/*.txt]\ncharset = latin1\n", None),
        (".gitattributes", '"*.t\\170t" working-tree-encoding=cp1251\n', "cp1251"),
        (".gitattributes", "[attr]russian text working-tree-encoding=cp1251\n*.txt russian\n", "cp1251"),
        (".gitattributes", "*.txt working-tree-encoding=cp1251\na.* -working-tree-encoding\n", None),
        (".gitattributes", "*.txt working-tree-encoding=cp1251\na.* !working-tree-encoding\n", None),
        (".gitattributes", "*.txt working-tree-encoding=cp1251\na.* text eol=lf\n", "cp1251"),
        (".gitattributes", "*.txt -text\t working-tree-encoding=cp1251\n", "cp1251"),
        (".gitattributes", "*.{md,txt} working-tree-encoding=cp1251\n", None),
        (".gitattributes", "**/sub/** working-tree-encoding=cp1251\n", "cp1251"),
    ],
)
def test_what_the_project_says(tmp_path: Path, name: str, content: str, encoding: str | None) -> None:
    """Patterns are those of the two formats; the last one that fits counts."""
    (tmp_path / ".git").mkdir()
    (tmp_path / name).write_text(content)
    (tmp_path / "sub").mkdir()
    path = tmp_path / "sub" / "a.txt"
    path.write_bytes(b"x")
    said = find_said(str(path))
    assert (said.encoding if said else None) == encoding


def test_a_contradiction_is_flagged_and_not_made(tmp_path: Path) -> None:
    """check names it; convert leaves the file alone, unless asked to."""
    (tmp_path / ".gitattributes").write_text("*.txt working-tree-encoding=cp1251\n")
    right, path = tmp_path / "utf8.txt", tmp_path / "a.txt"
    path.write_bytes(RUSSIAN.encode("cp1251"))
    code, _, err = run("convert", "-i", tmp_path)
    assert (
        code == 1 and "working-tree-encoding=cp1251" in err and path.read_bytes() == RUSSIAN.encode("cp1251")
    )
    right.write_bytes(RUSSIAN.encode())
    assert "expected cp1251 (.gitattributes says" in run("check", right)[1]
    assert run("convert", "-i", "--keep-declarations", path)[0] == 0 and path.read_bytes() == RUSSIAN.encode()


def test_large_files_are_held_to_what_the_project_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that is streamed is refused like one that is held in memory, and converted where that is asked for."""
    monkeypatch.setattr("charlens.files.streaming.LARGE", 100)
    (tmp_path / ".gitattributes").write_text("*.txt working-tree-encoding=cp1251\n")
    path = tmp_path / "a.txt"
    path.write_bytes(RUSSIAN.encode("cp1251"))
    assert is_large(str(path))
    plan, recipe = plan_large(str(path), Request())
    assert plan.status == "refused" and "working-tree-encoding=cp1251" in plan.refusal and recipe is None
    assert plan_large(str(path), Request(declarations=False))[0].status == "change"


def test_a_large_file_that_declares_at_its_end_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only the head of a large file is rewritten; a modeline in its last lines would be wrong afterwards."""
    monkeypatch.setattr("charlens.files.streaming.LARGE", 3 << 20)
    path = tmp_path / "a.c"
    path.write_bytes((RUSSIAN + "/* vim: set fenc" + "=cp1251 : */\n").encode("cp1251"))
    plan, recipe = plan_large(str(path), Request())
    assert plan.refusal.startswith("larger than 3 MB, and 'cp1251' is declared at the end;") and recipe is None
    assert plan_large(str(path), Request(target="cp1251"))[0].status == "unchanged"


def test_the_topmost_editorconfig_is_the_root(tmp_path: Path) -> None:
    """Above a file with 'root = true', nothing is read; .gitattributes counts more than a nearer .editorconfig."""
    inner = tmp_path / "inner"
    inner.mkdir()
    (tmp_path / ".editorconfig").write_text("[*]\ncharset = latin1\n")
    (inner / ".editorconfig").write_text("root = true\n[*.md]\ncharset = utf-8\n")
    assert find_said(str(inner / "a.txt")) is None
    (inner / ".editorconfig").write_text("[*.md]\ncharset = utf-8\n")
    said = find_said(str(inner / "a.txt"))
    assert said is not None and said.encoding == "iso8859-1"
    (tmp_path / ".gitattributes").write_text("*.md working-tree-encoding=cp1251\n")
    said = find_said(str(inner / "a.md"))
    assert said is not None and said.encoding == "cp1251"


def test_git_requires_a_mark_for_utf_16(tmp_path: Path) -> None:
    """UTF-16 in .gitattributes means with a mark, in either byte order; check asks for it, and convert keeps it."""
    (tmp_path / ".gitattributes").write_text("*.txt working-tree-encoding=UTF-16\n")
    path = tmp_path / "a.txt"
    for codec, mark in (("utf-16-be", b"\xfe\xff"), ("utf-16-le", b"\xff\xfe")):
        path.write_bytes(mark + RUSSIAN.encode(codec))
        assert run("check", path)[0] == 0
    code, _, err = run("convert", "-i", "--to", "utf-16", "--no-bom", path)
    assert code == 1 and "needs a byte order mark; use --bom" in err
    path.write_bytes(RUSSIAN.encode())
    assert "expected utf-16-le (.gitattributes says" in run("check", path)[1]
    assert run("check", "--fix", path)[0] == 0 and path.read_bytes() == RUSSIAN.encode("utf-16")
    new = tmp_path / "new.txt"
    assert run("write", new, stdin=RUSSIAN.encode())[0] == 0 and new.read_bytes() == RUSSIAN.encode("utf-16")


def test_an_editor_can_want_the_mark_of_utf8(tmp_path: Path) -> None:
    """'utf-8-bom' in .editorconfig asks for a mark, except where the format forbids one."""
    (tmp_path / ".editorconfig").write_text("[*]\ncharset = utf-8-bom\n")
    path, data = tmp_path / "a.txt", tmp_path / "a.json"
    path.write_bytes(RUSSIAN.encode())
    data.write_bytes(b'"' + RUSSIAN.strip().encode("cp1251") + b'"')
    assert "missing byte order mark" in run("check", path)[1]
    assert run("check", "--fix", path)[0] == 0 and path.read_bytes() == b"\xef\xbb\xbf" + RUSSIAN.encode()
    path.write_bytes(RUSSIAN.encode("cp1251"))
    code, _, err = run("convert", "-i", path)
    assert code == 1 and "charset = utf-8-bom, which needs a byte order mark; use --bom" in err
    assert run("convert", "-i", "--bom", path)[0] == 0
    assert run("convert", "-i", data)[0] == 0


@pytest.mark.parametrize(
    ("name", "content"),
    [
        (".gitattributes", "*a" * 30 + "*b working-tree-encoding=cp1251\n"),
        (".gitattributes", "**a" * 30 + "**b working-tree-encoding=cp1251\n"),
        (".gitattributes", "**/a/" * 30 + "b working-tree-encoding=cp1251\n"),
        (".editorconfig", "[" + "{a,b}" * 20 + "]\ncharset = latin1\n"),
        (".editorconfig", "[{" + "," * 500_000 + "]\ncharset = latin1\n"),
    ],
)
def test_a_hostile_pattern_takes_no_time(tmp_path: Path, name: str, content: str) -> None:
    """Stars and braces that a regular expression would try in all ways: hours, without a bound."""
    (tmp_path / name).write_text(content)
    folder = tmp_path.joinpath(*["a"] * 40)
    folder.mkdir(parents=True)
    path = folder / ("a" * 200)
    path.write_bytes(b"abc")
    begin = time.process_time()
    assert find_said(str(path)) is None
    assert time.process_time() - begin < 5


def test_a_pattern_with_many_stars_matches() -> None:
    """Patterns with many stars match what a regular expression does."""
    chance = random.Random(20)
    pieces = ["*", "**", "**/", "/**", "?", "a", "b", "/", "[ab]", "[!a]", "\\*", ".", "a/"]
    matches = 0
    for _ in range(5000):
        found = _regular("".join(chance.choices(pieces, k=chance.randrange(1, 9))))
        path = "".join(chance.choices("aab/.*", k=chance.randrange(1, 9)))
        expected = re.fullmatch("".join(found), path) is not None
        assert _Pieces([found]).fullmatch(path) == expected, (found, path)
        matches += expected
    assert matches > 300
