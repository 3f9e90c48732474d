"""Read labelled samples: from a folder with a manifest, from a tree of folders, from binary files.

A dataset has the samples that could be read; each one that could not be read is a `Problem`, never an
exception.  Only a missing folder is an error.
`made` makes snippets from text.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from charlens.errors import CharlensError
from charlens.evaluation.blanking import blank_declarations
from charlens.evaluation.names import BINARY, resolve

#: The file that describes a folder of samples.
MANIFEST = "manifest.tsv"

# Accepted names of the columns of a manifest, those of our format first.
_COLUMNS: dict[str, tuple[str, ...]] = {
    "path": ("path", "relpath"),
    "encoding": ("encoding", "true_encoding"),
    "language": ("language",),
    "source": ("source",),
    "kind": ("kind",),
    "label_from": ("label_from",),
    "declared": ("declared", "declared_inband"),
    "note": ("note",),
}
_NEEDED = ("path", "encoding")
# Names of folders with binary files in a tree; chardet uses 'None'.
_NO_TEXT = {BINARY, "none", "none-none"}


class DatasetError(CharlensError, ValueError):
    """No sample of a dataset can be read."""


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem in a dataset, and its place."""

    where: str
    words: str


@dataclass(frozen=True, slots=True)
class Sample:
    """A sample: its bytes, its label, and the source of the label."""

    id: str
    #: The label as written in the dataset; 'binary' if the bytes are not text.
    encoding: str
    path: Path | None = None
    #: The bytes themselves, for samples that are not files.
    data: bytes | None = None
    language: str = ""
    source: str = ""
    kind: str = ""
    #: The source of the label; 'declared' means that only the file itself declares it.
    label_from: str = ""
    #: The charset that the file declares.
    declared: str = ""
    note: str = ""
    #: The size in bytes that a generated sample was cut to; 0 for a whole file.
    cut: int = 0
    length: int = 0
    digest: str = ""
    #: Whether the declarations in the bytes are blanked before a detector sees them.
    blank: bool = False

    def load(self) -> bytes:
        """Return the bytes for the detector."""
        if self.data is not None:
            data = self.data
        elif self.path is not None:
            data = self.path.read_bytes()
        else:
            raise DatasetError(f"sample {self.id!r} has neither a path nor bytes.")
        return blank_declarations(data) if self.blank else data

    @property
    def true_name(self) -> str:
        """The canonical name of the label."""
        name = resolve(self.encoding)
        return name.name if name is not None else self.encoding


@dataclass(frozen=True, slots=True)
class Dataset:
    """Samples under one name, with the problems of the others."""

    name: str
    samples: tuple[Sample, ...]
    problems: tuple[Problem, ...] = ()
    #: The name of the dataset whose files these samples were cut from.
    cut_from: str = ""

    @property
    def hash(self) -> str:
        """A hash over the labels and the bytes of every sample."""
        lines = sorted(f"{sample.id}\t{sample.encoding}\t{sample.digest}" for sample in self.samples)
        return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]

    def subset(self, samples: Iterable[Sample]) -> Dataset:
        """Return the same dataset with only *samples* in it."""
        return replace(self, samples=tuple(samples))


def read_dataset(folder: Path, *, blank: bool = False) -> Dataset:
    """Read *folder* in any of the layouts."""
    if (folder / MANIFEST).is_file():
        return read_manifest(folder, blank=blank)
    return read_tree(folder, blank=blank)


def read_manifest(folder: Path, *, blank: bool = False) -> Dataset:
    """Read a folder with a `manifest.tsv`: a header, then one line for each sample."""
    path = folder / MANIFEST
    try:
        lines = path.read_bytes().decode("utf-8-sig").splitlines()
    except FileNotFoundError:
        raise DatasetError(
            f"{folder} has no {MANIFEST}. Write one with a header line 'path<TAB>encoding', or lay the files "
            "out as ENCODING-LANGUAGE/file and read the folder as a tree."
        ) from None
    except UnicodeDecodeError as error:
        raise DatasetError(f"{path} must be UTF-8: {error}.") from None
    header = lines[0].split("\t") if lines else []
    columns = {key: _position(header, names) for key, names in _COLUMNS.items()}
    lacking = [key for key in _NEEDED if columns[key] is None]
    if lacking:
        raise DatasetError(
            f"{path} has no column for {' and '.join(lacking)}. Its first line must name the columns, with "
            f"tabs between; it is {lines[0][:80] if lines else ''!r}."
        )
    return _collect(folder.name, _manifest_samples(folder, header, columns, lines), blank)


