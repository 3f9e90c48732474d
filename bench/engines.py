"""Measure what engines add to decoding: `python bench/engines.py [--rows 100000] [--spark [--pages 20000]]`.

The column of `bench/columns.py`, nine rows in ten in ASCII or UTF-8, rows of 4 KB, decoded to text by `decode_column`
in plain Python, by polars and by DuckDB; processor time of all threads, the minimum of several rounds. With --spark (in
the environment of `make cluster`), Spark reads the same column from Parquet and writes the text, and makes tables of
the pages of a generated archive (`bench/warc.py`), as `charlens warc` does; the time is that of the JVM and of Python
together, with and without the start.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from columns import make_rows, time_all
from common import describe, languages, load, prose, table

from charlens.evaluation.made_archive import make_pages, write_archive

_SIZE = 4096
#: The rows that DuckDB passes to a function at a time; the batches of plain Python are as large.
_BATCH_ROWS = 2048
#: The part of the rows that is decoded in memory, 80 MB; for more, the time is that of the system finding memory.
_IN_MEMORY = 5
#: The rows of a row group, how often programs are run, and how many times larger the input is than the small one.
_GROUP, _RUNS, _QUARTERS = 10_000, 3, 4
#: The fewest and the most lines of a page, of about 180 bytes: those of `bench/warc.py`.
_LINES = (40, 760)

#: Run alone, with a small input, the input and the output; they print the processor time up to the end of the small
#: input, and that of the input. In the first, the JVM compiles what it runs.
_MEASURED = """
import sys
from contextlib import suppress
from engines import tree_seconds
{imports}
few, all, output = sys.argv[1:]
run(few, output + "-few")
before = tree_seconds()
run(all, output)
print(before, tree_seconds() - before)
"""
_PLAIN = """
import pyarrow as pa, pyarrow.parquet as pq
from charlens.integrations.arrow import decode_column
def run(source, output):
    writer = None
    for batch in pq.ParquetFile(source).iter_batches(1000):
        made = pa.RecordBatch.from_struct_array(decode_column(batch["body"], threads=1))
        writer = writer or pq.ParquetWriter(output, made.schema)
        writer.write_batch(made)
    writer.close()
"""
_SESSION = """
from pyspark.sql import SparkSession
from charlens.integrations.parquet import Columns
from charlens.integrations.spark import decode, decode_archives, decode_tables
builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
spark = builder.config("spark.sql.execution.arrow.maxRecordsPerBatch", "1000").getOrCreate()
spark.sparkContext.setLogLevel("OFF")
"""
_FRAME = (
    _SESSION
    + """
def run(source, output):
    decode(spark.read.parquet(source), "body").write.parquet(output)
"""
)
_BATCH = """
from charlens.cli.batch import batch
def run(source, output):
    with suppress(SystemExit):
        batch.main([source, "--column", "body", "--output", output, "--jobs", "1", "-q"])
"""
_SPARK_BATCH = (
    _SESSION
    + """
def run(source, output):
    decode_tables(spark, [source], output, Columns("body"))
"""
)
_WARC = """
from charlens.cli.warc import warc
def run(source, output):
    with suppress(SystemExit):
        warc.main([source, "--output", output, "--jobs", "1", "-q"])
"""
_SPARK_WARC = (
    _SESSION
    + """
def run(source, output):
    decode_archives(spark, [source], output)
