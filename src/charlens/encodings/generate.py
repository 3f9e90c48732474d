"""Generate the tables that are imported from the hand-written ones.

Reads `encodings.toml` and `whatwg_labels.toml`; writes `_table.py` (names, labels, the order of
preference, the ASCII bytes that have another meaning in some encodings) and `single_byte.bin` (the
character of each single byte).  The characters come from Python's codecs.  Only this
module needs a TOML reader; `charlens.encodings` and `maps` use the tables.

    python -m charlens.encodings.generate            writes both files
    python -m charlens.encodings.generate --check    exits 1 when one of them is not current
    python -m charlens.encodings.generate --add NAME --languages xx    puts a codec that Python has into the table
"""

from __future__ import annotations

import argparse
import codecs
import pkgutil
import re
import struct
import sys
from collections.abc import Iterable, Mapping, Sequence
from encodings import __path__ as _CODEC_FOLDERS
from pathlib import Path
from typing import Any, NamedTuple

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

from charlens.encodings import squeeze

HERE = Path(__file__).parent
COMMAND = "python -m charlens.encodings.generate"
KINDS = ("ascii", "utf", "single", "multi", "escape", "ebcdic")
FIELDS = frozenset({"name", "web", "iana", "kind", "languages", "common", "subset_of", "labels", "note"})

#: Means that a byte alone has no character; U+FFFF is not a character.
UNDEFINED = 0xFFFF

Row = Mapping[str, Any]


class TableError(ValueError):
    """An error in the hand-written tables."""


class Tables(NamedTuple):
    """The two hand-written files as read; the encodings in the order of preference."""

    encodings: Sequence[Row]
    web: Sequence[Row]


def main(argv: Sequence[str] | None = None, folder: Path = HERE) -> int:
    """Write the generated files in *folder*, or with ``--check`` say which are not current."""
    parser = argparse.ArgumentParser(prog=COMMAND, description="Generate _table.py and single_byte.bin.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if not current")
    parser.add_argument("--add", metavar="NAME", help="first put a codec that Python has into encodings.toml")
    parser.add_argument(
        "--languages", metavar="xx,yy", help="with --add: the languages that are written in it"
    )
    options = parser.parse_args(argv)
    check: bool = options.check
    try:
        if options.add:
            _add(folder / "encodings.toml", options.add, options.languages or "")
        wanted = outputs(read_tables(folder))
    except TableError as error:
        print(f"charlens.encodings: {error}", file=sys.stderr)
        return 1
    stale = [name for name, content in wanted.items() if not _holds(folder / name, content)]
    if check:
        for name in stale:
            print(f"{folder / name} is not current. Run: {COMMAND}", file=sys.stderr)
        return 1 if stale else 0
    for name in stale:
        (folder / name).write_bytes(wanted[name])
        print(f"wrote {folder / name}")
    return 0


def _add(path: Path, label: str, languages: str) -> None:
    """Append a row for the codec *label* to the table at *path*, unless it has one."""
    name = _codec_name(label)
    if name is None:
        raise TableError(
            f"{label}: Python has no codec of that name; one must be registered whenever Python starts"
        )
    if not re.fullmatch(r"[a-zA-Z]{2,3}(-[a-zA-Z0-9]+)*(,[a-zA-Z]{2,3}(-[a-zA-Z0-9]+)*)*", languages):
        raise TableError(f"{name}: say the languages that are written in it: --languages xx,yy")
    if any(row["name"] == name for row in tomllib.loads(path.read_text(encoding="utf-8"))["encoding"]):
        raise TableError(f"{name} is in the table already; 'charlens train --also {name}:xx' adds a language")
    tags = ", ".join(f'"{tag}"' for tag in languages.split(","))
    row = f'\n[[encoding]]\nname = "{name}"\nkind = "{_kind(name)}"\nlanguages = [{tags}]\ncommon = 1  # judged\n'
    with path.open("a", encoding="utf-8", newline="\n") as file:
        file.write(row)
    if _kind(name) == "multi":
        print("then run: python -m charlens.encodings.walks")


def _kind(name: str) -> str:
    """Return the kind of a codec that extends ASCII: 'multi' if a byte can start a longer character."""
    printable = bytes(range(32, 127))
    try:
        read = printable.decode(name, "replace")
    except LookupError as error:
        raise TableError(f"{name}: {error}") from error
    if read != printable.decode("ascii"):
        raise TableError(f"{name} does not extend ASCII; add its row to encodings.toml yourself")
    for byte in range(0x80, 0x100):
        try:
            if codecs.getincrementaldecoder(name)().decode(bytes([byte])) == "":
                return "multi"
        except UnicodeDecodeError:
            continue
    return "single"


