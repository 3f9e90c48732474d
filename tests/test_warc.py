"""Crawl archives and tables in parts: every record once, however the archive is split and however a run ends."""

from __future__ import annotations

import gzip
import itertools
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from command import run, run_here
from prose_texts import PROSE, THIN

import charlens

pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed (extra: dev)")
pytest.importorskip("fastwarc", reason="fastwarc is not installed (extra: dev)")
import pyarrow.parquet as pq  # noqa: E402

from charlens.cli import parts as command  # noqa: E402
from charlens.evaluation.made_archive import make_pages, record, write_archive  # noqa: E402
from charlens.integrations import parts  # noqa: E402
from charlens.integrations.warc import Settings, Unit, decode_unit, read_pages, schema, split  # noqa: E402

PAGES = list(make_pages(PROSE, 60, seed=1))
RECORDS = [record(page.url, page.header, page.body) for page in PAGES]
MEMBERS = [gzip.compress(each, 1) for each in RECORDS]
STARTS = list(itertools.accumulate(map(len, MEMBERS), initial=0))


def write(folder: Path, content: bytes, name: str = "crawl.warc.gz") -> Path:
    path = folder / name
    path.write_bytes(content)
    return path


def read(path: Path, size: int = 1 << 30) -> list[Any]:
    return [page for unit in split(str(path), size) for page in read_pages(unit)]


def table_of(folder: Path) -> list[dict[str, Any]]:
    """All rows of an output, by URL and offset."""
    rows = [row for path in sorted(folder.glob("part-*.parquet")) for row in pq.read_table(path).to_pylist()]
    return sorted(rows, key=lambda row: (row["offset"], row["url"] or ""))


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("crawl"), b"".join(MEMBERS))


# ---- reading


def test_a_record_that_is_none_costs_one_row(tmp_path: Path) -> None:
    """A member that decompresses and does not open as a record was read again and again, forever."""
    spoiled = gzip.compress(RECORDS[0].replace(b"WARC/1", b"WARC/\xa7"), 1)
    pages = list(itertools.islice(read_pages(Unit(str(write(tmp_path, spoiled + MEMBERS[1])))), 9))
    assert [(page.url, bool(page.error)) for page in pages] == [(None, True), (PAGES[1].url, False)]


@pytest.mark.parametrize("length", [b"9" * 19, b"9" * 5000])
def test_a_length_that_no_file_has_costs_one_row(tmp_path: Path, length: bytes) -> None:
    """More bytes than one can seek to, or than Python makes a number of, are an error of the record."""
    head = b"WARC/1.0\r\nWARC-Type: response\r\nContent-Length: "
    path = write(tmp_path, head + length + b"\r\n\r\nx\r\n\r\n", "a.warc")
    assert {page.offset for page in read(path, 10)} <= {0}


@pytest.mark.parametrize("size", [100, 777, 5000, 40_000])
def test_every_record_is_in_one_unit(archive: Path, tmp_path: Path, size: int) -> None:
    """Whatever the size of a unit, each record is read once, in order; plain archives too."""
    bodies = [page.body for page in PAGES]
    pages = read(archive, size)
    assert [page.body for page in pages] == bodies
    assert [page.offset for page in pages] == STARTS[:-1]
    plain = write(tmp_path, b"".join(RECORDS), "crawl.warc")
    assert [page.body for page in read(plain, size)] == bodies


def test_an_archive_that_is_one_member_is_one_unit(tmp_path: Path) -> None:
    """A file that was zipped as a whole cannot be entered in the middle."""
    path = write(tmp_path, gzip.compress(b"".join(RECORDS)))
    assert split(str(path), 1000) == [Unit(str(path))]
    assert len(read(path, 1000)) == len(PAGES)


@pytest.mark.parametrize("where", [0, 0.5, -6, 12])
@pytest.mark.parametrize("which", [0, 7, 59])
@pytest.mark.parametrize("size", [1 << 30, 3000])
def test_a_spoiled_member_costs_one_record(tmp_path: Path, where: float, which: int, size: int) -> None:
    """Bits that flip anywhere in a member cost that record, which is named; all others are read."""
    members = list(MEMBERS)
    spoiled = bytearray(members[which])
    at = int(len(spoiled) * where) if where == 0.5 else int(where)
    spoiled[at] ^= 0xFF
    spoiled[at + 1] ^= 0xFF
    members[which] = bytes(spoiled)
    pages = read(write(tmp_path, b"".join(members)), size)
    good = [page.body for page in pages if page.error is None]
    assert good == [page.body for number, page in enumerate(PAGES) if number != which]
    (bad,) = (page for page in pages if page.error is not None)
    assert "damaged" in bad.error
    assert STARTS[max(which - 1, 0)] <= bad.offset <= STARTS[which]


