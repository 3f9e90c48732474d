"""Encodings set in `.gitattributes` and `.editorconfig` are checked by check and respected by convert."""

from __future__ import annotations

from pathlib import Path

import pytest
from command import run

from charlens.files.plan import Request
from charlens.files.project import find_said
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
    assert "utf8.txt: declaration: .gitattributes says" in run("check", right)[1]
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
