"""The scenarios of the paper on pages, as tables: by encoding, by language, by share of markup, by declaration.

`measure_pages` runs the detectors; `write_pages` writes REPORT.md and results.json.  The tables are those of Faghani,
Hadian and Minaei-Bidgoli (3 and 4), with all other encodings and languages next to theirs.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from charlens import kernel
from charlens.evaluation.datasets import Dataset, read_dataset
from charlens.evaluation.ensemble import calibrated, compare
from charlens.evaluation.faghani import (
    Group,
    accuracies,
    histogram,
    natural_table,
    percent_right,
    read_corpus,
)
from charlens.evaluation.made_pages import PageRecipe, made_pages, real_pages
from charlens.evaluation.parts import PARTS, part_of
from charlens.evaluation.peers_on_pages import content_peers, declared_peers
from charlens.evaluation.plan import Announce
from charlens.evaluation.results import Evaluation, Row, evaluate, state_of
from charlens.evaluation.run import RunOptions

#: The encodings of the paper's Table 3, each with those that are the same on the web.
ENCODINGS: Mapping[str, tuple[str, ...]] = {
    "UTF-8": ("utf-8",),
    "windows-1251": ("cp1251",),
    "GBK": ("gb2312", "gbk", "gb18030"),
    "windows-1256": ("cp1256",),
    "Shift_JIS": ("shift_jis", "cp932"),
}
#: The languages of its Table 4.
LANGUAGES: Mapping[str, tuple[str, ...]] = {
    "English": ("en",),
    "Russian": ("ru",),
    "Japanese": ("ja",),
    "Arabic": ("ar",),
    "Chinese": ("zh", "zh-hans", "zh-hant"),
    "German": ("de",),
    "Persian": ("fa",),
    "Indian, English": ("hi", "en"),
}
OTHERS = "all others"
_SHARES = ((0.50, "0–50 %"), (0.80, "50–80 %"), (0.95, "80–95 %"), (1.01, "over 95 %"))


@dataclass(frozen=True)
class PageRun:
    """The results on pages."""

    real: Evaluation
    #: The same pages with their original declarations.
    own: Evaluation
    made: Evaluation
    everything: Evaluation
    right: Evaluation
    wrong: Evaluation
    detectors: tuple[str, ...]


def measure_pages(
    labelled: Path, html: Path, recipe: PageRecipe, options: RunOptions, announce: Announce
) -> PageRun:
    """Make the pages, call all detectors, and judge."""

    def asked(dataset: Dataset, declared: bool) -> Evaluation:
        peers = declared_peers() if declared else content_peers()
        announce(dataset.name, len(dataset.samples), [peer.name for peer in peers if peer.available()])
        return evaluate(dataset, peers, options)

    def made(declared: str, web_only: bool = True) -> Dataset:
        chosen = PageRecipe(recipe.per_class, web_only, declared, recipe.seed)
        return made_pages(html, chosen)

    states = [state_of(peer) for peer in (*content_peers(), *declared_peers())]
    return PageRun(
        asked(real_pages(read_dataset(labelled)), False),
        asked(real_pages(read_dataset(labelled), blank=False), True),
        asked(made("none"), False),
        asked(made("none", web_only=False), False),
        asked(made("right"), True),
        asked(made("wrong", web_only=False), True),
        tuple(dict.fromkeys(f"{state.name}: {state.missing or state.version}" for state in states)),
    )


def table(rows: Sequence[Row], peers: Sequence[str], names: Sequence[str], group: Group) -> list[list[str]]:
    """Return a table: one line for each of *peers*, one column for each of *names*, with shares in percent."""
    members = {name: [row for row in rows if name in group(row)] for name in names}
    lines = [["", *(f"{name} ({len(found):,})" for name, found in members.items() if found)]]
    for peer in peers:
        lines.append([peer, *(percent_right(found, peer) for found in members.values() if found)])
    return lines


def by_encoding(row: Row) -> Sequence[str]:
    """Return the column of Table 3 that a page belongs to."""
    true = row.sample.true_name
    return [name for name, members in ENCODINGS.items() if true in members] or [OTHERS]


def by_language(row: Row) -> Sequence[str]:
    """Return the columns of Table 4 that a page belongs to."""
    language = row.sample.language.lower()
    return [name for name, members in LANGUAGES.items() if language in members] or [OTHERS]


def by_share(row: Row) -> Sequence[str]:
    """Return the class of a page by its share of markup."""
    data = row.sample.load()
    share = 1 - len(kernel.strip_markup(data, 0)) / max(1, len(data))
    return [next(name for limit, name in _SHARES if share < limit)]


def encoding_table(rows: Sequence[Row], peers: Sequence[str]) -> list[list[str]]:
    """Return Table 3 with all other encodings; if all its five have pages, also their mean and the published lines."""
    five, rest = (table(rows, peers, names, by_encoding) for names in (list(ENCODINGS), [OTHERS]))
    if len(five[0]) <= len(ENCODINGS):
        return table(rows, peers, (*ENCODINGS, OTHERS), by_encoding)
    paper = [[head, *shares] for head, shares in accuracies(list(ENCODINGS)).items()]
    means = ["mean of the five", *(_mean(line[1:]) for line in (*five[1:], *paper))]
    others = [*(line[1:] for line in rest), *([""] * len(rest[0][1:]) for _ in paper)]
    return [[*line, mean, *other] for line, mean, other in zip([*five, *paper], means, others, strict=True)]


def by_part(row: Row) -> Sequence[str]:
    """Return the columns of a real page: all, and the part of its source, development or test."""
    return ["all", part_of(row.sample.source)]


def _mean(shares: Sequence[str]) -> str:
    return f"{sum(map(float, shares)) / len(shares):.2f}"


def sections(run: PageRun) -> list[tuple[str, list[list[str]]]]:
    """Return the tables with their titles."""
    both = (*run.real.rows, *run.made.rows)
    names = run.made.namers
    shares = [name for _, name in _SHARES]
    languages = (*LANGUAGES, OTHERS)
    with_language = [row for row in both if row.sample.language]
    every = "By share of markup, made pages in every encoding"
    return [
        ("Encoding by encoding", encoding_table(both, names)),
        *histograms(both, names),
        ("Language by language", table(with_language, names, languages, by_language)),
        ("Languages by natural frequencies", natural_table(with_language, names, by_language)),
        ("Real pages in old encodings", table(run.real.rows, names, ["all", *PARTS], by_part)),
        ("By share of markup", table(both, names, shares, by_share)),
        (every, table(run.everything.rows, names, shares, by_share)),
        ("Calibrated probabilities", calibrated({"real and made pages": both, "real pages": run.real.rows})),
        ("An ensemble, web encodings", compare(both)),
        ("An ensemble, made pages in every encoding", compare(run.everything.rows)),
        ("Declarations", declaration_table(run)),
    ]


def declaration_table(run: PageRun) -> list[list[str]]:
    """Return the shares on pages with original, with right and with wrong declarations."""
    sets = {"real pages, unchanged": run.own, "right declaration": run.right, "wrong declaration": run.wrong}
    return [
        ["", *(f"{name} ({len(found.rows):,})" for name, found in sets.items())],
        *(
            [peer, *(percent_right(found.rows, peer) for found in sets.values())]
            for peer in run.own.namers
        ),
    ]


def histograms(rows: Sequence[Row], peers: Sequence[str]) -> list[tuple[str, list[list[str]]]]:
    """Return the answers of each detector on whole pages, for each of the five encodings, as in Table 3."""
    shown = [peer for peer in peers if not peer.endswith((", words", ", all bytes"))]
    parts = {name: [row for row in rows if name in by_encoding(row)] for name in ENCODINGS}
    return [
        (f"True against detected, {name}", histogram(found, name, shown))
        for name, found in parts.items()
        if found
    ]


def measure_corpus(place: Path, options: RunOptions, announce: Announce) -> list[tuple[str, list[list[str]]]]:
    """Run all detectors on the paper's own corpus, and return its Table 3."""
    dataset, peers = read_corpus(place), content_peers()
    announce(dataset.name, len(dataset.samples), [peer.name for peer in peers if peer.available()])
    found = evaluate(dataset, peers, options)
    return [
        ("Encoding by encoding", encoding_table(found.rows, found.namers)),
        *histograms(found.rows, found.namers),
    ]


