"""What becomes of a file when writing fails half-way: it is the old one or the new one, and words say what to do."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner
from command import run, run_here
from hypothesis import given, settings
from hypothesis import strategies as st

import charlens
from charlens.cli.app import app
from charlens.files.atomic import write_atomically

RUSSIAN = "Привет из Казани, дорогие друзья\n" * 3
OLD = RUSSIAN.encode("cp1251")


@pytest.mark.skipif(os.name == "nt", reason="hard links of Unix")
def test_a_file_with_two_names_is_left_alone(tmp_path: Path) -> None:
    """Only one name could be replaced, so neither is; all writers say so, and a file of one name is written."""
    path, other = tmp_path / "a.txt", tmp_path / "b.txt"
    path.write_bytes(OLD)
    os.link(path, other)
    code, _, err = run("convert", "-i", path)
    assert code == 1 and "2 hard links" in err and "cp -p" in err
    assert run("check", "--fix", path)[0] == 1
    document = charlens.load(path)
    document.text += "ещё\n"
    with pytest.raises(OSError, match="hard links"):
        document.save()
    assert path.read_bytes() == other.read_bytes() == OLD and path.stat().st_nlink == 2
    other.unlink()
    assert run("convert", "-i", path)[0] == 0 and path.read_bytes() == RUSSIAN.encode()


@pytest.mark.skipif(os.name == "nt", reason="hard links and modes of Unix")
def test_a_dry_run_foresees_what_must_not_be_replaced(tmp_path: Path) -> None:
    """A file that is read-only or has two names is refused in a preview, in the words of the real run."""
    for name in ("locked.txt", "one.txt"):
        (tmp_path / name).write_bytes(OLD)
    (tmp_path / "locked.txt").chmod(0o444)
    os.link(tmp_path / "one.txt", tmp_path / "two.txt")
    code, out, _ = run("convert", "--dry-run", "--format", "jsonl", tmp_path)
    _, real, _ = run("convert", "--in-place", "--format", "jsonl", tmp_path)
    assert code == 1 and out == real and "is read-only" in out and "2 hard links" in out
    assert run("convert", "--dry-run", "--output", tmp_path / "new", tmp_path)[0] == 0
    text = RUSSIAN.encode() + b"x\n"
    for name in ("locked.txt", "one.txt"):
        assert run("write", "--dry-run", tmp_path / name, stdin=text)[0] == 1


def test_a_dry_run_foresees_a_folder_that_may_not_be_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file is replaced by a new one in its folder, so a folder without write permission is a refusal."""
    path = tmp_path / "a.txt"
    path.write_bytes(OLD)
    known = os.access

    def access(name: str, mode: int, **keywords: object) -> bool:
        return str(name) != str(tmp_path) and known(name, mode)

    monkeypatch.setattr(os, "access", access)
    code, out, _ = run_here("convert", "--dry-run", path)
    assert code == 1 and "REFUSE" in out and "write permission for the folder" in out


@pytest.mark.parametrize("verb", ["check", "convert", "edit", "explain", "repair", "scan", "undo", "write"])
def test_a_file_that_may_not_be_read_is_no_wrong_usage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, verb: str
) -> None:
    """It is reported as one that is missing is, with code 1, after which the other files have their turn."""
    path = tmp_path / "a.txt"
    path.write_bytes(OLD)

    def denied(*arguments: object, **keywords: object) -> int:
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    monkeypatch.setattr(os, "access", lambda *arguments, **keywords: False)
    monkeypatch.setattr(os, "open", denied)
    options = {"convert": ["--dry-run"], "edit": ["--editor", "true"]}.get(verb, [])
    code, out, err = run_here(verb, *options, path)
    assert code == 1 and "Permission denied" in out + err


@pytest.mark.parametrize("call", ["write", "fsync", "replace"])
@pytest.mark.parametrize("error", [errno.ENOSPC, errno.EACCES, errno.EIO])
def test_an_error_of_the_system_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str, error: int
) -> None:
    """A full disk, a lost permission, a broken device: the old content stays, and no temporary file does."""
    path = tmp_path / "a.txt"
    path.write_bytes(OLD)

    def fail(*arguments: object, **keywords: object) -> None:
        raise OSError(error, os.strerror(error))

    def pieces():  # type: ignore[no-untyped-def]
        yield b"half of it"
        fail()

    document = charlens.load(path)
    document.text = "neu\n"
    with monkeypatch.context() as patch:
        if call != "write":
            patch.setattr(os, call, fail)
        with pytest.raises(OSError, match=os.strerror(error)):
            write_atomically(path, pieces()) if call == "write" else document.save()
    assert path.read_bytes() == OLD and os.listdir(tmp_path) == ["a.txt"]
    document.save()
    assert path.read_bytes() == "neu\n".encode("cp1251")


