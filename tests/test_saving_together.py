"""Several processes that save one file: no line is lost; and what a replaced file keeps."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

import charlens
from charlens.files.atomic import write_atomically
from charlens.files.writing import write_backup

APPEND = """
import sys
import charlens
path, name, number = sys.argv[1], sys.argv[2], int(sys.argv[3])
for line in range(number):
    while True:
        document = charlens.load(path)
        document.text += f"{name} {line} é\\n"
        try:
            document.save()
            break
        except charlens.ChangedOnDiskError:
            pass
"""
#: The full experiment is 1,000 lines: CHARLENS_LINES=1000 pytest tests/test_saving_together.py
LINES = int(os.environ.get("CHARLENS_LINES", "60"))


@pytest.mark.skipif(os.name == "nt", reason="no lock on folders")
@pytest.mark.parametrize("processes", [2, 4])
def test_no_line_is_lost(tmp_path: Path, processes: int) -> None:
    """Processes that append by load and save, and try again when a save is refused, lose none of their lines."""
    path = tmp_path / "log.txt"
    path.write_text("begin é\n", encoding="utf-8")
    running = [
        subprocess.Popen([sys.executable, "-c", APPEND, str(path), str(name), str(LINES)])
        for name in range(processes)
    ]
    assert [process.wait(600) for process in running] == [0] * processes
    lines = path.read_text(encoding="utf-8").splitlines()
    assert len(lines) == processes * LINES + 1 and len(set(lines)) == len(lines)
    assert os.listdir(tmp_path) == ["log.txt"]


def test_a_read_only_file_is_not_replaced(tmp_path: Path) -> None:
    """A file without a write bit stays, and the message says what to do."""
    path = tmp_path / "a"
    path.write_bytes(b"old")
    path.chmod(0o444)
    with pytest.raises(PermissionError, match="chmod"):
        write_atomically(path, b"new")
    assert path.read_bytes() == b"old" and os.listdir(tmp_path) == ["a"]


@pytest.mark.skipif(not hasattr(os, "statvfs"), reason="file systems of Unix")
def test_a_read_only_file_system_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where chmod would not help, the message says so."""
    path = tmp_path / "a"
    path.write_bytes(b"old")
    monkeypatch.setattr(os, "access", lambda *_, **__: False)
    monkeypatch.setattr(os, "statvfs", lambda _: type("Status", (), {"f_flag": os.ST_RDONLY}))
    with pytest.raises(OSError, match="read-only file system"):
        write_atomically(path, b"new")
    assert path.read_bytes() == b"old"


@pytest.mark.parametrize("name", ["x" * 255, "ü" * 127])
def test_long_names(tmp_path: Path, name: str) -> None:
    """A name as long as the file system allows can be saved."""
    path = tmp_path / name
    path.write_bytes(b"a\n")
    document = charlens.load(path)
    document.text = "b\n"
    document.save()
    assert path.read_bytes() == b"b\n" and len(os.listdir(tmp_path)) == 1


@pytest.mark.skipif(sys.platform != "linux", reason="extended attributes of Linux")
def test_an_attribute_that_cannot_be_copied_costs_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The others are carried over."""
    path = tmp_path / "a"
    path.write_bytes(b"old")
    try:
        for name in ("user.a", "user.b", "user.c"):
            os.setxattr(path, name, name.encode())
    except OSError:
        pytest.skip("no extended attributes here")
    real = os.setxattr

    def fail_once(target: str, name: str, value: bytes) -> None:
        if name == "user.a":
            raise PermissionError
        real(target, name, value)

    monkeypatch.setattr(os, "setxattr", fail_once)
    write_atomically(path, b"new")
    assert sorted(os.listxattr(path)) == ["user.b", "user.c"]


@pytest.mark.skipif(
    not hasattr(os, "chown") or os.getuid() != 0, reason="only root can make a file of another user"
)
def test_the_owner_is_kept_or_nothing_is_written(tmp_path: Path) -> None:
    """Root keeps the owner; a user who cannot keep it gets a PermissionError, and the file stays as it was."""
    path = tmp_path / "a"
    path.write_bytes(b"old")
    os.chown(path, 12345, 54321)
    write_atomically(path, b"new")
    assert (path.stat().st_uid, path.stat().st_gid) == (12345, 54321)
    path.chmod(0o666)
    tmp_path.chmod(0o777)
    for folder in tmp_path.parents:
        if folder.stat().st_uid == 0 and folder != Path("/"):
            folder.chmod(stat.S_IMODE(folder.stat().st_mode) | 0o011)
    code = (
        "import os, sys; from charlens.files.atomic import write_atomically; os.setgid(1000); os.setuid(1000)\n"
        "try: write_atomically(sys.argv[1], b'stolen')\nexcept PermissionError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True)
    assert "would change its owner" in done.stdout, done
    assert path.read_bytes() == b"new" and os.listdir(tmp_path) == ["a"]


@pytest.mark.skipif(os.name == "nt", reason="links and pipes of Unix")
def test_a_backup_goes_nowhere_else(tmp_path: Path) -> None:
    """A dangling link or a pipe of the backup's name is not changed, and the backup is as private as the file."""
    path = tmp_path / "a"
    path.write_bytes(b"secret")
    path.chmod(0o600)
    (tmp_path / "a.bak").symlink_to(tmp_path / "elsewhere")
    os.mkfifo(tmp_path / "a.bak.1")
    name = write_backup(str(path), b"secret", ".bak")
    assert name.endswith("a.bak.2") and not (tmp_path / "elsewhere").exists()
    assert stat.S_IMODE(os.stat(name).st_mode) == 0o600
