"""Draw the summary of a scan as one self-contained HTML page with charts (SVG) and a table of all files.

The table is the one of `charlens inspect`.  Everything that comes from files, such as names, is escaped.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime
from html import escape
from typing import Any, NamedTuple

from charlens import __version__
from charlens.cli.survey import Summary
from charlens.cli.terminal import shown
from charlens.inspector.saved import one_page

#: The number of bars in a chart; one more bar has all others.
_BARS = 14
_ROW_HEIGHT = 26
_LABEL_WIDTH = 130
_BAR_WIDTH = 300
_CHART_WIDTH = 560

#: Styles in addition to those of `charlens inspect`.
_STYLE = """
:root { --bar: light-dark(#2e7fb8, #5fb0e6); --calm: light-dark(#8a97a4, #6d7a87); }
main > h1 { font-size: 28px; letter-spacing: -.02em } p.where { color: var(--soft); overflow-wrap: anywhere }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(150px, 1fr)); gap: 14px }
.tile { background: var(--card); border: 1px solid var(--line); border-radius: var(--radius); padding: 14px 18px }
.tile b { display: block; font-size: 24px; font-weight: 650; font-variant-numeric: tabular-nums }
.tile span, footer { color: var(--soft) }
.cards { columns: 460px; column-gap: 16px } .cards > * { break-inside: avoid; margin-bottom: 16px }
.cards svg { width: 100%; height: auto; display: block } svg text { fill: var(--ink); font: 13px system-ui, sans-serif }
svg .soft { fill: var(--soft); font-variant-numeric: tabular-nums } svg .track { fill: var(--line); opacity: .5 }
"""
#: The colours of bars are classes, because the page's security policy forbids style attributes.
_FILLS = "".join(
    f"svg .{name} {{ fill: var(--{name}) }}\n" for name in ("bar", "good", "calm", "warn", "bad")
)

_COLOURS = {
    "text": "good",
    "binary": "calm",
    "undecided": "warn",
    "empty": "calm",
    "unreadable": "bad",
    "utf-8": "good",
    "ascii": "good",
    "mixed": "warn",
    "unknown": "calm",
    "none": "calm",
}


def draw_page(summary: Summary, where: str, rows: Sequence[list[Any]] = ()) -> str:
    """Return the page for *summary*, the scan of *where*; *rows* are those of `charlens.inspector.overview`."""
    now = datetime.now().astimezone().strftime("%Y-%m-%d %H:%M %Z")
    titles = {
        "outcome": "Outcome",
        "encoding": "Encoding",
        "language": "Language",
        "newline": "Line endings",
        "bom": "Byte order mark",
    }
    charts = [
        _card(titles.get(name, name.capitalize()), chart(counter))
        for name, counter in summary.counters.items()
        if counter
    ]
    # Encodings and languages are long charts; the short ones fill the other column.
    order = sorted(charts, key=len, reverse=True)
    ended = " · interrupted; only the files processed so far" if summary.interrupted else ""
    body = (
        f'<main><h1>Encodings</h1><p class="where">{escape(where)} · {escape(now)}{ended}</p>'
        f'<div class="tiles">{"".join(_tiles(summary))}</div>'
        f'<div class="cards">{"".join(order)}</div>'
        f"{_table(summary.files, len(rows))}{''.join(_lists(summary))}"
        f"<footer>charlens {escape(__version__)}</footer></main>"
    )
    return one_page("Encodings in a folder", body, "report.js", list(rows), _STYLE + _FILLS)


def _table(files: int, rows: int) -> str:
    """Return the element for the table; "" if there are no rows."""
    more = f"<p>The table has no room for {files - rows:,} more files.</p>" if rows < files else ""
    return f'<div id="files"></div>{more}' if rows else ""


def _tiles(summary: Summary) -> Iterator[str]:
    from charlens.cli.scan import in_bytes

    rate = summary.files / summary.seconds if summary.seconds else 0
    for value, label in (
        (f"{summary.files:,}", summary.unit),
        (in_bytes(summary.size), "read"),
        (f"{len(summary.encodings):,}", "encodings"),
        (f"{summary.doubtful:,}", "doubtful"),
        (f"{summary.failed:,}", "could not be read"),
        (f"{rate:,.0f}", f"{summary.unit} a second, {summary.seconds:.1f} s"),
    ):
        yield f'<div class="tile"><b>{value}</b><span>{label}</span></div>'


def _card(title: str, body: str) -> str:
    return f'<section class="card"><h2>{escape(title)}</h2>{body}</section>'


class _Bar(NamedTuple):
    label: str
    number: int
    share: float
    #: Its share of the longest bar.
    length: float


def chart(counter: Counter[str]) -> str:
    """Return the numbers of *counter* as bars, the longest first."""
    bars = _bars(counter)
    height = _ROW_HEIGHT * len(bars) + 4
    rows = "".join(_row(index, bar) for index, bar in enumerate(bars))
    return f'<svg viewBox="0 0 {_CHART_WIDTH} {height}" role="img">{rows}</svg>'


def _bars(counter: Counter[str]) -> list[_Bar]:
    whole = sum(counter.values())
    ranked = counter.most_common()
    listed = ranked if len(ranked) <= _BARS else ranked[: _BARS - 1]
    rest = whole - sum(number for _, number in listed)
    if rest:
        listed = [*listed, (f"{len(ranked) - len(listed)} others", rest)]
    longest = max(number for _, number in listed)
    return [_Bar(label, number, number / whole, number / longest) for label, number in listed]


def _row(index: int, bar: _Bar) -> str:
    top = _ROW_HEIGHT * index
    # At least this wide: one file in a million must be visible.
    length = max(2.0, _BAR_WIDTH * bar.length)
    colour = _COLOURS.get(bar.label, "calm" if bar.label.endswith(" others") else "bar")
    middle = top + 18
    return (
        f"<g><title>{escape(bar.label)}: {bar.number:,}</title>"
        f'<text x="0" y="{middle}">{escape(bar.label)}</text>'
        f'<rect class="track" x="{_LABEL_WIDTH}" y="{top + 5}" width="{_BAR_WIDTH}" height="16" rx="3"/>'
        f'<rect x="{_LABEL_WIDTH}" y="{top + 5}" width="{length:.1f}" height="16" rx="3" class="{colour}"/>'
        f'<text class="soft" x="{_LABEL_WIDTH + _BAR_WIDTH + 12}" y="{middle}">'
        f"{bar.number:,} · {bar.share:.1%}</text></g>"
    )


def _lists(summary: Summary) -> Iterator[str]:
    if summary.doubtful:
        rows = "".join(
            f'<tr><td>{escape(shown(doubt.path))}</td><td class="number">{doubt.found.confidence:.2f}</td>'
            f"<td>{escape(doubt.words)}</td><td>{escape(doubt.found.language or '')}</td></tr>"
            for doubt in summary.doubts
        )
        head = "<tr><th>file</th><th>confidence</th><th>reading</th><th>language</th></tr>"
        yield _list("Doubtful", summary.doubtful, head + rows)
    if summary.failed:
        rows = "".join(
            f"<tr><td>{escape(shown(path))}</td><td>{escape(error)}</td></tr>"
            for path, error in summary.errors
        )
        yield _list("Could not be read", summary.failed, "<tr><th>file</th><th>why</th></tr>" + rows)


def _list(title: str, number: int, rows: str) -> str:
    listed = rows.count("<tr>") - 1
    more = f"<p>and {number - listed:,} more</p>" if number > listed else ""
    return _card(
        f"{title} ({number:,})", f'<div class="scroll" tabindex="0"><table>{rows}</table>{more}</div>'
    )