"""
)


def tree_seconds() -> float:
    """Return the processor time of this process and of all below it, also of those that have ended."""
    parents: dict[int, int] = {}
    times: dict[int, int] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        number = int(path.parent.name)
        parents[number] = int(fields[1])
        times[number] = sum(map(int, fields[11:15]))
    total = 0
    for number in times:
        at = number
        while at not in (0, os.getpid()):
            at = parents.get(at, 0)
        total += times[number] if at else 0
    return total / os.sysconf("SC_CLK_TCK")


def engines(rows: list[bytes]) -> dict[str, Callable[[], object]]:
    """Return the functions that decode *rows*, by name."""
    import pyarrow as pa

    from charlens.integrations.arrow import decode_column

    column = pa.array(rows, pa.binary())
    batches = [column[start : start + _BATCH_ROWS] for start in range(0, len(column), _BATCH_ROWS)]
    found: dict[str, Callable[[], object]] = {
        "plain Python": lambda: [decode_column(batch, threads=1) for batch in batches]
    }
    polars, duckdb = load("polars"), load("duckdb")
    if polars:
        from charlens.integrations import polars as with_polars

        with_polars.register()
        frame = polars.DataFrame({"body": column})
        found["polars"] = lambda: frame.select(polars.col("body").charlens.decode(threads=1))
    if duckdb:
        from charlens.integrations import duckdb as with_duckdb

        connection = duckdb.connect()
        connection.execute("SET threads = 1")
        with_duckdb.register(connection, threads=1)
        connection.register("pages", pa.table({"body": column}))
        query = "SELECT charlens_decode(body) AS page FROM pages"
        found["DuckDB, used in SQL"] = lambda: connection.sql(
            f"SELECT page.encoding, sum(length(page.text)) FROM ({query}) GROUP BY 1"
        ).fetchall()
        found["DuckDB to Arrow, in SQL"] = lambda: list(connection.sql(query).to_arrow_reader(_BATCH_ROWS))
        found["DuckDB to Arrow, by decode"] = lambda: list(
            with_duckdb.decode(connection.sql("SELECT body FROM pages"), "body", threads=1)
        )
    return found


def processor_times(program: str, *arguments: str) -> list[float]:
    """Return the processor times that a program prints, with those of everything that it starts."""
    paths = [*sys.path, str(Path(__file__).parent)]
    environment = {
        **os.environ,
        "PYSPARK_PYTHON": sys.executable,
        "PYTHONPATH": os.pathsep.join(filter(None, paths)),
    }
    command = [sys.executable, "-c", _MEASURED.format(imports=program), *arguments]
    done = subprocess.run(command, check=True, env=environment, capture_output=True, text=True)
    return [float(word) for word in done.stdout.split()[-2:]]


def measure_spark(rows: list[bytes]) -> list[list[str]]:
    """Return the lines of the table about Spark and a column."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    column = pa.table({"body": pa.array(rows, pa.binary())})

    def write(path: str, count: int) -> None:
        with pq.ParquetWriter(path, column.schema) as writer:
            for _ in range(count // len(rows)):
                writer.write_table(column, row_group_size=_GROUP)

    frames = {"plain Python, Parquet to Parquet": _PLAIN, "Spark, a data frame": _FRAME}
    jobs = {"charlens batch, Parquet to Parquet": _BATCH, "charlens spark, the same": _SPARK_BATCH}
    count = _QUARTERS * len(rows)
    return compare(frames, write, count, "in.parquet") + compare(jobs, write, count, "in.parquet")


def measure_archives(pages: int) -> list[list[str]]:
    """Return the lines of the table about Spark and an archive of web pages."""
    texts = {tag: prose(tag) for tag in languages()}

    def write(path: str, count: int) -> None:
        write_archive(Path(path), make_pages(texts, count, lines_each=_LINES))

    programs = {"charlens warc, an archive of pages": _WARC, "charlens spark, the same": _SPARK_WARC}
    return compare(programs, write, pages, "in.warc.gz")


def compare(
    programs: dict[str, str], write: Callable[[str, int], None], count: int, name: str
) -> list[list[str]]:
    """Return a line for each of *programs*, the first of which is the plain one; they take turns, three times."""
    least: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        sources = [str(Path(folder) / f"{some}-{name}") for some in (count // _QUARTERS, count)]
        for some, source in zip((count // _QUARTERS, count), sources, strict=True):
            write(source, some)
        for number, (label, program) in enumerate(list(programs.items()) * _RUNS):
            start, work = processor_times(program, *sources, str(Path(folder) / f"out-{number}"))
            found = [work, start - work / _QUARTERS]
            least[label] = list(map(min, least.get(label, found), found))
    plain = next(iter(least.values()))[0]
    return [
        [label, f"{1e6 * work / count:.1f}", f"{work / plain:.2f}", f"{start:.1f}"]
        for label, (work, start) in least.items()
    ]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--spark", action="store_true")
    parser.add_argument("--pages", type=int, default=20_000, help="pages of the archive")
    given = parser.parse_args()
    print(describe(), "\n")
    rows = make_rows(_SIZE, given.rows, legacy=True)
    if given.spark:
        lines = measure_spark(rows) + measure_archives(given.pages)
    else:
        rows = rows[: given.rows // _IN_MEMORY]
        plain, *others = engines(rows).items()
        lines = []
        for name, work in others:  # each takes turns with plain Python, not with the others' memory
            times = time_all(dict([plain, (name, work)]))
            if not lines:
                lines.append([plain[0], f"{1e6 * times[plain[0]] / len(rows):.1f}", "1.00"])
            lines.append(
                [name, f"{1e6 * times[name] / len(rows):.1f}", f"{times[name] / times[plain[0]]:.2f}"]
            )
    head = ["engine", "µs per row", "to plain Python", "start, s"]
    print(table(head if given.spark else head[:3], lines))


if __name__ == "__main__":
    main()
