"""The library as a caller meets it: plain data, conversion in memory, types, and errors that say what to do."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import charlens
from charlens.batch import detect_batch
from charlens.options import _POLICIES, _WAYS

RUSSIAN = "Съешь ещё этих мягких французских булок, да выпей чаю.\n"


def test_a_verdict_is_plain_data() -> None:
    """`to_dict` can be written as JSON, with the steps as sentences and the mark in hexadecimal."""
    found = json.loads(json.dumps(charlens.detect(RUSSIAN.encode("utf-16")).to_dict()))
    assert (found["outcome"], found["encoding"], found["bom"]) == ("text", "utf-16-le", "fffe")
    assert found["steps"] and found["damage"] == []


def test_bytes_are_converted_in_memory() -> None:
    """The text stays, the declaration becomes true, and mark and line endings are as asked for."""
    page = f'<meta charset="windows-1251"><p>{RUSSIAN}</p>'
    assert charlens.convert(page.encode("cp1251")).decode() == page.replace("windows-1251", "utf-8")
    data = charlens.convert(RUSSIAN.encode("koi8-r"), bom=True, newline="crlf")
    assert data == ("\ufeff" + RUSSIAN.replace("\n", "\r\n")).encode()
    assert charlens.convert("é".encode("cp850"), source="cp850") == "é".encode()


@pytest.mark.parametrize(
    ("data", "keywords", "error", "words"),
    [
        (b"\x7fELF\x00\x00", {}, charlens.NotTextError, "binary"),
        (RUSSIAN.encode(), {"to": "latin-1"}, charlens.CharlensError, "Not converted"),
        (RUSSIAN.encode(), {"to": "utf-9"}, charlens.UnknownEncodingError, "Did you mean 'utf-8'"),
        (RUSSIAN.encode(), {"newline": "\n"}, ValueError, "lf, crlf, cr"),
        ("text", {}, TypeError, "needs bytes"),
    ],
)
def test_what_cannot_be_converted_is_an_error(
    data: bytes, keywords: dict[str, str], error: type[Exception], words: str
) -> None:
    """Nothing comes back that cannot be proved; the message says why."""
    with pytest.raises(error, match=words):
        charlens.convert(data, **keywords)


@pytest.mark.parametrize("data", [b"text", bytearray(b"text"), memoryview(b"text")])
def test_bytes_given_as_a_path(data: bytes) -> None:
    """`detect_path(data)` names the function that was meant."""
    with pytest.raises(TypeError, match=r"these look like bytes: use charlens\.detect\(data\)"):
        charlens.detect_path(data)  # type: ignore[arg-type]


def test_the_types_name_what_the_options_take() -> None:
    """The literals for type checkers and the values that are checked at run time are the same."""
    from inspect import signature
    from typing import get_args

    from charlens.hints import _PARSERS
    from charlens.keywords import Declared, Markup
    from charlens.options import make_options

    assert get_args(Declared) == _POLICIES and get_args(Markup) == _WAYS
    assert list(charlens.Hints.__annotations__) == list(_PARSERS)
    assert set(charlens.Keywords.__annotations__) == set(signature(make_options).parameters) - {"unknown"}


@pytest.mark.parametrize(
    ("keywords", "error", "words"),
    [
        ({"prescan": "x"}, ValueError, "prescan= must be a positive number of bytes; got 'x'"),
        ({"prescan": 0}, ValueError, "prescan="),
        ({"parts": "yes"}, TypeError, "parts= must be True or False"),
        ({"only": 5}, TypeError, r"only= must be a list of names, such as \['utf-8'\]; got int"),
        ({"never": 5}, TypeError, "never= must be a list of names"),
        ({"model": 5}, TypeError, "model= must be a model or the folder of one"),
        ({"max_bytes": True}, ValueError, "max_bytes= must be a positive number"),
        ({"max_seconds": "x"}, ValueError, "max_seconds= must be a positive number"),
    ],
)
def test_every_keyword_is_checked(keywords: dict[str, Any], error: type[Exception], words: str) -> None:
    """A value of the wrong kind is refused by all entries, with a message that names the keyword."""
    for entry in (charlens.detect, charlens.decode, charlens.segments):
        with pytest.raises(error, match=words):
            entry(b"abc", **keywords)
    with pytest.raises(error, match=words):
        charlens.Detector(**keywords)


@pytest.mark.parametrize("enough", ["x", 2, -0.1])
def test_enough_is_a_probability(enough: Any) -> None:
    """`enough` is checked when the detector is made."""
    with pytest.raises(ValueError, match="enough= must be a confidence from 0 to 1"):
        charlens.Detector(enough=enough)


def test_no_threads_means_one_per_processor() -> None:
    """`threads` means the same for items and for columns: 0 is one per processor, and less is an error."""
    assert [verdict.encoding for verdict in charlens.detect_many([b"abc"], threads=0)] == ["ascii"]
    for wrong in (-1, "x"):
        with pytest.raises(ValueError, match="threads= must be a number of threads"):
            list(charlens.detect_many([b"abc"], threads=wrong))  # type: ignore[arg-type]
        with pytest.raises(ValueError, match="threads= must be a number of threads"):
            detect_batch(b"abc", [0, 3], threads=wrong)  # type: ignore[arg-type]


def test_a_path_is_not_bytes() -> None:
    """`detect(path)` names the function that was meant, as for a str."""
    with pytest.raises(TypeError, match=r"got a path.*charlens\.detect_path\(path\)"):
        charlens.detect(Path("x"))  # type: ignore[arg-type]
