"""Every call of the system that writing makes fails once: the file is old or new, and nothing is left beside it.

A run without a fault counts the calls; then each of them fails in turn, with a full disk, a lost permission or a
broken device.  Reading fails likewise.
"""

from __future__ import annotations

import builtins
import contextlib
import errno
import io
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from click.testing import CliRunner, Result

import charlens
from charlens.cli.app import app
from charlens.files import atomic, journal, locking, repairing, streaming, writing
from charlens.inputs import paths

RUSSIAN = "Привет из Казани, дорогие друзья\n" * 3
OLD = RUSSIAN.encode("cp1251")
WRONG = "Viele GrÃ¼ÃŸe aus KÃ¶ln\n".encode() * 2
#: Calls that create, change or rename; not unlink, which removes temporary files.
CALLS = (
    "open",
    "write",
    "fsync",
    "replace",
    "chmod",
    "chown",
    "utime",
    "setxattr",
    "ftruncate",
    "mkdir",
    "fstat",
    "stat",
)
MODULES = (atomic, journal, repairing, streaming, writing, paths)


class Faults:
    """Counts calls, and lets one of them fail."""

    def __init__(self, fail_at: int = 0, error: int = errno.EIO) -> None:
        self.fail_at, self.error = fail_at, error
        self.names: list[str] = []

    def call(self, name: str) -> None:
        self.names.append(name)
        if len(self.names) == self.fail_at:
            raise OSError(self.error, os.strerror(self.error))

    def wrap(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def wrapped(*arguments: Any, **keywords: Any) -> Any:
            if name == "write" and len(self.names) + 1 == self.fail_at:  # a full disk takes the first half
                function(*arguments[:-1], arguments[-1][: len(arguments[-1]) // 2])
            self.call(name)
            return function(*arguments, **keywords)

        return wrapped

    def open(self, *arguments: Any, **keywords: Any) -> Any:
        if not isinstance(arguments[0], int):
            self.call("open()")
        return _File(builtins.open(*arguments, **keywords), self)

    @contextlib.contextmanager
    def at_work(self) -> Iterator[None]:
        with pytest.MonkeyPatch.context() as patch:
            for name in CALLS:
                if hasattr(os, name):
                    patch.setattr(os, name, self.wrap(name, getattr(os, name)))
            for module in MODULES:
                patch.setattr(module, "open", self.open, raising=False)
            yield


class _File:
    """An open file whose reading, writing and closing count, too."""

    def __init__(self, file: io.BufferedIOBase, faults: Faults) -> None:
        self._file, self._faults = file, faults

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._file, name)
        return self._faults.wrap(name, found) if name in ("read", "write", "readline", "flush") else found

    def __enter__(self) -> _File:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def __iter__(self) -> Iterator[bytes]:
        return iter(self._file)


class Case(NamedTuple):
    before: bytes
    after: bytes
    act: Callable[[Path], Result | None]


def _command(*words: str) -> Callable[[Path], Result]:
    def act(path: Path) -> Result:
        arguments = [word.format(folder=path.parent) for word in words]
        return CliRunner().invoke(app, [*arguments, str(path)])

    return act


def _save(path: Path) -> None:
    document = charlens.load(path)
    document.text += "ещё\n"
    document.save(backup=".bak", log=path.parent / "log")


def _undo(path: Path) -> Result:
    return CliRunner().invoke(app, ["undo", f"{path.parent}/log"])


LOGGED = ("--backup", "--log", "{folder}/log")
CASES = {
    "save": Case(OLD, OLD + "ещё\n".encode("cp1251"), _save),
    "convert": Case(OLD, RUSSIAN.encode(), _command("convert", "-i", "-j", "1", "--keep-times", *LOGGED)),
    "fix": Case(OLD, RUSSIAN.encode(), _command("check", "--fix", "-j", "1", *LOGGED)),
    "repair": Case(WRONG, "Viele Grüße aus Köln\n".encode() * 2, _command("repair", "-i", "-y", *LOGGED)),
    "large convert": Case(OLD, RUSSIAN.encode(), _command("convert", "-i", "-j", "1", *LOGGED)),
    "large repair": Case(
        WRONG, "Viele Grüße aus Köln\n".encode() * 2, _command("repair", "-i", "-y", *LOGGED)
    ),
    "undo": Case(RUSSIAN.encode(), OLD, _undo),
    "large undo": Case("Viele Grüße aus Köln\n".encode() * 2, WRONG, _undo),
}


def _prepare(folder: Path, name: str) -> Path:
    """Make the file that a case begins with; the journal of an undo, too."""
    folder.mkdir()
    path = folder / "a.txt"
    path.write_bytes(CASES[name].after if "undo" in name else CASES[name].before)
    if "undo" in name:
        CASES["large repair" if "large" in name else "convert"].act(path)
        (folder / "a.txt.bak").unlink()
        assert path.read_bytes() == CASES[name].before
    with contextlib.suppress(OSError, AttributeError):
        os.setxattr(path, "user.note", b"kept")
    path.chmod(0o640)
    return path


def _check(path: Path, name: str, result: Result | None, error: Exception | None) -> None:
    """Assert that the file is old or new, and all around it as it should be."""
    case = CASES[name]
    now = path.read_bytes()
    assert now in (case.before, case.after)
    left = set(os.listdir(path.parent)) - {"a.txt", "log", "a.txt.bak"}
    assert not left, f"left behind: {left}"
    assert path.stat().st_mode & 0o777 == 0o640
    backup = path.with_name("a.txt.bak")
    assert not backup.exists() or backup.read_bytes() == case.before, "half a backup"
    if result is not None:
        assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
        assert result.exit_code in (0, 1, 2)
        assert now == case.after or result.exit_code, "said to be done, and it is not"
        assert not result.exit_code or len(result.output) > 20
    if error is not None:
        assert now == case.before, "an error was raised, and the file was changed"
    if now == case.before:
        case.act(path)
        assert path.read_bytes() == case.after, "it does not work the next time"
    # Whatever the fault left of the journal, the old bytes come back.
    log = path.with_name("log")
    if log.exists() and "undo" not in name:
        assert CliRunner().invoke(app, ["undo", str(log)]).exit_code == 0
        assert path.read_bytes() == case.before


#: A full disk, a lost permission, a broken device.
ERRORS = (errno.ENOSPC, errno.EACCES, errno.EIO)


@pytest.mark.skipif(os.name == "nt", reason="calls of Unix")
@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("errors", [1, pytest.param(len(ERRORS), marks=pytest.mark.long)])
def test_every_call_fails_once(
    tmp_path: Path, name: str, errors: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whichever call fails, with one error by turns or with every one: old or new, whole, and words that say so."""
    if "large" in name:
        monkeypatch.setattr(streaming, "LARGE", 10)
    path = _prepare(tmp_path / "counted", name)
    counted = Faults()
    with counted.at_work():
        CASES[name].act(path)
    assert path.read_bytes() == CASES[name].after
    assert {"open", "fsync", "replace", "chmod", "write"} <= set(counted.names)
    for number in range(1, len(counted.names) + 1):
        for code in (ERRORS * 2)[number % len(ERRORS) :][:errors]:
            folder = tmp_path / f"{number}-{code}"
            path = _prepare(folder, name)
            faults = Faults(number, code)
            result, error = None, None
            with faults.at_work():
                try:
                    result = CASES[name].act(path)
                except (OSError, charlens.CharlensError) as raised:
                    error = raised
            try:
                _check(path, name, result, error)
            except AssertionError as wrong:
                said = result.output if result is not None else error
                raise AssertionError(f"{faults.names[number - 1]} (call {number}): {wrong}\n{said}") from None
            shutil.rmtree(folder)


@pytest.mark.skipif(os.name == "nt", reason="calls of Unix")
@pytest.mark.parametrize(
    ("code", "advice"),
    [(errno.ENOSPC, "Make room"), (errno.EACCES, "permission"), (errno.EIO, "disk reports")],
)
def test_the_error_says_what_to_do(tmp_path: Path, code: int, advice: str) -> None:
    """The words name the cause, say that the file is unchanged, and what to do."""
    path = _prepare(tmp_path / "a", "convert")
    faults = Faults()
    with faults.at_work():
        CliRunner().invoke(app, ["convert", "-i", "-j", "1", str(path)])
    path.write_bytes(OLD)
    faults = Faults(faults.names.index("replace") + 1, code)
    with faults.at_work():
        result = CliRunner().invoke(app, ["convert", "-i", "-j", "1", str(path)])
    assert (
        os.strerror(code) in result.output
        and "the file is unchanged" in result.output
        and advice in result.output
    )


def test_the_error_for_a_new_file_does_not_call_it_unchanged(tmp_path: Path) -> None:
    """If the file did not exist, the words say that none was created."""
    faults = Faults()
    with faults.at_work():
        atomic.write_atomically(tmp_path / "first", b"new")
    failing = Faults(faults.names.index("replace") + 1, errno.ENOSPC)
    with failing.at_work(), pytest.raises(OSError, match=r"no file was created\. Make room"):
        atomic.write_atomically(tmp_path / "second", b"new")


def test_processes_take_turns_on_windows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without fcntl a byte of a file is locked, again and again while another has it, and unlocked at the end."""
    calls: list[tuple[str, str]] = []

    class Locks:
        LK_LOCK, LK_UNLCK = 1, 0

        @staticmethod
        def locking(handle: int, mode: int, count: int) -> None:
            name = os.readlink(f"/proc/self/fd/{handle}") if os.path.exists("/proc/self/fd") else "charlens-"
            calls.append(("lock" if mode else "unlock", os.path.basename(name)))
            if len(calls) == 1:
                raise OSError(errno.EDEADLK, "another process has it")

    monkeypatch.setattr(locking, "fcntl", None)
    monkeypatch.setattr(locking, "msvcrt", Locks)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    path = tmp_path / "a.txt"
    path.write_bytes(OLD)
    atomic.write_atomically(path, b"new", last_look=lambda: calls.append(("look", "")))
    assert [what for what, _ in calls] == ["lock", "lock", "look", "unlock"]
    assert calls[0][1].startswith("charlens-") and path.read_bytes() == b"new"
    journal.Journal(str(tmp_path / "log")).add("save", str(path), OLD, b"new", "")
    assert [what for what, _ in calls[4:]] == ["lock", "unlock"]


def test_half_a_line_of_a_journal_is_cut_off(tmp_path: Path) -> None:
    """What a killed process left does not damage the lines that follow it."""
    path, log = tmp_path / "a.txt", tmp_path / "log"
    path.write_bytes(OLD)
    command = ["convert", "-i", "-j", "1", "--log", str(log), str(path)]
    assert CliRunner().invoke(app, command).exit_code == 0
    with open(log, "ab") as file:
        file.write(b'{"journal": 1, "path": "' + b"a" * 10_000)
    assert CliRunner().invoke(app, ["convert", "-i", "-j", "1", "-t", "koi8-r", *command[4:]]).exit_code == 0
    assert CliRunner().invoke(app, ["undo", str(log)]).exit_code == 0 and path.read_bytes() == OLD
