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


#: A file by its name, the encoding that it is read in, its text, and a character that only that encoding has.
NARROW = {
    "python": ("a.py", "cp1252", "# -*- coding: latin-1 -*-\nname = 'José'\n", "€"),
    "ruby": ("a.rb", "cp1252", "# encoding: iso-8859-1\nname = 'José'\n", "€"),
    "xml": ("a.xml", "cp1252", '<?xml version="1.0" encoding="iso-8859-1"?>\n<a>José</a>\n', "“"),
    "xml, Turkish": ("a.xml", "cp1254", '<?xml version="1.0" encoding="iso-8859-9"?>\n<a>Şişli ğ</a>\n', "€"),
    "gettext": (
        "a.po",
        "cp1252",
        'msgid ""\nmsgstr "Content-Type: text/plain; charset=ISO-8859-1\\n"\n\nmsgid "a"\nmsgstr "é"\n',
        "€",
    ),
    "jsp": ("a.jsp", "cp1252", '<%@ page pageEncoding="ISO-8859-1" %>\n<p>José</p>\n', "–"),  # charlens: ignore
    "latex": ("a.tex", "cp1252", "\\usepackage[latin1]{inputenc}\nJosé\n", "€"),
    "jabref": ("a.bib", "cp1252", "% Encoding: ISO-8859-1\n@book{a, author={José}}\n", "€"),
    "postgresql": ("a.sql", "cp1252", "SET client_encoding = 'LATIN1';\nINSERT INTO a VALUES ('José');\n", "€"),
    "vcard": ("a.vcf", "cp1252", "BEGIN:VCARD\nN;CHARSET=ISO-8859-1:José\nEND:VCARD\n", "’"),
    "mbox": (
        "a.mbox",
        "cp1252",
        "From a@b Mon Jan 1 2001\nContent-Type: text/plain; charset=iso-8859-1\n\nJosé\n",
        "€",
    ),
    "python, Japanese": ("a.py", "cp932", "# coding: shift_jis\nx = '日本語のテキストです'\n", "①"),
    "python, Chinese": ("a.py", "gbk", "# coding: gb2312\nx = '你在哪里，我等了你一整晚。'\n", "镕"),
    "python, Korean": ("a.py", "cp949", "# coding: euc-kr\nx = '한국어로 쓴 글입니다'\n", "똠"),
}


@pytest.mark.parametrize(("name", "encoding", "text", "new"), NARROW.values(), ids=NARROW)
def test_a_declaration_stays_true(tmp_path: Path, name: str, encoding: str, text: str, new: str) -> None:
    """A new character that the declared encoding lacks is refused, unless it was there before."""
    path = tmp_path / name
    path.write_bytes(text.encode(encoding))
    place = max(text)
    changed = text.replace(place, place + new)
    code, _, complaint = run("write", "-e", encoding, path, stdin=changed.encode())
    assert code == 1 and f"{new!r} is not in" in complaint and "convert --to utf-8" in complaint
    document = charlens.load(path, encoding=encoding)
    document.text = changed
    with pytest.raises(charlens.CharlensError, match="encoding='utf-8', or with declarations=False"):
        document.save()
    assert path.read_bytes() == text.encode(encoding)
    path.write_bytes(changed.encode(encoding))
    assert run("write", "-e", encoding, path, stdin=changed.replace(place, place * 2).encode())[0] == 0


