"""Compare two runs file by file.

Two records of the same detector at different times, or of two detectors; samples are matched by
dataset and id, and those that only one record has are counted, not compared.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from charlens.evaluation.judge import Grade
from charlens.evaluation.metrics import sign_test
from charlens.evaluation.record import Graded, Recorded, RecordError

_RIGHT = {grade.value for grade in Grade if grade.right}


@dataclass(frozen=True, slots=True)
class Change:
    """One sample with different answers."""

    id: str
    before: Graded
    after: Graded

    def __str__(self) -> str:
        return (
            f"{self.id}: {self.before.detected} ({self.before.grade}) → "
            f"{self.after.detected} ({self.after.grade})"
        )


@dataclass(frozen=True, slots=True)
class Comparison:
    """What changed on one dataset."""

    dataset: str
    shared: int
    right_before: int
    right_after: int
    better: tuple[Change, ...]
    worse: tuple[Change, ...]
    #: Wrong before and after, with different answers.
    otherwise: tuple[Change, ...]
    only_before: int
    only_after: int

    @property
    def chance(self) -> float:
        """The p-value of the sign test for better against worse."""
        return sign_test(len(self.better), len(self.worse))


def compare(before: dict[str, Recorded], after: dict[str, Recorded], old: str, new: str) -> list[Comparison]:
    """Compare detector *old* of one record with detector *new* of another, on the datasets both have."""
    shared = [name for name in before if name in after]
    if not shared:
        raise RecordError(
            f"The two records share no dataset: one has {_listed(before)}, the other {_listed(after)}. "
            "Run both with the same --data."
        )
    for peer, record in ((old, before), (new, after)):
        if peer not in detectors_of(record):
            raise RecordError(
                f"{peer!r} is in no dataset of the record; it has {_listed(detectors_of(record))}."
            )
    return [_compared(name, _answers(before[name], old), _answers(after[name], new)) for name in shared]


def detectors_of(record: dict[str, Recorded]) -> list[str]:
    """Return the names of the detectors in a record."""
    return list(
        dict.fromkeys(peer for files in record.values() for graded in files.values() for peer in graded)
    )


def _compared(dataset: str, before: Mapping[str, Graded], after: Mapping[str, Graded]) -> Comparison:
    shared = [id_ for id_ in before if id_ in after]
    better: list[Change] = []
    worse: list[Change] = []
    otherwise: list[Change] = []
    for id_ in shared:
        change = Change(id_, before[id_], after[id_])
        was_right, is_right = change.before.grade in _RIGHT, change.after.grade in _RIGHT
        if was_right != is_right:
            (better if is_right else worse).append(change)
        elif not is_right and change.before.detected != change.after.detected:
            otherwise.append(change)
    return Comparison(
        dataset,
        len(shared),
        sum(before[id_].grade in _RIGHT for id_ in shared),
        sum(after[id_].grade in _RIGHT for id_ in shared),
        tuple(better),
        tuple(worse),
        tuple(otherwise),
        len(before) - len(shared),
        len(after) - len(shared),
    )


def _answers(files: Recorded, peer: str) -> dict[str, Graded]:
    return {id_: graded[peer] for id_, graded in files.items() if peer in graded}


def _listed(names: Iterable[str]) -> str:
    return ", ".join(repr(name) for name in names) or "nothing"
