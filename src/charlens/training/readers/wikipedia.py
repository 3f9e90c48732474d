"""Read the dump of a wiki (`ruwiki-…-pages-articles.xml.bz2`): its articles as plain prose.

This is not a parser of wikitext: braces, tables, notes and pictures are removed with their content, links
become their words, and a line that still looks like markup is removed too.  Some prose is lost, which does not
matter here; markup in the text would.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from typing import IO
from xml.etree import ElementTree

from charlens.training.readers.texts import ReaderError, Text

# What a wiki calls itself where that is not a BCP 47 tag.
_TAGS = {"simple": "en", "be-x-old": "be-tarask", "zh-classical": "lzh", "zh-min-nan": "nan", "zh-yue": "yue"}
_LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"


def read_dump(file: IO[bytes]) -> Iterator[Text]:
    """Yield the articles of a dump; talk, redirects and other pages are ignored."""
    language: str | None = None
    root: ElementTree.Element | None = None
    try:
        for event, element in ElementTree.iterparse(file, events=("start", "end")):
            if root is None:
                root, language = element, _tag(element.get(_LANGUAGE))
            if event == "end" and _name(element) == "page":
                article = _article(element)
                if article:
                    yield Text(article, language)
                # Without this the whole dump would grow in memory.
                root.clear()
    except ElementTree.ParseError as error:
        raise ReaderError(f"the dump is not XML, or is cut short: {error}") from error
    if root is not None and _name(root) != "mediawiki":
        raise ReaderError(f"this XML is not a dump of a wiki: it begins with <{_name(root)}>, not <mediawiki>")


def _tag(code: str | None) -> str | None:
    return _TAGS.get(code, code) if code else None


def _name(element: ElementTree.Element) -> str:
    return element.tag.rpartition("}")[2]


def _article(page: ElementTree.Element) -> str | None:
    """Return the prose of a page of the main namespace that redirects nowhere."""
    found = {_name(part): part for part in page.iter()}
    space, wikitext = found.get("ns"), found.get("text")
    if "redirect" in found or wikitext is None or (space is not None and space.text != "0"):
        return None
    return plain_text(wikitext.text or "")


_NOTES = re.compile(
    r"<!--.*?-->|<ref[^<>]*/>|<(ref|math|gallery|timeline|syntaxhighlight|source|score|table|code|pre)\b[^<>]*>.*?</\1\s*>",
    re.DOTALL | re.IGNORECASE,
)
_BRACKETS = re.compile(r"(\{\{|\}\}|\{\||\|\}|\[\[|\]\])")
_CLOSING = {"{{": "}}", "{|": "|}", "[[": "]]"}
_TAG_OR_QUOTES = re.compile(r"<[^<>]{0,300}>|'{2,5}|__[A-Z]+__")
_OUTSIDE_LINK = re.compile(r"\[(?:https?:)?//[^\s\[\]]+\s*([^\[\]]*)\]")
_HEADING = re.compile(r"^=+[^=\n]+=+\s*$", re.MULTILINE)
_LIST = re.compile(r"^[*#:;]+\s*", re.MULTILINE)
_LEFT_OVER = re.compile(r"[{}|]|\[\[|\]\]|^[!=]|https?:")


def plain_text(wikitext: str) -> str:
    """Return the prose in *wikitext*, one paragraph per line."""
    text = _NOTES.sub("", wikitext)
    text = _OUTSIDE_LINK.sub(r"\1", _without_brackets(text))
    text = _LIST.sub("", _HEADING.sub("", _TAG_OR_QUOTES.sub("", text)))
    lines = (" ".join(html.unescape(line).split()) for line in text.splitlines())
    return "\n".join(line for line in lines if line and not _LEFT_OVER.search(line))


def _without_brackets(text: str) -> str:
    """Drop templates and tables with all that is in them; put the words of a link in its place."""
    parts: list[str] = []
    # The brackets that are open, each with the place in `parts` where it began.
    opened: list[tuple[str, int]] = []
    for piece in _BRACKETS.split(text):
        if piece in _CLOSING:
            opened.append((piece, len(parts)))
        elif opened and piece == _CLOSING[opened[-1][0]]:
            bracket, start = opened.pop()
            inner = "".join(parts[start:])
            del parts[start:]
            if bracket == "[[":
                parts.append(_link_words(inner))
        elif piece not in _CLOSING.values():
            parts.append(piece)
    # What is never closed is not to be trusted from there on.
    return "".join(parts[: opened[0][1]] if opened else parts)


def _link_words(inner: str) -> str:
    target, bar, words = inner.partition("|")
    # 'File:…', 'Category:…' in any language; a link to an article may have a colon too, and is lost.
    if ":" in target:
        return ""
    return words.rpartition("|")[2] if bar else target