@pytest.mark.parametrize(
    ("name", "encoding", "text", "new"),
    [
        ("a.html", "cp1252", '<meta charset="iso-8859-1">\n<p>José</p>\n', "€"),
        ("a.html", "cp932", '<meta charset="shift_jis">\n<p>日本語</p>\n', "①"),
        ("a.html", "gbk", '<meta charset="gb2312">\n<p>你在哪里</p>\n', "镕"),
        ("a.html", "cp949", '<meta charset="euc-kr">\n<p>한국어</p>\n', "똠"),
        ("a.sql", "cp1252", "SET NAMES latin1;\nINSERT INTO a VALUES ('José');\n", "€"),
        ("a.py", "cp1252", "# coding: latin-1\nx = 'José'\n", "ü"),
        ("a.py", "cp932", "# coding: shift_jis\nx = '日本語'\n", "～"),
        ("a.py", "gbk", "# coding: gb2312\nx = '你在哪里'\n", "—"),
    ],
)
def test_what_programs_can_read_is_written(
    tmp_path: Path, name: str, encoding: str, text: str, new: str
) -> None:
    """Browsers and MySQL read more than the label says; and what the declared encoding has is no reason to refuse."""
    path = tmp_path / name
    path.write_bytes(text.encode(encoding))
    changed = text.replace(max(text), max(text) + new)
    assert run("write", "-e", encoding, path, stdin=changed.encode())[0] == 0
    assert path.read_bytes() == changed.encode(encoding)


def test_properties_are_read_as_latin_1(tmp_path: Path) -> None:
    """A character that Java would misread is refused with its escape, unless the file has such already, or is UTF-8."""
    path = tmp_path / "a.properties"
    path.write_bytes("a=José García\n".encode("cp1252"))
    code, _, complaint = run("write", path, stdin="a=José García €\n".encode())
    assert code == 1 and "write \\u20AC" in complaint
    assert path.read_bytes() == "a=José García\n".encode("cp1252")
    for encoding in ("cp1252", "utf-8"):
        path.write_bytes("a=José – García\n".encode(encoding))
        assert run("write", "-e", encoding, path, stdin="a=José – García €\n".encode())[0] == 0
        assert path.read_bytes() == "a=José – García €\n".encode(encoding)


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


@pytest.mark.parametrize(
    ("name", "settings", "given", "written"),
    [
        ("a.bat", "", b"@echo off\r\necho hi\r\n", b"@echo off\r\necho hi\r\n"),
        ("a.txt", "", b"a\r\nb\nc\rd", b"a\r\nb\nc\rd"),
        ("a.txt", "", b"\xef\xbb\xbfGr\xc3\xb6\xc3\x9fe\n", b"\xef\xbb\xbfGr\xc3\xb6\xc3\x9fe\n"),
        ("a.txt", "", b"\xef\xbb\xbfplain\n", b"\xef\xbb\xbfplain\n"),
        ("a.json", "", b"\xef\xbb\xbf{}\n", b"{}\n"),
        ("a.sh", "end_of_line = crlf", b"ls\r\npwd\n", b"ls\npwd\n"),
        ("a.txt", "end_of_line = crlf", b"a\nb\n", b"a\r\nb\r\n"),
        ("a.txt", "end_of_line = lf", b"a\r\nb\r\n", b"a\nb\n"),
        ("a.txt", "end_of_line = unset", b"a\r\nb\n", b"a\r\nb\n"),
        ("a.txt", "charset = utf-8-bom", b"a\n", b"\xef\xbb\xbfa\n"),
        ("a.json", "charset = utf-8-bom", b"{}\n", b"{}\n"),
        ("a.txt", "charset = utf-16le\nEnd_Of_Line = CRLF", b"a\n", b"a\0\r\0\n\0"),
        ("a.txt", "charset = latin1", b"\xef\xbb\xbf\xc3\xa9\n", b"\xe9\n"),
    ],
)
def test_a_new_file_is_as_given(
    tmp_path: Path, name: str, settings: str, given: bytes, written: bytes
) -> None:
    """Line endings and mark are those of the input, unless .editorconfig or the format wants something else."""
    (tmp_path / ".editorconfig").write_text(f"root = true\n[*]\n{settings}\n")
    path = tmp_path / name
    for _ in range(2):
        assert run("write", path, stdin=given)[0] == 0
        assert path.read_bytes() == written
        path.write_bytes(b"")


