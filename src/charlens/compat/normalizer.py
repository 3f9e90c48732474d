"""The command `normalizer` of charset-normalizer: the same options and JSON, with the answers of charlens.

`python -m charlens.compat.charset_normalizer` runs it.  The command of charlens that converts files is
`charlens convert`; this one writes the same files as its original, but atomically.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from typing import Any, BinaryIO

from charlens.compat import charset_normalizer
from charlens.compat.matches import CharsetMatch
from charlens.files.atomic import write_atomically


def cli_detect(argv: Sequence[str] | None = None) -> int:
    """Print the result for each file, and convert it to UTF-8 if requested; return 0 if there was no error."""
    options = _parser().parse_args(argv)
    try:
        complaint = _complaint(options)
        if complaint:
            print(complaint, file=sys.stderr)
            return 1
        records: list[dict[str, Any]] = []
        for file in options.files:
            found = _examine(file, options)
            records += found
            if options.normalize and found[0]["encoding"] and not _normalize(file, found[0], options):
                return 2
    finally:
        for file in options.files:
            if file is not sys.stdin.buffer:
                file.close()
    if options.minimal:
        for file in options.files:
            path = os.path.abspath(file.name)
            print(", ".join(each["encoding"] or "undefined" for each in records if each["path"] == path))
    else:
        print(
            json.dumps(
                [_shown(each) for each in records] if len(records) > 1 else _shown(records[0]), indent=4
            )
        )
    return 0


def query_yes_no(question: str, default: str = "yes") -> bool:
    """Ask until the answer is yes or no; an empty answer is the *default*."""
    while True:
        answer = input(f"{question} [{'Y/n' if default == 'yes' else 'y/N'}] ").strip().lower() or default
        if answer in ("y", "yes", "n", "no"):
            return answer[0] == "y"
        print("Please respond with 'y' or 'n'.")


def _binary_file(path: str) -> BinaryIO:
    try:
        return sys.stdin.buffer if path == "-" else open(path, "rb")
    except OSError as error:
        raise argparse.ArgumentTypeError(f"can't open '{path}': {error}") from error


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="normalizer", description="Tell the encoding of files; write them in UTF-8."
    )
    parser.add_argument("files", type=_binary_file, nargs="+", help="files to look at; - is standard input")
    for short, long, words in (
        ("-v", "--verbose", "log the steps to standard error"),
        ("-a", "--with-alternative", "print the other readings, too"),
        ("-n", "--normalize", "write a copy in UTF-8 next to the file"),
        ("-m", "--minimal", "print the names of the encodings only"),
        ("-r", "--replace", "with --normalize: replace the file"),
        ("-f", "--force", "with --replace: do not ask"),
        ("-i", "--no-preemptive", "do not go by what the file declares"),
    ):
        parser.add_argument(short, long, action="store_true", help=words)
    parser.add_argument("-t", "--threshold", type=float, default=0.2, help="taken, without effect")
    parser.add_argument(
        "--version",
        action="version",
        version=f"Charset-Normalizer {charset_normalizer.__version__} by charlens",
    )
    return parser


def _complaint(options: argparse.Namespace) -> str:
    if options.replace and not options.normalize:
        return "Use --replace in addition of --normalize only."
    if options.force and not options.replace:
        return "Use --force in addition of --replace only."
    return "" if 0.0 <= options.threshold <= 1.0 else "--threshold VALUE should be between 0. AND 1."


def _examine(file: BinaryIO, options: argparse.Namespace) -> list[dict[str, Any]]:
    """Return the record of the best reading, and of the others if requested."""
    matches = charset_normalizer.from_fp(
        file, explain=options.verbose, preemptive_behaviour=not options.no_preemptive
    )
    best = matches.best()
    if best is None:
        print(f'Unable to identify originating encoding for "{file.name}".', file=sys.stderr)
    listed = [best, *(each for each in matches if options.with_alternative and each is not best)]
    return [_record(os.path.abspath(file.name), each, each is best) for each in listed]


def _record(path: str, match: CharsetMatch | None, preferred: bool) -> dict[str, Any]:
    return {
        "path": path,
        "encoding": match.encoding if match else None,
        "encoding_aliases": match.encoding_aliases if match else [],
        "alternative_encodings": match.could_be_from_charset[1:] if match else [],
        "language": match.language if match else "Unknown",
        "alphabets": match.alphabets if match else [],
        "has_sig_or_bom": bool(match and match.bom),
        "chaos": match.percent_chaos if match else 1.0,
        "coherence": match.percent_coherence if match else 0.0,
        "unicode_path": None,
        "is_preferred": preferred,
        "match": match,
    }


def _shown(record: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in record.items() if key != "match"}


def _normalize(file: BinaryIO, record: dict[str, Any], options: argparse.Namespace) -> bool:
    """Write the file in UTF-8; False if that fails."""
    name, encoding = file.name, record["encoding"]
    if encoding.startswith("utf"):
        print(
            f'"{name}" file does not need to be normalized, as it already came from unicode.', file=sys.stderr
        )
        return True
    target = os.path.realpath(name)
    if not options.replace:
        folder, base = os.path.split(target)
        parts = base.split(".")
        parts.insert(-1, encoding)
        target = os.path.join(folder, ".".join(parts))
    elif not options.force and not query_yes_no(
        f'Are you sure to normalize "{name}" by replacing it ?', "no"
    ):
        return True
    try:
        write_atomically(target, record["match"].output())
    except OSError as error:
        print(error, file=sys.stderr)
        return False
    record["unicode_path"] = target
    return True
