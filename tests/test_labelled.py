"""The labelled files, where they are (`CHARLENS_DATA` names the folder that has them): both kernels, one verdict."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("charlens.kernel._native", reason="the native kernel is not built here")

LABELLED = Path(os.environ.get("CHARLENS_DATA", "")) / "labelled"

# A digest for each file, so that the first difference can be named.
PROGRAM = """
import hashlib, sys
from pathlib import Path
import charlens
for path in sorted(Path(sys.argv[1]).rglob("*")):
    if path.is_file():
        verdict = charlens.detect(path.read_bytes())
        said = repr((verdict, [str(step) for step in verdict.steps]))
        print(hashlib.sha256(said.encode("utf-8", "backslashreplace")).hexdigest(), path)
"""


@pytest.mark.skipif(
    not os.environ.get("CHARLENS_DATA") or not LABELLED.is_dir(), reason="the labelled files are not here"
)
def test_both_kernels_give_the_same_verdicts() -> None:
    """Of every labelled file the kernels say the same to the last digit and the last step."""
    said = {}
    for kernel in ("native", "pure"):
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM, str(LABELLED)],
            env={**os.environ, "CHARLENS_KERNEL": kernel},
            capture_output=True,
            check=True,
        )
        said[kernel] = done.stdout.splitlines()
    assert len(said["native"]) > 1
    assert [pair for pair in zip(said["native"], said["pure"], strict=True) if pair[0] != pair[1]] == []
