"""Markup elimination in plain Python: the states of the HTML standard's tokenizer, on bytes.

The result is the text as the same bytes, with a space where a tag, a comment or a character reference was.
No encoding is decoded: of the encodings that pages come in, none but Johab has a byte of markup inside a character.  No
tree is built: which tags a parser ignores, and what is in SVG, is for `elements`, which knows what is open.
"""

from __future__ import annotations

import re

from charlens.kernel.elements import (
    BR,
    BREAKING,
    MATH,
    SVG,
    OpenElements,
    P,
    foreign_number_of,
    number_of,
    rules_of,
)
from charlens.types import Buffer

_SPACES = b"\t\n\f\r "
_SPACE_RUN = re.compile(rb"[\t\n\f\r ]*")
_BEFORE_ATTRIBUTE = re.compile(rb"[\t\n\f\r /]*")
_TAG_NAME = re.compile(rb"[^\t\n\f\r />]*")
#: The first byte of an attribute's name may be '=', the others not.
_ATTRIBUTE = re.compile(rb"[^\t\n\f\r />][^\t\n\f\r />=]*[\t\n\f\r ]*")
_UNQUOTED = re.compile(rb"[^\t\n\f\r >]*")
_COMMENT_END = re.compile(rb"--!?>")
#: The longest name of a reference has 31 letters; a number without its semicolon still is a reference.
_REFERENCE = re.compile(rb"&(?:#(?:[0-9]{1,8}|[xX][0-9A-Fa-f]{1,8});?|[A-Za-z][A-Za-z0-9]{1,30};)")
_CDATA = b"<![CDATA["
_DOCTYPE = b"<!doctype"

# What follows a start tag: markup as before, or text up to the tag's own end.
_SCRIPT, _DROPPED, _KEPT, _WITH_REFERENCES, _PLAINTEXT, _FOREIGN = range(1, 7)
_KINDS = {
    b"script": _SCRIPT,
    b"style": _DROPPED,
    b"xmp": _KEPT,
    b"iframe": _KEPT,
    b"noembed": _KEPT,
    b"noframes": _KEPT,
    b"title": _WITH_REFERENCES,
    b"textarea": _WITH_REFERENCES,
    b"plaintext": _PLAINTEXT,
    b"svg": _FOREIGN,
    b"math": _FOREIGN,
}
_ENDS = {name: re.compile(rb"</" + name + rb"(?=[\t\n\f\r />])", re.IGNORECASE) for name in _KINDS}
#: The relevant parts of a script: its end, a script inside it, the beginning and the end of a comment.
_IN_SCRIPT = re.compile(
    rb"(</script)(?=[\t\n\f\r />])|(<script)(?=[\t\n\f\r />])|(<!--)|(-->)", re.IGNORECASE
)


def strip_markup(data: Buffer, xml: int) -> bytes:
    """Return the text of a page without its markup; *xml* is 1 for XML, 0 for HTML.

    Tags with their attributes, comments, doctypes, processing instructions, scripts and styles are dropped, and so
    are character references.  Each leaves one space, unless there is white space before it or nothing at all; white
    space after that one is dropped, too.  A tag of HTML that a parser ignores leaves none, as does a doctype.
    Text of titles, text areas, noscript, templates and CDATA stays.  What is unfinished at the end is dropped as in the
    standard.  Everything in the output was in the input, except for those spaces.
    """
    return _Reader(bytes(data), bool(xml)).read()


