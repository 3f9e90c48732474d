"""Measure the speed, memory and start time of detectors.

Timing runs alone, one process at a time, never during the run that collects answers.  Every
figure of a detector comes from a process that has loaded only that detector.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection

from charlens.evaluation.datasets import Sample
from charlens.evaluation.peers import Peer
from charlens.evaluation.run import variables_set

# 300 files, evenly from the whole set: about 6 MB of the labelled set, a pass of half a second for
# a detector of medium speed.
_FILES = 300
_PASSES = 5
# A detector gets 20 seconds for its passes; the slow ones do fewer, at least one.
_BUDGET = 20.0
_STARTS = 3
# The slowest start took 0.15 seconds; a start that takes 200 times as long hangs.
_START_LIMIT = 30.0


@dataclass(frozen=True, slots=True)
class Speed:
    """The figures of one detector."""

    peer: str
    files_per_second: float
    megabytes_per_second: float
    first_call_ms: float | None = None
    memory_mb: float | None = None
    note: str = ""


def measure(peer: Peer, samples: Sequence[Sample]) -> Speed:
    """Measure one detector on up to 300 of *samples*."""
    chosen = samples[:: max(1, len(samples) // _FILES)][:_FILES]
    try:
        files, megabytes = _throughput(peer, chosen)
    except (EOFError, TimeoutError, OSError) as error:
        return Speed(peer.name, 0.0, 0.0, note=f"could not be timed: {error or 'its process went down'}")
    first_call_ms, memory_mb = _start(peer)
    return Speed(peer.name, files, megabytes, first_call_ms, memory_mb)


def _throughput(peer: Peer, samples: Sequence[Sample]) -> tuple[float, float]:
    """Return files and megabytes per second, measured in a separate process."""
    context = get_context("spawn")
    near_end, far_end = context.Pipe()
    with variables_set(peer.environment):
        process = context.Process(target=_time_passes, args=(far_end, peer, list(samples)), daemon=True)
        process.start()
    far_end.close()
    try:
        # Twice the budget and a start: the last pass may begin just within the budget.
        if not near_end.poll(2 * _BUDGET + _START_LIMIT):
            raise TimeoutError("it took too long")
        files, megabytes = near_end.recv()
    finally:
        near_end.close()
        process.kill()
        process.join()
    return float(files), float(megabytes)


def _time_passes(pipe: Connection, peer: Peer, samples: list[Sample]) -> None:
    """Time several passes over all samples and send the median.  Runs in a separate process."""
    inputs = [sample.load() for sample in samples]
    for data in inputs[:10]:
        _detect(peer, data)
    times: list[float] = []
    while len(times) < _PASSES and sum(times) < _BUDGET:
        before = time.perf_counter()
        for data in inputs:
            _detect(peer, data)
        times.append(time.perf_counter() - before)
    median = statistics.median(times)
    pipe.send((len(inputs) / median, sum(map(len, inputs)) / 1e6 / median))


def _detect(peer: Peer, data: bytes) -> None:
    try:
        peer.detect(data)
    except Exception:  # errors are counted elsewhere; here only the time counts
        return


# Resident memory is read from /proc; without it, the peak is used.
_START_PROGRAM = """
import json, sys, time
def resident():
    try:
        with open("/proc/self/statm") as file:
            import resource
            return int(file.read().split()[1]) * resource.getpagesize()
    except OSError:
        import resource
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return peak if sys.platform == "darwin" else peak * 1024
data = "Ще не вмерла".encode("cp1251")
resident()
before, started = resident(), time.perf_counter()
exec(sys.argv[1])
print(json.dumps([time.perf_counter() - started, resident() - before]))
"""


def _start(peer: Peer) -> tuple[float | None, float | None]:
    """Return the milliseconds and the megabytes that the import and the first call take."""
    if not peer.first_call:
        return None, None
    times, sizes = [], []
    for _ in range(_STARTS):
        try:
            output = subprocess.run(
                [sys.executable, "-c", _START_PROGRAM, peer.first_call],
                env={**os.environ, **peer.environment},
                capture_output=True,
                check=True,
                timeout=_START_LIMIT,
            ).stdout
            seconds, size = json.loads(output.splitlines()[-1])
        except (subprocess.SubprocessError, ValueError, IndexError):
            return None, None
        times.append(seconds * 1e3)
        sizes.append(size / 1e6)
    return statistics.median(times), statistics.median(sizes)
