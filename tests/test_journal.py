"""Journals (--log) and `charlens undo`: a journal stays readable, and what cannot be restored is named."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from command import run, run_here

OLD = "Grüße aus Köln, schöne Straßen\n".encode("cp1252")
NEW = OLD.decode("cp1252").encode()
MARKED = b"\xef\xbb\xbf" + NEW


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with two old files, which were converted, and the journal of that."""
    monkeypatch.chdir(tmp_path)
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_bytes(OLD)
    assert run("convert", "-i", "--log", "j", "a.txt", "b.txt")[0] == 0
    return tmp_path


WRITERS = [
    ("convert", "-i", "--bom", "."),
    ("convert", "-i", "--bom", "j"),
    ("convert", "-i", "--to", "utf-16", "j"),
    ("check", "--fix", "--newline", "crlf", "."),
    ("check", "--fix", "--bom", "--log", "j", "."),
    ("convert", "--force", "-o", ".", "x/j"),
    ("write", "j"),
    ("repair", "-i", "j"),
]


@pytest.mark.parametrize("command", WRITERS, ids=" ".join)
def test_a_journal_is_changed_by_no_writer(folder: Path, command: tuple[str, ...]) -> None:
    """Whatever is written around it, a journal only grows by lines of its own, and 'check' does not report it."""
    before = (folder / "j").read_bytes()
    (folder / "x").mkdir()
    (folder / "x" / "j").write_bytes(OLD)
    _, out, _ = run(*command, stdin=b"other\n")
    assert (folder / "j").read_bytes().startswith(before) and not out.startswith("./j")
    assert all(json.loads(line)["journal"] for line in (folder / "j").read_bytes().splitlines())


def test_a_large_journal_is_left_alone(folder: Path) -> None:
    """Also if it is streamed."""
    (folder / "j").write_bytes((folder / "j").read_bytes() * 20_000)
    before = (folder / "j").read_bytes()
    assert len(before) > 4 << 20
    assert run("check", "--fix", "--newline", "crlf", "j")[0] == 0
    code, _, err = run("convert", "-i", "--newline", "crlf", "j")
    assert code == 1 and "a journal of charlens" in err and (folder / "j").read_bytes() == before


def test_an_empty_journal_is_not_converted(folder: Path) -> None:
    """The journal of this very run, named as an input, is refused."""
    (folder / "new").touch()
    assert run("convert", "-i", "--bom", "--log", "new", "new")[0] == 1 and not (folder / "new").read_bytes()


def test_an_incomplete_line_is_named(folder: Path) -> None:
    """The other files are restored; the file of the incomplete line was changed and cannot be restored."""
    os.truncate("j", os.path.getsize("j") - 20)
    code, out, err = run("undo", "j")
    assert code == 1 and "Restored 1 file (0 unchanged, 1 refused)" in out
    assert "b.txt: not restored: line 2 of the journal is incomplete, and the file was changed" in err
    assert (folder / "a.txt").read_bytes() == OLD and (folder / "b.txt").read_bytes() == NEW


def test_an_incomplete_line_after_a_crash(folder: Path) -> None:
    """If the file still has its old bytes, nothing is lost, and the line is only mentioned."""
    os.truncate("j", os.path.getsize("j") - 20)
    (folder / "b.txt").write_bytes(OLD)
    code, out, err = run("undo", "j")
    assert code == 0 and "Restored 1 file (1 unchanged, 0 refused)" in out
    assert "b.txt: line 2 of the journal is incomplete, but the file was not changed" in err


def test_an_incomplete_line_of_a_file_with_earlier_changes(folder: Path) -> None:
    """The file is named once; if the last change did not happen, the earlier one is undone."""
    assert run("convert", "-i", "--bom", "--log", "j", "a.txt")[0] == 0
    os.truncate("j", os.path.getsize("j") - 20)
    before = (folder / "j").read_bytes()
    code, out, err = run("undo", "j")
    assert code == 1 and err.count("a.txt") == 1 and "Restored 1 file (0 unchanged, 1 refused)" in out
    (folder / "a.txt").write_bytes(NEW)
    assert run("undo", "j")[0] == 0 and (folder / "a.txt").read_bytes() == OLD
    assert (folder / "j").read_bytes() == before


@pytest.mark.parametrize("left", [5, 80, 120])
def test_a_line_that_says_little_is_named(folder: Path, left: int) -> None:
    """Whatever is left of the last line, its number is printed, and the exit code is 1."""
    first = (folder / "j").read_bytes().index(b"\n") + 1
    os.truncate("j", first + left)
    code, _, err = run("undo", "j")
    assert code == 1 and "line 2 of the journal is incomplete" in err
    assert (folder / "a.txt").read_bytes() == OLD


