"""The command `chardetect` of chardet: the same options and lines, with the answers of charlens.

`python -m charlens.compat.chardet` runs it.  The command of charlens itself is `charlens detect`.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Any

from charlens.compat import chardet
from charlens.compat.chardet import DEFAULT_MAX_BYTES
from charlens.compat.tables import language_name


def main(argv: Sequence[str] | None = None) -> None:
    """Print a line for each file; exit with code 1 if none could be read."""
    options = _parser().parse_args(argv)
    if not options.files:
        done = _report(sys.stdin.buffer.read(), "stdin", options)
    else:
        # max, not any, which would stop after the first success.
        done = max(_report_file(path, options) for path in options.files)
    if not done:
        sys.exit(1)


def _report_file(path: str, options: argparse.Namespace) -> bool:
    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError as error:
        print(f"chardetect: {path}: {error}", file=sys.stderr)
        return False
    return _report(data, path, options)


def _parser() -> argparse.ArgumentParser:
    eras = [era.lower() for era in chardet.EncodingEra.__members__]
    parser = argparse.ArgumentParser(prog="chardetect", description="Tell the encoding of files.")
    parser.add_argument("files", nargs="*", help="files to look at; standard input if none is named")
    parser.add_argument("--minimal", action="store_true", help="print the name of the encoding only")
    parser.add_argument("-l", "--language", action="store_true", help="print the language, too")
    parser.add_argument("-m", "--mime-type", action="store_true", help="print the MIME type, too")
    parser.add_argument(
        "-e", "--encoding-era", choices=eras, default="all", help="encodings of this era only"
    )
    parser.add_argument("-i", "--include-encodings", help="these encodings only, with commas between them")
    parser.add_argument("-x", "--exclude-encodings", help="none of these encodings")
    parser.add_argument("--no-match-encoding", default="cp1252", help="what to answer where nothing fits")
    parser.add_argument("--empty-input-encoding", default="utf-8", help="what to answer for an empty file")
    parser.add_argument("--version", action="version", version=f"chardet {chardet.__version__}")
    return parser


def _keywords(options: argparse.Namespace) -> dict[str, Any]:
    def split(names: str | None) -> list[str] | None:
        return None if names is None else [name.strip() for name in names.split(",")]

    return {
        "encoding_era": chardet.EncodingEra[options.encoding_era.upper()],
        "include_encodings": split(options.include_encodings),
        "exclude_encodings": split(options.exclude_encodings),
        "no_match_encoding": options.no_match_encoding,
        "empty_input_encoding": options.empty_input_encoding,
        "max_bytes": DEFAULT_MAX_BYTES,
    }


def _report(data: bytes, path: str, options: argparse.Namespace) -> bool:
    """Print the line for one file; if that fails, print an error to standard error and return False."""
    try:
        result = chardet.detect(data, **_keywords(options))
    except Exception as error:  # continue with the other files, as chardetect does
        print(f"chardetect: {path}: detection failed: {error}", file=sys.stderr)
        return False
    code = result["language"] or "und"
    parts = [str(result["encoding"])]
    if options.language:
        parts.append(code if options.minimal else f"{code} ({language_name(code)})")
    if options.mime_type:
        parts.append(result["mime_type"] or "application/octet-stream")
    line = " ".join(parts)
    print(line if options.minimal else f"{path}: {line} with confidence {result['confidence']}")
    return True
