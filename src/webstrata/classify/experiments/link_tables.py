"""Tables 10 and 11 of SPAM: links, static and in motion, and how much each of their sets is worth."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from webstrata.classify.experiments import rows as named
from webstrata.classify.experiments.sheet import PaperTable, three
from webstrata.classify.experiments.trial import COST

if TYPE_CHECKING:
    from webstrata.classify.experiments.trial import Trial

TREES = "trees at cost"
LINK_SETS = ("link", named.RATES, named.SIMILARITY)
"""The three whose weights SPAM prints."""


def moving_links(trial: Trial) -> list[PaperTable]:
    """Tables 10 and 11, and the weights of the three sets of links in their ensemble.

    Without temporal link features table 11 has its static row alone, and a note says why.

    Examples
    --------
    >>> from webstrata.classify.experiments.trial import Trial
    >>> from webstrata.classify.learning.matrix import HostMatrix
    >>> from webstrata.classify.settings import TrainSettings
    >>> random = np.random.default_rng(1)
    >>> truth = np.arange(60) % 3 == 0
    >>> values = random.normal(size=(60, 2)) + truth[:, None]
    >>> matrix = HostMatrix([f"{n}.org" for n in range(60)], {"link": (["x", "y"], values)})
    >>> settings = TrainSettings(library="small", folds=2)
    >>> trial = Trial(matrix, truth, np.arange(60), settings)
    >>> [(table.key, len(table.rows)) for table in moving_links(trial)]
    [('table 11', 1)]
    """
    chosen = named.choose(named.MOVING_LINKS, trial.matrix)
    if not chosen:
        return []
    joined = {row.name: _join(trial, row) for row in chosen}
    found = [_by_trees(trial, chosen, joined)]
    if named.RATES not in trial.matrix.sets:
        return found
    rows = []
    for row in chosen:
        # SPAM learns from the columns of all sets at once here; the next column is the combination
        whole, apart = trial.combine([joined[row.name]]), trial.combine(row.sets)
        rows.append([row.name, whole.features, three(whole.auc), three(apart.auc), three(apart.deviation)])
    columns = ["feature set", "features", "learned together", "apart, combined", "±"]
    return [
        PaperTable("table 10", "Links in motion (table 10)", columns, rows),
        *_weights(trial),
        *found,
    ]


def _join(trial: Trial, row: named.ResultRow) -> str:
    """The set that has the columns of all sets of a row; it is added to the matrix."""
    if len(row.sets) == 1:
        return row.sets[0]
    names = [name for some in row.sets for name in trial.matrix.sets[some][0]]
    values = np.hstack([trial.matrix.sets[some][1] for some in row.sets])
    trial.matrix.sets[row.name] = (names, values)
    return row.name


def _weights(trial: Trial) -> list[PaperTable]:
    """How the weight of the ensemble of the three sets is shared among them (SPAM, 5.3)."""
    sets = [name for name in LINK_SETS if name in trial.matrix.sets]
    if len(sets) < 2:
        return []
    outcome = trial.combine(sets)
    ranked = sorted(outcome.set_weights.items(), key=lambda pair: -pair[1])
    return [
        PaperTable(
            "link weights",
            "Weight of each link set in the ensemble of the three (section 5.3)",
            ["feature set", "features", "weight"],
            [[name, len(trial.matrix.sets[name][0]), f"{100 * weight:.1f}%"] for name, weight in ranked],
            f"Their ensemble has an AUC of {three(outcome.auc)}. SPAM on WEBSPAM-UK2007: link 60.8%, "
            "similarity 21.5%, growth/death 17.7%, with an AUC of 0.762.",
        )
    ]


def _by_trees(trial: Trial, rows: list[named.ResultRow], joined: dict[str, str]) -> PaperTable:
    table: list[list[Any]] = []
    in_library = True
    for row in rows:
        name = joined[row.name]
        if name in trial.fitted or named.RATES in trial.matrix.sets:
            in_library = any(member.startswith(TREES) for member in trial.fit(name).names)
        else:
            in_library = False
        value = trial.family_auc(name, TREES) if in_library else trial.trees_auc(name)
        table.append([row.name, len(trial.matrix.sets[name][0]), three(value)])
    costs = (
        "in each fold at the cost that the inner folds prefer"
        if in_library
        else f"at cost {COST} alone, since the library {trial.settings.library} has no such trees"
    )
    notes = [f"Ten bagged trees, {costs}; the costly mistake is {_mistake(trial.settings.costly)}."]
    if named.RATES not in trial.matrix.sets:
        notes.append(
            "Rows in motion, and table 10, are missing: there are no temporal link features (set "
            "temporal-link)."
        )
    return PaperTable(
        "table 11",
        "Links in motion, by bagged cost-sensitive trees alone (table 11)",
        ["feature set", "features", "AUC"],
        table,
        " ".join(notes),
    )


def _mistake(costly: str) -> str:
    return "a missed positive" if costly == "missed" else "a false positive"
