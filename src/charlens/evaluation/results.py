"""Call the detectors for a dataset and judge every answer.

All tables, pictures and reports are made from an `Evaluation`.  Samples whose true encoding
Python does not have are listed separately, because their text is unknown.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from charlens.evaluation.datasets import Dataset, Problem, Sample
from charlens.evaluation.judge import Grade, Judgement, SampleJudge
from charlens.evaluation.names import BINARY, resolve
from charlens.evaluation.peers import Answer, Peer
from charlens.evaluation.run import RunOptions, ask_all


@dataclass(frozen=True, slots=True)
class PeerState:
    """The version of a detector, or why it is missing."""

    name: str
    version: str
    missing: str | None = None
    names_encodings: bool = True


@dataclass(frozen=True, slots=True)
class Row:
    """One sample with the answers and grades of all detectors."""

    sample: Sample
    answers: Mapping[str, Answer]
    judgements: Mapping[str, Judgement]

    def grade(self, peer: str) -> Grade:
        """Return the grade of one detector."""
        return self.judgements[peer].grade

    def right(self, peer: str) -> bool:
        """Whether this detector was right."""
        return self.judgements[peer].grade.right


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The results for one dataset."""

    dataset: Dataset
    #: The detectors that took part, in the order in which they are shown.
    peers: tuple[str, ...]
    #: Those that name encodings, not only text or binary.
    namers: tuple[str, ...]
    rows: tuple[Row, ...]
    #: Rows whose true encoding has no codec in Python: in no average.
    apart: tuple[Row, ...] = ()
    problems: tuple[Problem, ...] = ()


def state_of(peer: Peer) -> PeerState:
    """Return the version of *peer*, or why it is missing."""
    missing = peer.missing_reason
    version = "" if missing else peer.version()
    if version and peer.distribution and peer.distribution != peer.name:
        version = f"{peer.distribution} {version}"
    return PeerState(peer.name, version, missing, peer.names_encodings)


def evaluate(dataset: Dataset, peers: Sequence[Peer], options: RunOptions) -> Evaluation:
    """Call every available detector for *dataset*, and judge the answers."""
    present = [peer for peer in peers if peer.available()]
    answers = ask_all(dataset, present, options)
    rows: list[Row] = []
    apart: list[Row] = []
    problems = list(dataset.problems)
    for sample in dataset.samples:
        given = {peer.name: answers[peer.name][sample.id] for peer in present}
        try:
            data = sample.load()
        except OSError as error:
            problems.append(Problem(sample.id, f"went away while the detectors ran: {error.strerror}"))
            continue
        judge = SampleJudge(data, sample.encoding)
        row = Row(sample, given, {name: judge.judge(answer) for name, answer in given.items()})
        (rows if _has_codec(sample) else apart).append(row)
        problems.extend(_label_problem(sample, judge))
    names = tuple(peer.name for peer in present)
    namers = tuple(peer.name for peer in present if peer.names_encodings)
    return Evaluation(dataset, names, namers, tuple(rows), tuple(apart), tuple(problems))


def suspect_labels(evaluation: Evaluation) -> list[tuple[Row, str, int]]:
    """Return rows whose label comes only from the file itself, and that every detector contradicts.

    Each has the name that most detectors give instead, and their number.  At least two detectors must
    have a usable answer.
    """
    suspects = []
    for row in evaluation.rows:
        names = [answer.encoding for answer in row.answers.values() if answer.encoding and not answer.error]
        if not row.sample.label_from.startswith("declared") or len(names) < 2:
            continue
        if any(row.right(peer) for peer in evaluation.namers):
            continue
        detected = Counter(detected_name(name) for name in names)
        suspects.append((row, *detected.most_common(1)[0]))
    return suspects


def lying_declarations(evaluation: Evaluation) -> list[Row]:
    """Return rows whose file declares an encoding that is not the one of its label."""
    found = []
    for row in evaluation.rows:
        declared = resolve(row.sample.declared) if row.sample.declared else None
        if declared is None:
            continue
        answer = Answer(declared.name, web_label=True)
        if not SampleJudge(row.sample.load(), row.sample.encoding).judge(answer).grade.right:
            found.append(row)
    return found


def detected_name(label: str) -> str:
    """Return the canonical name of an answer."""
    name = resolve(label)
    return name.name if name is not None else label


def _has_codec(sample: Sample) -> bool:
    name = resolve(sample.encoding)
    return sample.encoding == BINARY or (name is not None and name.codec is not None)


def _label_problem(sample: Sample, judge: SampleJudge) -> list[Problem]:
    if sample.encoding == BINARY or not _has_codec(sample) or not judge.narrow:
        return []
    if judge.label_decodes:
        return [Problem(sample.id, f"is labelled {sample.encoding}, and only a superset of that decodes it")]
    return [
        Problem(sample.id, f"is labelled {sample.encoding}, which does not decode it; damage is left out")
    ]
