"""The run: detectors raise, hang and die, and every sample still gets its answer."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from charlens.evaluation.datasets import Dataset, Sample, finish
from charlens.evaluation.judge import Grade
from charlens.evaluation.peers import Answer, Peer, ask, encoding_peers
from charlens.evaluation.results import evaluate, state_of
from charlens.evaluation.rivals import binary_rivals, git_says_text, pkzip_says_text, zlib_says_text
from charlens.evaluation.run import RunOptions, ask_all
from charlens.types import Outcome

WORDS = ("Привет, мир", "Как дела", "Спасибо", "До свидания")


@dataclass(frozen=True)
class Fake(Peer):
    """A detector of our own making; the fakes are in this module so that a worker can import them."""

    state: str = "1"
    #: A file that grows by one line with every call.
    log: Path | None = None

    def version(self) -> str:
        return self.state

    def detect(self, data: bytes) -> Answer:
        if self.log is not None:
            with self.log.open("a") as file:
                file.write("asked\n")
        return self.answer(data)

    def answer(self, data: bytes) -> Answer:
        return Answer("cp1251", 0.9)


class Raising(Fake):
    def answer(self, data: bytes) -> Answer:
        raise ZeroDivisionError("oh")


class Panic(BaseException):
    """What a panic in Rust looks like: no Exception."""


class Panicking(Fake):
    def answer(self, data: bytes) -> Answer:
        raise Panic("index out of bounds")


class Babbling(Fake):
    def answer(self, data: bytes) -> Answer:
        return "cp1251"  # type: ignore[return-value]


class Boasting(Fake):
    def answer(self, data: bytes) -> Answer:
        return Answer("cp1251", 1.001)


class Doubting(Fake):
    def answer(self, data: bytes) -> Answer:
        return Answer("cp1251", float("nan"))


class Hanging(Fake):
    def answer(self, data: bytes) -> Answer:
        if data == WORDS[1].encode("cp1251"):
            time.sleep(60)
        return Answer("cp1251", 0.9)


class Crashing(Fake):
    def answer(self, data: bytes) -> Answer:
        if data == WORDS[1].encode("cp1251"):
            os._exit(3)
        return Answer("cp1251", 0.9)


class Reading(Fake):
    def answer(self, data: bytes) -> Answer:
        return Answer(os.environ.get("CHARLENS_TEST"))


def russian() -> Dataset:
    samples = (Sample(f"{n}.txt", "cp1251", data=words.encode("cp1251")) for n, words in enumerate(WORDS))
    return Dataset("russian", tuple(finish(sample) for sample in samples))


def test_every_sample_is_answered_by_every_detector() -> None:
    """Two detectors and two processes: no answer is lost or swapped."""
    answers = ask_all(russian(), [Fake("one"), Raising("two")], RunOptions(jobs=2))
    assert {name: len(given) for name, given in answers.items()} == {"one": 4, "two": 4}
    assert all(answer == Answer("cp1251", 0.9) for answer in answers["one"].values())


@pytest.mark.parametrize(
    ("peer", "words"),
    [
        (Raising("raising"), "raised ZeroDivisionError: oh"),
        (Panicking("panicking"), "raised Panic: index out of bounds"),
        (Babbling("babbling"), "returned 'cp1251'"),
        (Doubting("doubting"), "gave nan as confidence"),
    ],
)
def test_a_detector_that_raises_or_talks_nonsense_has_failed(peer: Peer, words: str) -> None:
    """Whatever it does, the answer says what happened."""
    answer = ask(peer, b"x")
    assert answer.error == words
    assert answer.encoding is None


def test_a_confidence_above_one_is_limited_and_remarked() -> None:
    """uchardet says 1.001 at times: the encoding counts, the number is reported."""
    answer = ask(Boasting("boasting"), b"x")
    assert (answer.encoding, answer.confidence) == ("cp1251", 1.0)
    assert answer.remark is not None
    assert "1.001" in answer.remark


def test_a_hanging_detector_is_cut_off_and_the_rest_is_answered() -> None:
    """One sample is given up after the time limit; the next are answered by a new process."""
    started = time.monotonic()
    answers = ask_all(russian(), [Hanging("hanging")], RunOptions(jobs=1, time_limit=1.0))["hanging"]
    assert time.monotonic() - started < 30
    assert answers["1.txt"].error == "no answer within 1 s"
    assert [answers[f"{n}.txt"].encoding for n in (0, 2, 3)] == ["cp1251"] * 3


def test_a_crashing_detector_costs_one_sample() -> None:
    """A process that goes down takes only the answer it was at."""
    answers = ask_all(russian(), [Crashing("crashing")], RunOptions(jobs=1))["crashing"]
    assert answers["1.txt"].error == "took its process down"
    assert [answers[f"{n}.txt"].encoding for n in (0, 2, 3)] == ["cp1251"] * 3


def test_the_environment_of_a_detector_is_set_in_its_process_only() -> None:
    """The kernel is chosen by a variable, which must be there before charlens is imported."""
    peers = [Reading(name, environment={"CHARLENS_TEST": name}) for name in ("one", "two")]
    answers = ask_all(russian(), peers, RunOptions(jobs=1))
    assert {name: given["0.txt"].encoding for name, given in answers.items()} == {"one": "one", "two": "two"}
    assert "CHARLENS_TEST" not in os.environ


def test_a_cached_answer_is_not_asked_for_again(tmp_path: Path) -> None:
    """The second run calls the detector no more; a new version, or new bytes, are asked about."""
    log, cache = tmp_path / "log", RunOptions(jobs=1, cache=tmp_path / "cache")

    def asked() -> int:
        return len(log.read_text().splitlines())

    first = ask_all(russian(), [Fake("fake", log=log)], cache)
    assert asked() == 4
    assert ask_all(russian(), [Fake("fake", log=log)], cache) == first
    assert asked() == 4
    ask_all(russian(), [Fake("fake", state="2", log=log)], cache)
    assert asked() == 8
    fifth = finish(Sample("4.txt", "cp1251", data="Да".encode("cp1251")))
    dataset = russian()
    ask_all(dataset.subset((*dataset.samples, fifth)), [Fake("fake", log=log)], cache)
    assert asked() == 9


def test_a_damaged_cache_is_ignored(tmp_path: Path) -> None:
    """A line that was cut off costs one question, and no run."""
    log, options = tmp_path / "log", RunOptions(jobs=1, cache=tmp_path / "cache")
    ask_all(russian(), [Fake("fake", log=log)], options)
    (path,) = (tmp_path / "cache").iterdir()
    lines = path.read_text().splitlines()
    path.write_text("\n".join([*lines[:3], lines[3][:20], "\x00", "[]"]))
    ask_all(russian(), [Fake("fake", log=log)], options)
    assert len(log.read_text().splitlines()) == 5


def test_a_hang_is_not_cached(tmp_path: Path) -> None:
    """What depends on the moment is tried again."""
    options = RunOptions(jobs=1, time_limit=5.0, cache=tmp_path)
    ask_all(russian(), [Hanging("hanging")], options)
    (path,) = tmp_path.iterdir()
    assert len(path.read_text().splitlines()) == 3


def test_an_evaluation_judges_and_names_the_missing() -> None:
    """A detector that is not installed takes no part, and says what would bring it."""
    absent = Fake("absent", module="no_such_module", distribution="no-such-thing")
    evaluation = evaluate(russian(), [Fake("fake"), absent], RunOptions(jobs=1))
    assert evaluation.peers == ("fake",)
    assert all(row.grade("fake") is Grade.EQUAL for row in evaluation.rows)
    assert state_of(absent).missing == "not installed; pip install no-such-thing adds it"


def test_encodings_without_a_codec_are_counted_apart() -> None:
    """Nobody can compare texts that Python cannot read."""
    apart = finish(Sample("cn.txt", "iso-2022-cn", data=b"\xa4\xd0"))
    dataset = russian()
    evaluation = evaluate(dataset.subset((*dataset.samples, apart)), [Fake("fake")], RunOptions(jobs=1))
    assert [row.sample.id for row in evaluation.apart] == ["cn.txt"]
    assert len(evaluation.rows) == 4


def test_a_label_that_does_not_decode_is_a_problem() -> None:
    """It is judged with the damage left out, and reported."""
    dataset = Dataset("damaged", (finish(Sample("bad", "utf-8", data=b"\xff")),))
    evaluation = evaluate(dataset, [Fake("fake")], RunOptions(jobs=1))
    assert [problem.where for problem in evaluation.problems] == ["bad"]


@pytest.mark.parametrize(
    ("data", "zlib", "pkzip", "git"),
    [
        (b"plain text\n", True, True, True),
        ("Привет, мир".encode("cp1251"), True, False, True),
        ("plain".encode("utf-16-le"), False, False, False),
        (b"\x1b[31mred\x1b[0m", True, True, True),
        (b"\x01\x02 mostly text, but for two bytes", False, True, True),
        (b"x" * 8000 + b"\0", False, True, True),
        (b"\x0b\x0c", False, True, True),
        (b"", False, False, True),
    ],
)
def test_the_rules_for_binary_say_what_they_are_known_for(
    data: bytes, zlib: bool, pkzip: bool, git: bool
) -> None:
    """zlib's lists, PKZip's four fifths and git's NUL, each with its known weakness."""
    assert (zlib_says_text(data), pkzip_says_text(data), git_says_text(data)) == (zlib, pkzip, git)


def test_the_rules_are_asked_like_detectors() -> None:
    """A rule names no encoding, and says text or binary."""
    for rule in binary_rivals():
        if rule.available():
            assert ask(rule, b"plain text").outcome is Outcome.TEXT
            assert ask(rule, bytes(range(32)) * 8).outcome in (Outcome.BINARY, Outcome.TEXT)
            assert not rule.names_encodings


@pytest.mark.parametrize("peer", encoding_peers(), ids=lambda peer: peer.name)
def test_each_real_detector_is_called_correctly(peer: Peer) -> None:
    """Every detector that is installed knows UTF-8, and survives nothing at all."""
    if not peer.available():
        assert peer.missing_reason
        pytest.skip(f"{peer.name}: {peer.missing_reason}")
    answer = ask(peer, "Съешь же ещё этих мягких французских булок, да выпей чаю. ".encode() * 3)
    assert answer.error is None
    assert str(answer.encoding).lower().replace("_", "-") in ("utf-8", "utf8")
    assert ask(peer, b"").error is None
    assert peer.version()
