"""Why a model gives a host its score: how much the score falls when a feature is made what is usual.

For each feature the host's value is replaced by the median of negative hosts (a term by its absence), all
others kept, and the model is asked again; the difference is what the feature adds. Features of a model may
stand for each other, so the differences need not add up to the score.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp

from webstrata.errors import MissingError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from webstrata.classify.learning.matrix import HostMatrix
    from webstrata.classify.learning.model_file import HostModel


@dataclass(frozen=True)
class FeatureReason:
    """What one feature of a host does to its score."""

    feature_set: str
    feature: str
    value: float | None
    """Of the host; none where it is missing."""
    negative: float | None
    """What is usual for hosts that are not it; none for terms, or where nobody has it."""
    positive: float | None
    """What is usual for hosts that are it."""
    effect: float
    """How much the score would fall if the value were the usual one of negatives."""

    def tell(self, task: str) -> str:
        """A sentence.

        Examples
        --------
        >>> FeatureReason("B", "words", 900.0, 250.0, 800.0, 0.12).tell("spam")
        'B words is 900 (usual: 250; spam: 800): +0.120'
        """
        value = "missing" if self.value is None else f"{self.value:.4g}"
        if self.negative is None and self.positive is None:
            return f"{self.feature_set} {self.feature} is {value}: {self.effect:+.3f}"
        usual, there = ("?" if some is None else f"{some:.4g}" for some in (self.negative, self.positive))
        seen = f"{value} (usual: {usual}; {task}: {there})"
        return f"{self.feature_set} {self.feature} is {seen}: {self.effect:+.3f}"


def explain(
    model: HostModel, matrix: HostMatrix, host: str, *, most: int = 10
) -> tuple[float, list[FeatureReason]]:
    """The score of a host, and the features that change it most, the strongest first.

    Examples
    --------
    >>> from webstrata.classify.learning.ensemble import EnsembleSelection
    >>> from webstrata.classify.learning.matrix import HostMatrix
    >>> from webstrata.classify.learning.model_file import HostModel
    >>> from webstrata.classify.learning.training import find_typical
    >>> values = np.array([[number, number % 3] for number in range(30)], float)
    >>> matrix = HostMatrix([f"{number}.org" for number in range(30)], {"B": (["words", "noise"], values)})
    >>> truth = np.arange(30) >= 15
    >>> fitted = EnsembleSelection("small", feature_sets=matrix.places(), random_state=1).fit(values, truth)
    >>> model = HostModel("spam", matrix.columns(), (), fitted, typical=find_typical(matrix, truth))
    >>> score, reasons = explain(model, matrix, "29.org")
    >>> score > 0.8, reasons[0].feature, reasons[0].value, reasons[0].negative, reasons[0].effect > 0.5
    (True, 'words', 29.0, 7.0, True)
    """
    if host not in matrix.hosts:
        raise MissingError(f"{host}: this host has no features here; `--limit` lists some that have")
    place = matrix.hosts.index(host)
    row = model.values(matrix.rows([place]))
    row = np.asarray(row.toarray() if sp.issparse(row) else row, np.float64)[0]
    changed: list[tuple[int, float]] = []
    about = []
    start = 0
    for name, columns in model.columns.items():
        typical = model.typical.get(name)
        for number, column in enumerate(columns, start):
            at = number - start
            negative, positive = (side[at] for side in typical) if typical else (None, None)
            instead = 0.0 if typical is None else np.nan if negative is None else negative
            if row[number] == instead or (np.isnan(row[number]) and np.isnan(instead)):
                continue
            changed.append((number, instead))
            about.append((name, column, float(row[number]), negative, positive))
        start += len(columns)
    scores = model.estimator.predict_proba(
        _vary_sparse(row, changed) if model.term_sets else _vary(row, changed)
    )
    effects = scores[0, 1] - scores[1:, 1]
    reasons = [
        FeatureReason(name, column, None if np.isnan(value) else value, negative, positive, float(effect))
        for (name, column, value, negative, positive), effect in zip(about, effects, strict=True)
    ]
    reasons.sort(key=lambda reason: -abs(reason.effect))
    return float(scores[0, 1]), [reason for reason in reasons[:most] if abs(reason.effect) > 1e-9]


def _vary(row: npt.NDArray[np.float64], changes: Sequence[tuple[int, float]]) -> npt.NDArray[np.float64]:
    """A row, and the same with each change alone."""
    found = np.repeat(row[None, :], len(changes) + 1, axis=0)
    for place, (column, value) in enumerate(changes, 1):
        found[place, column] = value
    return found


def _vary_sparse(row: npt.NDArray[np.float64], changes: Sequence[tuple[int, float]]) -> sp.csr_matrix:
    """The same as a sparse matrix; only columns that have a value somewhere are held.

    Examples
    --------
    >>> row, changes = np.array([0.0, 2.0, 0.0, 3.0]), [(1, 0.0), (2, 5.0)]
    >>> bool((_vary_sparse(row, changes).toarray() == _vary(row, changes)).all())
    True
    """
    columns = np.union1d(np.flatnonzero(row), [column for column, _ in changes]).astype(np.int64)
    places = {column: place for place, column in enumerate(columns.tolist())}
    block = _vary(row[columns], [(places[column], value) for column, value in changes])
    starts = np.arange(len(block) + 1) * len(columns)
    found = sp.csr_matrix((block.ravel(), np.tile(columns, len(block)), starts), (len(block), len(row)))
    found.eliminate_zeros()
    return found
