"""Process many paths in parallel processes: results in the order of the paths, flat memory.

Paths are sent in small chunks, and results come back as soon as they are ready.  Each worker has at most two chunks,
and no chunk is sent that is too far ahead of the one whose results are next.  If a worker dies, one path is lost: the
others of its chunk are done one by one, and the path that killed it has the result None.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, takewhile
from multiprocessing.connection import Connection, wait
from pickle import UnpicklingError
from typing import Any, Generic, TypeVar

from charlens.processors import processors

T = TypeVar("T")

# 32 files take some milliseconds; sending a chunk takes 0.1 ms.
_CHUNK = 32
#: Characters of paths in one chunk: it must fit into the socket's buffer, or sending would block.
_CHUNK_LENGTH = 16 << 10
_CHUNKS_EACH = 2
#: Chunks that may be finished ahead of their turn, while a worker is busy with a very large file.
_AHEAD = 64
#: From this size, a file takes a third of a second, long enough for a user to press Ctrl-C.
_LARGE = 4 << 20
#: Seconds that a worker has to clean up when it is stopped.
_TO_CLEAN_UP = 0.6
#: Seconds after which Ctrl-C is noticed even if no result has come back.
_PATIENCE = 0.2


def map_paths(
    work: Callable[[str], T],
    paths: Iterable[str],
    jobs: int = 0,
    stop: Callable[[], bool] = lambda: False,
    apart: bool = False,
) -> Iterator[tuple[str, T | None]]:
    """Yield each of *paths* with the result of *work*, in order; the result is None if the process died.

    Use *apart* if each path takes long: it is then sent alone, and always to another process.

    *work* is a function of a module, or a `functools.partial` of one, and raises nothing.  One chunk of paths is
    not worth a process: it is done here.  After *stop* returns True, only finished results follow.  The processes start
    with this call, not with the first result: call it before starting threads, because forking is not safe then.
    """
    jobs = jobs or processors()
    if apart:
        return _from_workers(_Workers(work, jobs), ([path] for path in paths), stop)
    chunks = _chunks(paths)
    first, second = next(chunks, []), next(chunks, None)
    # A large file gets a separate process, so this one can react to Ctrl-C.
    if jobs == 1 or (second is None and not any(map(_is_large, first))):
        here = chain(first, second or (), chain.from_iterable(chunks))
        return ((path, work(path)) for path in takewhile(lambda _: not stop(), here))
    known = (first,) if second is None else (first, second)
    return _from_workers(_Workers(work, 1 if second is None else jobs), chain(known, chunks), stop)


def _from_workers(
    workers: _Workers[T], chunks: Iterable[list[str]], stop: Callable[[], bool]
) -> Iterator[tuple[str, T | None]]:
    try:
        yield from workers.run(chunks, stop)
    finally:
        workers.stop_all()


def _is_large(path: str) -> bool:
    try:
        return os.path.getsize(path) > _LARGE
    except OSError:
        return False


def _chunks(paths: Iterable[str]) -> Iterator[list[str]]:
    chunk: list[str] = []
    length = 0
    for path in paths:
        chunk.append(path)
        length += len(path)
        if len(chunk) == _CHUNK or length > _CHUNK_LENGTH:
            yield chunk
            chunk, length = [], 0
    if chunk:
        yield chunk


class _Worker(Generic[T]):
    """A process and its chunks."""

    def __init__(self, work: Callable[[str], T], others: Iterable[_Worker[T]]) -> None:
        # Forking takes 2 ms and needs no imports; it is only used where it is safe: where it is the default.
        context: Any = multiprocessing.get_context("fork" if sys.platform == "linux" else None)
        ours, theirs = context.Pipe()
        inherited = [worker.connection for worker in others] if sys.platform == "linux" else []
        self.connection: Connection = ours
        self.pending: deque[tuple[int, list[str]]] = deque()
        inherited = [*inherited, ours] if sys.platform == "linux" else []
        self.process = context.Process(target=_serve, args=(work, theirs, inherited), daemon=True)
        self.process.start()
        theirs.close()


def _serve(work: Callable[[str], T], connection: Connection, inherited: Iterable[Connection]) -> None:
    """Work on chunks until the other end is closed, which also happens if the parent is killed."""
    for other in inherited:
        other.close()
    # Ctrl-C reaches all processes of the terminal; only the parent reacts.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _ending.ask)
    with contextlib.suppress(EOFError, ConnectionError):
        while True:
            _ending.let()
            chunk = connection.recv()
            results: list[T] = []
            try:
                for path in chunk:
                    results.append(work(path))
                    _ending.let()
            finally:  # if the parent stops this process, it gets the finished results
                _ending.hold()
                connection.send(results)


class _Ending:
    """Whether the parent may stop this worker now; otherwise it ends as soon as it may."""

    def __init__(self) -> None:
        self._held = self._asked = False

    def hold(self) -> None:
        self._held = True

    def let(self) -> None:
        self._held = False
        if self._asked:
            sys.exit(1)

    def ask(self, number: int, frame: object) -> None:
        self._asked = True
        if not self._held:
            sys.exit(1)


_ending = _Ending()


def hold() -> None:
    """Keep this worker from ending before it has sent the result for the current path."""
    _ending.hold()


class _Workers(Generic[T]):
    """The workers, and the results that are still missing."""

    def __init__(self, work: Callable[[str], T], jobs: int) -> None:
        self._work = work
        self._workers: list[_Worker[T]] = []
        self._finished = False
        for _ in range(jobs):
            self._start_worker()

    def _start_worker(self) -> _Worker[T]:
        worker = _Worker(self._work, self._workers)
        self._workers.append(worker)
        return worker

    def run(self, chunks: Iterable[list[str]], stop: Callable[[], bool]) -> Iterator[tuple[str, T | None]]:
        numbered = enumerate(chunks)
        done: dict[int, list[tuple[str, T | None]]] = {}
        turn = 0
        while self._hand_out(numbered, turn):
            busy = {worker.connection: worker for worker in self._workers if worker.pending}
            for connection in wait(list(busy), _PATIENCE):
                done.update(self._collect(busy[connection]))  # type: ignore[index]
            while turn in done and not stop():
                yield from done.pop(turn)
                turn += 1
            if stop():
                done.update(self._end_early())
                yield from chain.from_iterable(done[number] for number in sorted(done))
                return
        self._finished = True

    def _end_early(self) -> Iterator[tuple[int, list[tuple[str, T | None]]]]:
        """Stop the workers, and yield the finished results."""
        for worker in self._workers:
            worker.process.terminate()
        for worker in self._workers:
            # A whole chunk and the start of the next can be in the pipe.
            with contextlib.suppress(EOFError, OSError, UnpicklingError):
                while worker.pending and worker.connection.poll(_TO_CLEAN_UP):
                    results = worker.connection.recv()
                    number, chunk = worker.pending.popleft()
                    yield number, list(zip(chunk, results, strict=False))

    def _hand_out(self, numbered: Iterator[tuple[int, list[str]]], turn: int) -> bool:
        """Give every worker something to do; return whether results are still missing."""
        for depth in range(1, _CHUNKS_EACH + 1):
            for worker in self._workers:
                ahead = max((w.pending[-1][0] for w in self._workers if w.pending), default=turn) - turn
                if len(worker.pending) >= depth or ahead > _AHEAD * len(self._workers):
                    continue
                item = next(numbered, None)
                if item is None:
                    return any(w.pending for w in self._workers)
                worker.pending.append(item)
                with contextlib.suppress(OSError):  # it died; `_collect` handles that
                    worker.connection.send(item[1])
        return True

    def _collect(self, worker: _Worker[T]) -> dict[int, list[tuple[str, T | None]]]:
        try:
            results = worker.connection.recv()
        except (EOFError, OSError):
            lost = list(worker.pending)
            self._workers.remove(worker)
            _end(worker)
            self._start_worker()
            return {number: self._one_by_one(chunk) for number, chunk in lost}
        number, chunk = worker.pending.popleft()
        return {number: list(zip(chunk, results, strict=True))}

    def _one_by_one(self, chunk: list[str]) -> list[tuple[str, T | None]]:
        """Work on the paths of a chunk one by one, after one of them killed a worker."""
        results: list[tuple[str, T | None]] = []
        worker = _Worker(self._work, self._workers)
        for path in chunk:
            try:
                worker.connection.send([path])
                results.append((path, worker.connection.recv()[0]))
            except (EOFError, OSError):
                results.append((path, None))
                _end(worker)
                worker = _Worker(self._work, self._workers)
        _end(worker)
        return results

    def stop_all(self) -> None:
        """Stop all workers; idle ones end without a signal."""
        for worker in self._workers:
            worker.connection.close()
            if not self._finished:
                worker.process.terminate()
        for worker in self._workers:
            worker.process.join(None if self._finished else _TO_CLEAN_UP)
            if worker.process.is_alive():
                worker.process.kill()
                worker.process.join()


def _end(worker: _Worker[Any]) -> None:
    worker.connection.close()
    worker.process.terminate()
    worker.process.join()
