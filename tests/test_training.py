"""Training: from texts by language to a model that detects."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

np = pytest.importorskip("numpy", reason="training needs the extra 'train'")
pytest.importorskip("scipy", reason="training needs the extra 'train'")

from click.testing import CliRunner  # noqa: E402

import charlens  # noqa: E402
from charlens.cli.train import train as command  # noqa: E402
from charlens.errors import CharlensError  # noqa: E402
from charlens.training.art import can_draw  # noqa: E402
from charlens.training.buckets import apply_levels, choose_features  # noqa: E402
from charlens.training.classes import Class, find_classes  # noqa: E402
from charlens.training.code import SIGNS_OF_DOS, SIGNS_OF_MAC, write_code  # noqa: E402
from charlens.training.corpora import find_languages, read_cells, read_texts  # noqa: E402
from charlens.training.east_asia import (  # noqa: E402
    find_runs,
    half_width,
    write_cells,
    write_half_width,
    write_signs,
)
from charlens.training.features import LEVELS, count_pairs, folded_pairs  # noqa: E402
from charlens.training.letters import find_letters, list_letters, list_table  # noqa: E402
from charlens.training.pieces import Excerpts  # noqa: E402
from charlens.training.samples import Writer, encode_whole, make_samples  # noqa: E402
from charlens.training.select import divergence  # noqa: E402
from charlens.training.ties import tie_weights  # noqa: E402

PROSE = Path(__file__).parent / "prose"


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    """Four languages, each one file: the smallest corpus that a user would have."""
    folder = tmp_path_factory.mktemp("corpus")
    for language in ("ru", "el", "de", "he"):
        text = (PROSE / f"{language}.txt").read_text(encoding="utf-8")
        (folder / f"{language}.txt").write_text(text, encoding="utf-8")
    return folder


def run(*arguments: str):
    result = CliRunner().invoke(command, arguments)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


@pytest.fixture(scope="module")
def model(corpus, tmp_path_factory):
    """A model for five encodings, trained by the command."""
    out = tmp_path_factory.mktemp("model")
    result = run(
        "--corpus", str(corpus), "--out", str(out), "--samples", "150", "--passes", "20", "--features", "3000",
        "--encodings", "cp1251,koi8-r,cp1253,cp1252,cp1255",
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    return out


@pytest.mark.parametrize(
    ("encoding", "language"),
    [("cp1251", "ru"), ("koi8-r", "ru"), ("cp1253", "el"), ("cp1252", "de"), ("cp1255", "he")],
)
def test_a_trained_model_detects_what_it_was_trained_for(model, encoding, language):
    """Lines that people could write are read back by a model made with one command."""
    lines = (PROSE / f"{language}.txt").read_text(encoding="utf-8").splitlines()
    data = "\n".join(lines[:4]).encode(encoding, "ignore")
    verdict = charlens.detect(data, model=model)
    assert data.decode(verdict.encoding) == data.decode(encoding)


def test_a_trained_model_notices_a_change_of_encoding(model):
    """Parts are found with one's own model, too, although its scores have another scale."""
    lines = (PROSE / "ru.txt").read_text(encoding="utf-8").splitlines(keepends=True)
    parts = ["".join(lines[:6]).encode("koi8-r", "ignore"), "".join(lines[6:12]).encode("cp1251", "ignore")]
    mixed = charlens.detect(b"".join(parts), model=model, parts=True)
    assert [part.encoding for part in mixed.mixed] == ["koi8-r", "cp1251"]
    assert charlens.detect(b"".join(parts), model=model).mixed
    assert charlens.decode(parts[1], model=model) == parts[1].decode("cp1251")


