"""Find the encoding for a name from a label, a manifest or a detector.

Detectors spell names in different ways ('WINDOWS-1251', 'cp1251'), and some name encodings that
Python does not have ('TCVN').  `judge` decides whether two encodings give the same text.
"""

from __future__ import annotations

import codecs
from dataclasses import dataclass
from functools import lru_cache

from charlens.encodings import lookup, squeeze

#: The label of a sample that is not text at all.
BINARY = "binary"

# Encodings that manifests and detectors name and that Python has no codec for.  They can be
# compared by name only.
_NO_CODEC = {
    "iso2022cn": "iso2022_cn",
    "iso2022cnext": "iso2022_cn_ext",
    "tcvn": "tcvn",
    "georgianacademy": "georgian_academy",
    "georgianps": "georgian_ps",
    "cp420": "cp420",
    "ibm420": "cp420",
}

# Names that only one detector uses, for encodings with another name in the table.
_NICKNAMES = {
    "maccentraleurope": "mac_latin2",
    "macce": "mac_latin2",
    "ibm420rtl": "cp420",
    "ibm420ltr": "cp420",
    "ibm424rtl": "cp424",
    "ibm424ltr": "cp424",
    "iso88598i": "iso8859-8",
}

# Codecs that drop a byte order mark.  In the table of charlens, a mark is separate from the encoding.
_MARKED = {"utf8sig": "utf-8-sig", "utf16": "utf-16", "utf32": "utf-32"}


@dataclass(frozen=True, slots=True)
class Name:
    """An encoding found by its name."""

    #: The canonical name.
    name: str
    #: The name for `bytes.decode`, or ``None`` if Python does not have this encoding.
    codec: str | None


@lru_cache(maxsize=4096)
def resolve(label: str) -> Name | None:
    """Return the encoding that *label* names, or ``None`` if it is unknown."""
    squeezed = squeeze(label)
    if squeezed in _MARKED:
        return Name(_MARKED[squeezed], _MARKED[squeezed])
    label = _NICKNAMES.get(squeezed, label)
    squeezed = squeeze(label)
    known = lookup(label)
    codec = _codec(known.name if known is not None else label)
    if codec is not None:
        return Name(codec, codec)
    if known is not None:
        return Name(known.name, None)
    if squeezed in _NO_CODEC:
        return Name(_NO_CODEC[squeezed], None)
    return None


def _codec(name: str) -> str | None:
    """Return Python's own name of the text encoding *name*, or ``None``."""
    try:
        info = codecs.lookup(name)
        # Codecs such as 'hex' and 'rot13' have names too, and are not encodings of text.
        b"1234".decode(name, "replace")
    except (LookupError, ValueError):
        return None
    return info.name
