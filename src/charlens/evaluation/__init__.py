"""Measure charlens and other detectors on several datasets, with tables, pictures and reports.

`plan.carry_out` runs a whole evaluation; `charlens evaluate` is its command.  `datasets` and `made` provide
samples, `peers` has the detectors, `run` asks them all, `judge` grades the answers,
`metrics` and `tables` count, `report` writes.
"""

from charlens.evaluation.datasets import (
    Dataset,
    DatasetError,
    Problem,
    Sample,
    read_binary,
    read_dataset,
    read_manifest,
    read_tree,
)
from charlens.evaluation.judge import Grade, Judgement, judge
from charlens.evaluation.made import Recipe, cut_samples, make_snippets
from charlens.evaluation.peers import Answer, Peer, ask, encoding_peers
from charlens.evaluation.plan import Plan, carry_out
from charlens.evaluation.report import write_report
from charlens.evaluation.results import Evaluation, Row, evaluate
from charlens.evaluation.run import RunOptions

__all__ = [
    "Answer",
    "Dataset",
    "DatasetError",
    "Evaluation",
    "Grade",
    "Judgement",
    "Peer",
    "Plan",
    "Problem",
    "Recipe",
    "Row",
    "RunOptions",
    "Sample",
    "ask",
    "carry_out",
    "cut_samples",
    "encoding_peers",
    "evaluate",
    "judge",
    "make_snippets",
    "read_binary",
    "read_dataset",
    "read_manifest",
    "read_tree",
    "write_report",
]
