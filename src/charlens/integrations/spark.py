"""Decode columns of bytes and crawl archives on a Spark cluster.

    decode(frame, "body")                                   a column of bytes, by `mapInArrow`
    read_text(spark, "s3a://bucket/*.csv")                  files in any encoding
    spark.read.format("charlens-warc").load("/crawl/*.gz")  archives, after `register(spark)`
    decode_archives(spark, paths, output)                   archives to Parquet; can be resumed

`arrow` and `warc` do the work; this module distributes it.  All machines of the cluster need charlens and pyarrow in
their Python.  A custom model is sent to them by broadcast.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition

from charlens.integrations.arrow import decode_column, result_type
from charlens.integrations.locations import absolute, match, size_of
from charlens.integrations.warc import (
    UNIT,
    Page,
    Settings,
    Unit,
    decode_pages,
    decode_unit,
    load_model,
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

    for name in (column, content_type):
        if name is not None and name not in frame.columns:
            raise ValueError(f"decode(): no column {name!r}; the columns are {', '.join(frame.columns)}.")
    kept = [name for name in frame.columns if name != column]
    taken = sorted({field.name for field in result_type()} & set(kept))
    if taken:
        raise ValueError(
            f"decode(): these columns of the frame are also columns of the result: {', '.join(taken)}. Rename them."
        )
    found = from_arrow_type(result_type())
    target = StructType([*(frame.schema[name] for name in kept), *found.fields])
    return frame.mapInArrow(
        decode_batches(column, content_type, _send(frame.sparkSession, model), **keywords), target
    )


def decode_batches(
    column: str,
    content_type: str | None = None,
    model: Callable[[], str | bytes | None] = lambda: None,
    **keywords: Any,
) -> Callable[[Batches], Iterator[pyarrow.RecordBatch]]:
    """Return the function for `mapInArrow`; *model* is a function that is called on each machine."""

    def run(batches: Batches) -> Iterator[pyarrow.RecordBatch]:
        import pyarrow as pa

        for batch in batches:
            headers = None if content_type is None else batch[content_type]
            # One thread, because Spark has a task for each processor.
            found = decode_column(batch[column], headers, threads=1, model=load_model(model()), **keywords)
            kept = {name: batch[name] for name in batch.schema.names if name != column}
            fields = dict(zip((field.name for field in result_type()), found.flatten(), strict=True))
            yield pa.RecordBatch.from_pydict({**kept, **fields})

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


def find_units(patterns: Sequence[str], size: int = UNIT) -> list[Unit]:
    """Return the units of all archives that match *patterns*; a pattern without a match is an error."""
    units: list[Unit] = []
    for pattern in patterns:
        paths = match(pattern)
        if not paths:
            raise FileNotFoundError(f"{pattern}: no such archive, and no archive matches it as a pattern.")
        units += (unit for path in paths for unit in split(absolute(path), size))
    return units


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
        return WarcReader(find_units([path], int(self.options.get("unit", UNIT))), settings)


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
    wave: int = 0,
) -> dict[str, Any]:
    """Decode archives to the Parquet table *output*, on any file system of Spark; return the manifest.

    The table has a folder for each wave of *wave* units (0: four for each processor), and in it the pages
    (`kind=pages`) and the errors (`kind=errors`).  Units in the manifest are finished: to continue after a
    failure, or to add archives, call it again.
    """
    from pyspark.sql import Observation
    from pyspark.sql.functions import col, count, count_if, expr

    wave = wave or 4 * spark.sparkContext.defaultParallelism
    model = _send(spark, settings.model if isinstance(settings.model, str) else None)
    facts = {**settings._replace(model=None)._asdict(), "model": _model_name(settings), "unit": unit}
    table = _Output(spark, output, facts)
    sizes = {each: size_of(each.path) for each in find_units(patterns, unit)}
    units = [each for each, size in sizes.items() if (*each, size) not in table.done]
    for start in range(0, len(units), wave):
        some = units[start : start + wave]
        read = _read_units(some, settings, model)
        rows = spark.range(0, len(some), 1, len(some)).mapInArrow(read, _spark_schema())
        rows = rows.withColumn("kind", expr("if(error IS NOT NULL AND outcome IS NULL, 'errors', 'pages')"))
        seen = Observation()
        bad = count_if(col("kind") == "errors").alias("errors")
        counted = rows.observe(seen, count(col("kind")).alias("rows"), bad)
        name = _wave_name(some)
        counted.write.partitionBy("kind").mode("overwrite").parquet(f"{output}/wave={name}")
        table.add(name, {"units": [(*each, sizes[each]) for each in some], **seen.get})
    return table.manifest


def summaries(spark: SparkSession, output: str) -> Iterator[tuple[str, DataFrame]]:
    """Yield the tables of `SUMMARIES` about a finished job, by name."""
    spark.read.parquet(output).where("kind = 'pages'").createOrReplaceTempView("pages")
    for title, query in SUMMARIES.items():
        yield title, spark.sql(query)


def _read_units(
    units: list[Unit], settings: Settings, model: Callable[[], Any]
) -> Callable[[Batches], Iterator[pyarrow.RecordBatch]]:
    def run(batches: Batches) -> Iterator[pyarrow.RecordBatch]:
        for batch in batches:
            for number in batch["id"].to_pylist():
                own = settings._replace(model=model())
                try:
                    yield from decode_unit(units[number], own)
                except OSError as error:
                    words = f"cannot be read on this machine: {error}"
                    yield decode_pages([Page(units[number].start, error=words)], own)

    return run


class _Output:
    """The folder of a job and its manifest, on any file system of Spark."""

    def __init__(self, spark: SparkSession, folder: str, settings: dict[str, Any]) -> None:
        context: Any = spark.sparkContext
        self._path = context._jvm.org.apache.hadoop.fs.Path
        self._system = self._path(folder).getFileSystem(context._jsc.hadoopConfiguration())
        self._folder = folder
        self.manifest: dict[str, Any] = {"settings": settings, "waves": {}}
        # A new manifest remains if the job ended while it replaced the old one; the new one is used then.
        for end in (".new", ""):
            path = self._path(f"{folder}/_manifest.json{end}")
            if self._system.exists(path):
                stream = self._system.open(path)
                text = context._jvm.org.apache.commons.io.IOUtils.toString(stream, "UTF-8")
                stream.close()
                with contextlib.suppress(ValueError):  # an incomplete new manifest
                    self.manifest = json.loads(text)
        if self.manifest["settings"] != settings:
            raise FileExistsError(
                f"{folder} was made with other settings or another model: {self.manifest['settings']}. "
                "Name another folder, or remove this one."
            )
        self._clean_up()

    def _clean_up(self) -> None:
        """Remove waves that are not in the manifest, because they may be incomplete."""
        if not self._system.exists(self._path(self._folder)):
            return
        names = [status.getPath().getName() for status in self._system.listStatus(self._path(self._folder))]
        if any(not name.startswith(("wave=", "_", ".")) for name in names):
            raise FileExistsError(
                f"{self._folder} has other files in it: {sorted(names)[-1]}. Name a new folder."
            )
        for name in names:
            if name.startswith("wave=") and name.removeprefix("wave=") not in self.manifest["waves"]:
                self._system.delete(self._path(f"{self._folder}/{name}"), True)

    @property
    def done(self) -> set[tuple[Any, ...]]:
        """The units that are finished."""
        return {tuple(unit) for wave in self.manifest["waves"].values() for unit in wave["units"]}

    def add(self, name: str, facts: dict[str, Any]) -> None:
        """Record that a wave is finished: write a new manifest and replace the old one."""
        self.manifest["waves"][name] = facts
        target, fresh = (self._path(f"{self._folder}/_manifest.json{end}") for end in ("", ".new"))
        stream = self._system.create(fresh, True)
        stream.write(bytearray(json.dumps(self.manifest, indent=1).encode()))
        stream.close()
        self._system.delete(target, False)
        self._system.rename(fresh, target)


def _wave_name(units: Sequence[Unit]) -> str:
    """Return the name of a wave, which depends on the archives and how they are split."""
    facts = [(*unit, size_of(unit.path)) for unit in units]
    return hashlib.sha256(repr(facts).encode()).hexdigest()[:16]


def _model_name(settings: Settings) -> str:
    from charlens.models import default_model
    from charlens.models.format import read_model

    return read_model(settings.model).name if isinstance(settings.model, str) else default_model().name


def _send(spark: SparkSession, folder: str | None) -> Callable[[], Any]:
    """Broadcast the model in *folder*; return a function that gets its bytes, or None, on any machine."""
    if folder is None:
        return lambda: None
    from charlens.models.format import read_model

    with open(read_model(folder).path, "rb") as file:
        shared = spark.sparkContext.broadcast(file.read())
    return lambda: shared.value


def _spark_schema() -> Any:
    from pyspark.sql.pandas.types import from_arrow_schema

    return from_arrow_schema(schema())
