"""Identify the version of charlens that is measured: a hash over its code and data.

The evaluation, the training and the command are left out: they cannot change an answer.
"""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

import charlens

_LEFT_OUT = {"evaluation", "training", "cli", "integrations", "compat", "__pycache__"}
_KINDS = {".py", ".so", ".pyd", ".bin", ".toml", ".json"}


@cache
def source_hash() -> str:
    """Return ten hexadecimal digits that change when the core of charlens changes."""
    root = Path(charlens.__file__).parent
    digest = hashlib.sha256()
    for path in sorted(root.rglob("*")):
        relative = path.relative_to(root)
        if path.suffix in _KINDS and not _LEFT_OUT.intersection(relative.parts):
            digest.update(relative.as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:10]
