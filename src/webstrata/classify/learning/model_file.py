"""Model files: what was learned, as plain arrays and a card, in one zip file. Nothing in it is ever run.

==================  =====================================================================================
``card.json``       the card, see below
``arrays/N.npy``    the arrays of the models, in NumPy's format, without objects
==================  =====================================================================================

The card has ``format`` (2), ``webstrata`` (the version that wrote it), ``task``, ``sets`` (for each feature
set its columns, whether they are ``terms``, how they were ``made``, and its ``statistics`` of the corpus,
`webstrata.classify.features.incremental`; format 1 had none), ``training`` (snapshot, counts of
labels, library, metric, folds, seed, AUC on hosts not trained on, the threshold with the best F1 on them,
warnings), ``members`` (set, name, weight and AUC of
each model of the library), ``typical`` (for each column of sets that are not terms the median over positive
and negative hosts), and ``models``: for each model that has weight its set, weights and fits, a fit being a
kind, facts and the numbers of its arrays (`webstrata.classify.learning.model_arrays`).
"""

from __future__ import annotations

import io
import json
import struct
import zipfile
import zlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from webstrata._core import __version__
from webstrata.classify.learning.ensemble import EnsembleSelection
from webstrata.classify.learning.model_arrays import Damaged, Plain, from_plain, to_plain
from webstrata.collection.action import Action
from webstrata.collection.arrays import parse_array
from webstrata.collection.files import explained, replace_file
from webstrata.errors import FormatError, NewerFormatError, UsageError

if TYPE_CHECKING:
    from pathlib import Path

    import numpy.typing as npt

    from webstrata.classify.learning.matrix import HostMatrix
    from webstrata.classify.learning.results import ModelCard

FORMAT = 2
CARD = "card.json"
MOST_BYTES = 4 << 30
"""Arrays of a file that claims more are not read."""
MOST_CARD = 32 << 20
"""Bytes of a card; one that claims more is not read. As text of JSON it takes some times more memory."""
UNREADABLE = (
    *(zipfile.BadZipFile, zlib.error, ValueError, EOFError, OSError, MemoryError, RuntimeError),
    *(IndexError, OverflowError, struct.error),
)
"""What reading a damaged zip file, its JSON and its arrays raises (RuntimeError: a password, for one)."""
MOST_RATIO = 100
"""How many times larger than the file its content may be, once it is larger than `MOST_CARD`."""


