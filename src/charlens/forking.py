"""Make forking safe while another thread uses charlens for the first time.

Parts of the package are imported on first use.  A process that forks while another thread imports a module leaves the
lock of that module held in the child, which then waits forever when it needs the module.  So a fork waits until the
running imports are done.
"""

from __future__ import annotations

import os
from contextlib import suppress
from importlib import _bootstrap, import_module

#: Each turn waits for all running imports; these can import more modules, which need another turn.
_MOST_TURNS = 100


def wait_for_imports() -> None:
    """Wait until no other thread is in the middle of an import."""
    for _ in range(_MOST_TURNS):
        under_way = list(getattr(_bootstrap, "_module_locks", ()))
        if not under_way:
            return
        for name in under_way:
            with suppress(Exception):  # the thread that imports it gets the error
                import_module(name)


def guard_forks() -> None:
    """Make every fork of this process wait for running imports."""
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(before=wait_for_imports)
