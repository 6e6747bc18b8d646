"""One task tried with many feature sets: each library is fitted once, and combined in any way afterwards.

The labelled hosts are dealt into outer folds, groups uncut. For each outer fold, the library of a feature set
is cross-fitted on the other hosts (inner folds, see `webstrata.classify.ensemble`) and scores the hosts of
the fold. What an ensemble of some sets scores is then a matter of selection alone: it chooses by the inner
scores of their members, and is measured by the outer ones, on hosts that neither a model nor a choice saw.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from webstrata.classify.ensemble import fit_library
from webstrata.classify.metrics import Comparison, auc, compare_scores, correct_many, find_metric, fold_auc
from webstrata.classify.models import family
from webstrata.classify.selection import select
from webstrata.classify.settings import TrainSettings
from webstrata.classify.splits import split_folds
from webstrata.collection.progress import Progress

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from webstrata.classify.matrix import HostMatrix

INNER_FOLDS = 5


@dataclass(frozen=True)
class SetScores:
    """What the members of a feature set's library say, for each outer fold."""

    names: list[str]
    inner: list[npt.NDArray[np.float64]]
    """Of the other hosts, by fits that did not see them."""
    outer: list[npt.NDArray[np.float64]]
    """Of the hosts of the fold."""


@dataclass(frozen=True)
class Outcome:
    """An ensemble of the models of some feature sets, measured."""

    sets: tuple[str, ...]
    features: int
    auc: float
    deviation: float
    scores: npt.NDArray[np.float64]
    """Of each labelled host, by the ensemble that did not see it."""
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
    >>> from webstrata.classify.matrix import HostMatrix
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

    def __post_init__(self) -> None:
        self.fold = split_folds(self.truth, self.settings.folds, self.groups, self.settings.seed)
        self.fitted: dict[str, SetScores] = {}
        self.combined: dict[tuple[str, ...], Outcome] = {}

    def has(self, names: Sequence[str]) -> bool:
        """Whether all these feature sets are there."""
        return all(name in self.matrix.sets for name in names)

    def fit(self, name: str) -> SetScores:
        """Fit the library of a feature set, unless that was done."""
        if name not in self.fitted:
            self.fitted[name] = self._fit(name)
        return self.fitted[name]

    def _fit(self, name: str) -> SetScores:
        is_terms = name in self.matrix.term_sets
        library = self.settings.library
        if is_terms:
            library = "small-terms" if library == "small" else "terms"
        values = self.matrix.sets[name][1]
        names: list[str] = []
        inner, outer = [], []
        folds = np.unique(self.fold)
        with self.progress.task(f"models of {name}", unit="models") as task:

            def tell(_done: int, total: int, _name: str) -> None:
                task.total = total * len(folds)
                task.advance()

            for number in folds:
                here = self.fold == number
                truth, groups = self.truth[~here], self.groups[~here]
                fitted, _ = fit_library(
                    {name: values[~here]},
                    {name: library},
                    truth,
                    inner_folds(truth, groups, self.settings.seed),
                    seed=self.settings.seed,
                    n_jobs=-1,
                    progress=tell,
                )
                names = [member for one in fitted for member in one.names]
                inner.append(np.hstack([one.scores for one in fitted]))
                outer.append(np.hstack([one.predict(values[here]) for one in fitted]))
        return SetScores(names, inner, outer)

    def combine(self, names: Sequence[str]) -> Outcome:
        """The ensemble that selection makes of the models of these sets."""
        key = tuple(names)
        if key not in self.combined:
            self.combined[key] = self._combine(key)
        return self.combined[key]

    def _combine(self, names: tuple[str, ...]) -> Outcome:
        sets = [self.fit(name) for name in names]
        scores = np.zeros(len(self.truth))
        weights: dict[str, float] = dict.fromkeys(names, 0.0)
        owners = [name for name, some in zip(names, sets, strict=True) for _ in some.names]
        members = [(name, member) for name, some in zip(names, sets, strict=True) for member in some.names]
        folds = np.unique(self.fold)
        singles = np.zeros((len(self.truth), len(members)))
        for place, number in enumerate(folds):
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
                weights[owner] += float(weight) / len(folds)
        value, deviation = fold_auc(self.truth, scores, self.fold)
        each = [fold_auc(self.truth, column, self.fold)[0] for column in singles.T]
        best = int(np.argmax(each))
        ahead = [compare_scores(self.truth, scores, column, self.fold).p_second_ahead for column in singles.T]
        return Outcome(
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
        for place, number in enumerate(np.unique(self.fold)):
            here = self.fold == number
            measured = [auc(self.truth[~here], some.inner[place][:, column]) for column in columns]
            scores[here] = some.outer[place][:, columns[int(np.argmax(measured))]]
        return fold_auc(self.truth, scores, self.fold)[0]

    def compare(self, first: Outcome, second: Outcome) -> Comparison:
        """Whether the second ensemble is better than the first by more than chance."""
        return compare_scores(self.truth, first.scores, second.scores, self.fold)

    def shuffled(self, name: str) -> Outcome:
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
        settings = TrainSettings(library="small", folds=self.settings.folds, seed=self.settings.seed)
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
