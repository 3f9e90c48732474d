"""Loading a file and writing it back: `charlens.load`, `Document.save`."""

from __future__ import annotations

import io
import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from prose_texts import PROSE

import charlens
from charlens.encodings import all_encodings
from charlens.files.document import Document


@pytest.fixture
def write(tmp_path: Path):
    def write(content: bytes, name: str = "file.txt") -> Path:
        path = tmp_path / name
        path.write_bytes(content)
        return path

    return write


GERMAN = "Grüße\naus Köln\n"


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize(
    ("encoding", "mark"),
    [
        ("cp1252", b""),
        ("utf-8", b""),
        ("utf-8", b"\xef\xbb\xbf"),
        ("utf-16-le", b"\xff\xfe"),
        ("utf-16-be", b"\xfe\xff"),
        ("utf-32-le", b"\xff\xfe\x00\x00"),
        ("utf-16-le", b""),
    ],
)
def test_an_edit_keeps_encoding_mark_and_newline(write, encoding, mark, newline):
    """A changed text is written in the encoding, with the mark and the line endings that the file had."""
    text = GERMAN.replace("\n", newline)
    path = write(mark + text.encode(encoding))
    document = charlens.load(path)
    assert (document.encoding, document.bom, document.newline) == (encoding, mark, newline)
    assert document.text == GERMAN
    document.text = document.text.replace("Köln", "München") + "bald\n"
    document.save()
    expected = text.replace("Köln", "München") + "bald" + newline
    assert path.read_bytes() == mark + expected.encode(encoding)


def test_mixed_line_ends_are_kept_line_by_line(write):
    """Lines keep their own ends; one that takes the place of another takes its end, too."""
    path = write(b"one\r\ntwo\nthree\rfour\r\nfive")
    document = charlens.load(path)
    assert document.mixed_newlines and document.newlines == ("\n", "\r\n", "\r")
    assert not document.final_newline
    document.text = (
        document.text.replace("two", "zwei").replace("three\n", "three\nnew\n").replace("four\n", "")
    )
    document.save()
    assert path.read_bytes() == b"one\r\nzwei\nthree\rnew\r\nfive"


def test_newline_can_be_changed(write):
    """Setting `newline` changes every line ending and nothing else."""
    path = write("é\r\nb\nc\r".encode())
    document = charlens.load(path)
    document.newline = "\n"
    document.save()
    assert path.read_bytes() == "é\nb\nc\n".encode()
    with pytest.raises(ValueError, match="newline must be one of"):
        document.newline = "\x85"


def test_nothing_changed_writes_nothing(write):
    """Saving an untouched document leaves the very file, its time of change included."""
    path = write(b"a\r\nb\n")
    before = path.stat()
    charlens.load(path).save()
    assert path.stat().st_mtime_ns == before.st_mtime_ns and path.stat().st_ino == before.st_ino


def test_setting_the_same_text_changes_nothing(write):
    """Text that is set to what it was counts as unchanged."""
    path = write(b"a\r\nb\nc\xff\n")
    document = charlens.load(path)
    document.text = str(document.text)
    assert not document.changed


def test_bytes_that_do_not_decode_survive_an_edit(write):
    """A stray byte in UTF-8 is in the text as U+DCxx and is restored on saving."""
    content = "Müde Füße über Brücken\n".encode() + b"k\xffhl\n"
    path = write(content)
    document = charlens.load(path)
    assert document.encoding == "utf-8" and "\udcff" in document.text
    document.text = "neu\n" + document.text
    document.save()
    assert path.read_bytes() == b"neu\n" + content


@given(st.binary(max_size=300))
def test_any_bytes_round_trip(content):
    """Whatever the bytes, an unchanged document gives them back, and its text can be read."""
    document = Document(content)
    if document.encoding is not None:
        assert isinstance(document.text, str)
    assert document.to_bytes() == content


