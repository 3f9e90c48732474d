"""Call detectors for every sample of a dataset, in several processes.

A detector may raise, hang or crash its process.  Each worker process answers one sample after another;
the parent waits for the next answer no longer than the time limit, and starts a new worker where one
hangs or dies.  `judge` grades the answers.
"""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing import connection, get_context
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path

from charlens.evaluation.cache import AnswerCache
from charlens.evaluation.datasets import Dataset, Sample
from charlens.evaluation.peers import Answer, Peer, ask, failed

#: Called with the name of a detector and how many more answers there are.
Progress = Callable[[str, int], None]
#: The answers of each detector, by its name and the id of the sample.
Answers = dict[str, dict[str, Answer]]

# 32 samples are sent to a worker at a time: few enough to keep all workers busy, and far more
# work than the 35 microseconds that a message costs.
_BATCH = 32
# A process that has not imported this module after a minute hangs.
_START_LIMIT = 60.0


@dataclass(frozen=True)
class RunOptions:
    """How to run."""

    jobs: int = 0
    #: Seconds that one sample may take.  The slowest answer seen on the labelled set took half a second
    #: (charlens in plain Python, 229 KB of Korean): sixty times that, and a machine may be busy.
    time_limit: float = 30.0
    #: Where answers are kept, or ``None`` to ask everything again.
    cache: Path | None = None
    progress: Progress = field(default=lambda name, count: None)

    @property
    def workers(self) -> int:
        """How many processes to use: *jobs*, or one for each processor if that is 0."""
        return self.jobs if self.jobs > 0 else os.cpu_count() or 1


def ask_all(dataset: Dataset, peers: Sequence[Peer], options: RunOptions) -> Answers:
    """Ask each of *peers* about each sample of *dataset*."""
    answers: Answers = {peer.name: {} for peer in peers}
    caches = {peer.name: AnswerCache(options.cache, peer) for peer in peers} if options.cache else {}
    try:
        tasks = [task for peer in peers for task in _open_tasks(dataset, peer, caches, answers, options)]
        for environment, group in _by_environment(tasks):
            _Pool(environment, options, answers, caches).run(group)
    finally:
        for cache in caches.values():
            cache.close()
    return answers


@dataclass
class _Task:
    """Samples that one worker asks one detector about, in this order."""

    peer: Peer
    samples: deque[Sample]


def _open_tasks(
    dataset: Dataset, peer: Peer, caches: Mapping[str, AnswerCache], answers: Answers, options: RunOptions
) -> Iterator[_Task]:
    """Take answers from the cache; return the rest as tasks."""
    cache = caches.get(peer.name)
    open_samples = []
    for sample in dataset.samples:
        known = cache.get(sample.digest) if cache else None
        if known is None:
            open_samples.append(sample)
        else:
            answers[peer.name][sample.id] = known
    options.progress(peer.name, len(answers[peer.name]))
    for start in range(0, len(open_samples), _BATCH):
        yield _Task(peer, deque(open_samples[start : start + _BATCH]))


def _by_environment(tasks: list[_Task]) -> Iterator[tuple[Mapping[str, str], list[_Task]]]:
    """Group tasks by the environment of their process."""
    groups: dict[tuple[tuple[str, str], ...], list[_Task]] = {}
    for task in tasks:
        groups.setdefault(tuple(sorted(task.peer.environment.items())), []).append(task)
    for key, group in groups.items():
        yield dict(key), group


