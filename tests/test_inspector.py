"""The answers behind `charlens inspect`, the server that carries them, and the page that has them inside."""

from __future__ import annotations

import gc
import http.client
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import quote
from urllib.request import Request, urlopen

import pytest
from command import run
from hypothesis import given
from hypothesis import strategies as st
from prose_texts import PROSE

import charlens
from charlens.encodings import all_encodings
from charlens.inspector.answers import Inspector
from charlens.inspector.characters import read_signs
from charlens.inspector.converting import LARGEST_IN_PARTS
from charlens.inspector.overview import look_closely
from charlens.inspector.saved import bundle, save_page
from charlens.inspector.server import PAGE, Server

RUSSIAN = PROSE["ru"].encode("koi8-r", "ignore")
MODULES = sorted(path.name for path in PAGE.iterdir() if path.name.endswith(".js"))


class Opened:
    """A file that is open in an inspector, and questions about it."""

    def __init__(self, path: Path, data: bytes) -> None:
        path.write_bytes(data)
        self.inspector = Inspector(str(path))
        self.id = self.inspector.answer({"ask": "open", "path": str(path)})["id"]

    def ask(self, question: str, **more: Any) -> dict[str, Any]:
        return self.inspector.answer({"ask": question, "id": self.id, **more})

    def text(self, **more: Any) -> str:
        """All rows of the text, as shown."""
        text, start = "", 0
        while rows := self.ask("rows", start=start, count=7, exact=True, **more)["rows"]:
            text += "".join("".join(part for _, part in row["runs"]) + ENDS[row["ends"]] for row in rows)
            start = rows[-1]["end"]
        return text


ENDS = {"": "", "lf": "\n", "crlf": "\r\n", "cr": "\r", "nel": "\x85"}


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Any]:
    found: list[Opened] = []

    def open_bytes(data: bytes, name: str = "a.txt") -> Opened:
        found.append(Opened(tmp_path / name, data))
        return found[-1]

    yield open_bytes
    for each in found:
        each.inspector.close()


def test_the_verdict_is_that_of_detect(opened: Any) -> None:
    """What the page shows is what `charlens.detect` says, with the steps, the readings and the names."""
    look = opened(RUSSIAN).ask("look")
    verdict = charlens.detect(RUSSIAN)
    assert (look["encoding"], look["language"]) == (verdict.encoding, verdict.language) == ("koi8-r", "ru")
    assert [step["words"] for step in look["steps"]] == [step.words for step in verdict.steps]
    assert look["readings"][0]["encoding"] == "koi8-r" and 2 <= len(look["readings"]) <= 6
    assert look["names"] == {"shell": shlex.quote(look["name"]), "python": repr(look["name"])}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le", "utf-32-be", "cp1251", "koi8-r", "cp866"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_rows_are_the_whole_text(opened: Any, encoding: str, end: str) -> None:
    """Put together, the rows are the text of the file, whatever its encoding and its line endings."""
    text = PROSE["ru"].encode(encoding, "ignore").decode(encoding).replace("\n", end)
    assert opened(text.encode(encoding)).text(encoding=encoding) == text


def test_rows_in_shifting_and_east_asian_encodings(opened: Any) -> None:
    """Multi-byte and shifting encodings are read from the start of a line as well."""
    for encoding in ("cp932", "euc_jp", "iso2022_jp"):
        text = PROSE["ja"].encode(encoding, "ignore").decode(encoding)
        assert opened(text.encode(encoding)).text(encoding=encoding) == text, encoding


def test_a_long_line_continues_in_more_rows(opened: Any) -> None:
    """A line of a million characters is cut into rows, each at the border of a character."""
    text = "Привет! " * 30_000
    one = opened(text.encode())
    assert one.text(encoding="utf-8") == text
    rows = one.ask("rows", start=len(text), count=2, encoding="utf-8")["rows"]
    assert rows[0]["line"] is None and "\ufffd" not in rows[0]["runs"][0][1]


def test_rows_before_meet_rows_after(opened: Any) -> None:
    """Going back from a row gives the rows that going forward gave."""
    one = opened("\n".join(f"Zeile {number}: Äpfel" for number in range(500)).encode("cp1252"))
    rows = one.ask("rows", start=0, count=100, encoding="cp1252")["rows"]
    again = one.ask("rows", start=rows[80]["start"], count=40, encoding="cp1252", before=True)["rows"]
    assert again == rows[40:80] and rows[80]["line"] == 81


