"""`charlens train corpus`: public datasets become texts by language.

Options and messages; the readers do the work.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import click

from charlens.errors import CharlensError
from charlens.training.readers.files import read_file
from charlens.training.readers.folder import Amount, Written, write_corpus
from charlens.training.readers.hub import Dataset, read_dataset
from charlens.training.readers.texts import Fields, ReaderError, Text

_HUB = "hf:"


@click.command("corpus")
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE…")
@click.option(
    "--out", type=click.Path(file_okay=False, path_type=Path), required=True, help="Folder for the texts."
)
@click.option("--language", metavar="xx", help="The language of all texts, as a BCP 47 tag.")
@click.option("--language-field", metavar="NAME", help="The column that says the language.")
@click.option(
    "--text-field", metavar="NAME", default="text", show_default=True, help="The column with the text."
)
@click.option(
    "--config", metavar="NAME", help="The configuration of a Hugging Face dataset, such as 20231101.ru."
)
@click.option("--split", default="train", show_default=True, help="The split of a Hugging Face dataset.")
@click.option(
    "--most", type=click.IntRange(1), default=Amount().most, show_default=True,
    help="Maximum number of characters per language.",
)  # fmt: skip
@click.option(
    "--shortest", type=click.IntRange(1), default=Amount().shortest, show_default=True,
    help="Skip documents with fewer characters.",
)  # fmt: skip
@click.option(
    "--parts", type=click.IntRange(1), default=Amount().parts, show_default=True,
    help="Files of each language; with four or more, training sets whole files aside to test on.",
)  # fmt: skip
def corpus(**given: Any) -> None:
    """Turn datasets into a folder of texts by language, for 'charlens train --corpus'.

    A SOURCE is a file (.jsonl, .json, .ndjson, .parquet, .txt, or the .xml dump of a wiki; also compressed, as .gz,
    .bz2 or .xz) or hf:OWNER/NAME, a dataset of Hugging Face, which needs a network and pip install
    'charlens[datasets]'.

    \b
    charlens train corpus ruwiki-latest-pages-articles.xml.bz2 --out texts/
    charlens train corpus hf:wikimedia/wikipedia --config 20231101.ru --out texts/
    charlens train corpus news.jsonl.gz --text-field body --language-field lang --out texts/
    charlens train --corpus texts/ --out my-model/
    """
    amount = Amount(given["most"], given["shortest"], given["parts"])
    for source in given["sources"]:
        try:
            written = write_corpus(
                _texts(source, given), given["out"], name_of(source, given["config"]), amount
            )
            _check(written, source, amount)
        except CharlensError as error:
            raise click.ClickException(str(error)) from error
        except OSError as error:
            raise click.ClickException(f"{given['out']} cannot be written: {error}") from error
        for language, found in sorted(written.items()):
            click.echo(
                f"{given['out'] / language}: {found.documents:,} documents, {found.characters:,} characters, "
                f"{found.files} files, from {source}"
            )


def _texts(source: str, given: dict[str, Any]) -> Iterator[Text]:
    fields = Fields(given["text_field"], None if given["language"] else given["language_field"])
    texts: Iterable[Text]
    if source.startswith(_HUB):
        texts = read_dataset(Dataset(source.removeprefix(_HUB), given["config"], given["split"]), fields)
    else:
        texts = read_file(Path(source), fields)
    for text in texts:
        yield text._replace(language=given["language"]) if given["language"] else text


def name_of(source: str, config: str | None = None) -> str:
    """Return the name that files of *source* get: of a path its last part without endings, and nothing odd."""
    if source.startswith(_HUB):
        words = "-".join(
            [*source.removeprefix(_HUB).strip("/").split("/")[-2:], *([config] if config else [])]
        )
    else:
        words = Path(source).name.partition(".")[0]
    return re.sub(r"[^\w-]+", "-", words).strip("-") or "texts"


def _check(written: dict[str, Written], source: str, amount: Amount) -> None:
    if not written:
        raise ReaderError(
            f"{source} has no document of {amount.shortest} characters or more. Take shorter ones with --shortest."
        )
