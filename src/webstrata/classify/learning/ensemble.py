"""Ensemble selection as an estimator of scikit-learn, over a library of models (SPAM, section 4).

Every model of the library is fitted once for each fold, without that fold's hosts, and scores them; the
scores of all folds together are what `webstrata.classify.learning.selection` chooses by (embedded
cross-validation). A model's score of a new host is the mean of its fits, as in Weka, which saves a fit on
everything; only what was chosen is kept.

With `feature_sets`, every set has a library of its own, whose models see its columns alone, and selection
chooses from all of them: how much of the weight goes to a set says what it is worth beside the others.
"""

from __future__ import annotations

import os
import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import webstrata.classify.learning.extra  # noqa: F401 (says what to install, before the imports below fail)

# isort: split
import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import check_is_fitted, validate_data

from webstrata.classify.learning.metrics import find_metric
from webstrata.classify.learning.models import (
    LibraryOptions,
    family,
    library_of,
    member_names,
    member_scores,
    new_library,
)
from webstrata.classify.learning.models.flat import flatten_all
from webstrata.classify.learning.selection import select
from webstrata.classify.learning.splits import split_folds

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    import numpy.typing as npt

    from webstrata.classify.learning.metrics import Metric

    Report = Callable[[int, int, str], None]
    """Told how many models of how many are done, and which was the last; may raise to stop."""

WIDE = 2000
"""Columns from which on a sparse set is one of term vectors, for the library ``terms``
(or ``small-terms``)."""
ALL = "all"
"""The name of the one set where no feature sets are given."""


