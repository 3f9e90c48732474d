"""Which legacy encodings can decode the bytes at all: exactly those whose codec can, a cut at the end aside."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from prose_texts import legacy, legacy_pairs

from charlens.encodings import all_encodings
from charlens.findings import Candidates
from charlens.options import make_options
from charlens.source import Bytes
from charlens.stages.structure import find_candidates

LEGACY = [encoding.name for encoding in all_encodings() if encoding.kind in ("single", "multi", "ebcdic")]


#: EBCDIC is a candidate only where the caller names it.
ALL = make_options(only=LEGACY)


def candidates(data: bytes) -> Candidates:
    return find_candidates(Bytes(data), ALL)


def ruled_out(data: bytes, found: Candidates) -> dict[str, int]:
    """Each encoding that is ruled out, with the offset of the first byte that it cannot have."""
    walked = dict(zip(found.rules.walked, found.walked[::2], strict=True))
    offsets = {}
    for number in found.rules.by_commonness:
        if not found.numbers >> number & 1:
            lacking = [at for at, value in enumerate(data) if found.rules.undefined[number] >> value & 1]
            offsets[found.rules.names[number]] = walked[number] if number in walked else lacking[0]
    return offsets


def cut(found: Candidates) -> dict[str, int]:
    """The encodings whose last character is cut off, with the number of its bytes that are there."""
    lengths = zip(found.rules.walked, found.walked[1::2], strict=True)
    return {found.rules.names[number]: length for number, length in lengths if length}


def asked(name: str, data: bytes) -> int | None:
    """Where the codec first fails, or ``None``; a character cut off at the end is no failure."""
    try:
        codecs.getincrementaldecoder(name)().decode(data)
    except UnicodeDecodeError as error:
        return error.start
    return None


_legacy_bytes = st.one_of(
    st.binary(max_size=12),
    st.lists(st.sampled_from(b"abc \n\x81\x8e\x8f\xa0\xa1\xa4\xb0\xc5\xd4\xdf\xe9\xfe\xff"), max_size=20).map(
        bytes
    ),
    st.text("äöüßéèñ€ абв日本語中文한글กข", max_size=8).map(lambda text: text.encode("gb18030")),
    st.sampled_from(legacy_pairs("single", "multi")).map(lambda pair: (legacy(*pair) or b"")[:60]),
)


@settings(max_examples=150)
@given(_legacy_bytes)
def test_the_candidates_are_those_whose_codec_decodes(data: bytes) -> None:
    """Each legacy encoding is possible, and its codec decodes all but stray bytes, or ruled out, and it does not."""
    found = candidates(data)
    others = ruled_out(data, found)
    assert sorted([*found.possible, *others]) == sorted(LEGACY)
    for name in found.possible:
        assert asked(name, data) is None or name in dict(found.damaged), name
    for name, offset in others.items():
        # A4 D4 opens composed Hangul, which the table of EUC-KR does not know (test_walks).
        if name != "euc_kr" or b"\xa4\xd4" not in data:
            assert asked(name, data) is not None, name
            assert offset in (asked(name, data), -1), name


@settings(max_examples=60)
@given(
    _legacy_bytes,
    st.sampled_from([b"\x81", b"\xa4", b"\xc5", b"\x8f\xa2", b"\x81\x30", b"\x81\x30\x81", b"\xfe"]),
)
def test_a_cut_at_the_end_rules_nothing_out(data: bytes, tail: bytes) -> None:
    """An unfinished sequence at the end is counted for each encoding that would wait for the rest of it."""
    for name, left in cut(candidates(data + tail)).items():
        decoder = codecs.getincrementaldecoder(name)()
        decoder.decode(data + tail)
        assert len(decoder.getstate()[0]) == left, name


@pytest.mark.parametrize(("encoding", "language"), legacy_pairs("single", "multi"))
def test_the_right_encoding_is_always_possible(encoding: str, language: str) -> None:
    """Prose in an encoding is never ruled out for that encoding."""
    data = legacy(encoding, language)
    assert data is not None
    found = candidates(data[:300])
    assert encoding in found.possible
    assert encoding in cut(found) or data[:300].decode(encoding)


def test_c1_controls_are_evidence_against_an_encoding() -> None:
    """Where bytes would be C1 controls in ISO 8859 and letters or signs elsewhere, ISO 8859 comes later."""
    possible = candidates(b"it\x92s \x93quoted\x94 \x96 and more \x85").possible
    assert possible.index("cp1252") < possible.index("iso8859-1")


def test_ebcdic_is_a_candidate_only_where_its_stage_has_not_judged() -> None:
    """Short bytes may be EBCDIC; of longer ones its stage has said no, unless the caller names it."""
    short, long = Bytes(b"caf\xe9"), Bytes(b"caf\xe9 " * 10)
    assert "cp037" in find_candidates(short).possible
    assert "cp037" not in find_candidates(long).possible
    assert "cp037" in find_candidates(long, make_options(only=["cp037"])).possible


def test_the_step_counts_the_candidates() -> None:
    """The explanation says how many encodings are left and how many are ruled out, and names the first."""
    data = b"caf\xe9"
    found = candidates(data)
    step = found.step()
    assert str(len(found.possible)) in step.words and str(len(ruled_out(data, found))) in step.words
    assert found.possible[0] in step.words
