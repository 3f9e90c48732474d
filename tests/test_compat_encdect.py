"""The drop-in for py-encoding-detect, compared with an implementation of the rules that its README describes."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from charlens.compat.encdect import EncodingDetectFile

TEXT = "Test string 👍☺\r\n"


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"\xef\xbb\xbf" + TEXT.encode(), ("utf_8", b"\xef\xbb\xbf", TEXT)),
        (TEXT.encode(), ("utf_8", None, TEXT)),
        (b"Test string\n", ("ascii", None, "Test string\n")),
        (b"\xff\xfe" + TEXT.encode("utf-16-le"), ("utf_16_le", b"\xff\xfe", TEXT)),
        (b"\xfe\xff" + TEXT.encode("utf-16-be"), ("utf_16_be", b"\xfe\xff", TEXT)),
        (TEXT.encode("utf-16-le"), ("utf_16_le", None, TEXT)),
        (TEXT.encode("utf-16-be"), ("utf_16_be", None, TEXT)),
        (b"", ("ascii", None, "")),
        ("Grüße\n".encode("cp1252"), False),
        (b"\x00\x01\x02\x03", False),
        ("日本語\n".encode("iso2022_jp"), ("ascii", None, "日本語\n".encode("iso2022_jp").decode("ascii"))),
        (b"+AGEAYg- UTF-7", ("ascii", None, "+AGEAYg- UTF-7")),
        (b"\x01\x02\x7f", ("ascii", None, "\x01\x02\x7f")),
        ("ab".encode("utf-16-le"), False),
        (("abcdefghijklmnop" * 2).encode("utf-16-be"), ("utf_16_be", None, "abcdefghijklmnop" * 2)),
        ("日本語だけ".encode("utf-16-be"), False),
        (b"\xff\xfea", False),
        (b"\xe0\x80\x80", False),
    ],
)
def test_load_answers_as_py_encoding_detect_does(tmp_path, content, expected):
    """(encoding, mark or None, text) for its four encodings, False for anything else."""
    path = tmp_path / "file.txt"
    path.write_bytes(content)
    assert EncodingDetectFile().load(str(path)) == expected


def test_the_update_example_of_its_readme_works(tmp_path):
    """Load, change the text, write mark and text back: the shape of its documented use."""
    path = tmp_path / "file.txt"
    path.write_bytes(b"\xff\xfe" + TEXT.encode("utf-16-le"))
    result = EncodingDetectFile().load(path)
    assert result
    encoding, bom_marker, text = result
    written = (bom_marker or b"") + text.replace("string", "STRING").encode(encoding)
    assert written == b"\xff\xfe" + TEXT.replace("string", "STRING").encode("utf-16-le")


# ---- the documented rules, byte by byte


def documented(data: bytes) -> str | None:
    """Return the encoding by the README of py-encoding-detect; the shares of NULs are those of its source."""
    for mark, name in ((b"\xfe\xff", "utf_16_be"), (b"\xff\xfe", "utf_16_le"), (b"\xef\xbb\xbf", "utf_8")):
        if data[: len(mark)] == mark:
            return name
    return documented_utf8(data) or documented_utf16(data)


def documented_utf8(data: bytes) -> str | None:
    more, plain = 0, True
    for byte in data:
        if more:
            if not 128 <= byte <= 191:
                return None
            more -= 1
        elif 1 <= byte <= 127:
            continue
        else:
            plain = False
            lengths = {1: range(194, 224), 2: range(224, 240), 3: range(240, 245)}
            more = next((count for count, leads in lengths.items() if byte in leads), 0)
            if not more:
                return None
    if more:
        return None
    return "ascii" if plain else "utf_8"


def documented_utf16(data: bytes) -> str | None:
    nuls, ends = {"odd": 0, "even": 0}, {"odd": 0, "even": 0}
    # Positions count from 1: the first byte of a pair is odd.
    for place in range(0, len(data) - 1, 2):
        odd, even = data[place], data[place + 1]
        if odd == 0:
            nuls["odd"] += 1
            ends["even"] += even in (10, 13)
        elif even == 0:
            nuls["even"] += 1
            ends["odd"] += odd in (10, 13)
    if ends["even"] and not ends["odd"]:
        return "utf_16_be"
    if ends["odd"] and not ends["even"]:
        return "utf_16_le"
    half = len(data) // 2
    positive, negative = int(half * 0.7), int(half * 0.1)
    if positive and nuls["odd"] > positive and nuls["even"] < negative:
        return "utf_16_be"
    if positive and nuls["odd"] < negative and nuls["even"] > positive:
        return "utf_16_le"
    return None


def loaded(folder: Path, data: bytes) -> str | None:
    """Return the encoding that `load` names; None for False."""
    path = folder / "file"
    path.write_bytes(data)
    result = EncodingDetectFile().load(path)
    return result[0] if result else None


def expected(data: bytes) -> str | None:
    """Return what the rules name, if the bytes decode in it: theirs raises where they do not, ours says False."""
    name = documented(data)
    mark = next((mark for mark in (b"\xfe\xff", b"\xff\xfe", b"\xef\xbb\xbf") if data.startswith(mark)), b"")
    try:
        data[len(mark) :].decode(name or "ascii")
    except UnicodeDecodeError:
        return None
    return name


INPUTS = st.one_of(
    st.binary(max_size=80),
    st.lists(st.sampled_from([b"\x00", b"\n", b"\r", b"a", b"\xc3", b"\xa9", b"\xe2\x82", b"\xff\xfe"])).map(
        b"".join
    ),
    st.tuples(
        st.text(max_size=60), st.sampled_from(["utf-8", "utf-16-le", "utf-16-be", "utf-16", "utf-32"])
    ).map(lambda made: made[0].encode(made[1], "surrogatepass")),
)


@settings(max_examples=400, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(INPUTS)
def test_the_rules_are_those_documented(tmp_path: Path, data: bytes) -> None:
    """Whatever the bytes, the encoding is the one that the documented rules name, or False."""
    assert loaded(tmp_path, data) == expected(data)


def test_the_thresholds_are_exact(tmp_path: Path) -> None:
    """Every number of NULs on either side of both thresholds, for several lengths, gives the documented answer."""
    for half in (1, 2, 10, 20, 41):
        for odd in range(half + 1):
            for even in range(half + 1 - odd):
                pairs = [b"\0a"] * odd + [b"a\0"] * even + [b"ab"] * (half - odd - even)
                random.Random(odd).shuffle(pairs)
                data = b"".join(pairs)
                assert loaded(tmp_path, data) == expected(data), (half, odd, even)