@given(
    st.binary(min_size=1, max_size=200),
    st.sampled_from([e.name for e in all_encodings() if e.kind != "escape"]),
)
def test_bytes_survive_an_edit_in_every_encoding(content, encoding):
    """With any forced encoding, a new first line does not change the bytes after it."""
    document = Document(content, encoding=encoding)
    try:
        document.text = "x\n" + document.text
        written = document.to_bytes()
    except charlens.CharlensError:
        return  # refused with a message: nothing was written
    newline = document.newline or "\n"
    assert written == document.bom + ("x" + newline).encode(encoding) + content[len(document.bom) :]


def test_old_bytes_are_kept_where_an_encoding_has_two_ways(write):
    """Lines that did not change keep their bytes, even where encoding them again would give others."""
    nec = b"\x87\x9c\x82\xa0\x82\xa2\n"  # a row 13 sign that Python writes otherwise
    assert nec.decode("cp932").encode("cp932") != nec
    path = write(nec + "次の行\n".encode("cp932"))
    document = charlens.load(path, encoding="cp932")
    document.text = document.text.replace("次", "前")
    document.save()
    assert path.read_bytes() == nec + "前の行\n".encode("cp932")


def test_a_character_that_does_not_fit_is_an_error_before_writing(write):
    """The error names the character, its line and column, and the choices; the file is untouched."""
    path = write("Grüße\naus Köln\n".encode("cp1252"))
    document = charlens.load(path, encoding="cp1252")
    document.text = "Grüße\naus → Köln\n"
    with pytest.raises(charlens.UnencodableError) as caught:
        document.save()
    assert (caught.value.character, caught.value.line, caught.value.column) == ("→", 2, 5)
    assert "encoding='utf-8'" in str(caught.value) and "errors=" in str(caught.value)
    assert path.read_bytes() == "Grüße\naus Köln\n".encode("cp1252")
    document.save(errors="replace")
    assert path.read_bytes() == "Grüße\naus ? Köln\n".encode("cp1252")


def test_saving_in_another_encoding(write):
    """`encoding=` and `bom=` change what they name; the document goes on in the new encoding."""
    path = write("Grüße\r\n".encode("cp1252"))
    document = charlens.load(path, encoding="cp1252")
    document.save(encoding="utf-8", bom=True)
    assert path.read_bytes() == b"\xef\xbb\xbf" + "Grüße\r\n".encode()
    assert document.encoding == "utf-8" and document.bom
    document.save(bom=False)
    assert path.read_bytes() == "Grüße\r\n".encode()
    with pytest.raises(ValueError, match="has no byte order mark"):
        document.save(encoding="cp1252", bom=True)


def test_ascii_grows_into_utf8(write):
    """An ASCII file that gets an é becomes UTF-8; no other byte changes."""
    path = write(b"plain\n")
    document = charlens.load(path)
    document.text += "é\n"
    document.save()
    assert path.read_bytes() == "plain\né\n".encode() and document.encoding == "utf-8"


def test_an_empty_file_can_be_filled(write):
    """An empty file has the text '' and is written as UTF-8."""
    path = write(b"")
    document = charlens.load(path)
    assert document.text == "" and document.newline is None
    document.text = "é"
    document.save()
    assert path.read_bytes() == "é".encode()


def test_binary_can_be_loaded_but_not_changed(write):
    """A binary file goes through load and save unchanged; setting its text says what to do."""
    path = write(b"\x7fELF\x00\x01\x02\xff")
    document = charlens.load(path)
    assert document.encoding is None and not document.is_text
    with pytest.raises(charlens.NotTextError, match="encoding='latin-1'"):
        document.text = "x"
    with pytest.raises(charlens.NotTextError, match="has no text"):
        _ = document.text
    document.save()
    assert path.read_bytes() == b"\x7fELF\x00\x01\x02\xff"


def test_mode_and_link_stay(write, tmp_path):
    """Saving through a symbolic link replaces its target and keeps the target's mode."""
    path = write(b"old\n")
    path.chmod(0o640)
    link = tmp_path / "link"
    link.symlink_to(path)
    document = charlens.load(link)
    document.text = "new\n"
    document.save()
    assert link.is_symlink() and path.read_bytes() == b"new\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert sorted(p.name for p in tmp_path.iterdir()) == ["file.txt", "link"]


