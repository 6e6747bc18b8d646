"""Fitted models as names, numbers and arrays, and back: nothing that could run when it is read.

================  =========================================================================================
``trees``         `webstrata.classify.learning.models.flat.FlatTrees`; forests, single trees and boosted ones
``ridge``         means, spreads, weights and constants, a column a penalty
``logit-boost``   features, thresholds and leaves of the stumps of each bag
``naive-bayes``   means and variances, or places and log-odds
``margin``        weights of terms, and a constant
================  =========================================================================================
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from webstrata.classify.learning.models import BaggedLogitBoost, LinearMargin, NaiveBayes, RidgeLogistic
from webstrata.classify.learning.models.flat import FlatTrees

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy.typing as npt

_TREES = ("roots", "feature", "threshold", "left", "right", "missing_left", "value")
_KINDS = {
    "ridge": RidgeLogistic,
    "logit-boost": BaggedLogitBoost,
    "naive-bayes": NaiveBayes,
    "margin": LinearMargin,
}
_ARRAYS = {
    "ridge": ("mean_", "spread_", "weights_", "constants_"),
    "logit-boost": ("features_", "thresholds_", "leaves_"),
    "margin": ("weights_",),
    "normal": ("means_", "variances_", "said_"),
    "kernel": ("starts_", "places_", "odds_"),
    "discrete": ("starts_", "places_", "odds_"),
}


class Damaged(Exception):
    """Arrays that are no model; the message is what is wrong, without a place."""


@dataclass(frozen=True)
class Plain:
    """A fitted model in plain data."""

    kind: str
    facts: dict[str, Any]
    """What JSON can hold."""
    arrays: dict[str, npt.NDArray[Any]]


def to_plain(model: Any) -> Plain:  # noqa: ANN401
    """A fitted model of the library, trees flattened, in plain data.

    Examples
    --------
    >>> X, y = np.arange(8.0)[:, None], np.arange(8) >= 4
    >>> plain = to_plain(NaiveBayes().fit(X, y))
    >>> plain.kind, plain.facts, sorted(plain.arrays)
    ('naive-bayes', {'form': 'normal', 'constant': 0.0}, ['means_', 'said_', 'variances_'])
    """
    if isinstance(model, FlatTrees):
        said = {"boosted": model.boosted, "single": model.single}
        return Plain("trees", said, {name: getattr(model, name) for name in _TREES})
    kind = next(kind for kind, cls in _KINDS.items() if isinstance(model, cls))
    facts: dict[str, Any] = {}
    if kind == "ridge":
        facts = {"ridges": [float(ridge) for ridge in model.ridges]}
    elif kind == "logit-boost":
        facts = {"rounds": [int(rounds) for rounds in model.rounds], "n_bags": int(model.n_bags)}
    elif kind == "naive-bayes":
        facts = {"form": model.form, "constant": model.constant_}
    else:
        facts = {"constant": model.constant_}
    names = _ARRAYS[model.form if kind == "naive-bayes" else kind]
    return Plain(kind, facts, {name: np.asarray(getattr(model, name)) for name in names})


def from_plain(plain: Plain, num_features: int) -> Any:  # noqa: ANN401
    """The model of plain data, or `Damaged` where it is none for so many features.

    Examples
    --------
    >>> X, y = np.arange(8.0)[:, None], np.arange(8) >= 4
    >>> model = RidgeLogistic().fit(X, y)
    >>> np.array_equal(from_plain(to_plain(model), 1).scores(X), model.scores(X))
    True
    >>> from_plain(to_plain(model), 2)
    Traceback (most recent call last):
    webstrata.classify.learning.model_arrays.Damaged: mean_ has shape (1,), and (2,) was expected
    """
    facts, arrays = plain.facts, plain.arrays
    try:
        if plain.kind == "trees":
            trees = FlatTrees(
                **{name: arrays[name] for name in _TREES},
                boosted=bool(facts["boosted"]),
                single=bool(facts["single"]),
            )
            if damage := trees.find_damage(num_features):
                raise Damaged(damage)
            return trees
        if plain.kind == "ridge":
            model: Any = RidgeLogistic(tuple(facts["ridges"]))
            number = len(model.ridges)
            shapes: dict[str, tuple[int, ...]] = {"mean_": (num_features,), "spread_": (num_features,)}
            shapes |= {"weights_": (num_features, number), "constants_": (number,)}
        elif plain.kind == "logit-boost":
            model = BaggedLogitBoost(tuple(facts["rounds"]), n_bags=facts["n_bags"])
            stumps = (model.n_bags, max(model.rounds))
            shapes = {"features_": stumps, "thresholds_": stumps, "leaves_": (3, *stumps)}
            if not ((arrays["features_"] >= 0) & (arrays["features_"] < num_features)).all():
                raise Damaged("it names a feature that is not there")
        elif plain.kind == "margin":
            model = LinearMargin()
            model.constant_ = float(facts["constant"])
            shapes = {"weights_": (num_features,)}
        elif plain.kind == "naive-bayes":
            model = NaiveBayes(str(facts["form"]))
            model.constant_ = float(facts["constant"])
            shapes = _shapes_of_bayes(model.form, arrays, num_features)
        else:
            raise Damaged(f"{plain.kind} is no kind of model")
        for name, shape in shapes.items():
            if arrays[name].shape != shape:
                raise Damaged(f"{name} has shape {arrays[name].shape}, and {shape} was expected")
            setattr(model, name, arrays[name])
    except (KeyError, TypeError, ValueError) as error:
        raise Damaged(f"{plain.kind} lacks {error}") from error
    model.classes_ = np.array([False, True])
    return model


def _shapes_of_bayes(
    form: str, arrays: Mapping[str, npt.NDArray[Any]], num_features: int
) -> dict[str, tuple[int, ...]]:
    if form == "normal":
        return {"means_": (2, num_features), "variances_": (2, num_features), "said_": (num_features,)}
    starts = arrays["starts_"]
    if starts.ndim != 1 or not len(starts) or (np.diff(starts) < 1).any() or starts[0] != 0:
        raise Damaged("its tables do not follow each other")
    return {"starts_": (num_features + 1,), "places_": (int(starts[-1]),), "odds_": (int(starts[-1]),)}
