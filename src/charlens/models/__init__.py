"""Trained models: a folder for each, named by its date, and the modules that read and write them."""

from __future__ import annotations

import os
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from charlens.models.format import Model

#: The model that `detect` uses by default.
DEFAULT = "2026-11-20"


@lru_cache(maxsize=1)
def default_model() -> Model:
    """Return the model that comes with the package, read on first use."""
    from charlens.models.format import read_model  # here: not needed for the language model

    return read_model(os.path.join(os.path.dirname(__file__), DEFAULT))
