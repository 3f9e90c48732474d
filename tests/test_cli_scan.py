"""The command `charlens scan`, and what it is made of: the walk, the workers, the summary, the page."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
from command import run

from charlens.cli.pool import map_paths
from charlens.cli.report import draw_page
from charlens.cli.survey import MOST_KEPT, Found, Summary, survey
from charlens.cli.walk import find_files
from charlens.files.line_ends import count_ends


def found_in(folder: Path, *, ignore: bool = True) -> list[str]:
    entries = find_files([str(folder)], ignore=ignore, complain=lambda path, error: None)
    return [entry.inner.replace(os.sep, "/") for entry in entries]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    files = {
        ".gitignore": b"*.log\n/build/\n!keep.log\n",
        "a.txt": "Grüße\n".encode(),
        "x.log": b"x\n",
        "keep.log": b"kept\r\n",
        "build/out.txt": b"x\n",
        "sub/build/in.txt": b"x\n",
        "sub/.gitignore": b"!x.log\nin.txt\n",
        "sub/x.log": "Привет, мир! Это письмо.\n".encode("cp1251"),
        ".git/config": b"[core]\n",
        "b.bin": b"\x7fELF\x00\x00",
        "empty": b"",
        "a.txt.0123456789ab.charlens~": b"left",
    }
    for name, data in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(data)
    return tmp_path


def test_ignore_files_are_honoured_as_git_does(tree: Path) -> None:
    """Patterns, anchored ones, exceptions and nested files decide; .git and leftovers are never looked at."""
    names = [".gitignore", "a.txt", "b.bin", "empty", "keep.log", "sub/.gitignore", "sub/x.log"]
    assert found_in(tree) == names
    assert set(found_in(tree, ignore=False)) == {*names, "x.log", "build/out.txt", "sub/build/in.txt"}


def test_ignore_files_above_the_folder_count(tree: Path) -> None:
    """Inside a repository the rules of the folders above hold too."""
    (tree / "sub" / "y.log").write_bytes(b"y")
    (tree / "sub" / "deep").mkdir()
    (tree / "sub" / "deep" / "z.log").write_bytes(b"z")
    assert found_in(tree / "sub" / "deep") == []
    assert found_in(tree / "sub" / "deep", ignore=False) == ["z.log"]


def test_an_ignored_folder_that_is_named_is_read(tree: Path) -> None:
    """A folder that an ignore file above excludes, or one inside it, was given by name, so it is not skipped."""
    (tree / "build" / "deep").mkdir()
    (tree / "build" / "deep" / "z.log").write_bytes(b"z")
    assert found_in(tree / "build") == ["out.txt", "deep/z.log"]
    assert found_in(tree / "build" / "deep") == ["z.log"]


def test_the_summary_counts_everything(tree: Path) -> None:
    """Outcomes, encodings, line endings and marks are counted, and the JSON has both records and summary."""
    code, out, err = run("scan", "--format", "json", tree)
    whole = json.loads(out)
    assert code == 0 and err == ""
    assert whole["summary"]["files"] == 7 == len(whole["files"])
    assert whole["summary"]["outcome"] == {"text": 5, "binary": 1, "empty": 1}
    assert whole["summary"]["newline"] == {"lf": 4, "crlf": 1}
    assert whole["summary"]["encoding"]["cp1251"] == 1


@pytest.mark.parametrize("form", ["jsonl", "csv"])
def test_records_have_the_fields_of_detect(tree: Path, form: str) -> None:
    """One record a file, with the promised keys, in the order of the walk."""
    _, out, _ = run("scan", "--format", form, tree)
    records = (
        [json.loads(line) for line in out.splitlines()]
        if form == "jsonl"
        else list(csv.DictReader(io.StringIO(out)))
    )
    keys = {"path", "outcome", "encoding", "confidence", "language", "bom", "newline", "error"}
    assert len(records) == 7 and all(record.keys() >= keys for record in records)
    assert [Path(record["path"]).name for record in records][:2] == [".gitignore", "a.txt"]


def test_text_is_a_summary_without_colour_or_bar(tree: Path) -> None:
    """Off a terminal there is no escape sequence and nothing on standard error."""
    code, out, err = run("scan", tree)
    assert code == 0 and err == "" and "\x1b" not in out
    assert re.search(r"^7 files, ", out) and "cp1251" in out
    _, out, _ = run("scan", "-q", tree)
    assert out == ""


@pytest.mark.skipif(os.name == "nt", reason="pipes, sockets and links of Unix")
def test_odd_things_are_reported_and_do_not_stop_the_rest(tmp_path: Path) -> None:
    """A pipe, a socket, a link to nowhere, a ring of links and a missing path are named; the exit code is 1."""
    os.mkfifo(tmp_path / "pipe")
    with socket.socket(socket.AF_UNIX) as server:
        here = os.getcwd()
        os.chdir(tmp_path)
        try:
            server.bind("socket")
        finally:
            os.chdir(here)
    (tmp_path / "ring").symlink_to("ring")
    (tmp_path / "nowhere").symlink_to("missing")
    (tmp_path / "folder").symlink_to(".")
    (tmp_path / "a.txt").write_bytes(b"text\n")
    code, out, err = run("scan", "--format", "json", tmp_path, tmp_path / "gone")
    whole = json.loads(out)
    assert code == 1 and whole["summary"]["unreadable"] == 5 and whole["summary"]["outcome"]["text"] == 1
    for words in ("pipe: is a named pipe", "socket: is a socket", "ring: ", "nowhere: ", "gone: "):
        assert words in err


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="names are text there")
def test_names_that_are_no_text_are_printed_safely(tmp_path: Path) -> None:
    """A name that is not UTF-8, or has a control character, damages neither output nor page."""
    for name in (b"caf\xe9.txt", b"red\x1b[31m.txt", b"<b>\n.txt"):
        with open(os.path.join(os.fsencode(tmp_path), name), "wb") as file:
            file.write(b"x\xe9\n")
    code, out, _ = run("scan", "-v", tmp_path, "--min-confidence", "1", "--report", tmp_path / "page.html")
    assert code == 0 and "\x1b" not in out and "red\\x1b[31m.txt" in out
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "<b>\\n.txt" not in page and "&lt;b&gt;\\n.txt" in page and "\x1b" not in page
    assert '\\u003cb>\\\\n.txt"' in page, "the table has a row for it"


def test_the_page_needs_nothing_from_elsewhere() -> None:
    """The report is one file: no link, no picture, charts and data inside it, and its policy lets it load nothing."""
    summary = Summary(0.9)
    for index in range(40):
        found = Found("text", f"cp{index}", 0.5, "de", newline="lf", size=9, rival="x&y")
        summary.add(f"{index}<script>", found)
    row = ["</script><img src=x>", "text", "cp1", 0.5, "de", "lf", False, 9, [], "<b>"]
    page = draw_page(summary, "a & b", [row])
    assert page.count("<svg") == 5 and "a &amp; b" in page and "27 others" in page
    assert not re.search(r"<link|<img|<[^>]+src=|https?://(?!www\.w3\.org/2000/svg)", page)
    assert page.count("<script") == 2 and "default-src 'none'" in page
    assert "no room for 39 more files" in page


def test_the_summary_is_bounded() -> None:
    """However many files are doubtful or unreadable, some are kept by name and all are counted."""
    summary = Summary(0.9)
    for index in range(MOST_KEPT + 500):
        summary.add(f"{index}", Found("text", "cp1252", index / 4000, size=1))
        summary.fail(f"{index}", "gone")
    assert summary.doubtful == summary.failed == MOST_KEPT + 500
    assert len(summary.doubts) == len(summary.errors) == MOST_KEPT
    assert summary.doubts[0].found.confidence == 0.0, "the least certain come first, and are kept"


def slow_length(path: str) -> int:
    """Be slower for the first paths, so results arrive in another order."""
    if path.startswith("0000"):
        time.sleep(0.002)
    return len(path)


def deadly(path: str) -> str:
    """End the process for some paths, as a mapped file that shrinks does."""
    if path.endswith("7"):
        os.kill(os.getpid(), signal.SIGKILL)
    return path.upper()


def test_results_come_in_order_from_several_processes() -> None:
    """Whichever worker is first, the paths come back in their order, each once."""
    paths = [f"{index:05}" for index in range(1000)]
    assert list(map_paths(slow_length, paths, 3)) == [(path, 5) for path in paths]


@pytest.mark.skipif(os.name == "nt", reason="there is no SIGKILL")
def test_a_worker_that_dies_loses_only_its_file() -> None:
    """Every path but the deadly ones has its result; those have None."""
    paths = [f"p{index}" for index in range(70)]
    wanted = [(path, None if path.endswith("7") else path.upper()) for path in paths]
    assert list(map_paths(deadly, paths, 2)) == wanted


def test_workers_and_one_process_agree(tree: Path) -> None:
    """The records do not depend on the number of processes."""
    for index in range(100):
        (tree / f"many{index}.txt").write_bytes(f"Grüße {index}\n".encode("cp1252"))
    one, many = (run("scan", "--format", "jsonl", "-j", jobs, tree)[1] for jobs in ("1", "3"))
    assert one == many and one.count("\n") == 107


@pytest.mark.skipif(os.name == "nt", reason="signals of Unix")
def test_ctrl_c_ends_with_a_summary(tmp_path: Path) -> None:
    """After an interruption, the command prints a summary, leaves no process behind, and exits with 130."""
    for index in range(3000):
        (tmp_path / f"{index}.txt").write_bytes(b"word\n" * 2000)
    command = [sys.executable, "-m", "charlens", "scan", "-v", str(tmp_path)]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    assert process.stdout is not None
    process.stdout.readline()
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130 and "interrupted" in err and "Traceback" not in err
    assert "(interrupted)" in out
    with pytest.raises(ProcessLookupError):
        os.killpg(process.pid, 0)


@pytest.mark.parametrize(
    ("text", "encoding", "style"),
    [
        ("a\nb\n", "ascii", "lf"),
        ("a\r\nb", "cp1252", "crlf"),
        ("a\rb\r", "utf-8", "cr"),
        ("a\r\nb\n", "utf-16-le", "mixed"),
        ("a\r\nb\r\n", "utf-32-be", "crlf"),
        ("ab", "utf-8", "none"),
    ],
)
def test_line_ends_are_counted_in_any_encoding(text: str, encoding: str, style: str) -> None:
    """The style is that of the text, not of the bytes."""
    assert count_ends(text.encode(encoding), encoding).style == style


def test_line_ends_at_the_border_of_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """A CRLF that two pieces share is one line ending."""
    monkeypatch.setattr("charlens.files.line_ends._PIECE", 3)
    assert count_ends(b"ab\r\ncd\r\n\re\r", "ascii") == (0, 2, 2)


def test_a_file_that_grew_is_read_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file larger than it was when it was looked at is not cut off."""
    monkeypatch.setattr("charlens.cli.survey._SMALL", 8)
    (tmp_path / "a").write_bytes(b"1234567\n1234567\n123")
    assert survey(str(tmp_path / "a")).size == 19


@pytest.mark.parametrize("verb", ["scan --report", "inspect --save"])
def test_a_page_replaces_no_other_file(tmp_path: Path, verb: str) -> None:
    """The file that is read can be named by mistake; only an older page is replaced."""
    letter, page = tmp_path / "letter.txt", tmp_path / "page.html"
    letter.write_bytes("Grüße\n".encode("cp1252"))
    name, option = verb.split()
    code, _, words = run(name, str(letter), option, str(letter))
    assert code == 2 and "not a page that charlens wrote" in words
    assert letter.read_bytes() == "Grüße\n".encode("cp1252")
    for _ in range(2):
        assert run(name, str(letter), option, str(page))[0] == 0 and page.read_bytes().startswith(b"<!doctype html>")
