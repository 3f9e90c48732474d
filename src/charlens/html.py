"""Decode web pages, using the HTTP header, the declarations in the page, and its bytes.

Also `html_to_unicode`, which has the same interface as the function in w3lib.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from mmap import mmap
from typing import TYPE_CHECKING

from charlens.api import decode_as, detect_with, list_parts
from charlens.options import make_options
from charlens.source import as_buffer
from charlens.stages.declarations.claims import Declaration, charsets_of, declare
from charlens.types import Verdict

if TYPE_CHECKING:
    from charlens.types import Buffer

__all__ = ["decode", "html_to_unicode"]

#: The encoding that browsers use if neither the declarations nor the bytes show one.
_LAST_RESORT = "cp1252"
#: From this confidence on, the bytes outweigh a declaration for `html_to_unicode`.
_SURE = 0.9
#: w3lib reads UTF-16 and UTF-32 without a mark as big-endian.
_BIG_ENDIAN = {"utf-16": "utf-16-be", "utf-32": "utf-32-be"}
#: Labels that w3lib takes literally, where the HTML standard reads a page as UTF-8 or as little-endian.
_LITERAL = {**_BIG_ENDIAN, "utf-16be": "utf-16-be", "utf-16le": "utf-16-le"}
#: '< meta': a tag for w3lib but not for browsers; w3lib looks for it in this many bytes.
_LOOSE_META = re.compile(rb"""<\s+meta\s[^>]{0,500}?\bcharset\s*=\s*["']?\s*([\w.:-]{1,64})""", re.IGNORECASE)
_LOOSE_HEAD = 4096


def decode(
    page: bytes | bytearray | memoryview | mmap,
    content_type: str | None = None,
    *,
    declared: str = "verify",
    markup: str = "direct",
    prescan: int = 1024,
) -> tuple[str, Verdict]:
    """Return the text of a web page, without the byte order mark, and the verdict.

    *content_type* is the HTTP header. *prescan* is the number of bytes in which the page may declare its charset.
    *declared* and *markup* are those of `charlens.detect`. Bytes that do not decode become U+FFFD. A page that is not
    text is decoded as in a browser; check `verdict.outcome`.
    """
    view = as_buffer(page, "html.decode")
    options = make_options(content_type=content_type, declared=declared, markup=markup, prescan=prescan)
    verdict = list_parts(detect_with(view, options), view, options)
    mixed = () if declared == "obey" else verdict.mixed
    return decode_as(view, verdict.encoding or _LAST_RESORT, verdict.bom, mixed), verdict


def _read(view: Buffer, verdict: Verdict) -> str:
    return decode_as(view, verdict.encoding or _LAST_RESORT, verdict.bom)


def html_to_unicode(
    content_type_header: str | None,
    html_body_str: bytes,
    default_encoding: str = "utf8",
    auto_detect_fun: Callable[[bytes], str | None] | None = None,
) -> tuple[str, str]:
    """Return the encoding and the text of a page, as `w3lib.encoding.html_to_unicode` does.

    The encoding is a name that Python knows: the declared one, unless the bytes are clearly in another encoding, or
    the detected one.  For a page in ASCII without a declaration, and one whose encoding was not detected,
    *auto_detect_fun* and then *default_encoding* decide.
    """
    view = as_buffer(html_body_str, "html.html_to_unicode")
    verdict = detect_with(view, make_options(content_type=content_type_header))
    body = bytes(view)
    declared = None if verdict.bom else _declared_codec(verdict, body)
    # ASCII bytes are the same in most encodings: they cannot contradict a declaration.
    silent = verdict.encoding in (None, "ascii") or "ascii" in verdict.equivalents
    if declared and (silent or verdict.confidence < _SURE):
        return declared, body.decode(declared, "replace")
    if declared and body.decode(declared, "replace") == _read(view, verdict):
        return declared, _read(view, verdict)
    if verdict.encoding not in (None, "ascii") or verdict.bom:
        return str(verdict.encoding), _read(view, verdict)
    named = auto_detect_fun(body) if auto_detect_fun else None
    encoding = _BIG_ENDIAN.get(named, named) if named else default_encoding
    return encoding, body.decode(encoding, "replace")


def _declared_codec(verdict: Verdict, body: bytes) -> str | None:
    """Return the codec that the page declares, also in a tag written as '< meta'."""
    declared = charsets_of(verdict)
    if declared:
        return next(filter(None, map(_codec, declared)), None)
    match = _LOOSE_META.search(body, 0, _LOOSE_HEAD)
    loose = declare("meta", match[1].decode("ascii")) if match else None
    return _codec(loose) if loose else None


def _codec(declared: Declaration) -> str | None:
    """Return the codec that w3lib uses for a label."""
    # Browsers and w3lib ignore UTF-7: it can turn harmless ASCII into markup.
    return None if declared.encoding == "utf-7" else _LITERAL.get(declared.label.lower(), declared.encoding)
