"""Spark: a real cluster of a master and two workers answers as one call does, also when an executor is killed.

They run in a separate environment (`make cluster`): pyspark takes an older pandas than the other tests have.
"""

from __future__ import annotations

import gzip
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from prose_texts import PROSE

import charlens
from charlens.evaluation.made_archive import make_pages, record, write_archive

pytest.importorskip("pyspark", reason="pyspark is not installed (extra: spark); `make cluster` runs this")
import pyarrow as pa
import pyarrow.parquet as pq
import pyspark
from pyspark.sql import SparkSession

from charlens.integrations import spark as with_spark
from charlens.integrations.parquet import Columns, table_job
from charlens.integrations.parts import Job, Part, part_of, stamp
from charlens.integrations.warc import Settings, Unit, decode_unit, schema

HAS_JAVA = bool(os.environ.get("JAVA_HOME") or shutil.which("java"))
pytestmark = [pytest.mark.slow, pytest.mark.skipif(not HAS_JAVA, reason="there is no Java here")]

ROOT = Path(__file__).parent.parent
HOME = Path(pyspark.__file__).parent
PAGES = list(make_pages(PROSE, 240, seed=3))
#: Java compiles quickly rather than well, for these programs end soon.  zstd, because the library of Snappy takes a
#: machine with musl-tools for one without glibc, and fails.
JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Dspark.ui.enabled=false -Dspark.sql.parquet.compression.codec=zstd"
#: What processes of Spark need: this Python, and this charlens.
ENVIRONMENT = {
    **os.environ,
    "JAVA_TOOL_OPTIONS": JAVA,
    "SPARK_HOME": str(HOME),
    "SPARK_LOCAL_IP": "127.0.0.1",
    "PYSPARK_PYTHON": sys.executable,
    "PYSPARK_DRIVER_PYTHON": sys.executable,
    "PYTHONPATH": os.pathsep.join([str(Path(charlens.__file__).parent.parent), str(ROOT / "tests")]),
}


