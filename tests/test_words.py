"""Plain English: phrases that read as translated stay out of the pages, the comments and the messages."""

from __future__ import annotations

import io
import re
import tokenize
from pathlib import Path

import pytest

import charlens

ROOT = Path(__file__).parent.parent
SOURCE = Path(charlens.__file__).parent
PAGES = [
    *sorted(ROOT.glob("docs/*.md")),
    *(ROOT / f"{name}.md" for name in ("README", "CONTRIBUTING", "CHANGELOG")),
]

PHRASES = re.compile(
    r"\bso many\b|\bso much\b|\b(?:is|are|one|none) wanted\b|\b(?:is|are) no (?:text|JSON|error|file)\b|"
    r"\btongues?\b|\bmend(?:s|ed|ing)?\b|\bstraight way\b|\bis no encoding\b|\bwanted is |\btold\b",
    re.IGNORECASE,
)
#: From Python 3.12 on, the words of an f-string are tokens of their own.
STRINGS = {tokenize.STRING, getattr(tokenize, "FSTRING_MIDDLE", tokenize.STRING)}


def phrases(text: str) -> list[str]:
    """Return the phrases of the list that *text* has, also where a line ends within one."""
    return PHRASES.findall(" ".join(text.split()))


def words_of(code: str) -> str:
    """Return the comments of *code*, without their signs, and its strings."""
    tokens = list(tokenize.generate_tokens(io.StringIO(code).readline))
    comments = [token.string.lstrip("#:") for token in tokens if token.type == tokenize.COMMENT]
    return "\n".join([*comments, *(token.string for token in tokens if token.type in STRINGS)])


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_pages_have_none_of_the_phrases(path: Path) -> None:
    """No page of the documentation has a phrase of the list."""
    assert phrases(path.read_text(encoding="utf-8")) == []


def test_modules_have_none_of_the_phrases() -> None:
    """No comment, docstring or message of the package has a phrase of the list."""
    texts = {path: words_of(path.read_text(encoding="utf-8")) for path in SOURCE.rglob("*.py")}
    assert {str(path): found for path, text in texts.items() if (found := phrases(text))} == {}


def test_the_phrases_are_found() -> None:
    """The check bites in comments, strings and f-strings, across lines, and leaves code alone."""
    assert phrases("none is wanted, what is no text, so much") == ["is wanted", "is no text", "so much"]
    code = '#: At most so\n#: many.\ntold = f"{name}; wanted is {wanted}" if wanted is None else "Mended"\n'
    assert sorted(phrases(words_of(code))) == ["Mended", "so many", "wanted is "]
    assert phrases("recommended, amends, retold") == []
