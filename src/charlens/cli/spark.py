"""`charlens spark`: the pages of crawl archives, decoded on a cluster; also a file for `spark-submit`.

Arguments and words: `charlens.integrations.spark` does the work.
"""

from __future__ import annotations

import os
import shutil
import sys
from typing import Any

if __name__ == "__main__":
    # spark-submit puts the folder of this file first, and `inspect` in it is not the one that others import.
    sys.path = [path for path in sys.path if os.path.realpath(path) != os.path.dirname(os.path.realpath(__file__))]

import click

from charlens.cli.warc import need
from charlens.integrations.warc import LARGEST, UNIT, Settings


def _need_java() -> None:
    home = os.environ.get("JAVA_HOME")
    if not (shutil.which("java", path=os.path.join(home, "bin")) if home else shutil.which("java")):
        where = f"there is none in JAVA_HOME ({home})" if home else "there is none on the PATH"
        raise click.UsageError(
            f"Spark needs Java 17 or later, and {where}. Install it (Debian: default-jre-headless)."
        )


@click.command()
@click.argument("inputs", nargs=-1, required=True, metavar="IN...")
@click.option("--output", "-o", required=True, help="The folder of the table, on any file system of Spark.")
@click.option("--master", help="The cluster, such as spark://host:7077.  [default: this machine]")
@click.option("--text/--no-text", default=True, help="Whether the text of the pages goes into the table.")
@click.option(
    "--min-confidence", type=click.FloatRange(0, 1), default=0.0, help="Below it a page has no text."
)
@click.option(
    "--model", type=click.Path(exists=True), help="A model of your own; it is sent to all machines."
)
@click.option(
    "--largest", type=click.IntRange(1), default=LARGEST, help="Bytes over which a record is left out."
)
@click.option("--unit", type=click.IntRange(1), default=UNIT, help="Bytes of an archive in one task.")
@click.option("--wave", type=click.IntRange(0), default=0, help="Tasks that are committed together.")
@click.option(
    "--summary", is_flag=True, help="Print encodings by domain, wrong declarations, languages by encoding."
)
def spark(inputs: tuple[str, ...], output: str, **given: Any) -> None:
    """Decode the HTML and text pages of WARC files into a Parquet table, on a cluster.

    The archives must have the same path on all machines, and charlens must be installed on them. What is done is in
    _manifest.json of the output: to go on after a failure, or with more archives, run the same command again.

    \b
    charlens spark /crawl/*.warc.gz --output /tables/pages --summary
    charlens spark /crawl/*.warc.gz --output s3a://bucket/pages --master spark://host:7077
    spark-submit --master yarn $(python -c 'import charlens.cli.spark as s; print(s.__file__)') /crawl/*.gz -o pages
    """
    need("pyspark", "pyarrow", "fastwarc", extra="spark")
    _need_java()
    from charlens.integrations.spark import decode_archives, find_units, summaries

    try:
        find_units(inputs, given["unit"])
    except OSError as error:
        raise click.UsageError(str(error)) from None
    session = _session(given["master"])
    settings = Settings(given["text"], given["min_confidence"], given["model"], given["largest"])
    try:
        manifest = decode_archives(session, inputs, output, settings, unit=given["unit"], wave=given["wave"])
        waves = manifest["waves"].values()
        rows, errors = (sum(wave[key] for wave in waves) for key in ("rows", "errors"))
        click.echo(f"{rows:,} rows, {errors:,} of them errors, in {len(waves):,} waves: {output}")
        if given["summary"]:
            for title, frame in summaries(session, output):
                click.echo(f"\n{title}")
                frame.show(20, truncate=False)
    except FileExistsError as error:  # an output of something else
        click.echo(f"charlens: {error}", err=True)
        sys.exit(2)
    except Exception as error:
        if not type(error).__module__.startswith(("py4j", "pyspark")):
            raise
        click.echo(
            f"charlens: the job failed ({_cause(error)}). Check that Spark may write to {output}; what was done until "
            "then is kept: run the same command again to go on.",
            err=True,
        )
        sys.exit(1)
    finally:
        session.stop()


def _cause(error: Exception) -> str:
    """Return the first reason of an error of Spark, in one line."""
    java = getattr(error, "java_exception", None)
    while java is not None and java.getCause() is not None:
        java = java.getCause()
    words = java.getMessage() if java is not None else str(error)
    return str(words).strip().partition("\n")[0]


def _session(master: str | None) -> Any:
    from pyspark.sql import SparkSession

    builder: Any = SparkSession.builder
    builder = builder.appName("charlens")
    if master:
        builder = builder.master(master)
    elif "PYSPARK_GATEWAY_PORT" not in os.environ:  # else spark-submit has chosen
        builder = builder.master("local[*]")
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("FATAL")
    return session


if __name__ == "__main__":
    spark(prog_name="charlens spark")
