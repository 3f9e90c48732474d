"""The tables of Faghani, Hadian and Minaei-Bidgoli as published, next to ours in the same shape; and their corpus.

`faghani.json` has the published counts, and how often each charset stood in the HTTP headers of the pages that they
fetched for each language: the natural frequencies behind their Table 4.
"""

from __future__ import annotations

import json
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from charlens.evaluation.datasets import Dataset, DatasetError, Sample, finish
from charlens.evaluation.names import resolve
from charlens.evaluation.results import Row, detected_name
from charlens.types import Outcome

#: Their detectors by column.
_THEIRS = {"icu": "ICU, paper", "chardet": "CharDet, paper", "hybrid": "hybrid, paper"}
#: The lines of their Table 3 by our names; the rest counts as other.
_LINES = {
    "utf-8": "UTF-8",
    "cp1251": "windows-1251",
    "gb18030": "GB18030",
    "gbk": "GBK",
    "cp1256": "windows-1256",
    "shift_jis": "Shift_JIS",
    "cp932": "Shift_JIS",
    "iso8859-1": "ISO-8859-1",
    "cp1252": "windows-1252",
    "big5": "Big5",
    "gb2312": "GB2312",
    "utf-16-le": "UTF-16LE",
    "utf-16-be": "UTF-16BE",
}
_OTHERS, _NONE = "others", "no answer"

#: The path of the corpus in their repository; unpacked it is `corpus/<charset>/<page>`.
_PLACES = ("eval/test-data/encoding-wise", "test-data/encoding-wise", "")


def published() -> dict[str, Any]:
    """Return the published counts."""
    found: dict[str, Any] = json.loads(Path(__file__).with_name("faghani.json").read_text(encoding="utf-8"))
    return found


def accuracies(encodings: Sequence[str]) -> dict[str, list[str]]:
    """Return the published shares of right pages for each detector, in the order of *encodings*."""
    table = published()["table_3"]
    return {head: [str(table[name]["accuracy"][key]) for name in encodings] for key, head in _THEIRS.items()}


def histogram(rows: Sequence[Row], truth: str, peers: Sequence[str]) -> list[list[str]]:
    """Return the part of Table 3 for the encoding *truth*: a line for each encoding named, a column for each detector.

    *rows* are the pages in that encoding.
    """
    ours = {peer: Counter(_line(row, peer) for row in rows) for peer in peers}
    paper = published()["table_3"].get(truth, {})
    theirs = {head: Counter(paper[key]) for key, head in _THEIRS.items() if key in paper}
    columns: Mapping[str, Counter[str]] = {**ours, **theirs}
    order = [*dict.fromkeys(_LINES.values()), _OTHERS, _NONE]
    named = [line for line in order if any(column[line] for column in columns.values())]
    lines = [[f"{truth} ({len(rows):,})", *columns]]
    lines += [[line, *(str(column[line] or "") for column in columns.values())] for line in named]
    accuracy = [percent_right(rows, peer) for peer in peers]
    accuracy += [str(paper["accuracy"][key]) for key in _THEIRS if key in paper]
    return [*lines, ["accuracy, %", *accuracy]]


def percent_right(rows: Sequence[Row], peer: str) -> str:
    """Return the share of *rows* for which *peer* is right, in percent."""
    return _percent(sum(row.right(peer) for row in rows), len(rows))


def _percent(part: float, whole: int) -> str:
    return f"{100 * part / whole:.2f}" if whole else "–"


def _line(row: Row, peer: str) -> str:
    answer = row.answers[peer]
    if answer.encoding is None or answer.outcome is not Outcome.TEXT:
        return _NONE
    return _LINES.get(detected_name(answer.encoding), _OTHERS)


Group = Callable[[Row], Sequence[str]]


