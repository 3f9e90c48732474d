"""The library as a caller meets it: plain data, conversion in memory, types, and errors that say what to do."""

from __future__ import annotations

import json

import pytest

import charlens
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
