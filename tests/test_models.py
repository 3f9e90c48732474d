"""Model files: written, read, and refused when they are not whole."""

from __future__ import annotations

from pathlib import Path

import pytest

import charlens
from charlens.models import default_model, language_model
from charlens.models.format import ModelError, read_model, write_model

HEADER = {
    "classes": [["cp1251", "ru"], ["koi8-r", "ru"]],
    "families": {"cp1251": ["cp1251"], "koi8-r": ["koi8-r"]},
    "unit": 0.01,
    "priors": {"cp1251": 10, "koi8-r": 1},
    "languages": {"ru": 8},
    "sharpness": [[1 << 30, 1.0]],
    "levels": [4, 6, 8],
    "wide": [],
}


@pytest.fixture
def path(tmp_path):
    """A model of two classes and one feature: the pair EF F0 is worth 100 to the first."""
    pairs = bytearray(b"\xff\xff" * 65536)
    pairs[2 * 0xEFF0 : 2 * 0xEFF0 + 2] = b"\0\0"
    write_model(tmp_path / "model.bin", HEADER, bytes(pairs), bytes([100, 0]))
    return tmp_path / "model.bin"


def test_a_model_comes_back_as_it_was_written(path):
    """A written model can be read from the file or from its folder."""
    model = read_model(path.parent)
    assert model.classes == (("cp1251", "ru"), ("koi8-r", "ru"))
    assert bytes(model.parts[1]) == bytes([100, 0]) and model.unit == 0.01
    assert read_model(path).name == model.name


def test_detect_takes_a_model_of_the_user(path):
    """`detect(model=...)` answers with the classes of that model."""
    verdict = charlens.detect(b"\xef\xf0\xe8\xe2\xe5\xf2", model=path)
    assert verdict.encoding == "cp1251" and verdict.language == "ru"
    assert read_model(path).name in str(verdict.steps)


@pytest.mark.parametrize("cut", [0, 5, 20, 60, 1000, -1])
def test_a_file_cut_short_is_refused(path, cut):
    """A truncated file of any length is refused with a message."""
    path.write_bytes(path.read_bytes()[:cut])
    with pytest.raises(ModelError, match=r"not a charlens model|damaged or cut short"):
        read_model(path)


@pytest.mark.parametrize("at", [*range(52), 100, -1])
def test_a_changed_byte_is_refused(path, at):
    """One flipped bit is found in every byte of the head, in the header and in the weights."""
    data = bytearray(path.read_bytes())
    data[at] ^= 1
    path.write_bytes(data)
    with pytest.raises(ModelError):
        read_model(path)


@pytest.mark.parametrize("at", [*range(24), 100, -1])
def test_a_changed_byte_of_the_language_model_is_refused(at):
    """The same for the other model."""
    folder = Path(language_model.__file__).with_name(language_model.DEFAULT)
    data = bytearray((folder / "languages.bin").read_bytes())
    data[at] ^= 1
    with pytest.raises(ModelError):
        language_model.parse_language_model(bytes(data), "model")


def test_another_version_and_other_files_are_refused(path, tmp_path):
    """A model of another version, something else, and nothing at all: each has its words."""
    data = bytearray(path.read_bytes())
    data[8] = 9
    path.write_bytes(data)
    with pytest.raises(ModelError, match="version 9"):
        read_model(path)
    path.write_bytes(b"hello" * 100)
    with pytest.raises(ModelError, match="not a charlens model"):
        read_model(path)
    with pytest.raises(ModelError, match="no model at"):
        read_model(tmp_path / "nowhere")


def test_the_model_that_ships_is_whole_and_small():
    """The default model loads, is at most 3.5 MB, and has at least 86 encodings and 50 languages."""
    model = default_model()
    assert sum(map(len, model.parts[:2])) < 3_500_000
    assert len({member for members in model.families.values() for member in members}) >= 86
    assert len({language for _, language in model.classes}) >= 50


def test_what_a_model_does_not_know_is_answered_by_commonness(path):
    """Of encodings that have no class in the model, the most common one is the answer; each has its own small share."""
    verdict = charlens.detect(
        b"\xef\xf0\xe8\xe2\xe5\xf2", model=path, only=["cp1252", "cp437", "mac-roman", "cp1250"]
    )
    assert verdict.encoding == "cp1252" and "most common" in str(verdict.steps)
    others = [other.encoding for other in verdict.alternatives]
    shares = [verdict.confidence, *(other.confidence for other in verdict.alternatives)]
    assert sorted(others) == ["cp1250", "cp437", "mac-roman"]
    assert shares == sorted(shares, reverse=True) and sum(shares) == pytest.approx(0.5)