@pytest.mark.parametrize("left", [10, 27, 300, -30])
@pytest.mark.parametrize("size", [1 << 30, 3000])
@pytest.mark.parametrize("zipped", [True, False])
def test_an_archive_that_is_cut_short_is_an_error(tmp_path: Path, left: int, size: int, zipped: bool) -> None:
    """An archive that ends inside a record says so, wherever that is."""
    pieces = MEMBERS if zipped else RECORDS
    last = pieces[-1][:left]
    path = write(tmp_path, b"".join(pieces[:-1]) + last, "crawl.warc.gz" if zipped else "crawl.warc")
    *pages, bad = read(path, size)
    assert [page.body for page in pages] == [page.body for page in PAGES[:-1]]
    assert "cut short" in bad.error


@pytest.mark.parametrize("zipped", [True, False])
def test_wherever_an_archive_is_cut_there_is_one_row_for_each_record(tmp_path: Path, zipped: bool) -> None:
    """The record that is cut short has one row, with the error; no record has two."""
    records = [member if zipped else gzip.decompress(member) for member in MEMBERS[:3]]
    before = len(records[0] + records[1])
    whole = len(records[2]) - (0 if zipped else 4)  # the empty lines after a record may be missing
    steps = {*range(1, whole, max(1, whole // 40)), *range(1, 8), *range(88, 100), *range(262, 280)}
    for left in sorted(steps):
        pages = list(read_pages(Unit(str(write(tmp_path, b"".join(records)[: before + left])))))
        assert [page.offset for page in pages] == [0, len(records[0]), before], left
        assert [bool(page.error) for page in pages] == [False, False, True], left


@pytest.mark.parametrize("content", [b"PAR1 and more", b"", b"plain text\n" * 50])
def test_a_file_without_records_is_an_error(tmp_path: Path, content: bytes) -> None:
    """What is not an archive has one row that says so; the exit code is 1."""
    (tmp_path / "p.parquet").write_bytes(content)
    code, printed, _ = run("warc", tmp_path / "p.parquet", "--output", tmp_path / "out")
    assert code == 1 and "1 error; see " in printed
    (line,) = (tmp_path / "out" / "_errors.jsonl").read_text().splitlines()
    assert "not a WARC archive" in json.loads(line)["error"]


def test_a_record_over_a_limit_is_named(archive: Path) -> None:
    """A record that is too large is left out with its URL and its size; the others are read."""
    limit = sorted(len(page.body) for page in PAGES)[-2]
    pages = list(read_pages(Unit(str(archive)), limit))
    (big,) = (page for page in pages if page.error is not None)
    assert big.url == max(PAGES, key=lambda page: len(page.body)).url
    assert f"over the limit of {limit:,}" in big.error
    assert len(pages) == len(PAGES)


@pytest.mark.slow
def test_a_record_of_two_gigabytes_is_named(tmp_path: Path) -> None:
    """A record of 2 GB is left out without being held in memory."""
    head = record("http://big.example/", "text/html", b"x").replace(b"\r\n\r\nx\r\n\r\n", b"\r\n\r\n")
    http = head.partition(b"\r\n\r\n")[2]
    length = len(http) + (2 << 30)
    head = head.replace(f"Content-Length: {len(http) + 1}".encode(), f"Content-Length: {length}".encode())
    path = tmp_path / "big.warc"
    with open(path, "wb") as file:  # a file with a hole of 2 GB
        file.write(head)
        file.seek((2 << 30) - 4, os.SEEK_CUR)
        file.write(b"last\r\n\r\n" + RECORDS[0])
    big, small = read(path)
    assert big.url == "http://big.example/"
    assert "2,147,483,648 bytes, over the limit" in big.error
    assert small.body == PAGES[0].body


def test_payloads_that_were_sent_compressed(tmp_path: Path) -> None:
    """gzip and chunks are undone; if the crawler has already done so and kept the header, the body is not changed."""
    body = b"<p>hello"
    chunks = b"3\r\n<p>\r\n5\r\nhello\r\n0\r\n\r\n"
    cases = [
        ("text/html\r\nContent-Encoding: gzip", gzip.compress(body)),
        ("text/html\r\nContent-Encoding: gzip", body),
        ("text/html\r\nTransfer-Encoding: chunked", chunks),
        ("text/html\r\nTransfer-Encoding: chunked", body),
    ]
    content = b"".join(gzip.compress(record("http://x.example/", *case)) for case in cases)
    assert [page.body for page in read(write(tmp_path, content))] == [body] * 4


def test_a_page_that_unpacks_to_more_than_the_limit_is_named(tmp_path: Path) -> None:
    """A decompression bomb is left out, like a record that is too large; its beginning is not taken for the page."""
    kind = "text/html\r\nContent-Encoding: gzip"
    bodies = [gzip.compress(b"x" * size) for size in (10_000, 10_001)]
    content = b"".join(record("http://x.example/", kind, body) for body in bodies)
    small, large = read_pages(Unit(str(write(tmp_path, content, "crawl.warc"))), 10_000)
    assert (len(small.body), small.error) == (10_000, None)
    assert not large.body and "has more than 10,000 bytes, over the limit of 10,000." in large.error


def test_pictures_are_left_out(tmp_path: Path) -> None:
    """Only HTML, XML, plain text, and what says nothing of itself."""
    kinds = (
        "text/html",
        "image/png",
        "text/plain; charset=utf-8",
        "application/pdf",
        "application/xhtml+xml",
    )
    content = b"".join(gzip.compress(record(f"http://{kind[:6]}", kind, b"x")) for kind in kinds)
    assert [page.content_type for page in read(write(tmp_path, content))] == [kinds[0], kinds[2], kinds[4]]


def test_rows_have_what_was_declared_and_what_was_found(archive: Path) -> None:
    """The rows are the verdicts of `detect`; nearly all texts are right, whatever the server says."""
    rows = [row for batch in decode_unit(Unit(str(archive))) for row in batch.to_pylist()]
    for row, page in zip(rows, PAGES, strict=True):
        verdict = charlens.detect(page.body, content_type=page.header)
        assert row["encoding"] == verdict.encoding
        assert row["language"] == verdict.language
        assert row["http_charset"] == (page.header.partition("charset=")[2] or None)
        assert row["text"] == charlens.decode(page.body, content_type=page.header)
        if page.declared == "right":
            assert not row["conflict"]
    assert sum(row["text"] == page.text for row, page in zip(rows, PAGES, strict=True)) >= 57
    assert any(row["conflict"] for row in rows)


def test_text_is_left_out_on_request(archive: Path) -> None:
    """Without text, or below a confidence, the column is null."""
    (batch,) = decode_unit(Unit(str(archive)), Settings(text=False))
    assert batch["text"].null_count == len(PAGES)
    (batch,) = decode_unit(Unit(str(archive)), Settings(min_confidence=0.999))
    for row in batch.to_pylist():
        assert (row["text"] is None) == (row["confidence"] < 0.999)


# ---- the commands


def test_the_command_writes_parts_and_continues(archive: Path, tmp_path: Path) -> None:
    """Parts, errors and _SUCCESS; a part that is missing is made again, and only that one."""
    out = tmp_path / "out"
    code, printed, _ = run(
        "warc", archive, "--output", out, "--unit", "20000", "--report", tmp_path / "r.html"
    )
    assert code == 0
    assert "60 pages" in printed and "0 errors" in printed
    assert "<svg" in (tmp_path / "r.html").read_text()
    made = sorted(out.glob("part-*.parquet"))
    assert json.loads((out / "_SUCCESS").read_text()) == {"parts": len(made), "rows": 60, "errors": 0}
    files = json.loads((out / "_manifest.json").read_text())["files"]
    assert list(files) == [path.name for path in made]
    assert [files[path.name]["rows"] for path in made] == [pq.read_metadata(path).num_rows for path in made]
    assert {(file["input"], file["errors"]) for file in files.values()} == {(str(archive), 0)}
    assert [row["url"] for row in table_of(out)] == [page.url for page in PAGES]
    before = {path: path.stat().st_mtime_ns for path in made}
    made[1].unlink()
    code, printed, _ = run("warc", archive, "--output", out, "--unit", "20000")
    assert code == 0
    assert f"{len(made) - 1} already done" in printed
    changed = [path for path in made if path.stat().st_mtime_ns != before[path]]
    assert changed == [made[1]]


def test_archives_of_a_store_are_read_like_those_of_the_machine(archive: Path, tmp_path: Path) -> None:
    """A location with a scheme goes through Arrow's file systems, patterns and units too."""
    assert run("warc", archive, "-o", tmp_path / "here", "--unit", "20000", "-q")[0] == 0
    folder = archive.parent.as_uri()
    for location in (f"{folder}/{archive.name}", f"{folder}/*.warc.gz"):
        out = tmp_path / str(len(location))
        assert run("warc", location, "-o", out, "--unit", "20000", "-q")[0] == 0
        assert table_of(out) == table_of(tmp_path / "here")
    for location, words in (
        (f"{folder}/none.gz", "no such file, and no file matches"),
        (f"{folder}/no*.gz", "no such file, and no file matches"),
        ("nowhere://bucket/crawl.warc.gz", "nowhere"),
    ):
        code, _, complaints = run("warc", location, "-o", tmp_path / "out")
        assert code == 2 and words in complaints, complaints


def test_a_table_in_a_store_is_that_of_the_machine(
    archive: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An output with a scheme is written through Arrow; a second run finds the parts, and a failure leaves nothing."""
    from pyarrow.fs import LocalFileSystem, SubTreeFileSystem

    from charlens.integrations import locations

    system = SubTreeFileSystem(str(tmp_path), LocalFileSystem())
    opened = locations._open_store
    monkeypatch.setattr(
        locations,
        "_open_store",
        lambda place: (system, place[8:]) if place.startswith("store://") else opened(place),
    )
    assert run("warc", archive, "-o", tmp_path / "here", "--unit", "20000", "-q")[0] == 0
    for before in (0, len(list((tmp_path / "here").glob("part-*")))):
        code, printed, _ = run_here("warc", archive, "-o", "store://there", "--unit", "20000")
        assert code == 0 and f"({before} already done)" in printed
    assert table_of(tmp_path / "there") == table_of(tmp_path / "here")
    assert {path.name for path in (tmp_path / "there").iterdir()} == {
        path.name for path in (tmp_path / "here").iterdir()
    }
    with pytest.raises(ValueError), locations.Folder("store://there").new_file("part-x") as stream:
        stream.write(b"half")
        raise ValueError
    assert not list((tmp_path / "there").glob("part-x*"))
    assert run("warc", archive, "-o", (tmp_path / "file").as_uri(), "--unit", "20000", "-q")[0] == 0
    assert table_of(tmp_path / "file") == table_of(tmp_path / "here")


def test_parquet_is_not_read_through_files_of_python(tmp_path: Path) -> None:
    """Threads of Arrow that hold one can abort the process at its end: seen in one of several hundred runs."""
    from charlens.integrations.locations import Folder, open_for_arrow

    path = write(tmp_path, b"PAR1", "a.parquet")
    store = Folder(str(tmp_path))
    for file in (open_for_arrow(str(path)), open_for_arrow(path.as_uri()), store.open(path.name)):
        assert isinstance(file, pa.NativeFile) and not isinstance(file, pa.PythonFile)
        assert file.read() == b"PAR1"


def test_errors_are_listed(tmp_path: Path) -> None:
    """What could not be read is in _errors.jsonl, the exit code is 1, and the run is complete."""
    path = write(tmp_path, b"".join(MEMBERS)[:-300])
    code, printed, _ = run("warc", path, "--output", tmp_path / "out")
    assert code == 1 and "60 pages" in printed and "1 error; see " in printed
    assert json.loads((tmp_path / "out" / "_SUCCESS").read_text()) == {"parts": 1, "rows": 60, "errors": 1}
    (line,) = (tmp_path / "out" / "_errors.jsonl").read_text().splitlines()
    assert json.loads(line)["url"] == PAGES[-1].url
    assert "cut short" in json.loads(line)["error"]


def test_mistakes_have_words(archive: Path, tmp_path: Path) -> None:
    """A pattern without files, a folder, an output that is a file, has other settings or other files."""
    taken = tmp_path / "file"
    taken.write_bytes(b"")
    other = tmp_path / "other"
    other.mkdir()
    (other / "letter.txt").write_text("dear")
    done = tmp_path / "done"
    assert run("warc", archive, "--output", done, "-q")[0] == 0
    for arguments, words in (
        ((tmp_path / "no*.gz", "-o", tmp_path / "x"), "no file matches it"),
        ((archive.parent, "-o", tmp_path / "x"), "is a folder"),
        ((archive, "-o", taken), "is a file. Name a folder"),
        ((archive, "-o", other), "other files in it, such as letter.txt"),
        ((archive, "-o", done, "--no-text"), "other settings or another model"),
        ((archive,), "Missing option '--output'"),
    ):
        code, _, complaints = run("warc", *arguments)
        assert code == 2 and words in complaints, complaints


def test_no_permission_has_words(archive: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An output that may not be written to; the superuser of a test machine may write everywhere."""

    def refuse(path: str, *arguments: object, **keywords: object) -> None:
        raise PermissionError(13, "Permission denied", path)

    monkeypatch.setattr(os, "makedirs", refuse)
    code, _, complaints = run_here("warc", archive, "-o", tmp_path / "out")
    assert code == 2 and "No permission to write to the output folder" in complaints


def test_a_table_of_parquet(tmp_path: Path) -> None:
    """`charlens batch` decodes a column, row group by row group, and keeps the id."""
    bodies = [page.body for page in PAGES]
    bodies[3] = None
    table = pa.table(
        {"url": [page.url for page in PAGES], "body": bodies, "type": [page.header for page in PAGES]}
    )
    source = tmp_path / "in.parquet"
    pq.write_table(table, source, row_group_size=25)
    out = tmp_path / "out"
    arguments = ("batch", source, "--column", "body", "--content-type", "type", "--id", "url", "-o", out)
    code, printed, _ = run(*arguments)
    assert code == 0 and "3 parts" in printed
    rows = [row for path in sorted(out.glob("part-*")) for row in pq.read_table(path).to_pylist()]
    assert [row["id"] for row in rows] == table["url"].to_pylist()
    for number, (row, page) in enumerate(zip(rows, PAGES, strict=True)):
        wanted = None if number == 3 else charlens.detect(page.body, content_type=page.header).encoding
        assert row["encoding"] == wanted
    assert run(*arguments)[1].endswith("3 parts (3 already done); 0 errors\n")
    code, _, complaints = run("batch", source, "--column", "boddy", "-o", tmp_path / "x")
    assert code == 2 and "has no column 'boddy'; it has url, body, type" in complaints
    code, _, complaints = run("batch", write(tmp_path, b"no table"), "--column", "body", "-o", tmp_path / "x")
    assert code == 2 and "not a Parquet file" in complaints


@pytest.mark.parametrize("kind", [pa.binary(), pa.large_binary(), pa.binary(100)])
def test_the_summary_of_a_table(tmp_path: Path, kind: Any) -> None:
    """Rows are counted as rows, with their bytes, and a doubtful one has the name of its id."""
    rows = [b"plain words " * 8 + b"1234"] * 4 + [b"/\xe8\xfd" + b"\xa4" * 97]
    source = tmp_path / "in.parquet"
    pq.write_table(pa.table({"url": [f"u{n}" for n in range(5)], "body": pa.array(rows, kind)}), source)
    code, printed, _ = run("batch", source, "--column", "body", "--id", "url", "-o", tmp_path / "out")
    lines = printed.splitlines()
    assert code == 0 and lines[0].startswith("5 rows, 500 bytes, ") and "rows/s" in lines[0]
    assert "1 doubtful row (" in printed and "   u4  " in printed
    assert "page" not in printed and "file" not in printed
    (part,) = (tmp_path / "out").glob("part-*")
    assert pq.read_table(part)["size"].to_pylist() == [100] * 5


def test_an_empty_body_is_empty_text_in_both_tables(tmp_path: Path) -> None:
    """Nothing is decoded to nothing, is counted as empty, and is not doubtful."""
    source = tmp_path / "in.parquet"
    pq.write_table(pa.table({"body": [b"", b"abc", None]}), source)
    code, printed, _ = run("batch", source, "--column", "body", "-o", tmp_path / "rows")
    assert code == 0 and "2 rows, 3 bytes" in printed and "doubtful" not in printed
    (part,) = (tmp_path / "rows").glob("part-*")
    table = pq.read_table(part)
    assert (table["text"].to_pylist(), table["size"].to_pylist()) == (["", "abc", None], [0, 3, None])
    path = write(tmp_path, record("http://empty.example/", "text/html", b""))
    code, printed, _ = run("warc", path, "-o", tmp_path / "pages")
    assert code == 0 and "1 page, 0 bytes" in printed and "empty" in printed and "doubtful" not in printed
    assert [(row["text"], row["size"]) for row in table_of(tmp_path / "pages")] == [("", 0)]


# ---- processes that end


def deadly(job: parts.Job, part: parts.Part) -> Iterator[Any]:
    """Rows for a part; one of them kills the process, as the kernel does when memory runs out."""
    if part.start == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    if part.start == 2:
        raise ValueError("this one cannot be done")
    yield pa.RecordBatch.from_pylist([{"offset": part.start}], schema=schema())


@pytest.mark.skipif(sys.platform != "linux", reason="workers are forked on Linux")
def test_a_part_that_kills_its_process_twice_is_left_out(tmp_path: Path, capfd: Any) -> None:
    """The others are done, it is named in _errors.jsonl, and there is no _SUCCESS."""
    out = tmp_path / "out"
    ending = parts.stamp("test")
    parts.prepare(str(out), ending)
    work = [parts.part_of(__file__, number, ending, number, -1) for number in range(5)]
    with pytest.raises(SystemExit) as ended:
        command.run(parts.Job(deadly, None, schema(), ending, work), str(out), {"jobs": 2, "quiet": True})
    assert ended.value.code == 1
    assert sorted(row["offset"] for row in table_of(out)) == [0, 3, 4]
    troubles = [json.loads(line) for line in (out / "_errors.jsonl").read_text().splitlines()]
    assert [trouble["part"] for trouble in troubles] == [work[1].name, work[2].name]
    assert "crashed twice" in troubles[0]["error"] and "cannot be done" in troubles[1]["error"]
    assert not (out / "_SUCCESS").exists()


def wait_for(ready: Callable[[], bool], seconds: float) -> None:
    end = time.monotonic() + seconds
    while not ready() and time.monotonic() < end:
        time.sleep(0.005)


@pytest.mark.slow
def test_twenty_random_kills_change_nothing(tmp_path: Path) -> None:
    """The command is killed twenty times, at random moments; the table at the end is that of an undisturbed run."""
    chance = random.Random(17)
    path = tmp_path / "crawl.warc.gz"
    write_archive(path, make_pages(PROSE, 3000 // THIN, seed=2))
    unit = str(path.stat().st_size // 150)
    undisturbed, killed = tmp_path / "undisturbed", tmp_path / "killed"
    assert run("warc", path, "--output", undisturbed, "--unit", unit, "-q")[0] == 0
    command = [sys.executable, "-m", "charlens", "warc", str(path), "-o", str(killed), "--unit", unit, "-q"]
    for _ in range(20):
        before = len(list(killed.glob("part-*.parquet")))
        process = subprocess.Popen(command)
        wait_for(lambda: len(list(killed.glob("part-*.parquet"))) > before or process.poll() is not None, 20)  # noqa: B023
        time.sleep(chance.random() * 0.01)
        process.kill()
        process.wait()
    parts_left = len(list(undisturbed.glob("part-*"))) - len(list(killed.glob("part-*.parquet")))
    assert run("warc", path, "--output", killed, "--unit", unit, "-q")[0] == 0
    assert table_of(killed) == table_of(undisturbed)
    assert parts_left > 0, "every part was done before the last kill: nothing was disturbed"
    assert not list(killed.glob("*charlens~"))


def test_the_names_of_parts_do_not_depend_on_where_the_model_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A job can go on in another folder, or on another machine, with the same model."""
    import charlens.models
    from charlens.integrations.warc import Settings, archive_job

    models = Path(charlens.models.__file__).parent
    monkeypatch.chdir(models)
    archive = tmp_path / "a.warc"
    archive.write_bytes(b"")
    spelt = (None, str(models / charlens.models.DEFAULT), charlens.models.DEFAULT, f"./{charlens.models.DEFAULT}")
    assert len({archive_job([str(archive)], Settings(model=model)).ending for model in spelt}) == 1


def test_the_place_of_the_errors_has_the_settings_of_the_store_at_its_end() -> None:
    """What follows the question mark belongs to the store, not to the folder."""
    from charlens.cli.parts import errors_in

    assert errors_in("s3://b/p/?region=x", 2) == "2 errors; see s3://b/p/_errors.jsonl?region=x"
    assert errors_in("pages?", 1) == "1 error; see pages?/_errors.jsonl"
    assert errors_in("pages", 0) == "0 errors"
