"""`charlens cat`, `write` and `edit`, and their place in Git, ripgrep and editors: every untouched byte stays."""

from __future__ import annotations

import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from command import run
from prose_texts import PROSE

import charlens
from charlens.files.document import Document
from charlens.files.editing import open_document, plan_text

RUSSIAN = PROSE["ru"][:300].encode("cp1251", "ignore").decode("cp1251")
OLD = f"первая строка\r\n{RUSSIAN}\r\nпоследняя\r\n".encode("cp1251")


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A file of 1999: windows-1251 with CRLF."""
    path = tmp_path / "letter.txt"
    path.write_bytes(OLD)
    return path


def test_cat_prints_utf8(old: Path, tmp_path: Path) -> None:
    """Any encoding is printed as UTF-8, without a mark, with its line endings; binary is unchanged."""
    marked = tmp_path / "marked.txt"
    marked.write_bytes("Größe\n".encode("utf-16"))
    code, out, _ = run("cat", old, marked)
    assert code == 0
    assert out.encode() == OLD.decode("cp1251").encode() + "Größe\n".encode()
    picture = b"\x89PNG\r\n\x1a\n\x00\x00"
    done = subprocess.run([sys.executable, "-m", "charlens", "cat", "-"], input=picture, capture_output=True)
    assert done.stdout == picture


def test_cat_head(old: Path) -> None:
    """--head N prints N lines, of standard input too; a reader that goes away is not an error."""
    assert run("cat", "--head", "1", old)[1].encode() == "первая строка\r\n".encode()
    assert run("cat", "--head", "2", "-", stdin=b"a\nb\nc")[1] == "a\nb\n"
    assert run("cat", "--head", "9", "-", stdin=b"a\nb\nc")[1] == "a\nb\nc"


def test_cat_continues_after_a_missing_file(old: Path, tmp_path: Path) -> None:
    """A missing file is reported, the others are printed, the exit code is 1; a wrong encoding is wrong use."""
    code, out, complaint = run("cat", tmp_path / "missing", old)
    assert (code, out.encode()) == (1, OLD.decode("cp1251").encode())
    assert "missing: No such file" in complaint
    assert run("cat", "--encoding", "nothing", old)[0] == 2
    assert run("cat", "--encoding", "cp866", old)[1] == OLD.decode("cp866")


@pytest.mark.skipif(charlens.kernel.NAME == "pure", reason="slow in plain Python, and the kernel makes no difference")
def test_cat_streams_a_large_file(tmp_path: Path) -> None:
    """A multi-byte text of several pieces is complete, even if a piece ends inside a character."""
    path = tmp_path / "large.txt"
    text = "日本語のテキストです。あいうえお\n" * 35_000
    path.write_bytes(text.encode("euc_jp"))
    assert run("cat", path)[1] == text


def test_write_keeps_encoding_and_line_ends(old: Path) -> None:
    """What cat printed and a script changed is written back; the other lines have the bytes that they had."""
    text = run("cat", old)[1].replace("последняя", "самая последняя")
    code, out, complaint = run("write", old, stdin=text.encode())
    assert (code, complaint) == (0, "")
    assert old.read_bytes() == OLD.replace("последняя".encode("cp1251"), "самая последняя".encode("cp1251"))
    assert "1 line changed, in cp1251" in out
    assert "no change" in run("write", old, stdin=text.encode())[1]


def test_write_takes_plain_line_ends(old: Path) -> None:
    """A script that knows only LF changes one line, and the others keep their CRLF."""
    text = OLD.decode("cp1251").replace("\r\n", "\n").replace("первая", "вторая")
    assert run("write", old, stdin=text.encode())[0] == 0
    assert old.read_bytes() == OLD.replace("первая".encode("cp1251"), "вторая".encode("cp1251"))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("日本語\n", "'日'"),
        ('<meta charset="utf-8">\nпривет\n', "charlens convert --to utf-8"),
    ],
)
def test_write_refuses_what_would_do_harm(old: Path, text: str, words: str) -> None:
    """A missing character or a false declaration: a message, exit code 1, and the file is unchanged."""
    code, _, complaint = run("write", old, stdin=text.encode())
    assert code == 1 and words in complaint
    assert old.read_bytes() == OLD


def test_write_refuses_input_that_is_not_utf8_and_files_that_are_no_text(old: Path, tmp_path: Path) -> None:
    """Legacy bytes on standard input are wrong use; pictures and PDF files are not written."""
    assert run("write", old, stdin="привет".encode("cp1251"))[0] == 2
    for name, content in (("a.png", b"\x89PNG\r\n\x1a\n\x00\x00"), ("a.pdf", b"%PDF-1.4\n1 0 obj\n")):
        path = tmp_path / name
        path.write_bytes(content)
        assert run("write", path, stdin=b"text")[0] == 1
        assert path.read_bytes() == content
    assert old.read_bytes() == OLD


def test_write_makes_new_files_as_the_project_says(tmp_path: Path) -> None:
    """A new file, and one that was ASCII, is UTF-8, or what it declares, or what .editorconfig says, or --encoding."""
    text = "größer\n"
    assert run("write", tmp_path / "a.txt", stdin=text.encode())[0] == 0
    assert (tmp_path / "a.txt").read_bytes() == text.encode()
    (tmp_path / ".editorconfig").write_text("[*.txt]\ncharset = latin1\n")
    assert run("write", tmp_path / "b.txt", stdin=text.encode())[0] == 0
    assert (tmp_path / "b.txt").read_bytes() == text.encode("latin-1")
    assert run("write", "-e", "cp437", tmp_path / "c.txt", stdin=text.encode())[0] == 0
    assert (tmp_path / "c.txt").read_bytes() == text.encode("cp437")
    program = tmp_path / "d.py"
    program.write_bytes(b"# -*- coding: koi8-r -*-\nx = 1\n")
    changed = "# -*- coding: koi8-r -*-\nx = 'привет'\n"
    assert run("write", program, stdin=changed.encode())[0] == 0
    assert program.read_bytes() == changed.encode("koi8-r")


def test_write_has_backup_journal_and_dry_run(old: Path, tmp_path: Path) -> None:
    """--dry-run writes nothing, --backup keeps the old file, and undo restores what --log wrote down."""
    text = OLD.decode("cp1251").replace("первая", "вторая").encode()
    log = tmp_path / "done.jsonl"
    assert "would be written" in run("write", "--dry-run", old, stdin=text)[1]
    assert old.read_bytes() == OLD
    assert run("write", "--backup", "--log", log, old, stdin=text)[0] == 0
    assert old.read_bytes() != OLD == (tmp_path / "letter.txt.bak").read_bytes()
    assert run("undo", log)[0] == 0
    assert old.read_bytes() == OLD


def test_bytes_that_do_not_decode_stay(tmp_path: Path) -> None:
    """Bytes that cat printed as U+FFFD are restored; a changed line with U+FFFD is refused."""
    path = tmp_path / "damaged.txt"
    before = "Größe und Übermaß\n".encode() * 30 + b"kaputt: \xff\xfe hier\nletzte\n"
    path.write_bytes(before)
    text = run("cat", path)[1]
    assert "\ufffd" in text
    assert run("write", path, stdin=text.replace("letzte", "allerletzte").encode())[0] == 0
    assert path.read_bytes() == before.replace(b"letzte", b"allerletzte")
    code, _, complaint = run("write", path, stdin=text.replace("kaputt", "heil").encode())
    assert code == 1 and "U+FFFD" in complaint


def test_doubtful_files_take_only_ascii(tmp_path: Path) -> None:
    """Where the encoding is not sure, non-ASCII letters are refused unless it is named; the old bytes stay."""
    path = tmp_path / "short.txt"
    path.write_bytes(b"x\xe4y\nabc\n")

    def doubtful() -> Document:
        document = open_document(str(path))
        document.verdict = document.verdict._replace(confidence=0.6)
        return document

    document = doubtful()
    assert plan_text(document, document.text.replace("abc", "abd")).after == b"x\xe4y\nabd\n"
    assert "not certain" in plan_text(doubtful(), "ж\nabc\n").refusal
    named = open_document(str(path), "cp1252")
    assert plan_text(named, "xäy\nübc\n", certain=True).after == b"x\xe4y\n\xfcbc\n"


def test_the_proof_bites(old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Bytes that are not the text, or that change a line that did not change, are refused."""
    new = OLD.replace("последняя".encode("cp1251"), "другая".encode("cp1251"))
    other_ends = new.replace(b"\r\n", b"\n", 1)
    for content, status in (
        (new, "change"),
        (other_ends, "refused"),
        (OLD, "refused"),
        (b"nonsense", "refused"),
    ):
        with monkeypatch.context() as patch:
            document = open_document(str(old))
            patch.setattr(Document, "to_bytes", lambda self, content=content, **_: content)
            assert plan_text(document, document.text.replace("последняя", "другая")).status == status


