"""Which elements of a page are open: the HTML standard's rules of tree construction, as far as they end words.

A parser ignores a tag that is out of place, and the text around it is one word.  No tree is built: there are
only the numbers of the open elements, in one stack of bounded size, as the standard's stack is once formatting is
reconstructed.  Text that a parser would move to another place, such as text between the cells of a table, is not moved.
"""

from __future__ import annotations

# Properties of an element, as bits.
VOID = 1  # has no content of its own, or none with markup in it
FORMATTING = 2  # continues after the end of the element it is in
SPECIAL = 4  # the end tag of an element outside, unless it is one of those below, does not reach through it
SCOPE = 8  # no end tag reaches through it, but those of a table
MARKER = 16  # formatting that begins inside ends with it
CLOSES_P = 32  # its start ends a paragraph
REACHES = 64  # its end tag is looked for as far as the scope goes
NOWHERE = 128  # its tags are ignored wherever they are
PART = 256  # a part of a table
BREAKING = 512  # SVG and MathML cannot have it inside: it ends them, closed or not
IMPLIED = 1024  # the end of a form ends it, too
LIST = 2048  # a list: the end tag of an item does not reach through it
TABLE_SCOPE = 4096  # the end tag of a part of a table does not reach through it
THROUGH = 8192  # the start of an item ends an earlier item through it, although it is special
BUTTON_SCOPE = 16384  # the end of a paragraph does not reach through it

#: The names of these bits: no other name here is in capitals so far.
BITS = [name for name in globals() if name.isupper()]

_BLOCK = SPECIAL | CLOSES_P | REACHES
_EMPTY = SPECIAL | VOID
_WALL = SPECIAL | SCOPE | MARKER | REACHES
GROUPS: tuple[tuple[int, str], ...] = (
    (FORMATTING | BREAKING, "b big code em i nobr s small strike strong tt u"),
    (FORMATTING, "a font"),
    (BREAKING, "ruby span sub sup var"),
    (_BLOCK | BREAKING, "blockquote center listing menu pre"),
    (_BLOCK | BREAKING | LIST, "ol ul"),
    (_BLOCK | BREAKING, "dl"),
    (_BLOCK | BREAKING | THROUGH, "div"),
    (_BLOCK | THROUGH, "address"),
    (_BLOCK, "article aside details dir fieldset figcaption figure footer header hgroup main nav search"),
    (_BLOCK, "section summary"),
    (CLOSES_P | REACHES, "dialog"),
    (_BLOCK | BREAKING | IMPLIED, "li dd dt"),
    (_BLOCK | BREAKING | IMPLIED | THROUGH, "p"),
    (_BLOCK, "form"),
    (SPECIAL | REACHES | BUTTON_SCOPE, "button"),
    (SPECIAL | REACHES | SCOPE, "select"),
    (SPECIAL, "noscript"),
    (IMPLIED, "option optgroup"),
    (_WALL, "applet marquee object"),
    (_WALL | TABLE_SCOPE, "template"),
    (SPECIAL | SCOPE | CLOSES_P | TABLE_SCOPE | BREAKING, "table"),
    (SPECIAL | SCOPE | MARKER | PART, "caption td th"),
    (SPECIAL | PART, "colgroup col tbody tr"),
    (NOWHERE, "html frame frameset"),
    (NOWHERE | BREAKING, "head body"),
    (_EMPTY, "area base basefont bgsound image input keygen link param source track wbr"),
    (_EMPTY | BREAKING, "br embed img meta"),
    (_EMPTY | BREAKING | CLOSES_P, "hr"),
    (_EMPTY, "script style iframe noembed noframes title textarea"),
    (_EMPTY | CLOSES_P, "xmp plaintext"),
    (0, "svg math"),
    (_BLOCK | BREAKING, "h1"),
)
#: Names that are treated as another is: all headings end each other.
ALIASES = {"thead": "tbody", "tfoot": "tbody"} | {f"h{level}": "h1" for level in range(2, 7)}

#: Numbers below this are those of known elements.
_UNKNOWN = 128
#: A script and a style of SVG or MathML: elements like any other there, except that their text is not read.
_SILENT = {b"script": 126, b"style": 127}
#: The most that are open in one of 3,851 pages are 192, tags of its own that it never closes; in 99 of 100 there are no
#: more than 25.  When the stack is full, the outer half is forgotten.
_MOST = 256

