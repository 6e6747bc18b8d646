"""Labelled hosts of a task, those that are trained on and those of an official test set.

SPAM trains and tests on the official sets of the Web Spam Challenge 2008 and of the Discovery Challenge 2010
(section 5). A test set is another file of labels. A host that is in both, or that the snapshot does not have,
is refused: the published AUC would be that of other hosts. What the official sets do not promise is counted:
hosts of one domain or address may be on both sides.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from webstrata.classify.learning.labels import tell_unknown
from webstrata.classify.learning.metrics import fold_auc
from webstrata.collection.sentences import tell_count
from webstrata.errors import MissingError, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from webstrata.classify.learning.labels import Labels
    from webstrata.classify.learning.matrix import HostMatrix
    from webstrata.classify.learning.model_file import HostModel

LEAST = 2
"""Hosts of each class that a test set must have: a deviation needs two."""


def match_test(
    labels: Labels, test: Labels, task: str, hosts: Sequence[str]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_], npt.NDArray[np.bool_], list[str]]:
    """Rows of labelled hosts, their labels, which are of the test set, and training hosts that are not there.

    Examples
    --------
    >>> from webstrata.classify.learning.labels import Labels
    >>> train = Labels("train.csv", {"spam": {f"{n}.org": n < 3 for n in range(6)}})
    >>> test = Labels("test.csv", {"spam": {f"{n}.org": n < 8 for n in range(6, 10)}})
    >>> rows, truth, measured, _ = match_test(train, test, "spam", [f"{n}.org" for n in range(10)])
    >>> len(rows), int(truth.sum()), int(measured.sum())
    (10, 5, 4)
    """
    if both := sorted(set(labels.find(task)) & set(test.find(task))):
        raise UsageError(
            f"{test.source}: {both[0]}{f' and {len(both) - 1} more' if len(both) > 1 else ''} "
            f"{'is' if len(both) == 1 else 'are'} labelled in {labels.source} too; a host that is trained on "
            "measures nothing, so remove it from one of the files"
        )
    places, truth, missing = test.match(task, hosts)
    if missing:
        raise UsageError(
            f"{test.source}: {tell_unknown(missing)}; remove them from the test set, or name the snapshot "
            "that has them"
        )
    if min(int(truth.sum()), int((~truth).sum())) < LEAST:
        raise MissingError(
            f"{test.source}: of {tell_count(len(truth), 'host')}, {int(truth.sum())} are {task}; a test set "
            f"needs {LEAST} hosts of each kind at least"
        )
    rows, known, unknown = labels.match(task, hosts, folds=2)
    measured = np.concatenate([np.zeros(len(rows), bool), np.ones(len(places), bool)])
    return np.concatenate([rows, places]), np.concatenate([known, truth]), measured, unknown


def warn_shared(groups: npt.NDArray[np.int64], measured: npt.NDArray[np.bool_]) -> list[str]:
    """How many hosts of a test set share a domain or address with hosts that are trained on.

    Examples
    --------
    >>> warn_shared(np.array([0, 1, 1]), np.array([False, False, True]))
    ['1 of 1 test hosts share a domain or address with hosts trained on: their AUC may be too high']
    """
    shared = int(np.isin(groups[measured], groups[~measured]).sum())
    if not shared:
        return []
    total = int(measured.sum())
    return [
        f"{shared} of {total} test hosts share a domain or address with hosts trained on: their AUC may be "
        "too high"
    ]


def measure_model(model: HostModel, matrix: HostMatrix, test: Labels) -> dict[str, Any]:
    """The AUC of a model on a test set, with its deviation and counts, as the model's card has it.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> from webstrata.classify.learning.labels import Labels
    >>> from webstrata.classify.learning.matrix import HostMatrix
    >>> matrix = HostMatrix([f"{n}.org" for n in range(4)], {"B": (["x"], np.arange(4.0)[:, None])})
    >>> model = SimpleNamespace(task="spam", scores=lambda some: some.sets["B"][1][:, 0])
    >>> labels = Labels("test.csv", {"spam": {f"{n}.org": n > 1 for n in range(4)}})
    >>> measure_model(model, matrix, labels)["auc"]
    1.0
    """
    places, truth, _ = test.match(model.task, matrix.hosts)
    scores = model.scores(matrix.rows(places))
    value, deviation = fold_auc(truth, scores, np.zeros(len(truth), np.int64))
    return {
        "labels": test.source,
        "positives": int(truth.sum()),
        "negatives": int((~truth).sum()),
        "auc": value,
        "deviation": deviation,
    }
