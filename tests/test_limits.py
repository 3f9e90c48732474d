"""Caps: how many bytes are looked at, and how long it may take."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

import charlens
from charlens import limits
from charlens.types import Part

WORDS = "Grüße aus Köln, wo es heute regnet.\n".encode("cp1252")
RUSSIAN = "Привет из Казани, где сегодня идёт дождь.\n".encode("cp1251")
#: Two encodings in turn: the longest way through the parts.
MIXED = (WORDS + RUSSIAN) * 40
MOJIBAKE = "".join(f"GrÃ¼ÃŸe {number} aus KÃ¶ln\n" for number in range(200))


def is_limited(verdict: charlens.Verdict) -> bool:
    return any(step.stage == "limit" for step in verdict.steps)


@pytest.mark.parametrize("data", [WORDS, RUSSIAN, MIXED])
def test_no_time_is_too_little_for_any_text(data: bytes) -> None:
    """Short text has a limit of time as well, also after the first call, when the tables are made."""
    charlens.detect(data)
    with pytest.raises(charlens.LimitError):
        charlens.detect(data, max_seconds=1e-9)


def test_only_the_first_bytes_are_looked_at(tmp_path: Path) -> None:
    """Every entry gives the answer for the first bytes, and says that there were more."""
    data = b"plain ASCII, and then " * 10 + WORDS
    path = tmp_path / "a.txt"
    path.write_bytes(data)
    detector = charlens.Detector(max_bytes=100)
    detector.feed(data[:60])
    assert not detector.done
    detector.feed(data[60:])
    detector.feed(data)
    assert detector.done and detector.fed == 100
    answers = (
        charlens.detect(data, max_bytes=100),
        charlens.detect_path(path, max_bytes=100),
        detector.close(),
        next(charlens.detect_many([data], max_bytes=100)),
    )
    for verdict in answers:
        assert verdict.encoding == "ascii" and is_limited(verdict)
        assert verdict.steps[-1].words == "only the first 100 bytes were read (max_bytes)"
    assert charlens.detect(data, max_bytes=len(data)) == charlens.detect(data)
    assert not is_limited(charlens.detect(data, max_bytes=len(data)))
    assert charlens.explain(MIXED, max_bytes=len(WORDS)).verdict.encoding == "cp1252"
    assert charlens.detect_together([WORDS, RUSSIAN], max_bytes=len(WORDS)).encoding == "cp1252"


def test_a_file_is_read_no_further_than_asked(tmp_path: Path) -> None:
    """Bytes after the limit are not read, even from a large file."""
    path = tmp_path / "large.txt"
    with path.open("wb") as file:
        file.write(b"words " * 1000)
        file.truncate(1 << 33)  # a hole: reading it would take seconds
    verdict = charlens.detect_path(path, max_bytes=6000)
    assert verdict.encoding == "ascii" and is_limited(verdict)
    larger = charlens.detect_path(path, max_bytes=5 << 20)
    assert larger.outcome is charlens.Outcome.BINARY and is_limited(larger)


def test_the_text_is_whole_though_a_prefix_decided() -> None:
    """`decode` looks at the first bytes and decodes all; the last part goes on to the end."""
    assert charlens.decode(WORDS * 5, max_bytes=len(WORDS)) == (WORDS * 5).decode("cp1252")
    (segment,) = charlens.segments(WORDS * 5, max_bytes=len(WORDS))
    assert (segment.start, segment.end, is_limited(segment.verdict)) == (0, len(WORDS) * 5, True)
    parts = (Part(0, 4, "cp1252"), Part(4, 6, "cp1251"))
    assert charlens.api.decode_as(b"caf\xe9\xcf\xf0\xe8", "cp1252", b"", parts) == "caféПри"


@pytest.mark.parametrize(
    "data",
    [
        b"abcdefghijklm" + "Grüße".encode("cp1252"),
        b"abcdefghijklm" + "Привет, как дела?".encode("koi8-r"),
        "Grüße und ".encode() + WORDS * 3,
        "日本語".encode("cp932") + b" \x81" + "東京です。".encode("cp932"),
    ],
)
@pytest.mark.parametrize("most", [1, 5, 10])
def test_a_limit_loses_no_text(data: bytes, most: int) -> None:
    """If the answer for the first bytes does not decode the rest, all bytes are read."""
    head = charlens.detect(data, max_bytes=most).encoding
    for text in (charlens.decode(data, max_bytes=most), charlens.decode_mixed(data, max_bytes=most)):
        assert text == charlens.decode(data) or (head and text == data.decode(head))


@pytest.mark.parametrize(
    "call",
    [
        lambda seconds: charlens.detect(MIXED, parts=True, max_seconds=seconds),
        lambda seconds: charlens.detect(WORDS * 200_000, max_seconds=seconds),
        lambda seconds: charlens.segments(MIXED, max_seconds=seconds),
        lambda seconds: charlens.decode_mixed(MIXED, max_seconds=seconds),
        lambda seconds: charlens.explain(WORDS, max_seconds=seconds),
        lambda seconds: charlens.repair(MOJIBAKE, max_seconds=seconds),
        lambda seconds: charlens.detect_together([WORDS] * 100, max_seconds=seconds),
    ],
)
def test_what_takes_too_long_is_an_error_that_says_what_to_do(
    call: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Behind the time there is no answer, and no half of one; with time enough nothing changes."""
    assert call(1000) == call(None)
    clock = iter(range(10_000))
    monkeypatch.setattr(limits, "monotonic", lambda: float(next(clock)))
    with pytest.raises(charlens.LimitError, match=r"max_seconds=0\.5.*max_bytes"):
        call(0.5)


