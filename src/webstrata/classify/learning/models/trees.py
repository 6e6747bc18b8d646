"""Decision trees of the library of SPAM (section 4.1): plain ones, and bagged ones with unequal costs.

SPAM grows J48 trees (C4.5); ours are the CART trees of scikit-learn with at least two hosts in a leaf, as
J48 has them, by entropy or Gini's index, pruned by cost-complexity or not. Laplace smoothing makes the share
of a leaf (n₁ + 1) / (n + 2) where n₁ of its n hosts are positive.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import webstrata.classify.learning.extra  # noqa: F401 (says what to install, before the imports below fail)

# isort: split
import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.tree import DecisionTreeClassifier

if TYPE_CHECKING:
    import numpy.typing as npt

COSTS = tuple(range(10, 301, 10))
"""What the costly mistake costs, in the other one, in the library of SPAM."""
MISSED, FALSE_POSITIVE = "missed", "false-positive"
"""Which mistake is the costly one."""


class SmoothedTree(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A decision tree whose leaves tell their share with Laplace smoothing, and without.

    Parameters
    ----------
    criterion
        ``entropy`` or ``gini``.
    pruning
        The ``ccp_alpha`` of scikit-learn; 0 prunes nothing.
    random_state
        Seed of ties.

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> tree = SmoothedTree(random_state=1).fit(X, np.array([0, 0, 1, 1]))
    >>> tree.scores(X).tolist()
    [[0.0, 0.25], [0.0, 0.25], [1.0, 0.75], [1.0, 0.75]]
    """

    def __init__(
        self, criterion: str = "entropy", *, pruning: float = 0.0, random_state: int | None = None
    ) -> None:
        self.criterion = criterion
        self.pruning = pruning
        self.random_state = random_state

    def fit(self, X: npt.ArrayLike, y: npt.ArrayLike) -> SmoothedTree:
        """Learn from hosts `X`, with missing values as NaN, and their classes `y`, two of them."""
        self.tree_ = DecisionTreeClassifier(
            criterion=self.criterion,
            ccp_alpha=self.pruning,
            min_samples_leaf=2,
            random_state=self.random_state,
        ).fit(X, y)
        self.classes_ = self.tree_.classes_
        return self

    def members(self) -> list[str]:
        """The names of the columns of `scores`."""
        name = f"tree, {self.criterion}" + (f", pruned {self.pruning:g}" if self.pruning else "")
        return [name, f"{name}, Laplace"]

    def scores(self, X: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """The probability of the second class, not smoothed and smoothed."""
        tree = self.tree_.tree_
        leaves = self.tree_.apply(X)
        share, size = tree.value[leaves, 0, 1], tree.n_node_samples[leaves]
        return np.stack([share, (share * size + 1) / (size + 2)], axis=1)

    def predict_proba(self, X: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """The probabilities of both classes, smoothed."""
        p = self.scores(X)[:, 1]
        return np.stack([1 - p, p], axis=1)

    def predict(self, X: npt.ArrayLike) -> npt.NDArray[Any]:
        """The likelier class."""
        chosen: npt.NDArray[Any] = self.classes_[np.argmax(self.predict_proba(X), axis=1)]
        return chosen


class CostSensitiveTrees(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Bagged decision trees for which one mistake costs more than the other.

    Each tree is grown on a bootstrap sample in which a positive weighs `cost` times what a negative does, or
    a negative `cost` times a positive where false positives are the costly mistake; their probabilities are
    averaged.

    Parameters
    ----------
    cost
        What the costly mistake costs, in the other one.
    costly
        ``missed`` (a positive that is not found) or ``false-positive``.
    n_trees
        Bootstrap samples.
    random_state
        Seed of the samples.

    Examples
    --------
    >>> X = np.arange(40.0)[:, None]
    >>> model = CostSensitiveTrees(cost=20, random_state=1).fit(X, np.arange(40) >= 35)
    >>> model.predict(X[[0, 39]]).tolist()
    [False, True]
    """

    def __init__(
        self,
        cost: float = 10,
        *,
        costly: str = MISSED,
        n_trees: int = 10,
        random_state: int | None = None,
    ) -> None:
        self.cost = cost
        self.costly = costly
        self.n_trees = n_trees
        self.random_state = random_state

    def fit(self, X: npt.ArrayLike, y: npt.ArrayLike) -> CostSensitiveTrees:
        """Learn from hosts `X`, with missing values as NaN, and their classes `y`, two of them."""
        values = np.asarray(X, np.float32)  # what trees of scikit-learn compute with
        self.classes_, target = np.unique(np.asarray(y), return_inverse=True)
        weights = np.where(target == (self.costly == MISSED), float(self.cost), 1.0)
        generator = np.random.default_rng(self.random_state)
        places = [np.flatnonzero(target == side) for side in (0, 1)]
        self.trees_ = []
        for _ in range(self.n_trees):
            drawn = generator.integers(0, len(values), len(values))
            for side in (0, 1):  # a sample without one of the classes teaches nothing
                if not np.any(target[drawn] == side):
                    drawn[generator.integers(0, len(drawn))] = generator.choice(places[side])
            tree = DecisionTreeClassifier(
                criterion="entropy", min_samples_leaf=2, random_state=int(generator.integers(1 << 31))
            )
            self.trees_.append(tree.fit(values[drawn], target[drawn], sample_weight=weights[drawn]))
        return self

    def predict_proba(self, X: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """The probabilities of both classes, averaged over the trees."""
        values = np.asarray(X, np.float32)
        total = np.zeros((len(values), 2))
        for tree in self.trees_:
            total[:, tree.classes_] += tree.predict_proba(values)
        return total / len(self.trees_)

    def predict(self, X: npt.ArrayLike) -> npt.NDArray[Any]:
        """The likelier class."""
        chosen: npt.NDArray[Any] = self.classes_[np.argmax(self.predict_proba(X), axis=1)]
        return chosen
