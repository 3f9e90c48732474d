"""The recipes of docs/editors.md, exactly as written: editors and pagers on legacy files, which keep their bytes."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = (Path(__file__).parent.parent / "docs" / "editors.md").read_text(encoding="utf-8")
RUSSIAN = "Съешь ещё этих мягких французских булок, да выпей чаю\n"
JAPANESE = "設定を読み込む関数です。失敗したら０を返します\n"
TEXTS = {
    "ascii": "plain\n",
    "utf-8": "Grüße aus Köln\n",
    "utf-8-sig": "Grüße aus Köln\n",
    "utf-16": "Grüße aus Köln\n",
    "utf-16-le": "Grüße aus Köln und noch mehr Text, damit es klar ist\nund weiter\n",
    "cp1251": RUSSIAN.replace("\n", "\r\n"),
    "koi8-r": RUSSIAN,
    "cp866": RUSSIAN,
    "iso8859-2": "Příliš žluťoučký kůň úpěl ďábelské ódy\n",
    "euc_jp": JAPANESE,
    "cp932": JAPANESE,
    "gbk": "设置读取函数,如果失败则返回零。这是一个测试文件\n",
    "big5": "設定讀取函數,如果失敗則返回零。這是一個測試檔案\n",
    "cp949": "설정을 읽는 함수입니다. 실패하면 0을 반환합니다\n",
}
#: What the editor adds: a letter of the alphabet that the encoding is for.
ADDED = {
    "ascii": "x",
    **dict.fromkeys(("cp1251", "koi8-r", "cp866"), "ж"),
    **dict.fromkeys(("euc_jp", "cp932", "gbk"), "数"),
    "big5": "數",
    "cp949": "수",
}


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """The variables of a shell in which `charlens` is this one."""
    command = tmp_path / "bin" / "charlens"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -m charlens "$@"\n')
    command.chmod(0o755)
    return {**os.environ, "PATH": f"{command.parent}{os.pathsep}{os.environ['PATH']}", "LC_ALL": "C.UTF-8"}


def recipe(language: str) -> str:
    """Return the first block of the page in *language*."""
    found = re.search(rf"^```{language}\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
    assert found is not None
    return found[1]


def needs(program: str) -> None:
    """Skip the test where *program* is not installed."""
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")


def write_files(folder: Path) -> dict[str, Path]:
    """Write a file in each encoding."""
    paths = {name: folder / f"{name}.txt" for name in TEXTS}
    for name, path in paths.items():
        path.write_bytes(TEXTS[name].encode(name))
    return paths


def check_files(paths: dict[str, Path]) -> None:
    """Each file is in its own encoding, and has one line more."""
    for name, path in paths.items():
        end = "\r\n" if "\r" in TEXTS[name] else "\n"
        assert path.read_bytes() == (TEXTS[name] + ADDED.get(name, "ü") + end).encode(name), name


def test_vim_writes_back_in_the_encoding_of_the_file(tmp_path: Path, environment: dict[str, str]) -> None:
    """With the recipe, a line that Vim adds is in the encoding of the file, mark and line endings as they were."""
    needs("vim")
    (tmp_path / "vimrc").write_text("set nocompatible encoding=utf-8\n" + recipe("vim"), encoding="utf-8")
    paths = write_files(tmp_path)
    edits = [f"edit {path}\nnormal Go{ADDED.get(name, 'ü')}\nwrite" for name, path in paths.items()]
    (tmp_path / "edits").write_text("\n".join((*edits, "quit\n")), encoding="utf-8")
    command = ["vim", "-u", str(tmp_path / "vimrc"), "-es", "-S", str(tmp_path / "edits")]
    subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=120)
    check_files(paths)


def test_emacs_saves_in_the_encoding_of_the_file(tmp_path: Path, environment: dict[str, str]) -> None:
    """With the recipe, Emacs opens each file in its encoding without a question, and saves in it."""
    needs("emacs")
    (tmp_path / "init.el").write_text(recipe("elisp"), encoding="utf-8")
    paths = write_files(tmp_path)
    edits = " ".join(
        f'(find-file "{path}") (goto-char (point-max)) (insert "{ADDED.get(name, "ü")}\\n") (save-buffer)'
        for name, path in paths.items()
    )
    command = ["emacs", "--batch", "-Q", "-l", str(tmp_path / "init.el"), "--eval", f"(progn {edits})"]
    subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=120)
    check_files(paths)


def test_less_shows_legacy_text(tmp_path: Path, environment: dict[str, str]) -> None:
    """With LESSOPEN of the recipe, less shows windows-1251."""
    needs("less")
    found = re.search(r"export LESSOPEN='([^']+)'", PAGE)
    assert found is not None
    path = write_files(tmp_path)["cp1251"]
    variables = {**environment, "LESSOPEN": found[1]}
    command = ["less", str(path)]
    done = subprocess.run(command, env=variables, stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
    assert "французских булок" in done.stdout.decode()


def test_the_command_of_the_workflow_finds_the_legacy_file(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    """`charlens check --format sarif .` fails, and reports the files that are not UTF-8 as GitHub takes it."""
    found = re.search(r"run: (charlens check [^>]+)>", PAGE)
    assert found is not None
    (tmp_path / "repository").mkdir()
    write_files(tmp_path / "repository")
    folder = tmp_path / "repository"
    done = subprocess.run(found[1].split(), cwd=folder, env=environment, capture_output=True, timeout=60)
    assert done.returncode == 1
    results = json.loads(done.stdout)["runs"][0]["results"]
    names = {result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for result in results}
    assert {"cp1251.txt", "euc_jp.txt"} <= names
    assert not names & {"utf-8.txt", "ascii.txt"}


def test_the_workflow_says_when_it_runs_and_what_it_may() -> None:
    """Without `on` GitHub refuses a workflow, and without `security-events` the upload."""
    yaml = pytest.importorskip("yaml")
    found = re.search(r"^```yaml\n(# \.github/.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
    assert found is not None
    workflow = yaml.safe_load(found[1])
    # YAML 1.1 reads the key 'on' as true.
    assert workflow[True] == ["push", "pull_request"]
    assert workflow["permissions"]["security-events"] == "write"
    steps = workflow["jobs"]["encodings"]["steps"]
    assert all(("uses" in step) != ("run" in step) for step in steps)


def test_the_task_edits_the_file_in_its_encoding(tmp_path: Path, environment: dict[str, str]) -> None:
    """The task of Visual Studio Code, with a program that adds a line in place of `code --wait`."""
    (task,) = json.loads(recipe("json"))["tasks"]
    code = tmp_path / "bin" / "code"
    code.write_text('#!/bin/sh\ntest "$1" = --wait && printf "ещё строка\\n" >> "$2"\n', encoding="utf-8")
    code.chmod(0o755)
    path = tmp_path / "it's a file.txt"
    path.write_bytes(RUSSIAN.encode("cp1251"))
    arguments = [part.replace("${file}", str(path)) for part in task["args"]]
    done = subprocess.run([task["command"], *arguments], env=environment, capture_output=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert task["type"] == "process"  # no shell, so that a path needs no quotes
    assert path.read_bytes() == (RUSSIAN + "ещё строка\n").encode("cp1251")
