"""Made samples: the right sizes, whole characters, written as people wrote, and the same every time."""

from __future__ import annotations

from pathlib import Path

import pytest

from charlens.encodings.orthography import write
from charlens.evaluation.datasets import DatasetError, read_dataset
from charlens.evaluation.made import Recipe, cut_samples, make_snippets

PROSE = Path(__file__).parent / "prose"
RECIPE = Recipe(sizes=(10, 50), per_class=2, encodings=("cp1251", "koi8-r", "euc_jp", "iso2022_jp", "cp1258"))


def test_snippets_are_of_the_size_and_whole(tmp_path: Path) -> None:
    """No snippet is longer than asked, none is cut inside a character, each says something."""
    dataset = make_snippets(PROSE, RECIPE)
    assert {sample.encoding for sample in dataset.samples} == {
        "cp1251", "koi8-r", "euc_jp", "iso2022_jp", "cp1258",
    }  # fmt: skip
    for sample in dataset.samples:
        data = sample.load()
        text = data.decode(sample.encoding)  # strict: a cut character would raise
        assert sample.cut * 0.75 <= len(data) <= sample.cut
        assert sum(character > "\x7f" for character in text) >= 1
        assert sum(byte >= 0x80 for byte in data) >= 2 or sample.encoding == "iso2022_jp"


def test_the_same_seed_makes_the_same_snippets() -> None:
    """A made set can be made again; another seed makes another."""
    assert make_snippets(PROSE, RECIPE).hash == make_snippets(PROSE, RECIPE).hash
    other = Recipe(RECIPE.sizes, RECIPE.per_class, 1, RECIPE.encodings)
    assert make_snippets(PROSE, other).hash != make_snippets(PROSE, RECIPE).hash


def test_only_languages_of_the_encoding_are_written() -> None:
    """Nobody wrote French in KOI8-R."""
    dataset = make_snippets(PROSE, Recipe((50,), 1, encodings=("koi8-r",)))
    assert "ru" in {sample.language for sample in dataset.samples}
    assert "fr" not in {sample.language for sample in dataset.samples}


def test_all_encodings_with_languages_are_made_by_default() -> None:
    """Without a choice every legacy encoding is made, and ASCII and Unicode are not."""
    made = {sample.encoding for sample in make_snippets(PROSE, Recipe((50,), 1)).samples}
    assert {"cp1251", "cp1252", "shift_jis", "gb18030", "cp037"} <= made
    assert not made & {"ascii", "utf-8", "utf-16-le"}


def test_text_is_found_in_folders_and_by_source(tmp_path: Path) -> None:
    """<language>/<source>.txt works too, and sources can be chosen."""
    for source in ("news", "fiction"):
        (tmp_path / "ru").mkdir(exist_ok=True)
        (tmp_path / "ru" / f"{source}.txt").write_bytes((PROSE / "ru.txt").read_bytes())
    both = make_snippets(tmp_path, Recipe((20,), 20, encodings=("cp1251",)))
    one = make_snippets(tmp_path, Recipe((20,), 5, encodings=("cp1251",), sources=("news",)))
    assert {sample.source for sample in both.samples} == {"news", "fiction"}
    assert {sample.source for sample in one.samples} == {"news"}
    with pytest.raises(DatasetError, match="holds no text"):
        make_snippets(tmp_path, Recipe(sources=("poems",)))


def test_a_class_that_cannot_be_filled_is_reported(tmp_path: Path) -> None:
    """Text that the encoding cannot hold makes no snippet, and the report says so."""
    (tmp_path / "ru.txt").write_text("日本語の文章です。" * 20, encoding="utf-8")
    dataset = make_snippets(tmp_path, Recipe((20,), 2, encodings=("cp1251",)))
    assert dataset.samples == ()
    assert [problem.where for problem in dataset.problems] == ["ru in cp1251"]
    assert "0 of 20 bytes" in dataset.problems[0].words


@pytest.mark.parametrize(
    ("text", "codec", "written"),
    [
        ("“quoted” – and…", "iso8859-2", '"quoted" - and...'),
        ("“quoted”", "cp1252", "“quoted”"),
        ("Tiếng Việt", "cp1258", "Tiê\u0301ng Viê\u0323t"),
        ("București, știință", "cp1250", "Bucureşti, ştiinţă"),
        ("ştiinţă", "iso8859-16", "știință"),
        ("فارسی", "cp1256", "فارسي"),
        ("cœur", "latin-1", "coeur"),
        ("—", "shift_jis", "―"),
        ("日本", "cp1251", None),
    ],
)
def test_text_is_written_as_people_wrote_it(text: str, codec: str, written: str | None) -> None:
    """What an encoding lacks is replaced as people replaced it, or the text is not written."""
    data = write(text, codec)
    assert (None if data is None else data.decode(codec)) == written


def test_files_of_a_dataset_can_be_cut(tmp_path: Path) -> None:
    """Cuts keep the label and the language; a file that is shorter than the size gives none."""
    (tmp_path / "long.txt").write_bytes((PROSE / "ru.txt").read_text("utf-8").encode("cp1251"))
    (tmp_path / "short.txt").write_bytes("да".encode("cp1251"))
    (tmp_path / "manifest.tsv").write_text(
        "path\tencoding\tlanguage\nlong.txt\tcp1251\tru\nshort.txt\tcp1251\tru\n", encoding="utf-8"
    )
    dataset = cut_samples(read_dataset(tmp_path), Recipe((20, 100), 3))
    assert {sample.cut for sample in dataset.samples} == {20, 100}
    assert all(sample.id.startswith("long.txt@") and sample.language == "ru" for sample in dataset.samples)
    assert all(len(sample.load()) <= sample.cut for sample in dataset.samples)


def test_only_what_a_training_never_sees(tmp_path: Path) -> None:
    """With *kept_apart* the snippets come from the texts that `charlens train` on the same folder tests on."""
    from charlens.training.corpora import find_languages, read_texts

    folder = tmp_path / "ru"
    folder.mkdir()
    for number in range(6):
        words = " ".join(f"слово{number}х{place}" for place in range(900))
        (folder / f"source{number}.txt").write_text(words, encoding="utf-8")
    (test,) = read_texts("ru", find_languages(tmp_path)["ru"]).test
    made = make_snippets(tmp_path, Recipe((60,), 5, encodings=("cp1251",), kept_apart=True))
    assert made.samples
    assert all(sample.load().decode("cp1251") in test for sample in made.samples)
    left = make_snippets(tmp_path, Recipe((60,), 5, encodings=("cp1251",), kept_apart=True, without=["ru/source0"]))
    assert all("слово0х" not in sample.load().decode("cp1251") for sample in left.samples)
