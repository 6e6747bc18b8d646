"""Results of learning and of scoring, as tables: the card of a model, scores of hosts, reasons of a score."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

from webstrata.classify.learning.reasons import FeatureReason, explain
from webstrata.collection.files import replace_file
from webstrata.collection.sentences import tell_count
from webstrata.collection.tables import FactsTable, Rows, TableList

if TYPE_CHECKING:
    from collections.abc import Sequence
    from os import PathLike

    from webstrata.classify.learning.matrix import HostMatrix
    from webstrata.classify.learning.model_file import HostModel
    from webstrata.collection.tables import Table

TOGETHER = {"both": "domain and address", "domain": "domain", "address": "address"}
"""What the setting `together` keeps on one side, in words."""


class ModelCard(FactsTable):
    """What a model was made of, and how good it is: everything but the models themselves.

    Examples
    --------
    >>> from webstrata import testing
    >>> pages = {f"http://h{n}.example/": "<p>cheap pills " * (n + 1) for n in range(12)}
    >>> june = testing.snapshot_of(pages, parts=())
    >>> _ = june.classify_features(sets="A")
    >>> labels = testing.scratch() / "labels.csv"
    >>> lines = [f"h{n}.example,{'spam' if n >= 6 else 'normal'}" for n in range(12)]
    >>> _ = labels.write_text(chr(10).join(["host,label", *lines]))
    >>> card = june.classify_train(labels, library="small", folds=2).card()
    >>> card.summary.splitlines()[0]
    'spam: 6 hosts are, 6 are not, in 1 group by domain and address'
    >>> list(card.tables())
    ['Weights of families']
    """

    name = "model"

    def __init__(self, model: HostModel) -> None:
        self.model, self.warnings = model, model.training["warnings"]

    def to_dict(self) -> dict[str, Any]:
        """Task, training, warnings, and the weights of sets, families and models."""
        model, estimator = self.model, self.model.estimator
        members = sorted(
            zip(
                estimator.members_,
                estimator.weights_.tolist(),
                estimator.member_scores_.tolist(),
                strict=True,
            ),
            key=lambda entry: -entry[1],
        )
        return {
            "task": model.task,
            "training": model.training,
            "warnings": model.training["warnings"],
            "sets": {name: len(columns) for name, columns in model.columns.items()},
            "set_weights": estimator.set_weights_,
            "family_weights": estimator.family_weights_,
            "hill_climbing_score": estimator.score_,
            "members": [
                {"set": name, "model": member, "weight": weight, "score": score}
                for (name, member), weight, score in members
            ],
        }

    @property
    def summary(self) -> str:
        """Labels, AUC and threshold."""
        model, training = self.model, self.model.training
        lines = [
            f"{model.task}: {tell_count(training['positives'], 'host')} are, {training['negatives']} are "
            f"not, in {tell_count(training['groups'], 'group')} by {TOGETHER[training['together']]}",
            f"AUC on hosts not trained on: {training['auc']:.3f} ± {training['deviation']:.3f} "
            f"(best single model: {model.estimator.member_scores_.max():.3f}); models were chosen by these "
            "hosts, and `classify experiment` measures on others",
        ]
        if test := training.get("test"):
            lines.append(
                f"AUC on the test set {test['labels']}: {test['auc']:.3f} ± {test['deviation']:.3f} "
                f"({test['positives']:,} positive, {test['negatives']:,} negative)"
            )
        threshold = training["threshold"]
        lines.append(
            f"Threshold {threshold['value']:.3f}: the best F1 on these hosts, {threshold['f1']:.3f} "
            f"(precision {threshold['precision']:.3f}, recall {threshold['recall']:.3f})"
        )
        if training["skipped"]:
            lines.append(f"The time budget left out {tell_count(len(training['skipped']), 'model')}.")
        return "\n".join(lines)

    def tables(self) -> dict[str, Table]:
        """The weights of feature sets, if there are several, and of families of models."""
        model, estimator = self.model, self.model.estimator
        sets = [
            {"set": name, "features": len(model.columns[name]), "weight": weight}
            for name, weight in estimator.set_weights_.items()
        ]
        families = [{"family": name, "weight": weight} for name, weight in estimator.family_weights_.items()]
        formats = {"weight": ".1%"}
        several = {"Weights of feature sets": Rows("weights of feature sets", sets, formats=formats)}
        return {
            **(several if len(model.columns) > 1 else {}),
            "Weights of families": Rows("weights of families", families, formats=formats),
        }


class Reasons(TableList[FeatureReason]):
    """Why a host has its score: the features that change it most."""

    def __init__(self, task: str, host: str, score: float, reasons: Sequence[FeatureReason]) -> None:
        super().__init__(reasons)
        self.task, self.host, self.score = task, host, score

    def to_dict(self) -> dict[str, Any]:
        """Task, host and score, then the reasons."""
        rows = [dict(row) for row in self.to_rows()]
        return {"task": self.task, "host": self.host, "score": self.score, "reasons": rows}

    @property
    def summary(self) -> str:
        """The score."""
        found = f"{self.host}: {self.task} {self.score:.3f}"
        return found if len(self) else f"{found}\nNo single feature changes it."

    def tables(self) -> dict[str, Table]:
        """The features with what is usual for hosts of both kinds."""
        rows = [
            {
                "set": reason.feature_set,
                "feature": reason.feature,
                "value": reason.value,
                "negative": reason.negative,
                "positive": reason.positive,
                "effect": reason.effect,
            }
            for reason in self
        ]
        headings = {"set": "set", "feature": "feature", "value": "here", "negative": f"not {self.task}"}
        headings |= {"positive": self.task, "effect": "effect"}
        formats = dict.fromkeys(("value", "negative", "positive"), ".4g") | {"effect": "+.3f"}
        return {"Reasons": Rows("reasons", rows, headings=headings, formats=formats)}


class HostScores(Rows):
    """The scores of hosts by a model, the highest first."""

    def __init__(self, model: HostModel, matrix: HostMatrix) -> None:
        scores = model.scores(matrix)
        order = sorted(range(len(scores)), key=lambda place: (-scores[place], place))
        rows = [{"host": matrix.hosts[place], "score": float(scores[place])} for place in order]
        super().__init__(
            "hosts", rows, headings={"host": "host", "score": model.task}, formats={"score": ".3f"}
        )
        self.model, self._matrix = model, matrix

    @property
    def warnings(self) -> list[str]:
        """Why the scores should not be relied on."""
        return self.model.warnings

    @property
    def above(self) -> int | None:
        """Hosts at the model's threshold or above; None if that is not calibrated."""
        threshold = self.model.threshold
        return None if threshold is None else sum(row["score"] >= threshold for row in self.rows)

    def to_dict(self) -> dict[str, Any]:
        """Task, threshold and warnings with the hosts."""
        facts = {"task": self.model.task, "threshold": self.model.threshold, "above_threshold": self.above}
        return {**facts, "hosts": self.rows, "warnings": self.warnings}

    @property
    def summary(self) -> str:
        """How many hosts there are, and how many reach the threshold."""
        hosts = f"{self.model.task}: {tell_count(len(self), 'host')}"
        if self.above is None:
            return f"{hosts}; the threshold is not calibrated, so none is classified"
        chosen = self.model.training["threshold"]
        return (
            f"{hosts}; {self.above} of them score {chosen['value']:.3f} or more, the threshold with the best "
            f"F1 on hosts not trained on (precision {chosen['precision']:.3f}, recall {chosen['recall']:.3f})"
        )

    def explain(self, host: str, *, most: int = 10) -> Reasons:
        """Why a host has its score."""
        score, reasons = explain(self.model, self._matrix, host, most=most)
        return Reasons(self.model.task, host, score, reasons)

    def write(self, path: str | PathLike[str]) -> None:
        """Write the scores of all hosts as CSV."""
        stream = io.StringIO()
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(["host", self.model.task])
        writer.writerows([row["host"], f"{row['score']:.6f}"] for row in self.rows)
        replace_file(Path(path), stream.getvalue().encode())
