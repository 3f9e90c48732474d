from charlens.kernel.shapes import Judged, JudgeRules, Scan, Surveyed, SurveyRules
from charlens.types import Buffer

def scan(data: Buffer, /) -> Scan: ...
def scan_portable(data: Buffer, /) -> Scan: ...
def damage(
    data: Buffer, start: int, sequences: int, ratio: int, slack: int, most: int, /
) -> tuple[int, int, int, int, tuple[int, ...]]: ...
def walk(data: Buffer, table: bytes, /) -> tuple[int, int, int]: ...
def walk_all(data: Buffer, tables: Buffer, masks: Buffer, starts: int, /) -> tuple[int, ...]: ...
def find_values(data: Buffer, values: int, most: int, /) -> tuple[int, ...]: ...
def known_words(
    words: Buffer, width: int, points: bytes, salts: Buffer, table: Buffer, /
) -> tuple[int, ...]: ...
def same_reading(seen: int, number: int, meanings: Buffer, relatives: Buffer, /) -> int: ...

class JudgeTables:
    def __new__(
        cls,
        model: tuple[Buffer, Buffer, Buffer, Buffer, Buffer, Buffer, Buffer],
        languages: Buffer,
        families: bytes,
        meanings: Buffer,
        relatives: bytes,
        begins: tuple[Buffer, Buffer, Buffer],
        odds: tuple[Buffer, Buffer, bytes],
        sets: bytes,
        rules: JudgeRules,
        /,
    ) -> JudgeTables: ...

class SurveyTables:
    def __new__(
        cls,
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
        /,
    ) -> SurveyTables: ...

def survey(tables: SurveyTables, data: Buffer, how: int, /) -> tuple[Scan, bool, Surveyed | None]: ...
def survey_portable(tables: SurveyTables, data: Buffer, how: int, /) -> tuple[Scan, bool, Surveyed | None]: ...
def judge_legacy(
    tables: JudgeTables,
    data: Buffer,
    facts: tuple[int, int, int, int],
    nudges: tuple[int, ...],
    strays: tuple[int, ...],
    /,
) -> Judged: ...
def weigh(data: Buffer, width: int, big: int, table: bytes, /) -> tuple[int, int, int, int, int, int]: ...
def strip_markup(data: Buffer, xml: int, /) -> bytes: ...
def score(
    data: Buffer,
    model: tuple[Buffer, Buffer, Buffer, Buffer, Buffer],
    sets: tuple[int, int],
    begin: tuple[Buffer, tuple[int, ...]],
    cut: tuple[int, int],
    limits: tuple[int, int, int],
    /,
) -> tuple[int, int, tuple[int, ...]]: ...
def score_families(
    data: Buffer,
    model: tuple[Buffer, Buffer, Buffer, Buffer, Buffer, Buffer, Buffer],
    bias: Buffer,
    possible: int,
    reach: int,
    /,
) -> tuple[int, int, tuple[int, ...]]: ...
def languages(data: Buffer, model: Buffer, most: int, characters: Buffer = ..., /) -> tuple[int, ...]: ...
def excerpt(data: Buffer, windows: int, size: int, ahead: int, back: int, /) -> bytes: ...
def line_windows(data: Buffer, size: int, /) -> tuple[int, ...]: ...
def page_flavour(head: Buffer, /) -> int: ...
def find_label(value: Buffer, /) -> tuple[int, int]: ...
def find_charsets(head: Buffer, raw: int, /) -> tuple[int, ...]: ...
def candidates(
    data: Buffer, seen: int, columns: Buffer, tables: Buffer, masks: Buffer, owners: bytes, /
) -> tuple[int, int, int, bytes]: ...
def compare(
    data: Buffer,
    windows: tuple[int, ...],
    structure: tuple[Buffer, Buffer, Buffer, bytes],
    model: tuple[Buffer, Buffer, Buffer, Buffer, Buffer, Buffer, Buffer],
    bias: Buffer,
    sets: tuple[int, ...],
    /,
) -> tuple[int, ...]: ...
def misfits(
    data: Buffer,
    windows: tuple[int, ...],
    model: tuple[Buffer, Buffer, Buffer, Buffer, Buffer, Buffer, Buffer],
    number: int,
    least: int,
    /,
) -> tuple[int, ...]: ...
def misread(
    data: Buffer, index: bytes, rows: bytes, pages: int, at: int, most: int, /
) -> tuple[int, ...]: ...
def strays(data: Buffer, table: bytes, first: int, most: int, apart: int, /) -> tuple[int, ...]: ...
def mentions(data: Buffer, words: bytes, /) -> int: ...
def scan_many(
    data: Buffer, offsets: Buffer, width: int, sets: bytes, opening: bytes, longest: int, /
) -> bytes: ...
