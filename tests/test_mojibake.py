"""Text that was encoded twice: found, undone, and not seen where it is not."""

from __future__ import annotations

import pytest
from prose_texts import PROSE

from charlens.repair.mojibake import CODECS, find_double_encoding, undo_double_encoding


def twice(text: str, codec: str) -> str:
    """Read the UTF-8 of *text* as *codec*; bytes that it lacks stand for themselves."""
    signs = (bytes((byte,)).decode(codec, "replace") for byte in text.encode())
    return "".join(
        chr(byte) if sign == "\ufffd" else sign for sign, byte in zip(signs, text.encode(), strict=True)
    )


@pytest.mark.parametrize("codec", CODECS)
@pytest.mark.parametrize("language", ["de", "fr", "ru", "ja", "el", "pl", "fa"])
def test_what_was_encoded_twice_is_undone(language: str, codec: str) -> None:
    """The text comes back to the letter, through each code page."""
    text = PROSE[language][:600]
    assert undo_double_encoding(twice(text, codec)) == text


def test_three_times_is_undone_too() -> None:
    """Undoing goes on while there is something to undo."""
    assert (
        undo_double_encoding(twice(twice("Grüße, schöne Straße", "cp1252"), "cp1252"))
        == "Grüße, schöne Straße"
    )


def test_only_the_words_concerned_change() -> None:
    """In a text that is half right, the right half stays."""
    text = "Schöne Grüße\n" + twice("Änderung, Größe, Übermut\n", "cp1252")
    found = find_double_encoding(text)
    assert [word.original for word in found] == ["Änderung,", "Größe,", "Übermut"]
    assert all(word.codec == "cp1252" for word in found)
    assert undo_double_encoding(text) == "Schöne Grüße\nÄnderung, Größe, Übermut\n"


@pytest.mark.parametrize("language", sorted(PROSE))
def test_what_was_encoded_once_is_left_alone(language: str) -> None:
    """No language looks like UTF-8 encoded twice."""
    assert find_double_encoding(PROSE[language]) == ()


@pytest.mark.parametrize(
    "text",
    [
        "l’écoutez d’être j’émettrai qu’è",
        "bilýäñizmi? bilýäñmi? bilýäñ!",
        "",
        "plain",
        "« MARCHÉ »",
        "Ã",
        "one Ã© is chance",
        "TÜ” Ä– Ö«",
        "так, чай, как; только",
    ],
)
def test_a_little_is_chance(text: str) -> None:
    """A few characters that could be sequences prove nothing."""
    assert find_double_encoding(text) == () and undo_double_encoding(text) == text
