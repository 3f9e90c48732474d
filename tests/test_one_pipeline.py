"""One pipeline for every way in: bytes at once, in pieces, many, and too large to keep give the same answer."""

from __future__ import annotations

import os
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from prose_texts import PROSE, THIN, legacy, legacy_pairs

import charlens
from charlens import Detector, Verdict, api, kernel, models, source
from charlens.inputs import mixed, stream, stream_state, trackers
from charlens.options import make_options
from charlens.pipeline import run

#: As little as this is kept whole in the tests of large inputs.
SMALL = 2048


def page(language: str, encoding: str, label: str) -> bytes:
    """A page of prose, three times over, that declares *label*."""
    lines = "".join(f"<p>{line}</p>\n" for line in PROSE[language].splitlines()) * 3
    text = f'<html>\n<head>\n<meta charset="{label}">\n</head>\n<body>\n{lines}</body>\n</html>\n'
    return text.encode(encoding, "ignore")


def damaged(text: str) -> bytes:
    """UTF-8 with one wrong byte in the middle."""
    data = text.encode()
    middle = data.index(b" ", len(data) // 2)
    return data[:middle] + b"\xff" + data[middle:]


#: Each is longer than `SMALL`.
INPUTS: dict[str, bytes] = {
    "ascii": b"A plain line of ASCII, with nothing in it to decide by.\n" * 50,
    "utf-8": PROSE["ru"].encode() * 2,
    "cp1251": PROSE["ru"].encode("cp1251", "ignore") * 3,
    "cp1252": PROSE["de"].encode("cp1252", "ignore") * 3,
    "shift_jis": PROSE["ja"].encode("cp932", "ignore") * 3,
    "page with meta": page("ru", "koi8-r", "koi8-r"),
    "damaged utf-8": damaged(PROSE["fr"] * 3),
    "utf-16": PROSE["de"].encode("utf-16"),
    "binary": b"\x7fELF\x02\x01\x01\x00" * 400,
    "iso-2022-jp": PROSE["ja"].encode("iso2022_jp", "ignore") * 3,
    "hungarian page": page("hu", "iso8859-2", "iso-8859-2"),
    "cr lf": PROSE["pl"].replace("\n", "\r\n").encode("cp1250", "ignore") * 3,
}

OPTIONS: dict[str, dict[str, Any]] = {
    "none": {},
    "only": {
        "only": ["utf-8", "utf-16", "cp1251", "koi8-r", "cp1252", "cp1250", "iso8859-2", "shift_jis", "cp932"]
    },
    "never": {"never": ["cp1252", "cp1250", "iso8859-2"]},
    "hints": {"hints": {"language": "ru", "tld": "hu", "platform": "windows"}},
    "content type": {"content_type": "text/html; charset=windows-1250"},
    "obey": {"declared": "obey"},
    "obey the header": {"declared": "obey", "content_type": "text/plain; charset=koi8-r"},
    "ignore": {"declared": "ignore"},
    "markup none": {"markup": "none"},
    "model": {"model": os.path.join(os.path.dirname(models.__file__), models.DEFAULT)},
}

CASES = [pytest.param(name, key, id=f"{name}-{key}") for name in INPUTS for key in OPTIONS]


def fed(data: bytes, size: int, keywords: dict[str, Any]) -> Verdict:
    """The answer of a `Detector` for *data* in pieces of *size* bytes."""
    detector = Detector(**keywords)
    for start in range(0, len(data), size):
        detector.feed(data[start : start + size])
    return detector.close()


def make_small(patch: pytest.MonkeyPatch) -> None:
    """Take everything over two kilobytes for large."""
    for module in (source, api, mixed, stream, stream_state):
        patch.setattr(module, "LARGEST", SMALL)
    patch.setattr(stream, "_PIECE", 512)
    patch.setattr(trackers, "_FIRST_STRIDE", SMALL // 16)
    patch.setattr(trackers, "_WINDOW", 100)


def large(data: bytes, size: int, keywords: dict[str, Any]) -> Verdict:
    """The answer for *data* as a large input whose state takes pieces of *size* bytes."""
    options = make_options(**keywords)
    state = stream_state.StreamState(data[:SMALL], options)
    for start in range(SMALL, len(data), size):
        state.add(data[start : start + size])
    return run(state.source(), options)


def test_the_inputs_are_what_their_names_say() -> None:
    """Every input of this file is recognised, and larger than what the tests of large inputs keep."""
    names = {name: charlens.detect(data).encoding for name, data in INPUTS.items()}
    assert names == {
        "ascii": "ascii",
        "utf-8": "utf-8",
        "cp1251": "cp1251",
        "cp1252": "cp1252",
        "shift_jis": "cp932",
        "page with meta": "koi8-r",
        "damaged utf-8": "utf-8",
        "utf-16": "utf-16-le",
        "binary": None,
        "iso-2022-jp": "iso2022_jp",
        "hungarian page": "iso8859-2",
        "cr lf": "cp1250",
    }
    assert min(map(len, INPUTS.values())) > SMALL


@pytest.mark.parametrize("size", [1, 7, 1000])
@pytest.mark.parametrize(("name", "key"), CASES)
def test_a_detector_answers_as_detect_does(name: str, key: str, size: int) -> None:
    """However the bytes are cut, a `Detector` with the same options gives the verdict of `detect`."""
    if size == 1 and kernel.NAME == "pure":
        pytest.skip("thousands of calls of the plain kernel")
    data, keywords = INPUTS[name], OPTIONS[key]
    assert fed(data, size, keywords) == charlens.detect(data, **keywords)


@pytest.mark.parametrize("key", OPTIONS)
def test_many_answer_as_one_does(key: str) -> None:
    """`detect_many` gives for each input the verdict of `detect` with the same options."""
    keywords = OPTIONS[key]
    expected = [charlens.detect(data, **keywords) for data in INPUTS.values()]
    assert list(charlens.detect_many(INPUTS.values(), threads=2, **keywords)) == expected


@pytest.mark.parametrize(("name", "key"), CASES)
def test_a_large_input_does_not_depend_on_its_pieces(
    name: str, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However a large input is cut, the verdict is the same, to the last field."""
    make_small(monkeypatch)
    data, keywords = INPUTS[name], OPTIONS[key]
    sizes = [1, 7, 100, 1000, len(data)] if THIN == 1 else [100, 1000]
    verdicts = [large(data, size, keywords) for size in sizes]
    assert all(verdict == verdicts[0] for verdict in verdicts)
    assert charlens.detect(data, **keywords) == verdicts[0]
    assert fed(data, 300, keywords) == verdicts[0]


#: Pieces of text in encodings of every kind, and bytes that break them.
MIXED = [
    *(
        PROSE[language].encode(encoding, "ignore")[:900]
        for language, encoding in (
            ("ru", "cp1251"), ("ja", "cp932"), ("ja", "euc_jp"), ("zh-Hans", "gb18030"), ("ko", "cp949"),
            ("de", "cp1252"), ("de", "utf-8"), ("ja", "utf-8"), ("en", "ascii"), ("ja", "iso2022_jp"),
            ("zh-Hans", "hz"), ("de", "utf-7"), ("ru", "utf-16-le"), ("de", "cp500"),
        )
    ),
    *(b"\xff", b"\x80", b"\x00", b"\xc3", b"\xf0\x9f", b"\x1b$B", b"~{", b"+", b"\xef\xbb\xbf", b"\xff\xfe"),
    b" " * 700,
]  # fmt: skip


@settings(max_examples=80)
@given(
    parts=st.lists(
        st.tuples(st.sampled_from(MIXED), st.integers(0, 300), st.integers(1, 900), st.integers(1, 40)),
        min_size=1,
        max_size=8,
    ),
    key=st.sampled_from(sorted(set(OPTIONS) - {"model"})),
)
def test_a_mixture_does_not_depend_on_its_pieces(parts: list[tuple[bytes, int, int, int]], key: str) -> None:
    """Whatever a large input is put together of, the verdict does not depend on how it is cut."""
    data = b"".join(
        text[start : start + length] if len(text) > 3 else text * times
        for text, start, length, times in parts
    )
    data *= 1 + SMALL // max(1, len(data))
    with pytest.MonkeyPatch.context() as patch:
        make_small(patch)
        whole = large(data, len(data), OPTIONS[key])
        for size in (3, 50) if THIN == 1 else (50,):
            assert large(data, size, OPTIONS[key]) == whole


@pytest.mark.parametrize(("name", "key"), CASES)
def test_a_large_input_is_answered_as_a_small_one(
    name: str, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An input too large to keep gets the outcome, the encoding and the language that it gets when it is kept."""
    data, keywords = INPUTS[name], OPTIONS[key]
    whole = charlens.detect(data, **keywords)
    make_small(monkeypatch)
    found = charlens.detect(data, **keywords)
    assert found.outcome == whole.outcome
    if key == "never" and whole.confidence < 0.9:
        return  # all encodings of the language are forbidden: which of the wrong ones wins is chance
    assert found.encoding == whole.encoding
    assert (found.bom, found.damage, found.cut) == (whole.bom, whole.damage, whole.cut)
    if key != "obey the header":  # the language of text that is read in a wrong encoding means nothing
        assert found.language == whole.language


@pytest.mark.parametrize("encoding", ["koi8-r", "iso8859-5", "cp866"])
def test_one_string_of_a_pool_is_answered_as_alone(encoding: str) -> None:
    """A pool of one string of Russian gives the encoding that the string alone gives."""
    data = legacy(encoding, "ru")
    assert data is not None
    only = ["koi8-r", "iso8859-5", "cp866"]
    for keywords in (
        {"only": only},
        {"only": only, "hints": {"language": "ru"}},
        {"only": only, "declared": "ignore"},
    ):
        alone = charlens.detect(data, **keywords)
        assert charlens.detect_together([data], **keywords).encoding == alone.encoding == encoding


# ---- the loop that everyone writes


def by_lines(data: bytes, **keywords: Any) -> Verdict:
    """Feed the lines of *data* until the detector is done."""
    detector = Detector(**keywords)
    for line in data.splitlines(keepends=True):
        detector.feed(line)
        if detector.done:
            break
    return detector.close()


LANGUAGES = sorted(PROSE)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_loop_over_lines_names_what_detect_names(language: str) -> None:
    """Feeding lines until the detector is done gives the name that `detect` gives for all of the text."""
    encodings = [encoding for encoding, own in legacy_pairs("single", "multi", "ebcdic") if own == language]
    data = {encoding: legacy(encoding, language) or b"" for encoding in encodings[:: min(THIN, 4)]}
    for encoding in ("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-32-be", "utf-7"):
        data[encoding] = PROSE[language].encode(encoding)
    different = {}
    for encoding, text in data.items():
        found, whole = by_lines(text).encoding, charlens.detect(text).encoding
        if found != whole:
            different[encoding] = (found, whole)
    assert different == {}


def test_the_loop_over_lines_of_a_page_names_what_it_declares() -> None:
    """Lines of a page that declares ISO-8859-2 give ISO-8859-2, as the whole page does."""
    data = page("hu", "iso8859-2", "iso-8859-2")
    assert by_lines(data).encoding == charlens.detect(data).encoding == "iso8859-2"
