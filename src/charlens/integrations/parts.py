"""Work done in parts, each of which is one Parquet file: what `charlens warc`, `batch` and `spark` have in common.

A part is written next to its final name and renamed when it is complete, so a part that exists is done, and the next
run continues where the last one ended.  The settings and the model are in the names.  `_errors.jsonl` has what could
not be read, `_manifest.json` what is in each part, and `_SUCCESS` is written last.  The callers decide where a part is
made: in another process, or on another machine.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from charlens.files.atomic import TEMPORARY
from charlens.integrations.locations import Folder, absolute, match, size_of

if TYPE_CHECKING:
    import pyarrow

#: The version of the tables; parts of different versions must not be in the same folder.
_FORMAT = 2
_SUCCESS, _MANIFEST = "_SUCCESS", "_manifest.json"
#: Why a part is left out after two attempts.
LOST = "the worker process crashed twice (out of memory, or a bug in a library); this part was skipped"
#: The list of what could not be read.
ERRORS = "_errors.jsonl"


class Part(NamedTuple):
    """A piece of work: the name of its file, the input, and which piece of it."""

    name: str
    path: str
    start: int
    end: int


class Job(NamedTuple):
    """All pieces of a table, and how they are made; it is sent to other processes and machines."""

    #: Makes the rows of a part: a function of a module, called with the job and the part.
    rows: Callable[[Job, Part], Iterator[pyarrow.RecordBatch]]
    settings: Any
    schema: pyarrow.Schema
    #: The end of the names of the parts, by `stamp`.
    ending: str
    parts: Sequence[Part]


class Made(NamedTuple):
    """What is in a part: the number of rows, and what could not be read; *failure* says why there is no part."""

    rows: int = 0
    errors: tuple[dict[str, Any], ...] = ()
    failure: str = ""


# ---- before


def expand(patterns: Sequence[str], what: str) -> list[str]:
    """Return the files that match *patterns*, sorted; *what* is the noun for them in messages."""
    paths: list[str] = []
    for pattern in patterns:
        try:
            found = match(pattern)
        except (
            OSError,
            ValueError,
        ) as error:  # a store that does not answer, a scheme that Arrow does not know
            raise OSError(f"{pattern}: {error}") from None
        if not found:
            raise FileNotFoundError(f"{pattern}: no such file, and no file matches it as a pattern.")
        for path in found:
            if os.path.isdir(path):
                raise IsADirectoryError(
                    f"{path} is a folder. Name the {what} in it: {os.path.join(path, '*')}."
                )
        paths += found
    return list(dict.fromkeys(paths))


@lru_cache(maxsize=4)
def load_model(model: str | bytes | None) -> Any:
    """Return the model from a folder or from the bytes of its file; None for the default model."""
    from charlens.models.format import parse_model, read_model

    return parse_model(model, "the model") if isinstance(model, bytes) else model and read_model(model)


def stamp(*settings: object, model: str | bytes | None = None) -> str:
    """Return the end of the part names for these *settings* and this *model*, wherever its folder is."""
    from charlens.models import default_model

    name = (load_model(model) or default_model()).name
    digest = hashlib.sha256(repr((_FORMAT, name, *settings)).encode()).hexdigest()[:8]
    return f"{name}.{digest}.parquet"


def part_of(path: str, number: int, ending: str, start: int, end: int) -> Part:
    """Return piece *number* of the input at *path*; the size of the input is part of its name."""
    place = absolute(path)
    source = hashlib.sha256(f"{place}\0{size_of(place)}".encode("utf-8", "surrogateescape")).hexdigest()
    return Part(f"part-{source[:10]}-{number:05d}.{ending}", path, start, end)


def prepare(output: str, ending: str) -> None:
    """Create the folder for the parts; a folder that contains other files is an error."""
    try:
        folder = Folder(output)
        folder.create()
        names = folder.names()
        folder.write(".writable", b"")
        folder.remove(".writable")
    except (FileExistsError, NotADirectoryError):
        raise FileExistsError(f"The output {output} is a file. Name a folder.") from None
    except PermissionError:
        raise PermissionError(
            f"No permission to write to the output folder {output}. Choose another one, or change its permissions."
        ) from None
    except (OSError, ValueError) as error:
        words = getattr(error, "strerror", None) or str(error)
        raise OSError(f"Cannot write to the output folder {output}: {words}. Choose another one.") from None
    others = [name for name in names if name.startswith("part-") and not name.endswith((ending, TEMPORARY))]
    if others:
        raise FileExistsError(
            f"The output folder {output} has parts that were made with other settings or another model, such as "
            f"{others[0]}. Name another folder, or remove this one."
        )
    strange = [name for name in names if not name.startswith(("part-", "_", "."))]
    if strange:
        raise FileExistsError(
            f"The output folder {output} has other files in it, such as {strange[0]}. Name a new folder."
        )
    if _SUCCESS in names:
        folder.remove(_SUCCESS)


# ---- one part


def make_part(job: Job, output: str, part: Part) -> str:
    """Write one part; return an error message, or "". It never raises, because it runs in a separate process."""
    import pyarrow.parquet as pq

    try:
        with (
            Folder(output).new_file(part.name) as file,
            pq.ParquetWriter(file, job.schema, compression="zstd") as writer,
        ):
            for batch in job.rows(job, part):
                writer.write_batch(batch)
    except Exception as error:  # reported; the other parts continue
        return f"{type(error).__name__}: {error}"
    return ""


def look_at(output: str, part: Part) -> Made:
    """Return what is in a part that was made."""
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    with Folder(output).open(part.name) as file:
        table = pq.ParquetFile(file)
        names = [name for name in ("url", "id", "offset") if name in table.schema_arrow.names]
        errors: list[dict[str, Any]] = []
        for batch in table.iter_batches(columns=[*names, "error"]):
            for row in batch.filter(pc.is_valid(batch["error"])).to_pylist():
                known = {key: row[key] for key in names if row[key] is not None}
                errors.append({"input": part.path, "part": part.name, **known, "error": row["error"]})
        return Made(table.metadata.num_rows, tuple(errors))


# ---- after


def finish(output: str, made: dict[Part, Made]) -> dict[str, Any]:
    """Write the errors and the manifest, clean up, and write `_SUCCESS`, in this order; return the manifest."""
    folder = Folder(output)
    errors = [error for each in made.values() for error in each.errors]
    failed = {part: each.failure for part, each in made.items() if each.failure}
    errors += [{"input": part.path, "part": part.name, "error": why} for part, why in failed.items()]
    total = {"parts": len(made), "rows": sum(each.rows for each in made.values()), "errors": len(errors)}
    described = {
        part.name: {
            "input": part.path,
            "start": part.start,
            "end": part.end,
            "rows": each.rows,
            "errors": len(each.errors),
        }
        for part, each in made.items()
        if not each.failure
    }
    manifest = {**total, "files": described, "failed": {part.name: why for part, why in failed.items()}}
    folder.write(ERRORS, "".join(json.dumps(error, default=str) + "\n" for error in errors).encode())
    folder.write(_MANIFEST, json.dumps(manifest, indent=1).encode())
    for name in folder.names():
        if name.endswith(TEMPORARY):
            folder.remove(name)
    if not failed:
        folder.write(_SUCCESS, json.dumps(total).encode() + b"\n")
    return manifest