def test_rows_before_end_where_the_next_begins(opened: Any) -> None:
    """In a line of many rows, going back gives rows without gaps and without repetition."""
    one = opened("Привет, мир! ".encode() * 9000)
    first = one.ask("rows", start=0, count=100, encoding="utf-8")["rows"][90]["start"]
    rows = one.ask("rows", start=first, count=40, encoding="utf-8", before=True)["rows"]
    assert rows[-1]["end"] == first and len(rows) > 5
    assert all(row["end"] == after["start"] for row, after in pairwise(rows))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le", "cp1251"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_are_found_by_their_number(
    opened: Any, monkeypatch: pytest.MonkeyPatch, encoding: str, end: str
) -> None:
    """A line is where its number is shown, near and far; after the last line is the last one."""
    monkeypatch.setattr("charlens.inspector.rows._COUNTED", 5000)
    lines = [f"Строка {number}" + "!" * (number % 37) for number in range(1, 2001)]
    for last in ("", end):
        one = opened((end.join(lines) + last).encode(encoding))
        # With CR alone, the last line is looked for from its end, where there is no LF to find.
        for line in (1, 2, 3, 777, 1999, 2000, *((5000,) if end != "\r" or not last else ())):
            answer = one.ask("line", encoding=encoding, line=line)
            while "next" in answer:
                answer = one.ask("line", encoding=encoding, line=line, start=answer["next"])
            (row,) = one.ask("rows", encoding=encoding, start=answer["start"], count=1, exact=True)["rows"]
            assert "".join(text for _, text in row["runs"]) == lines[min(line, 2000) - 1], line
            assert row["line"] == min(line, 2000)


def test_bytes_are_shown_next_to_their_characters(opened: Any) -> None:
    """A character of three bytes has three columns, also where the row ends within it; what is bad is marked."""
    one = opened(b"123456789012345" + "€€".encode() + b"\xff!\n")
    first, second = one.ask("rows", start=0, count=5, encoding="utf-8", form="hex")["rows"]
    assert first["signs"][-1] == [15, 1, "€", "", True] and second["signs"][0] == [0, 2, "", "", True]
    assert second["signs"][1:] == [
        [2, 3, "€", ""],
        [5, 1, "\ufffd", "bad"],
        [6, 1, "!", ""],
        [7, 1, "↵", "control"],
    ]
    assert one.ask("rows", start=10**9, count=5, encoding="utf-8", form="hex")["rows"] == []


@given(st.binary(max_size=200), st.sampled_from([each.name for each in all_encodings()]))
def test_characters_cover_all_bytes(data: bytes, encoding: str) -> None:
    """Whatever the bytes are and whatever they are read as, the characters follow each other without a gap."""
    at = 0
    for sign in read_signs(data, encoding):
        assert sign.start == at and sign.end > at
        at = sign.end
    assert at == len(data)


def test_readings_are_compared_where_they_differ(opened: Any) -> None:
    """Lines that all readings share are left out, and only the characters that differ are marked."""
    one = opened(b"plain\n" * 50 + "dreißig Äpfel\n".encode("cp1252") + b"plain\n" * 3000)
    answer = one.ask("compare", encodings=["cp1252", "cp850"], start=0, count=20)
    (row,) = answer["rows"]
    assert answer["next"] is None and row["line"] == 51
    assert row["texts"][0] == [["", "drei"], ["differs", "ß"], ["", "ig "], ["differs", "Ä"], ["", "pfel"]]
    whole = one.ask("compare", encodings=["cp1252", "cp850"], start=0, count=20, everything=True)
    assert len(whole["rows"]) == 20 and whole["next"] == 120
    assert one.ask("compare", encodings=["cp1252", "latin-1"], start=0, count=20)["rows"] == []


def test_comparing_continues_through_long_lines(opened: Any) -> None:
    """Page by page, all rows come once, in files without line endings as well."""
    one = opened("Ä x ".encode("cp1252") * 3000)
    starts, start = [], 0
    while start is not None:
        answer = one.ask("compare", encodings=["cp1252", "cp850"], start=start, count=3)
        starts += [row["start"] for row in answer["rows"]]
        start = answer["next"]
    assert starts == list(range(0, 12_000, 400))


def test_the_strip_says_what_is_where(opened: Any) -> None:
    """Cells count ASCII, non-ASCII, controls, and bytes that do not decode."""
    data = b"a" * 1000 + "ж".encode() * 500 + b"\x01" * 1000 + b"\xff" * 1000
    cells = opened(data).ask("strip", encoding="utf-8", cells=4)["cells"]
    assert [cell.index(max(cell[:3])) for cell in cells] == [0, 1, 2, 1]
    assert [cell[3] for cell in cells] == [0, 0, 0, 1]


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "iso2022_jp", "cp037"])
def test_the_strip_counts_characters_where_ascii_has_other_bytes(opened: Any, encoding: str) -> None:
    """ASCII is counted right even if a cell begins inside a character or a shifted line."""
    data = ("plain text " * 40 + "\n" * 7 + "x").encode(encoding)
    cells = opened(data).ask("strip", encoding=encoding, cells=37)["cells"]
    assert all(cell == [1.0, 0.0, 0.0, 0.0] for cell in cells[1:-1]), cells


