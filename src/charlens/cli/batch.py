"""`charlens batch`: a column of bytes in Parquet files, decoded, as a table in Parquet.

Only the arguments are here: `charlens.integrations.parquet` makes the rows, and `parts` writes them.
"""

from __future__ import annotations

from typing import Any

import click

from charlens.cli import parts
from charlens.cli.warc import need
from charlens.integrations.parts import expand, prepare


@click.command()
@click.argument("inputs", nargs=-1, required=True, metavar="IN.parquet...")
@click.option("--column", required=True, help="The column with the bytes.")
@click.option("--content-type", help="The column with the HTTP Content-Type headers, if any.")
@click.option(
    "--id", "identity", help="A column to copy to the output, for joins.  [default: the row number]"
)
@parts.part_options
def batch(inputs: tuple[str, ...], output: str, **given: Any) -> None:
    """Decode a column of bytes in Parquet files; the output has encoding, confidence, language, damage and text.

    The output is written in parts, one per row group. To resume after a crash, run the same command again: finished
    parts are skipped.

    \b
    charlens batch pages.parquet --column body --content-type header --id url --output decoded
    """
    need("pyarrow", extra="arrow")
    from charlens.integrations.parquet import Columns, table_job

    own = (given[name] for name in ("column", "content_type", "identity", "text", "min_confidence", "model"))
    with parts.as_usage_errors():
        job = table_job(expand(inputs, "Parquet files"), Columns(*own))
        prepare(output, job.ending)
    parts.run(job, output, given, unit="rows")
