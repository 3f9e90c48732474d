"""`detect` and its companions: what they take, what a verdict promises, and the cases in `tests/cases`.

The promises hold for any input: an answer decodes, equivalents give the same text, the steps are always there, and
both kernels say the same.
"""

from __future__ import annotations

import array
import base64
import codecs
import ctypes
import itertools
import json
import mmap
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from prose_texts import MARKS, PROSE, THIN, legacy, legacy_pairs

import charlens
from charlens import NotTextError, Outcome, Span, UnknownEncodingError, Verdict, kernel
from charlens.encodings import all_encodings
from charlens.inputs.stream_state import StreamState
from charlens.options import DEFAULTS

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

CASES = Path(__file__).with_name("cases")
THOROUGH = os.environ.get("HYPOTHESIS_PROFILE") == "thorough"


# ---- cases as data: tests/cases/*.toml, a drawer for each origin


def case_bytes(case: dict[str, Any]) -> bytes:
    """The input of a case: its parts, one after the other, the whole *times* times and cut to *size*."""
    data = b"".join(part_bytes(part) for part in case["input"]) * case.get("times", 1)
    return data[: case.get("size", len(data))]


def part_bytes(part: dict[str, Any]) -> bytes:
    """One part: hexadecimal bytes, base64, or text (or the prose of a language) in an encoding."""
    if "hex" in part:
        data = bytes.fromhex(part["hex"])
    elif "base64" in part:
        data = base64.b64decode(part["base64"])
    else:
        text = part["text"] if "text" in part else PROSE[part["prose"]]
        data = text.encode(part.get("encoding", "utf-8"), "ignore" if "prose" in part else "strict")
    return data[: part.get("size", len(data))] * part.get("times", 1)


def read_cases() -> Iterator[Any]:
    """Every case of every drawer; those of known_failures.toml are expected to fail, each with its reason."""
    for drawer in sorted(CASES.glob("*.toml")):
        for case in tomllib.loads(drawer.read_text(encoding="utf-8"))["case"]:
            known = drawer.stem == "known_failures"
            marks = [pytest.mark.xfail(reason=case["reason"], strict=True)] if known else []
            yield pytest.param(case, id=f"{drawer.stem}: {case['name']}", marks=marks)


@pytest.mark.parametrize("case", list(read_cases()))
def test_case(case: dict[str, Any]) -> None:
    """The verdict agrees with every field of the case."""
    data = case_bytes(case)
    verdict = charlens.detect(data)
    said: dict[str, Any] = {
        "outcome": verdict.outcome.value,
        "encoding": verdict.encoding,
        "language": verdict.language,
        "bom": verdict.bom.hex(),
        "cut": verdict.cut,
        "damage": [list(span) for span in verdict.damage],
        "offset": verdict.steps[-1].offset,
    }
    wanted = case["expect"]
    assert {key: said[key] for key in wanted if key in said} == {
        key: wanted[key] for key in wanted if key in said
    }
    assert verdict.encoding not in wanted.get("not_encoding", ())
    assert len(verdict.damage) <= wanted.get("most_damage", len(verdict.damage))
    if "decoded" in wanted:
        assert charlens.decode(data) == wanted["decoded"]
    check_promises(data, verdict)


def test_every_case_says_something_and_has_its_own_name() -> None:
    """A case without an expectation, or one that hides another by its name, tests nothing."""
    cases = [parameter.values[0] for parameter in read_cases()]
    known = {
        "outcome",
        "encoding",
        "language",
        "bom",
        "cut",
        "damage",
        "offset",
        "not_encoding",
        "most_damage",
        "decoded",
    }
    assert len({case["name"] for case in cases}) == len(cases)
    assert all(case["expect"] and set(case["expect"]) <= known for case in cases)
    assert {path.stem for path in CASES.glob("*.toml")} >= {"wild", "synthetic", "negative", "known_failures"}


# ---- what a verdict promises


