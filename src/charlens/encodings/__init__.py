"""Every encoding that charlens knows, and its names.

The facts are in `encodings.toml` and `whatwg_labels.toml`, written by hand; `_table.py` is generated from
them.  `charlens.encodings.maps` has the characters of each encoding; the stages detect which encoding some
bytes are in.

There are two ways to look up a label, on purpose: `lookup` is for people and programs, and takes
'latin-1' to be ISO 8859-1 as Python does; `web_lookup` is for pages, and takes it to be
windows-1252 as browsers do.
"""

# No `from __future__ import annotations` here: NamedTuple would compile every field's annotation from
# its text, which takes 1.5 ms of an import that should take less than 2.

import codecs
from collections.abc import Sequence
from encodings import normalize_encoding
from encodings.aliases import aliases as _PYTHON_ALIASES
from functools import lru_cache
from typing import NamedTuple

from charlens.encodings._table import LABEL_KEYS, NAME_KEYS, ROWS, WEB_CODECS, WEB_LABELS
from charlens.errors import UnknownEncodingError
from charlens.plural import suggest

__all__ = [
    "Encoding",
    "all_encodings",
    "canonical",
    "has_ascii",
    "lookup",
    "rank",
    "web_codec",
    "web_lookup",
    "web_name",
    "web_of",
]


class Encoding(NamedTuple):
    """The facts about one encoding; `encodings.toml` explains the fields."""

    #: The name in `codecs.lookup` and in the answers of charlens.
    name: str
    #: Its name in the WHATWG standard, if the standard has exactly this encoding.
    web: str | None
    #: Its preferred name in the IANA registry, if it has one.
    iana: str | None
    #: 'ascii', 'utf', 'single', 'multi', 'escape' or 'ebcdic'.
    kind: str
    #: The languages that were written in it, as BCP 47 tags; () for Unicode, which covers all.
    languages: tuple[str, ...]
    #: About how many of 10,000 documents that are neither ASCII nor Unicode are in it.
    common: int
    #: An encoding that decodes all its texts in the same way.
    subset_of: str | None


_ALL = tuple(map(Encoding._make, ROWS))
_RANKS = {encoding.name: place for place, encoding in enumerate(_ALL)}
_WEB_NAMES = {encoding.name: encoding.web for encoding in _ALL}

#: Encodings that Python has no codec for, and the modules with ours.
_OWN_CODECS = {"euc_tw": "euctw", "viscii": "viscii"}

#: ASCII whitespace as defined by the WHATWG; `str.strip()` removes more.
_WHITESPACE = "\t\n\f\r "

#: The longest label in use has 45 characters (the registry's long name of EUC-JP); longer ones are not labels.
_LONGEST_LABEL = 64


def all_encodings() -> tuple[Encoding, ...]:
    """Return every encoding, in the order of `rank`."""
    return _ALL


@lru_cache(maxsize=1024)
def lookup(label: str) -> Encoding | None:
    """Return the encoding that people call *label*, or ``None``.

    Case, ``-``, ``_`` and spaces are ignored.  The label is searched in this order: our
    names, Python's aliases, the IANA registry, the labels of the web, and some others in use.
    """
    label = label.strip(_WHITESPACE)
    if not label.isascii() or len(label) > _LONGEST_LABEL:
        return None
    key = squeeze(label)
    row = NAME_KEYS.get(key)
    if row is None:
        module = squeeze(_PYTHON_ALIASES.get(normalize_encoding(label).lower(), ""))
        row = NAME_KEYS.get(module, LABEL_KEYS.get(key, LABEL_KEYS.get(module)))
    return None if row is None else _ALL[row]


def canonical(label: str) -> str:
    """Return the name that charlens uses for *label*; for an unknown one, raise an error with suggestions."""
    if not isinstance(label, str):
        raise TypeError(f"the name of an encoding must be a str, such as 'utf-8'; got {type(label).__name__}")
    encoding = lookup(label)
    if encoding is not None:
        return encoding.name
    advice = suggest(_closest(label[:_LONGEST_LABEL]))
    raise UnknownEncodingError(
        f"Unknown encoding {label[:_LONGEST_LABEL]!r}. {advice}"
        f"'charlens encodings' or charlens.encodings.all_encodings() lists all {len(_ALL)}."
    )


def rank(name: str) -> int:
    """Return the place of *name* in the order of preference among encodings that give the same text.

    First ascii, then utf-8, then the encodings of the WHATWG standard and cp437, then the rest, the
    more common first.  Unknown names come last.
    """
    return _RANKS.get(name, len(_RANKS))


def has_ascii(name: str) -> bool:
    """Whether ASCII text has the bytes of ASCII in the encoding *name*: not in UTF-16, UTF-32, UTF-7 and EBCDIC."""
    encoding = lookup(name)
    return encoding is None or not (
        encoding.kind == "ebcdic" or encoding.name.startswith(("utf-16", "utf-32", "utf-7"))
    )


def web_name(name: str) -> str | None:
    """Return the WHATWG name of the encoding *name* ('Shift_JIS' for 'cp932'), if it has one."""
    return _WEB_NAMES.get(name)


def web_lookup(label: str) -> str | None:
    """Return the WHATWG name of the encoding that a page means by *label*, strictly by the standard."""
    # Labels are ASCII; lower() would turn the Kelvin sign into 'k'.
    return WEB_LABELS.get(label.strip(_WHITESPACE).lower()) if label.isascii() else None


def web_codec(web_name: str) -> str | None:
    """Return the name of the encoding that decodes the WHATWG encoding *web_name* best.

    ``None`` for 'replacement' and 'x-user-defined', which have no codec, and for unknown names.
    """
    return WEB_CODECS.get(web_name)


def web_of(encoding: Encoding) -> str | None:
    """Return the WHATWG encoding that browsers use for *encoding*, such as windows-1252 for ISO 8859-1."""
    return encoding.web or (web_lookup(encoding.iana) if encoding.iana else None) or web_lookup(encoding.name)


def squeeze(label: str) -> str:
    """Return the letters and digits of *label* in lower case, for comparisons."""
    return "".join(filter(str.isalnum, label.lower()))


def _find_codec(name: str) -> codecs.CodecInfo | None:
    """Return a codec that Python does not have; its module and table are loaded on first use."""
    known = lookup(name)
    module = _OWN_CODECS.get(known.name if known else name)
    if module is None:
        return None
    from importlib import import_module

    codec: codecs.CodecInfo = import_module(f"charlens.encodings.{module}").codec()
    return codec


codecs.register(_find_codec)


def _closest(label: str) -> Sequence[str]:
    """Return up to three of our names whose name or label looks like *label*."""
    import difflib  # here: only needed for an error

    given = squeeze(label)
    keys = difflib.get_close_matches(given, [*NAME_KEYS, *LABEL_KEYS], n=9)
    # Equal digits count most, in any order: 'windwos1251' is cp1251, not cp1258.
    digits = [key for key in keys if _digits(key) == _digits(given)]
    rows = dict.fromkeys(NAME_KEYS.get(key, LABEL_KEYS.get(key, 0)) for key in digits or keys)
    return [_ALL[row].name for row in rows][:3]


def _digits(key: str) -> list[str]:
    """Return the digits of a squeezed label in ascending order."""
    return sorted(filter(str.isdigit, key))
