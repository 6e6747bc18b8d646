"""One task tried with many feature sets: each library is fitted once, and combined in any way afterwards.

The labelled hosts are dealt into outer folds, groups uncut; or some of them are the test set, the one outer
fold, and the others are trained on. For each outer fold, the library of a feature set
is cross-fitted on the other hosts (inner folds, see `webstrata.classify.learning.ensemble`) and scores the
hosts of the fold. What an ensemble of some sets scores is then a matter of selection alone: it chooses by the
inner scores of their members, and is measured by the outer ones, on hosts that neither a model nor a choice
saw.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from webstrata.classify.learning.ensemble import fit_library
from webstrata.classify.learning.metrics import (
    ModelComparison,
    auc,
    compare_scores,
    correct_many,
    find_metric,
    fold_auc,
)
from webstrata.classify.learning.models import CostSensitiveTrees, LibraryOptions, family, library_of
from webstrata.classify.learning.selection import select
from webstrata.classify.learning.splits import split_folds
from webstrata.classify.settings import TrainSettings
from webstrata.collection.progress import Progress

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from webstrata.classify.learning.matrix import HostMatrix

INNER_FOLDS = 5
COST = 10
"""Of the trees where a library has none."""
_TRAINING = -1
"""The fold of hosts that are trained on alone."""


@dataclass(frozen=True)
class SetScores:
    """What the members of a feature set's library say, for each outer fold."""

    names: list[str]
    inner: list[npt.NDArray[np.float64]]
    """Of the other hosts, by fits that did not see them."""
    outer: list[npt.NDArray[np.float64]]
    """Of the hosts of the fold."""


@dataclass(frozen=True)
class TrialOutcome:
    """An ensemble of the models of some feature sets, measured."""

    sets: tuple[str, ...]
    features: int
    auc: float
    deviation: float
    scores: npt.NDArray[np.float64]
    """Of each labelled host, by the ensemble that did not see it; 0 of those trained on where there is a test
    set."""
    set_weights: dict[str, float]
    best_member: str
    """The single model that is best on the outer folds, known only afterwards."""
    best_member_auc: float
    best_member_p: float
    """How likely a single model is so far ahead of the ensemble by chance, that which is least likely:
    one-sided, corrected for the number of models. 1 where none is ahead."""


