"""`charlens encodings`: which encodings are there, and which are used for a language?"""

from __future__ import annotations

import click

from charlens.cli.records import render_records
from charlens.cli.terminal import columns, print_lines
from charlens.encodings import Encoding, all_encodings
from charlens.hints import tags_of


@click.command()
@click.option(
    "--for", "language", metavar="LANGUAGE", help="Only those used for a language: ru, 'Russian', zh-TW."
)
@click.option("--format", "form", type=click.Choice(("text", "json", "jsonl", "csv")), default="text")
def encodings(language: str | None, form: str) -> None:
    """List the encodings that charlens knows: its name, the name on the web, the kind and the languages.

    With --for, the Unicode encodings are left out: they are for every language. Among the others the common ones come
    first.

    \b
    charlens encodings
    charlens encodings --for russian
    charlens encodings --format json
    """
    found = all_encodings()
    if language is not None:
        try:
            tags = set(tags_of(language))
        except ValueError as error:
            raise click.UsageError(str(error)) from None
        found = tuple(
            sorted((each for each in found if tags & {*each.languages}), key=lambda each: -each.common)
        )
        if not found:
            raise click.UsageError(
                f"No legacy encoding is known for {language!r}; 'charlens encodings' lists all"
            )
    if form == "text":
        rows = [["name", "web name", "kind", "languages"], *(_row(each) for each in found)]
        print_lines(columns(rows))
    else:
        keys = ("name", "web", "iana", "kind", "languages")
        records = ({key: getattr(each, key) for key in keys} for each in found)
        print_lines(render_records(records, form, keys, noun="encodings"))


def _row(encoding: Encoding) -> list[str]:
    return [encoding.name, encoding.web or "-", encoding.kind, " ".join(encoding.languages) or "all"]
