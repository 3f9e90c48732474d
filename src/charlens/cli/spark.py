"""`charlens spark`: what `warc` and `batch` do, on a cluster; also a file for `spark-submit`.

Arguments and messages; `charlens.integrations.spark` does the work.
"""

from __future__ import annotations

import os
import shutil
import sys
from typing import Any, NoReturn

if __name__ == "__main__":
    # spark-submit puts the folder of this file first in sys.path, where `inspect` would hide the standard module.
    sys.path = [
        path for path in sys.path if os.path.realpath(path) != os.path.dirname(os.path.realpath(__file__))
    ]

import click

from charlens.cli.parts import as_usage_errors, errors_in
from charlens.cli.warc import need
from charlens.integrations.parts import Job, prepare
from charlens.integrations.warc import LARGEST, UNIT, Settings, archive_job
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
    help="The folder to write the table to: one that all machines share, or one in a store.",
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
@click.option("--column", help="The inputs are Parquet files, and this is the column with the bytes.")
@click.option("--content-type", help="The column with the HTTP Content-Type headers, if any.")
@click.option("--id", "identity", help="A column to copy to the output.  [default: the row number]")
@click.option(
    "--summary",
    is_flag=True,
    help="Print encodings by domain, wrong declarations, and languages by encoding.",
)
def spark(inputs: tuple[str, ...], output: str, **given: Any) -> None:
    """Decode the HTML and text pages in WARC archives, or a column of Parquet files, on a Spark cluster.

    The output is that of 'charlens warc' or 'charlens batch'. All machines need charlens, and must be able to read the
    inputs and to write the output, at the same path or in a store (s3a://). To resume after a failure, or to add
    inputs, run the same command again: finished parts are skipped.

    \b
    charlens spark /crawl/*.warc.gz --output /tables/pages --summary
    charlens spark /crawl/*.warc.gz --output s3a://bucket/pages --master spark://host:7077
    charlens spark /tables/raw/*.parquet --column body --id url --output /tables/decoded
    spark-submit --master yarn $(python -c 'import charlens.cli.spark as s; print(s.__file__)') /crawl/*.gz -o pages
    """
    need("pyspark", "pyarrow", "fastwarc", extra="spark")
    _need_java()
    with as_usage_errors():
        job = _job(inputs, given)
        prepare(output, job.ending)
    try:
        session = _session(given["master"])
    except Exception as error:
        words = f"Spark cannot be started ({_cause(error)}). Check --master, and that 'java -version' is 17 or later."
        _explain(error, words)
    try:
        failed = _run(session, job, output, given["summary"])
    except Exception as error:
        words = "Finished parts are kept; run the same command again to resume."
        _explain(error, f"the job failed ({_cause(error)}). {words}")
    finally:
        session.stop()
    for name, why in failed.items():
        click.echo(f"charlens: {name}: {why}", err=True)
    sys.exit(1 if failed else 0)


def _job(inputs: tuple[str, ...], given: dict[str, Any]) -> Job:
    """Return the work on archives, or with --column on Parquet files."""
    from charlens.integrations.parquet import Columns, table_job
    from charlens.integrations.spark import everywhere

    if given["column"] and given["summary"]:
        raise click.UsageError("--summary is about the pages of archives; leave out --summary or --column.")
    if given["column"]:
        own = ("column", "content_type", "identity", "text", "min_confidence", "model")
        return table_job(everywhere(inputs, "Parquet files"), Columns(*(given[name] for name in own)))
    if given["content_type"] or given["identity"]:
        raise click.UsageError(
            "--content-type and --id are for Parquet files; name the column with --column."
        )
    settings = Settings(given["text"], given["min_confidence"], given["model"], given["largest"])
    return archive_job(everywhere(inputs, "archives"), settings, given["unit"])


def _run(session: Any, job: Job, output: str, summary: bool) -> dict[str, str]:
    """Run *job* and print what was made; return the parts that could not be made, with the reasons."""
    from charlens.integrations.spark import run_job, summaries

    manifest = run_job(session, job, output)
    rows, parts, errors = (manifest[key] for key in ("rows", "parts", "errors"))
    click.echo(f"{count(rows, 'row')} in {count(parts, 'part')}; {errors_in(output, errors)}")
    if summary:
        for title, frame in summaries(session, output):
            click.echo(f"\n{title}")
            frame.show(20, truncate=False)
    failed: dict[str, str] = manifest["failed"]
    return failed


def _explain(error: Exception, words: str) -> NoReturn:
    """Exit with *words* about an error of Spark; other errors are raised again."""
    if not type(error).__module__.startswith(("py4j", "pyspark")):
        raise error
    click.echo(f"charlens: {words}", err=True)
    sys.exit(1)


def _cause(error: Exception) -> str:
    """Return the root cause of an error of Spark, in one line."""
    java = getattr(error, "java_exception", None)
    while java is not None and java.getCause() is not None:
        java = java.getCause()
    words = java.getMessage() if java is not None else str(error)
    return str(words).strip().partition("\n")[0].rstrip(".")


def _session(master: str | None) -> Any:
    from pyspark.sql import SparkSession

    builder: Any = SparkSession.builder
    builder = builder.appName("charlens")
    if master:
        builder = builder.master(master)
    elif "PYSPARK_GATEWAY_PORT" not in os.environ:  # otherwise spark-submit has set it
        builder = builder.master("local[*,4]")  # a task may fail four times, as on a cluster
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("FATAL")
    return session


if __name__ == "__main__":
    spark(prog_name="charlens spark")
