"""Hostile input: what could crash, hang, grow without bounds or mislead anyone who reads the answer."""

from __future__ import annotations

import csv
import io
import json
import os
import random
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import charlens
import charlens.html
from charlens import explanation, selftest
from charlens.cli.hosts import as_sarif
from charlens.cli.records import csv_line
from charlens.cli.survey import survey
from charlens.cli.terminal import shown
from charlens.cli.walk import find_files, without_backtracking
from charlens.codec import AutoDecoder
from charlens.files.line_ends import find_changes, match_lines
from charlens.models import default_model, format


def steps_of(work: object, argument: object) -> float:
    """Return the processor time that *work* takes; the shorter of two runs."""
    times = []
    for _ in range(2):
        begin = time.process_time()
        work(argument)  # type: ignore[operator]
        times.append(time.process_time() - begin)
    return min(times)


def mixed_ends(lines: int) -> bytes:
    """Return lines that are alike, with line endings that change."""
    return b"".join(b"a%d" % (at % 3) + (b"\r\n", b"\n", b"\r")[at % 3] for at in range(lines))


def edited(data: bytes) -> bytes:
    """Return *data* with every third line replaced by two."""
    document = charlens.Document(data)
    document.text = document.text.replace("a1", "b\nb")
    return document.to_bytes()


def test_an_edit_keeps_mixed_line_ends_in_linear_time() -> None:
    """Eight times the lines take no more than some eight times the time; it was five hundred times."""
    assert edited(mixed_ends(6)) == b"a0\r\nb\nb\na2\ra0\r\nb\nb\na2\r"
    assert steps_of(edited, mixed_ends(16_000)) < 40 * max(steps_of(edited, mixed_ends(2_000)), 0.005)


def test_changes_lead_from_the_old_lines_to_the_new_ones() -> None:
    """Replacing the changed ranges of the old lines gives the new lines, whatever was edited."""
    chance = random.Random(20)
    for _ in range(500):
        old = [chance.choice("abcdef") for _ in range(chance.randrange(20))]
        new = [line for line in old if chance.random() < 0.8]
        new[chance.randrange(len(new) + 1) :][:0] = ["x"]
        new.insert(chance.randrange(len(new) + 1), chance.choice("abx"))
        made, done = [], 0
        for change in find_changes(old, new):
            made += [*old[done : change.old_start], *new[change.new_start : change.new_end]]
            done = change.old_end
        assert [*made, *old[done:]] == new
        places = match_lines(old, new)
        assert list(places.values()) == sorted(set(places.values()))


def test_an_unchanged_line_is_matched_among_new_ones() -> None:
    """Lines are found again though others of the same text come and go around them."""
    places = match_lines(["a", "", "b", "", "c"], ["a", "", "x", "", "b", "", "c"])
    assert places == {0: 0, 1: 1, 4: 2, 5: 3, 6: 4}


@pytest.mark.parametrize(
    "data",
    [b"\n\xff\xfe\x00\ntrae ber pfel. \n\x06", b"a\n\xff\xfe\n\xff\xfe\x00\x00\nb\n\x01\n\xfe\xff\n\x00\n"],
)
def test_segments_tile_the_input(data: bytes) -> None:
    """Each segment begins where the one before ends; the first at 0, the last ends with the input."""
    borders = [(each.start, each.end) for each in charlens.segments(data)]
    assert [start for start, _ in borders] == [0, *(end for _, end in borders[:-1])]
    assert borders[-1][1] == len(data)


def test_a_stray_nul_at_the_end_of_a_long_text_is_a_stray() -> None:
    """Where the NUL is does not matter; what follows many of them is another thing."""
    text = b"This is a long text in English, with many words. " * 400
    for data in (b"\0" + text, text + b"\0" + text, text + b"\0\n"):
        assert charlens.detect(data).outcome is charlens.Outcome.TEXT
    assert charlens.detect(text + bytes(4000)).outcome is charlens.Outcome.BINARY


def test_a_file_that_is_cut_short_meanwhile_does_not_end_the_process(tmp_path: Path) -> None:
    """Files are read or copied, never mapped: a map of a truncated file causes SIGBUS."""
    path = tmp_path / "large.txt"
    path.write_bytes(b"some words\n" * 200_000)
    code = (
        "import os, sys; from charlens.inputs import paths; paths._READ_AT_MOST = 1 << 16\n"
        "with paths.open_bytes(sys.argv[1]) as data:\n"
        "    os.truncate(sys.argv[1], 10)\n"
        "    print(bytes(data).count(b'words'))\n"
    )
    done = subprocess.run([sys.executable, "-c", code, path], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout.strip()) == (0, "200000")


