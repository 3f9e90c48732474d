"""What declarations are, and what they are worth: the vocabulary of the declarations stage.

A declaration is a claim of the file or of whoever sent it.  Finding declarations is for the stage; here is how much one
counts against the bytes, as log-odds for the classes of the model.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from charlens.encodings import all_encodings, lookup, web_codec, web_lookup
from charlens.types import Hinted, Step

if TYPE_CHECKING:
    from charlens.models.format import Model

#: A declared charset is e^8 times as likely as the bytes alone say, and one that many tools write unasked e^4.
#: Set by `charlens evaluate html`: pages with a wrong declaration and pages with a right one both count.
_CHARSET_ODDS = 8.0
_DEFAULT_ODDS = 4.0
_DEFAULTS = frozenset(("windows-1252", "UTF-8"))
#: A page is so much likelier to be in an encoding that browsers have than the same words elsewhere.
_PAGE_ODDS = 4.0
#: A declared language; templates say 'en' of pages in any language.
_LANGUAGE_ODDS = 1.5
_TEMPLATE_ODDS = 0.3
#: So many combinations of hints and claims are kept for each model.
_MOST_JOINED = 256

_WORDS = {
    "http": "the HTTP header",
    "meta": "a meta element",
    "xml": "the XML declaration",
    "css": "the @charset rule",
    "python": "the coding line",
    "mail": "the Content-Type of the mail",
}


class Declaration(NamedTuple):
    """One charset, as somebody declared it."""

    #: 'http', 'meta', 'xml', 'css', 'python' or 'mail'.
    source: str
    label: str
    #: What the WHATWG standard takes the label for, where it knows it.
    web: str | None
    #: The encoding that decodes it, by our name; None where there is none ('replacement').
    encoding: str | None
    #: Where it stands, or -1.
    offset: int = -1

    def __str__(self) -> str:
        meant = self.web or self.encoding or "nothing that can be decoded"
        same = meant.lower() == self.label.lower()
        return f"{_WORDS[self.source]} says {self.label!r}" + ("" if same else f", which means {meant}")

    def covers(self, encoding: str) -> bool:
        """Whether *encoding* is what was declared, or one that the web calls by the same name."""
        return encoding in self.covered

    @property
    def covered(self) -> frozenset[str]:
        """Every encoding that the web calls by the name that was declared."""
        return _covered(self.web, self.encoding)


class Declarations(NamedTuple):
    """All that was declared, the one that a browser goes by first."""

    charsets: tuple[Declaration, ...]
    #: BCP 47 tags, as they are declared.
    languages: tuple[str, ...] = ()

    def step(self) -> Step:
        """Repeat what was said."""
        words = [str(declaration) for declaration in self.charsets]
        if self.languages:
            words.append(f"the language is said to be {', '.join(self.languages)}")
        offsets = [declaration.offset for declaration in self.charsets if declaration.offset >= 0]
        return Step("declarations", "; ".join(words), offsets[0] if offsets else None)


class Conflict(NamedTuple):
    """A declaration that the answer does not follow."""

    declaration: Declaration
    encoding: str
    why: str

    def step(self) -> Step:
        """Say who said what, and why that is not the answer."""
        return Step(
            "verdict", f"{self.declaration}, but {self.why}: {self.encoding}", self.declaration.offset
        )


class Odds:
    """Log-odds for encodings by our names, and for languages by their first subtag."""

    # Compared by identity, and the same claims give the same object: what a model makes of them is kept by it.
    __slots__ = ("encodings", "languages", "words")

    def __init__(self, encodings: Mapping[str, float], languages: Mapping[str, float], words: str) -> None:
        self.encodings = encodings
        self.languages = languages
        #: What they come from: the same words, the same odds.
        self.words = words


def declared_odds(declarations: Declarations | None, is_page: bool = False) -> Odds | None:
    """Return what *declarations* are worth to the classes of a model, or ``None`` where they say nothing.

    That something *is_page* counts, too: it is in an encoding that browsers read.
    """
    if declarations is None:
        return _odds((), (), True) if is_page else None
    claims = tuple((declaration.web, declaration.encoding) for declaration in declarations.charsets)
    return _odds(claims, declarations.languages, is_page)


@lru_cache(maxsize=256)
def _odds(claims: tuple[tuple[str | None, str | None], ...], tags: tuple[str, ...], is_page: bool) -> Odds:
    page = _PAGE_ODDS if is_page else 0.0
    encodings = dict.fromkeys(_readable(), page)
    for web, encoding in reversed(claims):  # the first has the last word
        odds = _DEFAULT_ODDS if web in _DEFAULTS else _CHARSET_ODDS
        encodings.update(dict.fromkeys(_covered(web, encoding), page + odds))
    languages: dict[str, float] = {}
    for tag in tags:
        main = tag.split("-")[0].lower()
        languages.setdefault(main, _TEMPLATE_ODDS if main == "en" else _LANGUAGE_ODDS)
    return Odds(encodings, languages, f"{claims} {tags} {is_page}")


def add_odds(model: Model, hints: Hinted | None, odds: Odds) -> Hinted:
    """Return *hints*, or none, with *odds* for the classes of *model*."""
    key = (hints.key if hints else "", odds)
    joined = model.joined.get(key)
    if joined is None:
        begin = hints.odds if hints else (0.0,) * len(model.classes)
        encodings, languages = odds.encodings, odds.languages
        added = tuple(
            more
            + max(encodings.get(name, 0.0) for name in (encoding, *model.families.get(encoding, ())))
            + languages.get(language.split("-")[0], 0.0)
            for more, (encoding, language) in zip(begin, model.classes, strict=True)
        )
        if len(model.joined) >= _MOST_JOINED:
            model.joined.clear()
        joined = model.joined[key] = Hinted(odds.words, added, f"{key[0]}; {odds.words}")
    return joined


@lru_cache(maxsize=1)
def _readable() -> tuple[str, ...]:
    """Return the encodings that the web has a label for."""
    return tuple(each.name for each in all_encodings() if _web_of(each.web, each.iana, each.name))


@lru_cache(maxsize=256)
def _covered(web: str | None, encoding: str | None) -> frozenset[str]:
    """Return every encoding that the web means by *web*: for windows-1252 ISO 8859-1, too."""
    if web is None:
        return frozenset((encoding,)) if encoding else frozenset()
    return frozenset(each.name for each in all_encodings() if _web_of(each.web, each.iana, each.name) == web)


def _web_of(web: str | None, iana: str | None, name: str) -> str | None:
    return web or (web_lookup(iana) if iana else None) or web_lookup(name)


def declare(source: str, label: str, offset: int = -1, *, web: str | None = None) -> Declaration | None:
    """Return the declaration of *label*; ``None`` where it is the label of nothing.

    *web* is what the standard makes of it where that is known already.  Labels that the web does not know are looked
    up as people use them.
    """
    web = web or web_lookup(label)
    if web is not None:
        return Declaration(source, label, web, web_codec(web), offset)
    known = lookup(label)
    return Declaration(source, label, None, known.name, offset) if known else None