def whole_part(data: bytes, verdict: Verdict) -> bytes:
    """The bytes without what the verdict calls damage, and without the cut."""
    kept = bytearray()
    at = 0
    for span in verdict.damage:
        kept += data[at : span.start]
        at = span.end
    return bytes(kept + data[at : len(data) - verdict.cut])


def check_promises(data: bytes, verdict: Verdict) -> None:
    """Check everything that a verdict promises about *data*."""
    assert verdict.steps and all(step.stage and step.words for step in verdict.steps)
    assert 0 <= verdict.confidence <= 1
    assert data.startswith(verdict.bom)
    assert 0 <= verdict.cut <= min(len(data), 7)
    assert all(0 <= span.start < span.end <= len(data) for span in verdict.damage)
    assert verdict.is_text == (verdict.outcome is Outcome.TEXT)
    if verdict.outcome is not Outcome.TEXT:
        assert (verdict.encoding, verdict.equivalents, verdict.damage, verdict.bom) == (None, (), (), b"")
        return
    assert verdict.encoding is not None
    text = whole_part(data, verdict).decode(verdict.encoding)
    for other in verdict.equivalents:
        assert whole_part(data, verdict).decode(other) == text, other
        assert other != verdict.encoding
    names = [other.encoding for other in verdict.alternatives]
    assert len(set(names)) == len(names) and not {verdict.encoding, *verdict.equivalents} & set(names)
    assert all(0 <= other.confidence <= verdict.confidence for other in verdict.alternatives)
    if not verdict.damage:
        for name in names:
            codecs.getincrementaldecoder(name)().decode(data)


