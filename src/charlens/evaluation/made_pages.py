"""Make pages to measure with: UTF-8 pages written in every encoding of their language, and what they declare.

A character that the encoding does not have becomes its usual substitute, else a character reference, as
authors and browsers wrote it.  Real pages in old encodings come from a labelled dataset.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from charlens.encodings import Encoding, all_encodings, web_lookup
from charlens.encodings.orthography import write
from charlens.evaluation.blanking import blank_declarations
from charlens.evaluation.datasets import Dataset, DatasetError, Sample, finish
from charlens.evaluation.judge import judge
from charlens.evaluation.names import resolve
from charlens.evaluation.peers import Answer

#: Kinds of samples that are pages.
KINDS = ("html", "xml", "subtitle")

# Wrong declarations: the labels that tools write by default, and those of similar encodings.
_WRONG_LABELS = (
    "iso-8859-1", "utf-8", "windows-1252", "windows-1251", "gb2312", "windows-1250", "iso-8859-2", "shift_jis",
    "euc-kr", "big5", "iso-8859-9", "iso-8859-7", "windows-1256", "koi8-r", "iso-8859-15", "windows-1257",
)  # fmt: skip
#: Every second wrong declaration is one of the first two, as on real pages.
_USUAL_LIES = 2

_HEAD = re.compile(rb"<head[^>]*>", re.IGNORECASE)
_BEYOND_ASCII = re.compile(r"[^\x00-\x7f]+")


@dataclass(frozen=True, slots=True)
class PageRecipe:
    """Which pages to make."""

    #: How many of each class, a pair of an encoding and a language.
    per_class: int = 12
    #: Only encodings that the web has a label for.
    web_only: bool = True
    #: What they declare: 'none', 'right' or 'wrong'.
    declared: str = "none"
    seed: int = 0


def real_pages(dataset: Dataset, *, blank: bool = True) -> Dataset:
    """Return the pages of a labelled *dataset* that are in old encodings; *blank* hides what they declare."""
    samples = (
        finish(replace(sample, blank=blank))
        for sample in dataset.samples
        if sample.kind in KINDS and not _is_unicode(sample.encoding)
    )
    return replace(dataset.subset(samples), name="real pages" if blank else "real pages as they are")


def _is_unicode(label: str) -> bool:
    name = resolve(label)
    return name is None or name.name.startswith(("utf", "ascii"))


def made_pages(folder: Path, recipe: PageRecipe) -> Dataset:
    """Write the UTF-8 pages of *folder*, `<language>/<source>__<name>`, in the encodings of their languages."""
    pages: dict[str, list[Path]] = {}
    for path in sorted(folder.glob("*/*")):
        pages.setdefault(path.parent.name.lower(), []).append(path)
    if not pages:
        raise DatasetError(f"{folder} holds no pages. It must hold UTF-8 pages as <language>/<name>.html.")
    samples = [
        sample
        for encoding in _encodings(recipe.web_only)
        for language in sorted(_languages(encoding, pages))
        for sample in _class_samples(encoding, language, pages[language], recipe)
    ]
    return Dataset(f"made pages, declaration {recipe.declared}", tuple(samples))


def _encodings(web_only: bool) -> list[Encoding]:
    chosen = [each for each in all_encodings() if each.kind in ("single", "multi") or each.name == "utf-8"]
    return [each for each in chosen if not web_only or _label(each) is not None]


def _label(encoding: Encoding) -> str | None:
    """Return the label that a page declares this encoding by, if the web has one."""
    labels = (encoding.web, encoding.iana, encoding.name)
    return next((label for label in labels if label and web_lookup(label)), None)


def _languages(encoding: Encoding, pages: dict[str, list[Path]]) -> set[str]:
    if encoding.name == "utf-8":
        return set(pages)
    return {language.lower() for language in encoding.languages} & set(pages)


def _class_samples(
    encoding: Encoding, language: str, paths: Sequence[Path], recipe: PageRecipe
) -> Iterator[Sample]:
    chance = random.Random(f"{recipe.seed}/{encoding.name}/{language}")
    left = recipe.per_class
    for path in chance.sample(paths, len(paths)):
        if not left:
            return
        data = blank_declarations(_written(path, encoding.name))
        if sum(byte >= 0x80 for byte in data) < 2:
            continue
        left -= 1
        label = _declared(data, encoding, recipe.declared, chance)
        yield finish(
            Sample(
                f"{language}/{path.name}@{encoding.name}",
                encoding.name,
                data=_with_label(data, label) if label else data,
                language=language,
                source=path.name.split("__")[0],
                kind="html",
                declared=label or "",
            )
        )


def _written(path: Path, codec: str) -> bytes:
    text = path.read_bytes().decode("utf-8-sig", "ignore")
    whole = write(text, codec)
    if whole is not None:
        return whole
    known: dict[str, str] = {}

    def fitting(match: re.Match[str]) -> str:
        return "".join(known.setdefault(c, _fitted(c, codec)) for c in match.group())

    return _BEYOND_ASCII.sub(fitting, text).encode(codec, "xmlcharrefreplace")


def _fitted(character: str, codec: str) -> str:
    written = write(character, codec)
    return f"&#{ord(character)};" if written is None else written.decode(codec)


def _declared(data: bytes, encoding: Encoding, declared: str, chance: random.Random) -> str | None:
    """Return the label to declare: the right one, or one that gives another text."""
    if declared == "none":
        return None
    if declared == "right":
        return _label(encoding) or encoding.name
    wrong = [
        label
        for label in _WRONG_LABELS
        if not judge(data, encoding.name, Answer(label, web_label=True)).grade.right
    ]
    usual = [label for label in wrong if label in _WRONG_LABELS[:_USUAL_LIES]]
    return chance.choice(usual if usual and chance.random() < 0.5 else wrong)


def _with_label(data: bytes, label: str) -> bytes:
    tag = f'<meta http-equiv="Content-Type" content="text/html; charset={label}">'.encode("ascii")
    head = _HEAD.search(data)
    place = head.end() if head else 0
    return data[:place] + tag + data[place:]
