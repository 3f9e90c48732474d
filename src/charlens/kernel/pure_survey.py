"""Scan bytes, and judge them at once if no stage before the structure can find anything in them, in plain Python.

Most legacy text has no mark, no markup, no declaration and no control: for it, one call has all that the pipeline
needs.  `charlens.survey` has the tables and constants, which are those of the stages.
"""

from __future__ import annotations

from typing import Any

from charlens.kernel.facts import (
    EBCDIC_SPACE,
    MOST_SURVEYED_STRAYS,
    MOST_TABLES,
    MOST_UNDEFINED,
    SURVEY_EBCDIC,
    SURVEY_JUDGES,
)
from charlens.kernel.pure_judge import JudgeTables, judge_legacy, same_values
from charlens.kernel.pure_pages import mentions
from charlens.kernel.pure_walks import candidates, find_values, strays, unpack_tables
from charlens.kernel.shapes import Scan, Surveyed, SurveyRules
from charlens.types import Buffer

_C1 = 0xFFFFFFFF << 0x80


class SurveyTables:
    """What `survey` knows, parsed once.

    - *judge* are the tables of `judge_legacy`, *structure* those that `candidates` takes; with None for both, `survey`
      only says what is quiet.
    - *characters* are the weights that `weigh` takes, *words* what `mentions` takes.
    - *openings* is a set of pairs of bytes, 65,536 bits: how inputs with a mark or of a known format begin.
    - *sets* are seven sets of byte values: those that are not quiet; those that Base64 does not have; those that the
      markup stage looks for, and those that it looks for if all of them occur; those of which text has one if it is not
      EBCDIC; those that are uncommon in EBCDIC; those that are evidence for a platform.
    - *pages* has the numbers of the pages of Windows, *lacking* a set of values for each: those that it lacks.
    - *tolerant* has the numbers of the tables of the multi-byte encodings that may have stray bytes, *relatives* a set
      of encodings for each.
    - *not_ebcdic* is a set of encodings.
    """

    def __init__(
        self,
        judge: JudgeTables | None,
        structure: tuple[Buffer, Buffer, Buffer, bytes] | None,
        characters: bytes,
        words: bytes,
        openings: bytes,
        sets: bytes,
        pages: bytes,
        lacking: bytes,
        tolerant: bytes,
        relatives: bytes,
        not_ebcdic: bytes,
        rules: SurveyRules,
    ) -> None:
        if len(rules) != len(SurveyRules._fields):
            raise ValueError(f"SurveyTables(): needs a tuple of {len(SurveyRules._fields)}")
        rules = SurveyRules(*rules)
        if (judge is None) != (structure is None):
            raise TypeError("SurveyTables() needs JudgeTables and a structure, or None for both")
        if structure is not None:
            candidates(b"", 0, *structure)  # raises an error if its tables do not fit
        tables = (*(structure or ()), characters, words, openings, sets, pages, lacking, tolerant, relatives)
        if not all(memoryview(table).readonly for table in (*tables, not_ebcdic)):
            raise ValueError("SurveyTables(): the tables do not fit: they must be read-only")
        self.judge, self.structure, self.characters, self.words = judge, structure, characters, words
        self.openings, self.rules = openings, rules
        own = [_set(sets, 32, place) for place in range(7)]
        self.watched, self.not_base64, self.unusual, self.together, self.gaps, self.uncommon, self.evidence = own
        self.pages = [(page, _set(lacking, 32, place)) for place, page in enumerate(pages)]
        self.tolerant = [(table, _set(relatives, 16, place)) for place, table in enumerate(tolerant)]
        self.not_ebcdic = int.from_bytes(not_ebcdic, "little")
        if (
            len(characters) != 65536
            or len(openings) != 8192
            or len(sets) != 224
            or len(not_ebcdic) != 16
            or len(lacking) != 32 * len(pages)
            or len(relatives) != 16 * len(tolerant)
            or max(pages, default=0) > 127
            or len(pages) > 128
            or len(tolerant) > MOST_TABLES
            or max(tolerant, default=-1) >= (len(structure[3]) if structure else 0)
            or min(rules.apart, rules.apart_without_c1, rules.bytes_per_fault) < 1
            or not 0 <= rules.most_undefined <= MOST_UNDEFINED
            or not all(0 <= each <= 1 << 30 for each in rules)
            or rules.good_per_bad > 1000
            or rules.patience > 1 << 20
        ):
            raise ValueError("SurveyTables(): the tables do not fit one another")


def _set(sets: bytes, size: int, place: int) -> int:
    return int.from_bytes(sets[size * place : size * place + size], "little")


