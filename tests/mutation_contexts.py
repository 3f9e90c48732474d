"""A plugin of pytest for `mutation.py`: coverage records which test runs each line, also within Hypothesis."""

from __future__ import annotations

import pytest
from coverage import Coverage


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Name the test that runs from here on, without its parameters."""
    switch(item.nodeid.partition("[")[0])


def pytest_runtest_teardown() -> None:
    """What runs between tests belongs to none."""
    switch("")


def switch(name: str) -> None:
    """Use this name for the coverage recorded from here on."""
    current = Coverage.current()
    if current is not None:
        current.switch_context(name)
