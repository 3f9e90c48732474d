"""No memory: each allocation of each native function fails in turn, in a separate process."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("_testcapi", reason="this Python cannot make allocations fail")
pytest.importorskip("charlens.kernel._native", reason="the native kernel is not built here")

FUZZ = Path(__file__).resolve().parent.parent / "fuzz"

#: What runs in the process: a crash ends it, and prints where it was.
PROGRAM = """
import faulthandler, gc, random, sys, tracemalloc
sys.path.insert(0, sys.argv[1])
import _testcapi
from charlens.kernel import _native
from twins import calls, given_to

faulthandler.enable()
name = sys.argv[2]
data = bytearray(("Grüße, ".encode() + "日本 ".encode("cp932") + b'<p>x<meta charset="koi8-r">') * 10)
arguments = dict(calls(bytes(data), random.Random(1)))[name]
place = {"same_reading": 2, "judge_legacy": 1, "survey": 1}.get(name, 0)  # of the buffer that is held
held = bytearray(arguments[place]) if name == "same_reading" else data
arguments = (*given_to(_native, arguments[:place]), held, *arguments[place + 1 :])
function = getattr(_native, name)
expected = function(*arguments)


def attempt(number):
    # Nothing is made between setting the hook and removing it but what the function makes.
    _testcapi.set_nomemory(number, number + 1)
    try:
        result = function(*arguments)
    except MemoryError:
        result = MemoryError
    finally:
        _testcapi.remove_mem_hooks()
    return result


# Tuples are taken from those that were given back before: as long as all are kept, each is allocated.
kept = [tuple([None] * size) for size in range(1, 20) for _ in range(2100)]
failures = number = quiet = 0
while quiet < 20:
    result = attempt(number)
    kept.append(result)
    if result is MemoryError:
        failures, quiet = failures + 1, 0
    else:
        assert result == expected, (number, result)
        quiet += 1
    held.append(0), held.pop()  # a buffer that is still held would be an error here
    number += 1
del kept, result
gc.collect()
tracemalloc.start()
before = tracemalloc.get_traced_memory()[0]
for _ in range(60):
    for each in range(number):
        attempt(each)
gc.collect()
leaked = tracemalloc.get_traced_memory()[0] - before
assert leaked < 1500, leaked  # sixty times the smallest block is more
print(failures)
"""

FUNCTIONS = (
    "scan",
    "scan_many",
    "damage",
    "walk",
    "walk_all",
    "same_reading",
    "judge_legacy",
    "survey",
    "candidates",
    "strays",
    "find_values",
    "known_words",
    "misread",
    "weigh",
    "score",
    "compare",
    "misfits",
    "languages",
    "excerpt",
    "line_windows",
    "strip_markup",
    "page_flavour",
    "find_label",
    "mentions",
    "find_charsets",
)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_every_allocation_may_fail(function: str) -> None:
    """Without memory there is a `MemoryError`, no crash, no buffer held, nothing lost; then it works again."""
    command = [sys.executable, "-c", PROGRAM, str(FUZZ), function]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr[-2000:]
    # A small integer is not allocated, nor is a pair that was given back: these have nothing that could fail.
    assert int(done.stdout) > 0 or function in ("page_flavour", "mentions", "find_label")
