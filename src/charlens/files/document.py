"""A text file that can be edited and saved with the same encoding, byte order mark, line endings and odd bytes.

`load(path)` reads; `Document.text` is the text with plain '\\n'; `save()` writes the same bytes when nothing
changed, and otherwise only changes the bytes of the edited lines.  Bytes that do not decode are in
the text as U+DC00 + byte and are restored on saving.  `charlens.files.line_ends` matches old and new lines.
"""

from __future__ import annotations

import os
import re
from functools import cached_property, partial
from typing import TYPE_CHECKING, BinaryIO

from charlens.api import decodes_all, detect
from charlens.encodings import canonical
from charlens.errors import CharlensError, NotTextError
from charlens.files.formats import find_standard
from charlens.files.kept import KEEP, KEPT, encode_kept
from charlens.files.line_ends import restore_ends, split_lines, split_raw
from charlens.files.marks import MARKS, implies_mark, named
from charlens.files.parts import PartLine, encode_parts, find_parts
from charlens.files.plan import Plan, plan_bytes
from charlens.files.reading import Refused, Request
from charlens.files.truth import added_characters, encoding_for, prove_declarations, refuse_doubt
from charlens.files.words import in_python
from charlens.files.writing import Writing, same_as, write_plan
from charlens.inputs.paths import open_regular
from charlens.kernel.facts import UTF8_MARK
from charlens.source import as_buffer
from charlens.types import Outcome, Verdict

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from charlens.keywords import Keywords

_ANY_END = re.compile("\r\n|\r|\n")
_NEWLINES = ("\n", "\r\n", "\r")


def load(
    source: str | os.PathLike[str] | BinaryIO, *, encoding: str | None = None, **keywords: Unpack[Keywords]
) -> Document:
    """Load a text file to edit it and save it in the same encoding.

    *source* is a path, or a file opened in binary mode. *encoding* skips the detection. The other keywords are those of
    `charlens.detect`.
    """
    path: str | None = None
    if isinstance(source, str) and "\n" in source:
        raise TypeError(
            "charlens.load() needs a path or a binary file, but got text. Decoded text needs no loading."
        )
    if isinstance(source, bytes | bytearray | memoryview):
        raise TypeError(
            "charlens.load() needs a path or a binary file; these look like bytes: use charlens.Document(data)."
        )
    if hasattr(source, "read"):
        data = source.read()
        if not isinstance(data, bytes):
            raise TypeError("charlens.load() needs a file opened in binary mode: open(path, 'rb')")
    else:
        with open_regular(source) as file:
            path = os.fspath(source)
            data = file.read()
    verdict = detect(data, **keywords)
    if not decodes_all(data, verdict):
        keywords["max_bytes"] = None
        verdict = detect(data, **keywords)
    return Document(data, verdict, path=path, encoding=encoding)


