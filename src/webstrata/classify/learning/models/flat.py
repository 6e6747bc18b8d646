"""Trees as plain arrays: what is kept of forests and boosted trees, and answers without their library.

All nodes of all trees lie in one row, the root of each tree before its other nodes, a parent before its
children:

=================  ========================================================================================
``roots``          the node where each tree begins
``feature``        the column a node looks at; −1 in a leaf
``threshold``      values not above it go left
``left right``     the nodes below
``missing_left``   whether a missing value goes left
``value``          what a leaf says, a column a member
=================  ========================================================================================

A forest says the mean of its leaves; boosted trees say 1 / (1 + e^−s) of their sum s. One host goes through
thousands of trees in steps that are one operation for all of them, much faster than by a call for each tree.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import expit

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

_CELLS = 1 << 20


@dataclass
class FlatTrees:
    """Trees in arrays.

    Examples
    --------
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0, 0, 1, 1])
    >>> forest = RandomForestClassifier(20, random_state=1).fit(X, y)
    >>> flat = FlatTrees.of_trees([tree.tree_ for tree in forest.estimators_])
    >>> np.allclose(flat.scores(X)[:, 0], forest.predict_proba(X)[:, 1])
    True
    """

    roots: npt.NDArray[np.int64]
    feature: npt.NDArray[np.int32]
    threshold: npt.NDArray[np.float64]
    left: npt.NDArray[np.int32]
    right: npt.NDArray[np.int32]
    missing_left: npt.NDArray[np.bool_]
    value: npt.NDArray[np.float64]
    boosted: bool = False
    """Whether the leaves are added up, or averaged."""
    single: bool = True
    """Whether values are compared as 32-bit floats, as scikit-learn does."""

    @classmethod
    def of_trees(cls, trees: Sequence[Any], *, smoothed: bool = False) -> FlatTrees:
        """Trees of scikit-learn; with `smoothed`, a second column has the shares with Laplace smoothing."""
        starts = np.concatenate([[0], np.cumsum([tree.node_count for tree in trees])]).astype(np.int64)
        shift = np.repeat(starts[:-1], np.diff(starts)).astype(np.int32)
        left, right, feature = (
            np.concatenate([getattr(tree, name) for tree in trees]).astype(np.int32)
            for name in ("children_left", "children_right", "feature")
        )
        share = np.concatenate([tree.value[:, 0, -1] for tree in trees])
        value = share[:, None]
        if smoothed:
            size = np.concatenate([tree.n_node_samples for tree in trees])
            value = np.stack([share, (share * size + 1) / (size + 2)], axis=1)
        return cls(
            starts[:-1],
            np.where(left < 0, -1, feature).astype(np.int32),
            np.concatenate([tree.threshold for tree in trees]),
            np.where(left < 0, -1, left + shift).astype(np.int32),
            np.where(left < 0, -1, right + shift).astype(np.int32),
            np.concatenate([tree.missing_go_to_left for tree in trees]).astype(bool),
            np.where((left < 0)[:, None], value, 0.0),
        )

    @classmethod
    def of_booster(cls, booster: Any) -> FlatTrees:  # noqa: ANN401
        """Trees of LightGBM, all of whose features are numbers."""
        rows: list[tuple[int, float, int, int, bool, float]] = []
        roots = []
        for tree in booster.dump_model()["tree_info"]:
            roots.append(len(rows))
            waiting = [(tree["tree_structure"], -1, False)]
            while waiting:
                node, parent, is_left = waiting.pop()
                here = len(rows)
                if parent >= 0:
                    row = list(rows[parent])
                    row[2 if is_left else 3] = here
                    rows[parent] = tuple(row)  # type: ignore[assignment]
                if "left_child" not in node:
                    rows.append((-1, 0.0, -1, -1, False, float(node["leaf_value"])))
                    continue
                threshold = float(node["threshold"])
                # where no value was missing in training, LightGBM takes a missing one for 0
                goes_left = node["default_left"] if node["missing_type"] == "NaN" else threshold >= 0
                rows.append((int(node["split_feature"]), threshold, -1, -1, bool(goes_left), 0.0))
                waiting += [(node["right_child"], here, False), (node["left_child"], here, True)]
        feature, cut, left, right, missing, value = zip(*rows, strict=True)
        return cls(
            np.array(roots, np.int64),
            np.array(feature, np.int32),
            np.array(cut, np.float64),
            np.array(left, np.int32),
            np.array(right, np.int32),
            np.array(missing, bool),
            np.array(value, np.float64)[:, None],
            boosted=True,
            single=False,
        )

    @classmethod
    def merge(cls, some: Sequence[FlatTrees]) -> FlatTrees:
        """The forest of all trees of several forests with equally many."""
        shifts = np.concatenate([[0], np.cumsum([len(one.feature) for one in some])])

        def moved(nodes: npt.NDArray[np.int32], shift: int) -> npt.NDArray[np.int32]:
            return np.where(nodes < 0, -1, nodes + shift).astype(np.int32)

        pairs = list(zip(some, shifts, strict=False))
        return cls(
            np.concatenate([one.roots + shift for one, shift in pairs]),
            np.concatenate([one.feature for one in some]),
            np.concatenate([one.threshold for one in some]),
            np.concatenate([moved(one.left, int(shift)) for one, shift in pairs]),
            np.concatenate([moved(one.right, int(shift)) for one, shift in pairs]),
            np.concatenate([one.missing_left for one in some]),
            np.concatenate([one.value for one in some]),
        )

    def scores(self, X: Any) -> npt.NDArray[np.float64]:  # noqa: ANN401
        """What the trees say of each host, a column a member."""
        size = max(_CELLS // max(len(self.roots), 1), 1)
        parts = [self._scores(X[start : start + size]) for start in range(0, X.shape[0], size)]
        return np.concatenate(parts) if parts else np.zeros((0, self.value.shape[1]))

    def _scores(self, X: Any) -> npt.NDArray[np.float64]:  # noqa: ANN401
        values = X.toarray() if hasattr(X, "toarray") else np.asarray(X)
        values = values.astype(np.float32 if self.single else np.float64)
        count, trees = len(values), len(self.roots)
        at = np.tile(self.roots, count)
        host = np.repeat(np.arange(count), trees)
        going = np.flatnonzero(self.feature[at] >= 0)
        while len(going):
            nodes = at[going]
            seen = values[host[going], self.feature[nodes]]
            goes_left = np.where(np.isnan(seen), self.missing_left[nodes], seen <= self.threshold[nodes])
            at[going] = np.where(goes_left, self.left[nodes], self.right[nodes])
            going = going[self.feature[at[going]] >= 0]
        said = self.value[at].reshape(count, trees, -1)
        if self.boosted:
            summed: npt.NDArray[np.float64] = expit(said.sum(axis=1))
            return summed
        mean: npt.NDArray[np.float64] = said.mean(axis=1)
        return mean

    def find_damage(self, num_features: int) -> str:
        """What is wrong with arrays from a file; nothing where each walk ends in a leaf."""
        number = len(self.feature)
        shapes = {
            len(part) for part in (self.threshold, self.left, self.right, self.missing_left, self.value)
        }
        if shapes != {number} or self.value.ndim != 2:
            return "its arrays have different lengths"
        inner = self.feature >= 0
        nodes = np.arange(number)[inner]
        if not ((self.roots >= 0) & (self.roots < number)).all() or (self.feature >= num_features).any():
            return "it names a node or a feature that is not there"
        for side in (self.left[inner], self.right[inner]):
            # below its parent, so that no walk goes round in a circle
            if not ((side > nodes) & (side < number)).all():
                return "it names a node that is not there"
        return ""


def flatten(model: Any) -> Any:  # noqa: ANN401
    """A fitted model of the library as one that answers from plain arrays.

    Examples
    --------
    >>> from webstrata.classify.learning.models import SmoothedTree
    >>> X, y = np.arange(8.0)[:, None], np.arange(8) >= 4
    >>> model = SmoothedTree().fit(X, y)
    >>> np.allclose(flatten(model).scores(X), model.scores(X))
    True
    """
    if hasattr(model, "booster_"):
        return FlatTrees.of_booster(model.booster_)
    if hasattr(model, "estimators_"):
        return FlatTrees.of_trees([tree.tree_ for tree in model.estimators_])
    if hasattr(model, "trees_"):
        return FlatTrees.of_trees([tree.tree_ for tree in model.trees_])
    if hasattr(model, "tree_"):
        return FlatTrees.of_trees([model.tree_.tree_], smoothed=True)
    return model


def flatten_all(models: Sequence[Any]) -> list[Any]:
    """The fits of one model as plain ones; forests of equally many trees become one.

    Examples
    --------
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> X, y = np.arange(8.0)[:, None], np.arange(8) >= 4
    >>> fits = [RandomForestClassifier(5, random_state=seed).fit(X, y) for seed in (1, 2)]
    >>> [flat] = flatten_all(fits)
    >>> np.allclose(flat.scores(X)[:, 0], sum(fit.predict_proba(X)[:, 1] for fit in fits) / 2)
    True
    """
    flat = [flatten(model) for model in models]
    if all(isinstance(one, FlatTrees) and not one.boosted for one in flat):
        return [FlatTrees.merge(flat)]
    return flat