def natural_table(rows: Sequence[Row], peers: Sequence[str], by_language: Group) -> list[list[str]]:
    """Return Table 4 with each page weighted as often as its charset stood in the headers of that language.

    A charset without pages is not counted; its share is missing from the 100 % of the last line.
    """
    facts = published()
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        for language in by_language(row):
            groups.setdefault((language, _web(row.sample.true_name)), []).append(row)
    weights = {
        (language, name): count
        for language, charsets in facts["natural"].items()
        for name, count in _merged(charsets).items()
        if (language, name) in groups
    }
    languages = list(facts["table_4"])
    lines = [
        ["", *(f"{language} ({facts['table_4'][language]['pages']:,})" for language in languages), "total"]
    ]
    for peer in peers:
        shares = {key: sum(row.right(peer) for row in groups[key]) / len(groups[key]) for key in weights}
        cells = [
            _mean(shares, {key: weights[key] for key in weights if key[0] == each}) for each in languages
        ]
        lines.append([peer, *cells, _mean(shares, weights)])
    for key, head in _THEIRS.items():
        found = [facts["table_4"][language] for language in languages]
        whole = sum(each[key] for each in found) / sum(each["pages"] for each in found)
        lines.append([head, *(_percent(each[key], each["pages"]) for each in found), f"{100 * whole:.2f}"])
    return [*lines, ["share of headers covered", *_covered(languages, facts["natural"], weights)]]


def _covered(
    languages: Sequence[str], natural: Mapping[str, Mapping[str, int]], weights: Mapping[tuple[str, str], int]
) -> list[str]:
    known = [sum(count for key, count in weights.items() if key[0] == language) for language in languages]
    total = [sum(natural[language].values()) for language in languages]
    shares = [*zip(known, total, strict=True), (sum(known), sum(total))]
    return [_percent(part, whole) for part, whole in shares]


def _merged(charsets: Mapping[str, int]) -> Counter[str]:
    """Add up the charsets that are the same on the web."""
    merged: Counter[str] = Counter()
    for charset, count in charsets.items():
        name = resolve(charset)
        if name is not None:
            merged[_web(name.name)] += count
    return merged


#: Labels of the web that mean a wider encoding.
_WIDER = {
    "iso8859-1": "cp1252",
    "gb2312": "gbk",
    "gb18030": "gbk",
    "shift_jis": "cp932",
    "iso8859-9": "cp1254",
}


def _web(name: str) -> str:
    return _WIDER.get(name, name)


def _mean(shares: Mapping[tuple[str, str], float], weights: Mapping[tuple[str, str], int]) -> str:
    return _percent(sum(shares[key] * count for key, count in weights.items()), sum(weights.values()))


def read_corpus(place: Path) -> Dataset:
    """Read the paper's corpus: their repository, its corpus.zip, or that file unpacked; declarations are blanked."""
    found = list(_corpus_pages(place))
    samples = [
        finish(
            Sample(
                name, label, data=data, source="IUST-HTMLCharDet", kind="html", label_from="http", blank=True
            )
        )
        for name, label, data in found
        if resolve(label) is not None
    ]
    if not samples:
        raise DatasetError(
            f"{place} has no pages of the corpus. It must be a clone of IUST-HTMLCharDet, its "
            "eval/test-data/encoding-wise/corpus.zip, or a folder with <charset>/<page>."
        )
    return Dataset("corpus of the paper", tuple(samples))


def _corpus_pages(place: Path) -> Iterator[tuple[str, str, bytes]]:
    """Yield name, label and bytes of each page."""
    archives = [place] if place.is_file() else [place / part / "corpus.zip" for part in _PLACES]
    for archive in archives:
        if zipfile.is_zipfile(archive):
            with zipfile.ZipFile(archive) as file:
                for name in sorted(file.namelist()):
                    path = PurePosixPath(name)
                    if not name.endswith("/") and len(path.parts) > 1:
                        yield "/".join(path.parts[-2:]), path.parts[-2], file.read(name)
            return
    folders = [place / part / "corpus" for part in _PLACES]
    folder = next((each for each in folders if each.is_dir()), place)
    for page in sorted(folder.glob("*/*")):
        if page.is_file():
            yield f"{page.parent.name}/{page.name}", page.parent.name, page.read_bytes()