@pytest.mark.skipif(
    os.name == "nt" or os.getuid() != 0, reason="another user is needed, whom the folder keeps out"
)
def test_a_folder_that_cannot_be_written_to(tmp_path: Path) -> None:
    """Without permission to make a file beside it the file stays, with words about the folder."""
    path = tmp_path / "a.txt"
    path.write_bytes(OLD)
    path.chmod(0o666)
    tmp_path.chmod(0o755)
    for folder in tmp_path.parents:
        if folder != Path("/"):
            folder.chmod(folder.stat().st_mode & 0o7777 | 0o011)
    code = (
        "import os, sys, charlens; d = charlens.load(sys.argv[1]); d.text += 'x'; os.setgid(1000); os.setuid(1000)\n"
        "try: d.save()\nexcept PermissionError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True)
    assert "write permission for the folder" in done.stdout, done
    assert path.read_bytes() == OLD and os.listdir(tmp_path) == ["a.txt"]


_KILLED = """
import sys
from pathlib import Path
import charlens
path = Path(sys.argv[1])
while True:
    for encoding in ("utf-8", "cp1251"):
        charlens.load(path).save(encoding=encoding)
"""


@pytest.mark.skipif(os.name == "nt", reason="signals of Unix")
@pytest.mark.parametrize("after", [0.01, 0.05, 0.2])
def test_kill_leaves_old_or_new(tmp_path: Path, after: float) -> None:
    """A process that is killed while it saves leaves one of the two contents, whole."""
    path = tmp_path / "a.txt"
    path.write_bytes(OLD * 2000)
    contents = {OLD * 2000, (RUSSIAN * 2000).encode()}
    process = subprocess.Popen([sys.executable, "-c", _KILLED, str(path)])
    begin = path.stat().st_mtime_ns
    limit = time.monotonic() + 60
    while path.stat().st_mtime_ns == begin and time.monotonic() < limit:
        time.sleep(0.005)
    time.sleep(after)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert path.read_bytes() in contents
    left = [name for name in os.listdir(tmp_path) if name != "a.txt"]
    assert len(left) <= 1 and all(name.endswith(".charlens~") for name in left)
    assert path.stat().st_mtime_ns != begin, "it was never saved"


def test_a_save_can_be_undone(tmp_path: Path) -> None:
    """With a journal, `charlens undo` restores what save replaced, and removes what it made."""
    path, other, log = tmp_path / "a.txt", tmp_path / "b.txt", tmp_path / "log.jsonl"
    path.write_bytes(OLD)
    document = charlens.load(path)
    document.text += "ещё\n"
    document.save(other, log=log)
    document.save(log=log)
    document.text += "и ещё\n"
    document.save(encoding="utf-8", log=log, backup=".bak")
    assert (tmp_path / "a.txt.bak").read_bytes().startswith(OLD)
    assert run("undo", log)[0] == 0
    assert path.read_bytes() == OLD and not other.exists()


@pytest.mark.parametrize(
    ("name", "text", "encoding"),
    [
        ("a.json", '{"a": "é"}\n', "cp1252"),
        ("a.po", "Content-Type: text/plain; charset=UTF-8\\n\né\n", "utf-16"),
    ],
)
def test_save_keeps_to_the_format(tmp_path: Path, name: str, text: str, encoding: str) -> None:
    """An encoding that the format forbids, or that the text cannot declare, is refused with a message."""
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    document = charlens.load(path)
    if name == "a.json":
        with pytest.raises(charlens.CharlensError, match="declarations=False"):
            document.save(encoding=encoding)
        assert path.read_text(encoding="utf-8") == text
    document.save(encoding=encoding, declarations=False)
    assert path.read_bytes().decode(encoding) == text


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=300), st.sampled_from(["", "more é\n", "ещё\n"]))
def test_any_bytes_through_load_and_save(data: bytes, added: str) -> None:
    """Load and save give the same bytes; added text is saved, or an error says why not."""
    document = charlens.Document(data)
    assert document.to_bytes() == data
    if document.encoding is None:
        return
    before = document.text
    document.text = before + added
    try:
        written = document.to_bytes()
    except charlens.CharlensError:
        return
    if not added:
        assert written == data
    elif document.encodings == (document.encoding,):
        encoding = "utf-8" if document.encoding == "ascii" else document.encoding
        again = charlens.Document(written, encoding=encoding)
        assert again.text == before + added


@settings(max_examples=25, deadline=None)
@given(data=st.binary(max_size=200))
def test_any_bytes_through_the_commands(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    """convert, check --fix and repair, then undo, give back any original bytes."""
    folder = tmp_path_factory.mktemp("any")
    path, log = folder / "a.txt", folder / "log.jsonl"
    path.write_bytes(data)
    for verb in (["convert", "-i"], ["check", "--fix", "-j", "1"], ["repair", "-i", "-y"]):
        CliRunner().invoke(app, [*verb, "--log", str(log), str(path)])
    assert CliRunner().invoke(app, ["undo", str(log)]).exit_code == 0
    assert path.read_bytes() == data