def test_the_clock_is_that_of_the_outermost_call(monkeypatch: pytest.MonkeyPatch) -> None:
    """What `segments` calls in turn does not begin to count again, and other threads have no clock."""
    clock = iter(range(10_000))
    monkeypatch.setattr(limits, "monotonic", lambda: float(next(clock)))
    with limits.time_limit(5):
        for _ in range(2):
            with limits.time_limit(100):
                limits.check_time()
        thread = threading.Thread(target=limits.check_time)
        thread.start()
        thread.join()
        with pytest.raises(charlens.LimitError, match="max_seconds=5"):
            for _ in range(5):
                limits.check_time()
    limits.check_time()


@pytest.mark.parametrize(
    "keywords", [{"max_bytes": 0}, {"max_bytes": 1.5}, {"max_seconds": 0}, {"max_seconds": -1}]
)
def test_a_cap_must_be_one(keywords: Any) -> None:
    """A cap of nothing is a mistake."""
    with pytest.raises(ValueError, match=next(iter(keywords))):
        charlens.detect(b"x", **keywords)


def test_a_document_keeps_what_is_behind_the_limit(tmp_path: Path) -> None:
    """`max_bytes` limits the detection: if its answer does not decode the rest, all of the file is detected."""
    path = tmp_path / "a.txt"
    path.write_bytes(b"abcdefghijklm " + "Grüße aus Köln, schöne Straßen".encode("cp1252"))
    assert charlens.load(path, max_bytes=10).text == "abcdefghijklm Grüße aus Köln, schöne Straßen"


def test_a_limit_inside_a_character_reads_it_to_its_end() -> None:
    """Half a character of UTF-8 could be a letter of windows-1252, which decodes the rest as something else."""
    text = "plain words of a manual, " * 20 + "größer als je zuvor, schöne Grüße\n" * 20
    first = text.encode().index(0xC3)
    for limit in (first + 1, first + 2):
        assert charlens.detect(text.encode(), max_bytes=limit).encoding == "utf-8"
        assert charlens.decode(text.encode(), max_bytes=limit) == text


def test_every_entry_ends_a_limit_with_the_same_character(tmp_path: Path) -> None:
    """All entries read a character that the limit cuts, in whatever pieces it comes, and nothing after it."""
    data = ("größer " * 3 + "한국어 🦊🦊 ").encode() * 3 + b"\x80\x81\x82\x83\x84 gr\xf6\xdfer " * 3
    path = tmp_path / "a.txt"
    path.write_bytes(data)
    for limit in range(1, len(data) + 1):
        verdict = charlens.detect(data, max_bytes=limit)
        assert charlens.detect_path(path, max_bytes=limit) == verdict
        assert charlens.explain(data, max_bytes=limit).verdict == verdict
        for size in (1, 2, limit, len(data)):
            detector = charlens.Detector(max_bytes=limit)
            for start in range(0, len(data), size):
                detector.feed(data[start : start + size])
            assert detector.close() == verdict
