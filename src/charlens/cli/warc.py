"""`charlens warc`: the pages of crawl archives, decoded, as a table in Parquet.

Only the arguments are here: `charlens.integrations.warc` makes the rows, and `parts` writes them.
"""

from __future__ import annotations

import importlib.util
from typing import Any

import click

from charlens.cli import parts
from charlens.integrations.parts import expand, prepare
from charlens.integrations.warc import LARGEST, UNIT, Settings, archive_job


def need(*modules: str, extra: str) -> None:
    """Exit with a message if a library is missing."""
    for module in modules:
        if importlib.util.find_spec(module) is None:
            raise click.UsageError(f"This command needs {module}: pip install 'charlens[{extra}]'")


@click.command()
@click.argument("inputs", nargs=-1, required=True, metavar="IN...")
@parts.part_options
@click.option(
    "--largest", type=click.IntRange(1), default=LARGEST, help="Skip records with more bytes than this."
)
@click.option("--unit", type=click.IntRange(1), default=UNIT, help="Size of a part, in bytes of the archive.")
def warc(inputs: tuple[str, ...], output: str, **given: Any) -> None:
    """Decode the HTML and text pages in WARC archives to Parquet, with declared and detected encoding and language.

    The output is written in parts, one per range of an archive. To resume after a crash, or to add archives, run the
    same command again: finished parts are skipped. Records that cannot be read are listed in _errors.jsonl.

    \b
    charlens warc CC-MAIN-*.warc.gz --output pages
    charlens warc crawl.warc.gz --output pages --no-text --report encodings.html
    duckdb -c "SELECT encoding, count(*) FROM 'pages/*.parquet' GROUP BY 1 ORDER BY 2 DESC"
    """
    need("fastwarc", "pyarrow", extra="warc")
    settings = Settings(given["text"], given["min_confidence"], given["model"], given["largest"])
    with parts.as_usage_errors():
        job = archive_job(expand(inputs, "archives"), settings, given["unit"])
        prepare(output, job.ending)
    parts.run(job, output, given)
