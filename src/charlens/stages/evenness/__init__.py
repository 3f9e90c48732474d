"""Notice that the encoding chosen for legacy text does not fit all of it, by scoring a few windows separately.

This is only a fast check that decides whether to check every line; the parts are found by
`charlens.inputs.mixed`.  A change that none of the windows meets is not noticed here, but by `charlens.segments`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from charlens import kernel
from charlens.findings import Findings, Scores, Uneven
from charlens.models import default_model
from charlens.patterns import Pattern
from charlens.source import Source
from charlens.stages.evenness.narrow import find_narrow
from charlens.types import Buffer

if TYPE_CHECKING:
    from charlens.models.format import Model

#: A window fits its class if its different pairs of bytes score this much on average (log-odds of the built-in model;
#: the scale of others is not known). It is then not compared with other classes, which takes most of the time of this
#: stage. Of 2,528 windows of development files, 95 % fit; of 1,626 windows of mixtures, which another encoding fits
#: clearly better, 8 do.
_FITS = -0.95

# Set with `python bench/mixed.py FOLDER`, which prints how many files in one encoding are checked line by line (each
# takes milliseconds), and how many generated mixtures are noticed.
#: The bytes of a window. There are three, at the beginning, in the middle and at the end; each starts with a line. Two
#: parts show at the two ends; four windows spread over the input notice less, and take longer.
_WINDOW = 160
#: Fewer non-ASCII bytes are too little evidence: for the model in each window, and for runs of UTF-8.
_LEAST = 24
_LEAST_RUNS = 2 * 3
#: Log-odds by which another encoding must fit a window better, and the different pairs of bytes it must have. With 3,
#: mixtures are noticed as often, but of 1,218 labelled files over 16 KB 8 are checked line by line, not 3.
_CLEARLY = 8.0
_LEAST_PAIRS = 6
#: Runs of UTF-8 between ASCII, in all windows: legacy text has one or two by chance.
_RUNS = 3
#: In shorter input, windows are not compared.
_SHORTEST = 256
#: Invalid bytes in UTF-8: fewer are damage, not a part in another encoding.
_LEAST_DAMAGE = 4

#: The escape sequences of ISO-2022-JP. In UTF-8 they are lines of another program, not colours of a terminal.
ESCAPE = Pattern(rb"\x1b\$|\x1b\([IJ]")
_ESC = 1 << 0x1B

#: The finding if the caller asked to check every line.
EVERY_LINE = Uneven("every line was checked")


#: The tables for `kernel.candidates`, and the encodings that may be found.
Structure = tuple[tuple[bytes, bytes, bytes, bytes], int]


def find_unevenness(found: Findings, source: Source, structure: Callable[[], Structure]) -> Uneven | None:
    """Return the first window that the chosen encoding does not fit; None if all fit or are too short.

    *structure* returns the tables of the encodings that decode a window.
    """
    form, scores = found.unicode, found.scores
    if form is not None:
        if form.sequences and not found.scan.seen & _ESC:
            return None  # UTF-8 without an error
        if form.encoding.startswith(("utf-16", "utf-32")):
            narrow = find_narrow(source.head, form.encoding)
            return Uneven(f"some lines are not {form.encoding}", narrow) if narrow >= 0 else None
        if form.damage and sum(end - start for start, end in form.damage) >= _LEAST_DAMAGE:
            return Uneven("utf-8 does not decode some bytes", form.damage[0].start)
        escape = ESCAPE.search(source.head) if form.encoding == "utf-8" and found.scan.seen & _ESC else None
        return Uneven("has escape sequences of ISO-2022-JP", escape.start()) if escape else None
    beyond_ascii = found.scan.non_ascii
    if scores is None or beyond_ascii < _LEAST_RUNS or not found.scan.seen & _LINE_ENDS:
        return None
    windows = kernel.line_windows(source.head, _WINDOW)
    if windows[0] >= _RUNS:
        return Uneven("some lines look like utf-8")
    if beyond_ascii < _LEAST or source.size < _SHORTEST or found.likely_language is None:
        return None
    odd = _misfits(source.head, windows[1:], found, scores)
    return _find_odd(source.head, odd, structure(), found, scores.model) if odd else None


_LINE_ENDS = 1 << 0x0A | 1 << 0x0D


def _find_odd(
    data: Buffer, windows: tuple[int, ...], structure: Structure, found: Findings, model: Model
) -> Uneven | None:
    """Return the first of *windows*, a start and an end each, that another encoding fits clearly better."""
    tables, allowed = structure
    numbers = kernel.compare(data, windows, tables, model.parts, model.no_bias, (allowed, found.same))
    for window, start in enumerate(windows[::2]):
        pairs, distinct, best, total, own = numbers[5 * window : 5 * window + 5]
        if distinct < _LEAST_PAIRS or best < 0 or total <= own:
            continue
        if (total - own) * model.factor(pairs) >= _CLEARLY:
            return Uneven(f"the lines here look like {model.classes[best][0]}, not {found.encoding}", start)
    return None


def _misfits(data: Buffer, windows: tuple[int, ...], found: Findings, scores: Scores) -> tuple[int, ...]:
    """Return those of *windows* that the likeliest class of the chosen text may not fit."""
    model: Model = scores.model
    _, same, best = scores.texts[0]
    if model is not default_model() or not same & found.same:
        return windows
    return kernel.misfits(data, windows, model.parts, best, round(_FITS / model.unit))