@dataclass
class Trial:
    """The labelled hosts of a task, with the scores of every library fitted so far.

    Examples
    --------
    >>> from webstrata.classify.learning.matrix import HostMatrix
    >>> random = np.random.default_rng(1)
    >>> truth = np.arange(60) % 3 == 0
    >>> good, bad = random.normal(size=(60, 2)) + 3 * truth[:, None], random.normal(size=(60, 2))
    >>> sets = {"B": (["x", "y"], good), "C": (["z", "w"], bad)}
    >>> matrix = HostMatrix([f"{n}.org" for n in range(60)], sets)
    >>> trial = Trial(matrix, truth, np.arange(60), TrainSettings(library="small", folds=2))
    >>> alone, both = trial.combine(["C"]), trial.combine(["B", "C"])
    >>> both.auc > 0.9 > alone.auc, both.features, trial.compare(alone, both).p_value < 0.01
    (True, 4, True)
    """

    matrix: HostMatrix
    truth: npt.NDArray[np.bool_]
    groups: npt.NDArray[np.int64]
    settings: TrainSettings = field(default_factory=TrainSettings)
    progress: Progress = field(default_factory=Progress)
    test: npt.NDArray[np.bool_] | None = None
    """Which hosts are measured and not trained on; default: all in turn, in folds."""

    def __post_init__(self) -> None:
        if self.test is None:
            self.fold = split_folds(self.truth, self.settings.folds, self.groups, self.settings.seed)
        else:
            self.fold = np.where(self.test, 0, _TRAINING)
        self.outer = [int(number) for number in np.unique(self.fold) if number != _TRAINING]
        self.measured = self.fold != _TRAINING
        self.fitted: dict[str, SetScores] = {}
        self.combined: dict[tuple[str, ...], TrialOutcome] = {}

    def has(self, names: Sequence[str]) -> bool:
        """Whether all these feature sets are there."""
        return all(name in self.matrix.sets for name in names)

    def fit(self, name: str) -> SetScores:
        """Fit the library of a feature set, unless that was done."""
        if name not in self.fitted:
            self.fitted[name] = self._fit(name)
        return self.fitted[name]

    def _fit(self, name: str) -> SetScores:
        library = library_of(self.settings.library, terms=name in self.matrix.term_sets)
        values = self.matrix.sets[name][1]
        names: list[str] = []
        inner, outer = [], []
        with self.progress.task(f"models of {name}", unit="models") as task:

            def tell(_done: int, total: int, _name: str) -> None:
                task.total = total * len(self.outer)
                task.advance()

            for number in self.outer:
                here = self.fold == number
                truth, groups = self.truth[~here], self.groups[~here]
                fitted, _ = fit_library(
                    {name: values[~here]},
                    {name: library},
                    truth,
                    inner_folds(truth, groups, self.settings.seed),
                    seed=self.settings.seed,
                    n_jobs=-1,
                    options=LibraryOptions(self.settings.costly, self.settings.term_models),
                    progress=tell,
                )
                names = [member for one in fitted for member in one.names]
                inner.append(np.hstack([one.scores for one in fitted]))
                outer.append(np.hstack([one.predict(values[here]) for one in fitted]))
        return SetScores(names, inner, outer)

    def combine(self, names: Sequence[str]) -> TrialOutcome:
        """The ensemble that selection makes of the models of these sets."""
        key = tuple(names)
        if key not in self.combined:
            self.combined[key] = self._combine(key)
        return self.combined[key]

    def _combine(self, names: tuple[str, ...]) -> TrialOutcome:
        sets = [self.fit(name) for name in names]
        scores = np.zeros(len(self.truth))
        weights: dict[str, float] = dict.fromkeys(names, 0.0)
        owners = [name for name, some in zip(names, sets, strict=True) for _ in some.names]
        members = [(name, member) for name, some in zip(names, sets, strict=True) for member in some.names]
        singles = np.zeros((len(self.truth), len(members)))
        for place, number in enumerate(self.outer):
            here = self.fold == number
            chosen = select(
                self.truth[~here],
                np.hstack([some.inner[place] for some in sets]),
                metric=find_metric(self.settings.metric),
                seed=self.settings.seed,
            )
            outer = np.hstack([some.outer[place] for some in sets])
            singles[here] = outer
            scores[here] = outer @ chosen.weights
            for owner, weight in zip(owners, chosen.weights, strict=True):
                weights[owner] += float(weight) / len(self.outer)
        value, deviation = self._auc(scores)
        each = [self._auc(column)[0] for column in singles.T]
        best = int(np.argmax(each))
        ahead = [self._compare(scores, column).p_second_ahead for column in singles.T]
        return TrialOutcome(
            names,
            sum(len(self.matrix.sets[name][0]) for name in names),
            value,
            deviation,
            scores,
            weights,
            ": ".join(members[best]),
            float(each[best]),
            min(correct_many(ahead)) if each[best] > value else 1.0,
        )

    def family_auc(self, name: str, kind: str) -> float:
        """The AUC of the models of one family alone: in each fold the one that the inner scores prefer."""
        some = self.fit(name)
        columns = [place for place, member in enumerate(some.names) if family(member) == kind]
        scores = np.zeros(len(self.truth))
        for place, number in enumerate(self.outer):
            here = self.fold == number
            measured = [auc(self.truth[~here], some.inner[place][:, column]) for column in columns]
            scores[here] = some.outer[place][:, columns[int(np.argmax(measured))]]
        return self._auc(scores)[0]

    def trees_auc(self, name: str, cost: float = COST) -> float:
        """The AUC of bagged cost-sensitive trees at one cost, fitted here: for libraries that have none."""
        values = self.matrix.sets[name][1]
        scores = np.zeros(len(self.truth))
        for number in self.outer:
            here = self.fold == number
            trees = CostSensitiveTrees(cost, costly=self.settings.costly, random_state=self.settings.seed)
            trees.fit(values[~here], self.truth[~here])
            scores[here] = trees.predict_proba(values[here])[:, 1]
        return self._auc(scores)[0]

    def _auc(self, scores: npt.NDArray[np.float64]) -> tuple[float, float]:
        return fold_auc(self.truth[self.measured], scores[self.measured], self.fold[self.measured])

    def _compare(self, first: npt.NDArray[np.float64], second: npt.NDArray[np.float64]) -> ModelComparison:
        some = self.measured
        return compare_scores(self.truth[some], first[some], second[some], self.fold[some])

    def compare(self, first: TrialOutcome, second: TrialOutcome) -> ModelComparison:
        """Whether the second ensemble is better than the first by more than chance."""
        return self._compare(first.scores, second.scores)

    def shuffled(self, name: str) -> TrialOutcome:
        """A small library on labels dealt out at random: its AUC is one half, give or take, or labels leak.

        Groups are dealt out whole, until as many hosts are positive as there were: as many groups would be
        fewer hosts where farms are large, and a handful of positives says nothing. At most half of the groups
        are, and never fewer than before, so that there are enough of both kinds for the folds.
        """
        random = np.random.default_rng(self.settings.seed)
        numbers, first, sizes = np.unique(self.groups, return_index=True, return_counts=True)
        order = random.permutation(len(numbers))
        enough = min(int((np.cumsum(sizes[order]) <= self.truth.sum()).sum()), len(numbers) // 2)
        dealt = max(enough, int(self.truth[first].sum()))
        truth = np.isin(self.groups, numbers[order[:dealt]])
        folds = self.settings.folds if self.test is None else 2
        settings = TrainSettings(library="small", folds=folds, seed=self.settings.seed)
        return Trial(self.matrix.only([name]), truth, self.groups, settings, self.progress).combine([name])


def inner_folds(truth: npt.NDArray[np.bool_], groups: npt.NDArray[Any], seed: int) -> npt.NDArray[np.int64]:
    """Folds of the hosts outside an outer fold: five, or as many as there are groups of each class.

    Examples
    --------
    >>> len(set(inner_folds(np.arange(12) % 2 == 0, np.arange(12), 1)))
    5
    >>> len(set(inner_folds(np.arange(12) < 3, np.arange(12), 1)))
    3
    """
    fewest = min(len(np.unique(groups[truth])), len(np.unique(groups[~truth])))
    return split_folds(truth, max(2, min(INNER_FOLDS, fewest)), groups, seed)
