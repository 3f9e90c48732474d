"""Notice lines that may be UTF-8 in a legacy text: too little to be a part, but too much to be written as that text."""

from __future__ import annotations

import math

from charlens.inputs.mixed.lines import running_words
from charlens.inputs.mixed.points import POINT, against_legacy
from charlens.inputs.mixed.units import OTHER, UTF8, find_units

#: Log-odds beyond what one of the lines has by chance. `python bench/mixed.py` prints how many legacy files are refused
#: for it, and how many mixtures would be written wrongly; with 0.5, a third more files are refused; with 2, one in
#: eight of the mixtures that this notices is not noticed.
_LEAST = 1.5


def find_utf8_line(data: bytes, encoding: str) -> int | None:
    """Return the number of a line of *data*, from 1, that may be UTF-8 while the rest is in *encoding*."""
    units = find_units(data, 0)
    others = sum(data.count(b"\n", unit.start, unit.end) or 1 for unit in units if unit.form == OTHER)
    least = round((_LEAST + math.log(others + 1)) * POINT)
    for start, end, form in units:
        if form == UTF8 and against_legacy(b"\n".join(running_words(data[start:end], encoding)), 0) >= least:
            return data.count(b"\n", 0, start) + 1
    return None