def read_tree(folder: Path, *, blank: bool = False) -> Dataset:
    """Read a tree `ENCODING[-LANGUAGE]/file`, the layout of chardet's test data."""
    if not folder.is_dir():
        raise DatasetError(
            f"{folder} is not a folder. Pass a folder with a {MANIFEST}, or one laid out "
            "ENCODING-LANGUAGE/file."
        )
    found = (path for path in sorted(folder.rglob("*")) if path.is_file() and path.parent != folder)
    return _collect(folder.name, (_tree_sample(folder, path) for path in found), blank)


def read_binary(folder: Path) -> Dataset:
    """Read a folder of binary files."""
    if not folder.is_dir():
        raise DatasetError(f"{folder} is not a folder. Pass a folder of files that are not text.")
    samples = (
        Sample(path.relative_to(folder).as_posix(), BINARY, path, source=path.suffix.lstrip("."), kind=BINARY)
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != MANIFEST
    )
    return _collect(folder.name, samples, False)


def finish(sample: Sample) -> Sample:
    """Return *sample* with its length and digest, read from its bytes."""
    data = sample.load()
    return replace(sample, length=len(data), digest=hashlib.sha256(data).hexdigest()[:24])


def _collect(name: str, found: Iterable[Sample | Problem], blank: bool) -> Dataset:
    """Read every sample once; an unreadable file or an unknown label becomes a problem."""
    samples: dict[str, Sample] = {}
    problems: list[Problem] = []
    for item in found:
        if isinstance(item, Problem):
            problems.append(item)
            continue
        problem = _problem_with(item, samples)
        if problem is not None:
            problems.append(problem)
            continue
        try:
            samples[item.id] = finish(replace(item, blank=blank))
        except (OSError, ValueError) as error:  # a path with a NUL is a ValueError
            problems.append(Problem(item.id, f"cannot be read: {getattr(error, 'strerror', None) or error}"))
    return Dataset(name, tuple(samples.values()), tuple(problems))


def _problem_with(sample: Sample, samples: dict[str, Sample]) -> Problem | None:
    if sample.id in samples:
        return Problem(sample.id, "is listed twice; the first line counts")
    if sample.encoding != BINARY and resolve(sample.encoding) is None:
        return Problem(sample.id, f"is labelled {sample.encoding!r}, which is not a known encoding")
    return None


def _position(header: list[str], names: tuple[str, ...]) -> int | None:
    return next((header.index(name) for name in names if name in header), None)


def _manifest_samples(
    folder: Path, header: list[str], columns: dict[str, int | None], lines: list[str]
) -> Iterator[Sample | Problem]:
    for number, line in enumerate(lines[1:], start=2):
        if not line.strip():
            continue
        cells = line.split("\t")
        if len(cells) > len(header):
            yield Problem(f"{MANIFEST}:{number}", f"has {len(cells)} cells; the header has {len(header)}")
            continue
        fields = {
            key: cells[position].strip() if position is not None and position < len(cells) else ""
            for key, position in columns.items()
        }
        if not fields["path"] or not fields["encoding"]:
            yield Problem(f"{MANIFEST}:{number}", "lacks a path or an encoding")
            continue
        yield Sample(
            fields["path"],
            fields["encoding"],
            folder / fields["path"],
            language=fields["language"],
            source=fields["source"],
            kind=fields["kind"],
            label_from=fields["label_from"],
            declared=fields["declared"],
            note=fields["note"],
        )


def _tree_sample(folder: Path, path: Path) -> Sample:
    """Get the label from the name of the folder: 'windows-1251-russian', 'iso-8859-5', 'utf-8-sig-en'."""
    relative = path.relative_to(folder)
    label = relative.parts[0]
    if label.lower() in _NO_TEXT:
        return Sample(relative.as_posix(), BINARY, path, source=folder.name, kind=BINARY, label_from="dir")
    parts = label.split("-")
    # The longest prefix that names an encoding; the rest is the language.
    for size in range(len(parts), 0, -1):
        if resolve("-".join(parts[:size])) is not None:
            label, language = "-".join(parts[:size]), "-".join(parts[size:])
            break
    else:
        language = ""
    return Sample(relative.as_posix(), label, path, language=language, source=folder.name, label_from="dir")
