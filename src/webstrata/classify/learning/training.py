"""From features and labels to a model of hosts."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from webstrata.classify.features.addresses import find_addresses
from webstrata.classify.learning.ensemble import EnsembleSelection
from webstrata.classify.learning.labels import tell_unknown
from webstrata.classify.learning.metrics import choose_threshold, fold_auc
from webstrata.classify.learning.model_file import HostModel
from webstrata.classify.learning.models import LibraryOptions
from webstrata.classify.learning.splits import group_hosts
from webstrata.classify.settings import TrainSettings
from webstrata.collection.caveats import MIN_LABELS, warn_few
from webstrata.collection.progress import Progress

if TYPE_CHECKING:
    import numpy.typing as npt

    from webstrata.classify.learning.labels import Labels
    from webstrata.classify.learning.matrix import HostMatrix
    from webstrata.collection import Snapshot


def train(
    snapshot: Snapshot,
    matrix: HostMatrix,
    labels: Labels,
    task: str,
    settings: TrainSettings | None = None,
    *,
    progress: Progress | None = None,
) -> HostModel:
    """The model of a task, from the features of a snapshot's hosts and labels of some of them.

    Hosts of a domain or an address stay in one fold. Labelled hosts that are not in the snapshot are told.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.classify.learning.labels import Labels
    >>> from webstrata.classify.learning.matrix import HostMatrix
    >>> snapshot = testing.empty().add("2026-06")
    >>> hosts = [f"{number}.org" for number in range(40)]
    >>> matrix = HostMatrix(hosts, {"B": (["words"], np.arange(40.0)[:, None])})
    >>> labels = Labels("labels.csv", {"spam": {host: place >= 25 for place, host in enumerate(hosts)}})
    >>> model = train(snapshot, matrix, labels, "spam", TrainSettings(library="small"))
    >>> model.training["positives"], model.training["auc"] > 0.9
    (15, True)
    """
    settings = settings or TrainSettings()
    progress = progress or Progress()
    rows, truth, unknown = labels.match(task, matrix.hosts, folds=settings.folds)
    if unknown:
        progress.note(tell_unknown(unknown))
    known = matrix.rows(rows)
    groups = group_together(snapshot, known.hosts, settings, progress)
    estimator = new_estimator(known, settings)
    fit(estimator, known, truth, groups, progress, f"models of {task}")
    auc, deviation = fold_auc(truth, estimator.out_of_fold_, estimator.fold_)
    threshold = choose_threshold(truth, estimator.out_of_fold_)
    training = {
        "snapshot": snapshot.date,
        "labels": labels.source,
        "positives": int(truth.sum()),
        "negatives": int((~truth).sum()),
        "unknown": len(unknown),
        "groups": int(groups.max() + 1),
        "together": settings.together,
        "library": settings.library,
        "costly": settings.costly,
        "term_models": settings.term_models,
        "metric": settings.metric,
        "folds": settings.folds,
        "seed": settings.seed,
        "auc": auc,
        "deviation": deviation,
        "threshold": asdict(threshold),
        "warnings": warn_labels(truth, groups),
        "skipped": [list(pair) for pair in estimator.skipped_],
    }
    return HostModel(
        task,
        known.columns(),
        known.term_sets,
        estimator,
        known.made,
        training,
        find_typical(known, truth),
        known.statistics,
    )


def warn_labels(truth: npt.NDArray[np.bool_], groups: npt.NDArray[np.int64]) -> list[str]:
    """Why what is learned and measured from some labels should not be relied on.

    Examples
    --------
    >>> warn_labels(np.arange(30) < 4, np.arange(30))
    ['computed from 4 positive labels, fewer than 10: AUC and threshold are doubtful']
    """
    sides = {"positive label": truth, "negative label": ~truth}
    found = []
    for noun, side in sides.items():
        found += warn_few(int(side.sum()), MIN_LABELS, noun, "AUC and threshold are doubtful")
        number = len(np.unique(groups[side]))
        if number < MIN_LABELS <= int(side.sum()):
            found += warn_few(
                number, MIN_LABELS, f"group of hosts with {noun}s", "these hosts are not independent"
            )
    return found


def group_together(
    snapshot: Snapshot, hosts: list[str], settings: TrainSettings, progress: Progress
) -> npt.NDArray[np.int64]:
    """A number for each host, equal where no split may part them, as the settings say.

    Examples
    --------
    >>> from webstrata import testing
    >>> snapshot = testing.empty().add("2026-06")
    >>> group_together(snapshot, ["a.x.org", "b.x.org", "y.org"], TrainSettings(), Progress()).tolist()
    [0, 0, 1]
    """
    if settings.together == "domain":
        return group_hosts(hosts)
    addresses = find_addresses(snapshot, hosts, progress=progress)
    return group_hosts(hosts, addresses, domains=settings.together == "both")


def new_estimator(matrix: HostMatrix, settings: TrainSettings, **more: Any) -> EnsembleSelection:  # noqa: ANN401
    """An estimator for these feature sets, with a library for each.

    Examples
    --------
    >>> from webstrata.classify.learning.matrix import HostMatrix
    >>> matrix = HostMatrix(["a.org"], {"B": (["words"], np.zeros((1, 1)))})
    >>> new_estimator(matrix, TrainSettings(library="small")).feature_sets
    {'B': [0]}
    """
    return EnsembleSelection(
        settings.library,
        metric=settings.metric,
        folds=settings.folds,
        feature_sets=matrix.places(),
        term_sets=matrix.term_sets,
        time_budget=settings.time_budget,
        options=LibraryOptions(settings.costly, settings.term_models),
        random_state=settings.seed,
        n_jobs=-1,
        **more,
    )


def fit(
    estimator: EnsembleSelection,
    matrix: HostMatrix,
    truth: npt.NDArray[np.bool_],
    groups: npt.NDArray[np.int64],
    progress: Progress,
    title: str,
) -> EnsembleSelection:
    """Fit an estimator, and show how far it is.

    Examples
    --------
    >>> from webstrata.classify.learning.matrix import HostMatrix
    >>> values = np.arange(20.0)[:, None]
    >>> matrix = HostMatrix([f"{number}.org" for number in range(20)], {"B": (["words"], values)})
    >>> estimator = new_estimator(matrix, TrainSettings(library="small", folds=2))
    >>> fit(estimator, matrix, np.arange(20) > 9, np.arange(20), Progress(), "models").score_ > 0.9
    True
    """
    with progress.task(title, unit="models") as task:

        def tell(done: int, total: int, _name: str) -> None:
            task.total = total
            task.advance(done - task.done)

        estimator.fit(matrix.values(), truth, groups=groups, progress=tell)
    return estimator


def find_typical(matrix: HostMatrix, truth: npt.NDArray[np.bool_]) -> dict[str, list[list[float | None]]]:
    """For each set of numbers the medians of its columns over negative and over positive hosts.

    Examples
    --------
    >>> from webstrata.classify.learning.matrix import HostMatrix
    >>> matrix = HostMatrix(["a", "b", "c"], {"B": (["words"], np.array([[1.0], [3.0], [np.nan]]))})
    >>> find_typical(matrix, np.array([False, True, True]))
    {'B': [[1.0], [3.0]]}
    """
    found: dict[str, list[list[float | None]]] = {}
    for name, (_, values) in matrix.sets.items():
        if sp.issparse(values):
            continue
        found[name] = []
        for side in (~truth, truth):
            medians = [_median(column) for column in np.asarray(values)[side].T]
            found[name].append(medians)
    return found


def _median(column: npt.NDArray[np.float64]) -> float | None:
    known = column[~np.isnan(column)]
    return float(np.median(known)) if len(known) else None
