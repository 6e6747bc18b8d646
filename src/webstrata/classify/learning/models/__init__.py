"""The library of models that ensemble selection chooses from (SPAM, section 4.1).

============  ==========================================================================================
``paper``     all of SPAM: bagged LogitBoost of 2…64 rounds, trees by two criteria, pruned and not, smoothed
              and not, bagged cost-sensitive trees at 10, 20, …, 300, ridge logistic regression at
              10⁻⁸…10⁴, forests of 250 trees with s/2…8s features a cut (s = √features), naive Bayes in
              three forms
``standard``  the same families with fewer trees at fewer costs, and boosted trees of LightGBM beside them
``small``     one or two of the quick ones, for tests and for a gate that answers in milliseconds
``terms``     what can learn from thousands of sparse columns: forests and linear support vector machines;
              ``small-terms`` has one of each, ``paper-terms`` forests with s/2…8s features as SPAM has them
============  ==========================================================================================

A member is a column of scores. Members that are steps of one computation (rounds of boosting, penalties,
smoothing) come from one fit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from webstrata.classify.learning.models.linear import RIDGES, LinearMargin, RidgeLogistic
from webstrata.classify.learning.models.logit_boost import ROUNDS, BaggedLogitBoost
from webstrata.classify.learning.models.naive_bayes import FORMS, NaiveBayes
from webstrata.classify.learning.models.trees import COSTS, MISSED, CostSensitiveTrees, SmoothedTree
from webstrata.collection.settings import unknown_name
from webstrata.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    import numpy.typing as npt

LIBRARIES = {
    "paper": "every model of SPAM",
    "paper-terms": "forests with s/2…8s features and linear machines, for term vectors",
    "small": "a few quick ones",
    "small-terms": "one forest and one linear machine, for term vectors",
    "standard": "the families of SPAM with fewer variations",
    "terms": "forests and linear machines, for term vectors",
}
"""The libraries by name."""

_TERMS: dict[str, tuple[Sequence[float], Sequence[float], int]] = {
    "paper-terms": ((0.1, 1.0, 10.0), (0.5, 1, 2, 4, 8), 250),
    "small-terms": ((1.0,), (1,), 25),
    "terms": ((0.1, 1.0, 10.0), (0.5, 1, 2), 250),
}
"""Libraries of term vectors: prices C of linear machines, features per split in multiples of s, trees."""
BOTH = "both"

__all__ = [
    "LIBRARIES",
    "BaggedLogitBoost",
    "CostSensitiveTrees",
    "LibraryOptions",
    "LinearMargin",
    "NaiveBayes",
    "RidgeLogistic",
    "SmoothedTree",
    "library_of",
    "member_names",
    "member_scores",
    "new_library",
]


@dataclass(frozen=True)
class LibraryOptions:
    """What of the libraries is a matter of choice."""

    costly: str = MISSED
    """The costly mistake of `CostSensitiveTrees`."""
    term_models: str = BOTH
    """Models of term vectors: ``forest``, ``svm`` or ``both``."""


def library_of(name: str, *, terms: bool) -> str:
    """The library of a feature set where `name` was chosen; term vectors have one of their own.

    Examples
    --------
    >>> library_of("paper", terms=True), library_of("standard", terms=True), library_of("paper", terms=False)
    ('paper-terms', 'terms', 'paper')
    """
    if not terms:
        return name
    kind = name.removesuffix("-terms")
    return f"{kind}-terms" if kind in ("small", "paper") else "terms"


def new_library(
    name: str, num_features: int, *, seed: int = 0, options: LibraryOptions | None = None
) -> dict[str, Any]:
    """The models of a library for so many features, not yet fitted, the quickest first.

    Parameters
    ----------
    name
        Of `LIBRARIES`.
    num_features
        Columns that the models will see; forests depend on it.
    seed
        Of everything random in them.
    options
        Which mistake is costly, and which models learn from term vectors.

    Examples
    --------
    >>> list(new_library("small", 8))
    ['ridge', 'naive Bayes, normal', 'tree, entropy', 'LogitBoost', 'forest, 3 features']
    >>> sum(len(member_names(name, model)) for name, model in new_library("paper", 177).items())
    69
    """
    if name not in LIBRARIES:
        raise UsageError(unknown_name("library", name, "library of models", LIBRARIES))
    options = options or LibraryOptions()
    if name.endswith("terms"):
        prices, factors, trees = _TERMS[name]
        margins = _margins(prices, seed) if options.term_models != "forest" else {}
        return margins | (
            _forests(factors, trees, num_features, seed) if options.term_models != "svm" else {}
        )
    if name == "small":
        return {
            "ridge": RidgeLogistic(ridges=(100.0, 1.0)),
            "naive Bayes, normal": NaiveBayes("normal"),
            "tree, entropy": SmoothedTree("entropy", random_state=seed),
            "LogitBoost": BaggedLogitBoost(rounds=(4, 16), n_bags=5, random_state=seed),
        } | _forests((1,), 25, num_features, seed)
    is_paper = name == "paper"
    models: dict[str, Any] = {"ridge": RidgeLogistic(RIDGES if is_paper else RIDGES[::2])}
    models |= {f"naive Bayes, {form}": NaiveBayes(form) for form in FORMS}
    models |= {
        f"tree, {criterion}, {pruning:g}": SmoothedTree(criterion, pruning=pruning, random_state=seed)
        for criterion in ("entropy", "gini")
        for pruning in ((0.0, 0.002, 0.01) if is_paper else (0.002,))
    }
    models["LogitBoost"] = BaggedLogitBoost(ROUNDS, random_state=seed)
    models |= {
        f"trees at cost {cost}": CostSensitiveTrees(cost, costly=options.costly, random_state=seed + cost)
        for cost in (COSTS if is_paper else (10, 100, 300))
    }
    if not is_paper:
        models["boosted trees"] = _boosted(seed)
    return models | _forests(
        (0.5, 1, 2, 4, 8) if is_paper else (0.5, 2), 250 if is_paper else 200, num_features, seed
    )


def _forests(factors: Sequence[float], trees: int, num_features: int, seed: int) -> dict[str, Any]:
    """Forests with s/2…8s features a cut, no two with the same number."""
    from sklearn.ensemble import RandomForestClassifier

    numbers = {
        min(max(round(factor * num_features**0.5), 1), max(num_features, 1)): None for factor in factors
    }
    return {
        f"forest, {number} features": RandomForestClassifier(trees, max_features=number, random_state=seed)
        for number in numbers
    }


def _margins(costs: Sequence[float], seed: int) -> dict[str, Any]:
    return {f"linear SVM, C {cost:g}": LinearMargin(cost, random_state=seed) for cost in costs}


def _boosted(seed: int) -> Any:  # noqa: ANN401
    from lightgbm import LGBMClassifier

    return LGBMClassifier(
        n_estimators=100,
        learning_rate=0.05,
        num_leaves=8,
        min_child_samples=5,
        subsample=0.8,
        subsample_freq=1,
        colsample_bytree=0.5,
        random_state=seed,
        n_jobs=1,
        verbose=-1,
        deterministic=True,
        force_row_wise=True,
    )


def member_names(name: str, model: Any) -> list[str]:  # noqa: ANN401
    """What the columns of a model's scores are called.

    Examples
    --------
    >>> member_names("tree", SmoothedTree("gini"))
    ['tree, gini', 'tree, gini, Laplace']
    """
    return list(model.members()) if hasattr(model, "members") else [name]


def member_scores(model: Any, values: Any) -> npt.NDArray[np.float64]:  # noqa: ANN401
    """The columns of a fitted model's scores, each the probability of the second class.

    Examples
    --------
    >>> import numpy as np
    >>> X, y = np.arange(8.0)[:, None], np.arange(8) >= 4
    >>> member_scores(NaiveBayes().fit(X, y), X).shape
    (8, 1)
    """
    found: npt.NDArray[np.float64] = (
        model.scores(values) if hasattr(model, "scores") else model.predict_proba(values)[:, 1:]
    )
    return found


def family(member: str) -> str:
    """The family of a member, what tables add it up under.

    Examples
    --------
    >>> [family(name) for name in ("LogitBoost, 64 rounds", "trees at cost 30", "forest, 7 features")]
    ['LogitBoost', 'trees at cost', 'forest']
    """
    return member.partition(",")[0].rstrip("0123456789 ")
