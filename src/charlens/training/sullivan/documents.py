"""Pages become documents: the same text, written in each encoding of its language.

Charset declarations are blanked in the text before it is written: all pages declare UTF-8, and only the other
bytes shall decide.  A character that the encoding lacks becomes '?', as with Java's encoders.  `sampling` chooses
the documents for training and for testing.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from enum import Enum
from pathlib import Path
from typing import NamedTuple

from charlens.errors import CharlensError
from charlens.training.sullivan.links import add_links
from charlens.training.sullivan.paper import CODECS, LABELS, LANGUAGES, encodings_of


class PagesError(CharlensError, ValueError):
    """The folder of pages is not what the experiment needs."""


class Role(Enum):
    """What a page may be used for."""

    BOTH = "both"
    TRAINING = "training"
    TEST = "test"


class Page(NamedTuple):
    """A web page, or a part of one."""

    language: str
    #: What may not be on both sides of the split: the file, also where this is a part of it.
    name: str
    text: str
    #: A part stands in for a long page in training; tests are on whole pages.
    role: Role


class Document(NamedTuple):
    """A page in one encoding."""

    page: Page
    label: str
    data: bytes
    #: Labels that it cannot be a negative example of, since its bytes would be the same in them.
    twins: frozenset[str] = frozenset()
    #: Whether it is left out: a narrower label has the same bytes, or the plan excludes it.
    owned: bool = False


class Twins(Enum):
    """What becomes of a document that is the same bytes in two labels.

    The paper does not mention the question, and need not: its pages are Wikipedia's, whose links to other languages
    are in dozens of scripts, so that no page fits into US-ASCII or GB2312 whole, and none is the same bytes in UTF-8 or
    GB18030.  Pages without such links can be.
    """

    #: It belongs to the narrower label alone: ASCII bytes are US-ASCII, and GB18030 begins where GB2312 ends.
    NARROWEST = "narrowest"
    #: It is an example of both, and a negative example of each.
    NEVER = "never"
    #: It is an example of both, where Table 3 writes the page's language in both, and no negative example of either.
    LANGUAGE = "language"
    #: It is no negative example of any label in which its text, '?' and all, is the same bytes: none in US-ASCII counts
    #: against UTF-8, and none in GB2312 against GB18030.
    BYTES = "bytes"


# The value goes, the rest stays: '<meta charset="utf-8">' becomes '<meta charset="">'.
_DECLARATION = re.compile(
    r"""(charset\s*=\s*["']?\s*|<\?xml[^>]{0,200}?\bencoding\s*=\s*["'])[A-Za-z0-9][\w.:+()-]*""",
    re.IGNORECASE,
)
_MARK = b"\xfe\xff"
# The dash and the dot of GB2312, A1AA and A1A4, are other characters to Python's codec than to Java's and to GB18030.
_TO_GB2312 = {ord("\u2014"): "\u2015", ord("\u00b7"): "\u30fb"}
_FROM_GB2312 = {ord(theirs): ours for ours, theirs in _TO_GB2312.items()}


def read_pages(folder: Path, cut: int = 0, links: int = 0) -> list[Page]:
    """Return the pages below *folder*, `<language>/<name>`, of the languages of Table 3.

    With *cut*, a page of at least twice *cut* characters is cut into parts of at least that size for training.  With
    *links* each page gets at least that many links to other languages.
    """
    pages: list[Page] = []
    for language in LANGUAGES:
        paths = sorted(path for path in (folder / language).glob("*") if path.is_file())
        if len(paths) < _FEWEST:
            raise PagesError(
                f"{folder} has {len(paths)} pages in '{language}'; the experiment needs at least {_FEWEST} in each of "
                f"{', '.join(LANGUAGES)}, as UTF-8 files <language>/<name>."
            )
        for path in paths:
            name = f"{language}/{path.name}"
            text = blank_declarations(_read(path))
            pages.extend(_roles(language, name, add_links(text, name, links) if links else text, cut))
    return pages


def _roles(language: str, name: str, text: str, cut: int) -> list[Page]:
    parts = cut_text(text, cut) if cut else [text]
    if len(parts) == 1:
        return [Page(language, name, text, Role.BOTH)]
    return [
        Page(language, name, text, Role.TEST),
        *(Page(language, name, part, Role.TRAINING) for part in parts),
    ]


# A page for training and one for testing.
_FEWEST = 2


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise PagesError(
            f"{path} is not UTF-8 ({error.reason} at byte {error.start}). Pages are read as UTF-8 and then "
            "written in each encoding; convert it, or take it out of the folder."
        ) from error


def blank_declarations(text: str) -> str:
    """Return *text* without the names of encodings in its charset declarations."""
    return _DECLARATION.sub(r"\1", text)


def cut_text(text: str, size: int) -> list[str]:
    """Cut *text* after tags into parts of at least *size* characters.

    A part without non-ASCII characters joins the part before it, because whole pages have some: a part
    that could be in any encoding is no document of one.  (English pages may have none at all.)
    """
    parts: list[str] = []
    start = 0
    for tag in re.finditer(">", text):
        end = tag.end()
        if end - start >= size and len(text) - end >= size:
            parts.append(text[start:end])
            start = end
    parts.append(text[start:])
    if text.isascii():
        return parts
    joined = parts[:1]
    for part in parts[1:]:
        if part.isascii() or joined[-1].isascii():
            joined[-1] += part
        else:
            joined.append(part)
    return joined


def encode(text: str, label: str) -> bytes:
    """Write *text* as *label*, '?' where it lacks a character, and UTF-16 with its mark, as Java does."""
    if label == "GB2312":
        text = text.translate(_TO_GB2312)
    data = text.encode(CODECS[label], errors="replace")
    return _MARK + data if label == "UTF-16" else data


def decode(data: bytes, label: str) -> str:
    """Read back what `encode` wrote."""
    text = (data.removeprefix(_MARK) if label == "UTF-16" else data).decode(CODECS[label])
    return text.translate(_FROM_GB2312) if label == "GB2312" else text


def write_documents(pages: Iterable[Page], twins: Twins = Twins.NARROWEST) -> list[Document]:
    """Write every page in every encoding of its language."""
    documents: list[Document] = []
    for page in pages:
        written = {label: encode(page.text, label) for label in encodings_of(page.language)}
        for label, data in written.items():
            owned = twins is Twins.NARROWEST and _is_owned(label, data, written)
            same = _twins(label, data, written, twins)
            documents.append(Document(page, label, data, frozenset(same), owned))
    return documents


def _is_owned(label: str, data: bytes, written: dict[str, bytes]) -> bool:
    """Say whether a narrower label than *label* has these bytes; those of UTF-16 begin with a mark, and are its own."""
    if label == "GB18030" and written["GB2312"] == data:
        return True
    return label != "US-ASCII" and data.isascii()


def _twins(label: str, data: bytes, written: dict[str, bytes], twins: Twins) -> list[str]:
    if twins is Twins.NEVER:
        return []
    if twins in (Twins.LANGUAGE, Twins.NARROWEST):
        return [other for other in written if other != label and written[other] == data]
    # An encoding of two bytes a character has no twin among those that keep ASCII, and costs time to ask.
    if label == "UTF-16":
        return []
    text = decode(data, label)
    return [other for other in LABELS if other != label and _is_in(text, data, other)]


def _is_in(text: str, data: bytes, label: str) -> bool:
    try:
        return text.encode(CODECS[label]) == data
    except UnicodeEncodeError:
        return False


def count_twins(documents: Sequence[Document]) -> dict[tuple[str, str], int]:
    """Count, for each pair of labels, the pages that are the same bytes in both."""
    counts: dict[tuple[str, str], int] = {}
    for document in documents:
        for other in document.twins:
            if document.page.role is not Role.TRAINING and LABELS.index(document.label) < LABELS.index(other):
                counts[document.label, other] = counts.get((document.label, other), 0) + 1
    return counts


def fingerprint(pages: Iterable[Page]) -> str:
    """Return a hash of the pages, by which a model knows those that it was trained and tested on."""
    digest = hashlib.sha256()
    for page in pages:
        digest.update(f"{page.name} {page.role.value} {len(page.text)}\n{page.text}".encode())
    return digest.hexdigest()
