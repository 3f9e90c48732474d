"""Decode columns of bytes and crawl archives on a Spark cluster.

    decode(frame, "body")                                   a column of bytes, by `mapInArrow`
    read_text(spark, "s3a://bucket/*.csv")                  files in any encoding
    spark.read.format("charlens-warc").load("/crawl/*.gz")  archives, after `register(spark)`
    decode_archives(spark, paths, output)                   archives to Parquet; can be resumed
    decode_tables(spark, paths, output, Columns("body"))    Parquet to Parquet; can be resumed

`arrow`, `warc`, `parquet` and `parts` do the work; this module distributes it.  The last two pass no rows through the
JVM, and cost what they cost on one machine.  All machines of the cluster need charlens and pyarrow in their Python.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from socket import gethostname
from typing import TYPE_CHECKING, Any

from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition

from charlens.integrations import arrow
from charlens.integrations.arrow import kept_columns, result_type
from charlens.integrations.locations import Folder, absolute
from charlens.integrations.parquet import Columns, table_job
from charlens.integrations.parts import (
    LOST,
    Job,
    Made,
    expand,
    finish,
    load_model,
    look_at,
    make_part,
    prepare,
)
from charlens.integrations.warc import (
    UNIT,
    Settings,
    Unit,
    archive_job,
    decode_unit,
    schema,
    split,
)

if TYPE_CHECKING:
    import pyarrow
    from pyspark.sql import DataFrame, SparkSession

Batches = Iterable["pyarrow.RecordBatch"]

#: The queries printed at the end of a job, by name; `pages` is the table.
SUMMARIES = {
    "Encodings by top-level domain": """
        SELECT regexp_extract(parse_url(url, 'HOST'), '[^.]+$', 0) AS domain, encoding, count(*) AS pages
        FROM pages WHERE encoding IS NOT NULL GROUP BY ALL ORDER BY pages DESC, domain, encoding""",
    "Wrong declarations": """
        SELECT coalesce(http_charset, meta_charset) AS declared, count(*) AS pages,
               round(avg(CAST(conflict AS INT)), 4) AS wrong
        FROM pages WHERE outcome = 'text' GROUP BY ALL ORDER BY pages DESC, declared""",
    "Languages by encoding": """
        SELECT encoding, language, count(*) AS pages, round(avg(confidence), 4) AS confidence
        FROM pages WHERE outcome = 'text' GROUP BY ALL ORDER BY pages DESC, encoding, language""",
}


# ---- columns


def decode(
    frame: DataFrame,
    column: str,
    content_type: str | None = None,
    *,
    model: str | None = None,
    **keywords: Any,
) -> DataFrame:
    """Return *frame* with the verdict and the text in place of the bytes in *column*.

    *content_type* is the column of the HTTP headers, *model* the folder of a model; other keywords are those of
    `charlens.integrations.arrow.decode_column`.
    """
    from pyspark.sql.pandas.types import from_arrow_type
    from pyspark.sql.types import StructType

    kept = kept_columns(frame.columns, column, content_type)
    kind = frame.schema[column].dataType.simpleString()
    if kind not in ("binary", "string"):
        raise TypeError(f"decode(): the column {column!r} does not hold bytes; its type is {kind}.")
    found = from_arrow_type(result_type())
    target = StructType([*(frame.schema[name] for name in kept), *found.fields])
    return frame.mapInArrow(decode_batches(column, content_type, _model_bytes(model), **keywords), target)


def decode_batches(
    column: str,
    content_type: str | None = None,
    model: str | bytes | None = None,
    **keywords: Any,
) -> Callable[[Batches], Iterator[pyarrow.RecordBatch]]:
    """Return the function for `mapInArrow`; *model* is a folder that all machines have, or the bytes of its file."""

    def run(batches: Batches) -> Iterator[pyarrow.RecordBatch]:
        # One thread, because Spark has a task for each processor.
        return arrow.decode_batches(
            batches, column, content_type, threads=1, model=load_model(model), **keywords
        )

    return run


def read_text(spark: SparkSession, pattern: str, **keywords: Any) -> DataFrame:
    """Return a row with the text of each file that matches *pattern*, on any file system of Spark.

    *keywords* are those of `decode`.  A file must fit into the memory of one machine; Spark's limit is 2 GB.
    """
    from pyspark.errors import AnalysisException

    try:
        files = spark.read.format("binaryFile").load(pattern)
    except AnalysisException as error:
        if "PATH_NOT_FOUND" not in str(error):
            raise
        raise FileNotFoundError(
            f"{pattern}: no such file, and no file matches it as a pattern. Files of this machine need a path "
            "that all machines of the cluster have."
        ) from None
    return decode(files.select("path", "length", "content"), "content", **keywords)


# ---- archives


class WarcSource(DataSource):
    """`spark.read.format("charlens-warc").load("/crawl/*.warc.gz")`; options: text, min_confidence, unit, largest."""

    @classmethod
    def name(cls) -> str:
        """Return the name of the format."""
        return "charlens-warc"

    def schema(self) -> Any:
        """Return the columns."""
        return _spark_schema()

    def reader(self, schema: Any) -> WarcReader:
        """Return the reader of the archives."""
        path = self.options.get("path")
        if not path:
            raise ValueError("charlens-warc needs a path: .load('/crawl/*.warc.gz')")
        settings = Settings(
            text=self.options.get("text", "true").lower() == "true",
            min_confidence=float(self.options.get("min_confidence", 0)),
            largest=int(self.options.get("largest", Settings().largest)),
        )
        size = int(self.options.get("unit", UNIT))
        units = [unit for each in everywhere([path], "archives") for unit in split(each, size)]
        return WarcReader(units, settings)


class UnitPartition(InputPartition):
    """One unit of an archive."""

    def __init__(self, unit: Unit) -> None:
        super().__init__(tuple(unit))


class WarcReader(DataSourceReader):
    """Reads the units of archives in the tasks of Spark."""

    def __init__(self, units: list[Unit], settings: Settings) -> None:
        self._units = units
        self._settings = settings

    def partitions(self) -> Sequence[InputPartition]:
        """Return a partition for each unit."""
        return [UnitPartition(unit) for unit in self._units]

    def read(self, partition: InputPartition) -> Iterator[Any]:
        """Yield the rows of a partition."""
        from pyspark.sql.pandas.types import to_arrow_schema

        target = to_arrow_schema(
            _spark_schema()
        )  # Spark has other names for list items, and no large strings
        return (batch.cast(target) for batch in decode_unit(Unit(*partition.value), self._settings))


def register(spark: SparkSession) -> None:
    """Register the format `charlens-warc` with *spark*."""
    spark.dataSource.register(WarcSource)


# ---- jobs


def decode_archives(
    spark: SparkSession,
    patterns: Sequence[str],
    output: str,
    settings: Settings = Settings(),  # noqa: B008
    *,
    unit: int = UNIT,
) -> dict[str, Any]:
    """Decode archives to a Parquet table in the folder *output*; return the manifest.

    *patterns* are paths, or patterns, that all machines know; *output* is a folder that all of them share, or one in a
    store.  The table is that of `charlens warc`.  Parts that exist are finished: to continue after a failure, or to add
    archives, call it again.
    """
    return run_job(spark, archive_job(everywhere(patterns, "archives"), settings, unit), output)


def decode_tables(
    spark: SparkSession, patterns: Sequence[str], output: str, columns: Columns
) -> dict[str, Any]:
    """Do the same for a column of Parquet files, by row groups; the table is that of `charlens batch`."""
    return run_job(spark, table_job(everywhere(patterns, "Parquet files"), columns), output)


def run_job(spark: SparkSession, job: Job, output: str) -> dict[str, Any]:
    """Make the missing parts of *job* with the tasks of Spark, and return the manifest.

    A task makes its part as one machine does, and writes it itself: the JVM gets only what is in the part.
    """
    output = absolute(output)
    prepare(output, job.ending)
    sent = job._replace(settings=job.settings._replace(model=_model_bytes(job.settings.model)))
    numbers = spark.range(0, len(job.parts), 1, len(job.parts) or 1)
    rows = numbers.mapInArrow(partial(_make_parts, sent, output), "number long, made string").collect()
    here = set(Folder(output).names())
    made = {}
    for number, words in sorted(rows):
        part, (count, errors, failure) = job.parts[number], json.loads(words)
        if not failure and part.name not in here:
            failure = f"{part.name} was written, but is not here: the output must be on a disk that all machines share"
        made[part] = Made(failure=failure) if failure else Made(count, tuple(errors))
    return finish(output, made)


def _make_parts(job: Job, output: str, batches: Batches) -> Iterator[pyarrow.RecordBatch]:
    """Make the parts whose numbers are in *batches*, unless they exist; yield what is in them."""
    import pyarrow as pa
    from pyspark import TaskContext

    task = TaskContext.get()
    crashed = task is not None and task.attemptNumber() > 1
    for number in (number for batch in batches for number in batch["id"].to_pylist()):
        part = job.parts[number]
        failure = ""
        if not Folder(output).has(part.name):
            failure = LOST if crashed else make_part(job, output, part)
        made = Made(failure=f"{failure} (on {gethostname()})") if failure else look_at(output, part)
        yield pa.RecordBatch.from_pydict({"number": [number], "made": [json.dumps(made, default=str)]})


def everywhere(patterns: Sequence[str], what: str) -> list[str]:
    """Return the files that match *patterns* by names that all machines know; *what* is the noun for them."""
    return [absolute(path) for path in expand(patterns, what)]


def summaries(spark: SparkSession, output: str) -> Iterator[tuple[str, DataFrame]]:
    """Yield the tables of `SUMMARIES` about a finished job, by name."""
    table = spark.read.parquet(Folder(output).address)
    table.where("outcome IS NOT NULL").createOrReplaceTempView("pages")
    for title, query in SUMMARIES.items():
        yield title, spark.sql(query)


def _model_bytes(model: str | bytes | None) -> bytes | None:
    """Return the file of the *model* in a folder; Spark broadcasts functions with more than a megabyte of arguments."""
    if not isinstance(model, str):
        return model
    from charlens.models.format import read_model

    with open(read_model(model).path, "rb") as file:
        return file.read()


def _spark_schema() -> Any:
    from pyspark.sql.pandas.types import from_arrow_schema

    return from_arrow_schema(schema())
