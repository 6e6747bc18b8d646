"""Learns models and gates of hosts from labels, and scores hosts by a model: what verbs do step by step."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from webstrata.classify.features.addresses import find_addresses
from webstrata.classify.features.sets import SETS, part_name
from webstrata.classify.learning.holdout import match_test, measure_model
from webstrata.classify.learning.labels import load_labels, tell_unknown
from webstrata.classify.learning.matrix import load_matrix
from webstrata.classify.learning.prediction import load_model_matrix
from webstrata.classify.learning.results import HostScores
from webstrata.collection.action import Action
from webstrata.collection.progress import Progress
from webstrata.errors import MissingError, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from os import PathLike

    from webstrata.api import Collection, Snapshot
    from webstrata.classify.gate.training import TrainedGate
    from webstrata.classify.learning.labels import Labels
    from webstrata.classify.learning.model_file import HostModel
    from webstrata.classify.settings import GateSettings, TrainSettings


def choose_snapshot(collection: Collection, label: str | None) -> Snapshot:
    """The snapshot of that label, or the last that has features.

    Examples
    --------
    >>> from webstrata import testing
    >>> choose_snapshot(testing.collection(), "2026-05").date
    '2026-05'
    """
    if label:
        return collection[label]
    having = [snapshot for snapshot in collection if any(part_name(name) in snapshot.parts for name in SETS)]
    if not having:
        raise MissingError(
            f"{collection.path}: no snapshot has features",
            fix=Action(
                "classify features", str(collection.path), collection.dates[-1] if collection.dates else ""
            ),
        )
    return having[-1]


def choose_published(collection: Collection, folder: str | PathLike[str], label: str | None) -> Snapshot:
    """The snapshot for a published data set, created if need be; default: the month of its crawl.

    Examples
    --------
    >>> from webstrata import testing
    >>> folder = testing.scratch()
    >>> _ = (folder / "WEBSPAM-UK2007-SET1-labels.txt").write_text("0 spam 1.0 j1:S")
    >>> choose_published(testing.empty(), folder, None).date
    '2007-05'
    """
    from webstrata.classify.published.dataset import find_published

    published = find_published(Path(folder))
    date = label or published.date
    return collection[date] if date in collection.dates else collection.add(date)


def find_labels(
    snapshot: Snapshot,
    labels: str | PathLike[str] | None,
    *,
    test: str | PathLike[str] | None = None,
    webspam: str | PathLike[str] | None = None,
    task: str = "spam",
    progress: Progress | None = None,
) -> tuple[Labels, Labels | None]:
    r"""Labels and test set: of files, or of a published data set, whose features are stored first.

    Examples
    --------
    >>> from webstrata import testing
    >>> sheet = testing.scratch() / "labels.csv"
    >>> _ = sheet.write_text("host,label\nreef.example,normal\npills.example,spam\n")
    >>> find_labels(testing.snapshot(), sheet)[0].find("spam")
    {'reef.example': False, 'pills.example': True}
    >>> find_labels(testing.snapshot(), None)
    Traceback (most recent call last):
    webstrata.errors.UsageError: no labels; name a file with `--labels FILE`, or a data set with ...
    """
    if webspam is not None:
        from webstrata.classify.published.dataset import prepare

        if labels is not None or test is not None:
            raise UsageError(
                "--webspam has labels and a test set of its own; leave --labels and --test out, or store the "
                "features with `classify features --webspam DIR` first"
            )
        return prepare(snapshot, Path(webspam), progress=progress)
    if labels is None:
        raise UsageError("no labels; name a file with `--labels FILE`, or a data set with `--webspam DIR`")
    known = load_labels(str(labels), snapshot, task=task)
    return known, None if test is None else load_labels(str(test), snapshot, task=task)


def train_model(
    snapshot: Snapshot,
    labels: str | PathLike[str],
    *,
    task: str = "spam",
    test: str | PathLike[str] | None = None,
    sets: Sequence[str] = (),
    output: str | PathLike[str] | None = None,
    settings: TrainSettings | None = None,
    progress: Progress | None = None,
) -> HostModel:
    r"""Learn from labels what tells hosts apart; the model, which is written to `output` if that is named.

    With `test`, labels of other hosts, the model is measured on them too.

    Examples
    --------
    >>> from webstrata import testing
    >>> pages = {f"http://h{n}.example/": "<p>cheap pills " * (n + 1) for n in range(12)}
    >>> june = testing.snapshot_of(pages, parts=())
    >>> labels = testing.scratch() / "labels.csv"
    >>> lines = [f"h{n}.example,{'spam' if n >= 6 else 'normal'}" for n in range(12)]
    >>> _ = labels.write_text("\n".join(["host,label", *lines]))
    >>> _ = june.classify_features(sets="A")
    >>> from webstrata.classify import TrainSettings
    >>> model = train_model(june, labels, settings=TrainSettings(library="small", folds=2))
    >>> predict_hosts(june, model).rows[0]["host"] in {f"h{n}.example" for n in range(6, 12)}
    True
    """
    from webstrata.classify.learning.model_file import save_model
    from webstrata.classify.learning.training import train
    from webstrata.classify.settings import TrainSettings

    known = load_labels(str(labels), snapshot, task=task)
    known.find(task)
    matrix = load_matrix(snapshot, list(sets))
    chosen = settings or snapshot.settings(TrainSettings)
    measured = None if test is None else load_labels(str(test), snapshot, task=task)
    if measured is not None:
        match_test(known, measured, task, matrix.hosts)  # what is wrong is said before a long computation
    model = train(snapshot, matrix, known, task, chosen, progress=progress or Progress())
    if measured is not None:
        model.training["test"] = measure_model(model, matrix, measured)
    if output is not None:
        save_model(model, Path(output))
    return model


def learn_gate(
    snapshot: Snapshot,
    labels: str | PathLike[str],
    *,
    task: str = "spam",
    output: str | PathLike[str] | None = None,
    settings: GateSettings | None = None,
    progress: Progress | None = None,
) -> TrainedGate:
    r"""Learn a gate from the labelled hosts of a snapshot; it is written to `output` if that is named.

    Examples
    --------
    >>> from webstrata import testing
    >>> pages = {f"http://h{n}.example/": "<p>cheap pills " * (n + 1) for n in range(12)}
    >>> june = testing.snapshot_of(pages, parts=())
    >>> labels = testing.scratch() / "labels.csv"
    >>> lines = [f"h{n}.example,{'spam' if n >= 6 else 'normal'}" for n in range(12)]
    >>> _ = labels.write_text("\n".join(["host,label", *lines]))
    >>> from webstrata.classify import GateSettings
    >>> gate = learn_gate(june, labels, settings=GateSettings(folds=2))
    >>> gate.hosts, gate.spam, sorted(gate.auc)
    (12, 6, ['content', 'links'])
    """
    from webstrata.classify.gate.file import save_gate
    from webstrata.classify.gate.training import sample_snapshot, train_gate
    from webstrata.classify.settings import GateSettings

    progress = progress or Progress()
    settings = settings or snapshot.settings(GateSettings)
    known = load_labels(str(labels), snapshot, task=task)
    sites, totals = sample_snapshot(snapshot, settings.pages, progress=progress)
    names = [site.host for site in sites]
    _, _, unknown = known.match(task, names, folds=settings.folds)
    if unknown:
        progress.note(tell_unknown(unknown))
    addresses: dict[str, str | None] = {}
    if settings.together == "both":
        addresses = dict(zip(names, find_addresses(snapshot, names, progress=progress), strict=True))
    with progress.task("learning the gate", total=None, unit=""):
        trained = train_gate(
            sites,
            totals,
            known.find(task),
            pages=settings.pages,
            bound=settings.max_loss,
            addresses={name: address for name, address in addresses.items() if address},
            folds=settings.folds,
            seed=settings.seed,
        )
    if output is not None:
        save_gate(trained, Path(output))
    return trained


def predict_hosts(
    snapshot: Snapshot,
    model: HostModel,
    *,
    hosts: Sequence[str] | None = None,
    progress: Progress | None = None,
) -> HostScores:
    r"""The scores of a snapshot's hosts, or of some, by a model: one row per host, the highest first.

    Hosts are measured by the document frequencies, lengths and word lists that the model keeps of its own
    corpus (SPAM, section 6.2); of some hosts, their pages alone are read.

    Examples
    --------
    >>> from webstrata import testing
    >>> pages = {f"http://h{n}.example/": "<p>cheap pills " * (n + 1) for n in range(12)}
    >>> june = testing.snapshot_of(pages, parts=())
    >>> _ = june.classify_features(sets="A")
    >>> labels = testing.scratch() / "labels.csv"
    >>> lines = [f"h{n}.example,{'spam' if n >= 6 else 'normal'}" for n in range(12)]
    >>> _ = labels.write_text("\n".join(["host,label", *lines]))
    >>> model = june.classify_train(labels, library="small", folds=2)
    >>> [row["host"] for row in predict_hosts(june, model, hosts=["h1.example", "h9.example"]).rows]
    ['h9.example', 'h1.example']
    """
    return HostScores(model, load_model_matrix(snapshot, model, hosts=hosts, progress=progress))


def open_model(model: HostModel | str | PathLike[str]) -> HostModel:
    r"""A model, or the one in a file.

    Examples
    --------
    >>> from webstrata import testing
    >>> pages = {f"http://h{n}.example/": "<p>cheap pills " * (n + 1) for n in range(12)}
    >>> june = testing.snapshot_of(pages, parts=())
    >>> _ = june.classify_features(sets="A")
    >>> folder = testing.scratch()
    >>> lines = [f"h{n}.example,{'spam' if n >= 6 else 'normal'}" for n in range(12)]
    >>> _ = (folder / "labels.csv").write_text("\n".join(["host,label", *lines]))
    >>> _ = june.classify_train(folder / "labels.csv", library="small", folds=2, output=folder / "spam.model")
    >>> open_model(folder / "spam.model").task
    'spam'
    """
    from webstrata.classify.learning.model_file import HostModel, load_model

    return model if isinstance(model, HostModel) else load_model(Path(model))
