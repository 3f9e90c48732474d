"""The page as one HTML file: the front end, with the answers to all its questions.

The modules of the front end are joined to one script with one scope.  They
follow two rules that make this simple: imports are not renamed, and no name is defined in two modules.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
from typing import Any

from charlens.inspector.answers import Inspector, Question
from charlens.inspector.descriptions import Answer
from charlens.inspector.server import PAGE

#: The most bytes of the file in a saved page; for larger files, the page says that it shows the beginning.
SAVED_BYTES = 256 << 10
_IMPORT = re.compile(r"^import \{[^}]*\} from \"\./([a-z]+\.js)\";\n", re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|const|class|let)\b)", re.MULTILINE)
_CELLS = 512


def bundle(entry: str) -> str:
    """Return the module *entry* of the front end and all its imports as one script."""
    done: list[str] = []
    texts: list[str] = []

    def add(name: str) -> None:
        if name in done:
            return
        done.append(name)
        text = (PAGE / name).read_text(encoding="utf-8")
        for needed in _IMPORT.findall(text):
            add(needed)
        texts.append(_EXPORT.sub("", _IMPORT.sub("", text)))

    add(entry)
    return "\n".join(texts)


def one_page(title: str, body: str, entry: str, data: object, more_style: str = "") -> str:
    """Return a self-contained page with the styles, the script of *entry* and its *data*."""
    style = (PAGE / "style.css").read_text(encoding="utf-8") + more_style
    script = bundle(entry)
    allowed = f"script-src {_hash(script)}; style-src {_hash(style)}"
    policy = f"default-src 'none'; {allowed}; base-uri 'none'; form-action 'none'"
    # Only '<' could end the script element early.
    text = json.dumps(data, ensure_ascii=True).replace("<", "\\u003c")
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{title}</title><style>{style}</style></head><body>{body}"
        f'<script type="application/json" id="saved">{text}</script>'
        f'<script type="module">{script}</script></body></html>\n'
    )


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def save_page(path: str) -> str:
    """Return the page for the file at *path*, with all answers; raise OSError if it cannot be read."""
    inspector = Inspector()
    try:
        opened = inspector.add(path, os.path.basename(path))  # the page must not show the folder
        if "error" in opened:
            raise OSError(5, opened["error"], path)
        return one_page(
            "charlens inspect", '<div id="app"></div>', "saved.js", _answers(inspector, opened["id"])
        )
    finally:
        inspector.close()


def _answers(inspector: Inspector, key: str) -> dict[str, Any]:
    def ask(question: str, **more: Any) -> Answer:
        return inspector.answer({"ask": question, "id": key, **more})

    look = ask("look")
    names = [reading["encoding"] for reading in look["readings"]]
    encoding = look["encoding"]
    texts = {name: _all_rows(inspector, {"id": key, "encoding": name}) for name in names}
    parts = ask("parts")
    if parts.get("count", 1) > 1:
        texts["parts"] = _all_rows(inspector, {"id": key, "parts": []})
    return {
        "about": ask("about"),
        "look": look,
        "why": ask("why"),
        "facts": ask("facts", encoding=encoding) if encoding else {},
        "parts": parts,
        "strip": {name: ask("strip", encoding=name, cells=_CELLS) for name in [*names, ""]},
        "text": texts,
        "hex": {
            name: _all_rows(inspector, {"id": key, "encoding": name, "form": "hex"}) for name in [*names, ""]
        },
        "compare": {
            flag: _all_differences(inspector, {"id": key, "encodings": names, "everything": flag == "all"})
            for flag in (("all", "differing") if names else ())
        },
        "shown": min(look["size"], SAVED_BYTES),
    }


def _all_rows(inspector: Inspector, question: Question) -> list[Any]:
    rows: list[Any] = []
    start = 0
    while start < SAVED_BYTES:
        found = inspector.answer({"ask": "rows", "start": start, "count": 100, "exact": True, **question})[
            "rows"
        ]
        if not found:
            break
        rows += found
        start = found[-1]["end"]
    return rows


def _all_differences(inspector: Inspector, question: Question) -> list[Any]:
    rows: list[Any] = []
    start: int | None = 0
    while start is not None and start < SAVED_BYTES:
        found = inspector.answer({"ask": "compare", "start": start, "count": 100, **question})
        rows += found["rows"]
        start = found["next"]
    return rows