def misses(run: PageRun, most: int = 60) -> list[str]:
    """Return the pages that charlens got wrong, with its answers."""
    lines = []
    for evaluation, peer in (
        (run.real, "charlens"),
        (run.own, "charlens, verify"),
        (run.made, "charlens"),
        (run.everything, "charlens"),
        (run.right, "charlens, verify"),
        (run.wrong, "charlens, verify"),
    ):
        if peer not in evaluation.namers:
            continue
        for row in evaluation.rows:
            if not row.right(peer):
                said = row.answers[peer].encoding
                lines.append(
                    f"{evaluation.dataset.name}: {row.sample.id} is {row.sample.true_name}, said {said}"
                )
    return list(dict.fromkeys(lines))[:most]


def write_pages(run: PageRun, folder: Path, facts: Mapping[str, str]) -> list[Path]:
    """Write REPORT.md and results.json to *folder*."""
    folder.mkdir(parents=True, exist_ok=True)
    parts = ["# Pages", "\n".join(f"- {name}: {value}" for name, value in facts.items())]
    parts.append("\n".join(f"- {line}" for line in run.detectors))
    found = sections(run)
    for title, lines in found:
        parts += [f"## {title}", markdown(lines)]
    parts += ["## What charlens missed", "\n".join(f"- {line}" for line in misses(run)) or "Nothing."]
    report, record = folder / "REPORT.md", folder / "results.json"
    report.write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    kept = json.dumps({"facts": dict(facts), "tables": dict(found)}, ensure_ascii=False, indent=1)
    record.write_text(kept + "\n", encoding="utf-8")
    return [report, record]


def markdown(lines: Sequence[Sequence[str]]) -> str:
    """Return a table in Markdown; the first line is its head."""
    head, *body = lines
    rule = ["---", *("--:" for _ in head[1:])]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (head, rule, *body))
