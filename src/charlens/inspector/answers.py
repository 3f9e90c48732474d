"""Questions about files and their answers, both as plain data: JSON in, JSON out.

`Inspector.answer` is all that the page needs, both with a server on this machine and with a worker in the
browser.  The library does the work; this module only assembles the answers.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
import threading
import weakref
from collections.abc import Callable, Iterator
from typing import Any, cast

import charlens
from charlens import kernel
from charlens.encodings import all_encodings, canonical, web_name
from charlens.errors import CharlensError
from charlens.explanation import Explanation, explain
from charlens.files.line_ends import count_ends_in
from charlens.files.words import reason
from charlens.hints import platform_names
from charlens.inputs.paths import detect_path, open_bytes
from charlens.inspector.characters import hex_rows, sign_at
from charlens.inspector.contents import Content
from charlens.inspector.converting import (
    LARGEST_IN_PARTS,
    parts_found,
    parts_of,
    places_lost,
    plan_for,
    product,
    save,
)
from charlens.inspector.descriptions import (
    LISTED,
    MOST_READINGS,
    Answer,
    declared_in,
    names_for,
    printable,
    readings_of,
    steps_of,
)
from charlens.inspector.finding import find_bytes, find_text
from charlens.inspector.folders import Folder
from charlens.inspector.overview import draw_strip, look_closely
from charlens.inspector.repairs import LOOKED, find_repairs
from charlens.inspector.rows import (
    MOST_ROWS,
    differing_rows,
    line_at,
    offset_of_line,
    part_rows,
    text_rows,
    text_rows_before,
)
from charlens.keywords import Hints
from charlens.types import Verdict

#: Files up to this size are analysed pair by pair.
_EXPLAINED = 256 << 20
#: The most characters in a search.
_LONGEST_SOUGHT = 200
#: The suffix that a copy keeps, because some formats are recognised by it.
_SUFFIX = re.compile(r"\.[A-Za-z0-9]{1,12}")

Question = dict[str, Any]


class Inspector:
    """Holds the open files and answers questions about them."""

    def __init__(self, path: str | None = None) -> None:
        self.root = os.path.abspath(path) if path else None
        self._contents: dict[str, Content] = {}
        self._folder: Folder | None = None
        #: The folder for copies of dropped files, or None.
        self._copies: str | None = None
        self._lock = threading.Lock()
        self.close: Callable[[], None] = lambda: None
        self._questions: dict[str, Callable[[Question], Answer]] = {
            "about": self._about,
            "open": self._open,
            "look": self._look,
            "facts": self._facts,
            "why": self._why,
            "strip": self._strip,
            "rows": self._rows,
            "compare": self._compare,
            "at": self._at,
            "parts": self._parts,
            "find": self._find,
            "line": self._line,
            "convert": self._convert,
            "save": lambda question: save(self._content(question), question),
            "folder": self._list_folder,
            "closely": self._closely,
        }

    def answer(self, question: Question) -> Answer:
        """Answer a question; an error in the question or the file is an answer with 'error'."""
        try:
            asked = self._questions.get(str(question.get("ask")))
            if asked is None:
                raise ValueError(
                    f"unknown question {question.get('ask')!r}; there are {', '.join(self._questions)}"
                )
            answer = asked(question)
            content = self._contents.get(str(question.get("id")))
            return answer if content is None else {**answer, "version": content.version}
        except (OSError, MemoryError, CharlensError, ValueError, TypeError, KeyError) as error:
            return {"error": reason(error) if not isinstance(error, KeyError) else f"{error} is missing"}

    def copy(self, name: str, pieces: Iterator[bytes]) -> Answer:
        """Save a copy of a dropped file or pasted text, and open it."""
        folder = tempfile.mkdtemp(dir=self._folder_of_copies())
        suffix = os.path.splitext(name)[1]
        path = os.path.join(folder, "content" + (suffix if _SUFFIX.fullmatch(suffix) else ""))
        with open(path, "wb") as file:
            for piece in pieces:
                file.write(piece)
        return self.add(path, name, own=True)

    def add(self, path: str, name: str, *, own: bool = False) -> Answer:
        """Open the file at *path*, which the page calls *name*."""
        key = str(len(self._contents) + 1)
        try:
            self._contents[key] = Content(key, path, name, own=own)
        except (OSError, ValueError) as error:
            return {"error": reason(error)}
        return {"id": key, "name": printable(name), "size": self._contents[key].size}

    def product(self, question: Question) -> tuple[str, Iterator[bytes]]:
        """Return the name and the bytes of the converted file that the question describes."""
        return product(self._content(question), question)

    def _folder_of_copies(self) -> str:
        """Return the folder for copies; it is created on first use, and deleted by `close` or at exit."""
        with self._lock:
            if self._copies is None:
                self._copies = tempfile.mkdtemp(prefix="charlens-")
                self.close = weakref.finalize(self, shutil.rmtree, self._copies, ignore_errors=True)
            return self._copies

    def _content(self, question: Question) -> Content:
        content = self._contents.get(str(question.get("id")))
        if content is None:
            raise ValueError("this file is not open any more; open it again")
        content.refresh()
        return content

    def _about(self, question: Question) -> Answer:
        is_folder = bool(self.root) and os.path.isdir(self.root or "")
        return {
            "version": charlens.__version__,
            "kernel": kernel.NAME,
            "start": self.root if self.root and not is_folder else None,
            "folder": self.root if is_folder else None,
            "encodings": [
                [each.name, web_name(each.name) or each.iana or "", each.kind] for each in all_encodings()
            ],
            "languages": _languages(),
            "platforms": platform_names(),
        }

    def _open(self, question: Question) -> Answer:
        """Open a file by its path, if the page was started for it or for a folder above it."""
        named = str(question["path"])
        # The page has names that are not UTF-8 with escapes.
        named = self._folder.names.get(named, named) if self._folder else named
        path = os.path.abspath(os.path.join(self.root or "", named))
        root, real = os.path.realpath(self.root or ""), os.path.realpath(path)
        if self.root is None or not (real == root or real.startswith(os.path.join(root, ""))):
            raise ValueError(
                "is outside of what this page was started for; start 'charlens inspect' with its path"
            )
        return self.add(path, path)

    def _detect(self, content: Content, question: Question) -> Verdict:
        hints = {str(name): str(value) for name, value in (question.get("hints") or {}).items() if value}
        key = tuple(sorted(hints.items()))
        if key not in content.verdicts:
            content.verdicts[key] = detect_path(content.path, hints=cast("Hints", hints) or None)
        return content.verdicts[key]

    def _look(self, question: Question) -> Answer:
        content = self._content(question)
        verdict = self._detect(content, question)
        return {
            "id": content.key,
            "name": printable(content.name),
            "size": content.size,
            "own": content.own,
            "outcome": verdict.outcome.value if content.size else "empty",
            "encoding": verdict.encoding,
            "web": verdict.web_name,
            "confidence": round(verdict.confidence, 4),
            "language": verdict.language,
            "bom": verdict.bom.hex(" ").upper(),
            "equivalents": list(verdict.equivalents[:LISTED]),
            "damage": [[span.start, span.end] for span in verdict.damage[:LISTED]],
            "damaged": len(verdict.damage),
            "cut": verdict.cut,
            "readings": readings_of(verdict),
            "declared": declared_in(content, verdict),
            "steps": steps_of(verdict),
            "names": names_for(content),
        }

    def _facts(self, question: Question) -> Answer:
        """Return what takes longer to find: line endings, parts in other encodings, mojibake."""
        content = self._content(question)
        encoding = canonical(question["encoding"])
        ends = count_ends_in(content.pieces(), encoding)
        facts: Answer = {
            "newline": ends.style,
            "ends": ends._asdict(),
            "parts": 1,
            "repair": None,
            "notes": [],
        }
        if content.size > LARGEST_IN_PARTS:
            limit = f"{LARGEST_IN_PARTS >> 20} MB"
            facts["notes"].append(f"Parts in other encodings are looked for in files up to {limit}.")
        else:
            parts = content.parts()
            names = sorted({part.encoding or "binary" for part in parts} - {"ascii"})
            if len(names) > 1:
                return facts | {"parts": len(parts), "encodings": names}
        # Decoded with one encoding, a file in several encodings looks like mojibake.
        facts["repair"] = find_repairs(content, encoding)
        if content.size > LOOKED:
            facts["notes"].append(f"Text decoded wrongly is looked for in the first {LOOKED >> 20} MB.")
        return facts

    def _why(self, question: Question) -> Answer:
        content = self._content(question)
        verdict = self._detect(content, question)
        whole = Explanation(verdict)
        if content.size <= _EXPLAINED:
            with open_bytes(content.path) as data:
                whole = explain(data, verdict)
        return {
            "steps": steps_of(verdict),
            "winner": whole.winner._asdict() if whole.winner else None,
            "rival": whole.rival._asdict() if whole.rival else None,
            "begin": whole.begin,
            "large": content.size > _EXPLAINED,
            "total": whole.total,
            "count": len(whole.contributions),
            "pairs": [
                {**part._asdict(), "pair": part.pair.hex(" ").upper(), "share": round(part.share, 4)}
                for part in whole.contributions[:LISTED]
            ],
        }

    def _strip(self, question: Question) -> Answer:
        content = self._content(question)
        encoding = _encoding(question)
        verdict = self._detect(content, question)
        damage = verdict.damage if encoding == verdict.encoding else ()
        return draw_strip(content, encoding, damage, _number(question, "cells", 1, 1024))

    def _rows(self, question: Question) -> Answer:
        content = self._content(question)
        if question.get("found"):
            content = content.with_found(*(int(place) for place in question["found"]))
        encoding = _encoding(question)
        count = _number(question, "count", 1, MOST_ROWS)
        start = _number(question, "start", 0, content.size)
        if question.get("form") == "hex":
            rows = hex_rows(content, encoding, start, count)
        elif question.get("parts") is not None:
            parts = [(begin, name or "latin-1") for begin, name in parts_of(content, question["parts"])]
            before, exact = bool(question.get("before")), bool(question.get("exact"))
            rows = part_rows(content, parts, start, count, before=before, exact=exact)
        elif encoding is None:
            rows = []
        elif question.get("before"):
            rows = text_rows_before(content, encoding, start, count)
        else:
            rows = text_rows(content, encoding, start, count, exact=bool(question.get("exact")))
        return {"rows": rows, "size": content.size}

    def _compare(self, question: Question) -> Answer:
        content = self._content(question)
        encodings = [canonical(name) for name in question["encodings"]][:MOST_READINGS]
        start, count = _number(question, "start", 0, content.size), _number(question, "count", 1, MOST_ROWS)
        return differing_rows(content, encodings, start, count, everything=bool(question.get("everything")))

    def _at(self, question: Question) -> Answer:
        """Return the character at one byte in each of some encodings."""
        content = self._content(question)
        offset = _number(question, "offset", 0, max(0, content.size - 1))
        found = [sign_at(content, canonical(name), offset) for name in question["encodings"][:MOST_READINGS]]
        return {"offset": offset, "value": content.read(offset, offset + 1)[0], "readings": found}

    def _parts(self, question: Question) -> Answer:
        """Return the parts of a file in several encodings."""
        content = self._content(question)
        found = parts_found(content)
        parts = [
            {
                "start": part.start,
                "end": part.end,
                "line": line_at(content, part.start, part.encoding or "latin-1"),
                "encoding": part.encoding,
                "confidence": round(part.confidence, 4),
                "language": part.language,
                "readings": readings_of(part.verdict),
                "rows": text_rows(content, part.encoding, part.start, 3, exact=True) if part.encoding else [],
            }
            for part in found[:LISTED]
        ]
        return {"parts": parts, "count": len(found)}

    def _find(self, question: Question) -> Answer:
        """Find text in the chosen reading, or bytes, from a place on; one answer searches a limited range."""
        content = self._content(question)
        start = _number(question, "start", 0, content.size)
        back = bool(question.get("back"))
        sought = str(question["sought"])[:_LONGEST_SOUGHT]
        if not sought:
            raise ValueError("there is nothing to look for")
        if question.get("form") == "hex":
            return find_bytes(content, bytes.fromhex(sought), start, back=back)
        if question.get("parts") is not None:
            parts = [(begin, name or "latin-1") for begin, name in parts_of(content, question["parts"])]
        else:
            parts = [(0, _encoding(question) or "latin-1")]
        return find_text(content, parts, sought, start, back=back, exact_case=bool(question.get("case")))

    def _line(self, question: Question) -> Answer:
        """Return the offset of a line."""
        content = self._content(question)
        line, start = _number(question, "line", 1, 1 << 62), _number(question, "start", 0, content.size)
        return offset_of_line(content, _encoding(question) or "latin-1", line, start)

    def _convert(self, question: Question) -> Answer:
        """Plan and verify a conversion; nothing is written."""
        content = self._content(question)
        plan, recipe = plan_for(content, question)
        return {
            "status": plan.status,
            "words": plan.refusal,
            "lost": places_lost(content, question) if plan.status == "refused" else 0,
            "changes": [change.words for change in plan.changes if change.words],
            "target": plan.target,
            "size": None if recipe else len(plan.after),
        }

    def _list_folder(self, question: Question) -> Answer:
        """Return rows of the table of files from a number on; the search for files continues in its thread."""
        if self.root is None or not os.path.isdir(self.root):
            raise ValueError("the page was not started for a folder; start 'charlens inspect' with its path")
        if self._folder is None:
            self._folder = Folder(self.root)
        return self._folder.rows_from(_number(question, "start", 0, 1 << 62))

    def _closely(self, question: Question) -> Answer:
        """Return the row of one file that was dropped, for the same table."""
        content = self._content(question)
        return {"row": look_closely(content.path).row(printable(content.name))}


def _encoding(question: Question) -> str | None:
    return canonical(question["encoding"]) if question.get("encoding") else None


def _number(question: Question, name: str, least: int, most: int) -> int:
    value = question.get(name, least)
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{name} is a whole number; got {value!r}")
    return max(least, min(value, most))


def _languages() -> list[str]:
    from charlens.models import default_model

    return sorted({language for _, language in default_model().classes if language})
