"""Choose features by Kullback-Leibler divergence: pairs whose classes differ most from all classes.

For a pair f, KL(P(class | f) || P(class)) is how much f says about the class; multiplied by the frequency of f, it
is how much f says about a text.  The best are kept.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray


def select_features(counts: sp.csr_matrix, classes: NDArray[np.int64], number: int) -> NDArray[np.int64]:
    """Return the columns of *counts* that tell most, at most *number*, in ascending order."""
    tells = divergence(counts, classes)
    best = np.argsort(-tells, kind="stable")[:number]
    return np.sort(best[tells[best] > 0])


def divergence(counts: sp.csr_matrix, classes: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return for each column how much it tells, all classes being equally frequent."""
    total = int(classes.max()) + 1
    size = np.maximum(np.bincount(classes, minlength=total), 1)
    present = sp.csr_matrix(
        (np.ones_like(counts.data, dtype=np.float64), counts.indices, counts.indptr), shape=counts.shape
    )
    member = sp.csr_matrix(
        (1.0 / size[classes], (classes, np.arange(len(classes)))),
        shape=(total, len(classes)),
        dtype=np.float64,
    )
    share = (member @ present).toarray()  # class by column: share of the class's samples that have it
    met = share.sum(axis=0)
    given = share / np.maximum(met, 1e-300)
    logarithm = np.zeros_like(given)
    np.log2(given * total, out=logarithm, where=given > 0)
    result: NDArray[np.float64] = met / total * (given * logarithm).sum(axis=0)
    return result
