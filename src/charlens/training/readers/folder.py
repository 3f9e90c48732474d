"""Write texts into the folder that `charlens train --corpus` takes: `<language>/<source>-<part>.txt`, UTF-8.

Training holds out whole sources to calibrate and to test on, so a dataset becomes several files of a language, and a
document is in one of them only.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from charlens.files.atomic import write_atomically
from charlens.training.readers.texts import ReaderError, Text


class Amount(NamedTuple):
    """How much to take."""

    #: Characters of each language: the corpus of the built-in model has about as many in its larger languages.
    most: int = 2_000_000
    #: Documents with fewer characters are ignored: stubs, titles, empty rows.
    shortest: int = 200
    #: Files of each language; four is the least with which training holds out whole sources.
    parts: int = 5


class Written(NamedTuple):
    """What came of a language."""

    documents: int
    characters: int
    files: int


# A tag names a folder, so it may have nothing in it but what tags have.
_TAG = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*")


def write_corpus(texts: Iterable[Text], out: Path, source: str, amount: Amount) -> dict[str, Written]:
    """Write *texts* below *out* under the name *source*, and say what was written of each language.

    Reading stops when every language that was found has enough, and a hundred documents in a row were not wanted.
    """
    kept: dict[str, list[str]] = {}
    sizes: dict[str, int] = {}
    seen: set[bytes] = set()
    unwanted = 0
    for text in texts:
        language = _language(text)
        content = _clean(text.content)
        digest = hashlib.blake2b(content.encode(), digest_size=16).digest()
        if sizes.get(language, 0) >= amount.most:
            unwanted += 1
            if all(size >= amount.most for size in sizes.values()) and unwanted >= _PATIENCE:
                break
            continue
        unwanted = 0
        if len(content) >= amount.shortest and digest not in seen:
            seen.add(digest)
            kept.setdefault(language, []).append(content)
            sizes[language] = sizes.get(language, 0) + len(content)
    return {language: _write(out / language, source, contents, amount) for language, contents in kept.items()}


# Of a dataset with one language the first document too many could end it; of one with several, others may still come.
_PATIENCE = 100


def _language(text: Text) -> str:
    if text.language is None:
        raise ReaderError(
            "the source does not say its language. Say --language xx, or --language-field COLUMN."
        )
    tag = text.language.replace("_", "-")
    if not _TAG.fullmatch(tag):
        raise ReaderError(
            f"{text.language!r} is not a language tag such as ru, zh-hant or sr-latn. Say --language xx."
        )
    return tag.lower()


def _clean(content: str) -> str:
    """Return the text as one would type it: composed letters, plain line endings, no lone surrogates and no NUL."""
    text = unicodedata.normalize("NFC", content.replace("\r\n", "\n").replace("\0", ""))
    return text.encode("utf-8", "ignore").decode("utf-8").strip()


def _write(folder: Path, source: str, contents: list[str], amount: Amount) -> Written:
    folder.mkdir(parents=True, exist_ok=True)
    parts = min(amount.parts, len(contents))
    for part in range(parts):
        words = "\n\n".join(contents[part::parts]) + "\n"
        write_atomically(folder / f"{source}-{part + 1}.txt", words.encode())
    return Written(len(contents), sum(map(len, contents)), parts)
