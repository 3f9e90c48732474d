"""Everything about the learning that can be chosen, as one value.

`PLAIN` is the paper as far as it says; `SCALED` and `SETTLED` are what cross-validation on training pages
chose (`settle`), without and with open ideas.  The open ideas of the paper's last section are the
fields from `one_sided` on.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Scaling(Enum):
    """What becomes of a frequency before the SVM sees it."""

    #: As it is.
    FREQUENCY = "frequency"
    #: Its square root: a letter that is rare in a page counts for more than its share.
    ROOT = "root"
    #: Roots, and then the page's vector made one long: a page of ten words of Russian among markup
    #: points the same way as a page full of Russian.
    UNIT = "unit"


class Readings(Enum):
    """Which frequencies the two Gaussians of a feature are fitted to; the paper can be read both ways."""

    #: Those of all documents, 0 if the n-gram is absent.
    ALL = "all"
    #: Those of the documents that have it.
    PRESENT = "present"


@dataclass(frozen=True, slots=True)
class Settings:
    """How features are chosen and an SVM is trained."""

    #: The number of n-grams that are used, those of the highest divergence.
    features: int
    #: An n-gram counts on a side only if at least this many documents of that side have it.
    threshold: int = 3
    readings: Readings = Readings.ALL
    scaling: Scaling = Scaling.FREQUENCY
    #: C, in multiples of SVM-light's own choice (`svm.default_cost`).
    cost: float = 1.0
    #: Open idea: the number of further n-grams that only one side has, those that the most of its documents have.
    one_sided: int = 0
    #: Open idea: rank by the lower end of the 95 % confidence interval of the divergence.
    confident: bool = False
    #: Open idea: the number of principal components used instead of the features themselves; 0: no PCA.
    components: int = 0
    #: Open idea: features of the encoding itself, such as the share of bytes with the high bit set, times this weight
    #: (a fact is 0 or 1, and the frequencies of a page add up to 3 at most); 0: without.
    traits: float = 0.0
    #: Open idea, the same knowledge put another way: only n-grams with a byte that ASCII text has not, high or NUL.
    #: The others are words and markup, and the same in every encoding but UTF-16.
    beyond_ascii: bool = False
    #: Open idea: first the width of the encoding, then the label among those of that width.
    width_first: bool = False


#: The weight of traits: with less the facts say too little, with more they outvote the n-grams (`settle`).
TRAITS = 0.01

#: The paper's method with SVM-light's own C. The paper does not give the number of features; cross-validation prefers
#: 300 on 1,274 pages, but they are too few where there are 2,400 documents of a label (docs/sullivan.md).
PLAIN = Settings(features=1000)
#: The same with scaling, C and the number of features settled.
SCALED = Settings(features=3000, scaling=Scaling.ROOT, cost=100.0)
#: The same with two open ideas: n-grams of one side, and knowledge of the encodings in two forms.
SETTLED = Settings(
    features=3000, scaling=Scaling.UNIT, cost=100.0, one_sided=10_000, traits=TRAITS, beyond_ascii=True
)

#: The methods by name; the last one is ours.
METHODS = {"plain": PLAIN, "scaled": SCALED, "settled": SETTLED}