def read_tables(folder: Path) -> Tables:
    """Read and check the two hand-written files in *folder*."""
    encodings = tomllib.loads((folder / "encodings.toml").read_text(encoding="utf-8"))["encoding"]
    web = tomllib.loads((folder / "whatwg_labels.toml").read_text(encoding="utf-8"))["encoding"]
    _check_encodings(encodings, {row["name"] for row in web})
    _check_web(web, {row["name"] for row in encodings})
    return Tables(sorted(encodings, key=preference), web)


def outputs(tables: Tables) -> dict[str, bytes]:
    """Return the content of every generated file by its name."""
    maps = {row["name"]: lone_map(row["name"]) for row in tables.encodings if _works_by_bytes(row)}
    return {
        "_table.py": render_table(tables, maps).encode(),
        "single_byte.bin": b"".join(struct.pack("<256H", *points) for points in maps.values()),
    }


def preference(row: Row) -> tuple[int, int, str]:
    """Sort key: ascii, utf-8, the encodings of the web, the rest; the more common first.

    cp437 is with those of the web, before cp866: text that is the same in both is drawings, mostly in English.
    """
    first = {"ascii": 0, "utf-8": 1, "cp437": 2}.get(row["name"], 2 if "web" in row else 3)
    return first, -row["common"], row["name"]


def lone_map(name: str) -> list[int]:
    """Return the code point of each single byte, or `UNDEFINED`.

    The lead bytes of a multi-byte encoding, and the bytes that shift (ESC, '+' in UTF-7, '~' in
    HZ), have none.  The others must have the same meaning after any of them.
    """
    points = [_lone_point(bytes([value]), name) for value in range(256)]
    alone = [bytes([value]) for value in range(256) if points[value] != UNDEFINED]
    letters = [chr(point) for point in points if point != UNDEFINED]
    for byte, letter in zip(alone, letters, strict=True):
        if (byte + byte.join(alone)).decode(name) != letter + letter.join(letters):
            raise TableError(f"{name}: byte 0x{byte.hex()} changes what the next byte means")
    return points


def _lone_point(byte: bytes, name: str) -> int:
    try:
        text = byte.decode(name)
    except UnicodeDecodeError:
        return UNDEFINED
    return ord(text) if len(text) == 1 else UNDEFINED


def _works_by_bytes(row: Row) -> bool:
    """Whether single bytes can be characters: in all encodings except UTF-16 and UTF-32."""
    return bool(row["kind"] != "utf" or row["name"] == "utf-8")


def name_keys(tables: Tables) -> dict[str, int]:
    """Map every name, and every name of a Python codec module for it, squeezed, to its row."""
    rows = {row["name"]: index for index, row in enumerate(tables.encodings)}
    keys = {squeeze(name): index for name, index in rows.items()}
    for module in sorted(module.name for module in pkgutil.iter_modules(_CODEC_FOLDERS)):
        try:
            name = codecs.lookup(module).name
        except LookupError:
            continue
        if name in rows:
            keys.setdefault(squeeze(module), rows[name])
    return keys


def label_keys(tables: Tables) -> dict[str, int]:
    """Map the other labels, squeezed, to rows: the registry's first, then the web's, then our own."""
    rows = {row["name"]: index for index, row in enumerate(tables.encodings)}
    labels = [(row["iana"], index) for index, row in enumerate(tables.encodings) if "iana" in row]
    for web in tables.web:
        if "codec" in web:
            labels += [(label, rows[web["codec"]]) for label in (web["name"], *web["labels"])]
    keys: dict[str, int] = {}
    for label, index in labels:
        keys.setdefault(squeeze(label), index)
    known = keys.keys() | name_keys(tables).keys()
    for index, row in enumerate(tables.encodings):
        for label in row.get("labels", ()):
            if squeeze(label) in known:
                raise TableError(f"{row['name']}: the label {label!r} is known without being listed")
            keys[squeeze(label)] = index
            known.add(squeeze(label))
    return keys


