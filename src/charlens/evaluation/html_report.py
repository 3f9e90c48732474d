"""Write a report as one HTML page that needs no other file.

Everything that comes from outside, names of files above all, is escaped; texts read out of bytes
are shown with their control characters made visible.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from html import escape

from charlens.evaluation.judge import Grade
from charlens.evaluation.markdown import show
from charlens.evaluation.metrics import Interval, Tally
from charlens.evaluation.misses import Miss, Reading
from charlens.evaluation.plots import Picture
from charlens.evaluation.report_style import SCRIPT, STYLE
from charlens.evaluation.sections import Section
from charlens.evaluation.tables import Cell, Table

_RIGHT = {grade.value for grade in Grade if grade.right}


def to_html(sections: Sequence[Section], circumstances: Mapping[str, str]) -> str:
    """Return the whole page."""
    links = "".join(
        f'<a href="#{_anchor(section.title)}">{escape(section.title)}</a>' for section in sections
    )
    facts = "".join(
        f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in circumstances.items()
    )
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>charlens: evaluation</title><style>{STYLE}</style></head><body>"
        '<button id="theme" type="button">light / dark</button><h1>Encoding detectors, measured</h1>'
        "<p>An answer is right when it gives the text that the author wrote, by whatever name "
        "(<em>equitable</em>). The share of answers by the very name (<em>equal</em>) is next to it, "
        f"smaller.</p><nav>{links}</nav><dl>{facts}</dl>{''.join(map(_section, sections))}"
        f"<script>{SCRIPT}</script></body></html>\n"
    )


def _section(section: Section) -> str:
    parts = [f'<section id="{_anchor(section.title)}"><h2>{escape(section.title)}</h2>']
    if section.words:
        parts.append(f"<p>{escape(section.words)}</p>")
    for table in section.tables:
        if table.rows and table.title != section.title:
            parts.append(f"<h3>{escape(table.title)}</h3>")
        parts.append(_table(table) if table.rows else "")
    parts += [_figure(picture) for picture in section.pictures]
    parts += [_folded(table) for table in section.folded if table.rows]
    if section.histograms:
        inner = "".join(map(_folded, section.histograms))
        title = f"True against detected <span class=soft>{len(section.histograms)} encodings</span>"
        parts.append(f"<details><summary>{title}</summary><div class=inner>{inner}</div></details>")
    if section.misses:
        parts.append(_misses(section))
    parts.append("</section>")
    return "".join(parts)


def _folded(table: Table) -> str:
    summary = f"{escape(table.title)} <span class=soft>{len(table.rows)} lines</span>"
    return f"<details><summary>{summary}</summary>{_table(table)}</details>"


def _figure(picture: Picture) -> str:
    wide = ' class="wide"' if picture.name.startswith("confusion") else ""
    svg = picture.svg.replace("<svg", f'<svg role="img" aria-label="{escape(picture.title)}"', 1)
    return f"<figure{wide}>{svg}</figure>"


def _table(table: Table) -> str:
    numeric = [
        index > 0 and not any(isinstance(row[index], str) for row in table.rows)
        for index in range(len(table.columns))
    ]
    head = "".join(_head(name, number) for name, number in zip(table.columns, numeric, strict=True))
    body = "".join(_row(row, numeric) for row in table.rows)
    note = f'<p class="note">{escape(table.note)}</p>' if table.note else ""
    return (
        f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>{note}'
    )


def _head(name: str, numeric: bool) -> str:
    classes = ("n " if numeric else "") + ("ours" if name.startswith("charlens") else "")
    return f'<th class="{classes}">{escape(name)}</th>'


def _row(row: Sequence[Cell], numeric: Sequence[bool]) -> str:
    ours = ' class="ours"' if isinstance(row[0], str) and row[0].startswith("charlens") else ""
    cells = "".join(_cell(cell, number) for cell, number in zip(row[1:], numeric[1:], strict=True))
    return f"<tr{ours}><th>{escape(show(row[0]))}</th>{cells}</tr>"


def _cell(cell: Cell, numeric: bool) -> str:
    if isinstance(cell, Tally) and cell.total:
        # The colour is the square root of the share of misses, so a few misses are visible.
        heat = (1 - cell.share) ** 0.5
        small = f"<small>{100 * cell.equal_share:.1f}</small>"
        title = f"{cell.right} of {cell.total} right, {cell.equal} by the very name"
        return (
            f'<td class="n heat" style="--miss:{heat:.2f}" title="{title}">{100 * cell.share:.1f}{small}</td>'
        )
    if isinstance(cell, Interval):
        value, _, bounds = show(cell).partition(" ")
        return f'<td class="n">{value}<span class="ci">{bounds.strip("()")}</span></td>'
    return f"<td{' class=n' if numeric else ''}>{escape(show(cell))}</td>"


def _misses(section: Section) -> str:
    peers = list(
        dict.fromkeys(peer for miss in section.misses for reading in miss.readings for peer in reading.peers)
    )
    truths = sorted({miss.row.sample.true_name for miss in section.misses})
    cut = "" if section.missed == len(section.misses) else f", the first {len(section.misses):,}"
    return (
        f"<details><summary>The {section.missed:,} samples that some detector missed{cut}</summary>"
        '<form class="filters"><label>missed by '
        f"{_select(peers)}</label><label>true encoding {_select(truths)}</label>"
        '<label>words <input type="search"></label><output class="soft"></output></form>'
        f"{''.join(map(_miss, section.misses))}</details>"
    )


def _select(values: Sequence[str]) -> str:
    options = "".join(f"<option>{escape(value)}</option>" for value in values)
    return f'<select><option value="">any</option>{options}</select>'


def _miss(miss: Miss) -> str:
    sample = miss.row.sample
    by = " ".join(peer for reading in miss.readings if reading.grade not in _RIGHT for peer in reading.peers)
    facts = " · ".join(
        filter(None, (sample.encoding, sample.language, sample.source, f"{sample.length:,} bytes"))
    )
    first, rest = miss.after[:1], miss.after[1:]
    lines = "".join(map(_reading, miss.readings))
    return (
        f'<article class="miss" data-by="{escape(by)}" data-truth="{escape(sample.true_name)}">'
        f"<h4>{escape(sample.id)} <span>{escape(facts)}</span></h4>"
        f'<div class="hex">@{miss.offset}: {miss.before.hex(" ")} <b>{first.hex()}</b> {rest.hex(" ")}</div>'
        f'<table><tr><td>the label</td><td class="right">{escape(sample.encoding)}</td>'
        f"<td>{_text(miss.truth)}</td></tr>{lines}</table></article>"
    )


def _reading(reading: Reading) -> str:
    colour = "right" if reading.grade in _RIGHT else "faulty"
    return (
        f'<tr><td>{escape(", ".join(reading.peers))}</td><td class="{colour}">{escape(reading.name)}</td>'
        f"<td>{_text(reading.text)}</td></tr>"
    )


def _text(text: str | None) -> str:
    if text is None:
        return '<span class="soft">–</span>'
    visible = "".join(_visible(character) for character in text)
    return f'<span class="text" dir="auto">{escape(visible)}</span>'


def _visible(character: str) -> str:
    """Return the picture of a control character, anything else unchanged."""
    code = ord(character)
    if character == "\n":
        return "⏎"
    if code < 0x20:
        return chr(0x2400 + code)
    # C1 controls, direction characters and lone surrogates are invisible or break the page.
    if 0x7F <= code < 0xA0 or 0x200B <= code <= 0x200F or 0x202A <= code <= 0x202E or 0xD800 <= code < 0xE000:
        return f"⟨{code:04X}⟩"
    return character


def _anchor(title: str) -> str:
    return re.sub(r"\W+", "-", title.lower()).strip("-")
