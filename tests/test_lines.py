"""Lines and their ends."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from charlens.files.line_ends import Line, restore_ends, split_lines

texts = st.text(alphabet="ab\r\n", max_size=30)


@given(texts)
def test_lines_put_together_are_the_text(text):
    """Splitting loses nothing, and only the last line has no end."""
    lines = split_lines(text)
    assert "".join(line + end for line, end in lines) == text
    assert all(end for _, end in lines[:-1]) and lines[-1][1] == ""


@given(texts)
def test_unchanged_text_gets_its_own_ends(text):
    """Restoring the ends of a text that did not change gives it back."""
    plain = re.sub("\r\n|\r", "\n", text)
    assert restore_ends(split_lines(text), plain, "\n") == text


@given(texts, texts)
def test_restoring_never_changes_the_words(old, new):
    """Whatever was there before, only the line endings of the new text are touched."""
    plain = re.sub("\r\n|\r", "\n", new)
    assert re.sub("\r\n|\r", "\n", restore_ends(split_lines(old), plain, "\r\n")) == plain


def test_places_count_from_one():
    """A place is the line and column that an editor would show."""
    assert Line.place("ab\r\ncd\ref", 8) == Line(3, 2)
    assert Line.place("x", 0) == Line(1, 1)
