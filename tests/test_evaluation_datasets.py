"""Datasets: readable samples are read, the others are reported."""

from __future__ import annotations

from pathlib import Path

import pytest

from charlens.evaluation.blanking import blank_declarations
from charlens.evaluation.datasets import (
    DatasetError,
    Sample,
    read_binary,
    read_dataset,
    read_manifest,
    read_tree,
)
from charlens.evaluation.parts import DEVELOPMENT, TEST, part_of, samples_in
from charlens.evaluation.plan import Plan, carry_out
from charlens.evaluation.run import RunOptions

TEXTS = {"a.txt": ("cp1251", "Привет, мир"), "b.txt": ("utf_8", "Grüße"), "c.txt": ("shift_jis", "日本語")}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A small folder of texts, without a manifest."""
    for name, (encoding, text) in TEXTS.items():
        (tmp_path / name).write_bytes(text.encode(encoding))
    return tmp_path


def write_manifest(folder: Path, *lines: str) -> None:
    (folder / "manifest.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")


def test_a_manifest_is_read_with_its_columns(folder: Path) -> None:
    """Columns are found by their names, in any order, and the others are let alone."""
    write_manifest(folder, "language\tpath\tweight\tencoding", "ru\ta.txt\t7\tcp1251", "\tb.txt\t\tutf_8")
    dataset = read_manifest(folder)
    assert [(s.id, s.encoding, s.language) for s in dataset.samples] == [
        ("a.txt", "cp1251", "ru"),
        ("b.txt", "utf_8", ""),
    ]
    assert dataset.samples[0].load() == "Привет, мир".encode("cp1251")
    assert dataset.samples[0].length == 11
    assert not dataset.problems


def test_the_columns_of_the_labelled_set_are_read(folder: Path) -> None:
    """The names that the labelled set uses for its columns mean the same."""
    write_manifest(
        folder,
        "relpath\ttrue_encoding\tlanguage\tsource\tkind\tbytes\thtml\tseen_by_chardet\tlabel_from\tnonascii"
        "\tdeclared_inband\tnote",
        "a.txt\tcp1251\tru\tme\tplain\t11\t0\t0\tdeclared\t9\tkoi8-r\tit lies",
    )
    (sample,) = read_dataset(folder).samples
    assert (sample.source, sample.kind, sample.label_from) == ("me", "plain", "declared")
    assert (sample.declared, sample.note) == ("koi8-r", "it lies")


def test_bad_lines_become_problems_and_the_rest_is_read(folder: Path) -> None:
    """A missing file, an unknown encoding, a broken line or a double: the run goes on."""
    write_manifest(
        folder,
        "path\tencoding",
        "a.txt\tcp1251",
        "gone.txt\tutf-8",
        "b.txt\tklingon-8",
        "too\tmany\tcells",
        "only-a-path",
        "",
        "a.txt\tcp1252",
        "c.txt\tshift_jis",
    )
    dataset = read_manifest(folder)
    assert [sample.id for sample in dataset.samples] == ["a.txt", "c.txt"]
    reported = {problem.where: problem.words for problem in dataset.problems}
    assert set(reported) == {"gone.txt", "b.txt", "manifest.tsv:5", "manifest.tsv:6", "a.txt"}
    assert "klingon-8" in reported["b.txt"]
    assert "cannot be read" in reported["gone.txt"]
    assert "twice" in reported["a.txt"]


@pytest.mark.parametrize("head", ["", "path\tlanguage", "<html>", "file;encoding"])
def test_a_manifest_without_its_columns_is_an_error_that_helps(folder: Path, head: str) -> None:
    """Nothing can be read then, and the message says what the first line must be."""
    write_manifest(folder, head, "a.txt\tru")
    with pytest.raises(DatasetError, match="first line must name the columns"):
        read_manifest(folder)


def test_a_manifest_that_is_not_utf8_is_an_error_that_helps(folder: Path) -> None:
    """A manifest in another encoding is refused by name."""
    (folder / "manifest.tsv").write_bytes("path\tencoding\tсловарь\n".encode("cp1251"))
    with pytest.raises(DatasetError, match="must be UTF-8"):
        read_manifest(folder)


def test_a_path_with_a_nul_is_a_problem(folder: Path) -> None:
    """No system has such a file; the error is not one of the system, and must not end the reading."""
    write_manifest(folder, "path\tencoding", "a\0.txt\tcp1251", "b.txt\tutf_8")
    dataset = read_manifest(folder)
    assert [sample.id for sample in dataset.samples] == ["b.txt"]
    assert "null" in dataset.problems[0].words


def test_a_missing_folder_is_an_error_that_helps(tmp_path: Path) -> None:
    """Only a dataset that is not there at all stops a run."""
    with pytest.raises(DatasetError, match="is not a folder"):
        read_dataset(tmp_path / "nowhere")
    with pytest.raises(DatasetError, match="is not a folder"):
        read_binary(tmp_path / "nowhere")
    with pytest.raises(DatasetError, match=r"has no manifest\.tsv"):
        read_manifest(tmp_path)


def test_a_tree_is_read_by_the_names_of_its_folders(tmp_path: Path) -> None:
    """ENCODING or ENCODING-LANGUAGE; the longest beginning that is an encoding counts."""
    for name in ("windows-1251-russian", "iso-8859-5", "utf-8-sig-en", "None", "klingon-8"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_bytes(b"abc")
    (tmp_path / "README").write_bytes(b"no sample")
    dataset = read_dataset(tmp_path)
    assert {(s.true_name, s.language) for s in dataset.samples} == {
        ("cp1251", "russian"),
        ("iso8859-5", ""),
        ("utf-8-sig", "en"),
        ("binary", ""),
    }
    assert [problem.where for problem in dataset.problems] == ["klingon-8/file"]


def test_the_hash_follows_bytes_and_labels_only(folder: Path) -> None:
    """The same samples in another order are the same data; another byte or label is not."""
    write_manifest(folder, "path\tencoding", "a.txt\tcp1251", "b.txt\tutf_8")
    first = read_manifest(folder).hash
    write_manifest(folder, "path\tencoding", "b.txt\tutf_8", "a.txt\tcp1251")
    assert read_manifest(folder).hash == first
    write_manifest(folder, "path\tencoding", "a.txt\tcp1252", "b.txt\tutf_8")
    assert read_manifest(folder).hash != first
    write_manifest(folder, "path\tencoding", "a.txt\tcp1251", "b.txt\tutf_8")
    (folder / "b.txt").write_bytes(b"changed")
    assert read_manifest(folder).hash != first


@pytest.mark.parametrize(
    ("data", "blanked"),
    [
        (b'<meta charset="koi8-r">', b'<meta charset="      ">'),
        (b"<META CHARSET=koi8-r>", b"<META CHARSET=      >"),
        (b'content="text/html; charset=big5"', b'content="text/html; charset=    "'),
        (b'<?xml version="1.0" encoding="gb2312"?>', b'<?xml version="1.0" encoding="      "?>'),
        (b'@charset "utf-8";', b'@charset "     ";'),
        (b"# -*- coding: latin-1 -*-", b"# -*- coding:         -*-"),
        (b"no declaration at all", b"no declaration at all"),
    ],
)
def test_declarations_are_blanked_and_nothing_else(data: bytes, blanked: bytes) -> None:
    """Only the value goes, and the length stays."""
    assert blank_declarations(data) == blanked


def test_a_dataset_can_be_read_with_its_declarations_blanked(tmp_path: Path) -> None:
    """What a detector sees, and the hash that its answers are kept under, is the blanked file."""
    (tmp_path / "p.html").write_bytes(b'<meta charset="koi8-r">')
    write_manifest(tmp_path, "path\tencoding", "p.html\tascii")
    as_it_is, blanked = read_dataset(tmp_path).samples[0], read_dataset(tmp_path, blank=True).samples[0]
    assert b"koi8" in as_it_is.load()
    assert b"koi8" not in blanked.load()
    assert as_it_is.digest != blanked.digest


def test_a_folder_of_binary_files_is_a_dataset(tmp_path: Path) -> None:
    """Every file counts as binary."""
    (tmp_path / "x.png").write_bytes(b"\x89PNG")
    (sample,) = read_binary(tmp_path).samples
    assert (sample.encoding, sample.source) == ("binary", "png")
    assert read_tree(tmp_path).samples == ()


def test_a_source_is_always_in_the_same_part() -> None:
    """The rule is fixed, no source is in both parts, and without a part all samples are taken."""
    sources = {"a/one": DEVELOPMENT, "b/two": TEST, "c/three": TEST, "e/five": DEVELOPMENT}
    samples = [
        Sample(f"{source}/{n}", "cp1251", data=b"", source=source) for source in sources for n in range(2)
    ]
    assert {source: part_of(source) for source in sources} == sources
    assert [sample.source for sample in samples_in(samples, TEST)] == ["b/two", "b/two", "c/three", "c/three"]
    assert list(samples_in(samples, "")) == samples


def test_a_plan_reads_only_the_part_that_it_names(folder: Path) -> None:
    """A run on the development part sees none of the test sources."""
    write_manifest(folder, "path\tencoding\tsource", "a.txt\tcp1251\ta/one", "b.txt\tutf_8\tb/two")
    run = carry_out(Plan((folder,), peers=(), part=DEVELOPMENT, speed=False), RunOptions())
    assert [row.sample.source for row in run.evaluations[0].rows] == ["a/one"]
