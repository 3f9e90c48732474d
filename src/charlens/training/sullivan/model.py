"""The thirteen planes as a file: written by `charlens train`, read by `charlens evaluate`.

Reader and writer are here together.  The file names the pages by their hash and the split by its seed,
so that a model is never tested on pages that it has seen.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from enum import Enum
from pathlib import Path
from typing import Any

import numpy as np

from charlens.errors import CharlensError
from charlens.files.atomic import write_atomically
from charlens.training.sullivan.classifier import Plane
from charlens.training.sullivan.experiment import Learned
from charlens.training.sullivan.ngrams import gram, number
from charlens.training.sullivan.paper import LABELS
from charlens.training.sullivan.settings import Readings, Scaling, Settings

_FORMAT = "charlens sullivan model 2"


class ModelError(CharlensError, ValueError):
    """A file that is not a model of this experiment, or one of other pages."""


@dataclass(frozen=True, slots=True)
class Model:
    """What `charlens train --recipe sullivan` leaves behind."""

    seed: int
    documents: int
    cut: int
    #: The hash of the pages; see `documents.fingerprint`.
    pages: str
    settings: Settings
    labels: dict[str, Learned]

    def decide(self, data: bytes) -> dict[str, float]:
        """Return what the SVM of each label says of *data*, above 0 for yes."""
        return {label: float(learned.plane.decide([data])[0]) for label, learned in self.labels.items()}


def save(model: Model, path: Path) -> None:
    """Write *model* to *path*."""
    content = {
        "format": _FORMAT,
        "seed": model.seed,
        "documents": model.documents,
        "cut": model.cut,
        "pages": model.pages,
        "settings": {name: _plain(value) for name, value in asdict(model.settings).items()},
        "labels": {label: _written(learned) for label, learned in model.labels.items()},
    }
    write_atomically(path, json.dumps(content, indent=None, separators=(",", ":")).encode() + b"\n")


def _plain(value: Any) -> Any:
    return value.value if isinstance(value, Enum) else value


def _written(learned: Learned) -> dict[str, Any]:
    plane = learned.plane
    return {
        "training": learned.training,
        "support_vectors": learned.support_vectors,
        "loo_errors": learned.loo_errors,
        "scaling": plane.scaling.value,
        "bias": plane.bias,
        "traits": plane.trait_weights.tolist(),
        "trait_scale": plane.trait_scale,
        "weights": {
            gram(int(key)).hex(): float(weight)
            for key, weight in zip(plane.grams, plane.weights, strict=True)
        },
    }


def load(path: Path) -> Model:
    """Read the model at *path*; a file with an error anywhere is refused."""
    try:
        content = json.loads(path.read_bytes())
    except OSError as error:
        raise ModelError(f"{path} cannot be read: {error.strerror}. {_ADVICE}") from error
    except ValueError as error:
        raise ModelError(f"{path} is not JSON; it may be cut short. {_ADVICE}") from error
    if not isinstance(content, dict) or content.get("format") != _FORMAT:
        raise ModelError(f"{path} is not a '{_FORMAT}'. {_ADVICE}")
    try:
        labels = {label: _read(content["labels"][label]) for label in LABELS}
        settings = dict(content["settings"])
        settings["scaling"] = Scaling(settings["scaling"])
        settings["readings"] = Readings(settings["readings"])
        facts = {name: content[name] for name in ("seed", "documents", "cut", "pages")}
        return Model(**facts, settings=Settings(**settings), labels=labels)
    except (KeyError, TypeError, ValueError) as error:
        raise ModelError(f"{path} lacks a part ({error!r}). {_ADVICE}") from error


_ADVICE = "'charlens train --recipe sullivan --out FOLDER' writes a model as FOLDER/sullivan.json."


def _read(content: dict[str, Any]) -> Learned:
    weights = {number(bytes.fromhex(key)): float(weight) for key, weight in content["weights"].items()}
    grams = np.array(sorted(weights), np.int64)
    plane = Plane(
        grams,
        Scaling(content["scaling"]),
        np.array([weights[key] for key in grams.tolist()]),
        np.array(content["traits"], np.float64),
        float(content["bias"]),
        float(content["trait_scale"]),
    )
    return Learned(plane, content["training"], content["support_vectors"], content["loo_errors"])
