"""Collect labelled files from Git: files that a commit converted to UTF-8.

The bytes before the commit are a real file in a legacy encoding, and the text after it says which one: the encodings
in which both are the same text. People convert with the wrong encoding, too, and notice later, so a file counts only if
most of its lines are still in the newest commit.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import IO, NamedTuple

from charlens.encodings import all_encodings
from charlens.evaluation.datasets import MANIFEST, DatasetError

#: The words by which commits that convert files are found; looking at all commits takes hours.
_WORDS = (
    r"utf-?8|unicode|encod|charset|latin-?1|iso.?8859|iconv|recode|code ?page|cp125|windows-125|shift.?jis|sjis|euc-?jp"
    "|koi8|big5|gbk|gb2312|mojibake|garbled|umlaut|accent|non-?ascii"
)
#: Larger files are data.
_MOST_BYTES = 2_000_000
#: The shares of lines that must be the same after the conversion, and that must still be there; not measured. A commit
#: that converts a file also changes the line that declares its encoding.
_SAME, _STILL_THERE = 0.95, 0.8
_NON_ASCII = re.compile(rb"[\x80-\xff]")


class Twin(NamedTuple):
    """A file before it was converted, its path, and the encodings in which it has the text of its UTF-8 twin."""

    path: str
    data: bytes
    encodings: tuple[str, ...]


def write_history(repositories: Sequence[Path], out: Path, most: int) -> dict[str, int]:
    """Write up to *most* files of each repository to *out* with a manifest; return their number by repository."""
    rows = ["path\tencoding\tsource\tkind\tlabel_from\tnote"]
    found: dict[str, int] = {}
    # All names first: nothing is written if one folder is no repository.
    for place, (source, repository) in enumerate([(_name(each), each) for each in repositories], start=1):
        # The name comes from the repository: two can have the same one, and it must not lead out of the folder.
        folder = out / f"{place:03}-{re.sub(r'[^A-Za-z0-9.-]', '_', source)[-80:]}"
        folder.mkdir(parents=True)
        number = 0
        for number, twin in enumerate(islice(find_twins(repository), most), start=1):
            suffix = re.search(r"\.[A-Za-z0-9]{1,10}$", twin.path)
            name = f"{number:05}{suffix.group() if suffix else ''}"
            (folder / name).write_bytes(twin.data)
            note = re.sub(r"\s", " ", f"{twin.path}; {', '.join(twin.encodings)}")
            rows.append(f"{folder.name}/{name}\t{twin.encodings[0]}\t{source}\thistory\ttwin\t{note}")
        found[source] = found.get(source, 0) + number
    (out / MANIFEST).write_text("\n".join(rows) + "\n", encoding="utf-8")
    return found


def find_twins(repository: Path) -> Iterator[Twin]:
    """Yield the files of *repository* that a commit converted to UTF-8; of versions with the same lines only one."""
    still_there: set[str] = set()
    seen: set[frozenset[str]] = set()
    changes = _changes(repository)
    with _Blobs(repository) as blobs:
        for before, after, path in changes:
            data = blobs.read(before)
            if not _is_legacy(data):
                continue
            lines = _lines(blobs.read(after), "utf-8-sig")
            readings = {name: read for name in _names() if (read := _lines(data, name)) and _are_same(read, lines)}
            if not readings:
                continue
            still_there = still_there or _newest_lines(repository)
            text = next(iter(readings.values()))
            if text not in seen and len(text & still_there) >= _STILL_THERE * len(text):
                seen.add(text)
                yield Twin(path, data, tuple(name for name, read in readings.items() if read == text))


def _name(repository: Path) -> str:
    """Return the last two parts of the address that *repository* was cloned from, or else of its path."""
    _git(repository, "rev-parse", "--verify", "--quiet", "HEAD")
    address = _git(repository, "config", "--get", "remote.origin.url").decode("utf-8", "replace").strip()
    address = re.sub(r"//[^/]*@", "//", address) or str(repository.absolute())  # without a password
    parts = re.split(r"[/:\\\s]+", address)
    return "/".join([part.removesuffix(".git") for part in parts if part not in ("", ".git")][-2:])


def _changes(repository: Path) -> list[tuple[str, str, str]]:
    """Return the blobs before and after, and the path, of each file that a commit about encodings changed."""
    command = ["log", "--no-show-signature", "--no-merges", "--format="]
    command += ["--raw", "--no-abbrev", "--no-renames", "--diff-filter=M"]
    log = _git(repository, *command, "-i", "-E", f"--grep={_WORDS}")
    found = []
    for line in log.decode("utf-8", "replace").split("\n"):
        meta, _, path = line.partition("\t")
        parts = meta.split()
        if len(parts) == 5:
            found.append((parts[2], parts[3], path))
    return found


def _is_legacy(data: bytes) -> bool:
    if b"\0" in data or not _NON_ASCII.search(data):
        return False
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return True
    return False


def _names() -> list[str]:
    return [each.name for each in all_encodings() if each.kind in ("single", "multi")]


def _lines(data: bytes, encoding: str) -> frozenset[str]:
    """Return the non-ASCII lines of *data*, without the differences of spaces; none if it does not decode."""
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        return frozenset()
    return frozenset(" ".join(line.split()) for line in text.splitlines() if not line.isascii())


def _are_same(before: frozenset[str], after: frozenset[str]) -> bool:
    return len(before & after) >= _SAME * max(len(before), len(after))


def _newest_lines(repository: Path) -> set[str]:
    """Return the non-ASCII lines of all files in the newest commit."""
    # Whatever the settings of the user, and the folder of the repository that was named.
    options = ["-h", "-I", "-P", "--no-color", "--no-line-number", "--no-column"]
    found = _git(repository, "grep", *options, r"[\x80-\xff]", "HEAD", "--", ":/")
    return {" ".join(line.split()) for line in found.decode("utf-8", "replace").splitlines()}


def _git(repository: Path, *arguments: str) -> bytes:
    try:
        done = subprocess.run(_command(repository, *arguments), capture_output=True, env=_environment(), check=False)
    except FileNotFoundError:
        raise DatasetError("git is not installed.") from None
    # 1 means that nothing was found.
    if done.returncode not in (0, 1) or (arguments[0] == "rev-parse" and done.returncode):
        said = done.stderr.decode("utf-8", "replace").strip()
        raise DatasetError(f"{repository}: {said or 'the repository has no commit.'}")
    return done.stdout


def _command(repository: Path, *arguments: str) -> list[str]:
    return ["git", "-C", str(repository), "-c", "core.quotePath=off", "-c", "core.fsmonitor=false", *arguments]


def _environment() -> dict[str, str]:
    """Return an environment in which git matches bytes, reads the repository that is named, and fetches nothing."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    return kept | {"LC_ALL": "C", "GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": "none"}


class _Blobs:
    """The contents of a repository, by hash."""

    def __init__(self, repository: Path) -> None:
        command = _command(repository, "cat-file", "--batch")
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=_environment())

    def __enter__(self) -> _Blobs:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.communicate()

    def read(self, name: str) -> bytes:
        """Return the blob *name*; nothing if it is too large or no blob (a submodule is a commit)."""
        to, answers = self._pipes()
        with suppress(BrokenPipeError):
            to.write(name.encode() + b"\n")
            to.flush()
        kind = answers.readline().split()
        if not kind:  # git stops at a damaged object
            raise DatasetError(f"git cannot read {name}; 'git fsck' says what is wrong with the repository.")
        if len(kind) != 3:  # "… missing"
            return b""
        left = int(kind[2]) + 1
        if kind[1] == b"blob" and left <= _MOST_BYTES:
            return answers.read(left)[:-1]
        while left:
            left -= len(answers.read(min(left, 1 << 20)))
        return b""

    def _pipes(self) -> tuple[IO[bytes], IO[bytes]]:
        assert self._process.stdin is not None and self._process.stdout is not None
        return self._process.stdin, self._process.stdout