def _editor(tmp_path: Path, code: str) -> str:
    script = tmp_path / "editor.py"
    script.write_text(f"import sys, pathlib\npath = pathlib.Path(sys.argv[1])\n{code}\n", encoding="utf-8")
    return f"{sys.executable} {script}"


def test_edit_writes_back(old: Path, tmp_path: Path) -> None:
    """The editor sees UTF-8 under the same name, and the file gets its own encoding back."""
    editor = _editor(
        tmp_path,
        "assert path.name == 'letter.txt'\n"
        "path.write_text(path.read_text(encoding='utf-8').replace('первая', 'вторая'), encoding='utf-8')",
    )
    code, _, complaint = run("edit", old, EDITOR=editor, VISUAL="")
    assert (code, complaint) == (0, "")
    assert old.read_bytes() == OLD.replace("первая".encode("cp1251"), "вторая".encode("cp1251"))
    assert "no change" in run("edit", "--editor", _editor(tmp_path, "pass"), old)[1]


def test_edit_keeps_the_copy_if_it_cannot_write(old: Path, tmp_path: Path) -> None:
    """A character too many: the file stays, the words say where the text is; a failed editor writes nothing."""
    editor = _editor(tmp_path, "path.write_text('日本語', encoding='utf-8')")
    code, _, complaint = run("edit", "--editor", editor, old)
    assert code == 1 and old.read_bytes() == OLD
    copy = Path(complaint.rsplit("your text was kept in ", 1)[1].strip())
    assert copy.read_text(encoding="utf-8") == "日本語"
    shutil.rmtree(copy.parent)
    assert run("edit", "--editor", _editor(tmp_path, "sys.exit(3)"), old)[0] == 1
    assert run("edit", "--editor", "no-such-editor", old)[0] == 1
    assert old.read_bytes() == OLD