@pytest.mark.skipif(not os.path.exists("/proc/self/pagemap"), reason="needs Linux")
def test_files_of_the_system_are_read_to_their_end_or_refused() -> None:
    """A file without a size is read whole, also where it comes in short pieces; one without an end is refused."""
    whole = Path("/proc/self/mountinfo").read_bytes() + Path("/proc/cpuinfo").read_bytes()
    found = survey("/proc/cpuinfo").size + survey("/proc/self/mountinfo").size
    assert abs(found - len(whole)) < 200  # the clock of a processor may have a digit more
    assert "no end" in str(survey("/proc/self/pagemap").error)
    with pytest.raises(OSError, match="no end"):
        charlens.detect_path("/proc/self/pagemap")


def test_a_short_read_is_not_the_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that the system gives in pieces is read to its end."""
    path = tmp_path / "pieces.txt"
    path.write_bytes(b"word " * 2000)
    read = os.read
    monkeypatch.setattr(os, "read", lambda handle, size: read(handle, min(size, 1000)))
    assert survey(str(path)).size == 10_000


@pytest.mark.parametrize("mark", [b"+/v8-", "Größe, Äpfel und 日本: ".encode("utf-7")])
def test_no_text_has_half_a_surrogate_pair(mark: bytes) -> None:
    """UTF-7 can name one half of a pair ('+2AA-'), which no UTF-8 can hold: then it is not UTF-7."""
    for text in (charlens.html.decode(mark + b" +2AA- x")[0], charlens.decode(mark + b" +2AA- x")):
        assert text.encode("utf-8").decode() == text
    assert charlens.detect(mark + b" +2D3eAA- x").encoding == "utf-7"


def test_confidences_add_up_to_one_at_most() -> None:
    """The answer and its alternatives share one probability, also where all pages of EBCDIC are possible."""
    text = "Das ist ein Text mit Wörtern und Größe. Schöne Übung. " * 3
    verdict = charlens.detect(text.encode("cp273"))
    assert len(verdict.alternatives) >= 4
    assert verdict.confidence + sum(other.confidence for other in verdict.alternatives) <= 1


def test_an_explanation_has_only_offsets_of_the_input(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pair of which no place is known has no offset; it was -1, and the last byte was read for it."""
    page = "<html><body><p>für größe äöü</p><p>Straße, Übung, Käse und Öl</p></body></html>".encode("cp1252")
    known = charlens.explain(page)
    monkeypatch.setattr(explanation, "_source_offsets", lambda data, words: [-1] * len(words))
    lost = charlens.explain(page)
    assert len(lost.contributions) == len(known.contributions) > 0
    assert all(0 <= at < len(page) for part in known.contributions for at in part.offsets)
    assert {(part.offsets, part.reads) for part in lost.contributions} == {((), ("", ""))}
    assert lost.total == known.total and [step.words for step in lost.steps]


def test_different_file_names_are_printed_differently() -> None:
    """Bytes that are not UTF-8, control characters and backslashes: each name has its own look, and no control byte."""
    names = [
        b"caf\xe9",
        b"caf\\xe9",
        "caf\u00e9".encode(),
        "caf\ufffd".encode(),
        b"\x9b",
        "\x9b".encode(),
        b"\x1b",
        b"\\x1b",
    ]
    looks = [shown(os.fsdecode(name)) for name in names]
    assert len(set(looks)) == len(names)
    assert all(json.dumps(look) and look.encode("utf-8") and look.isprintable() for look in looks)


def test_sarif_names_a_file_by_its_bytes() -> None:
    """A URI has the bytes of the name, whatever encoding they are in."""
    path = os.fsdecode(b"./caf\xe9 %.txt")
    found = [{"path": path, "rule": "encoding", "message": "x", "line": None, "column": None, "fixed": False}]
    log = json.loads("\n".join(as_sarif(found, {"encoding": "x"})))
    place = log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "caf%E9%20%25.txt"


def test_no_cell_is_a_formula() -> None:
    """A spreadsheet runs cells that begin with '=', '+', '-' or '@'; a path stays the path of the same file."""
    row = next(csv.reader(io.StringIO(csv_line(["=cmd|' /C calc'!A0", "@x: gone", "text", "a=b"]))))
    assert row == ["./=cmd|' /C calc'!A0", "'@x: gone", "text", "a=b"]


def test_a_hostile_ignore_file_does_not_stop_the_walk(tmp_path: Path) -> None:
    """Lines whose stars could be matched in very many ways take no longer than others."""
    (tmp_path / ".gitignore").write_text("*a" * 16 + "*b\n" + "**/a/" * 12 + "b\n" + "*.log\n")
    (tmp_path / ("a" * 200)).write_text("x")
    (tmp_path / "x.log").write_text("x")
    deep = tmp_path.joinpath(*["a"] * 60)
    deep.mkdir(parents=True)
    (deep / "c").write_text("x")
    found = [entry.inner for entry in find_files([str(tmp_path)], ignore=True, complain=print)]
    assert sorted(map(len, found)) == [10, 121, 200]


