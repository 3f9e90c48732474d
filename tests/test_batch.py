"""Columns: `detect_batch` gives for each row what `detect` gives, by whichever way the row is answered."""

from __future__ import annotations

import itertools
import random
from array import array
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from prose_texts import PROSE

import charlens
from charlens import kernel
from charlens.batch import _is_plain, detect_batch
from charlens.kernel import facts, pure

FIELDS = ("outcome", "encoding", "confidence", "language", "damage", "cut")
ODD = [
    b"",
    b"\x07",
    b"plain",
    b"<p>plain",
    b"1+1 ~ 2",
    b"Hi+AOk-, na+AO8-ve caf+AOk-s",
    b"caf\xe9",
    "é".encode(),
    "é€".encode()[:4],
    b"abc\xe2\x82",
    b"abc\xe2",
    b"p\xde\x92kaz",
    b"\xd6\xa7\x1b\xed",  # a rare character before one that is cut off: not UTF-8
    b"\xc3\xa9\x1b\xed",
    "ܐ".encode() * 20,
    b"\xef\xbb\xbfmark",
    "，全角".encode(),
    b"\xff\xfea\0b\0",
    b"nul\0",
    b"ESC \x1b$B",
    b'<meta charset="koi8-r"><p>ascii',
    "# coding: latin-1\nété".encode(),
    "ä".encode() * 40,
    "ä".encode() * 40 + b"\xc3",
]
HEADERS = [None, "", "text/html", "text/html; charset=windows-1251", "text/plain; charset=utf-8"]


def check(rows: Sequence[bytes], headers: Sequence[str | None] | None = None, **keywords: int) -> None:
    """Compare every row with `detect`."""
    offsets = array("q", itertools.accumulate(map(len, rows), initial=0))
    columns = detect_batch(b"".join(rows), offsets, headers, **keywords)
    found = list(zip(*(getattr(columns, name) for name in FIELDS), strict=True))
    assert len(found) == len(rows) == len(columns)
    for number, row in enumerate(rows):
        verdict = charlens.detect(row, content_type=headers[number] if headers else None)
        assert found[number] == tuple(getattr(verdict, name) for name in FIELDS), row


def test_odd_rows_are_answered_as_one_by_one() -> None:
    """Rows for every rule about plain rows have the verdicts of `detect`, in any order."""
    check(ODD)
    check(ODD[::-1] + ODD)


@pytest.mark.parametrize("header", HEADERS)
def test_headers_count_for_each_row(header: str | None) -> None:
    """A header changes what it changes for `detect`, and only for its own row."""
    rows = [row for row in ODD for _ in range(2)]
    check(rows, [header if number % 2 else None for number in range(len(rows))])


def test_prose_in_all_languages() -> None:
    """Prose of all languages in UTF-8, whole and cut anywhere."""
    chance = random.Random(17)
    rows = []
    for text in PROSE.values():
        data = text.encode()
        rows += (data[:100], data[: chance.randrange(len(data))], (data * 3)[:4096])
    check(rows, threads=2)


@given(
    st.lists(st.one_of(st.sampled_from(ODD), st.binary(max_size=40), st.text(max_size=20).map(str.encode)))
)
def test_any_rows(rows: list[bytes]) -> None:
    """Whatever the rows are."""
    check(rows)


def test_rows_of_one_kind_share_the_answer_of_the_first() -> None:
    """Two texts with the same facts are one answer; the language is each row's own."""
    rows = [PROSE["el"][:300].encode(), PROSE["ru"][:300].encode()]
    columns = detect_batch(b"".join(rows), [0, len(rows[0]), len(rows[0]) + len(rows[1])])
    assert len(columns.answers) == 1
    assert columns.language == ["el", "ru"]


