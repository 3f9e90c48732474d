"""Trained models: a folder for each, named by its date, and the module that reads and writes them."""

from __future__ import annotations

import os
from functools import lru_cache

from charlens.models.format import Model, read_model

__all__ = ["DEFAULT", "Model", "default_model", "read_model"]

#: The model that `detect` uses unless told otherwise.
DEFAULT = "2026-11-15"


@lru_cache(maxsize=1)
def default_model() -> Model:
    """Return the model that ships with the package, read when first asked for."""
    return read_model(os.path.join(os.path.dirname(__file__), DEFAULT))
