"""`charlens warc`: the pages of crawl archives, decoded, as a table in Parquet.

Arguments only: `charlens.integrations.warc` makes the rows, `parts` writes them.
"""

from __future__ import annotations

import importlib.util
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from charlens.cli import parts
from charlens.integrations.warc import LARGEST, UNIT, Settings, Unit, decode_unit, schema, split

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow


def need(*modules: str, extra: str) -> None:
    """End the program with words where a library is missing."""
    for module in modules:
        if importlib.util.find_spec(module) is None:
            raise click.UsageError(f"this needs {module}: pip install 'charlens[{extra}]'")


@click.command()
@click.argument("inputs", nargs=-1, required=True, metavar="IN...")
@parts.part_options
@click.option(
    "--largest", type=click.IntRange(1), default=LARGEST, help="Bytes over which a record is left out."
)
@click.option("--unit", type=click.IntRange(1), default=UNIT, help="Bytes of an archive in one part.")
def warc(inputs: tuple[str, ...], output: str, **given: Any) -> None:
    """Decode the HTML and text pages of WARC files into Parquet: declared, detected, language, conflict, text.

    Each part is a range of bytes of one archive. A part that exists is done: to go on after a crash, or with more
    archives, run the same command again. Records that cannot be read are listed in _errors.jsonl, with the reason.

    \b
    charlens warc CC-MAIN-*.warc.gz --output pages
    charlens warc crawl.warc.gz --output pages --no-text --report encodings.html
    duckdb -c "SELECT encoding, count(*) FROM 'pages/*.parquet' GROUP BY 1 ORDER BY 2 DESC"
    """
    need("fastwarc", "pyarrow", extra="warc")
    settings = Settings(given["text"], given["min_confidence"], given["model"], given["largest"])
    ending = parts.stamp("warc", settings, given["unit"], model=given["model"])
    paths = parts.expand(inputs, "archives")
    parts.prepare(output, ending)
    work = [
        parts.part_of(path, number, ending, unit.start, unit.end)
        for path in paths
        for number, unit in enumerate(split(path, given["unit"]))
    ]
    parts.run(work, output, partial(_rows, settings), schema(), given)


def _rows(settings: Settings, part: parts.Part) -> Iterator[pyarrow.RecordBatch]:
    return decode_unit(Unit(part.path, part.start, part.end), settings)