class _Reader:
    """Goes through the bytes once; *at* is the current offset."""

    def __init__(self, data: bytes, xml: bool) -> None:
        self.data = data
        self.xml = xml
        self.at = 0
        self.out = bytearray()
        self.elements = OpenElements()
        #: The length of the text at the end of the body; a comment right after it does not end a word.
        self.body_end = -1
        #: Whether another ']' may follow, so it is not searched again for every doctype.
        self.may_have_bracket = True

    def read(self) -> bytes:
        """Return the text."""
        while self.at < len(self.data):
            if self.elements.is_silent():
                self._silence()
            else:
                opened = self.data.find(b"<", self.at)
                self._emit(len(self.data) if opened < 0 else opened)
            if self.at < len(self.data):
                self._markup()
        return bytes(self.out)

    def _silence(self) -> None:
        """Go to the next markup, past text that is not read."""
        while (opened := self.data.find(b"<", self.at)) >= 0:
            after = self.data[opened + 1 : opened + 2]
            if self.data.startswith(_CDATA, opened):
                self.at = opened
                self._skip_to(b"]]>")
            elif after.isalpha() or after in (b"!", b"?") or (after == b"/" and opened + 2 < len(self.data)):
                self.at = opened
                return
            else:
                self.at = opened + 1
        self.at = len(self.data)

    def _emit(self, end: int, references: bool = True) -> None:
        """Write the text before *end*, without references."""
        while references and (found := _REFERENCE.search(self.data, self.at, end)):
            self._piece(found.start())
            self._space()
            self.at = found.end()
        self._piece(end)

    def _piece(self, end: int) -> None:
        start = self.at
        if not self.out or self.out[-1] in _SPACES:
            found = _SPACE_RUN.match(self.data, start, end)
            start = found.end() if found else start
        self.out += self.data[start:end]
        self.at = end

    def _space(self) -> None:
        if self.out and self.out[-1] not in _SPACES:
            self.out += b" "

    def _skip_to(self, mark: bytes) -> None:
        """Go past the next *mark*, or to the end."""
        found = self.data.find(mark, self.at)
        self.at = found + len(mark) if found >= 0 else len(self.data)

    def _comment_to(self, mark: bytes) -> None:
        """Go past the next *mark*, or to the end, and leave a space, unless the body has ended right before."""
        self._skip_to(mark)
        if len(self.out) != self.body_end and not self.elements.is_between_cells():
            self._space()

    def _markup(self) -> None:
        """Read the markup that begins with this '<', or write the '<' if it is text."""
        after = self.data[self.at + 1 : self.at + 2]
        if after == b"!":
            self._declaration()
        elif after == b"?":
            self.at += 2
            self._comment_to(b"?>" if self.xml else b">")
        elif after.isalpha():
            self._start_tag()
        elif after == b"/" and self.data[self.at + 2 : self.at + 3].isalpha():
            self._end_tag()
        elif self.data.startswith(b"</>", self.at):
            self.at += 3
        elif after == b"/" and self.at + 2 < len(self.data):
            self.at += 2
            self._comment_to(b">")
        else:
            self.out += b"</" if after == b"/" else b"<"
            self.at += 1 + (after == b"/")

    def _declaration(self) -> None:
        data, at = self.data, self.at
        if data.startswith(b"<!--", at):
            if data.startswith(b">", at + 4) or data.startswith(b"->", at + 4):
                self.at = at + 4
                self._comment_to(b">")
                return
            found = _COMMENT_END.search(data, at + 4)
            self.at = found.end() if found else len(data)
            self._comment_to(b"")
        elif (self.xml or self.elements.is_foreign()) and data.startswith(_CDATA, at):
            end = data.find(b"]]>", at + len(_CDATA))
            self.at = at + len(_CDATA)
            self._emit(end if end >= 0 else len(data), references=False)
            self.at = end + 3 if end >= 0 else len(data)
        elif data[at : at + len(_DOCTYPE)].lower() == _DOCTYPE:
            if self.xml:
                self._subset()
            self._skip_to(b">")  # a parser ignores a doctype that does not come first
            self.elements.has_doctype |= not self.out
        else:
            self._comment_to(b">")

    def _subset(self) -> None:
        """Go past the inner part of an XML doctype, if it has one."""
        end = self.data.find(b">", self.at)
        bracket = self.data.find(b"[", self.at, max(end, self.at))
        if self.may_have_bracket and bracket >= 0:
            closed = self.data.find(b"]", bracket)
            self.may_have_bracket = closed >= 0
            self.at = closed if closed >= 0 else self.at

    def _name(self) -> bytes:
        """Read the name of a tag, in lower case."""
        found = _TAG_NAME.match(self.data, self.at)
        assert found is not None
        self.at = found.end()
        return found.group().lower()

    def _end_tag(self) -> None:
        self.at += 2
        name = self._name()
        self._attributes()
        if self.xml or self._closed(name):
            self._space()

    def _closed(self, name: bytes) -> bool:
        """Close an element of HTML; return whether a word ends here."""
        number = number_of(name)
        if self.elements.is_foreign() and number not in (SVG, MATH):
            if number in (P, BR):
                self.elements.leave_foreign()
            elif self.elements.end(foreign_number_of(name)):
                return True
        is_body = name in (b"body", b"html") and not self.elements.has_table()
        self.body_end = len(self.out) if is_body else -1
        return self.elements.end(number)

    def _attributes(self) -> bool:
        """Go past the '>' of a tag, or to the end; return whether the tag closes itself."""
        data = self.data
        while True:
            start = self.at
            found = _BEFORE_ATTRIBUTE.match(data, start)
            self.at = found.end() if found else start
            if data.startswith(b">", self.at):
                self.at += 1
                return self.at - 2 >= start and data[self.at - 2] == 0x2F
            name = _ATTRIBUTE.match(data, self.at)
            if name is None:
                self.at = len(data)
                return False
            self.at = name.end()
            if data.startswith(b"=", self.at):
                self.at += 1
                self._value()

    def _value(self) -> None:
        found = _SPACE_RUN.match(self.data, self.at)
        self.at = found.end() if found else self.at
        quote = self.data[self.at : self.at + 1]
        if quote in (b'"', b"'"):
            end = self.data.find(quote, self.at + 1)
            self.at = end + 1 if end >= 0 else len(self.data)
        else:
            found = _UNQUOTED.match(self.data, self.at)
            self.at = found.end() if found else self.at

    def _start_tag(self) -> None:
        self.at += 1
        name = self._name()
        closes_itself = self._attributes()
        kind = _KINDS.get(name, 0)
        if self.xml:
            self._space()
            opened = not closes_itself
        else:
            opened = self._opened(name, kind, closes_itself)
        if not opened or kind in (0, _FOREIGN) or self.at >= len(self.data) or self.elements.is_silent():
            return
        if kind == _SCRIPT and not self.xml:
            self._script()
        elif kind in (_SCRIPT, _DROPPED):
            self._raw_end(_ENDS[name].search(self.data, self.at))
        elif not self.xml and not self.elements.is_foreign():
            self._text_element(name, kind)

    def _opened(self, name: bytes, kind: int, closes_itself: bool) -> bool:
        """Open an element of a page, and write a space where a word ends; return whether it has content."""
        elements = self.elements
        number = number_of(name)
        self.body_end = -1
        foreign = elements.is_foreign()
        if foreign and rules_of(number) & BREAKING:
            elements.leave_foreign()
            foreign = False
            self._space()
        if not foreign and kind != _FOREIGN:
            if elements.start(number):
                self._space()
            return True
        self._space()
        if kind == _FOREIGN and not closes_itself:
            elements.push(number)
        elif not closes_itself:
            elements.push(foreign_number_of(name))
        return not closes_itself

    def _text_element(self, name: bytes, kind: int) -> None:
        found = None if kind == _PLAINTEXT else _ENDS[name].search(self.data, self.at)
        self._emit(found.start() if found else len(self.data), references=kind == _WITH_REFERENCES)
        self._raw_end(found)

    def _raw_end(self, found: re.Match[bytes] | None) -> None:
        """Go past the end tag that ends a text, or to the end if there is none."""
        self.at = found.end() if found else len(self.data)
        if found:
            self._attributes()
            self._space()

    def _script(self) -> None:
        """Go past the end of a script; after '<!--' it may contain other scripts."""
        depth = 0  # 1 after '<!--', 2 in a script after it
        while found := _IN_SCRIPT.search(self.data, self.at):
            self.at = found.end()
            if found.lastindex == 1:
                if depth < 2:
                    break
                depth = 1
            elif found.lastindex == 2:
                depth = 2 if depth else 0
            elif found.lastindex == 3:
                depth = depth or 1
                self.at -= 2  # the dashes of '<!--' may also be those of '-->'
            else:
                depth = 0
        self._raw_end(found)
