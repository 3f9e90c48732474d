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
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from columns import make_rows, time_all
from common import describe, languages, load, prose, table

from charlens.evaluation.made_archive import make_pages, write_archive

_SIZE = 4096
#: The rows of a row group, how often programs are run, and the parts of the work of which one is also run alone.
_GROUP, _RUNS, _QUARTERS = 10_000, 3, 4
#: The fewest and the most lines of a page, of about 180 bytes: those of `bench/warc.py`.
_LINES = (40, 760)

#: Run alone, with the input and the output; they print the processor time that they took.
_PLAIN = """
import sys, pyarrow as pa, pyarrow.parquet as pq
from charlens.integrations.arrow import decode_column
from engines import tree_seconds
writer = None
for batch in pq.ParquetFile(sys.argv[1]).iter_batches(1000):
    made = pa.RecordBatch.from_struct_array(decode_column(batch["body"], threads=1))
    writer = writer or pq.ParquetWriter(sys.argv[2] + ".parquet", made.schema)
    writer.write_batch(made)
writer.close()
print(tree_seconds())
"""
_SPARK = """
import sys
from pyspark.sql import SparkSession
from charlens.integrations.spark import decode
from engines import tree_seconds
builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
spark = builder.config("spark.sql.execution.arrow.maxRecordsPerBatch", "1000").getOrCreate()
spark.sparkContext.setLogLevel("OFF")
decode(spark.read.parquet(sys.argv[1]), "body").write.mode("overwrite").parquet(sys.argv[2])
print(tree_seconds())
spark.stop()
"""
_BATCH = """
import sys
from contextlib import suppress
from charlens.cli.batch import batch
from engines import tree_seconds
with suppress(SystemExit):
    batch.main([sys.argv[1], "--column", "body", "--output", sys.argv[2], "--jobs", "1"])
print(tree_seconds())
"""
_SPARK_BATCH = """
import sys
from pyspark.sql import SparkSession
from charlens.integrations.parquet import Columns
from charlens.integrations.spark import decode_tables
from engines import tree_seconds
spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
spark.sparkContext.setLogLevel("OFF")
decode_tables(spark, [sys.argv[1]], sys.argv[2], Columns("body"))
print(tree_seconds())
spark.stop()
"""
_PLAIN_ARCHIVE = """
import sys
from contextlib import suppress
from charlens.cli.warc import warc
from engines import tree_seconds
with suppress(SystemExit):
    warc.main([sys.argv[1], "--output", sys.argv[2], "--jobs", "1"])
print(tree_seconds())
"""
_SPARK_ARCHIVE = """
import sys
from pyspark.sql import SparkSession
from charlens.integrations.spark import decode_archives
from engines import tree_seconds
spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
spark.sparkContext.setLogLevel("OFF")
decode_archives(spark, [sys.argv[1]], sys.argv[2])
print(tree_seconds())
spark.stop()
"""


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
    found: dict[str, Callable[[], object]] = {"plain Python": lambda: decode_column(column, threads=1)}
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
        found["DuckDB, batches of Arrow"] = lambda: list(
            map(len, connection.sql(query).to_arrow_reader(2048))
        )
        found["DuckDB, one table of Arrow"] = lambda: connection.sql(query).to_arrow_table()
    return found


def processor_time(program: str, *arguments: str) -> float:
    """Return the processor time of a program and of everything that it starts."""
    paths = [*sys.path, str(Path(__file__).parent)]
    environment = {
        **os.environ,
        "PYSPARK_PYTHON": sys.executable,
        "PYTHONPATH": os.pathsep.join(filter(None, paths)),
    }
    command = [sys.executable, "-c", program, *arguments]
    done = subprocess.run(command, check=True, env=environment, capture_output=True, text=True)
    return float(done.stdout.split()[-1])


def measure_spark(rows: list[bytes]) -> list[list[str]]:
    """Return the lines of the table about Spark and a column."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    column = pa.table({"body": pa.array(rows, pa.binary())})

    def write(path: str, count: int) -> None:
        with pq.ParquetWriter(path, column.schema) as writer:
            for _ in range(count // len(rows)):
                writer.write_table(column, row_group_size=_GROUP)

    frames = {"plain Python, Parquet to Parquet": _PLAIN, "Spark, a data frame": _SPARK}
    jobs = {"charlens batch, Parquet to Parquet": _BATCH, "charlens spark, the same": _SPARK_BATCH}
    count = _QUARTERS * len(rows)  # the start of the JVM takes as long as this many rows, more or less
    return compare(frames, write, count, "in.parquet") + compare(jobs, write, count, "in.parquet")


def measure_archives(pages: int) -> list[list[str]]:
    """Return the lines of the table about Spark and an archive of web pages."""
    texts = {tag: prose(tag) for tag in languages()}

    def write(path: str, count: int) -> None:
        write_archive(Path(path), make_pages(texts, count, lines_each=_LINES))

    programs = {
        "charlens warc, an archive of pages": _PLAIN_ARCHIVE,
        "charlens spark, the same": _SPARK_ARCHIVE,
    }
    return compare(programs, write, pages, "in.warc.gz")


def compare(
    programs: dict[str, str], write: Callable[[str, int], None], count: int, name: str
) -> list[list[str]]:
    """Return a line for each of *programs*, the first of which is the plain one.

    All rows and a quarter of them are decoded: the difference is the work, and the rest is the start, in which the JVM
    compiles what it runs.  That takes a second more or less each time, so the least of several runs counts.
    """
    times: dict[tuple[str, int], float] = {}
    few = count // _QUARTERS
    with tempfile.TemporaryDirectory() as folder:
        for some in (few, count):
            source = str(Path(folder) / f"{some}-{name}")
            write(source, some)
            for number, (label, program) in enumerate(list(programs.items()) * _RUNS):
                target = Path(folder) / f"{some}-out-{number}"
                taken = processor_time(program, source, str(target))
                times[label, some] = min(taken, times.get((label, some), taken))
                shutil.rmtree(target, ignore_errors=True)
    work = {label: (times[label, count] - times[label, few]) * count / (count - few) for label in programs}
    plain = next(iter(work.values()))
    return [
        [label, f"{1e6 * each / count:.1f}", f"{each / plain:.2f}", f"{times[label, count] - each:.1f}"]
        for label, each in work.items()
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
        times = time_all(engines(rows))
        plain = times["plain Python"]
        lines = [
            [name, f"{1e6 * seconds / len(rows):.1f}", f"{seconds / plain:.2f}", "–"]
            for name, seconds in times.items()
        ]
    print(table(["engine", "µs per row", "to plain Python", "start, s"], lines))


if __name__ == "__main__":
    main()