def test_equal_short_rows_are_detected_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Names repeat in a column: each different one is detected once, with its header, and all rows have its answer."""
    rows = ["Köln".encode("cp1252"), "Łódź".encode("cp1250")] * 50
    calls: list[object] = []
    detect_with = charlens.batch.detect_with
    monkeypatch.setattr(charlens.batch, "detect_with", lambda *given: calls.append(given) or detect_with(*given))
    check(rows, ["text/plain; charset=windows-1252", None] * 50)
    assert len(calls) == 2


def test_without_languages() -> None:
    """Without languages everything else is the same."""
    rows = [*ODD, "Привет из Казани".encode("cp1251")]
    offsets = list(itertools.accumulate(map(len, rows), initial=0))
    columns = detect_batch(b"".join(rows), offsets, language=False)
    assert columns.language == [None] * len(rows)
    assert columns.encoding == [charlens.detect(row).encoding for row in rows]
    assert charlens.detect(rows[-1], language=False).language is None


@pytest.mark.parametrize("kind", "iq")
def test_offsets_of_32_and_64_bits_and_a_part_of_the_data(kind: str) -> None:
    """Offsets may begin anywhere, as those of a slice in Arrow do."""
    columns = detect_batch(b"xxxplain\xe9t\xe9", array(kind, (3, 8, 8)))
    assert columns.encoding == ["ascii", None]


@pytest.mark.parametrize(
    ("offsets", "words"),
    [([], "one more than"), ([0, 9], "beyond the data"), ([-1, 2], "beyond the data"), ([0, 3, 1, 5], "do not rise"),
     (b"\0\0\0\0", "cast")],
)  # fmt: skip
def test_offsets_that_do_not_fit(offsets: object, words: str) -> None:
    """Offsets that do not rise, or beyond the data, are an error with words."""
    with pytest.raises(ValueError, match=words):
        detect_batch(b"abcde", offsets)  # type: ignore[arg-type]


def test_other_mistakes_have_words() -> None:
    """Text instead of bytes, too few headers, a header that is not text."""
    with pytest.raises(TypeError, match="needs bytes"):
        detect_batch("abc", [0, 3])  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="1 row but 2 headers"):
        detect_batch(b"abc", [0, 3], [None, None])
    with pytest.raises(ValueError, match="threads"):
        detect_batch(b"abc", [0, 3], threads=-1)
    with pytest.raises(TypeError, match="header"):
        detect_batch(b"abc", [0, 3], [3])  # type: ignore[list-item]


def test_a_row_over_the_limit_is_read_as_a_stream() -> None:
    """A row that `detect` would read as a stream is not settled by the scan."""
    row = b"abc " * (1 << 20) + b"abcd"
    assert not _is_plain(facts.ROW_LONG | 2)
    check([row, b"abc"])


def test_rows_with_escapes_share_no_answer() -> None:
    """UTF-8 with a line of ISO-2022-JP is in several encodings, UTF-8 with the colours of a terminal is not."""
    lines = "Größe und Übermut\n" * 9
    coloured = ("\x1b[31m" + lines).encode()
    check([coloured, lines.encode() + "日本語のテキスト\n".encode("iso2022_jp") * 3, coloured])


SETS = bytes(range(128))


@pytest.mark.parametrize("width", (4, 8))
def test_the_kernels_tell_the_same_facts(width: int) -> None:
    """The native twin returns the same facts for each row as `pure`."""
    chance = random.Random(width)
    rows = [*ODD, *(chance.randbytes(chance.randrange(200)) for _ in range(100))]
    offsets = array("i" if width == 4 else "q", itertools.accumulate(map(len, rows), initial=0))
    arguments = (b"".join(rows), offsets.tobytes(), width, chance.randbytes(128), chance.randbytes(32), 150)
    assert kernel.scan_many(*arguments) == pure.scan_many(*arguments)


@pytest.mark.parametrize("twin", (kernel, pure), ids=("chosen", "pure"))
def test_the_kernels_refuse_the_same(twin: object) -> None:
    """Sets, widths and offsets that do not fit are a ValueError in both."""
    good = (b"abc", array("q", (0, 3)).tobytes(), 8, bytes(128), bytes(32), 9)
    for place, bad in ((1, b""), (1, b"1234567"), (1, array("q", (0, 4)).tobytes()), (1, array("q", (2, 1)).tobytes()),
                       (2, 3), (3, b"1"), (4, b""), (5, -1)):  # fmt: skip
        arguments = (*good[:place], bad, *good[place + 1 :])
        with pytest.raises(ValueError):
            twin.scan_many(*arguments)  # type: ignore[attr-defined]