def render_table(tables: Tables, maps: Mapping[str, Sequence[int]]) -> str:
    """Return the text of `_table.py`."""
    web_labels = {label: row["name"] for row in tables.web for label in row["labels"]}
    web_codecs = {row["name"]: row.get("codec") for row in tables.web}
    odd = (f"{name!r}: 0x{mask:032X}," for name, points in maps.items() if (mask := _odd_ascii(points)))
    row_type = "tuple[str, str | None, str | None, str, tuple[str, ...], int, str | None]"
    return "\n".join(
        [
            f"# Generated by `{COMMAND}` from encodings.toml and whatwg_labels.toml. Do not edit.",
            "# ruff: noqa",
            "# fmt: off",
            '"""The encodings, their labels and their order of preference, as plain tuples and dicts."""',
            "",
            "from __future__ import annotations",
            "",
            "#: name, web, iana, kind, languages, common, subset_of: the first is preferred.",
            *_block(f"ROWS: tuple[{row_type}, ...] = (", map(_render_row, tables.encodings), ")"),
            "#: ASCII bytes that an encoding does not read as ASCII does, as a mask of byte values.",
            *_block("ODD_ASCII: dict[str, int] = {", odd, "}"),
            "#: Names and Python's codec modules, letters and digits only, to the row.",
            *_block("NAME_KEYS: dict[str, int] = {", _pairs(name_keys(tables)), "}"),
            "#: Other labels, letters and digits only, to the row.",
            *_block("LABEL_KEYS: dict[str, int] = {", _pairs(label_keys(tables)), "}"),
            "#: The labels of the WHATWG standard.",
            *_block("WEB_LABELS: dict[str, str] = {", _pairs(web_labels), "}"),
            "#: The encodings of the WHATWG standard to Python's codecs.",
            *_block("WEB_CODECS: dict[str, str | None] = {", _pairs(web_codecs), "}"),
        ]
    )


def _render_row(row: Row) -> str:
    head = (row["name"], row.get("web"), row.get("iana"), row["kind"])
    return f"{(*head, tuple(row['languages']), row['common'], row.get('subset_of'))!r},"


def _odd_ascii(points: Sequence[int]) -> int:
    return sum(1 << value for value in range(128) if points[value] != value)


def _pairs(entries: Mapping[str, object]) -> Iterable[str]:
    return (f"{key!r}: {value!r}," for key, value in entries.items())


def _block(opening: str, lines: Iterable[str], closing: str) -> Iterable[str]:
    return [opening, *(f"    {line}" for line in lines), closing, ""]


def _check_encodings(rows: Sequence[Row], web_names: set[str]) -> None:
    names = [row["name"] for row in rows]
    _no_twice("name", names)
    _no_twice("web name", [row["web"] for row in rows if "web" in row])
    _no_twice("IANA name", [row["iana"] for row in rows if "iana" in row])
    for row in rows:
        name = row["name"]
        if unknown := row.keys() - FIELDS:
            raise TableError(f"{name}: unknown field {sorted(unknown)}; the fields are {sorted(FIELDS)}")
        if _codec_name(name) != name:
            raise TableError(f"{name}: Python calls it {_codec_name(name)!r}; write that name")
        if row["kind"] not in KINDS:
            raise TableError(f"{name}: kind {row['kind']!r} must be one of {', '.join(KINDS)}")
        if not 1 <= row["common"] <= 10_000:
            raise TableError(f"{name}: common is {row['common']}; it goes from 1 to 10000")
        if row.get("web", "UTF-8") not in web_names:
            raise TableError(f"{name}: {row['web']!r} is not a WHATWG encoding")
        if row.get("subset_of", name) not in names:
            raise TableError(f"{name}: subset_of is {row['subset_of']!r}, which is not in the table")


def _check_web(rows: Sequence[Row], names: set[str]) -> None:
    _no_twice("WHATWG label", [label for row in rows for label in row["labels"]])
    for row in rows:
        if "codec" in row and row["codec"] not in names:
            raise TableError(f"{row['name']}: the codec {row['codec']!r} is not in encodings.toml")


def _codec_name(name: str) -> str | None:
    try:
        return codecs.lookup(name).name
    except LookupError:
        return None


def _no_twice(what: str, values: Sequence[str]) -> None:
    twice = {value for value in values if values.count(value) > 1}
    if twice:
        raise TableError(f"{what} given twice: {', '.join(sorted(twice))}")


def _holds(path: Path, content: bytes) -> bool:
    return path.exists() and path.read_bytes() == content


if __name__ == "__main__":
    sys.exit(main())
