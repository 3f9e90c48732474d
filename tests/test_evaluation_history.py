"""Labelled files from the history of a repository: `charlens evaluate history`."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

from charlens.cli.history import history_command
from charlens.evaluation.datasets import DatasetError, read_dataset
from charlens.evaluation.history import _Blobs, find_twins, write_history

TEXT = "Съешь же ещё этих мягких\nфранцузских булок\nplain\n"


def git(folder: Path, *arguments: str) -> None:
    who = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    subprocess.run(["git", "-C", str(folder), *who, *arguments], check=True, capture_output=True)


def commit(folder: Path, message: str, **files: bytes) -> None:
    for name, data in files.items():
        (folder / name).write_bytes(data)
    git(folder, "add", "-A")
    git(folder, "commit", "-m", message)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "somebody" / "project"
    folder.mkdir(parents=True)
    git(folder, "init")
    return folder


def test_a_converted_file_is_found_with_its_encoding(repository: Path) -> None:
    """The bytes before the conversion are the sample; the label is the encoding that gives the text after it."""
    commit(repository, "Add a text", text=TEXT.encode("koi8-r"), binary=b"\x00\xff", latin=b"ascii")
    commit(repository, "Convert to UTF-8", text=TEXT.encode(), binary=b"\x00\xfe", latin=b"still ascii")
    (twin,) = find_twins(repository)
    assert (twin.path, twin.data) == ("text", TEXT.encode("koi8-r"))
    assert "koi8-r" in twin.encodings
    assert "cp1251" not in twin.encodings


def test_a_declaration_may_change_with_the_text(repository: Path) -> None:
    """Whoever converts a file also corrects the line that declares its encoding."""
    lines = "".join(f"строка {number}\n" for number in range(30))
    commit(repository, "Add", text=f"# кодировка cp1251\n{lines}".encode("cp1251"))
    commit(repository, "Use UTF-8", text=f"# кодировка utf-8\n{lines}".encode())
    assert [twin.encodings[0] for twin in find_twins(repository)] == ["cp1251"]


def test_a_wrong_conversion_that_was_corrected_does_not_count(repository: Path) -> None:
    """A text that is no longer there was perhaps never right."""
    data = TEXT.encode("cp1251")
    commit(repository, "Add", text=data)
    commit(repository, "Convert to UTF-8", text=data.decode("latin-1").encode())
    commit(repository, "Fix garbled text", text=TEXT.encode())
    assert not list(find_twins(repository))


def test_other_commits_and_other_changes_do_not_count(repository: Path) -> None:
    """Only commits that mention encodings are looked at, and the text must be the same before and after."""
    commit(repository, "Add", one=TEXT.encode("cp1251"), two=TEXT.encode("cp1251"))
    commit(repository, "Improve", one=TEXT.encode())
    commit(repository, "Convert to UTF-8", two="Другой текст\n".encode())
    assert not list(find_twins(repository))


def test_versions_with_the_same_lines_count_once(repository: Path) -> None:
    """A branch that converts the same lines in another file is no second sample."""
    commit(repository, "Add", one=TEXT.encode("cp1251"), two=b"more\n" + TEXT.encode("cp1251"))
    commit(repository, "Convert to UTF-8", one=TEXT.encode(), two=b"more\n" + TEXT.encode())
    assert len(list(find_twins(repository))) == 1


def test_the_folder_is_a_dataset(repository: Path, tmp_path: Path) -> None:
    """The command writes a folder that `evaluate run` reads; the source is the repository."""
    commit(repository, "Add", **{"a.txt": TEXT.encode("cp866"), "b.txt": "Grüße\naus Köln\n".encode("cp1252")})
    commit(repository, "Convert to UTF-8", **{"a.txt": TEXT.encode(), "b.txt": "Grüße\naus Köln\n".encode()})
    out = tmp_path / "out"
    done = CliRunner().invoke(history_command, [str(repository), "--out", str(out)])
    assert done.exit_code == 0, done.output
    assert "somebody/project: 2 files" in done.output
    found = read_dataset(out)
    assert not found.problems
    assert {(sample.encoding, sample.source) for sample in found.samples} == {
        ("cp866", "somebody/project"), ("cp1252", "somebody/project")
    }  # fmt: skip
    again = CliRunner().invoke(history_command, [str(repository), "--out", str(out)])
    assert again.exit_code == 1
    assert "is not empty" in again.output


def test_at_most_so_many_files_of_a_repository(repository: Path, tmp_path: Path) -> None:
    """A repository with thousands of files does not outweigh the others."""
    texts = {f"{number}.txt": f"число {number}\n" for number in range(5)}
    commit(repository, "Add", **{name: text.encode("cp1251") for name, text in texts.items()})
    commit(repository, "Convert to UTF-8", **{name: text.encode() for name, text in texts.items()})
    assert write_history([repository], tmp_path / "out", 3) == {"somebody/project": 3}


def test_a_folder_without_a_repository_is_an_error(tmp_path: Path) -> None:
    """The message of Git names what is wrong."""
    with pytest.raises(DatasetError, match="not a git repository"):
        list(find_twins(tmp_path))
    done = CliRunner().invoke(history_command, [str(tmp_path), "--out", str(tmp_path / "out")])
    assert done.exit_code == 1
    assert "not a git repository" in done.output
    assert not (tmp_path / "out").exists()


def test_names_of_repositories_stay_in_the_folder(repository: Path, tmp_path: Path) -> None:
    """The address of a repository is a name, not a path, and its password is not written down."""
    commit(repository, "Add", text=TEXT.encode("koi8-r"))
    commit(repository, "Convert to UTF-8", text=TEXT.encode())
    for number, (address, name) in enumerate({
        "..": "..", "https://user:secret@host/a.git": "host/a", "git@host:who/b.git": "who/b", "c:\\d\\..": "d/..",
    }.items()):  # fmt: skip
        git(repository, "config", "remote.origin.url", address)
        out = tmp_path / str(number) / "out"
        assert write_history([repository, repository], out, 9) == {name: 2}
        assert len(read_dataset(out).samples) == 2
        assert [each.name for each in out.parent.iterdir()] == ["out"]


def test_settings_of_git_do_not_matter(repository: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Colours and line numbers in the settings, GIT_DIR, a subfolder or a file named HEAD change nothing."""
    (repository / "sub").mkdir()
    commit(repository, "Add", text=TEXT.encode("koi8-r"), HEAD=b"x")
    (repository / "sub" / "file").write_bytes(b"x")
    commit(repository, "Convert to UTF-8", text=TEXT.encode())
    for setting in ("grep.lineNumber=true", "color.ui=always", "grep.column=true"):
        git(repository, "config", *setting.split("="))
    monkeypatch.setenv("GIT_DIR", str(tmp_path))
    assert len(list(find_twins(repository))) == len(list(find_twins(repository / "sub"))) == 1


