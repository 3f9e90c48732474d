"""Which charsets in the headers of a mail, or of an mbox, describe bytes that are in the file.

A part in quoted-printable or base64 is ASCII, and its charset describes the decoded content: such a declaration is
true in whatever encoding the file is saved.  Only parts with non-ASCII characters count.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from charlens.stages.declarations.patterns import Pattern

_OPENS = Pattern(r"(?:From [^\r\n]+\r?\n)?(?:[!-9;-~]{1,60}:[ \t][^\r\n]*(?:\r?\n[ \t][^\r\n]*)*\r?\n)+")
_TYPE = Pattern(r"^content-type:[^\r\n]*(?:\r?\n[ \t][^\r\n]*)*", re.IGNORECASE | re.MULTILINE)
_CHARSET = Pattern(r"""\bcharset[ \t]*=[ \t]*["']?(?P<name>[\w.:-]+)""", re.IGNORECASE)
_BOUNDARY = Pattern(r"""\bboundary[ \t]*=[ \t]*(?:"([^"\r\n]{1,70})"|([^\s;]{1,70}))""", re.IGNORECASE)
_ENCODED = Pattern(
    r"^content-transfer-encoding:[ \t]*(?:quoted-printable|base64)", re.IGNORECASE | re.MULTILINE
)
_BLANK = Pattern(r"\r?\n\r?\n")
_FROM = Pattern(r"^From [^\r\n]+\r?\n(?=[!-9;-~]{1,60}:[ \t])", re.MULTILINE)


def mail_charsets(text: str) -> Iterator[tuple[int, int]]:
    """Yield the place of each charset declared by a part with non-ASCII characters."""
    if not _OPENS.match(text):
        return
    starts = [0, *(match.start() for match in _FROM.finditer(text) if match.start())]
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        yield from _in_part(text, start, end, 0)


def _in_part(text: str, start: int, end: int, depth: int) -> Iterator[tuple[int, int]]:
    blank = _BLANK.search(text, start, end)
    header_end = blank.start() if blank else end
    body = blank.end() if blank else end
    declared = _TYPE.search(text, start, header_end)
    if declared is None:
        return
    boundary = _BOUNDARY.search(text, declared.start(), declared.end())
    if boundary and depth < 5:  # nested parts: five levels are more than any mail program writes
        mark = "--" + (boundary[1] or boundary[2])
        places = [match.start() for match in re.finditer("^" + re.escape(mark), text[body:end], re.MULTILINE)]
        for place, following in pairwise(places):
            line = text.find("\n", body + place, end)
            yield from _in_part(text, line + 1, body + following, depth + 1)
        return
    charset = _CHARSET.search(text, declared.start(), declared.end())
    is_encoded = _ENCODED.search(text, start, header_end)
    if charset and not is_encoded and not text[body:end].isascii():
        yield charset.start("name"), charset.end("name")
