"""What `.gitattributes` and `.editorconfig` say of a file: flagged by check, respected by convert."""

from __future__ import annotations

from pathlib import Path

import pytest
from command import run

from charlens.files.project import find_said

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


@pytest.mark.parametrize("large", [False, True])
def test_a_contradiction_is_flagged_and_not_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, large: bool
) -> None:
    """check names it; convert leaves the file alone, unless asked to: files held in memory and large ones alike."""
    if large:
        monkeypatch.setattr("charlens.files.streaming.LARGE", 100)
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