def find_all(one: Opened, back: bool = False, **question: Any) -> list[tuple[int, int]]:
    """All ranges found, one after the other, as with the button 'next'."""
    found: list[tuple[int, int]] = []
    start: int | None = 1 << 40 if back else 0
    while start is not None:
        answer = one.ask("find", start=start, back=back, **question)
        if "start" in answer:
            found.append((answer["start"], answer["end"]))
            start = answer["start"] if back else answer["start"] + 1
        else:
            assert answer["next"] is None or (answer["next"] < start if back else answer["next"] > start)
            start = answer["next"]
    return found


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le", "cp1251", "koi8-r", "utf-32-be"])
def test_text_is_found_wherever_it_is(opened: Any, monkeypatch: pytest.MonkeyPatch, encoding: str) -> None:
    """Going on and going back find every place once, at borders of pieces, in long lines and in any case."""
    monkeypatch.setattr("charlens.inspector.finding._PIECE", 5000)
    monkeypatch.setattr("charlens.inspector.finding._LIMIT", 20_000)
    filler = "x" * 317
    text = "".join(f"{number} Вода{filler}{chr(10) if number % 20 == 7 else ', '}" for number in range(60))
    one = opened(text.encode(encoding))
    width = len("я".encode(encoding))
    places = [
        len(text[: match.start()].encode(encoding)) for match in re.finditer("вода", text, re.IGNORECASE)
    ]
    ranges = [(place, place + 4 * width) for place in places]
    assert find_all(one, encoding=encoding, sought="вОДа") == ranges
    assert find_all(one, back=True, encoding=encoding, sought="вода") == ranges[::-1]
    assert find_all(one, encoding=encoding, sought="вода", case=True) == []
    assert find_all(one, encoding=encoding, sought="59 ") == [
        (places[-1] - len("59 ".encode(encoding)), places[-1])
    ]


def test_text_is_found_between_characters_only(opened: Any) -> None:
    """The second byte of one character and the first of the next are no match, though they are the bytes of one."""
    one = opened("ソーソ表ア".encode("cp932") * 3 + "\nペ表".encode("cp932"))
    assert [start for start, _ in find_all(one, encoding="cp932", sought="表")] == [6, 16, 26, 33]
    assert find_all(one, encoding="cp932", sought="\\") == []