def test_two_changes_of_one_file(folder: Path) -> None:
    """A dry run says what the real one does; the file is named once, relative to the current folder."""
    assert run("convert", "-i", "--bom", "--log", "j", "a.txt")[0] == 0
    assert (folder / "a.txt").read_bytes() == MARKED
    code, out, err = run("undo", "-n", "j")
    assert (code, err) == (0, "") and (folder / "a.txt").read_bytes() == MARKED
    done = "a.txt: restored\nb.txt: restored\nRestored 2 files (0 unchanged, 0 refused)\n"
    assert out == done.replace(": restored", ": would be restored").replace("Restored", "Would restore")
    assert run("undo", "j") == (0, done, "")
    assert (folder / "a.txt").read_bytes() == (folder / "b.txt").read_bytes() == OLD


def test_a_file_elsewhere_has_its_whole_path(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file outside of the current folder is named by its absolute path."""
    (folder / "in").mkdir()
    monkeypatch.chdir(folder / "in")
    assert f"{folder / 'a.txt'}: restored" in run("undo", "../j")[1]


def test_undo_keeps_the_time(folder: Path) -> None:
    """If the conversion kept the modification time, undoing it keeps it, too."""
    (folder / "c.txt").write_bytes(OLD)
    os.utime("c.txt", (1, 1))
    assert run("convert", "-i", "--keep-times", "--log", "k", "c.txt")[0] == run("undo", "k")[0] == 0
    assert (folder / "c.txt").read_bytes() == OLD and (folder / "c.txt").stat().st_mtime == 1


@pytest.mark.skipif(os.name == "nt", reason="named pipes of Unix")
def test_a_pipe_is_not_a_journal(folder: Path) -> None:
    """A named pipe is refused, where reading it would wait forever."""
    os.mkfifo("pipe")
    code, _, err = run("undo", "pipe")
    assert code == 1 and "named pipe" in err
    code, _, err = run("convert", "-i", "--bom", "--log", "pipe", "a.txt")
    assert code == 2 and "is not a regular file" in err and (folder / "a.txt").read_bytes() == NEW
    (folder / "a.txt").unlink()
    os.mkfifo("a.txt")
    assert "a.txt: not restored: is a named pipe" in run("undo", "j")[2]


@pytest.mark.parametrize(
    "change",
    [
        *({"path": value} for value in (None, 5, [], "\0", "\ud800")),
        *({"original": value} for value in (None, 5, [], "no Base64")),
        *({"inverse": value} for value in (None, 5, [], {"repair": 5}, {"mark": 5}, {"mark": "", "from": 1})),
        {"before": []},
        {"after": 5},
    ],
    ids=str,
)
def test_a_tampered_journal_has_words(folder: Path, change: dict[str, object]) -> None:
    """Whatever is in the fields of a line, there is a message, and the file is as it was."""
    (line, *_) = (folder / "j").read_text().splitlines()
    (folder / "k").write_text(json.dumps({**json.loads(line), **change}) + "\n")
    code, _, err = run("undo", "k")
    assert code == 1 and err.strip() and "Traceback" not in err
    assert (folder / "a.txt").read_bytes() == NEW and sorted(os.listdir(folder)) == ["a.txt", "b.txt", "j", "k"]


@pytest.mark.parametrize("content", ["[" * 100_000 + "\n", "9" * 5000 + "\n", '{"journal": 1, "path": "ü"\n'])
def test_what_is_not_json_is_no_journal(folder: Path, content: str) -> None:
    """Also if it is nested without an end, a number without an end, or not ASCII."""
    (folder / "k").write_text(content, encoding="utf-8")
    code, _, err = run("undo", "k")
    assert code == 1 and "not a charlens journal" in err


def test_an_incomplete_line_with_a_path_that_is_none(folder: Path) -> None:
    """An escape that JSON does not have, in a line without an end, names no file."""
    (folder / "k").write_text('{"journal": 1, "time": "", "verb": "convert", "path": "\\q", "bef')
    code, _, err = run("undo", "k")
    assert code == 1 and "names no file" in err


def test_undo_keeps_the_time_of_a_streamed_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With --keep-times, a large file has its old time after the conversion and after undo, as a small one does."""
    from charlens.files import streaming

    monkeypatch.setattr(streaming, "STREAMED", 100)
    path, log = tmp_path / "a.txt", tmp_path / "j"
    text = "Съешь ещё этих мягких французских булок\n" * 10
    path.write_bytes(text.encode("cp1251"))
    os.utime(path, (1_000_000_000, 1_000_000_000))
    assert run_here("convert", "-i", "-j", "1", "--keep-times", "--log", log, path)[0] == 0
    assert path.read_bytes() == text.encode() and b"inverse" in log.read_bytes()
    assert run_here("undo", log)[0] == 0
    assert path.read_bytes() == text.encode("cp1251") and path.stat().st_mtime == 1_000_000_000