def test_a_new_file_has_the_mode_of_the_umask(write, tmp_path):
    """A file saved under a new name has the permissions that open() would give."""
    charlens.load(write(b"a\n")).save(tmp_path / "copy.txt")
    (tmp_path / "plain.txt").write_bytes(b"")
    assert (tmp_path / "copy.txt").stat().st_mode == (tmp_path / "plain.txt").stat().st_mode


def test_a_file_changed_by_somebody_else_is_not_overwritten(write):
    """A change on disk since loading is an error, unless forced."""
    path = write(b"one\n")
    document = charlens.load(path)
    document.text = "mine\n"
    path.write_bytes(b"theirs\n")
    with pytest.raises(charlens.ChangedOnDiskError, match="Load it again"):
        document.save()
    assert path.read_bytes() == b"theirs\n"
    document.save(force=True)
    assert path.read_bytes() == b"mine\n"


def test_a_failed_write_leaves_the_old_file_and_no_litter(write, monkeypatch, tmp_path):
    """When the disk gives out, the old content is there and the temporary file is gone."""
    path = write(b"old\n")
    document = charlens.load(path)
    document.text = "new\n"

    def fail(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="No space left"):
        document.save()
    assert path.read_bytes() == b"old\n" and [p.name for p in tmp_path.iterdir()] == ["file.txt"]


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")
def test_a_killed_save_leaves_the_old_file_or_the_new_one(write):
    """A process killed at any moment of a save leaves a whole file."""
    old, new = b"old line\n" * 40_000, b"new line\n" * 40_000
    path = write(old)
    program = (
        "import sys, charlens\n"
        "print('go', flush=True)\n"
        "while True:\n"
        "    for word in ('new', 'old'):\n"
        "        document = charlens.load(sys.argv[1])\n"
        "        document.text = (word + ' line\\n') * 40_000\n"
        "        document.save()\n"
    )
    for attempt in range(8):
        with subprocess.Popen([sys.executable, "-c", program, str(path)], stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            process.stdout.readline()
            time.sleep(0.01 + 0.017 * attempt)
            process.kill()
        content = path.read_bytes()
        assert content in (old, new)


def test_every_kind_of_file_of_this_python_round_trips(tmp_path):
    """Modules, bytecode, libraries: load, save elsewhere, and the bytes are the same."""
    folder = Path(os.__file__).parent
    kinds: dict[str, list[Path]] = {}
    for path in sorted(folder.rglob("*"))[:6000]:
        if path.is_file() and path.stat().st_size < 300_000:
            kinds.setdefault(path.suffix, []).append(path)
    chosen = [path for paths in kinds.values() for path in paths[:3]]
    assert len(chosen) > 10
    for path in chosen:
        target = tmp_path / "copy"
        charlens.load(path).save(target)
        assert target.read_bytes() == path.read_bytes(), path


def test_an_open_file_can_be_loaded(tmp_path):
    """A binary file object is read; saving then needs a path."""
    document = charlens.load(io.BytesIO("Grüße".encode()))
    assert document.text == "Grüße"
    with pytest.raises(charlens.CharlensError, match=r"save\(path\)"):
        document.save()
    document.save(tmp_path / "out.txt")
    assert (tmp_path / "out.txt").read_bytes() == "Grüße".encode()


@pytest.mark.parametrize(
    ("source", "error", "words"),
    [
        ("two\nlines", TypeError, "got text"),
        (io.StringIO("text"), TypeError, "binary mode"),
        ("data\x00", ValueError, "null (byte|character)"),
        (42, TypeError, "a path must be a str"),
        ("/nonexistent/file", FileNotFoundError, "No such file"),
    ],
)
def test_errors_for_wrong_sources_say_what_to_pass(source, error, words):
    """What cannot be loaded gives an error that says what can."""
    with pytest.raises(error, match=words):
        charlens.load(source)


def test_a_folder_that_cannot_be_written_says_so(write, monkeypatch):
    """If no file can be created next to the old one, the error says what is needed."""
    path = write(b"a\n")
    document = charlens.load(path)
    document.text = "b\n"

    def refuse(*arguments: object, **keywords: object) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(PermissionError, match="write permission for the folder"):
        document.save()
    monkeypatch.undo()
    assert path.read_bytes() == b"a\n"


def test_a_file_in_several_encodings_keeps_them_line_by_line(write):
    """The text is right, lines that stay keep their bytes, a new line takes the encoding of the one before it."""
    first = "Grüße aus Köln\nund schöne Straßen, über die Brücke\n" * 4
    second = "Café crème, déjà vu à la carte\nélève, très chère\n" * 4
    path = write(first.encode() + second.encode("cp1252"))
    document = charlens.load(path)
    assert document.text == first + second and document.encodings == ("utf-8", "cp1252")
    document.text = document.text.replace("und schöne", "und auch schöne", 1) + "à bientôt\n"
    document.save()
    wanted = first.replace("und schöne", "und auch schöne", 1).encode() + (second + "à bientôt\n").encode(
        "cp1252"
    )
    assert path.read_bytes() == wanted
    text = document.text
    document.save(encoding="utf-8")
    assert path.read_text(encoding="utf-8") == text


@pytest.mark.parametrize("data", [b"+/v8-+/v8-<b/", b"+/v8-+AOk-", "\ufeffпривет и пока".encode("utf-7")])
def test_a_mark_of_utf7_is_taken_off_once(data: bytes, tmp_path: Path) -> None:
    """A second mark is text, and the saved file is the same."""
    path = tmp_path / "letter.txt"
    path.write_bytes(data)
    assert charlens.decode(data) == data.decode("utf-7").removeprefix("\ufeff")
    assert charlens.load(path).to_bytes() == data


def test_a_mark_of_utf7_is_no_text_if_the_encoding_is_given() -> None:
    """The mark is taken off as if the encoding was detected, and comes back."""
    document = charlens.Document(b"+/v8-more +AOk-\n", encoding="utf-7")
    assert (document.text, document.bom) == ("more é\n", b"+/v8-")
    document.text += "end\n"
    assert document.to_bytes() == b"+/v8-more +AOk-\nend\n"


def test_a_character_that_a_part_cannot_hold_is_named_or_replaced():
    """In a file of several encodings, a new line is in that of the line before it; what that lacks has its place."""
    german, russian = PROSE["de"][:300], PROSE["ru"][:300].encode("cp1251", "ignore")
    document = charlens.Document(german.encode() + b"\n" + russian + b"\nend\n")
    assert document.encodings == ("utf-8", "cp1251")
    line = document.text.count("\n") + 1
    document.text += "жß\n"
    with pytest.raises(charlens.UnencodableError) as caught:
        document.to_bytes()
    assert (caught.value.line, caught.value.column, caught.value.character) == (line, 2, "ß")
    assert document.to_bytes(errors="replace").endswith(b"\nend\n\xe6?\n")


def test_a_copy_that_is_saved_elsewhere_leaves_the_document_with_its_file(tmp_path):
    """After `save(other)` a document belongs to its own path and has its change; one without a path adopts it."""
    own, other = tmp_path / "own.txt", tmp_path / "other.txt"
    own.write_bytes(b"old\n")
    document = charlens.load(own)
    document.text = "neu ü\n"
    document.save(other)
    assert other.read_bytes() == "neu ü\n".encode() and own.read_bytes() == b"old\n"
    document.save()
    assert own.read_bytes() == "neu ü\n".encode()
    adopted = Document(b"old\n")
    adopted.text = "neu\n"
    adopted.save(tmp_path / "third.txt")
    adopted.text = "mehr\n"
    adopted.save()
    assert (tmp_path / "third.txt").read_bytes() == b"mehr\n"
