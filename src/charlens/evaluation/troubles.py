"""List problems of the data, of labels, and of detectors without a usable answer.

All of them are reported, and none stops a run.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from charlens.evaluation.datasets import Problem
from charlens.evaluation.results import Evaluation, Row, lying_declarations, suspect_labels
from charlens.evaluation.tables import Table, said

# Longer lists are cut, and their length is given.
_MOST_LINES = 200


def problems(found: Iterable[Problem]) -> Table:
    """Samples that could not be read or do not match their label."""
    rows = tuple((problem.where, problem.words) for problem in found)
    return _shortened(Table("Problems of the data", ("where", "what"), rows))


def suspects(evaluation: Evaluation) -> Table:
    """Labels that come only from the file itself, and that no detector confirms."""
    asked = len(evaluation.namers)
    rows = tuple(
        (row.sample.id, row.sample.encoding, row.sample.language or None, name, f"{count} of {asked}")
        for row, name, count in suspect_labels(evaluation)
    )
    note = (
        "The label of these files comes only from their own declaration, and every detector "
        "contradicts it. They count as labelled; look at them before you believe a figure that hangs on "
        "them."
    )
    columns = ("file", "label", "language", "most detectors say", "how many")
    return _shortened(Table("Labels that may be wrong", columns, rows, note))


def liars(evaluation: Evaluation) -> Table:
    """Files that declare another encoding than that of their label."""
    rows = tuple(
        (row.sample.id, row.sample.declared, row.sample.encoding, row.sample.note or None)
        for row in lying_declarations(evaluation)
    )
    note = (
        "Read by what they declare, these files give another text: the declaration lies, or the label does."
    )
    return _shortened(Table("Declarations that lie", ("file", "declares", "label", "note"), rows, note))


def apart(evaluation: Evaluation) -> Table:
    """Samples whose true encoding Python does not have."""
    rows = tuple(
        (row.sample.id, row.sample.true_name, *(said(row, peer) for peer in evaluation.namers))
        for row in evaluation.apart
    )
    note = "Python has no codec for these encodings, so texts cannot be compared. They are in no average."
    return _shortened(Table("Counted apart", ("file", "true encoding", *evaluation.namers), rows, note))


def failures(evaluation: Evaluation) -> Table:
    """Detectors that raised, hung, crashed or returned invalid results: how often, with an example."""
    counts: Counter[tuple[str, str]] = Counter()
    examples: dict[tuple[str, str], str] = {}
    for row in (*evaluation.rows, *evaluation.apart):
        for peer, words in _complaints(row):
            counts[peer, words] += 1
            examples.setdefault((peer, words), row.sample.id)
    rows = tuple((peer, words, count, examples[peer, words]) for (peer, words), count in counts.most_common())
    return _shortened(Table("Answers that are none", ("detector", "what", "times", "for example"), rows))


def _complaints(row: Row) -> Iterable[tuple[str, str]]:
    for peer, judgement in row.judgements.items():
        answer = row.answers[peer]
        if judgement.grade.value == "failed":
            yield peer, judgement.reason
        elif answer.remark is not None:
            yield peer, answer.remark


def _shortened(table: Table) -> Table:
    if len(table.rows) <= _MOST_LINES:
        return table
    note = f"{table.note} The first {_MOST_LINES} of {len(table.rows):,}.".strip()
    return Table(table.title, table.columns, table.rows[:_MOST_LINES], note)