_NUMBERS: dict[bytes, int] = {}
_RULES: dict[int, int] = {}
for _rules, _names in GROUPS:
    for _name in _names.split():
        _NUMBERS[_name.encode()] = len(_NUMBERS) + 1
        _RULES[len(_NUMBERS)] = _rules


def _numbers(names: str) -> tuple[int, ...]:
    return tuple(_NUMBERS[name.encode()] for name in names.split())


A, NOBR, P, BR, LI, DD, DT = _numbers("a nobr p br li dd dt")
FORM, BUTTON, SELECT, OPTION, HEADING = _numbers("form button select option h1")
TEMPLATE, SVG, MATH = _numbers("template svg math")
TABLE, CAPTION, COLGROUP, COL, TBODY, TR, TD, TH = _numbers("table caption colgroup col tbody tr td th")
for _alias, _meant in ALIASES.items():
    _NUMBERS[_alias.encode()] = _NUMBERS[_meant.encode()]

#: How deep in a table a part is, and how deep the part that must contain it is.
_DEPTHS = {TABLE: 1, TBODY: 2, TR: 3, CAPTION: 4, COLGROUP: 4, TD: 4, TH: 4}
_WANTED = {CAPTION: 1, COLGROUP: 1, COL: 1, TBODY: 1, TR: 2, TD: 3, TH: 3}


def number_of(name: bytes) -> int:
    """Return the number of an element of HTML by its name in lower case."""
    return _NUMBERS.get(name) or foreign_number_of(name)


def foreign_number_of(name: bytes) -> int:
    """Return the number of an element that no rule is about; a few names share one."""
    if name in _SILENT:
        return _SILENT[name]
    second = name[len(name) > 1] | 0x20
    return _UNKNOWN | (name[0] * 351 + second * 71 + (name[-1] | 0x20) * 392 + len(name) * 474) & 0xFF7F


def rules_of(number: int) -> int:
    """Return the properties of an element."""
    return _RULES.get(number, 0)


def _reach_of(number: int) -> int:
    """Return what the end tag of an element does not reach through."""
    rules = rules_of(number)
    if rules & (PART | TABLE_SCOPE):
        return 0 if number == TEMPLATE else TABLE_SCOPE
    if number == P:
        return SCOPE | BUTTON_SCOPE
    if number == LI:
        return SCOPE | LIST
    return SCOPE if rules & (REACHES | FORMATTING) else SPECIAL


