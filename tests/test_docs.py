"""The code in the documents runs: each Python block of the pages listed here, on its own."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parent.parent / "docs"
PAGES = ("hints.md", "explanation.md", "together.md", "mixed.md")
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", PAGES)
def test_the_code_of_a_page_runs(page: str) -> None:
    """Every block of Python on the page runs as it stands, and what it asserts holds."""
    blocks = BLOCK.findall((DOCS / page).read_text(encoding="utf-8"))
    assert blocks
    for block in blocks:
        exec(compile(block, page, "exec"), {})
