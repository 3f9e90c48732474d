"""Pages in one call: the text of an HTML page, whatever it declares and whatever it is in.

Also `html_to_unicode`, in the shape of w3lib's function.  The stages do the work; here the text is read with what they
found.
"""

from __future__ import annotations

from collections.abc import Callable
from mmap import mmap
from typing import TYPE_CHECKING

from charlens.api import detect_with
from charlens.options import make_options
from charlens.source import as_buffer
from charlens.types import Verdict

if TYPE_CHECKING:
    from charlens.types import Buffer

__all__ = ["decode", "html_to_unicode"]

#: What a browser reads a page with that says nothing and shows nothing.
_LAST_RESORT = "cp1252"


def decode(
    page: bytes | bytearray | memoryview | mmap,
    content_type: str | None = None,
    *,
    declared: str = "verify",
    markup: str = "direct",
    prescan: int = 1024,
) -> tuple[str, Verdict]:
    """Return the text of *page*, without a byte order mark, and the verdict that says how it was read.

    *content_type* is the HTTP header, *prescan* in how many bytes the page may declare its charset; *declared* and
    *markup* are those of `charlens.detect`.  It never fails: what does not decode becomes U+FFFD, and a page that is no
    text at all is read as a browser would read it; `verdict.outcome` tells.
    """
    if prescan < 1:
        raise ValueError(f"prescan= is a number of bytes, 1 or more; got {prescan}.")
    view = as_buffer(page, "html.decode")
    options = make_options(content_type=content_type, declared=declared, markup=markup, prescan=prescan)
    verdict = detect_with(view, options)
    return _read(view, verdict), verdict


def _read(view: Buffer, verdict: Verdict, default: str = _LAST_RESORT) -> str:
    body = bytes(view[len(verdict.bom) :])
    text = body.decode(verdict.encoding or default, "replace")
    return text.removeprefix("\ufeff") if verdict.encoding == "utf-7" else text


def html_to_unicode(
    content_type_header: str | None,
    html_body_str: bytes,
    default_encoding: str = "utf8",
    auto_detect_fun: Callable[[bytes], str | None] | None = None,
) -> tuple[str, str]:
    """Return the encoding and the text of a page, as `w3lib.encoding.html_to_unicode` does.

    The encoding is a name that Python takes.  *default_encoding* is for a body whose encoding cannot be found;
    *auto_detect_fun* is asked only there, since charlens detects by itself.
    """
    view = as_buffer(html_body_str, "html.html_to_unicode")
    verdict = detect_with(view, make_options(content_type=content_type_header))
    if verdict.encoding is not None:
        return verdict.encoding, _read(view, verdict)
    named = auto_detect_fun(bytes(view)) if auto_detect_fun else None
    encoding = named or default_encoding
    return encoding, _read(view, verdict, encoding)