class Document:
    """A text file that can be edited and saved with the same encoding, byte order mark and line endings."""

    def __init__(
        self,
        data: bytes,
        verdict: Verdict | None = None,
        *,
        path: str | None = None,
        encoding: str | None = None,
    ) -> None:
        #: The path of the file, or None if it was loaded from an open file.
        self.path = path
        #: Whether the first text gets a byte order mark, because the name of its encoding says so.
        self.marks_new = encoding is not None and implies_mark(encoding)
        content = bytes(as_buffer(data, "Document"))
        self._adopt(content, verdict, named(encoding, content) if encoding else None)

    def _adopt(self, data: bytes, verdict: Verdict | None, encoding: str | None) -> None:
        """Use *data* as the original; the text is unchanged."""
        self._data = data
        self._forced = encoding is not None
        #: The result of the detection.
        self.verdict = verdict if verdict is not None else detect(data)
        #: The encoding of the text; None for binary files.
        self.encoding: str | None = encoding or self.verdict.encoding or (None if data else "utf-8")
        #: The byte order mark, or b"".
        self.bom = self._find_mark()
        self._changed_text: str | None = None
        self._given = ""  # the changed text with its own line endings, for a file that has none
        self._newline: str | None = None
        self.__dict__.pop("_raw", None)
        self.__dict__.pop("_parts", None)
        self.__dict__.pop("_ends", None)

    @cached_property
    def _raw(self) -> str:
        """The text as it was loaded, with its line endings; decoded when first needed."""
        if self._parts:
            return "".join(line.text for line in self._parts)
        return self._data[len(self.bom) :].decode(self.encoding or "utf-8", KEEP)

    @cached_property
    def _parts(self) -> tuple[PartLine, ...]:
        """The lines with their encodings, if the file has several."""
        if self._forced:
            return ()
        return find_parts(self._data, self.verdict)

    @property
    def encodings(self) -> tuple[str, ...]:
        """All encodings in the file, in the order of its lines; usually one."""
        if self._parts:
            return tuple(dict.fromkeys(line.encoding for line in self._parts))
        return (self.encoding,) if self.encoding else ()

    @cached_property
    def _ends(self) -> list[str]:
        return _ANY_END.findall(self._raw)

    def _find_mark(self) -> bytes:
        if not self._forced or self.encoding == self.verdict.encoding:
            return self.verdict.bom
        mark = MARKS.get(self.encoding or "", b"")
        return mark if mark and self._data.startswith(mark) else b""

    def __repr__(self) -> str:
        where = self.path if self.path is not None else "bytes"
        return f"<Document {where!r}: {self.encoding or self.verdict.outcome.value}, {len(self._data)} bytes>"

    @property
    def original(self) -> bytes:
        """The bytes as they were loaded or last saved."""
        return self._data

    @property
    def text(self) -> str:
        """The text, with '\\n' as the line ending; assign to it to edit the document."""
        if self.encoding is None:
            raise self._not_text("it has no text")
        return _ANY_END.sub("\n", self._raw) if self._changed_text is None else self._changed_text

    @text.setter
    def text(self, text: str) -> None:
        if not isinstance(text, str):
            raise TypeError(f"Document.text must be a str; got {type(text).__name__}")
        if self.encoding is None:
            raise self._not_text("its text cannot be changed")
        self._changed_text, self._given = _ANY_END.sub("\n", text), text

    def _not_text(self, words: str) -> NotTextError:
        return NotTextError(
            f"{self.path or 'this'} is {self.verdict.outcome.value}, so {words}. "
            f"To edit it anyway, name the encoding: charlens.load(path, encoding='latin-1')."
        )

    @property
    def newline(self) -> str | None:
        """The most frequent line ending, or None if there is none; assign to it to convert all line endings."""
        if self._newline is not None:
            return self._newline
        return max(_NEWLINES, key=self._ends.count) if self._ends else None

    @newline.setter
    def newline(self, newline: str) -> None:
        if newline not in _NEWLINES:
            raise ValueError(f"newline must be one of '\\n', '\\r\\n', '\\r'; got {newline!r}")
        self._newline = newline

    @property
    def newlines(self) -> tuple[str, ...]:
        """All line endings that occur in the file."""
        return tuple(end for end in _NEWLINES if end in self._ends)

    @property
    def mixed_newlines(self) -> bool:
        """Whether the file mixes line endings; they are kept line by line."""
        return len(self.newlines) > 1

    @property
    def final_newline(self) -> bool:
        """Whether the text ends with a line ending."""
        return self.text.endswith("\n")

    @property
    def is_text(self) -> bool:
        """Whether the file is text, or was loaded with an explicit encoding."""
        return self._forced or self.verdict.outcome is Outcome.TEXT or not self._data

    @property
    def changed(self) -> bool:
        """Whether saving would change the file."""
        return self._edited(self.path or "-", None, "strict")[0] != self._data

    def to_bytes(
        self,
        *,
        encoding: str | None = None,
        bom: bool | None = None,
        errors: str = "strict",
        declarations: bool = True,
    ) -> bytes:
        """Return the bytes that `save` would write."""
        return self._result(self.path or "-", encoding, bom, errors, declarations)[0]

    def _result(
        self, path: str, encoding: str | None, bom: bool | None, errors: str, declarations: bool
    ) -> tuple[bytes, str | None]:
        """Return the bytes to write to *path*, and their encoding."""
        if encoding:
            plan = self._plan(path, Request(encoding, bom, declarations=declarations), errors)
            return plan.after, plan.target
        content, target = self._edited(path, bom, errors)
        if declarations and target and self._changed_text is not None:
            self._prove_edit(path, target)
        return content, target

    def _edited(self, path: str, bom: bool | None, errors: str) -> tuple[bytes, str | None]:
        """Return the bytes of the edited text in the encoding of the file, and that encoding."""
        target = self.encoding
        untouched = self._changed_text is None and self._newline is None
        raw = "" if untouched else self._raw_text()
        if untouched or target is None or raw == self._raw:
            return self._mark_for(target, bom) + self._data[len(self.bom) :], target
        if self._parts:
            return self._mark_for(target, bom) + encode_parts(self._parts, raw, errors), target
        if not raw.isascii() and (target == "ascii" or not (self._data or self._forced)):
            target, marked = encoding_for(path, raw)
            bom = marked if bom is None else bom
        if bom is None and self.marks_new and not self._data:
            bom = True
        body = encode_kept(raw, target, errors)
        if target == self.encoding:
            body = self._with_old_bytes(raw, body, errors)
        if errors == "strict" and body.decode(target, KEEP) != raw:
            raise CharlensError(
                f"the changed text would not decode to the same text in {target}, because bytes that do not decode "
                f"would join with their new neighbours. Nothing was written. Save with encoding='utf-8'."
            )
        return self._mark_for(target, bom) + body, target

    def _plan(self, path: str, request: Request, errors: str) -> Plan:
        """Plan the conversion to another encoding, with the checks of `charlens convert`; raise if it is refused."""
        target = canonical(request.target or "utf-8")
        if request.bom:
            self._mark_for(target, True)
        text = self._raw_text()
        if errors == "replace":
            text = KEPT.sub("\ufffd", text)
        encoded = encode_kept(text, target, errors)
        if errors != "strict":
            text = encoded.decode(target, KEEP)
        edited = self._forced or text != self._raw
        source = self.encoding if self._forced else None
        # Bytes that do not decode are no obstacle if they were edited away.
        request = request._replace(source=source, mixed=True, replace=edited and not KEPT.search(text))
        # Who named the encoding wants to convert it as text.
        verdict = self.verdict._replace(media_type=None) if self._forced else self.verdict
        make = partial(plan_bytes, path=path, verdict=verdict, edit=(self._raw, text) if edited else None)
        plan = make(self._data, request)
        if plan.status == "binary":
            raise self._not_text("it cannot be converted")
        if plan.status == "refused":
            words = in_python(plan.words)
            if "declarations=" not in words and make(self._data, request._replace(declarations=False)).after:
                words += ". To save it anyway, pass declarations=False"
            raise Refused(f"{words}. Nothing was written.")
        return plan

    def _prove_edit(self, path: str, target: str) -> None:
        """Raise if new characters or declarations may be wrong in the encoding *target*."""
        old = _ANY_END.sub("\n", self._raw)
        if target == self.verdict.encoding and not self._forced and len(self.encodings) == 1:
            refuse_doubt(self.verdict, added_characters(old, self.text))
        try:
            prove_declarations(path, old, self.text, target)
        except Refused as error:
            raise Refused(f"{in_python(str(error))}. Nothing was written.") from None

    def save(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        encoding: str | None = None,
        bom: bool | None = None,
        errors: str = "strict",
        force: bool = False,
        declarations: bool = True,
        backup: str | None = None,
        log: str | os.PathLike[str] | None = None,
    ) -> None:
        """Save the document atomically, to *path* or to where it was loaded from.

        - The encoding, the byte order mark and the line endings stay the same. Pass *encoding* to convert the file and
          *bom* to add or remove the mark. A conversion has the checks of `charlens convert`, and declarations in the
          text are updated. An edit must not make a declaration wrong, and new characters need a certain encoding.
          *declarations* = False turns the checks of declarations, formats and project settings off.
        - *errors* says what to do with characters that the encoding cannot represent. By default they raise
          `UnencodableError`, and nothing is written.
        - If another program changed the file in the meantime, `ChangedOnDiskError` is raised, unless *force* is True.
          Programs that save with charlens wait for each other.
        - *backup* is a suffix: the original file is kept under its name with this suffix. *log* is a journal from which
          `charlens undo` can restore the original bytes.
        - The file format must allow the new *encoding* and *bom*: JSON, for example, must be UTF-8 without a mark.
        """
        place = self.path if path is None else os.fspath(path)
        content, name = self._result(place or "-", encoding, bom, errors, declarations)
        if self.verdict.media_type and not self._forced and content != self._data:
            raise NotTextError(
                f"{self.path or 'this'} is not plain text ({self.verdict.media_type}), so a changed text may break it. "
                f"To change it anyway, name its encoding: charlens.load(path, encoding={self.encoding!r})."
            )
        target = place
        if target is None:
            raise CharlensError(
                "this document was loaded from an open file, so it has no path; use save(path)"
            )
        if (bom or self.marks_new) and not encoding and declarations:
            self._prove_mark(content, target)
        own = path is None or (
            self.path is not None and os.path.realpath(target) == os.path.realpath(self.path)
        )
        look = same_as(target, self._data) if own and not force else None
        if own and content == self._data and os.path.exists(target):
            if look is not None:
                look()
        else:
            before = self._data if own else _content_of(target)
            plan = Plan(target, "change", self.verdict, before=before or b"", after=content)
            write_plan(plan, Writing(backup, os.fspath(log) if log else None), look, new=before is None)
        if own or self.path is None:
            self._settle(content, target, None if self._parts and not encoding else name)

    def _prove_mark(self, content: bytes, path: str) -> None:
        """Raise if the new *content* has a byte order mark that its format forbids."""
        body = content.removeprefix(UTF8_MARK)
        standard = find_standard(path, body.decode("utf-8", "replace"))
        if standard and standard.mark_refusal and body != content:
            raise CharlensError(
                f"{standard.mark_refusal}. Nothing was written. To save it anyway, pass declarations=False."
            )

    def _settle(self, content: bytes, target: str, encoding: str | None) -> None:
        """Use the written bytes as the new original."""
        self.path = target
        self._adopt(content, None, encoding)

    def _mark_for(self, target: str | None, bom: bool | None) -> bytes:
        if bom is None:
            bom = bool(self.bom) and (target == self.encoding or target in MARKS)
        if not bom:
            return b""
        if target == self.encoding and self.bom:
            return self.bom
        if target not in MARKS:
            raise ValueError(f"bom=: {target} has no byte order mark; only {', '.join(MARKS)} have one")
        return MARKS[target]

    def _raw_text(self) -> str:
        """Return the text with its line endings."""
        text = self.text
        if self._newline is None and self._changed_text is not None and not self._ends:
            return self._given
        if self._newline is not None or not self.mixed_newlines:
            newline = self.newline or "\n"
            return text if newline == "\n" else text.replace("\n", newline)
        return restore_ends(split_lines(self._raw), text, self.newline or "\n")

    def _with_old_bytes(self, raw: str, body: bytes, errors: str) -> bytes:
        """Restore the old bytes of unchanged lines, for encodings that have two byte sequences for one character."""
        old = self._data[len(self.bom) :]
        encoding = self.encoding or "utf-8"
        if encoding.startswith(("utf-16", "utf-32")) or encode_kept(self._raw, encoding, "replace") == old:
            return body
        lines = split_raw(old, lambda line: line.decode(encoding, KEEP))
        if "".join(text for text, _ in lines) != self._raw:
            return body  # a shift continues over line endings: lines cannot be encoded separately
        known = dict(lines)
        return b"".join(
            known[line] if (line := text + end) in known else encode_kept(line, encoding, errors)
            for text, end in split_lines(raw)
        )


def _content_of(path: str) -> bytes | None:
    """Return the content of the file at *path*, or None if it does not exist."""
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return None