def test_a_repository_runs_no_command(repository: Path, tmp_path: Path) -> None:
    """Settings of an unpacked repository could name programs: none is run."""
    commit(repository, "Add", text=TEXT.encode("koi8-r"))
    commit(repository, "Convert to UTF-8", text=TEXT.encode())
    ran, script = tmp_path / "ran", tmp_path / "evil.sh"
    script.write_text(f"#!/bin/sh\ntouch {ran}\n")
    script.chmod(0o755)
    for key, value in {
        "log.showSignature": "true", "gpg.program": str(script), "core.fsmonitor": str(script),
        "extensions.partialclone": "origin", "remote.origin.promisor": "true",
        "remote.origin.url": f"ext::{script}", "protocol.ext.allow": "always",
    }.items():  # fmt: skip
        git(repository, "config", key, value)
    lost = subprocess.run(
        ["git", "-C", str(repository), "rev-parse", "HEAD~:text"], check=True, capture_output=True, text=True
    ).stdout.strip()
    (repository / ".git" / "objects" / lost[:2] / lost[2:]).unlink()
    assert not list(find_twins(repository))
    assert not ran.exists()


def test_a_damaged_or_empty_repository_is_an_error(repository: Path, tmp_path: Path) -> None:
    """What Git cannot read is said, not counted as nothing; a repository without a commit is one, too."""
    with pytest.raises(DatasetError, match="no commit"):
        write_history([repository], tmp_path / "out", 9)
    assert not (tmp_path / "out").exists()
    commit(repository, "Add", text=TEXT.encode("koi8-r"))
    with _Blobs(repository) as blobs:
        assert blobs.read("0" * 40) == b""
        blobs._process.kill()  # git does so itself at a damaged object
        with pytest.raises(DatasetError, match="git fsck"):
            blobs.read("0" * 40)


def test_a_large_blob_is_not_read(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file over the limit is passed over, and the next one is read."""
    monkeypatch.setattr("charlens.evaluation.history._MOST_BYTES", 1000)
    texts = {"large": TEXT * 99, "small": "число\n"}
    commit(repository, "Add", **{name: text.encode("koi8-r") for name, text in texts.items()})
    commit(repository, "Convert to UTF-8", **{name: text.encode() for name, text in texts.items()})
    assert [twin.path for twin in find_twins(repository)] == ["small"]
