"""How many labels are enough: AUC by the share of labels that bagged cost-sensitive trees learn from.

Half of the labelled hosts, groups uncut, or the test set are kept for measuring. Of the others a share is
drawn at random, ten times (or another number, which the figure says) for each of 10%, 20%, …, 100%, and the
trees are fitted on it (SPAM, figure 2: mean and standard deviation of the AUC). A draw has both classes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from webstrata.classify.learning.metrics import auc
from webstrata.classify.learning.models import CostSensitiveTrees, LinearMargin
from webstrata.classify.learning.models.trees import MISSED
from webstrata.classify.learning.splits import split_folds
from webstrata.collection.progress import Progress

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from webstrata.classify.learning.matrix import HostMatrix

SHARES = tuple(share / 10 for share in range(1, 11))
DRAWS = 10
COST = 10


@dataclass(frozen=True)
class Sensitivity:
    """The AUC of a feature set for one share of the labels."""

    feature_set: str
    share: float
    labels: int
    mean: float
    deviation: float
    draws: int = DRAWS


def measure_sensitivity(
    matrix: HostMatrix,
    truth: npt.NDArray[np.bool_],
    groups: npt.NDArray[np.int64],
    names: Sequence[str],
    *,
    shares: Sequence[float] = SHARES,
    draws: int = DRAWS,
    seed: int = 1,
    costly: str = MISSED,
    test: npt.NDArray[np.bool_] | None = None,
    progress: Progress | None = None,
) -> list[Sensitivity]:
    """AUC by share of labels for each of some feature sets; term vectors are learned by a linear machine.

    Examples
    --------
    >>> from webstrata.classify.learning.matrix import HostMatrix
    >>> random = np.random.default_rng(1)
    >>> truth = np.arange(200) % 4 == 0
    >>> values = random.normal(size=(200, 3)) + 2 * truth[:, None]
    >>> matrix = HostMatrix([f"{n}.org" for n in range(200)], {"B": (["x", "y", "z"], values)})
    >>> few, many = measure_sensitivity(matrix, truth, np.arange(200), ["B"], shares=(0.1, 1.0), draws=5)
    >>> (few.labels, many.labels), few.deviation > many.deviation
    ((10, 100), True)
    """
    progress = progress or Progress()
    kept = split_folds(truth, 2, groups, seed) == 1 if test is None else test
    learned, measured = np.flatnonzero(~kept), np.flatnonzero(kept)
    found = []
    with progress.task("shares of labels", total=len(names) * len(shares) * draws, unit="draws") as task:
        for name in names:
            values = matrix.sets[name][1]
            is_terms = name in matrix.term_sets
            for share in shares:
                values_of_auc = []
                for draw in range(draws):
                    drawn = draw_labels(truth, learned, share, seed=seed + draw)
                    model = (
                        LinearMargin(random_state=draw)
                        if is_terms
                        else CostSensitiveTrees(COST, costly=costly, random_state=draw)
                    ).fit(values[drawn], truth[drawn])
                    scores = model.predict_proba(values[measured])[:, 1]
                    values_of_auc.append(auc(truth[measured], scores))
                    task.advance()
                found.append(
                    Sensitivity(
                        name,
                        share,
                        len(drawn),
                        float(np.mean(values_of_auc)),
                        float(np.std(values_of_auc, ddof=1)) if draws > 1 else 0.0,
                        draws,
                    )
                )
    return found


def draw_labels(
    truth: npt.NDArray[np.bool_], places: npt.NDArray[np.int64], share: float, *, seed: int
) -> npt.NDArray[np.int64]:
    """A random share of some places, two of each class at least.

    Examples
    --------
    >>> truth = np.arange(100) < 50
    >>> len(draw_labels(truth, np.arange(100), 0.1, seed=1))
    10
    """
    random = np.random.default_rng(seed)
    shuffled = random.permutation(places)
    number = max(round(share * len(places)), 4)
    drawn = list(shuffled[:number])
    for side in (True, False):
        lacking = 2 - int((truth[drawn] == side).sum())
        if lacking > 0:
            drawn += [place for place in shuffled[number:] if truth[place] == side][:lacking]
    return np.array(drawn, np.int64)