def test_bytes_are_found(opened: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Hexadecimal digits find bytes, also across the ranges that one answer looks through."""
    monkeypatch.setattr("charlens.inspector.finding._LIMIT", 100)
    data = bytes(98) + b"\xde\xad\xbe\xef" + bytes(300) + b"\xde\xad"
    one = opened(data)
    assert find_all(one, form="hex", sought="DE AD") == [(98, 100), (402, 404)]
    assert find_all(one, back=True, form="hex", sought="adbe") == [(99, 101)]
    assert "hexadecimal" in one.ask("find", form="hex", sought="xy")["error"]
    assert "nothing to look for" in one.ask("find", sought="")["error"]


def test_what_was_found_is_marked_in_its_row(opened: Any) -> None:
    """Rows that are asked for with a range have it as a separate run."""
    one = opened(b"eins zwei drei\n")
    (row,) = one.ask("rows", encoding="utf-8", start=0, count=9, found=[5, 9])["rows"]
    assert row["runs"] == [["", "eins "], ["found", "zwei"], ["", " drei"]]


def test_text_is_found_part_by_part(opened: Any) -> None:
    """In a file in several encodings the same word is found in each of them."""
    one = opened(PROSE["de"].encode() + PROSE["de"].encode("cp1252", "ignore"))
    found = find_all(one, parts=[], sought="für")
    assert [end - start for start, end in found] == [4, 3], one.ask("parts")["count"]


def test_what_stands_at_a_byte(opened: Any) -> None:
    """Each encoding says which character a byte is part of, with its name in Unicode."""
    found = opened("aж".encode()).ask("at", offset=2, encodings=["utf-8", "cp1252"])
    assert [reading["bytes"] for reading in found["readings"]] == ["D0 B6", "B6"]
    assert found["readings"][0]["names"] == ["U+0436 CYRILLIC SMALL LETTER ZHE"]


def test_hints_change_the_answer(opened: Any) -> None:
    """With a hint another reading of the same few bytes is more likely, and why says so."""
    one = opened(bytes.fromhex("cfd2e9e2e5f2"))
    plain = one.ask("look")
    hinted = one.ask("look", hints={"platform": "mac", "language": ""})
    assert hinted["confidence"] != plain["confidence"] or hinted["encoding"] != plain["encoding"]
    assert any(step["stage"] == "hints" for step in one.ask("why", hints={"platform": "mac"})["steps"])
    assert "windowz" in one.ask("look", hints={"platform": "windowz"})["error"]


def test_declarations_are_checked(opened: Any) -> None:
    """A declaration that is not true is said to be false."""
    data = b'<meta charset="utf-8"><p>' + PROSE["cs"].encode("cp1250", "ignore")
    (said,) = opened(data, "a.html").ask("look")["declared"]
    assert (said["label"], said["true"]) == ("utf-8", False)


def test_a_declaration_that_gives_the_same_text_is_true(opened: Any, tmp_path: Path) -> None:
    """ISO-8859-1 is declared, windows-1252 is answered, and the text is the same: nothing is wrong."""
    data = (
        b'<?xml version="1.0" encoding="ISO-8859-1"?>\n<a>'
        + "Grüße aus Köln, schöne Straßen</a>\n".encode("cp1252")
    )
    look = opened(data, "a.xml").ask("look")
    assert "iso8859-1" in (look["encoding"], *look["equivalents"]) and look["declared"][0]["true"]
    assert look_closely(str(tmp_path / "a.xml")).problems == ()


def test_converting_is_planned_and_proved(opened: Any) -> None:
    """The result is the text in UTF-8; a conversion that cannot be verified is refused with a message."""
    one = opened(RUSSIAN)
    assert one.ask("convert", encoding="koi8-r")["status"] == "change"
    name, pieces = one.inspector.product({"id": one.id, "encoding": "koi8-r"})
    assert (name, b"".join(pieces)) == ("a.txt", RUSSIAN.decode("koi8-r").encode())
    assert "not utf-8" in one.ask("convert", encoding="utf-8")["words"]


def test_damage_is_replaced_on_request(opened: Any) -> None:
    """A damaged file is refused with the number of places; on request, the plan names what is lost."""
    first, second, *rest = PROSE["el"].encode().splitlines(keepends=True)
    broken = first + b"\xff" + second + b"\xfe" + b"".join(rest) + b"\xce"
    one = opened(broken)
    refused = one.ask("convert", encoding="utf-8")
    assert refused["status"] == "refused" and refused["lost"] == 3
    assert one.ask("convert", encoding="utf-8", replace=True)["changes"] == [
        "writes U+FFFD for bytes that do not decode (3 places)"
    ]
    _, pieces = one.inspector.product({"id": one.id, "encoding": "utf-8", "replace": True})
    assert b"".join(pieces) == broken.decode("utf-8", "replace").encode()


def test_damage_is_seen_in_large_files(opened: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is streamed is looked at before it is offered: damage, and a reading that does not fit."""
    monkeypatch.setattr("charlens.inspector.converting.LARGE", 100)
    data = PROSE["el"].encode() + b"\xff\n"
    one = opened(data)
    refused = one.ask("convert", encoding="utf-8")
    assert (refused["status"], refused["lost"]) == ("refused", 1)
    assert f"not utf-8: byte {len(data) - 2} does not decode" in refused["words"]
    _, pieces = one.inspector.product({"id": one.id, "encoding": "utf-8", "replace": True})
    assert b"".join(pieces) == data.decode("utf-8", "replace").encode()
    assert opened(RUSSIAN).ask("convert", encoding="utf-8")["status"] == "refused"
    assert opened(RUSSIAN).ask("convert", encoding="koi8-r")["status"] == "change"


def test_all_parts_are_joined_where_a_list_shows_the_first(opened: Any) -> None:
    """A file of more parts than the page lists is converted whole, each part in its own encoding."""
    texts = [PROSE["de"], PROSE["ru"]] * 40
    names = ["utf-8", "cp1251"] * 40
    pieces = [text.encode(name, "ignore") for text, name in zip(texts, names, strict=True)]
    one = opened(b"".join(pieces))
    answer = one.ask("parts")
    assert answer["count"] == 80 and len(answer["parts"]) == 60
    _, product = one.inspector.product({"id": one.id, "parts": []})
    wanted = "".join(piece.decode(name) for piece, name in zip(pieces, names, strict=True))
    assert b"".join(product).decode() == wanted


def test_parts_and_repairs_are_found_in_large_files(opened: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Parts and repairs are found after the first megabytes; with very many repairs, the search ends and says so."""
    german = PROSE["de"].encode()
    large = german * ((LARGEST_IN_PARTS - (1 << 20)) // 4 // len(german))
    assert (
        opened(large + PROSE["ru"].encode("cp1251", "ignore")).ask("facts", encoding="cp1251")["parts"] == 2
    )
    double = "Grüße aus Köln und schöne Straßen\n".encode().decode("cp1252").encode()
    found = opened(large + double).ask("facts", encoding="utf-8")
    assert found["repair"]["count"] == 1 and found["repair"]["parts"][0]["new"].startswith("Grüße")
    assert found["repair"]["parts"][0]["line"] == large.count(b"\n") + 1 and found["notes"] == []
    monkeypatch.setattr("charlens.inspector.repairs._PIECE", 8 << 10)
    beyond = opened(b"plain\n" * (LARGEST_IN_PARTS // 6 + 1)).ask("facts", encoding="ascii")
    assert "up to" in beyond["notes"][0] and beyond["parts"] == 1
    many = opened(double * 3000).ask("facts", encoding="utf-8")["repair"]
    assert many["more"] and 1000 <= many["count"] < 3000 and len(many["parts"]) == 60


def test_parts_are_joined_by_their_own_encodings(opened: Any) -> None:
    """Each part of a mixed file is read as chosen, and all of it is written as one text."""
    texts = [PROSE["de"], PROSE["fr"], PROSE["de"]]
    data = texts[0].encode() + texts[1].encode("cp1252", "ignore") + texts[2].encode()
    one = opened(data)
    assert one.ask("facts", encoding="cp1252")["encodings"] == ["cp1252", "utf-8"]
    parts = one.ask("parts")["parts"]
    chosen = [[part["start"], part["encoding"]] for part in parts]
    _, pieces = one.inspector.product({"id": one.id, "parts": chosen})
    middle = texts[1].encode("cp1252", "ignore").decode("cp1252")
    assert b"".join(pieces).decode() == texts[0] + middle + texts[2]
    assert one.text(parts=chosen) == texts[0] + middle + texts[2]
    rows = one.ask("rows", parts=chosen, start=0, count=100)["rows"]
    assert (
        one.ask("rows", parts=chosen, start=rows[30]["start"], count=20, before=True)["rows"] == rows[10:30]
    )
    chosen[1][1] = "utf-8"
    assert "is not in utf-8" in one.ask("convert", parts=chosen)["error"]
    assert "no part begins at byte 5" in one.ask("convert", parts=[[5, "utf-8"]])["error"]


def test_repairing_has_a_preview(opened: Any) -> None:
    """Text that was decoded wrongly before is shown as it was and as it should be, and the product is repaired."""
    one = opened("Grüße aus Köln und schöne Straßen\n".encode().decode("cp1252").encode())
    answer = one.ask("facts", encoding="utf-8")["repair"]
    assert answer["parts"][0]["new"].startswith("Grüße") and answer["chain"] == ("cp1252",)
    assert answer["count"] == 1 and not answer["more"]
    _, pieces = one.inspector.product({"id": one.id, "encoding": "utf-8", "target": "utf-8", "repair": True})
    assert b"".join(pieces).decode().startswith("Grüße aus Köln")


def test_saving_keeps_the_old_file(opened: Any, tmp_path: Path) -> None:
    """Saving writes beside the file, never over anything; replacing keeps a backup; the page then sees the new file."""
    one = opened(RUSSIAN)
    assert one.ask("save", encoding="koi8-r")["saved"].endswith("a.utf-8.txt")
    assert (tmp_path / "a.utf-8.txt").read_bytes() == RUSSIAN.decode("koi8-r").encode()
    assert "already exists" in one.ask("save", encoding="koi8-r")["error"]
    assert one.ask("save", encoding="koi8-r", where="replace")["backup"]
    assert (tmp_path / "a.txt.bak").read_bytes() == RUSSIAN
    assert one.ask("look")["encoding"] == "utf-8"


def test_copies_are_not_saved_over_and_go(tmp_path: Path) -> None:
    """What was dropped is a copy: it can be downloaded, not saved, and it is deleted when the page is left."""
    inspector = Inspector()
    key = inspector.copy('../<x>"/a.JSON', iter([b"caf", b"\xe9"]))["id"]
    assert "download" in inspector.answer({"ask": "save", "id": key})["error"]
    (folder,) = Path(inspector._copies or "").iterdir()
    assert [path.name for path in folder.iterdir()] == ["content.JSON"]
    inspector.close()
    assert not folder.exists()


def test_copies_go_with_the_inspector(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder is created with the first dropped file, and removed even if the inspector is not closed."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    inspector = Inspector()
    inspector.close()
    assert list(tmp_path.iterdir()) == []
    inspector.copy("a.txt", iter([b"text"]))
    assert len(list(tmp_path.iterdir())) == 1
    del inspector
    gc.collect()
    assert list(tmp_path.iterdir()) == []


def test_only_the_given_path_is_opened(tmp_path: Path) -> None:
    """A page started for a folder opens only files in it, not paths or links that lead out."""
    inside = tmp_path / "in"
    inside.mkdir()
    (inside / "a.txt").write_bytes(b"a")
    (tmp_path / "in-secret.txt").write_bytes(b"s")
    (inside / "link").symlink_to(tmp_path / "in-secret.txt")
    inspector = Inspector(str(inside))
    assert "id" in inspector.answer({"ask": "open", "path": "a.txt"})
    for path in ("../in-secret.txt", str(tmp_path / "in-secret.txt"), "link", "/etc/passwd"):
        assert "outside" in inspector.answer({"ask": "open", "path": path})["error"], path
    assert "outside" in Inspector().answer({"ask": "open", "path": "/etc/passwd"})["error"]
    assert "No such file" in inspector.answer({"ask": "open", "path": "gone.txt"})["error"]


@pytest.mark.parametrize(
    "question",
    [
        {},
        {"ask": "look"},
        {"ask": "look", "id": "9"},
        {"ask": "rows", "id": "1", "start": "x"},
        {"ask": "folder"},
        {"ask": "rows", "id": "1", "encoding": "utf-9"},
        {"ask": "compare", "id": "1"},
        {"ask": "facts", "id": "1"},
        {"ask": "convert", "id": "1", "newline": "x"},
        {"ask": "compare", "id": "1", "encodings": [5]},
    ],
    ids=str,
)
def test_bad_questions_have_answers_in_words(tmp_path: Path, question: dict[str, Any]) -> None:
    """A question that makes no sense gets words, not a traceback."""
    (tmp_path / "a").write_bytes(b"a")
    inspector = Inspector(str(tmp_path / "a"))
    inspector.answer({"ask": "open", "path": ""})
    assert inspector.answer(question)["error"]


def test_empty_and_binary_files_are_answered(opened: Any) -> None:
    """Nothing and noise are files as well."""
    for data, outcome in ((b"", "empty"), (bytes(range(256)), "binary")):
        one = opened(data)
        look = one.ask("look")
        assert look["outcome"] == outcome
        for question in ("strip", "why", "rows"):
            assert "error" not in one.ask(question, cells=9, count=9, form="hex")


def test_a_folder_is_a_table(tmp_path: Path) -> None:
    """Every file has a row with its encoding, its problems and the line that matters."""
    (tmp_path / "page.html").write_bytes(b'<meta charset="utf-8">\n' + PROSE["cs"].encode("cp1250", "ignore"))
    (tmp_path / "old.txt").write_bytes(
        b"plain\n" + "Grüße, schöne Straßen\n".encode().decode("cp1252").encode()
    )
    (tmp_path / "mixed.txt").write_bytes(PROSE["de"].encode() + PROSE["fr"].encode("cp1252", "ignore"))
    (tmp_path / "x.bin").write_bytes(bytes(256))
    inspector = Inspector(str(tmp_path))
    rows: list[Any] = []
    done = False
    while not done:
        answer = inspector.answer({"ask": "folder", "start": len(rows)})
        rows += answer["rows"]
        done = answer["done"]
    table = {row[0]: row for row in rows}
    assert {name: [problem[0] for problem in row[8]] for name, row in table.items()} == {
        "page.html": ["declaration"],
        "old.txt": ["mojibake"],
        "mixed.txt": ["mixed"],
        "x.bin": [],
    }
    assert table["mixed.txt"][9] == next(line for line in PROSE["de"].splitlines() if not line.isascii())
    assert table["old.txt"][9].startswith("GrÃ¼ÃŸe") and table["page.html"][2] == "cp1250"


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="names are text there")
def test_names_that_are_no_text_can_be_opened(tmp_path: Path) -> None:
    """A name that is not UTF-8 is shown with escapes, and the file opens anyway."""
    with open(os.path.join(os.fsencode(tmp_path), b"caf\xe9.txt"), "wb") as file:
        file.write(RUSSIAN)
    inspector = Inspector(str(tmp_path))
    while not (rows := inspector.answer({"ask": "folder", "start": 0})["rows"]):
        pass
    assert rows[0][0] == "caf\\xe9.txt"
    key = inspector.answer({"ask": "open", "path": rows[0][0]})["id"]
    assert inspector.answer({"ask": "look", "id": key})["encoding"] == "koi8-r"


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    (tmp_path / "a.txt").write_bytes(RUSSIAN)
    inspector = Inspector(str(tmp_path / "a.txt"))
    with Server(inspector) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()
    inspector.close()


def fetch(
    server: Server, path: str, method: str = "GET", body: bytes = b"", **headers: str
) -> tuple[int, bytes, Any]:
    """Send a request as the page does, but for *headers*; None leaves a header out."""
    host = f"127.0.0.1:{server.server_port}"
    sent: dict[str, str] = {"Host": host, "Origin": f"http://{host}", "Content-Type": "application/json"}
    sent |= {name.replace("_", "-"): value for name, value in headers.items()}
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=10)
    connection.request(method, path, body or None, {name: value for name, value in sent.items() if value})
    answer = connection.getresponse()
    return answer.status, answer.read(), answer.headers


def ask(server: Server, **question: Any) -> Any:
    status, body, _ = fetch(server, f"/{server.token}/ask", "POST", json.dumps(question).encode())
    assert status == 200
    return json.loads(body)


def test_the_server_answers_its_own_page(server: Server) -> None:
    """The page and its modules are served, with a strict policy, and questions are answered."""
    status, body, headers = fetch(server, f"/{server.token}/", Origin="")
    assert status == 200 and b"local.js" in body and headers["Referrer-Policy"] == "no-referrer"
    policy = headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy and "unsafe" not in policy and "http" not in policy
    assert all(
        fetch(server, f"/{server.token}/{name}", Origin="")[0] == 200 for name in [*MODULES, "style.css"]
    )
    assert server.server_address[0] == "127.0.0.1"
    key = ask(server, ask="open", path="")["id"]
    assert ask(server, ask="look", id=key)["encoding"] == "koi8-r"
    question = json.dumps({"id": key, "encoding": "koi8-r"}).encode()
    _, product, _ = fetch(server, f"/{server.token}/download", "POST", question)
    assert product == RUSSIAN.decode("koi8-r").encode()


@pytest.mark.parametrize(
    ("status", "path", "headers"),
    [
        (404, "/", {}),
        (404, "/wrong-token/", {}),
        (404, "/wrong-token/ask", {}),
        (403, "/{token}/ask", {"Host": "evil.example:{port}"}),
        (403, "/{token}/ask", {"Host": "127.0.0.1"}),
        (403, "/{token}/ask", {"Origin": "http://evil.example"}),
        (403, "/{token}/ask", {"Origin": "null"}),
        (403, "/{token}/ask", {"Origin": ""}),
        (415, "/{token}/ask", {"Content-Type": "text/plain"}),
        (411, "/{token}/ask", {"Content-Length": "-5"}),
        (404, "/{token}/../answers.py", {}),
        (404, "/{token}/nothing", {}),
    ],
)
def test_requests_from_elsewhere_are_refused(
    server: Server, status: int, path: str, headers: dict[str, str]
) -> None:
    """A wrong token, another Host or Origin, another type and another path are refused, whatever is asked."""
    place = path.format(token=server.token)
    sent = {name: value.format(port=server.server_port) for name, value in headers.items()}
    assert fetch(server, place, "POST", b'{"ask": "about"}', **sent)[0] == status


@pytest.mark.parametrize("question", [b"", b"5", b"[" * 9000, b'{"ask": ', b"\xff"])
def test_a_question_that_is_not_json_is_refused(server: Server, question: bytes) -> None:
    """Also if it is nested more deeply than Python reads."""
    kind = {"Content-Type": "application/json"}
    assert fetch(server, f"/{server.token}/ask", "POST", question, **kind)[0] == 400


@pytest.mark.parametrize("host", ["evil.example:{port}", "127.0.0.1:1", "localhost.evil.example:{port}", ""])
def test_the_page_is_not_served_under_another_name(server: Server, host: str) -> None:
    """A request with a foreign host name gets neither the page nor its modules."""
    for name in ("", "app.js"):
        status, body, _ = fetch(server, f"/{server.token}/{name}", Host=host.format(port=server.server_port))
        assert (status, b"script" in body) == (403, False) or host == ""


def test_every_answer_has_the_policy(server: Server) -> None:
    """Pages, answers, downloads and refusals all carry the headers that keep other pages and other scripts out."""
    key = ask(server, ask="open", path="")["id"]
    question = json.dumps({"ask": "look", "id": key, "encoding": "koi8-r"}).encode()
    place = f"/{server.token}/"
    for path, method, body in (
        (place, "GET", b""),
        (place + "ask", "POST", question),
        (place + "download", "POST", question),
        (place + "nothing", "GET", b""),
        ("/wrong/", "GET", b""),
    ):
        _, _, headers = fetch(server, path, method, body)
        policy = headers["Content-Security-Policy"]
        assert (
            policy.startswith("default-src 'none'; script-src 'self'; ")
            and "frame-ancestors 'none'" in policy
        )
        assert headers["X-Content-Type-Options"] == "nosniff" and headers["Cache-Control"] == "no-store"
        assert headers["Cross-Origin-Resource-Policy"] == "same-origin", path
        assert "Access-Control-Allow-Origin" not in headers
    for method in ("DELETE", "OPTIONS", "PATCH", "HEAD"):
        assert fetch(server, place, method)[0] == 501, method


def test_every_server_has_its_own_token(tmp_path: Path) -> None:
    """Tokens are long and never the same."""
    tokens = set()
    for _ in range(3):
        with Server(Inspector()) as server:
            tokens.add(server.token)
    assert len(tokens) == 3 and all(len(token) >= 32 for token in tokens)


def test_other_files_are_not_served(server: Server) -> None:
    """Only the files of the front end are there."""
    for name in ("../answers.py", "%2e%2e/answers.py", "answers.py", "", "../../py.typed"):
        status, body, _ = fetch(server, f"/{server.token}/{name}")
        assert (status, b"import" in body) in ((404, False), (200, False)), name
        assert status == 404 or name == ""


def test_what_is_dropped_is_taken_whole(server: Server) -> None:
    """A dropped file is looked at under the name that it had; the download carries that name safely."""
    name = '"><img src=x>.txt'
    status, body, _ = fetch(server, f"/{server.token}/content", "PUT", RUSSIAN, X_Name=quote(name))
    opened = json.loads(body)
    assert status == 200 and opened["name"] == name and opened["size"] == len(RUSSIAN)
    question = json.dumps({"id": opened["id"], "encoding": "koi8-r"}).encode()
    _, _, headers = fetch(server, f"/{server.token}/download", "POST", question)
    assert headers["Content-Disposition"] == "attachment; filename*=UTF-8''%22%3E%3Cimg%20src%3Dx%3E.txt"
    refused = json.dumps({"id": opened["id"], "encoding": "utf-8"}).encode()
    assert fetch(server, f"/{server.token}/download", "POST", refused)[0] == 409


def test_modules_can_be_put_into_one_script() -> None:
    """No two modules define the same name, because a saved page joins them; none inserts markup as HTML."""
    names: dict[str, str] = {}
    for module in MODULES:
        text = (PAGE / module).read_text(encoding="utf-8")
        for way in ("HTML", "eval(", "Function(", "document.write", "srcdoc", "javascript:"):
            assert way not in text, (module, way)
        declared = re.findall(
            r"^(?:export )?(?:async )?(?:function|const|let|class) (\w+)", text, re.MULTILINE
        )
        if module in ("worker.js", "try.js", "local.js"):
            continue
        for name in declared:
            assert names.setdefault(name, module) == module, name
    whole = bundle("saved.js")
    assert "import {" not in whole and "export " not in whole and "class App" in whole


def test_a_page_is_saved_in_one_file(tmp_path: Path) -> None:
    """The page has everything inside, hostile text as data; its policy lets it load nothing."""
    path = tmp_path / "a.txt"
    path.write_bytes("</script><script>alert(1)</script> Grüße\n".encode("cp1252"))
    code, _, err = run("inspect", path, "--save", tmp_path / "out.html")
    page = (tmp_path / "out.html").read_text(encoding="utf-8")
    assert code == 0 and err == "" and page.count("<script") == 2 == page.count("</script>")
    assert not re.search(r"<link|<img|<[^>]+src=|https?://(?!www\.w3\.org/2000/svg)", page)
    assert "default-src 'none'" in page


@pytest.mark.skipif(os.name == "nt", reason="pipes of Unix")
def test_wrong_use_of_the_command_is_explained(tmp_path: Path) -> None:
    """A missing path, a folder to be saved, and a file that cannot be read get a message."""
    assert "No such file" in run("inspect", tmp_path / "gone")[2]
    code, _, err = run("inspect", tmp_path, "--save", tmp_path / "x.html")
    assert code == 2 and "scan" in err
    os.mkfifo(tmp_path / "pipe")
    code, _, err = run("inspect", tmp_path / "pipe", "--save", tmp_path / "x.html")
    assert code == 1 and "named pipe" in err


@pytest.mark.skipif(os.name == "nt", reason="signals of Unix")
@pytest.mark.parametrize("number", [getattr(signal, name, 0) for name in ("SIGINT", "SIGTERM", "SIGHUP")])
def test_the_command_serves_until_it_is_ended(tmp_path: Path, number: signal.Signals) -> None:
    """The address answers; the first drop makes a folder for copies; Ctrl-C ends the command and deletes it."""
    copies = tmp_path / "copies"
    copies.mkdir()
    command = [sys.executable, "-m", "charlens", "inspect", str(tmp_path), "--no-browser"]
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "TMPDIR": str(copies)},
        # A shell starts its background jobs with Ctrl-C ignored, which a process inherits.
        preexec_fn=lambda: signal.signal(number, signal.SIG_DFL),
    ) as process:
        assert process.stdout is not None and process.stderr is not None
        address = process.stdout.readline().decode().strip()
        with urlopen(address, timeout=20) as answer:
            assert b"local.js" in answer.read()
        assert list(copies.iterdir()) == []
        host = address.rsplit("/", 2)[0]
        dropped = Request(address + "content", b"text", {"Origin": host, "X-Name": "a.txt"}, method="PUT")
        with urlopen(dropped, timeout=20) as answer:
            assert b'"id"' in answer.read()
        assert len(list(copies.iterdir())) == 1
        process.send_signal(number)
        try:
            assert process.wait(20) == 0 and b"Traceback" not in process.stderr.read()
        finally:
            process.kill()
    assert list(copies.iterdir()) == []


def test_a_page_is_saved_for_a_relative_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A path below the present folder names the same file as its absolute one."""
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "letter.txt").write_bytes(PROSE["ru"].encode("koi8-r", "ignore"))
    monkeypatch.chdir(tmp_path)
    assert save_page("old/letter.txt") == save_page(str(tmp_path / "old" / "letter.txt"))


WITHOUT_EXTRAS = """
import sys
for name in ("click", "rich", "pathspec", "numpy"):
    sys.modules[name] = None
from charlens.inspector.answers import Inspector
inspector = Inspector(sys.argv[1])
while not inspector.answer({"ask": "folder"})["done"]:
    pass
key = inspector.answer({"ask": "open", "path": "a.txt"})["id"]
for name in ("about", "look", "facts", "why", "strip", "rows", "parts", "convert", "closely", "line"):
    answer = inspector.answer({"ask": name, "id": key, "encoding": "koi8-r"})
    assert "error" not in answer, (name, answer)
"""


def test_the_answers_need_no_other_package(tmp_path: Path) -> None:
    """In the browser there is only the standard library, so the modules of the page import nothing else."""
    (tmp_path / "a.txt").write_bytes(RUSSIAN)
    subprocess.run([sys.executable, "-c", WITHOUT_EXTRAS, str(tmp_path)], check=True, timeout=60)