_bytes = st.one_of(
    st.binary(max_size=60),
    st.lists(
        st.sampled_from(b"abc \n\x80\x81\xa4\xb0\xc3\xd0\xdf\xe2\x82\xac\xe9\xf0\x9f\xff"), max_size=24
    ).map(bytes),
    st.lists(st.sampled_from(b"a\0b\0\n\0\xd8\xdc\xff\xfe\x04\x30\x4e"), max_size=24).map(bytes),
    st.builds(
        lambda mark, text, encoding, cut: mark + text.encode(encoding)[: cut or None],
        st.sampled_from([b"", *MARKS.values()]),
        st.text("abc \näß€яж日本한😀\x00\x1b", max_size=12),
        st.sampled_from(["utf-8", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be", "gb18030"]),
        st.integers(-3, 0),
    ),
    st.sampled_from(legacy_pairs("single", "multi")).flatmap(
        lambda pair: st.integers(0, 400).map(lambda at: (legacy(*pair) or b"")[at : at + 50])
    ),
)


@settings(max_examples=300)
@given(_bytes)
@example(b"\xff\xfe")
@example(b"\xff\xfe\x00\x00")
@example(b"\xef\xbb\xbf")
@example(b"\x00\x00\xfe\xff\x00")
@example(b"\xff\xfe\x00\xd8")
def test_a_verdict_keeps_its_promises(data: bytes) -> None:
    """Whatever the bytes: no exception, steps, an encoding that decodes, equivalents that give the same text."""
    check_promises(data, charlens.detect(data))


def test_every_single_byte() -> None:
    """All 256 inputs of one byte keep the promises, and `decode` never fails on text."""
    for value in range(256):
        data = bytes([value])
        verdict = charlens.detect(data)
        check_promises(data, verdict)
        if verdict.is_text:
            charlens.decode(data)


def test_every_pair_of_bytes() -> None:
    """Inputs of two bytes never raise, and text without damage or a cut decodes.

    All 65,536 of them with HYPOTHESIS_PROFILE=thorough (a minute or two); else every first byte with the second bytes
    at which something changes.
    """
    seconds = range(256) if THOROUGH else (0x00, 0x0A, 0x2D, 0x41, 0x80, 0xA4, 0xBB, 0xDC, 0xFE, 0xFF)
    for pair in itertools.product(range(0, 256, 1 if THIN == 1 else 5), seconds):
        data = bytes(pair)
        verdict = charlens.detect(data)
        assert verdict.steps
        if verdict.is_text and not verdict.damage and not verdict.cut:
            assert verdict.encoding is not None
            data.decode(verdict.encoding)


@pytest.mark.parametrize(
    ("encoding", "language"), legacy_pairs("ascii", "single", "multi", "escape", "ebcdic")
)
def test_prose_in_any_encoding_keeps_the_promises(encoding: str, language: str) -> None:
    """Real words in every encoding and language: text, an answer that decodes, equivalents that are equal."""
    data = legacy(encoding, language)
    assert data is not None
    verdict = charlens.detect(data)
    assert verdict.outcome is Outcome.TEXT
    check_promises(data, verdict)


def same_text_twice(data: bytes, only: list[str] | None = None) -> list[str]:
    """The alternatives that give the same text as the answer."""
    verdict = charlens.detect(data, only=only)
    assert verdict.encoding is not None
    text = data.decode(verdict.encoding)
    return [
        other.encoding
        for other in verdict.alternatives
        if text == codecs.getincrementaldecoder(other.encoding)().decode(data)
    ]


@pytest.mark.parametrize("language", ["de", "ru", "el", "pl", "tr"])
def test_alternatives_of_single_bytes_give_another_text(language: str) -> None:
    """What gives the same text is an equivalent; an alternative gives another one."""
    for encoding, other in legacy_pairs("single"):
        data = legacy(encoding, other)
        if other == language and data is not None:
            assert same_text_twice(data) == []


def test_alternatives_of_several_bytes_give_another_text() -> None:
    """Common Japanese reads the same in cp932 and Shift_JIS: equivalents, not alternatives."""
    assert same_text_twice("日本語の手紙を書きました。".encode("cp932"), only=["cp932", "shift_jis"]) == []


@pytest.mark.parametrize("data", [b"\x81\xe4", b"\x8d\xe4"])
def test_no_alternative_is_named_twice(data: bytes) -> None:
    """One reading is one alternative, with all of its evidence."""
    names = [other.encoding for other in charlens.detect(data).alternatives]
    assert len(set(names)) == len(names)


# ---- accepted inputs


class Bytes(bytes):
    """A subclass, as some frameworks have."""


TEXT = "Grüße aus Köln\n".encode()
KINDS: dict[str, Any] = {
    "bytes": lambda: TEXT,
    "subclass of bytes": lambda: Bytes(TEXT),
    "bytearray": lambda: bytearray(TEXT),
    "memoryview": lambda: memoryview(TEXT),
    "a slice of a view": lambda: memoryview(b"\xff\x00" + TEXT + b"\xff")[2:-1],
    "every second byte": lambda: memoryview(b"".join(bytes([byte, 0]) for byte in TEXT))[::2],
    "backwards": lambda: memoryview(TEXT[::-1])[::-1],
    "signed bytes": lambda: memoryview(TEXT).cast("b"),
    "characters": lambda: memoryview(TEXT).cast("c"),
    "two dimensions": lambda: memoryview(TEXT).cast("B", (2, 9)),
    "array": lambda: array.array("B", TEXT),
    "ctypes": lambda: (ctypes.c_char * len(TEXT)).from_buffer_copy(TEXT),
}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_bytes_is_taken(kind: str) -> None:
    """Bytes in any wrapping give the same verdict, text and answer, and can be changed again afterwards."""
    data = KINDS[kind]()
    verdict = charlens.detect(data)
    assert (verdict.encoding, verdict.damage) == ("utf-8", ())
    assert charlens.decode(data).rstrip() == "Grüße aus Köln"
    assert charlens.is_text(data)
    if isinstance(data, bytearray):
        data += b"more"  # would fail if a view were still held


def test_wide_items_count_as_their_bytes() -> None:
    """An array of 16-bit numbers is read as the bytes in memory, not as its items."""
    text = array.array("H", [ord(character) for character in "Hello world\n" * 4])
    order = "le" if sys.byteorder == "little" else "be"
    assert charlens.detect(text).encoding == f"utf-16-{order}"
    assert charlens.detect(memoryview(text)[::2]).encoding == f"utf-16-{order}"
    assert charlens.detect((ctypes.c_uint16 * 2)(0x4141, 0x4141)).encoding == "ascii"


@pytest.mark.parametrize("empty", [b"", bytearray(), memoryview(b""), array.array("I"), array.array("d")])
def test_nothing_of_any_kind_is_undecided(empty: Any) -> None:
    """No bytes are no bytes, in whatever wrapping."""
    assert charlens.detect(empty).outcome is Outcome.UNDECIDED
    assert charlens.decode(empty) == ""
    assert not charlens.is_text(empty)


def test_a_mapped_file_is_taken_and_let_go(tmp_path: Path) -> None:
    """A memory map is read in place, and can be closed as soon as there is a verdict."""
    path = tmp_path / "mapped.txt"
    path.write_bytes(TEXT * 1000)
    with path.open("rb") as file:
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        verdict = charlens.detect(mapped)
        mapped.close()
    assert verdict.encoding == "utf-8"


@settings(max_examples=60)
@given(
    st.lists(st.sampled_from(["é", "中", "😀", "a", "\n", "\r\n", "\0"]), min_size=1, max_size=40),
    st.sampled_from([b"", b"\xff", b"\xe4\xb8", b"\xed\xa0", b"\xf0\x9f\x98"]),
    st.integers(4, 9),
)
def test_pieces_are_scanned_as_if_in_one(pieces: list[str], odd: bytes, size: int) -> None:
    """Scanning a large input piece by piece gives what scanning it at once gives, wherever the pieces are cut."""
    half = len(pieces) // 2
    compare_pieces("".join(pieces[:half]).encode() + odd + "".join(pieces[half:]).encode(), size)


def test_the_first_error_between_pieces_is_where_it_is() -> None:
    """Stray continuation bytes at the border of two pieces do not make an error of the good character before."""
    compare_pieces("é".encode() + b"\x80\x80\x80\x80", 4)


def compare_pieces(data: bytes, size: int) -> None:
    """Scan *data* at once and in pieces of *size* bytes, as a large input is."""
    state = StreamState(b"", DEFAULTS)
    for start in range(0, len(data), size):
        state.add(data[start : start + size])
    assert state.source().scan == kernel.scan(data)


PRIVATE = {
    "of nothing": lambda file, size: mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS),
    "of a file": lambda file, size: mmap.mmap(file.fileno(), size, access=mmap.ACCESS_COPY),
}


@pytest.mark.skipif(not hasattr(mmap, "MAP_PRIVATE"), reason="this system has no private maps")
@pytest.mark.parametrize("kind", PRIVATE)
def test_a_private_map_is_not_changed(kind: str, tmp_path: Path) -> None:
    """What the caller has written into a private map is still there after `detect`."""
    size = 17 << 20  # more than is kept in memory
    path = tmp_path / "sparse"
    with path.open("wb+") as file:
        file.truncate(size)
        with PRIVATE[kind](file, size) as mapped:
            mapped[:] = b"words " * (size // 6) + b"words "[: size % 6]
            charlens.detect(mapped)
            assert mapped[:12] == b"words words "


@pytest.mark.parametrize("function", ["detect", "decode", "is_text"])
@pytest.mark.parametrize("wrong", ["text", None, 5, 1.5, [1, 2], {"a": 1}, object(), Path("x")])
def test_anything_else_is_a_type_error_that_says_what_to_pass(function: str, wrong: Any) -> None:
    """Anything but bytes is refused with a message that names the expected and the given type."""
    with pytest.raises(TypeError, match=rf"charlens\.{function}\(\) needs bytes.*{type(wrong).__name__}"):
        getattr(charlens, function)(wrong)


def test_a_str_is_not_taken_for_a_path() -> None:
    """Who passes a str probably means a file: the error says how to read one."""
    with pytest.raises(TypeError, match=r"detect_path|load"):
        charlens.detect("letter.txt")  # type: ignore[arg-type]


# ---- only=, never=


def test_only_and_never_restrict_the_answer() -> None:
    """The answer is always one of those allowed, and never one of those ruled out."""
    text = "Grüße".encode()
    assert charlens.detect(text, only=["utf-8"]).encoding == "utf-8"
    assert charlens.detect(text, only=["cp1252"]).encoding == "cp1252"
    assert charlens.detect(text, never=["utf-8"]).encoding != "utf-8"
    assert charlens.detect(b"plain", only=["utf-8"]).encoding == "utf-8"
    assert charlens.detect(b"plain", never=["ascii"]).encoding == "utf-8"
    assert charlens.detect(b"plain", never=["ascii", "utf-8"]).encoding not in ("ascii", "utf-8", None)
    assert charlens.decode("Grüße".encode("cp1252"), only=["cp1252"]) == "Grüße"


@pytest.mark.parametrize("label", ["latin-1", "ISO-8859-1", "iso8859_1", "L1", " latin1 "])
def test_only_takes_every_name_of_an_encoding(label: str) -> None:
    """Names are taken as people write them."""
    assert charlens.detect(b"caf\xe9", only=[label]).encoding == "iso8859-1"


def test_where_nothing_is_allowed_there_is_no_answer() -> None:
    """Text that no allowed encoding decodes is undecided, and a step says so."""
    for only in (["ascii"], [], ["utf-16-le"], ["cp1252"]):
        verdict = charlens.detect("Grüße".encode(), only=only, never=["cp1252"])
        assert (verdict.outcome, verdict.encoding) == (Outcome.UNDECIDED, None)
        assert "no encoding that was allowed" in verdict.steps[-1].words


def test_binary_stays_binary_whatever_is_allowed() -> None:
    """*only* chooses among encodings; it does not make text of binary."""
    assert charlens.detect(b"\x00\x01\x02\x03", only=["utf-8", "cp1252"]).outcome is Outcome.BINARY


@pytest.mark.parametrize("keyword", ["only", "never"])
def test_unknown_names_are_an_error_that_helps(keyword: str) -> None:
    """A misspelt encoding is named, with what may have been meant; for one name alone the error asks for a list."""
    with pytest.raises(UnknownEncodingError, match=r"utf-9.*Did you mean"):
        charlens.detect(b"x", **{keyword: ["utf-9"]})
    with pytest.raises(LookupError):
        charlens.detect(b"x", **{keyword: ["no such thing"]})
    with pytest.raises(TypeError, match=rf"{keyword}=\['utf-8'\]"):
        charlens.detect(b"x", **{keyword: "utf-8"})
    for wrong in ([5], [None], [b"utf-8"], b"utf-8"):
        with pytest.raises(TypeError, match="str"):
            charlens.detect(b"x", **{keyword: wrong})


@given(_bytes, st.sets(st.sampled_from([encoding.name for encoding in all_encodings()]), max_size=4))
@settings(max_examples=60)
def test_restricted_verdicts_keep_their_promises(data: bytes, names: set[str]) -> None:
    """With any set of encodings allowed or ruled out, the answer is in it (or not) and still decodes."""
    for restricted in ({"only": names}, {"never": names}):
        verdict = charlens.detect(data, **restricted)
        assert verdict.steps
        if verdict.encoding is not None:
            assert (verdict.encoding in names) == ("only" in restricted)
            whole_part(data, verdict).decode(verdict.encoding)


def test_only_utf_16_means_both_orders_of_bytes() -> None:
    """Who allows 'utf-16' allows the file that says by its mark that it is big-endian."""
    assert charlens.detect("\ufeffHello".encode("utf-16-be"), only=["utf-16"]).encoding == "utf-16-be"


# ---- decode, is_text


def test_decode_gives_the_text_without_the_mark() -> None:
    """`decode` returns the original text, with U+FEFF only if it was not a mark."""
    assert charlens.decode(b"\xef\xbb\xbfabc") == "abc"
    assert charlens.decode("\ufeffA\ufeffB".encode("utf-16-le")) == "A\ufeffB"
    assert charlens.decode(b"") == ""


def test_decode_has_an_errors_argument() -> None:
    """Damage and cuts are replaced by U+FFFD, or whatever *errors* says."""
    damaged = "schöne Grüße ".encode() + b"\xff" + " aus Köln".encode() + b"\xc3"
    assert charlens.decode(damaged) == "schöne Grüße \ufffd aus Köln\ufffd"
    assert charlens.decode(damaged, errors="ignore") == "schöne Grüße  aus Köln"
    with pytest.raises(UnicodeDecodeError):
        charlens.decode(damaged, errors="strict")


def test_decoding_binary_is_an_error_with_advice() -> None:
    """Binary has no text: the error says why, and what to do to read it anyway."""
    with pytest.raises(NotTextError, match=r"binary.*0x00.*decode\('latin-1'\)"):
        charlens.decode(b"\x00\x01\x02")
    with pytest.raises(NotTextError, match="undecided"):
        charlens.decode("ä".encode(), only=["ascii"])


@given(_bytes)
def test_is_text_says_what_detect_says(data: bytes) -> None:
    """What is text has an encoding, or several of which none is likely enough; binary data and nothing have none."""
    verdict = charlens.detect(data)
    assert charlens.is_text(data) == bool(verdict.encoding or verdict.alternatives)


# ---- detect_many


def test_many_verdicts_come_in_order() -> None:
    """Each item gets its verdict, in the order of the items, however many threads there are."""
    items = [b"ascii", "ü".encode(), b"\x00\x01", b"", "test".encode("utf-16-le"), bytearray(b"more")] * 30
    expected = [charlens.detect(item) for item in items]
    for threads in (None, 1, 2, 7):
        assert list(charlens.detect_many(items, threads=threads)) == expected
    assert list(charlens.detect_many([])) == []
    assert [v.encoding for v in charlens.detect_many([b"a", b"b"], never=["ascii"])] == ["utf-8", "utf-8"]


def test_many_do_not_take_one_name_for_several() -> None:
    """*only* as one name is the same error for many items as for one."""
    with pytest.raises(TypeError, match=r"only=\['utf-8'\]"):
        list(charlens.detect_many([b"a"], only="utf-8"))


def test_items_are_drawn_as_they_are_needed() -> None:
    """An endless generator can be worked through; only a few items are drawn ahead."""
    drawn = 0

    def endless() -> Iterator[bytes]:
        nonlocal drawn
        while True:
            drawn += 1
            yield b"item %d" % drawn

    verdicts = charlens.detect_many(endless(), threads=2)
    assert [next(verdicts).encoding for _ in range(100)] == ["ascii"] * 100
    assert drawn <= 200
    verdicts.close()  # type: ignore[attr-defined]


def test_a_wrong_item_is_an_error_in_its_place() -> None:
    """The verdicts before a wrong item come first."""
    verdicts = charlens.detect_many([b"a", "b", b"c"], threads=1)  # type: ignore[list-item]
    assert next(verdicts).encoding == "ascii"
    with pytest.raises(TypeError, match="needs bytes"):
        next(verdicts)


def test_many_take_an_iterator_of_names() -> None:
    """*only* may be any iterable, for many items as for one."""
    verdicts = charlens.detect_many([b"a", b"b", b"c"], only=iter(["utf-8"]))
    assert [verdict.encoding for verdict in verdicts] == ["utf-8"] * 3


# ---- big input, both kernels


@pytest.mark.parametrize("tail", [b"", b"\xe9", b"\xff plain again", "ü".encode(), bytes(3000)])
def test_a_late_byte_counts_in_megabytes(tail: bytes) -> None:
    """ASCII and UTF-8 of any size are checked to the last byte: the answer decodes all of it."""
    data = b"etaoin shrdlu cmfwyp vbgkqj xz\n" * (140_000 // THIN) + tail
    verdict = charlens.detect(data)
    known = {b"": "ascii", "ü".encode(): "utf-8"}
    assert verdict.is_text == (tail != bytes(3000))
    assert verdict.encoding == known[tail] if tail in known else verdict.encoding not in ("ascii", "utf-8")
    if verdict.encoding:
        data[: len(data) - verdict.cut].decode(verdict.encoding)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le", "utf-32-be"])
def test_megabytes_of_text_are_the_same_as_a_kilobyte(encoding: str) -> None:
    """Five megabytes are recognised as a few lines are, also as a view of something else."""
    text = (PROSE["ru"] + PROSE["ja"]).encode(encoding)
    data = text * (5_000_000 // THIN // len(text) + 1)
    assert charlens.detect(bytearray(data)).encoding == encoding
    assert charlens.detect(data + "😀".encode(encoding)[:-1]).cut > 0


def sample() -> list[bytes]:
    """Inputs of all kinds: prose in every form, damaged and cut; binary; noise."""
    some = random.Random(2)
    forms = ("utf-8", "utf-16-le", "utf-16-be", "utf-32-le", "utf-7")
    data = [PROSE[tag].encode(form)[:300] for tag in ("de", "hi", "ja", "ru") for form in forms]
    data += [piece[:-1] + b"\xff" for piece in data[:8]]
    data += [
        (legacy(*pair) or b"")[:200] for pair in legacy_pairs("single", "multi", "escape", "ebcdic")[::6]
    ]
    data += [some.randbytes(some.choice([1, 5, 20, 40, 100, 1000])) for _ in range(60)]
    data += [bytes(some.choices(b"ab\0\n\xc3\xa9\x1b", k=some.choice([2, 9, 33]))) for _ in range(40)]
    return data


IN_OTHER_PROCESS = """
import json, sys, charlens
from charlens import kernel
data = [bytes.fromhex(line) for line in sys.stdin.read().split("\\n")]
print(kernel.NAME)
print(json.dumps([[repr(v), [str(s) for s in v.steps]] for v in map(charlens.detect, data)]))
"""


@pytest.mark.parametrize("name", ["pure", "native", "portable"])
def test_both_kernels_give_the_same_verdicts(name: str) -> None:
    """Verdicts, confidences and steps are the same under every kernel, for inputs of every kind."""
    if name != "pure" and kernel.NAME == "pure":
        pytest.importorskip("charlens.kernel._native", reason="the native kernel is not built here")
    data = sample()
    environment = {**os.environ, "CHARLENS_KERNEL": name}
    result = subprocess.run(
        [sys.executable, "-c", IN_OTHER_PROCESS],
        input="\n".join(item.hex() for item in data),
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert result.returncode == 0, result.stderr
    used, said = result.stdout.splitlines()
    assert used == name
    here = [[repr(v), [str(step) for step in v.steps]] for v in map(charlens.detect, data)]
    assert json.loads(said) == here


# ---- the shape of an answer


def test_a_verdict_can_be_read() -> None:
    """`repr` shows the fields, the steps are sentences, and a verdict is a value."""
    verdict = charlens.detect("schöne Grüße ".encode() + b"\xff")
    assert "utf-8" in repr(verdict) and "Span(start=16, end=17)" in repr(verdict)
    assert str(verdict.steps[0]).startswith("unicode: utf-8")
    assert verdict == charlens.detect("schöne Grüße ".encode() + b"\xff")
    assert hash(verdict) == hash(charlens.detect("schöne Grüße ".encode() + b"\xff"))
    assert verdict.damage == (Span(16, 17),)
    with pytest.raises(AttributeError):
        verdict.encoding = "ascii"  # type: ignore[misc]


def test_the_first_of_equals_is_the_answer() -> None:
    """Where several encodings give the same text: ascii, utf-8, those of the web, the rest."""
    verdict = charlens.detect(b"plain ASCII text")
    assert verdict.encoding == "ascii" and verdict.equivalents[0] == "utf-8"
    assert {"cp1252", "iso8859-1", "gb18030", "cp932"} <= set(verdict.equivalents)
    assert not {"utf-16-le", "cp037"} & set(verdict.equivalents)


@pytest.mark.parametrize(
    ("data", "name"), [("ü".encode(), "UTF-8"), (b"\xff\xfea\0", "UTF-16LE"), (b"abc", None)]
)
def test_the_name_of_the_web_is_there_where_it_has_one(data: bytes, name: str | None) -> None:
    """`web_name` is the name in the WHATWG standard, which has none for ASCII."""
    assert charlens.detect(data).web_name == name


# ---- the readings beside the answer


@pytest.mark.parametrize(
    ("text", "encoding"), [("１９９８．１２．３１", "euc_kr"), ("“", "gbk"), ("（一九）", "euc_jp"), ("×", "gb2312")]
)
@pytest.mark.parametrize("pooled", [False, True])
def test_an_alternative_gives_another_text(text: str, encoding: str, pooled: bool) -> None:
    """Multi-byte encodings that give the same text are equivalents, with one probability; pools count the same."""
    data = text.encode(encoding)
    verdict = charlens.detect_together([data]) if pooled else charlens.detect(data)
    assert verdict.encoding is not None
    texts = [data.decode(name) for name in (verdict.encoding, *(each.encoding for each in verdict.alternatives))]
    assert len({*texts}) == len(texts)
    assert {data.decode(name) for name in verdict.equivalents} <= {texts[0]}
    assert verdict.alternatives == charlens.detect(data).alternatives


def test_equal_texts_of_different_families_are_added() -> None:
    """A date in full-width digits is in EUC-KR what it is in GBK, so the answer is likely."""
    verdict = charlens.detect("１９９８．１２．３１".encode("euc_kr"))
    assert verdict.confidence > 0.7 and {verdict.encoding, *verdict.equivalents} >= {"gbk", "cp949", "gb18030"}
    never = charlens.detect("１９９８．１２．３１".encode("euc_kr"), never=["gbk"])
    assert never.encoding in ("gb18030", "cp949") and "gbk" not in never.equivalents


def test_an_alternative_has_to_be_allowed() -> None:
    """ASCII is not an alternative of an escape encoding if it is not allowed."""
    data = "日本語".encode("iso2022_jp")
    assert [each.encoding for each in charlens.detect(data).alternatives] == ["ascii"]
    assert charlens.detect(data, only=["iso2022_jp", "utf-8"]).alternatives == ()
    assert charlens.detect(data, never=["ascii"]).alternatives == ()


@settings(max_examples=300)
@given(st.one_of(st.binary(max_size=40), st.binary(max_size=6).map(lambda tail: b"a b " + tail)))
@example(b"/\xe8\xfd")
@example("Съешь ещё этих мягких\n".encode("cp1251") * 3 + "Съешь ещё этих мягких\n".encode("koi8-r") * 3)
def test_probabilities_add_up_to_one_at_most(data: bytes) -> None:
    """The confidence and those of the alternatives add up to at most 1, and no alternative is likelier."""
    verdict = charlens.detect(data)
    others = [each.confidence for each in verdict.alternatives]
    assert verdict.confidence + sum(others) < 1.001
    if verdict.encoding is not None:
        assert verdict.confidence >= max(others, default=0.0)
    elif verdict.outcome is Outcome.UNDECIDED:
        assert verdict.confidence == 0.0