def test_the_manifest_says_how_the_model_was_made(model):
    """Hash, classes, settings and figures are in the manifest, and the hash is that of the file."""
    manifest = json.loads((model / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["classes"] == 5 and manifest["settings"]["passes"] == 20
    assert manifest["sha256"].startswith(charlens.models.format.read_model(model).name)
    assert manifest["figures"]


def test_training_again_is_the_same_and_takes_kept_steps(model, corpus, tmp_path):
    """The same texts and seed give the same file, whether steps are kept or made again."""
    arguments = (
        "--corpus", str(corpus), "--out", str(tmp_path), "--samples", "150", "--passes", "20", "--features", "3000",
        "--encodings", "cp1251,koi8-r,cp1253,cp1252,cp1255",
    )  # fmt: skip
    assert run(*arguments).exit_code == 0
    assert (tmp_path / "model.bin").read_bytes() == (model / "model.bin").read_bytes()


def test_a_language_is_added_with_one_file_and_one_command(corpus, tmp_path):
    """A pair that charlens does not know, Tajik in MacCyrillic, is learned from one text."""
    for path in corpus.glob("*.txt"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    (tmp_path / "tg.txt").write_bytes((PROSE / "mk.txt").read_bytes())
    out = tmp_path / "model"
    result = run(
        "--corpus", str(tmp_path), "--out", str(out), "--samples", "60", "--passes", "6", "--features", "2000",
        "--encodings", "cp1251,cp1253", "--also", "mac-cyrillic:tg",
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    assert ("mac-cyrillic", "tg") in charlens.models.format.read_model(out).classes


# Latin with the macrons of school books: no model that ships knows it, and no row of `encodings.toml` has it.
LATIN = """Nauta ad īnsulam venit et nāvem in lītore relinquit. Puella rosās in hortō carpit, māter cēnam parat.
Agricolae in agrīs labōrant, dum sōl lūcet; vesperī domum redeunt et fābulās nārrant. Frāter meus librōs legit.
Rēx cīvibus pācem prōmīsit, sed mīlitēs arma nōn dēposuērunt. Via longa est, at amīcī viātōrem comitantur.
Sub arbore sedēbat senex et pueris dē bellīs antīquīs nārrābat. Nocte stēllae clārae in caelō vidēbantur.
Magister discipulōs laudat, quod litterās bene scrībunt. Crās in forum ībimus ut frūmentum et vīnum emāmus.
Ventus nūbēs pellit, flūmina crēscunt, avēs ad silvam volant. Quis tē docuit tam celeriter currere, ō puer?
"""


@pytest.fixture(scope="module")
def latin(tmp_path_factory):
    """A model made of one text file with one command."""
    folder = tmp_path_factory.mktemp("latin")
    (folder / "la.txt").write_text(LATIN, encoding="utf-8")
    result = run(
        "--corpus", str(folder), "--out", str(folder / "model"), "--samples", "150", "--passes", "12",
        "--also", "cp1257:la", "--also", "iso8859-10:la",
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    return folder / "model"


@pytest.mark.parametrize("encoding", ["cp1257", "iso8859-10"])
def test_a_new_language_is_detected(latin, encoding):
    """Words that were not in the text, in either encoding, are read right and named Latin."""
    words = (
        "Pāstor ovēs numerat et carmen lēne canit; lūna montēs illūstrat. Vēr rediit, flōrēs nōs dēlectant."
    )
    data = words.encode(encoding)
    verdict = charlens.detect(data, model=latin)
    assert data.decode(verdict.encoding) == data.decode(encoding)
    assert verdict.language == "la"
    assert charlens.detect(data).language != "la"


def test_a_model_may_be_given_its_encodings(corpus, tmp_path):
    """With --encodings it knows those alone, and answers with one of them."""
    out = tmp_path / "model"
    few = ("--samples", "60", "--passes", "6", "--features", "2000")
    result = run(
        "--corpus", str(corpus), "--out", str(out), *few, "--encodings", "koi8-r,cp866", "--languages", "ru"
    )
    assert result.exit_code == 0, result.output
    assert {encoding for encoding, _ in charlens.models.format.read_model(out).classes} == {"koi8-r", "cp866"}
    data = "Паром уходит в семь, а капитана всё нет.".encode("cp866")
    assert charlens.detect(data, model=out).encoding == "cp866"


def test_a_language_without_an_encoding_is_reported(corpus, tmp_path):
    """A text that cannot be used is named, with the option that would use it; so is a pair without a text."""
    for path in corpus.glob("*.txt"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    (tmp_path / "la.txt").write_text(LATIN, encoding="utf-8")
    few = ("--samples", "20", "--passes", "4", "--features", "500", "--encodings", "cp1251,cp1253")
    done = run("--corpus", str(tmp_path), "--out", str(tmp_path / "model"), *few)
    assert done.exit_code == 0 and "la" in done.output and "--also ENCODING:xx" in done.output
    alone = tmp_path / "alone"
    alone.mkdir()
    (alone / "la.txt").write_text(LATIN, encoding="utf-8")
    refused = run("--corpus", str(alone), "--out", str(tmp_path / "none"))
    assert refused.exit_code == 1 and "--also ENCODING:xx" in refused.output
    textless = run("--corpus", str(alone), "--out", str(tmp_path / "none"), "--also", "koi8-r:tt")
    assert textless.exit_code == 1 and "no text found in tt" in textless.output


def test_a_training_that_learned_nothing_says_so(corpus, tmp_path):
    """One pass over a handful of samples leaves all weights at nought; that is not a model."""
    few = ("--samples", "20", "--passes", "1", "--features", "500", "--encodings", "cp1251,cp1253")
    result = run("--corpus", str(corpus), "--out", str(tmp_path), *few)
    assert result.exit_code == 1 and "--samples or --passes" in result.output


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "Pass --corpus DIR (the texts) and --out DIR"),
        (("--corpus", ".", "--out", "x", "--also", "koi8-r"), "ENCODING:LANGUAGE"),
        (("--corpus", ".", "--out", "x", "--encodings", "latin-99"), "latin-99"),
        (("--corpus", ".", "--out", "x", "--also", "palmos:de"), "generate --add NAME --languages xx"),
    ],
)
def test_wrong_use_says_what_to_do(arguments, words, corpus):
    """Missing folders, odd pairs and unknown encodings are answered with a message."""
    given = [str(corpus) if argument == "." else argument for argument in arguments]
    result = run(*given)
    assert result.exit_code != 0 and words in result.output


def test_an_empty_corpus_says_how_to_fill_it(tmp_path):
    """A folder without texts is an error that shows the layout."""
    with pytest.raises(CharlensError, match=r"<language>/<source>\.txt"):
        find_languages(tmp_path)


def test_a_text_that_is_not_utf8_is_named(tmp_path):
    """The file and the byte are in the error."""
    (tmp_path / "xx.txt").write_bytes(b"caf\xe9")
    with pytest.raises(CharlensError, match=r"xx\.txt is not UTF-8 \(byte 3\)"):
        read_texts("xx", [tmp_path / "xx.txt"])


def test_whole_sources_are_kept_apart(tmp_path):
    """With enough sources, no text is on two sides, and the sides do not change from run to run."""
    for number in range(6):
        (tmp_path / f"s{number}.txt").write_text(f"source {number} " * 2000, encoding="utf-8")
    paths = sorted(tmp_path.glob("*.txt"))
    texts = read_texts("xx", paths)
    assert len(texts.train) == 4 and len(texts.calibrate) == len(texts.test) == 1
    assert not set(texts.train) & {*texts.calibrate, *texts.test} and texts.calibrate != texts.test
    assert read_texts("xx", paths) == texts


def test_cells_are_no_source_and_their_lines_are_divided(tmp_path):
    """`cells.txt` is not among the texts; each of its lines is on one side, always the same."""
    (tmp_path / "lt").mkdir()
    lines = [f"Žemė {number}" for number in range(500)]
    (tmp_path / "lt" / "cells.txt").write_text("\n".join(lines), encoding="utf-8")
    (tmp_path / "lt" / "news.txt").write_text("Labas rytas. " * 100, encoding="utf-8")
    assert find_languages(tmp_path) == {"lt": [tmp_path / "lt" / "news.txt"]}
    train, calibrate, test = read_cells(tmp_path, "lt")
    assert sorted(train + calibrate + test) == sorted(lines) and len(train) > 10 * len(test) // 2 > 0 < len(calibrate)
    assert read_cells(tmp_path, "lt") == (train, calibrate, test)
    assert read_cells(tmp_path, "lv") == ([], [], [])


def test_names_become_short_samples():
    """A short sample is one name, sometimes in capitals or in brackets; a longer one is a column of names."""
    writer = Writer(["Be jokios raidės."], random.Random(1), "lt", cells=["Žemyna", "Rasa", "Aušrinė"])
    short = [writer._names(8, "cp1257") for _ in range(100)]
    assert all("žemyna" in name.lower() or "aušrinė" in name.lower() for name in short)
    assert "ŽEMYNA" in "".join(short) and "Rasa" not in "".join(short)
    assert len(writer._names(200, "cp1257")) >= 200
    assert "_names" in writer._kinds("cp1257")[0]
    assert "_names" not in Writer(["No names."], random.Random(1), "lt")._kinds("cp1257")[0]


def test_words_of_texts_and_cells_are_known_but_none_with_signs():
    """Words are known from texts and from lists of names; what has a sign or a digit, or only signs, is not a word."""
    from charlens.encodings import lookup
    from charlens.kernel.pure_words import word_key, words_of
    from charlens.models.words import packed_words, salt_of
    from charlens.training.words import find_words

    known = find_words("lt", ["klaidė ─── ė5"], [Class("cp775", "lt")], ["Dovilė Žemynienė"])
    words = list(words_of(packed_words("Dovilė klaidė Žemynienė ─── ė5".encode("cp775"), lookup("cp775"))))
    assert len(words) == len(known) == 3
    assert {word_key(salt_of("lt"), word) for word in words} == known


def test_the_most_frequent_words_are_known(monkeypatch):
    """Where there is no room for all words, names count a little more than words that occur once."""
    from charlens.training import words

    monkeypatch.setattr(words, "_MOST", 2)
    texts, classes = ["labą labą labą labą labą labą rytą"], [Class("cp1257", "lt")]
    known = words.find_words("lt", texts, classes, ["Rūta"])
    monkeypatch.setattr(words, "_MOST", 20)
    assert known == words.find_words("lt", ["labą"], classes, ["Rūta"])


def test_counts_are_those_of_the_kernel():
    """Training and the kernel see the same features, counted the same way."""
    from charlens.kernel import score

    sample = "Grüße, grüße! Ölöl ÖL".encode("cp1252")
    counts = count_pairs([sample])
    features = np.flatnonzero(counts.toarray()[0])
    places = np.full(65537, 0xFFFF, np.uint16)
    places[features] = np.arange(len(features))
    pairs = places[folded_pairs()].astype(np.uint16).tobytes()
    weights = np.eye(len(features), dtype=np.int8).tobytes()
    model = (pairs, weights, LEVELS, b"\xff" * 16 * len(features), bytes(len(features)), b"", b"")
    begin = (bytes(4 * len(features)), ())
    found = score(sample, model, ((1 << 128) - 1, 0), begin, (0, 0), (len(features), 1000, 0))
    expected = {i: LEVELS[counts[0, f] - 1] for i, f in enumerate(features)}
    assert dict(zip(found[2][::2], found[2][1::2], strict=True)) == expected


def test_divergence_prefers_features_that_separate_classes():
    """A pair that only one class has tells more than one that all have alike; by hand: 0.5 bits against 0."""
    import scipy.sparse as sp

    counts = sp.csr_matrix(np.array([[1, 1], [1, 1], [1, 0], [1, 0]], np.uint8))
    tells = divergence(counts, np.array([0, 0, 1, 1]))
    assert tells == pytest.approx([0.0, 0.5])


def test_samples_decode_and_leave_ascii():
    """Every sample is whole in its encoding and has a non-ASCII byte."""
    chance = random.Random(1)
    writer = Writer([(PROSE / "ja.txt").read_text(encoding="utf-8")], chance)
    for encoding in ("cp932", "euc_jp"):
        for sample in make_samples(writer, encoding, 40, chance, wide=True):
            assert not sample.isascii() and sample.decode(encoding)


def drawings(encoding, language="en", count=60):
    """Drawings as the writer of a language makes them, in one encoding."""
    writer = Writer([(PROSE / f"{language}.txt").read_text(encoding="utf-8")], random.Random(3), language)
    return [writer._drawing(200, encoding) for _ in range(count)]


@pytest.mark.parametrize("encoding", ["cp437", "cp850", "cp866", "koi8-r", "cp932", "gbk"])
def test_drawings_have_only_signs_of_the_encoding(encoding):
    """Every frame, rule and block can be written, so no drawing has a corner missing."""
    language = {"cp866": "ru", "koi8-r": "ru", "cp932": "ja", "gbk": "zh-Hans"}.get(encoding, "en")
    text = "".join(drawings(encoding, language))
    frames = {sign for sign in text if "\u2500" <= sign <= "\u25a0"}
    assert len(frames) > 10
    "".join(frames).encode(encoding)


def test_only_encodings_with_frames_are_drawn_in():
    """windows-1252 has no frames, and its writer draws none."""
    assert can_draw("cp437") and can_draw("koi8-r") and not can_draw("cp1252") and not can_draw("mac-roman")
    writer = Writer(["Any text at all."], random.Random(1), "en")
    assert "_drawing" in writer._kinds("cp437")[0] and "_drawing" not in writer._kinds("cp1252")[0]


def test_lists_of_letters_have_the_letters_of_the_language():
    """Spanish letters come from Spanish text, capitals and small ones, and nothing else beyond ASCII."""
    letters = find_letters([(PROSE / "es.txt").read_text(encoding="utf-8")])
    assert {"á", "é", "í", "ó", "ñ"} <= set(letters)
    chance = random.Random(2)
    listed = {sign for _ in range(200) for sign in list_letters(letters, 60, chance) if not sign.isascii()}
    assert listed <= {form for letter in letters for form in (letter, letter.upper())}


def test_a_language_without_an_alphabet_has_no_lists_of_letters():
    """Chinese has thousands of characters, which are no alphabet."""
    assert find_letters(["".join(map(chr, range(0x4E00, 0x5000)))]) == []


def test_cells_of_japanese_may_have_no_kana():
    """Headings and cells of two or three ideographs are written, which prose hardly has."""
    text = (PROSE / "ja.txt").read_text(encoding="utf-8")
    cells = [write_cells(text, 12, random.Random(seed)) for seed in range(40)]
    assert sum(not any("\u3040" <= sign <= "\u30ff" for sign in cell) for cell in cells) > 10


def test_fields_of_half_width_are_one_byte_a_sign():
    """Samples of bank transfers have only ASCII and katakana of half width; some are words between delimiters."""
    text, chance = "きょうは東京へ行きました。ガイドブックを買って、おいしいラーメンを食べた。" * 4, random.Random(3)
    found = [write_half_width(text, 40, chance) for _ in range(200)]
    assert all(len(sample.encode("cp932")) <= 80 for sample in found)
    alone = [sample for sample in found if all(sign.isascii() or "\uff61" <= sign <= "\uff9f" for sign in sample)]
    assert len(alone) > 100 and any("," in sample for sample in alone)


def test_korean_messages_have_single_letters():
    """Some samples of Korean have the single letters of messages between words."""
    chance = random.Random(5)
    found = [write_signs("안녕 나는 학생 입니다 그래요", "ko", 30, chance) for _ in range(100)]
    assert any("ㅋㅋ" in sample and "학생" in sample for sample in found)


def test_katakana_of_half_width_is_one_byte_a_sign():
    """A voiced syllable becomes two signs of half width, as people typed it."""
    assert half_width("ガイド") == "ｶﾞｲﾄﾞ" and len(half_width("ガイド").encode("cp932")) == 5


def test_short_samples_begin_at_two_bytes():
    """Cells, tags and names of a few bytes are among the samples."""
    chance = random.Random(1)
    writer = Writer([(PROSE / "el.txt").read_text(encoding="utf-8")], chance, "el")
    sizes = [len(sample) for sample in make_samples(writer, "cp1253", 300, chance, wide=False)]
    assert min(sizes) <= 3 and sum(size < 16 for size in sizes) > 60 and max(sizes) > 1000


def test_spaces_may_be_the_only_non_ascii_bytes():
    """A page of plain words with non-breaking spaces is written in common encodings, and not in rare ones."""
    writer = Writer([(PROSE / "it.txt").read_text(encoding="utf-8")], random.Random(1), "it")
    pieces = [writer._blanks(100, "cp1252") for _ in range(30)]
    assert all("\u00a0" in piece for piece in pieces)
    assert any({sign for sign in piece if not sign.isascii()} == {"\u00a0"} for piece in pieces)
    assert "_blanks" in writer._kinds("cp1252")[0] and "_blanks" not in writer._kinds("hp-roman8")[0]


def test_rare_encodings_are_not_known_by_signs_alone():
    """A bullet in English is not evidence for hp-roman8, which has one at a byte of its own."""
    writer = Writer(["Plain words."], random.Random(1), "en")
    assert writer._sign("hp-roman8") == "" and writer._sign("mac-roman") != ""


def test_mongolian_in_windows_1251_has_the_letters_that_page_has():
    """People wrote є and ї for ө and ү, and Belarusian in cp866 with a Latin i."""
    assert encode_whole("өвөл үе", "cp1251") == "євєл їе".encode("cp1251")
    assert encode_whole("Мінск", "cp866") == "Мiнск".encode("cp866")


def test_classes_come_from_the_data_and_families_share_one():
    """Latin-1 and windows-1252 are one class; a language without text has none."""
    classes = find_classes({"de", "fr"}, ["latin-1", "windows-1252", "koi8-r"])
    assert {c.encoding for c in classes} == {"cp1252"} and {c.language for c in classes} == {"de", "fr"}


def test_rare_pairs_share_a_feature_with_their_neighbours():
    """Every pair with a non-ASCII byte has a feature: the chosen one of their own, neighbours of the rest one."""
    samples = ["Grüße aus Köln".encode("cp1252"), "Съешь ещё".encode("cp1251"), "漢字".encode("gbk")] * 20
    counts = count_pairs(samples)
    features = choose_features(counts, np.array([0, 1, 2] * 20), 4000)
    folded = np.unique(folded_pairs())
    assert (features.places[folded[folded >= 0]] >= 0).all()
    own = features.places[features.chosen]
    assert sorted(own) == list(range(len(features.chosen)))
    rest = [pair for pair in (0x9091, 0x9192, 0x9393) if pair not in features.chosen]
    assert len(rest) > 1 and len({int(features.places[pair]) for pair in rest}) == 1
    few = choose_features(counts, np.array([0, 1, 2] * 20), 50)
    assert not few.buckets and len(few) <= 50


def test_levels_of_a_bucket_are_those_of_the_kernel():
    """What pairs of one bucket count together is what the kernel counts with the table that the model gets."""
    from charlens.kernel import score

    sample = bytes([0x90, 0x91, 0x92, 0x93, 0x90, 0x91]) + "ende é".encode("cp1252")
    features = choose_features(count_pairs([sample]), np.array([0]), 4000)
    row = apply_levels(count_pairs([sample]), features).toarray()[0]
    places = np.append(np.where(features.places < 0, 0xFFFF, features.places), 0xFFFF)
    pairs = places[folded_pairs()].astype("<u2").tobytes()
    weights = np.eye(len(features), dtype=np.int8).tobytes()
    model = (pairs, weights, LEVELS, b"\xff" * 16 * len(features), bytes(len(features)), b"", b"")
    begin = (bytes(4 * len(features)), ())
    flat = score(sample, model, ((1 << 128) - 1, 0), begin, (0, 0), (len(features), 1000, 0))[2]
    assert dict(zip(flat[::2], flat[1::2], strict=True)) == dict(enumerate(row.astype(int).tolist()))


def tied_buckets(classes: list[Class], samples: list[bytes]) -> dict[tuple[int, ...], bool]:
    """Whether each bucket after a vowel is tied between two classes, of which *samples* are one each."""
    counts = count_pairs(samples)
    features = choose_features(count_pairs([b"\xa1"]), np.array([0]), 4000)
    ties = tie_weights(classes, features, counts, np.arange(2))
    start = len(features.chosen)
    return {
        bucket.second: bool(ties[start + place, 0] == ties[start + place, 1])
        for place, bucket in enumerate(features.buckets)
        if bucket.kind == "vowel" and not bucket.first
    }


def test_buckets_are_tied_if_encodings_read_them_the_same():
    """A language likes a bucket alike in two encodings that read its bytes alike, and not where they differ."""
    tied = tied_buckets([Class("cp1253", "el"), Class("iso8859-7", "el")], [b"", b""])
    assert tied[0xE4, 0xE5] and not tied[0xA2, 0xA3]


def test_buckets_are_tied_if_the_bytes_in_use_are_read_the_same():
    """German has 'ü', but neither 'ý' nor 'ę', which windows-1252 and ISO 8859-16 have beside it."""
    classes = [Class("cp1252", "de"), Class("iso8859-16", "de")]
    bucket = 0xFC, 0xFD
    assert not tied_buckets(classes, [b"", b""])[bucket]
    assert tied_buckets(classes, ["auüber".encode("cp1252")] * 2)[bucket]
    assert not tied_buckets(classes, ["auüb aýb".encode("cp1252"), "auüb aęb".encode("iso8859-16")])[bucket]


def test_programs_have_the_signs_of_their_platform():
    """A line that goes on ends in ∂ on a Macintosh; under DOS a rule is a row of lines; the rest is ASCII."""
    words = ["open", "file", "set", "value"]
    texts = {signs: "".join(write_code(words, signs, 400, random.Random(seed)) for seed in range(60))
             for signs in (SIGNS_OF_MAC, SIGNS_OF_DOS)}  # fmt: skip
    assert " ∂\n" in texts[SIGNS_OF_MAC] and "─────" in texts[SIGNS_OF_DOS]
    for signs, text in texts.items():
        assert {sign for sign in text if not sign.isascii()} <= {*signs, "”", "»"}


def test_a_table_lists_characters_in_the_order_of_the_encoding():
    """Neighbours in a table are neighbours in the encoding, and all of them are in it."""
    text = list_table("cp437", 2000, random.Random(3))
    signs = [sign for sign in text if not sign.isascii()]
    codes = [sign.encode("cp437")[0] for sign in signs]
    assert codes == sorted(codes) and len(codes) > 10


def test_words_of_east_asia_stand_alone_in_programs():
    """Text without spaces is cut into runs of a few characters."""
    text = (PROSE / "ja.txt").read_text(encoding="utf-8")
    runs = find_runs(text, random.Random(1))
    assert len(runs) > 20 and max(map(len, runs)) <= 8


def test_excerpts_fit_their_encoding() -> None:
    """A piece of a real file can be written in the encoding, and in a rare encoding it is around a letter."""
    excerpts = Excerpts([["a small λ and Δ"], ["by Antonín Dvořák", "at 5 °C in Málaga"]])
    chance = random.Random(1)
    found = {
        encoding: {excerpts.piece(chance.choice((8, 12, 40)), encoding, chance) for _ in range(300)}
        for encoding in ("cp1252", "cp1253", "iso8859-2", "iso8859-14", "ascii")
    }
    letters = {
        encoding: {letter for piece in pieces for letter in piece if letter > "~"} for encoding, pieces in found.items()
    }
    assert letters["cp1252"] == set("í°á")
    assert letters["cp1253"] == set("λΔ°")
    assert letters["iso8859-2"] == set("íř°á")
    assert all(any(letter in piece for letter in "íá") for piece in found["iso8859-14"] - {""})
    assert found["ascii"] == {""}
