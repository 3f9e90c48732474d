"""Reading files: kinds of files, sizes, memory."""

from __future__ import annotations

import os
import socket
import subprocess
import sys

import pytest

import charlens
from charlens.inputs import paths as files
from charlens.types import Outcome


def test_the_verdict_of_a_path_is_that_of_its_bytes(tmp_path):
    """`detect_path` and `detect` agree."""
    path = tmp_path / "a.txt"
    path.write_bytes("Grüße\n".encode())
    assert charlens.detect_path(path) == charlens.detect(path.read_bytes())


def test_an_empty_file_is_undecided(tmp_path):
    """No bytes, no decision: not text, no encoding."""
    path = tmp_path / "empty"
    path.touch()
    verdict = charlens.detect_path(path)
    assert verdict.outcome is Outcome.UNDECIDED and verdict.encoding is None


def test_folders_pipes_sockets_and_devices_are_refused(tmp_path):
    """Anything that is not a file, or could block forever, is refused immediately with a message."""
    with pytest.raises(IsADirectoryError, match="is a folder"):
        charlens.detect_path(tmp_path)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="named pipe"):
        charlens.detect_path(tmp_path / "pipe")
    with pytest.raises(OSError, match="device"):
        charlens.detect_path("/dev/zero")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "s"))
        with pytest.raises(OSError, match="socket"):
            charlens.detect_path(tmp_path / "s")
    with pytest.raises(TypeError, match="got int"):
        charlens.detect_path(3)  # type: ignore[arg-type]


def test_an_unreadable_file_says_so(tmp_path):
    """A file without permission is a PermissionError."""
    path = tmp_path / "secret"
    path.write_bytes(b"x")
    path.chmod(0)
    if os.access(path, os.R_OK):
        pytest.skip("this user may read everything")
    with pytest.raises(PermissionError):
        charlens.detect_path(path)


def _peak_after(program: str, *arguments: str) -> int:
    """Return the peak memory, in kilobytes, of a fresh process that runs *program*."""
    # Not getrusage: that counts the process it was forked from.
    code = program + "\nprint(open('/proc/self/status').read().split('VmHWM:')[1].split()[0])"
    out = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True)
    return int(out.stdout.split()[-1])


@pytest.mark.skipif(sys.platform != "linux", reason="sparse files and /proc as on Linux")
@pytest.mark.parametrize("size", [1 << 28, pytest.param(5 << 30, marks=pytest.mark.long)])
def test_a_huge_sparse_file_takes_no_memory(tmp_path, size):
    """A huge file of NULs is binary, and the process stays small."""
    path = tmp_path / "sparse"
    with path.open("wb") as file:
        file.truncate(size)
    program = "import sys, charlens; assert charlens.detect_path(sys.argv[1]).outcome.value == 'binary'"
    assert _peak_after(program, str(path)) < 60_000


@pytest.mark.skipif(sys.platform != "linux", reason="/proc as on Linux")
def test_a_large_text_file_is_read_in_flat_memory(tmp_path):
    """A text file of 200 MB is looked at to its last byte, and memory stays far under its size."""
    if charlens.kernel.NAME == "pure":
        pytest.skip("takes long in plain Python")
    path = tmp_path / "large.txt"
    line = b"plain lines of text, one after the other, to the end\n"
    with path.open("wb") as file:
        for _ in range(200):
            file.write(line * ((1 << 20) // len(line)))
        file.write("Schluß\n".encode())
    program = "import sys, charlens; assert charlens.detect_path(sys.argv[1]).encoding == 'utf-8'"
    assert _peak_after(program, str(path)) < 100_000


def test_a_long_stream_goes_through_a_temporary_file(monkeypatch):
    """A stream that does not fit into memory gives the same bytes."""
    import io

    monkeypatch.setattr(files, "_READ_AT_MOST", 1000)
    data = b"0123456789" * 500
    with files.spool_bytes(io.BytesIO(data)) as view:
        assert bytes(view) == data


def test_a_large_file_is_mapped(monkeypatch, tmp_path):
    """A file over the limit is mapped, and the verdict is the same."""
    monkeypatch.setattr(files, "_READ_AT_MOST", 1000)
    path = tmp_path / "a"
    path.write_bytes("Grüße\n".encode() * 1000)
    assert charlens.detect_path(path).encoding == "utf-8"
