"""The tables for `kernel.survey`: what the stages before the structure look for. Plain legacy text has none of it.

Each fact is that of its stage.  `prepare` makes the tables with the first input, and again with the first legacy text,
then with the model.  With or without them the answers are the same (`tests/test_survey.py`).
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from charlens import kernel
from charlens.encodings import rank
from charlens.findings import EBCDIC_JUDGED_FROM
from charlens.hints import Hints
from charlens.kernel.facts import MARKS
from charlens.kernel.shapes import SurveyRules
from charlens.models import default_model
from charlens.models.characters import character_weights
from charlens.options import Options
from charlens.stages import container, declarations, ebcdic, markup, unicode
from charlens.stages.content import BLOCKED, TOLERATED
from charlens.stages.statistics.evidence import PLATFORM_SIGNS, from_caller
from charlens.stages.statistics.tables import tables_of
from charlens.stages.structure import strays
from charlens.stages.structure.tables import structure_tables

#: Larger input goes through the stages: what the survey saves is 5 to 10 µs, and if the stages have to look after all,
#: the time of the survey is lost.
MOST_BYTES = 1 << 14
_ALL_VALUES = (1 << 256) - 1
#: Larger constants are cut to this; no input reaches it.
_LARGEST = 1 << 29
#: The `kernel.SurveyTables` without the model, and with it; None until they are needed.
QUIET: Any = None
FULL: Any = None


def prepare(judges: bool) -> Any:
    """Make the tables and return them; without the model and all that belongs to it unless *judges*."""
    global QUIET, FULL
    tables = kernel.SurveyTables(*arguments(judges))
    if judges:
        FULL = tables
    else:
        QUIET = tables
    return tables


def evidence_of(options: Options) -> tuple[float, ...]:
    """Return what the caller says, as evidence for text that declares nothing; () if the survey does not judge."""
    if FULL is None:
        return ()
    header = None if options.declared == "ignore" else options.content_type
    options.evidence = found = _evidence(header, options.hints)
    return found


@lru_cache(maxsize=256)
def _evidence(content_type: str | None, hints: Hints | None) -> tuple[float, ...]:
    return from_caller(default_model(), declarations.find_declarations(b"", content_type, seen=0), hints)


def arguments(judges: bool = True) -> tuple[Any, ...]:
    """Return what `kernel.SurveyTables` takes."""
    watched = BLOCKED | TOLERATED | markup.LESS_THAN
    gaps, uncommon = ebcdic.GAPS_OF_ASCII, ebcdic.NOT_COMMON & _ALL_VALUES
    signs = (markup.ARROWS, markup.HEAD_OF_SCRIPT)
    sets = (watched, container.NOT_BASE64, *signs, gaps, uncommon, PLATFORM_SIGNS)
    pages = strays.windows_pages() if judges else ()
    tolerant = strays.tolerant_encodings() if judges else ()
    return (
        tables_of(default_model()).kernel if judges else None,
        structure_tables().kernel if judges else None,
        character_weights(),
        declarations.TABLE_MENTIONS,
        _openings(),
        b"".join([values.to_bytes(32, "little") for values in sets]),
        bytes(rank(name) for name, _, _ in pages),
        b"".join([undefined.to_bytes(32, "little") for _, _, undefined in pages]),
        bytes(index for index, _, _ in tolerant),
        b"".join([relatives.to_bytes(16, "little") for _, _, relatives in tolerant]),
        (structure_tables().not_ebcdic if judges else 0).to_bytes(16, "little"),
        SurveyRules._make(min(max(each, 0), _LARGEST) for each in _rules()),
    )


def _rules() -> SurveyRules:
    """Return the constants of the stages."""
    return SurveyRules(
        nulless_least=unicode.LEAST_NULLESS,
        nulless_most=unicode.MOST_NULLESS,
        least_weight=int(unicode.LEAST_WITHOUT_SIGN),
        least_faulty=unicode.LEAST_FAULTY,
        good_per_bad=unicode.GOOD_PER_BAD,
        patience=unicode.PATIENCE,
        look=declarations.LOOK,
        ebcdic_from=EBCDIC_JUDGED_FROM,
        forgiven_from=2 * strays.FIRST_FORGIVEN,
        first_forgiven=strays.FIRST_FORGIVEN,
        bytes_per_fault=strays.BYTES_PER_FAULT,
        least_bytes=strays.LEAST_BYTES,
        apart=strays.BYTES_PER_UNDEFINED,
        least_without_c1=strays.WITHOUT_C1[0],
        apart_without_c1=strays.WITHOUT_C1[1],
        most_values=strays.MOST_VALUES,
        most_undefined=strays.MOST_UNDEFINED,
        least_wide=strays.LEAST_WIDE,
        ebcdic_others=round(100 * ebcdic.MOST_OTHERS),
        ebcdic_spaces=round(100 * ebcdic.LEAST_SPACES),
        ebcdic_sample=3 * ebcdic.SAMPLE,
        least_base64=container.LEAST_BASE64,
    )


def _openings() -> bytes:
    """Return the first two bytes of marks and of known formats, as a set."""
    bits = bytearray(1 << 13)
    pairs = {first << 8 | second for first in {mark[0] for mark, _ in MARKS} for second in range(256)}
    for pair in pairs | {first[0] << 8 | first[1] for first in container.STARTS}:
        bits[pair >> 3] |= 1 << (pair & 7)
    return bytes(bits)
