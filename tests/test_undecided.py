"""Where nothing is likely enough, the verdict says so and still names what there is."""

from __future__ import annotations

import random

import charlens
from charlens import Outcome


def doubtful() -> bytes:
    """Bytes for which no reading is likely: the first such of a fixed row of random ones."""
    chance = random.Random(7)
    for _ in range(5000):
        data = bytes(chance.choices(range(0x80, 0x100), k=chance.choice((3, 4, 6))))
        if charlens.detect(data).outcome is Outcome.UNDECIDED:
            return data
    raise AssertionError("no random bytes were undecided")


def test_what_is_undecided_names_its_readings() -> None:
    """There is no encoding; the readings are alternatives, none of them likely; the last step says what to do."""
    verdict = charlens.detect(doubtful())
    assert verdict.encoding is None and verdict.language is None
    assert verdict.alternatives and all(other.confidence < 0.2 for other in verdict.alternatives)
    assert "only=" in verdict.steps[-1].words


def test_who_names_the_encodings_gets_one() -> None:
    """With `only` the best of those named is the answer, however unlikely."""
    data = doubtful()
    wanted = [other.encoding for other in charlens.detect(data).alternatives[:3]]
    assert charlens.detect(data, only=wanted).encoding in wanted
