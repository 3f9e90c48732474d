"""The explanation: parts that add up to the difference of two scores."""

from __future__ import annotations

import pytest
from click.testing import CliRunner
from prose_texts import PROSE

import charlens
from charlens import api, explanation, kernel, source
from charlens.cli.app import app
from charlens.encodings.orthography import write
from charlens.findings import Scores
from charlens.inputs import mixed, stream_state, trackers

CASES = [
    ("ru", "koi8-r", 400),
    ("fr", "cp1252", 400),
    ("ja", "cp932", 400),
    ("ko", "cp949", 60),
    ("el", "iso8859-7", 12),
    ("zh-Hans", "gbk", 2000),
]


def text(language: str, encoding: str, size: int) -> bytes:
    """The first *size* characters of prose, as people wrote them in that encoding."""
    return write(PROSE[language][:size], encoding) or b""


def kernel_scores(data: bytes, verdict: charlens.Verdict) -> dict[int, int]:
    """The kernel's scores of every class, for the input of the verdict."""
    scores = next(finding for finding in verdict.findings if isinstance(finding, Scores))
    limits = (len(scores.model.classes), 1 << 30, scores.penalty)
    sets, begin = (scores.possible, scores.doubtful), (scores.bias, scores.nudges)
    flat = kernel.score(data, scores.model.parts, sets, begin, scores.judgement.cut, limits)[2]
    return dict(zip(flat[::2], flat[1::2], strict=True))


@pytest.mark.parametrize(("language", "encoding", "size"), CASES)
def test_the_parts_add_up_to_the_difference(language: str, encoding: str, size: int) -> None:
    """Priors and pairs together are exactly the difference of the two scores that the kernel reports."""
    data = text(language, encoding, size)
    explanation = charlens.explain(data)
    winner, rival = explanation.winner, explanation.rival
    assert winner is not None and rival is not None
    assert explanation.begin + sum(part.points for part in explanation.contributions) == explanation.total
    assert explanation.total == winner.score - rival.score
    scores = set(kernel_scores(data, explanation.verdict).values())
    assert {winner.score, rival.score} <= scores
    assert sum(part.share for part in explanation.contributions) == pytest.approx(1)


def test_a_long_input_adds_up_as_well() -> None:
    """Where only windows were looked at, the parts still add up, and the offsets are those of the input."""
    data = b"plain words " * 10_000 + text("ru", "koi8-r", 900) * 60
    explanation = charlens.explain(data)
    winner, rival = explanation.winner, explanation.rival
    assert winner is not None and rival is not None
    assert explanation.total == winner.score - rival.score
    for part in explanation.contributions:
        for offset in part.offsets:
            assert data[offset : offset + 2] == part.pair or 0x20 in part.pair


def test_a_contribution_says_where_and_what_each_reads() -> None:
    """Each pair is found at its offsets; the readings are those of the two encodings."""
    data = "Привет, как дела? Всё хорошо.".encode("koi8-r")
    explanation = charlens.explain(data)
    winner, rival = explanation.winner, explanation.rival
    assert winner is not None and rival is not None
    inside = [part for part in explanation.contributions if 0x20 not in part.pair]
    assert inside
    for part in inside:
        begin = part.offsets[0]
        assert data[begin : begin + 2] == part.pair
        assert part.reads[0] == part.pair.decode(winner.encoding)
        assert part.reads[1] == part.pair.decode(rival.encoding, "replace")
        assert len(part.offsets) <= part.times


def test_a_pair_across_two_characters_reads_as_both() -> None:
    """In a multi-byte encoding a pair can be the end of one character and the start of the next: both are named."""
    data = "日本".encode("cp932")
    explanation = charlens.explain("これは日本の文章です。".encode("cp932"))
    across = [part for part in explanation.contributions if part.pair == data[1:3]]
    assert all(part.reads[0] == "日本" for part in across)


def test_the_steps_name_the_pairs() -> None:
    """The steps of an explanation are those of the verdict with the deciding pairs after the statistics."""
    data = text("ru", "koi8-r", 300)
    explanation = charlens.explain(data)
    stages = [step.stage for step in explanation.steps]
    assert [stage for stage in stages if stage != "evidence"] == [s.stage for s in explanation.verdict.steps]
    assert stages.count("evidence") == 4
    assert stages.index("evidence") == stages.index("statistics") + 1
    assert " in koi8-r and " in next(s.words for s in reversed(explanation.steps) if s.stage == "evidence")


@pytest.mark.parametrize("data", [b"", b"plain", "Grüße".encode(), b"\0\1\2", b"\x1b$B$3\x1b(B"])
def test_what_the_form_settles_has_no_parts(data: bytes) -> None:
    """Nothing was added up for Unicode, binary and escapes: the steps of the verdict are the explanation."""
    explanation = charlens.explain(data)
    assert (explanation.winner, explanation.contributions, explanation.total) == (None, (), 0)
    assert explanation.steps == explanation.verdict.steps


def test_a_hint_is_in_the_beginning() -> None:
    """What a hint gave counts before any byte: the same bytes with another hint differ in `begin` alone."""
    data = text("ru", "koi8-r", 60)
    plain, hinted = charlens.explain(data), charlens.explain(data, hints={"platform": "unix"})
    assert hinted.begin > plain.begin


def test_a_verdict_about_other_bytes_is_refused() -> None:
    """A verdict does not explain bytes it was not given for."""
    verdict = charlens.detect(text("ru", "koi8-r", 100))
    with pytest.raises(ValueError, match="other bytes"):
        charlens.explain(text("ru", "koi8-r", 90), verdict)


def test_a_verdict_keeps_nothing_of_the_input() -> None:
    """What is kept for explaining has no place for the bytes: a million verdicts must not keep a million files."""
    import gc
    import weakref
    from array import array

    data = array("B", text("ru", "koi8-r", 300))
    gone = weakref.ref(data)
    verdict = charlens.detect(memoryview(data))
    del data
    gc.collect()
    assert verdict.encoding == "koi8-r" and gone() is None


def test_the_command_shows_the_pairs(tmp_path) -> None:  # type: ignore[no-untyped-def]
    """`charlens detect -v` names the pairs that decided, with their offsets."""
    path = tmp_path / "letter.txt"
    path.write_bytes(text("ru", "koi8-r", 300))
    run = CliRunner().invoke(app, ["detect", "-v", str(path)])
    assert run.exit_code == 0 and "evidence" in run.output and "(byte " in run.output


def test_an_input_too_large_to_keep_is_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where the input was read piece by piece, the parts add up to the difference of the scores."""
    for module in (api, explanation, mixed, source, stream_state):
        monkeypatch.setattr(module, "LARGEST", 2048)
    monkeypatch.setattr(trackers, "_FIRST_STRIDE", 128)
    data = text("ru", "koi8-r", 1200) * 3
    explained = charlens.explain(data)
    winner, rival = explained.winner, explained.rival
    assert explained.verdict.encoding == "koi8-r"
    assert winner is not None and rival is not None
    assert explained.begin + sum(part.points for part in explained.contributions) == explained.total
    assert explained.total == winner.score - rival.score
    for part in explained.contributions:
        for offset in part.offsets:
            assert data[offset : offset + 2] == part.pair or 0x20 in part.pair