def survey(
    tables: SurveyTables, data: Buffer, how: int, evidence: tuple[float, ...]
) -> tuple[Scan, bool, Surveyed | None]:
    """Return the scan of *data*, whether it is quiet, and the candidates with what `judge_legacy` says of them.

    Bytes are quiet if nothing in them is for the stages for marks, formats, controls and declarations.  There are
    candidates only if they are quiet and not UTF-8, and neither another stage before the structure nor a rule about
    stray bytes may find something; otherwise the stages have to look, and the last item is ``None``.  *how* is
    `SURVEY_JUDGES`, without which nothing is judged (nor if line endings are evidence), or `SURVEY_EBCDIC`, which keeps
    its pages among the candidates, or both.  *evidence* is as `judge_legacy` takes it.
    """
    from charlens.kernel.pure import damage, scan, weigh  # here: it imports this module

    found = scan(data)
    rules, seen, length = tables.rules, found.seen, len(data)
    if not _is_quiet(tables, data, seen):
        return found, False, None
    if (
        tables.judge is None
        or tables.structure is None
        or found.utf8_error < 0
        or seen & tables.unusual
        or seen & tables.together == tables.together
        or _may_be_ebcdic(tables, data, seen)
    ):
        return found, True, None
    if rules.nulless_least <= length < rules.nulless_most:
        for big in (0, 1):
            characters, weight, *_ = weigh(data, 2, big, tables.characters)
            if characters >= 2 and weight >= rules.least_weight * characters:
                return found, True, None
    continuations, ratio = found.non_ascii - found.leads, rules.good_per_bad
    if (
        length >= rules.least_faulty
        and continuations >= 2
        and (1 + ratio) * continuations >= ratio * (found.leads - 1)
    ):
        before = scan(data[: found.utf8_error]).leads
        good, bad, stopped, _ = damage(data, found.utf8_error, before, ratio, ratio * rules.patience, 0)
        if stopped < 0 and good >= 2 and good >= ratio * bad:
            return found, True, None
    numbers, doubtful, cut, walks = candidates(data, seen, *tables.structure)
    if length >= rules.ebcdic_from and not how & SURVEY_EBCDIC:
        numbers &= tables.not_ebcdic
        doubtful &= tables.not_ebcdic
    doubtful |= cut
    if _lacks_few(tables, data, found, numbers, doubtful) or _may_have_strays(tables, data, found, numbers, walks):
        return found, True, None
    facts = (seen, found.non_ascii, numbers, doubtful)
    judges = how & SURVEY_JUDGES and not seen & tables.evidence
    judged = judge_legacy(tables.judge, data, facts, evidence, ()) if judges else None
    return found, True, Surveyed(numbers, doubtful, walks, judged)


def _is_quiet(tables: SurveyTables, data: Buffer, seen: int) -> bool:
    may_be_base64 = len(data) >= tables.rules.least_base64 and not seen & tables.not_base64
    if len(data) < 2 or seen & tables.watched or may_be_base64:
        return False
    opening = data[0] << 8 | data[1]
    return not (
        _has(tables.openings, opening)
        or may_be_header(bytes(data[:61]))
        or mentions(bytes(data[: tables.rules.look]), tables.words)
    )


def _has(bits: bytes, number: int) -> int:
    return bits[number >> 3] >> (number & 7) & 1


def may_be_header(head: bytes) -> bool:
    """Whether the first line may be that of a mail: a name of up to 60 characters and a colon."""
    if head.startswith(b"From "):
        return True
    at = head.find(b":")
    return at >= 0 and all(0x20 < byte < 0x7F for byte in head[:at])


def _may_be_ebcdic(tables: SurveyTables, data: Buffer, seen: int) -> bool:
    """Whether the values, or the spaces, leave EBCDIC possible.

    The limits are one value and one space wider than those of the stage, so that the stage decides in doubt.
    """
    rules, length = tables.rules, len(data)
    has_space = bool(seen >> EBCDIC_SPACE & 1)
    if length < rules.ebcdic_from or (not has_space and seen & tables.gaps):
        return False
    if 100 * ((seen & tables.uncommon).bit_count() - 2) <= rules.ebcdic_others * length:
        return True
    if not has_space or length > rules.ebcdic_sample:
        return has_space
    return 100 * (bytes(data).count(EBCDIC_SPACE) + 1) >= rules.ebcdic_spaces * length


def _lacks_few(tables: SurveyTables, data: Buffer, found: Scan, able: int, doubtful: int) -> bool:
    """Whether a page of Windows lacks only a few of the bytes, which are then stray.

    They are not if a doubtful encoding reads the others as the page does, or if an East Asian one decodes many bytes.
    """
    rules = tables.rules
    controls = found.seen & _C1
    least, apart = (rules.least_bytes, rules.apart) if controls else (rules.least_without_c1, rules.apart_without_c1)
    if found.non_ascii < least:
        return False
    if found.non_ascii >= rules.least_wide and any(able & relatives for _, relatives in tables.tolerant):
        return False
    most = min(1 + found.non_ascii // apart, rules.most_undefined)
    assert tables.judge is not None
    meanings, relatives = tables.judge.meanings, tables.judge.relatives
    for page, values in tables.pages:
        lacking = values & found.seen
        if able >> page & 1 or lacking.bit_count() > rules.most_values or not find_values(data, lacking, most):
            continue
        if not same_values(found.seen & ~lacking, page, meanings, relatives) & doubtful:
            return True
    return False


def _may_have_strays(tables: SurveyTables, data: Buffer, found: Scan, able: int, walks: bytes) -> bool:
    """Whether a multi-byte encoding, no relative of which decodes everything, decodes all but a few late bytes."""
    rules = tables.rules
    if found.non_ascii < rules.forgiven_from:
        return False
    assert tables.structure is not None
    walked: Any = memoryview(walks).cast("q")
    least, most = found.utf8_error + rules.first_forgiven, max(found.non_ascii // rules.bytes_per_fault, 1)
    for table, relatives in tables.tolerant:
        error = walked[2 * table]
        if error >= least and not able & relatives:
            walk = unpack_tables(bytes(tables.structure[1]))[table]
            if most > MOST_SURVEYED_STRAYS or strays(data, walk, error, most, rules.bytes_per_fault):
                return True
    return False