class OpenElements:
    """The open elements, innermost last."""

    def __init__(self) -> None:
        self._stack: list[int] = []
        self._in_form = False
        #: Whether a doctype came first: without one, a table can be in a paragraph.
        self.has_doctype = False

    def is_foreign(self) -> bool:
        """Return whether SVG or MathML is open."""
        return SVG in self._stack or MATH in self._stack

    def is_silent(self) -> bool:
        """Return whether text here is that of a script or a style of SVG or MathML."""
        return bool(self._stack) and self._stack[-1] in _SILENT.values()

    def is_between_cells(self) -> bool:
        """Return whether text here is in no cell of the table that is open: a tree moves it to before the table."""
        return bool(self._stack) and self._stack[-1] in (TABLE, COLGROUP, TBODY, TR)

    def has_table(self) -> bool:
        """Return whether a table is open."""
        return TABLE in self._stack

    def push(self, number: int) -> None:
        """Open an element."""
        if len(self._stack) == _MOST:
            del self._stack[: _MOST // 2]
        self._stack.append(number)

    def leave_foreign(self) -> None:
        """Close SVG and MathML, with all that is in them."""
        for number in (SVG, MATH):
            while (found := self._find(number, 0)) >= 0:
                self._close(found)

    def start(self, number: int) -> bool:
        """Open an element of HTML, and close what it closes; return whether a word ends here."""
        rules = rules_of(number)
        if rules & NOWHERE or (number == FORM and self._in_form):
            return False
        if rules & PART:
            return self._start_part(number)
        if number == FORM:
            self._in_form = True
            if self.is_between_cells():
                return False  # it stays empty, in the table
        size = len(self._stack)
        stays = not rules & VOID
        if rules:
            stays = self._make_way(number, rules) and stays
        # What comes before the first cell goes to before the table.
        ends = number != TABLE or len(self._stack) != size
        if stays:
            self.push(number)
        return ends

    def end(self, number: int) -> bool:
        """Close an element of HTML where one is open; return whether a word ends here."""
        if number == FORM:
            return self._end_form()
        found = self._find(number, _reach_of(number))
        if found < 0:
            return number in (P, BR)  # these two make an element
        ends = number == TABLE or found < len(self._stack) - 1 or not self.is_between_cells()
        self._close(found, FORMATTING | SPECIAL if rules_of(number) & FORMATTING else FORMATTING)
        return ends

    def _find(self, number: int, walls: int) -> int:
        """Return where the innermost element of this number is, unless one of the *walls* is before it, or -1."""
        if number not in self._stack:
            return -1
        for index in range(len(self._stack) - 1, -1, -1):
            opened = self._stack[index]
            if opened == number or rules_of(opened) & walls:
                return index if opened == number else -1
        return -1

    def _close(self, index: int, kept: int = FORMATTING) -> None:
        """Close the element at *index*, with what is in it except what is *kept*."""
        number = self._stack.pop(index)
        self._clear(index, 0 if rules_of(number) & MARKER else kept)

    def _clear(self, index: int, kept: int) -> None:
        """Close all from *index* on, except what is *kept*: nothing from the first marker on."""
        closed = self._stack[index:]
        if closed:
            del self._stack[index:]
        for number in closed:
            if rules_of(number) & MARKER:
                kept = 0
            if rules_of(number) & kept:
                self._stack.append(number)

    def _make_way(self, number: int, rules: int) -> bool:
        """Close what cannot be open where this element starts; return whether it is open from here on."""
        if number == TABLE:
            context = self._context()
            if context >= 0 and not rules_of(self._stack[context]) & MARKER:
                self.end(TABLE)
            rules = rules if self.has_doctype else 0
        elif number in (LI, DD, DT):
            self._end_item(number)
        elif number == A and (found := self._find(A, MARKER)) >= 0:
            self._close(found, FORMATTING | SPECIAL)
        elif number in (NOBR, BUTTON, SELECT) and self.end(number) and number == SELECT:
            return False
        if rules & CLOSES_P:
            self.end(P)
        if number in (HEADING, OPTION) and self._stack and self._stack[-1] == number:
            self._close(len(self._stack) - 1)
        return True

    def _end_item(self, number: int) -> None:
        """Close the item before this one, unless it is that of a list around."""
        for index in range(len(self._stack) - 1, -1, -1):
            opened = self._stack[index]
            if opened == number or (number != LI and opened in (DD, DT)):
                self._close(index)
                return
            if rules_of(opened) & (SPECIAL | THROUGH) == SPECIAL:
                return

    def _end_form(self) -> bool:
        """Close a form; what is in it stays open, so that a word only ends if nothing is."""
        found = self._find(FORM, SCOPE) if self._in_form else -1
        self._in_form = False
        if found < 0:
            return False
        size = len(self._stack)
        while rules_of(self._stack[-1]) & IMPLIED:
            self._close(len(self._stack) - 1)
        del self._stack[found]
        return len(self._stack) < size - 1 or found == size - 1

    def _context(self) -> int:
        """Return where the innermost table or part of one is, or -1."""
        for index in range(len(self._stack) - 1, -1, -1):
            if rules_of(self._stack[index]) & (PART | TABLE_SCOPE):
                return index
        return -1

    def _start_part(self, number: int) -> bool:
        """Open a part of a table, with those that it must be in; outside a table it is ignored."""
        wanted = _WANTED[number]
        between = self.is_between_cells()
        while (context := self._context()) >= 0:
            depth = _DEPTHS.get(self._stack[context], wanted)
            if depth <= wanted:
                break
            if number == COL and self._stack[context] == COLGROUP:
                return not between
            self._close(context)
        else:
            return False
        self._clear(context + 1, FORMATTING)
        for number_around, depth_around in ((TBODY, 2), (TR, 3)):
            if depth < depth_around <= wanted:
                self.push(number_around)
        self.push(COLGROUP if number == COL else number)
        return not between or rules_of(number) & MARKER > 0