def test_stars_without_backtracking_mean_the_same() -> None:
    """Made patterns match the same made paths in both forms."""
    patterns = pytest.importorskip("pathspec.patterns.gitignore.spec")
    chance = random.Random(20)
    for _ in range(3000):
        line = "".join(chance.choice(["*", "*", "a", "b", "?", "/", "[ab]", "**/", "."]) for _ in range(8))
        try:
            regex, _ = patterns.GitIgnoreSpecPattern.pattern_to_regex(line)
        except ValueError:
            continue
        for _ in range(4 if regex else 0):
            path = "".join(chance.choice("aabb./") for _ in range(10)).strip("/")
            plain, linear = (re.match(each, path) for each in (regex, without_backtracking(regex)))
            assert bool(plain) == bool(linear), (line, path)


def test_a_state_of_the_codec_fits_into_a_position() -> None:
    """`tell()` has 31 bits for the state of a decoder; ISO-2022-KR needs 33, and the rank comes on top."""
    data = "\ud55c\uad6d\uc5b4 \ud14d\uc2a4\ud2b8\n".encode("iso2022_kr") * 50
    decoder = AutoDecoder()
    decoder.decode(data[:300], True)
    text = [decoder.decode(data[300:305])]
    state = decoder.getstate()
    assert abs(state[1]) < 1 << 31
    rest = decoder.decode(data[305:])
    decoder.setstate(state)
    assert (
        decoder.decode(data[305:]) == rest
        and "".join([*text, rest]) == data.decode("iso2022_kr")[-len(rest) - len(text[0]) :]
    )


def model_bytes(change: Callable[[dict[str, object]], object]) -> bytes:
    """Return the file of the default model with a changed header, its checksum corrected."""
    data = Path(default_model().path).read_bytes()
    size = format._HEAD.size
    _, version, length, _, digest = format._HEAD.unpack_from(data)
    header = json.loads(data[size : size + length])
    change(header)
    text = json.dumps(header).encode()
    text += b" " * (-(size + len(text)) % 64)
    body = text + data[size + length :]
    checksum = format.checksum_of(len(text), digest, body)
    return format._HEAD.pack(format.MAGIC, version, len(text), checksum, digest) + body


@pytest.mark.parametrize(
    "change",
    [
        lambda header: header.clear(),
        lambda header: header.update(classes=[]),
        lambda header: header.update(classes=5),
        lambda header: header["classes"].append(["klingon", "tlh"]),
        lambda header: header["classes"].pop(),
        lambda header: header.update(unit="x"),
        lambda header: header.update(unit=float("nan")),
        lambda header: header.update(levels=[300]),
        lambda header: header.update(levels=None),
        lambda header: header.update(sharpness=[[1]]),
        lambda header: header.update(sharpness=[]),
        lambda header: header["priors"].update(cp1252=0),
        lambda header: header["priors"].pop("cp1252"),
        lambda header: header["priors"].update(klingon=1),
        lambda header: header["families"].update(cp1252=[]),
        lambda header: header.update(languages=[]),
        lambda header: header.update(wide=7),
    ],
)
def test_a_model_with_a_wrong_header_is_refused_in_words(
    change: Callable[[dict[str, object]], object],
) -> None:
    """Whatever is wrong with a header is a `ModelError` when the model is read, not an error of `detect` later."""
    assert format.parse_model(model_bytes(lambda header: None), "same").classes == default_model().classes
    with pytest.raises(format.ModelError, match="Train it again"):
        format.parse_model(model_bytes(change), "changed")


def test_the_first_bytes_of_a_model_are_checked() -> None:
    """A changed bit in magic, version, length or checksum is found; the hash that follows is only a name."""
    data = Path(default_model().path).read_bytes()
    for bit in range(20 * 8):
        changed = bytearray(data[:20])
        changed[bit // 8] ^= 1 << bit % 8
        with pytest.raises(format.ModelError):
            format.parse_model(bytes(changed) + data[20:], "changed")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_fork_waits_for_the_imports_of_other_threads(tmp_path: Path) -> None:
    """A child that needs what another thread was importing does not wait forever."""
    (tmp_path / "slow_module.py").write_text("import time; time.sleep(0.5)")
    code = (
        "import charlens, os, signal, sys, threading, time\n"
        "sys.path.insert(0, sys.argv[1])\n"
        "thread = threading.Thread(target=__import__, args=('slow_module',)); thread.start()\n"
        "time.sleep(0.1)\n"
        "child = os.fork()\n"
        "if not child:\n"
        "    signal.alarm(10); import slow_module; os._exit(0)\n"
        "sys.exit(os.waitpid(child, 0)[1])\n"
    )
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code, tmp_path], timeout=60)
    assert done.returncode == 0


def test_an_installation_checks_itself(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`python -m charlens.selftest` finds no fault here, and names a fault if there is one."""
    assert selftest.main() == 0
    monkeypatch.setattr(selftest, "CASES", (("xyz", "utf-16-be"), ("\u00e9", "cp437")))
    monkeypatch.setattr(selftest, "HASHED_FROM", 53)
    assert selftest.main() == 1
    assert "does not have the hash" in capsys.readouterr().err
