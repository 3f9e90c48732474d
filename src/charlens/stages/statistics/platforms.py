"""Recognise the platform of source text by names that only its programs have: one sign cannot tell it.

'CharWidth('É')' in windows-1252 is 'CharWidth('…')' on a Macintosh, and '%f ºC' is '%f ║C' under DOS.  Programs for the
Macintosh name the types of its Toolbox, mark Pascal strings, and list resources in a form of their own; those for
Windows name its handles and the units of Delphi.  Other text has hardly any of these.
"""

from __future__ import annotations

from functools import lru_cache

from charlens.encodings import rank
from charlens.findings import Evidence
from charlens.hints import platform_encodings
from charlens.types import Buffer

#: Names for each platform. For the Macintosh three types, the mark of a Pascal string in C, and the beginning of a line
#: of DeRez, which lists resources: 186 of 397 legacy files of five public repositories of the Macintosh have one of
#: them, and 9 of 6,115 files of 53 others. Those for Windows are in 845 of 3,225 files in its encodings, in 2 of 557 in
#: those of DOS, and in none of 352 in MacRoman. Links (`http://`), and names of Unix and DOS, were tried and are not
#: used: DOS programs and texts have them, too.
_NAMES = {
    "mac": (b"OSErr", b" WindowPtr", b"FSSpec", b'"\\p', b'\t$"'),
    "windows": (b"SysUtils", b"TForm", b"HWND"),
}
#: The log-odds for encodings of the platform. The counts give 5 and more; with 3 to 5, development files are the same.
_POINTS = 4.0
#: Names are looked for in this many bytes from the start.
_MOST = 1 << 14
_ALL_LANGUAGES = (1 << 256) - 1


def find_platform(words: Buffer) -> Evidence | None:
    """Return the evidence of names in *words* for encodings of one platform, or ``None`` for both or none."""
    start = bytes(words[:_MOST])
    found = [platform for platform, names in _NAMES.items() if any(name in start for name in names)]
    if len(found) != 1:
        return None
    return Evidence(f"names of {found[0]}", _encodings(found[0]), _ALL_LANGUAGES, _POINTS)


@lru_cache(maxsize=4)
def _encodings(platform: str) -> int:
    """Return the encodings of *platform*, as a set."""
    return sum(1 << rank(name) for name in platform_encodings(platform))
