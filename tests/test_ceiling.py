"""The yardstick of accuracy reads of a file what a model needs, and counts by kinds of encodings."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import pytest


@pytest.fixture
def ceiling(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Return bench/ceiling.py as a module."""
    pytest.importorskip("numpy")
    monkeypatch.syspath_prepend(str(Path(__file__).parent.parent / "bench"))
    monkeypatch.delitem(sys.modules, "common", raising=False)
    import ceiling

    return ceiling


def test_short_data_is_read_whole(ceiling: ModuleType) -> None:
    """What fits into a view is the view."""
    data = bytes(range(256)) * 4
    assert ceiling.view(data) == data


@pytest.mark.parametrize("place", [0, 5_000, 99_999])
def test_a_view_has_the_only_non_ascii_byte(ceiling: ModuleType, place: int) -> None:
    """One letter in a long ASCII text is in the view, with its surroundings."""
    data = b"a" * place + b"\xe9" + b"b" * (99_999 - place)
    found = ceiling.view(data)
    assert b"\xe9" in found and found in data and len(found) <= ceiling.MOST


def test_views_are_in_order_and_do_not_overlap(ceiling: ModuleType) -> None:
    """Windows that would overlap are joined, so no pair of bytes counts twice."""
    marks = [3_000, 3_050, 9_000]
    data = bytearray(b"." * 20_000)
    for mark in marks:
        data[mark] = 0xE0 + marks.index(mark)
    found = ceiling.view(bytes(data))
    assert [byte for byte in found if byte >= 0x80] == [0xE0, 0xE1, 0xE2]


@pytest.mark.parametrize(
    ("name", "kind"),
    [("cp1252", "Latin"), ("koi8-r", "Cyrillic"), ("big5", "multi-byte"), ("cp500", "EBCDIC")],
)
def test_kinds_of_encodings(ceiling: ModuleType, name: str, kind: str) -> None:
    """An encoding is counted with those of its script, or with its structure."""
    assert ceiling._kind(name) == kind
