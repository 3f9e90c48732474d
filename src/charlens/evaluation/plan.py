"""Run one evaluation, from the names of folders to a `Run`: the work of `charlens evaluate run`.

The caller shows progress, prints and writes.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from charlens.evaluation.datasets import Dataset, DatasetError, read_binary, read_dataset
from charlens.evaluation.made import Recipe, cut_samples, make_snippets
from charlens.evaluation.parts import samples_in
from charlens.evaluation.peers import Peer, encoding_peers
from charlens.evaluation.record import Run
from charlens.evaluation.report import circumstances
from charlens.evaluation.results import Evaluation, evaluate, state_of
from charlens.evaluation.rivals import binary_rivals
from charlens.evaluation.run import RunOptions
from charlens.evaluation.speed import Speed, measure

#: Called before each part of the work: its name, how many samples it has, and the detectors.
Announce = Callable[[str, int, Sequence[str]], None]


@dataclass(frozen=True)
class Plan:
    """What to measure."""

    data: Sequence[Path] = ()
    binary: Path | None = None
    #: UTF-8 text by language, for snippets.
    text: Path | None = None
    #: How to make them, and how to cut the files of `data`; ``None``: not at all.
    made: Recipe | None = None
    cut: Recipe | None = None
    peers: Sequence[Peer] = field(default_factory=encoding_peers)
    #: Only kinds such as 'html' and 'xml'; all if this is empty.
    kinds: Sequence[str] = ()
    #: Only the sources of this part, 'development' or 'test'; all if this is empty.
    part: str = ""
    #: The largest number of samples taken from each dataset, evenly chosen; 0: all.
    limit: int = 0
    blank: bool = False
    speed: bool = True
    seed: int = 0
    command: str = "charlens evaluate"


def data_root() -> Path | None:
    """Return the folder of the usual data: $CHARLENS_DATA, else ~/.cache/charlens-data, if it is there."""
    named = os.environ.get("CHARLENS_DATA")
    root = Path(named) if named else Path.home() / ".cache" / "charlens-data"
    return root if root.is_dir() else None


def carry_out(plan: Plan, options: RunOptions, announce: Announce = lambda name, count, peers: None) -> Run:
    """Run *plan*."""
    started = time.monotonic()
    rules = binary_rivals() if plan.binary else ()
    evaluations: list[Evaluation] = []
    for dataset in _datasets(plan):
        # The rules for text and binary also need texts, but only those of the first dataset.
        asked = (*plan.peers, *rules) if not evaluations else plan.peers
        evaluations.append(_evaluated(dataset, asked, options, announce))
    binaries = None
    if plan.binary:
        dataset = _limited(read_binary(plan.binary), plan.limit)
        binaries = _evaluated(dataset, (*plan.peers, *rules), options, announce)
    speeds = _speeds(plan, evaluations, announce) if plan.speed else ()
    states = tuple(state_of(peer) for peer in (*plan.peers, *rules))
    facts = circumstances(plan.command, time.monotonic() - started)
    return Run(tuple(evaluations), states, speeds, binaries, facts, plan.seed)


def _datasets(plan: Plan) -> list[Dataset]:
    """Read and make every dataset of *plan*."""
    found = []
    for folder in plan.data:
        dataset = read_dataset(folder, blank=plan.blank)
        if plan.part:
            dataset = dataset.subset(samples_in(dataset.samples, plan.part))
        if plan.kinds:
            dataset = dataset.subset(sample for sample in dataset.samples if sample.kind in plan.kinds)
        found.append(_limited(dataset, plan.limit))
        if plan.cut:
            found.append(_limited(cut_samples(dataset, plan.cut), plan.limit))
    if plan.made:
        if plan.text is None:
            raise DatasetError("To make snippets, name a folder of UTF-8 text by language with --text.")
        found.append(_limited(make_snippets(plan.text, plan.made), plan.limit))
    return found


def _limited(dataset: Dataset, limit: int) -> Dataset:
    """Return at most *limit* samples, evenly from the whole set."""
    count = len(dataset.samples)
    if not limit or count <= limit:
        return dataset
    return dataset.subset(dataset.samples[index * count // limit] for index in range(limit))


def _evaluated(
    dataset: Dataset, peers: Sequence[Peer], options: RunOptions, announce: Announce
) -> Evaluation:
    names = [peer.name for peer in peers if peer.available()]
    announce(dataset.name, len(dataset.samples), names)
    return evaluate(dataset, peers, options)


def _speeds(plan: Plan, evaluations: Sequence[Evaluation], announce: Announce) -> tuple[Speed, ...]:
    """Time every detector on the first dataset, one after the other."""
    present = [peer for peer in plan.peers if peer.available()]
    if not evaluations or not evaluations[0].rows or not present:
        return ()
    announce("speed", 0, [peer.name for peer in present])
    samples = [row.sample for row in evaluations[0].rows]
    return tuple(measure(peer, samples) for peer in present)
