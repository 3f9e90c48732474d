"""`charlens spark`: the pages of crawl archives, decoded on a cluster; also a file for `spark-submit`.

Arguments and messages; `charlens.integrations.spark` does the work.
"""

from __future__ import annotations

import os
import shutil
import sys
from typing import Any

if __name__ == "__main__":
    # spark-submit puts the folder of this file first in sys.path, where `inspect` would hide the standard module.
    sys.path = [
        path for path in sys.path if os.path.realpath(path) != os.path.dirname(os.path.realpath(__file__))
    ]

import click

from charlens.cli.warc import need
from charlens.integrations.warc import LARGEST, UNIT, Settings
from charlens.plural import count


def _need_java() -> None:
    home = os.environ.get("JAVA_HOME")
    if not (shutil.which("java", path=os.path.join(home, "bin")) if home else shutil.which("java")):
        where = f"JAVA_HOME ({home}) has no java" if home else "there is no java on the PATH"
        raise click.UsageError(
            f"Spark needs Java 17 or later, but {where}. Install it (on Debian: default-jre-headless)."
        )


@click.command()
@click.argument("inputs", nargs=-1, required=True, metavar="IN...")
@click.option(
    "--output",
    "-o",
    required=True,
    help="The folder to write the table to, on any file system that Spark supports.",
)
@click.option("--master", help="The cluster, such as spark://host:7077.  [default: the local machine]")
@click.option("--text/--no-text", default=True, help="Include or omit the decoded text.  [default: include]")
@click.option(
    "--min-confidence",
    type=click.FloatRange(0, 1),
    default=0.0,
    help="Omit the text if the confidence is lower.",
)
@click.option(
    "--model",
    type=click.Path(exists=True),
    help="Use a model made by 'charlens train'; it is sent to all machines.",
)
@click.option(
    "--largest", type=click.IntRange(1), default=LARGEST, help="Skip records with more bytes than this."
)
@click.option("--unit", type=click.IntRange(1), default=UNIT, help="Size of a task, in bytes of the archive.")
@click.option(
    "--wave",
    type=click.IntRange(0),
    default=0,
    help="Number of tasks to commit together.  [default: four per processor]",
)
@click.option(
    "--summary",
    is_flag=True,
    help="Print encodings by domain, wrong declarations, and languages by encoding.",
)
def spark(inputs: tuple[str, ...], output: str, **given: Any) -> None:
    """Decode the HTML and text pages in WARC archives to a Parquet table, on a Spark cluster.

    All machines must be able to read the archives, at the same path or in a store (s3a://), and need charlens. Finished
    work is recorded in _manifest.json: to resume after a failure, or to add archives, run the same command again.

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
        found = f"{count(rows, 'row')} (including {count(errors, 'error')}) in {count(len(waves), 'wave')}"
        click.echo(f"{found}: {output}")
        if given["summary"]:
            for title, frame in summaries(session, output):
                click.echo(f"\n{title}")
                frame.show(20, truncate=False)
    except FileExistsError as error:  # the folder contains something else
        click.echo(f"charlens: {error}", err=True)
        sys.exit(2)
    except Exception as error:
        if not type(error).__module__.startswith(("py4j", "pyspark")):
            raise
        click.echo(
            f"charlens: the job failed ({_cause(error)}). Check that Spark can write to {output}. Finished work is "
            "kept; run the same command again to resume.",
            err=True,
        )
        sys.exit(1)
    finally:
        session.stop()


def _cause(error: Exception) -> str:
    """Return the root cause of an error of Spark, in one line."""
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
    elif "PYSPARK_GATEWAY_PORT" not in os.environ:  # otherwise spark-submit has set it
        builder = builder.master("local[*]")
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("FATAL")
    return session


if __name__ == "__main__":
    spark(prog_name="charlens spark")