def start(*arguments: str, until: str) -> tuple[subprocess.Popen[str], str]:
    """Start a process of Spark, and wait for a line that matches."""
    command = [str(HOME / "bin" / "spark-class"), *arguments]
    process = subprocess.Popen(
        command,
        env=ENVIRONMENT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stderr is not None
    for line in process.stderr:
        found = re.search(until, line)
        if found:
            threading.Thread(
                target=process.stderr.read, daemon=True
            ).start()  # it must not block on a full pipe
            return process, found.group(1)
    raise AssertionError(f"{command} ended without {until!r}")


@pytest.fixture(scope="module")
def cluster() -> Iterator[str]:
    """A master and two workers, each with one processor."""
    processes = []
    try:
        deploy = "org.apache.spark.deploy"
        master, url = start(
            f"{deploy}.master.Master", "--host", "127.0.0.1", "--port", "0", "--webui-port", "0",
            until=r"Starting Spark master at (spark://\S+)",
        )  # fmt: skip
        processes.append(master)
        size = ("--cores", "1", "--memory", "1g", "--webui-port", "0")
        worker = (f"{deploy}.worker.Worker", "--host", "127.0.0.1", *size, url)
        with ThreadPoolExecutor(2) as pool:
            registered = [pool.submit(start, *worker, until=r"(Successfully registered)") for _ in range(2)]
            processes += [each.result()[0] for each in registered]
        yield url
    finally:
        for process in processes:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def session(master: str) -> SparkSession:
    needed = ("JAVA_TOOL_OPTIONS", "SPARK_LOCAL_IP", "PYSPARK_PYTHON", "PYTHONPATH")
    os.environ.update({key: ENVIRONMENT[key] for key in needed})
    builder: Any = SparkSession.builder
    settings = {
        "spark.executor.memory": "512m",
        "spark.driver.host": "127.0.0.1",
        "spark.executorEnv.PYTHONPATH": ENVIRONMENT["PYTHONPATH"],
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.execution.arrow.maxRecordsPerBatch": "50",
    }
    for key, value in settings.items():
        builder = builder.config(key, value)
    made: SparkSession = builder.master(master).appName("charlens tests").getOrCreate()
    made.sparkContext.setLogLevel("OFF")
    return made


@pytest.fixture(scope="module")
def spark(cluster: str) -> Iterator[SparkSession]:
    made = session(cluster)
    yield made
    made.stop()


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("crawl") / "crawl.warc.gz"
    write_archive(path, iter(PAGES))
    return path


def plain_rows(archive: Path) -> list[dict[str, Any]]:
    return [row for batch in decode_unit(Unit(str(archive))) for row in batch.to_pylist()]


def rows_of(frame: Any) -> list[dict[str, Any]]:
    return sorted((row.asDict(recursive=True) for row in frame.collect()), key=str)


def test_a_column_has_the_verdicts_of_detect(spark: SparkSession) -> None:
    """Row for row, with and without headers, nulls and binary data among them."""
    bodies: list[bytes | None] = [*(page.body for page in PAGES), None, b"\0\1", b""]
    headers = [*(page.header for page in PAGES), None, None, None]
    frame = spark.createDataFrame(
        [(number, None if body is None else bytearray(body), header)
         for number, (body, header) in enumerate(zip(bodies, headers, strict=True))],
        "number int, body binary, header string",
    ).repartition(4)  # fmt: skip
    found = with_spark.decode(frame, "body", "header").orderBy("number").collect()
    for row, body, header in zip(found, bodies, headers, strict=True):
        if body is None:
            assert row.outcome is None and row.text is None
            continue
        verdict = charlens.detect(body, content_type=header)
        assert (row.outcome, row.encoding, row.confidence, row.language, row.cut) == (
            verdict.outcome.value, verdict.encoding, verdict.confidence, verdict.language, verdict.cut,
        )  # fmt: skip
        if verdict.encoding:
            assert row.text == charlens.decode(body, content_type=header)
    with pytest.raises(ValueError, match="no column 'boddy'; the columns are number, body, header"):
        with_spark.decode(frame, "boddy")
    with pytest.raises(TypeError, match="'number' does not hold bytes; its type is int"):
        with_spark.decode(frame, "number")
    with pytest.raises(ValueError, match="Rename them"):
        with_spark.decode(frame.withColumnRenamed("header", "text"), "body")


def test_files_are_read_whatever_they_are_in(spark: SparkSession, tmp_path: Path) -> None:
    """`read_text` gives the text of each file; a pattern that matches nothing says so."""
    (tmp_path / "ru.csv").write_bytes("Город;Сумма\r\nТверь;12,5\r\nОрёл;7,25\r\n".encode("cp1251"))
    (tmp_path / "de.csv").write_bytes("Straße;Größe\r\nBäckergasse;7\r\n".encode())
    found = {
        Path(row.path).name: row for row in with_spark.read_text(spark, f"file://{tmp_path}/*.csv").collect()
    }
    assert found["ru.csv"].encoding == "cp1251" and "Тверь" in found["ru.csv"].text
    assert found["de.csv"].encoding == "utf-8" and "Größe" in found["de.csv"].text
    with pytest.raises(FileNotFoundError, match="no file matches it"):
        with_spark.read_text(spark, f"file://{tmp_path}/*.tsv")


def test_the_data_source_reads_archives_in_splits(spark: SparkSession, archive: Path) -> None:
    """`charlens-warc` gives the rows of one call, whatever the splits; SQL works on them."""
    with_spark.register(spark)
    size = archive.stat().st_size // 7
    frame = spark.read.format("charlens-warc").option("unit", size).load(str(archive))
    assert frame.rdd.getNumPartitions() == 8
    assert rows_of(frame) == sorted(plain_rows(archive), key=str)
    frame.createOrReplaceTempView("made")
    (row,) = spark.sql("SELECT count(*) AS pages FROM made WHERE encoding = 'koi8-r'").collect()
    assert row.pages == sum(row["encoding"] == "koi8-r" for row in plain_rows(archive))


def test_a_job_is_done_once(spark: SparkSession, archive: Path, tmp_path: Path) -> None:
    """Parts that exist are not made again, a missing one is; the table is that of `charlens warc`, errors and all."""
    bad = tmp_path / "bad.warc.gz"
    members = [gzip.compress(record(page.url, page.header, page.body)) for page in PAGES[:20]]
    spoiled = bytearray(members[7])
    spoiled[len(spoiled) // 2] ^= 0xFF
    bad.write_bytes(b"".join([*members[:7], bytes(spoiled), *members[8:]]))
    out, unit = tmp_path / "table", archive.stat().st_size // 6
    first = with_spark.decode_archives(spark, [str(archive)], str(out), unit=unit)
    assert (first["parts"], first["rows"], first["errors"]) == (7, len(PAGES), 0)
    assert rows_of(spark.read.parquet(str(out))) == sorted(plain_rows(archive), key=str)
    made = sorted(out.glob("part-*"))
    made.pop(2).unlink()
    kept = {path: path.stat().st_mtime_ns for path in made}
    again = with_spark.decode_archives(spark, [str(archive), str(bad)], str(out), unit=unit)
    assert {path: path.stat().st_mtime_ns for path in kept} == kept
    assert (again["parts"], again["rows"], again["errors"]) == (8, len(PAGES) + 20, 1)
    assert again == json.loads((out / "_manifest.json").read_text())
    assert rows_of(spark.read.parquet(str(out))) == sorted(plain_rows(archive) + plain_rows(bad), key=str)
    (trouble,) = map(json.loads, (out / "_errors.jsonl").read_text().splitlines())
    assert "damaged" in trouble["error"] and trouble["input"] == str(bad)
    with pytest.raises(FileExistsError, match="other settings"):
        with_spark.decode_archives(spark, [str(archive)], str(out), Settings(text=False))
    titles = {title: frame.collect() for title, frame in with_spark.summaries(spark, str(out))}
    domains = {(row.domain, row.encoding): row.pages for row in titles["Encodings by top-level domain"]}
    assert domains["pl", "iso8859-2"] >= 10
    assert {row.declared: row.wrong for row in titles["Wrong declarations"]}["koi8-r"] == 0
    assert sum(row.pages for row in titles["Languages by encoding"]) == len(PAGES) + 19
    one = [sys.executable, "-m", "charlens", "warc", str(archive), str(bad), "-o", str(tmp_path / "one")]
    assert subprocess.run([*one, "--unit", str(unit), "-q"]).returncode == 1
    for path in out.iterdir():
        if path.suffix != ".parquet":
            assert path.read_bytes() == (tmp_path / "one" / path.name).read_bytes(), path
    assert {path.name for path in out.iterdir()} == {path.name for path in (tmp_path / "one").iterdir()}


def test_a_column_of_parquet_is_decoded_in_the_tasks(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By row groups, as `charlens batch` does; what a task cannot do is named, and the others continue."""
    table = pa.table({"url": [page.url for page in PAGES], "body": [page.body for page in PAGES]})
    for name in ("good.parquet", "lost.parquet"):
        pq.write_table(table, tmp_path / name, row_group_size=100)
    columns = Columns("body", id="url")
    inputs, out = [str(tmp_path / "*.parquet")], tmp_path / "table"
    found = with_spark.decode_tables(spark, inputs[:1], str(out), columns)
    assert (found["parts"], found["rows"], found["failed"]) == (6, 2 * len(PAGES), {})
    rows = {row.id: row.encoding for row in spark.read.parquet(str(out)).collect()}
    assert rows == {page.url: charlens.detect(page.body).encoding for page in PAGES}
    # A file that goes away between the look at it and the task.
    job = table_job(with_spark.everywhere(inputs, "Parquet files"), columns)
    (tmp_path / "lost.parquet").unlink()
    found = with_spark.run_job(spark, job, str(tmp_path / "half"))
    assert found["rows"] == len(PAGES) and len(found["failed"]) == 3
    assert all("No such file" in why and "(on " in why for why in found["failed"].values())
    assert not (tmp_path / "half" / "_SUCCESS").exists()
    # A disk that the workers do not share with this process.
    monkeypatch.setattr(with_spark.Folder, "names", lambda self: [])
    found = with_spark.decode_tables(spark, inputs, str(tmp_path / "apart"), columns)
    assert all("a disk that all machines share" in why for why in found["failed"].values())


def test_a_custom_model_is_broadcast(spark: SparkSession, archive: Path, tmp_path: Path) -> None:
    """A model in a folder of this machine is used by all, though the folder is gone before they work."""
    from charlens.models import default_model

    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "model.bin").write_bytes(Path(default_model().path).read_bytes())
    frame = spark.createDataFrame([(bytearray(PAGES[3].body),)], "body binary")
    out = tmp_path / "table"
    with_spark.decode_archives(spark, [str(archive)], str(out), Settings(model=str(folder)))
    assert rows_of(spark.read.parquet(str(out))) == sorted(plain_rows(archive), key=str)
    decoded = with_spark.decode(frame, "body", model=str(folder))
    shutil.rmtree(folder)
    (row,) = decoded.collect()
    assert row.text == PAGES[3].text


def deadly(job: Job, part: Part) -> Iterator[Any]:
    """Rows for a part; one of them kills the process, as the system does when memory runs out."""
    if part.start == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    yield pa.RecordBatch.from_pylist([{"offset": part.start}], schema=job.schema)


def test_a_part_that_kills_its_process_twice_is_left_out(spark: SparkSession, tmp_path: Path) -> None:
    """The others are made, and it is named; the next run tries it again."""
    ending = stamp("test")
    work = [part_of(__file__, number, ending, number, -1) for number in range(3)]
    job = Job(deadly, Settings(), schema(), ending, work)
    found = with_spark.run_job(spark, job, str(tmp_path / "out"))
    assert found["rows"] == 2 and list(found["failed"]) == [work[1].name]
    assert "crashed twice" in found["failed"][work[1].name]
    assert not (tmp_path / "out" / "_SUCCESS").exists()


def executors() -> list[int]:
    """The processes of executors that these tests started."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes().decode(errors="replace")
        except OSError:
            continue
        if "CoarseGrainedExecutorBackend" in words and str(HOME) in words:
            found.append(int(path.parent.name))
    return found


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_an_executor_that_is_killed_costs_nothing(spark: SparkSession, tmp_path: Path) -> None:
    """kill -9 in the middle: the table is complete, and has no row twice."""
    path = tmp_path / "crawl.warc.gz"
    pages = list(make_pages(PROSE, 2000, seed=4))
    write_archive(path, iter(pages))
    out = tmp_path / "table"
    before = set(executors())
    killed: list[int] = []

    def kill() -> None:
        end = time.monotonic() + 60
        while time.monotonic() < end and not list(out.glob("part-*~")):
            time.sleep(0.02)
        killed.extend(sorted(before)[:1])
        for process in killed:
            os.kill(process, signal.SIGKILL)

    thread = threading.Thread(target=kill)
    thread.start()
    manifest = with_spark.decode_archives(spark, [str(path)], str(out), unit=path.stat().st_size // 24)
    thread.join()
    assert killed and killed[0] not in executors()
    assert manifest["rows"] == len(pages) and not list(out.glob("*~"))
    urls = [row.url for row in spark.read.parquet(str(out)).select("url").collect()]
    assert len(urls) == len(set(urls)) == len(pages)


def submit(*arguments: str) -> tuple[int, str]:
    """Run a command and return its exit code and everything it said."""
    done = subprocess.run(arguments, env=ENVIRONMENT, capture_output=True, text=True, timeout=180)
    return done.returncode, done.stdout + done.stderr


def test_the_command_under_spark_submit(
    cluster: str, spark: SparkSession, archive: Path, tmp_path: Path
) -> None:
    """The file of the command is one for spark-submit, on a cluster inside one machine."""
    spark.stop()  # it holds the processors of the cluster
    import charlens.cli.spark as command

    program = [str(HOME / "bin" / "spark-submit"), "--master", "local-cluster[2,1,1024]"]
    program += ["--conf", "spark.executor.memory=512m", str(command.__file__)]
    code, words = submit(
        *program, str(archive), "--output", str(tmp_path / "out"), "--unit", "100000", "--summary"
    )
    assert code == 0, words
    assert f"{len(PAGES)} rows in " in words and "; 0 errors" in words
    assert "Languages by encoding" in words


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"JAVA_HOME": "/nowhere"}, "Spark needs Java 17 or later, but JAVA_HOME (/nowhere) has no java"),
        (
            {"JAVA_HOME": "", "PATH": "/nowhere"},
            "Spark needs Java 17 or later, but there is no java on the PATH",
        ),
    ],
)
def test_java_that_is_missing_has_words(
    change: dict[str, str], words: str, archive: Path, tmp_path: Path
) -> None:
    """Where there is no Java, it is said what to install."""
    command = [sys.executable, "-m", "charlens", "spark", str(archive), "--output", str(tmp_path / "out")]
    done = subprocess.run(command, env={**ENVIRONMENT, **change}, capture_output=True, text=True)
    assert done.returncode == 2 and words in done.stderr, done.stderr