@pytest.mark.parametrize(
    ("end", "words"),
    [("sys.exit(3)", "exited with code 3"), ("import os; os.kill(os.getpid(), 9)", "was killed by signal 9")],
)
def test_edit_keeps_what_was_saved_before_the_editor_failed(
    old: Path, tmp_path: Path, end: str, words: str
) -> None:
    """The file stays, and the words say where the edited copy is; an unedited or deleted copy leaves nothing."""
    places = tmp_path / "places"
    places.mkdir()
    editor = _editor(tmp_path, f"path.write_text('new', encoding='utf-8'); {end}")
    code, _, complaint = run("edit", "--editor", editor, old, TMPDIR=str(places))
    assert code == 1 and words in complaint and old.read_bytes() == OLD
    copy = Path(complaint.rsplit("your text was kept in ", 1)[1].strip())
    assert copy.read_text(encoding="utf-8") == "new"
    shutil.rmtree(copy.parent)
    for act in (end, "path.unlink()", f"path.unlink(); {end}"):
        code, _, complaint = run("edit", "--editor", _editor(tmp_path, act), old, TMPDIR=str(places))
        assert code == 1 and complaint and old.read_bytes() == OLD and not list(places.iterdir())


def test_edit_reports_wrong_options_before_the_editor_starts(old: Path, tmp_path: Path) -> None:
    """A journal that cannot be written is reported while nothing was typed yet."""
    editor = _editor(tmp_path, "pathlib.Path(__file__).with_name('ran').touch()")
    assert run("edit", "--log", tmp_path / "no" / "x", "--editor", editor, old)[0] == 2
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize(
    ("encoding", "language"),
    [
        ("cp1252", "de"),
        ("utf-16", "de"),
        ("shift_jis", "ja"),
        ("iso2022_jp", "ja"),
        ("gb18030", "zh-Hans"),
        ("euc_kr", "ko"),
        ("koi8-r", "ru"),
    ],
)
def test_editing_one_line_keeps_the_others(tmp_path: Path, encoding: str, language: str) -> None:
    """In every kind of encoding, the bytes before and after the changed line stay the same."""
    prose = PROSE[language][:200].encode(encoding, "ignore").decode(encoding)
    path = tmp_path / "text.txt"
    path.write_bytes(f"{prose}\r\nhere\r\n{prose}\n".encode(encoding))
    before = path.read_bytes()
    document = open_document(str(path))
    plan = plan_text(document, document.text.replace("here", "there"))
    assert plan.status == "change", plan.words
    here = "here".encode(encoding).removeprefix(b"\xff\xfe")
    assert plan.after == before.replace(here, "there".encode(encoding).removeprefix(b"\xff\xfe"))


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A Git repository with a legacy file in two versions, and the textconv of the recipes."""
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    folder = tmp_path / "repository"
    folder.mkdir()
    _git(folder, "init", "-q")
    _git(folder, "config", "diff.charlens.textconv", f"{sys.executable} -m charlens cat")
    (folder / ".gitattributes").write_text("*.txt diff=charlens\n")
    (folder / "letter.txt").write_bytes(OLD)
    _git(folder, "add", ".")
    _git(folder, "commit", "-qm", "first")
    (folder / "letter.txt").write_bytes(OLD.replace("первая".encode("cp1251"), "вторая".encode("cp1251")))
    return folder


def _git(folder: Path, *arguments: str) -> str:
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "core.autocrlf=false")
    done = subprocess.run(["git", *identity, *arguments], cwd=folder, capture_output=True, check=True)
    return done.stdout.decode()


def test_git_shows_legacy_text(repository: Path) -> None:
    """With the textconv, `git diff` and `git log -p` show the letters, and the stored bytes are untouched."""
    shown = _git(repository, "diff")
    assert "-первая строка" in shown and "+вторая строка" in shown
    _git(repository, "commit", "-qam", "second")
    assert "+вторая строка" in _git(repository, "log", "-p")
    assert (repository / "letter.txt").read_bytes().startswith("вторая".encode("cp1251"))


def test_ripgrep_finds_legacy_text(repository: Path, tmp_path: Path) -> None:
    """With the script of the recipes as --pre, `rg` finds a word in windows-1251."""
    if shutil.which("rg") is None:
        pytest.skip("ripgrep is not installed")
    script = tmp_path / "as-utf8"
    script.write_text(f'#!/bin/sh\nexec {sys.executable} -m charlens cat "$1"\n')
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    command = ["rg", "--pre", str(script), "--pre-glob", "*.txt", "строка", str(repository)]
    done = subprocess.run(command, capture_output=True)
    assert "вторая строка" in done.stdout.decode()


def test_nothing_on_standard_input_empties_no_file(tmp_path: Path) -> None:
    """A command that failed before the pipe must not cost the file."""
    path = tmp_path / "a.txt"
    path.write_bytes(b"caf\xe9 au lait\n")
    code, _, err = run("write", path)
    assert code == 2 and "is empty" in err and path.read_bytes() == b"caf\xe9 au lait\n"