def test_a_file_without_a_line_ending_takes_the_given_one(tmp_path: Path) -> None:
    """There is none to imitate; a mark is not added, because the file has none."""
    path = tmp_path / "a.txt"
    path.write_bytes(b"one")
    assert run("write", path, stdin=b"\xef\xbb\xbfone\r\ntwo\r\n")[0] == 0
    assert path.read_bytes() == b"one\r\ntwo\r\n"
    document = Document(b"one")
    document.text = "one\r\ntwo"
    assert (document.text, document.to_bytes()) == ("one\ntwo", b"one\r\ntwo")
    document.newline = "\n"
    assert document.to_bytes() == b"one\ntwo"


def test_an_input_of_a_mark_alone_is_empty(old: Path) -> None:
    """A byte order mark is not text, so the file is not emptied."""
    assert run("write", old, stdin=b"\xef\xbb\xbf")[0] == 2
    assert old.read_bytes() == OLD


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


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_bytes_that_do_not_decode_stay(tmp_path: Path, end: bytes) -> None:
    """Bytes that cat printed as U+FFFD are restored; a changed line with U+FFFD is refused."""
    path = tmp_path / "damaged.txt"
    before = ("Größe und Übermaß\n".encode() * 30 + b"kaputt: \xff\xfe hier\nletzte\n").replace(b"\n", end)
    path.write_bytes(before)
    text = run("cat", path)[1]
    assert "\ufffd" in text
    assert run("write", path, stdin=text.replace("letzte", "allerletzte").encode())[0] == 0
    assert path.read_bytes() == before.replace(b"letzte", b"allerletzte")
    code, _, complaint = run("write", path, stdin=text.replace("kaputt", "heil").encode())
    assert code == 1 and "U+FFFD" in complaint


def test_a_line_keeps_the_encoding_of_its_part(tmp_path: Path) -> None:
    """In a file of several encodings, the message names all of them."""
    path = tmp_path / "mixed.txt"
    before = "Grüße aus Köln, schöne Straßen\n".encode("cp1252") * 5 + "Größere Häuser, überall Bäume\n".encode() * 5
    path.write_bytes(before)
    text = run("cat", path)[1]
    out = run("write", path, stdin=(text.removesuffix("Bäume\n") + "Öl\n").encode())[1]
    assert "written (1 line changed; the parts stay in cp1252 and utf-8)" in out
    assert path.read_bytes() == before.removesuffix("Bäume\n".encode()) + "Öl\n".encode()


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


@pytest.mark.parametrize(
    ("encoding", "mark"),
    [("utf-16", b"\xff\xfe"), ("UTF_32", b"\xff\xfe\0\0"), ("utf-8-sig", b"\xef\xbb\xbf"), ("utf-16-le", b"")],
)
def test_a_new_file_has_the_mark_that_its_encoding_says(tmp_path: Path, encoding: str, mark: bytes) -> None:
    """As in `convert --to`: utf-16 has a byte order mark, without which it is not recognised; utf-16-le has none."""
    path = tmp_path / "new.txt"
    for text in ("ä\n", "b\n"):
        assert run("write", path, "--encoding", encoding, stdin=text.encode())[0] == 0
        data = path.read_bytes()
        assert data.startswith(mark) and data[len(mark) :].decode(Document(data).encoding or encoding) == text
    document = Document(b"", encoding=encoding)
    document.text = "ä\n"
    bare = "ä\n".encode(document.encoding or "")
    assert document.to_bytes() == mark + bare and document.to_bytes(bom=False) == bare
    page = tmp_path / "page.json"
    assert run("write", page, "--encoding", "utf-8-sig", stdin=b'{"a": 1}\n')[0] == 0
    assert page.read_bytes() == b'{"a": 1}\n'


def test_an_editor_with_half_a_quotation_is_refused(old: Path) -> None:
    """A command that a shell could not read is an error that names it, and the file stays as it is."""
    code, _, err = run("edit", "--editor", "vi 'x", old)
    assert code == 1 and "No closing quotation" in err and old.read_bytes() == OLD
