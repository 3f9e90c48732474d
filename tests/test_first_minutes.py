"""What stopped people in their first minutes (docs/first-minutes.md): messages and answers that were missing."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest
from command import run

import charlens

GERMAN = "Schöne Grüße aus Köln\n"
#: Entries by three people, each in another encoding.
CHANGES = (
    "2003  Jörg Müller\n\n\t* Größe der Felder geändert, Übersetzung ergänzt.\n\n".encode("cp1252")
    + "2009  François Lefèvre\n\n\t* Corrigé la fenêtre d'accueil.\n\n".encode()
    + "2001  Иван Петров\n\n\t* Исправлена ошибка при печати отчётов.\n\n".encode("koi8-r")
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder as the current one."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_repair_always_prints_a_message(folder: Path) -> None:
    """It says what it found, what it did and how to write, unless --quiet is given."""
    (folder / "good.txt").write_text(GERMAN, encoding="utf-8")
    (folder / "bad.txt").write_bytes(GERMAN.encode().decode("cp1252").encode())
    assert "good.txt: no mojibake found" in run("repair", "good.txt")[2]
    assert "bad.txt: not written; to write the changes, add --in-place" in run("repair", "bad.txt")[2]
    assert "bad.txt: repaired" in run("repair", "--in-place", "bad.txt")[2]
    code, _, err = run("repair", ".")
    assert code == 1 and "'charlens check .' finds" in err


def test_scan_names_files_in_several_encodings(folder: Path) -> None:
    """A mixed file is counted and listed as one, not under an encoding that was refused."""
    (folder / "ChangeLog").write_bytes(CHANGES)
    out = run("scan")[1]
    assert "several" in out and "in several encodings: cp1252, utf-8, koi8-r" in out
    assert "in several encodings" in run("scan", "--verbose")[1]
    assert "in several encodings" in run("explain", "ChangeLog")[1].splitlines()[0]
    (record,) = map(json.loads, run("scan", "--format", "jsonl")[1].splitlines())
    assert [part[2] for part in record["mixed"]] == ["cp1252", "utf-8", "koi8-r"]


def test_convert_reads_what_is_piped_in(folder: Path) -> None:
    """Without a path it is a filter like detect; with --in-place, a missing path is an error."""
    assert run("convert", stdin=(GERMAN * 3).encode("cp1252")) == (0, GERMAN * 3, "")
    code, _, err = run("convert", "--in-place", stdin=b"x")
    assert code == 2 and "name files or folders" in err


def test_the_advice_fits_the_refusal(folder: Path) -> None:
    """'use --from' is said of doubtful files, not of missing ones."""
    (folder / "short.txt").write_bytes(b"int a; /* \xb9 */\n")
    assert "use --from" in run("convert", "--in-place", "short.txt")[2]
    assert "use --from" not in run("convert", "--in-place", "missing.txt")[2]


@pytest.mark.parametrize(
    ("word", "advice"),
    [
        ("fix", "charlens repair"),
        ("help", "charlens --help"),
        ("detct", "'detect'"),
        ("xyzzy", "charlens --help"),
    ],
)
def test_wrong_commands_lead_to_right_ones(word: str, advice: str) -> None:
    """A word that people try, or mistype, gets the command that was meant."""
    code, _, err = run(word)
    assert code == 2 and advice in err


def test_undo_needs_a_journal(folder: Path) -> None:
    """Another file is named once, without the words of a codec."""
    for text in (GERMAN, "{}\n"):
        (folder / "x.csv").write_text(text, encoding="utf-8")
        code, _, err = run("undo", "x.csv")
        assert code == 1 and err.count("x.csv") == 1 and "not a charlens journal" in err


@pytest.mark.parametrize(
    ("label", "meant"),
    [("windwos-1251", "'cp1251'?"), ("cp1521", "'cp1251'?"), ("utf-9", "'utf-8', 'utf-7' or ")],
)
def test_suggestions_keep_the_digits(label: str, meant: str) -> None:
    """A name with exchanged letters or digits leads to the encoding with these digits."""
    with pytest.raises(charlens.UnknownEncodingError, match=f"Did you mean {meant.replace('?', '[?]')}"):
        charlens.detect(b"x", only=[label])


@pytest.mark.parametrize(
    ("keywords", "words"),
    [
        ({"encodings": ["cp1251"]}, "Unknown keyword encodings=. Did you mean 'only'"),
        ({"hint": {}}, "Did you mean 'hints'"),
        ({"xyzzy": 1}, "The keywords are only, never"),
        ({"language": "ru"}, "hints={'language': 'ru'}"),
    ],
)
def test_wrong_keywords_lead_to_right_ones(keywords: dict[str, object], words: str) -> None:
    """The error names the keyword, not an internal function."""
    with pytest.raises(TypeError, match=words):
        charlens.detect(b"x", **keywords)  # type: ignore[arg-type]


def test_a_file_object_is_read_by_the_caller() -> None:
    """Detect takes bytes; the error says how to get them."""
    with pytest.raises(TypeError, match="read"):
        charlens.detect(io.BytesIO(b"x"))  # type: ignore[arg-type]


def test_a_place_that_cannot_be_written_to_is_named(folder: Path) -> None:
    """The message is about the output, not about the input, which exists."""
    (folder / "a.txt").write_bytes(GERMAN.encode("cp1252") * 3)
    (folder / "out").mkdir()
    (folder / "out" / "a.txt").mkdir()
    code, _, err = run("convert", "a.txt", "--output", "out", "--force")
    assert code == 1 and str(Path("out") / "a.txt") in err


def test_pythons_name_for_a_mark_means_a_mark(folder: Path) -> None:
    """'--to utf-8-sig' writes the mark, also into a file that is UTF-8 without one."""
    (folder / "a.txt").write_text(GERMAN, encoding="utf-8")
    assert run("check", "--encoding", "utf-8-sig", "a.txt")[0] == 1
    assert run("convert", "--in-place", "--to", "utf-8-sig", "--newline", "LF", "a.txt")[0] == 0
    assert run("check", "--encoding", "utf-8-sig", "a.txt")[0] == 0
    assert charlens.convert(b"caf\xe9", "utf-8-sig", source="cp1252") == "\ufeffcafé".encode()
    assert (folder / "a.txt").read_bytes() == GERMAN.encode("utf-8-sig")


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc and /sys")
@pytest.mark.parametrize("place", ["/proc/x", "/sys/x/y", "a.txt/x", "missing/a.html"])
def test_an_output_that_cannot_be_written_is_refused_once(folder: Path, place: str) -> None:
    """The command ends before the work, with one message about the place, also for root."""
    for name in ("a.txt", "b.txt"):
        (folder / name).write_bytes(GERMAN.encode("cp1252") * 3)
    report = place.endswith(".html")
    code, out, err = run("scan", "--report", place) if report else run("convert", ".", "--output", place)
    assert (code, out) == (2, "") and err.count("Error:") == 1 and place in err


def test_fix_names_an_unreadable_file_once(folder: Path) -> None:
    """There is nothing to fix in a file that cannot be read."""
    (folder / "broken").symlink_to("nowhere")
    _, out, err = run("check", "--fix")
    assert (out + err).count("broken") == 1
