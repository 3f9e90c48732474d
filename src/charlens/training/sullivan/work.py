"""Share work among processes, and keep what they found: a second run, or one that was stopped, need not repeat it.

A task is a value with a `plan`; its result is kept under a hash of the task, the pages, and this package's own code.
"""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

Task = TypeVar("Task")
Result = TypeVar("Result")

# Another version of these may give other figures.
_PACKAGES = ("numpy", "scipy", "scikit-learn", "faust-cchardet")


class Crew(NamedTuple):
    """How many processes work, and where results are kept; ``None``: nowhere."""

    jobs: int = 1
    kept: Path | None = None


def spread(work: Callable[[Task], Result], tasks: Sequence[Task], crew: Crew) -> Iterator[Result]:
    """Do the *tasks*, or take what is kept; results in the order of the tasks."""
    places = [_place(work, task, crew.kept) for task in tasks]
    # Decided once: another run may keep results in the same folder meanwhile, and a task may be there twice.
    queued: set[Path] = set()
    is_fresh = []
    for place in places:
        is_fresh.append(place is None or (not place.exists() and place not in queued))
        if place is not None:
            queued.add(place)
    fresh = _do(work, [task for task, new in zip(tasks, is_fresh, strict=True) if new], crew.jobs)
    for place, new in zip(places, is_fresh, strict=True):
        if place is not None and not new:
            yield pickle.loads(place.read_bytes())
            continue
        result = next(fresh)
        if place is not None:
            _keep(place, result)
        yield result


def _do(work: Callable[[Task], Result], tasks: Sequence[Task], jobs: int) -> Iterator[Result]:
    if jobs <= 1 or len(tasks) <= 1:
        with _one_thread():
            yield from map(work, tasks)
        return
    with ProcessPoolExecutor(min(jobs, len(tasks)), initializer=_one_thread) as pool:
        yield from pool.map(work, tasks)


def _one_thread() -> Any:
    """Keep linear algebra to one thread a process: the processes are what is parallel."""
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped, import-not-found, unused-ignore]

    return threadpool_limits(1)


def _keep(place: Path, result: object) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    part = place.with_suffix(".part")
    part.write_bytes(pickle.dumps(result, protocol=5))
    part.replace(place)


def _place(work: Callable[[Task], Result], task: Any, kept: Path | None) -> Path | None:
    if kept is None:
        return None
    facts = task._replace(plan=replace(task.plan, pages=Path()))
    words = f"{_code()} {_contents(task.plan.pages)} {work.__module__}.{work.__qualname__} {facts!r}"
    return kept / f"{hashlib.sha256(words.encode()).hexdigest()[:32]}.pickle"


_DIGESTS: dict[Path, str] = {}


def _contents(folder: Path) -> str:
    """Return a hash of all files below *folder*."""
    if folder not in _DIGESTS:
        digest = hashlib.sha256()
        for path in sorted(path for path in folder.glob("*/*") if path.is_file()):
            content = path.read_bytes()
            digest.update(f"{path.relative_to(folder)} {len(content)}\n".encode() + content)
        _DIGESTS[folder] = digest.hexdigest()
    return _DIGESTS[folder]


def _code() -> str:
    """Return a hash of this package's code and of the versions that it works with."""
    here = Path(__file__).parent
    if here not in _DIGESTS:
        digest = hashlib.sha256(b"".join(path.read_bytes() for path in sorted(here.glob("*.py"))))
        digest.update(" ".join(map(_version, _PACKAGES)).encode())
        _DIGESTS[here] = digest.hexdigest()
    return _DIGESTS[here]


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "none"