class EnsembleSelection(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier for two classes that chooses its models from a library.

    Parameters
    ----------
    library
        ``standard``, ``paper``, ``small`` or ``terms`` (of `webstrata.classify.learning.models`).
    metric
        What is made best: ``auc``, another of `webstrata.classify.learning.metrics`, or a function of truth
        and scores.
    folds
        Of the embedded cross-validation; fewer where a class has fewer hosts.
    iterations
        Steps of hill climbing.
    bags
        Random parts of the library that selection is done in; 0 for the whole once.
    bag_share
        How large these parts are.
    sort_initialization
        Whether a climb starts with the best models, or with the single best one.
    replacement
        Whether a model may be chosen more than once.
    feature_sets
        Names of sets with their columns; without, all columns are one set.
    term_sets
        Those of them that are term vectors, which only some models can learn from.
    time_budget
        Seconds after which no further model is fitted; the first always is.
    options
        Which mistake is costly for cost-sensitive trees, and which models learn from term vectors; default:
        missed positives, forests and linear machines.
    random_state
        Seed of folds, bags and models.
    n_jobs
        Threads that fit at once, as in scikit-learn.

    Attributes
    ----------
    members_ : list
        Every member of the library as (set, name).
    weights_ : ndarray
        The weight of each; they add up to 1.
    member_scores_ : ndarray
        The measure of each on hosts it was not trained on.
    score_ : float
        That of the ensemble.
    skipped_ : list
        The (set, name) of models that the time budget left out.
    fold_ : ndarray
        The fold of each host that `fit` saw.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> X, y = make_classification(200, random_state=1)
    >>> X[::7, 3] = np.nan
    >>> model = EnsembleSelection("small", random_state=1).fit(X[:150], y[:150])
    >>> bool(model.score_ >= model.member_scores_.max()), model.score(X[150:], y[150:]) > 0.8
    (True, True)
    """

    def __init__(
        self,
        library: str = "standard",
        *,
        metric: str | Metric = "auc",
        folds: int = 5,
        iterations: int = 100,
        bags: int = 10,
        bag_share: float = 0.5,
        sort_initialization: bool = True,
        replacement: bool = True,
        feature_sets: Mapping[str, Sequence[int]] | None = None,
        term_sets: Sequence[str] = (),
        time_budget: float | None = None,
        options: LibraryOptions | None = None,
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.library = library
        self.metric = metric
        self.folds = folds
        self.iterations = iterations
        self.bags = bags
        self.bag_share = bag_share
        self.sort_initialization = sort_initialization
        self.replacement = replacement
        self.feature_sets = feature_sets
        self.term_sets = term_sets
        self.time_budget = time_budget
        self.options = options
        self.random_state = random_state
        self.n_jobs = n_jobs

    def __sklearn_tags__(self) -> Any:  # noqa: ANN401
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        return tags

    def fit(
        self,
        X: Any,  # noqa: ANN401
        y: npt.ArrayLike,
        groups: npt.ArrayLike | None = None,
        *,
        progress: Report | None = None,
    ) -> EnsembleSelection:
        """Fit the library, and choose from it.

        Parameters
        ----------
        X
            A row a host; NaN is a missing value; sparse where sets are term vectors.
        y
            The class of each host, two of them.
        groups
            A number for each host, equal where hosts stay in one fold (`webstrata.classify.learning.splits`).
        progress
            Called after each model.
        """
        X, target, seed = self._check(X, y)
        self.fold_ = self._split(target, groups, seed)
        names = self._sets()
        fitted, self.skipped_ = fit_library(
            {name: self._view(X, name) for name in names},
            {name: self._library(X, name) for name in names},
            target,
            self.fold_,
            seed=seed,
            n_jobs=self.n_jobs,
            time_budget=self.time_budget,
            options=self.options,
            progress=progress,
        )
        self.members_ = [(one.feature_set, name) for one in fitted for name in one.names]
        scores = np.hstack([one.scores for one in fitted])
        chosen = select(
            target,
            scores,
            metric=find_metric(self.metric),
            iterations=self.iterations,
            bags=self.bags,
            bag_share=self.bag_share,
            sort_initialization=self.sort_initialization,
            replacement=self.replacement,
            seed=seed,
        )
        self.weights_, self.score_, self.member_scores_ = chosen.weights, chosen.score, chosen.singles
        self.out_of_fold_ = scores @ self.weights_
        self.fitted_ = []
        start = 0
        for one in fitted:
            weights = self.weights_[start : start + len(one.names)]
            start += len(one.names)
            if weights.any():
                self.fitted_.append((one.feature_set, weights, flatten_all(one.fits)))
        return self

    def _check(self, X: Any, y: npt.ArrayLike) -> tuple[Any, npt.NDArray[np.bool_], int]:  # noqa: ANN401
        X, y = validate_data(self, X, y, accept_sparse="csr", ensure_all_finite="allow-nan", dtype=np.float64)
        check_classification_targets(y)
        kind = type_of_target(y, input_name="y")
        if kind != "binary":
            raise ValueError(f"Only binary classification is supported. The type of the target is {kind}.")
        find_metric(self.metric)
        self.classes_, target = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(
                f"y has one class only ({self.classes_[0]}), and two are needed to tell them apart"
            )
        values = X.data if sp.issparse(X) else X
        if np.isinf(values).any():
            raise ValueError("Input X contains infinity")
        random = self.random_state
        if random is None or hasattr(random, "randint"):
            seed = int((random or np.random).randint(1 << 31))  # type: ignore[union-attr]
        else:
            seed = int(random)
        return X, target.astype(bool), seed

    def _split(
        self, target: npt.NDArray[np.bool_], groups: npt.ArrayLike | None, seed: int
    ) -> npt.NDArray[np.int64]:
        if groups is not None:
            return split_folds(target, self.folds, np.asarray(groups), seed)
        fewest = int(min(target.sum(), (~target).sum()))
        if fewest < 2:
            # one host cannot be trained on and tested on: both sides see it
            return np.zeros(len(target), np.int64)
        return split_folds(target, max(min(self.folds, fewest), 2), None, seed)

    def _sets(self) -> dict[str, npt.NDArray[np.int64]]:
        if self.feature_sets is None:
            return {ALL: np.arange(self.n_features_in_)}
        return {name: np.asarray(columns, np.int64) for name, columns in self.feature_sets.items()}

    def _is_terms(self, X: Any, name: str) -> bool:  # noqa: ANN401
        return name in self.term_sets or (sp.issparse(X) and len(self._sets()[name]) >= WIDE)

    def _library(self, X: Any, name: str) -> str:  # noqa: ANN401
        return library_of(self.library, terms=self._is_terms(X, name))

    def _view(self, X: Any, name: str) -> Any:  # noqa: ANN401
        """The columns of a set: dense, unless they are term vectors."""
        columns = self._sets()[name]
        some = X if np.array_equal(columns, np.arange(X.shape[1])) else X[:, columns]
        return some.toarray() if sp.issparse(some) and not self._is_terms(X, name) else some

    @property
    def set_weights_(self) -> dict[str, float]:
        """How much of the weight each feature set has, the largest first."""
        return _add_up((name for name, _ in self.members_), self.weights_)

    @property
    def family_weights_(self) -> dict[str, float]:
        """How much of the weight each family of models has, the largest first."""
        return _add_up((family(member) for _, member in self.members_), self.weights_)

    def predict_proba(self, X: Any) -> npt.NDArray[np.float64]:  # noqa: ANN401
        """The score of each host for both classes; they add up to 1."""
        check_is_fitted(self)
        X = validate_data(
            self, X, reset=False, accept_sparse="csr", ensure_all_finite="allow-nan", dtype=np.float64
        )
        total = np.zeros(X.shape[0])
        views: dict[str, Any] = {}
        for name, weights, fits in self.fitted_:
            if name not in views:
                views[name] = self._view(X, name)
            for model in fits:
                total += member_scores(model, views[name]) @ (weights / len(fits))
        total = np.clip(total, 0, 1)
        return np.stack([1 - total, total], axis=1)

    def predict(self, X: Any) -> npt.NDArray[Any]:  # noqa: ANN401
        """The class of each host, the second one from a score of one half on."""
        scores = self.predict_proba(X)[:, 1]
        chosen: npt.NDArray[Any] = self.classes_[(scores >= 0.5).astype(np.int64)]
        return chosen


_PATIENCE = {"LogitBoost": 1, "linear SVM": 1, "boosted trees": 2, "trees at cost": 2, "forest": 3}
"""The slow families; others are quick."""


@dataclass(frozen=True)
class Fitted:
    """A model of a library as fitted: one fit a fold, and what they say of the fold each did not see."""

    feature_set: str
    names: list[str]
    """Of its members."""
    fits: list[Any]
    scores: npt.NDArray[np.float64]
    """A row a host, a column a member."""

    def predict(self, values: Any) -> npt.NDArray[np.float64]:  # noqa: ANN401
        """The scores of other hosts, the mean of all fits."""
        scores = [member_scores(fit, values) for fit in self.fits]
        mean: npt.NDArray[np.float64] = np.mean(scores, axis=0)
        return mean


def fit_library(
    views: Mapping[str, Any],
    libraries: Mapping[str, str],
    target: npt.NDArray[np.bool_],
    fold: npt.NDArray[np.int64],
    *,
    seed: int = 0,
    n_jobs: int | None = None,
    time_budget: float | None = None,
    options: LibraryOptions | None = None,
    progress: Report | None = None,
) -> tuple[list[Fitted], list[tuple[str, str]]]:
    """All models of the libraries of some feature sets, each fitted without one fold after the other.

    Parameters
    ----------
    views
        For each set its values, a row a host.
    libraries
        For each set the name of its library.
    target
        Whether each host is positive.
    fold
        The fold of each host.
    seed
        Of everything random in the models.
    n_jobs
        Threads.
    time_budget
        Seconds after which no further model is fitted; those left out are the second value.
    options
        Of the libraries.
    progress
        Called after each model.

    Examples
    --------
    >>> X = np.arange(12.0)[:, None]
    >>> fitted, _ = fit_library({"B": X}, {"B": "small"}, np.arange(12) >= 6, np.arange(12) % 3)
    >>> fitted[0].names, fitted[0].scores.shape, fitted[0].predict(X[:2]).shape
    (['logistic, ridge 100', 'logistic, ridge 1'], (12, 2), (2, 2))
    """
    started = time.monotonic()
    models = [
        (name, kind, model)
        for name, values in views.items()
        for kind, model in new_library(
            libraries[name], values.shape[1], seed=seed % 10_000, options=options
        ).items()
    ]
    # the quick models of every set come before the slow ones of any, for the sake of the budget
    models.sort(key=lambda entry: _PATIENCE.get(family(entry[1]), 0))
    fitted: list[Fitted] = []
    skipped = []
    threads = count_threads(n_jobs)
    with ThreadPoolExecutor(threads) as pool, warnings.catch_warnings():
        # a margin that is still creeping after 2000 rounds orders hosts well enough
        warnings.simplefilter("ignore", ConvergenceWarning)
        for done, (name, kind, model) in enumerate(models, 1):
            if fitted and time_budget is not None and time.monotonic() - started > time_budget:
                skipped.append((name, kind))
                continue
            fits, scores = _cross_fit(pool if threads > 1 else None, model, views[name], target, fold)
            fitted.append(Fitted(name, member_names(kind, model), fits, scores))
            if progress is not None:
                progress(done, len(models), kind if len(views) == 1 else f"{name}: {kind}")
    return fitted, skipped


def count_threads(n_jobs: int | None) -> int:
    """Threads for a number of jobs as scikit-learn counts them: none is one, −1 all cores, −2 all but one.

    Examples
    --------
    >>> count_threads(None), count_threads(3), count_threads(-1) >= 1
    (1, 3, True)
    """
    if n_jobs is None or n_jobs == 0:
        return 1
    return n_jobs if n_jobs > 0 else max(len(os.sched_getaffinity(0)) + 1 + n_jobs, 1)


def _cross_fit(
    pool: ThreadPoolExecutor | None,
    model: Any,  # noqa: ANN401
    values: Any,  # noqa: ANN401
    target: npt.NDArray[np.bool_],
    fold: npt.NDArray[np.int64],
) -> tuple[list[Any], npt.NDArray[np.float64]]:
    """The fits of a model, one a fold, and its scores of each host by the fit without it."""

    def fit(number: int) -> tuple[Any, Any, npt.NDArray[np.float64]]:
        here = fold == number
        trained = (
            clone(model).fit(values[~here], target[~here]) if not here.all() else model.fit(values, target)
        )
        return trained, here, member_scores(trained, values[here])

    # forests set the filters of warnings while they fit, which all threads share: one after the other
    is_alone = pool is None or "forest" in type(model).__name__.lower()
    done = list((map if is_alone or pool is None else pool.map)(fit, np.unique(fold)))
    scores = np.zeros((len(target), done[0][2].shape[1]))
    for _, here, some in done:
        scores[here] = some
    return [trained for trained, _, _ in done], scores


def _add_up(names: Iterator[str], weights: npt.NDArray[np.float64]) -> dict[str, float]:
    total: dict[str, float] = {}
    for name, weight in zip(names, weights, strict=True):
        total[name] = total.get(name, 0.0) + float(weight)
    return dict(sorted(total.items(), key=lambda pair: -pair[1]))