@dataclass
class HostModel:
    """A model of hosts, with what it was made of.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.classify.learning.matrix import HostMatrix
    >>> values = np.array([[0.0], [1.0], [2.0], [3.0]] * 5)
    >>> matrix = HostMatrix([f"{n}.org" for n in range(20)], {"B": (["words"], values)})
    >>> labels = np.array([0, 0, 1, 1] * 5)
    >>> fitted = EnsembleSelection("small", feature_sets={"B": [0]}, random_state=1).fit(values, labels)
    >>> model = HostModel("spam", matrix.columns(), (), fitted)
    >>> path = testing.scratch() / "spam.model"
    >>> save_model(model, path)
    >>> np.array_equal(load_model(path).scores(matrix), model.scores(matrix))
    True
    """

    task: str
    columns: dict[str, list[str]]
    """The columns of each feature set."""
    term_sets: tuple[str, ...]
    """Sets that are term vectors, in which a column that is not there is 0."""
    estimator: EnsembleSelection
    made: dict[str, dict[str, Any]] = field(default_factory=dict)
    """How each set was made: the settings that it heeds."""
    training: dict[str, Any] = field(default_factory=dict)
    typical: dict[str, list[list[float | None]]] = field(default_factory=dict)
    """Medians of each column of a set, over negatives and positives."""
    statistics: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Of each set what it knows of the corpus, by which other hosts are measured."""

    @property
    def threshold(self) -> float | None:
        """From which score on a host is taken to be positive; None where it was not calibrated."""
        chosen = self.training.get("threshold")
        return float(chosen["value"]) if isinstance(chosen, dict) and "value" in chosen else None

    @property
    def warnings(self) -> list[str]:
        """Why scores should not be relied on."""
        found = [str(sentence) for sentence in self.training.get("warnings", [])]
        if self.threshold is None:
            found.append(
                "the threshold is not calibrated: the model is of version 0.1.0, or was not made by "
                "training; train it again"
            )
        if lacking := [name for name in self.term_sets if not self.statistics.get(name)]:
            found.append(
                f"the model has no document frequencies for {', '.join(lacking)} (format 1, or "
                "published features): hosts of another snapshot are weighed by that snapshot's own, and "
                "terms that it does not have are 0; train it again"
            )
        return found

    def card(self) -> ModelCard:
        """What it was made of and how good it is, as tables."""
        from webstrata.classify.learning.results import ModelCard

        return ModelCard(self)

    def scores(self, matrix: HostMatrix) -> npt.NDArray[np.float64]:
        """How likely each host is positive; `UsageError` where the features are others than those learned."""
        found: npt.NDArray[np.float64] = self.estimator.predict_proba(self.values(matrix))[:, 1]
        return found

    def values(self, matrix: HostMatrix) -> Any:  # noqa: ANN401
        """The values of the hosts in the columns that the model knows."""
        parts = []
        for name, columns in self.columns.items():
            if name not in matrix.sets:
                raise UsageError(
                    f"the model of {self.task} looks at features {name}, and there are only "
                    f"{', '.join(matrix.sets)}; make them, or train another model"
                )
            if (made := matrix.made.get(name)) and self.made.get(name) and made != self.made[name]:
                other = {key for key in made | self.made[name] if made.get(key) != self.made[name].get(key)}
                raise UsageError(
                    f"the model of {self.task} was trained on features {name} made with other settings "
                    f"({', '.join(sorted(other))}); make them again with those, or train another model"
                )
            parts.append(self._align(matrix, name, columns))
        if any(sp.issparse(part) for part in parts):
            return sp.hstack([sp.csr_matrix(part) for part in parts]).tocsr()
        return np.hstack(parts)

    def _align(self, matrix: HostMatrix, name: str, columns: list[str]) -> Any:  # noqa: ANN401
        there, values = matrix.sets[name]
        if there == columns:
            return values
        places = {column: place for place, column in enumerate(there)}
        missing = [column for column in columns if column not in places]
        if name not in self.term_sets:
            if missing:
                raise UsageError(
                    f"the model of {self.task} looks at {missing[0]} of features {name}, which are made "
                    "without it now; train another model"
                )
            return values[:, [places[column] for column in columns]]
        if len(missing) == len(columns):
            raise UsageError(
                f"the model of {self.task} knows {len(columns)} terms, and none of them is in features "
                f"{name}; train another model on this collection"
            )
        known = [(places[column], at) for at, column in enumerate(columns) if column in places]
        take, put = (np.array(side, np.int64) for side in zip(*known, strict=True))
        mover = sp.csr_matrix((np.ones(len(take)), (take, put)), (len(there), len(columns)))
        return sp.csr_matrix(values) @ mover


def save_model(model: HostModel, path: Path) -> None:
    """Write a model; what was there is replaced when all of it is written.

    Examples
    --------
    See `HostModel`.

    >>> save_model.__name__
    'save_model'
    """
    arrays: list[npt.NDArray[Any]] = []
    models = []
    for name, weights, fits in model.estimator.fitted_:
        entries = []
        for fit in fits:
            plain = to_plain(fit)
            numbers = {}
            for key, array in plain.arrays.items():
                numbers[key] = len(arrays)
                arrays.append(np.ascontiguousarray(array))
            entries.append({"kind": plain.kind, "facts": plain.facts, "arrays": numbers})
        models.append({"set": name, "weights": [float(weight) for weight in weights], "fits": entries})
    estimator = model.estimator
    card = {
        "format": FORMAT,
        "webstrata": __version__,
        "task": model.task,
        "sets": {
            name: {
                "columns": columns,
                "terms": name in model.term_sets,
                "made": model.made.get(name, {}),
                "statistics": model.statistics.get(name, {}),
            }
            for name, columns in model.columns.items()
        },
        "training": model.training,
        "members": [
            [name, member, float(weight), float(score)]
            for (name, member), weight, score in zip(
                estimator.members_, estimator.weights_, estimator.member_scores_, strict=True
            )
        ],
        "score": float(estimator.score_),
        "typical": model.typical,
        "models": models,
    }
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        archive.writestr(_entry(CARD), json.dumps(card, ensure_ascii=False, indent=1))
        for number, array in enumerate(arrays):
            content = io.BytesIO()
            np.lib.format.write_array(content, array, allow_pickle=False)
            archive.writestr(_entry(f"arrays/{number}.npy"), content.getvalue())
    replace_file(path, stream.getvalue())


def _entry(name: str) -> zipfile.ZipInfo:
    """Without the time, so that equal models are equal files."""
    entry = zipfile.ZipInfo(name)
    entry.compress_type = zipfile.ZIP_DEFLATED
    return entry


def load_model(path: Path) -> HostModel:
    """The model in a file, or one sentence about why it is none.

    Examples
    --------
    >>> import pickle
    >>> from webstrata import testing
    >>> values = np.array([[0.0], [1.0], [2.0], [3.0]] * 5)
    >>> fitted = EnsembleSelection("small", feature_sets={"B": [0]}).fit(values, np.array([0, 0, 1, 1] * 5))
    >>> path = testing.scratch() / "spam.model"
    >>> save_model(HostModel("spam", {"B": ["words"]}, (), fitted), path)
    >>> load_model(path).task
    'spam'
    >>> _ = path.write_bytes(pickle.dumps({"model": 1}))
    >>> load_model(path)
    Traceback (most recent call last):
    webstrata.errors.FormatError: ...spam.model: this is pickled code, which is never run; call ...
    """
    with explained(path, "read"):
        content = path.read_bytes()
    if not zipfile.is_zipfile(io.BytesIO(content)):
        what = "pickled code, which is never run" if content[:1] == b"\x80" else "not a model file"
        raise FormatError(f"{path}: this is {what}", fix=Action("classify train", options={"labels": "FILE"}))
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            card = _read_card(path, archive)
            arrays = _Arrays(archive)
            return _from_card(card, arrays)
    except (FormatError, NewerFormatError):
        raise
    except Damaged as error:
        raise FormatError(f"{path}: this model file is damaged ({error}); train the model again") from error
    except (*UNREADABLE, KeyError, TypeError, AttributeError) as error:
        said = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise FormatError(f"{path}: this model file is damaged ({said}); train the model again") from error


def _read_card(path: Path, archive: zipfile.ZipFile) -> dict[str, Any]:
    if CARD not in archive.namelist():
        if any(name.endswith((".pkl", "schema.json")) for name in archive.namelist()):
            raise FormatError(
                f"{path}: this holds code or objects of another program, which are never loaded",
                fix=Action("classify train", options={"labels": "FILE"}),
            )
        raise FormatError(f"{path}: this is no model file; it has no {CARD}")
    check_sizes(path, archive, card=MOST_CARD, total=MOST_BYTES)
    card = json.loads(archive.read(CARD))
    if not isinstance(card, dict) or not isinstance(card.get("format"), int):
        raise FormatError(f"{path}: its card has no format number; train the model again")
    if card.get("kind") == "gate":
        raise FormatError(
            f"{path}: this is a gate, which judges hosts by their first pages while they are crawled; "
            "{fix} with the same labels for a model of whole hosts",
            fix=Action("classify train", options={"labels": "FILE"}),
        )
    if card["format"] > FORMAT:
        raise NewerFormatError(
            f"{path}: this model was written by webstrata {card.get('webstrata')} in format "
            f"{card['format']}, and {FORMAT} is the newest known here; upgrade webstrata, or train it again"
        )
    return card


def check_sizes(path: Path, archive: zipfile.ZipFile, *, card: int, total: int) -> None:
    """Refuse a zip file whose entries claim more bytes than a model can have, before any is decompressed.

    `zipfile` gives no more than the claimed bytes of an entry, so the claims are limits.

    Examples
    --------
    >>> from pathlib import Path
    >>> stream = io.BytesIO()
    >>> with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
    ...     archive.writestr("card.json", bytes(5000))
    >>> with zipfile.ZipFile(stream) as archive:
    ...     check_sizes(Path("spam.model"), archive, card=8192, total=1 << 20)
    ...     check_sizes(Path("spam.model"), archive, card=4096, total=1 << 20)
    Traceback (most recent call last):
    webstrata.errors.FormatError: spam.model: its card.json claims to have 5000 bytes, and 4096 are the limit;
    it was not written by webstrata
    """
    sizes = {entry.filename: entry.file_size for entry in archive.infolist()}
    packed = sum(entry.compress_size for entry in archive.infolist())
    if sizes.get(CARD, 0) > card:
        raise FormatError(
            f"{path}: its {CARD} claims to have {sizes[CARD]} bytes, and {card} are the limit; it was not "
            "written by webstrata"
        )
    limit = min(total, max(MOST_CARD, MOST_RATIO * packed))
    if sum(sizes.values()) > limit:
        raise FormatError(
            f"{path}: its content claims to have {sum(sizes.values())} bytes, and {limit} are the limit for "
            "a file of this size; it was not written by webstrata"
        )


class _Arrays:
    def __init__(self, archive: zipfile.ZipFile) -> None:
        self.archive = archive

    def read(self, number: int) -> npt.NDArray[Any]:
        try:
            return parse_array(self.archive.read(f"arrays/{int(number)}.npy"))
        except ValueError as error:
            raise Damaged(f"array {number}: {error}") from error


def _from_card(card: dict[str, Any], arrays: _Arrays) -> HostModel:
    columns = {name: [str(column) for column in entry["columns"]] for name, entry in card["sets"].items()}
    term_sets = tuple(name for name, entry in card["sets"].items() if entry["terms"])
    starts = np.concatenate([[0], np.cumsum([len(some) for some in columns.values()])]).astype(int)
    sets = {
        name: list(range(start, start + len(some)))
        for (name, some), start in zip(columns.items(), starts, strict=False)
    }
    estimator = EnsembleSelection(feature_sets=sets, term_sets=term_sets)
    estimator.fitted_ = []
    for entry in card["models"]:
        weights = np.array(entry["weights"], np.float64)
        fits = []
        for fit in entry["fits"]:
            loaded = {key: arrays.read(number) for key, number in fit["arrays"].items()}
            fits.append(from_plain(Plain(fit["kind"], fit["facts"], loaded), len(columns[entry["set"]])))
        if not fits or not len(weights) or not np.isfinite(weights).all():
            raise Damaged("a model has no weights")
        estimator.fitted_.append((entry["set"], weights, fits))
    if not estimator.fitted_:
        raise Damaged("it has no models")
    members = card["members"]
    estimator.members_ = [(str(name), str(member)) for name, member, _, _ in members]
    estimator.weights_ = np.array([weight for _, _, weight, _ in members], np.float64)
    estimator.member_scores_ = np.array([score for *_, score in members], np.float64)
    estimator.score_ = float(card["score"])
    estimator.classes_ = np.array([False, True])
    estimator.n_features_in_ = int(starts[-1])
    made = {name: entry["made"] for name, entry in card["sets"].items()}
    statistics = {
        name: check_statistics(name, columns[name], entry["statistics"])
        for name, entry in card["sets"].items()
        if entry.get("statistics")
    }
    return HostModel(
        str(card["task"]), columns, term_sets, estimator, made, card["training"], card["typical"], statistics
    )


def check_statistics(name: str, columns: list[str], statistics: Any) -> dict[str, Any]:  # noqa: ANN401
    """Statistics of a set as a card has them, or `Damaged` where they do not fit its columns.

    Examples
    --------
    >>> check_statistics("bm25", ["eel"], {"df": [1], "num_documents": 4, "mean_length": 9, "k1": 1, "b": 0})
    {'df': [1], 'num_documents': 4, 'mean_length': 9, 'k1': 1, 'b': 0}
    >>> check_statistics("bm25", ["eel"], {"df": []})
    Traceback (most recent call last):
    webstrata.classify.learning.model_arrays.Damaged: statistics of bm25: 0 document frequencies for 1 terms
    """
    if not isinstance(statistics, dict):
        raise Damaged(f"statistics of {name} are not a table")
    groups = len({column.partition(":")[0] for column in columns}) if "weights" in statistics else 1
    for facts in statistics.get("weights", [statistics]):
        if "df" not in facts:
            continue
        if len(facts["df"]) * groups != len(columns):
            raise Damaged(
                f"statistics of {name}: {len(facts['df'])} document frequencies for {len(columns)} terms"
            )
        if not all(
            isinstance(facts[key], (int, float)) for key in ("num_documents", "mean_length", "k1", "b")
        ):
            raise Damaged(f"statistics of {name} are not numbers")
    for kind in ("corpus", "queries"):
        if not all(isinstance(word, str) for word in statistics.get(kind) or ()):
            raise Damaged(f"statistics of {name}: {kind} are not words")
    return statistics