class _Pool:
    """Worker processes with one environment, working off a list of tasks."""

    def __init__(
        self,
        environment: Mapping[str, str],
        options: RunOptions,
        answers: Answers,
        caches: Mapping[str, AnswerCache],
    ) -> None:
        self._environment = environment
        self._options = options
        self._answers = answers
        self._caches = caches
        self._waiting: deque[_Task] = deque()
        self._workers: list[_Worker] = []

    def run(self, tasks: list[_Task]) -> None:
        """Work off *tasks*."""
        self._waiting.extend(tasks)
        try:
            self._workers = [self._start() for _ in range(min(self._options.workers, len(tasks)))]
            while self._waiting or any(worker.task for worker in self._workers):
                self._step()
        finally:
            for worker in self._workers:
                worker.end()

    def _start(self) -> _Worker:
        with variables_set(self._environment):
            return _Worker()

    def _step(self) -> None:
        """Give work to idle workers, then wait for messages or the time limit."""
        for worker in self._workers:
            if worker.ready and worker.task is None and self._waiting:
                worker.give(self._waiting.popleft(), self._options.time_limit)
        busy = [worker for worker in self._workers if worker.task or not worker.ready]
        nearest = min(worker.deadline for worker in busy)
        arrived = connection.wait([worker.pipe for worker in busy], max(0.0, nearest - time.monotonic()))
        for worker in busy:
            if worker.pipe in arrived:
                self._receive(worker)
            elif time.monotonic() > worker.deadline:
                self._replace(worker, f"no answer within {self._options.time_limit:g} s")

    def _receive(self, worker: _Worker) -> None:
        try:
            message = worker.pipe.recv()
        except (EOFError, OSError):
            self._replace(worker, "took its process down")
            return
        if message is None:
            worker.ready = True
        elif worker.task is not None:
            answer, keep = message
            self._record(worker.task, answer, keep=keep)
            worker.next(self._options.time_limit)

    def _record(self, task: _Task, answer: Answer, *, keep: bool) -> None:
        sample = task.samples.popleft()
        name = task.peer.name
        self._answers[name][sample.id] = answer
        if keep and name in self._caches:
            self._caches[name].put(sample.digest, answer)
        self._options.progress(name, 1)

    def _replace(self, worker: _Worker, words: str) -> None:
        """Record an error for the current sample of the worker, and continue in a new process."""
        task = worker.task
        worker.end()
        self._workers.remove(worker)
        if not worker.ready:
            raise RuntimeError(f"A worker process did not start: it {words}. Try --jobs 1 to see its error.")
        if task is not None:
            self._record(task, failed(words), keep=False)
            if task.samples:
                self._waiting.appendleft(task)
        self._workers.append(self._start())


class _Worker:
    """A process that answers one sample after another."""

    def __init__(self) -> None:
        # Spawned, not forked: the kernel of charlens is chosen when it is imported.
        context = get_context("spawn")
        self.pipe, far_end = context.Pipe()
        self.process: BaseProcess = context.Process(target=_serve, args=(far_end,), daemon=True)
        self.process.start()
        far_end.close()
        self.ready = False
        self.task: _Task | None = None
        self.deadline = time.monotonic() + _START_LIMIT

    def give(self, task: _Task, limit: float) -> None:
        self.task = task
        self.pipe.send((task.peer, list(task.samples)))
        self.deadline = time.monotonic() + limit

    def next(self, limit: float) -> None:
        self.deadline = time.monotonic() + limit
        if self.task is not None and not self.task.samples:
            self.task = None

    def end(self) -> None:
        self.pipe.close()
        self.process.kill()
        self.process.join()


def _serve(pipe: Connection) -> None:
    """Answer tasks until the connection is closed.  Runs in the worker process."""
    pipe.send(None)
    while True:
        try:
            peer, samples = pipe.recv()
            for sample in samples:
                pipe.send(_answer(peer, sample))
        except (EOFError, OSError, KeyboardInterrupt):
            return


def _answer(peer: Peer, sample: Sample) -> tuple[Answer, bool]:
    """Return the answer and whether it can be cached."""
    try:
        data = sample.load()
    except OSError as error:
        return failed(f"the sample could not be read: {error.strerror}"), False
    return ask(peer, data), True


@contextmanager
def variables_set(variables: Mapping[str, str]) -> Iterator[None]:
    """Set environment variables for the processes that are started inside."""
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
