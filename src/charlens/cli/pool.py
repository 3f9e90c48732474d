"""Process many paths in parallel processes: results in the order of the paths, flat memory.

Paths are sent in small chunks, and results come back as soon as they are ready.  Each worker has at most two chunks,
and no chunk is sent that is too far ahead of the one whose results are due.  If a worker dies, one path is lost: the
others of its chunk are done one by one, and the path that killed it has the result None.  The caller decides what is
done with a path.
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

from charlens.batch import processors

T = TypeVar("T")

# 32 files take some milliseconds; handing over a chunk takes a tenth of one.
_CHUNK = 32
#: Characters of paths that go out at once: a send must fit the buffer of the socket, or it would wait.
_CHUNK_LENGTH = 16 << 10
_CHUNKS_EACH = 2
#: Chunks that a worker may be done before their turn: what one very large file makes the others wait for.
_AHEAD = 64
#: From this size, a file takes long enough for a user to press Ctrl-C: a third of a second.
_LARGE = 4 << 20
#: Seconds that a worker has to clean up when it is ended; one that is deep in native code has nothing to clean up.
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
    """Return each of *paths* with what *work* makes of it, in order; None if that ended the process.

    With *apart*, each path takes long: it is sent alone, and always to a process.

    *work* is a function of a module, or a `functools.partial` of one, and raises nothing.  One chunk of paths is
    not worth a process: it is done here.  When *stop* says so, only finished results follow.  The processes are started
    now, not when the first result is requested: call this before threads are started, which forking does not allow.
    """
    jobs = jobs or processors()
    if apart:
        return _from_crew(_Crew(work, jobs), ([path] for path in paths), stop)
    chunks = _chunks(paths)
    first, second = next(chunks, []), next(chunks, None)
    # A large file is worth a separate process: this one stays free to react to Ctrl-C.
    if jobs == 1 or (second is None and not any(map(_is_large, first))):
        here = chain(first, second or (), chain.from_iterable(chunks))
        return ((path, work(path)) for path in takewhile(lambda _: not stop(), here))
    known = (first,) if second is None else (first, second)
    return _from_crew(_Crew(work, 1 if second is None else jobs), chain(known, chunks), stop)


def _from_crew(
    crew: _Crew[T], chunks: Iterable[list[str]], stop: Callable[[], bool]
) -> Iterator[tuple[str, T | None]]:
    try:
        yield from crew.run(chunks, stop)
    finally:
        crew.dismiss()


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
    """A process with the chunks that it has to do."""

    def __init__(self, work: Callable[[str], T], others: Iterable[_Worker[T]]) -> None:
        # Forking takes 2 ms and needs no import; on systems where it is not the default, it is not safe.
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
    """Do chunks until the other end is closed; it is closed even if the parent was killed."""
    for other in inherited:
        other.close()
    # Ctrl-C goes to all processes of the terminal; the parent decides what happens.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    results: list[T] = []
    with contextlib.suppress(EOFError, ConnectionError):
        try:
            while True:
                results = []
                for path in connection.recv():
                    results.append(work(path))
                connection.send(results)
        except SystemExit:  # ended by the parent: what is done is reported
            connection.send(results)
            raise


class _Crew(Generic[T]):
    """The workers, and what is due from them."""

    def __init__(self, work: Callable[[str], T], jobs: int) -> None:
        self._work = work
        self._workers: list[_Worker[T]] = []
        self._finished = False
        for _ in range(jobs):
            self._hire()

    def _hire(self) -> _Worker[T]:
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
        """End the workers, and yield what they have done of their chunks."""
        for worker in self._workers:
            worker.process.terminate()
        for worker in self._workers:
            # The whole of a chunk may be on its way, and the beginning of the next.
            with contextlib.suppress(EOFError, OSError, UnpicklingError):
                while worker.pending and worker.connection.poll(_TO_CLEAN_UP):
                    results = worker.connection.recv()
                    number, chunk = worker.pending.popleft()
                    yield number, list(zip(chunk, results, strict=False))

    def _hand_out(self, numbered: Iterator[tuple[int, list[str]]], turn: int) -> bool:
        """Give every worker something to do; return whether anything is still due."""
        for depth in range(1, _CHUNKS_EACH + 1):
            for worker in self._workers:
                ahead = max((w.pending[-1][0] for w in self._workers if w.pending), default=turn) - turn
                if len(worker.pending) >= depth or ahead > _AHEAD * len(self._workers):
                    continue
                item = next(numbered, None)
                if item is None:
                    return any(w.pending for w in self._workers)
                worker.pending.append(item)
                with contextlib.suppress(OSError):  # it is dead: collecting will tell
                    worker.connection.send(item[1])
        return True

    def _collect(self, worker: _Worker[T]) -> dict[int, list[tuple[str, T | None]]]:
        try:
            results = worker.connection.recv()
        except (EOFError, OSError):
            lost = list(worker.pending)
            self._workers.remove(worker)
            _end(worker)
            self._hire()
            return {number: self._one_by_one(chunk) for number, chunk in lost}
        number, chunk = worker.pending.popleft()
        return {number: list(zip(chunk, results, strict=True))}

    def _one_by_one(self, chunk: list[str]) -> list[tuple[str, T | None]]:
        """Do the paths of a chunk that some path of it ended a worker with."""
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

    def dismiss(self) -> None:
        """End all workers: idle ones end on their own, the others are stopped at once."""
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