def test_java_that_does_not_start_has_words(archive: Path, tmp_path: Path) -> None:
    """A Java that is too old ends at once; the exit code is 1, and it is said which one is needed."""
    old = tmp_path / "bin" / "java"
    old.parent.mkdir()
    old.write_text("#!/bin/sh\necho 'class file version 61.0' >&2\nexit 1\n")
    old.chmod(0o755)
    command = [sys.executable, "-m", "charlens", "spark", str(archive), "--output", str(tmp_path / "out")]
    done = subprocess.run(
        command, env={**ENVIRONMENT, "JAVA_HOME": str(tmp_path)}, capture_output=True, text=True
    )
    assert done.returncode == 1 and "Traceback" not in done.stderr
    assert "Spark cannot be started" in done.stderr and "'java -version' is 17 or later" in done.stderr


def test_mistakes_of_the_command_have_words(archive: Path, tmp_path: Path) -> None:
    """A pattern that matches nothing, an output of something else, and one that cannot be written to."""
    other = tmp_path / "other"
    other.mkdir()
    (other / "letter.txt").write_text("dear")
    base = [sys.executable, "-m", "charlens", "spark", "--master", "local[1]"]
    used = (
        (["--id", "url"], "name the column with --column"),
        (["--column", "body", "--summary"], "leave out --summary or --column"),
    )
    for options, words in used:
        code, said = submit(*base, str(archive), "-o", str(tmp_path / "out"), *options)
        assert code == 2 and words in said, said
    mistakes = (
        (str(tmp_path / "no*.gz"), str(tmp_path / "out"), 2, "no file matches it"),
        (str(archive), str(other), 2, "other files in it, such as letter.txt"),
        (str(archive), "/proc/charlens/out", 2, "Cannot write to the output folder /proc/charlens/out"),
    )
    with ThreadPoolExecutor() as pool:
        done = list(pool.map(lambda each: submit(*base, each[0], "--output", each[1]), mistakes))
    for (_, _, code, words), (found, said) in zip(mistakes, done, strict=True):
        assert found == code and words in said and "Traceback" not in said, said
