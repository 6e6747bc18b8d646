"""Model files: the same scores after a round trip; nothing that runs, nothing that does not fit."""

from __future__ import annotations

import io
import json
import pickle
import zipfile
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import scipy.sparse as sp

from webstrata.classify.ensemble import EnsembleSelection
from webstrata.classify.matrix import HostMatrix
from webstrata.classify.model_file import HostModel, load_model, save_model
from webstrata.errors import FormatError, NewerFormatError, UsageError

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def matrix() -> HostMatrix:
    random = np.random.default_rng(4)
    values = random.normal(size=(60, 3))
    values[::8, 0] = np.nan
    terms = sp.random(60, 40, 0.2, random_state=1, format="csr")
    sets: dict[str, Any] = {"B": (["x", "y", "z"], values), "bm25": ([f"t{n}" for n in range(40)], terms)}
    return HostMatrix([f"{n}.org" for n in range(60)], sets, {"B": {"ngram": 3}})


@pytest.fixture(scope="module")
def model(matrix: HostMatrix) -> HostModel:
    target = np.nan_to_num(matrix.sets["B"][1][:, 1]) > 0
    fitted = EnsembleSelection(
        "small", feature_sets=matrix.places(), term_sets=matrix.term_sets, folds=3, random_state=1
    ).fit(matrix.values(), target)
    return HostModel("spam", matrix.columns(), matrix.term_sets, fitted, matrix.made, {"hosts": 60})


@pytest.fixture
def path(model: HostModel, tmp_path: Path) -> Path:
    save_model(model, tmp_path / "spam.model")
    return tmp_path / "spam.model"


def rewrite(path: Path, name: str, content: bytes | None) -> None:
    """Put something else in the place of one entry."""
    with zipfile.ZipFile(path) as archive:
        entries = {entry: archive.read(entry) for entry in archive.namelist()}
    if content is None:
        del entries[name]
    else:
        entries[name] = content
    with zipfile.ZipFile(path, "w") as archive:
        for entry, data in entries.items():
            archive.writestr(entry, data)


def card(path: Path) -> dict[str, Any]:
    with zipfile.ZipFile(path) as archive:
        found: dict[str, Any] = json.loads(archive.read("card.json"))
        return found


def test_a_model_says_the_same_after_it_was_kept(path: Path, model: HostModel, matrix: HostMatrix) -> None:
    loaded = load_model(path)
    assert loaded.scores(matrix) == pytest.approx(model.scores(matrix), abs=1e-12)
    assert loaded.estimator.set_weights_ == pytest.approx(model.estimator.set_weights_)
    assert (loaded.task, loaded.training) == ("spam", {"hosts": 60})
    first = path.read_bytes()
    save_model(model, path)
    assert path.read_bytes() == first


def test_columns_are_found_by_name_and_unknown_terms_are_nothing(
    model: HostModel, matrix: HostMatrix
) -> None:
    columns, values = matrix.sets["B"]
    terms, weights = matrix.sets["bm25"]
    more = np.ones((60, 1))
    turned = HostMatrix(
        matrix.hosts,
        {
            "bm25": ([*terms[::-1], "new"], sp.hstack([weights[:, ::-1], sp.csr_matrix(more)]).tocsr()),
            "B": (["w", *columns[::-1]], np.hstack([more, values[:, ::-1]])),
        },
    )
    assert model.scores(turned) == pytest.approx(model.scores(matrix))


def test_other_features_are_refused_in_a_sentence(model: HostModel, matrix: HostMatrix) -> None:
    for sets, made, said in (
        ({"B": matrix.sets["B"]}, {}, "looks at features bm25, and there are only B"),
        (matrix.sets | {"B": (["x", "y"], matrix.sets["B"][1][:, :2])}, {}, "looks at z of features B"),
        (matrix.sets | {"bm25": (["a"], matrix.sets["bm25"][1][:, :1])}, {}, "knows 40 terms, and none"),
        (matrix.sets, {"B": {"ngram": 2}}, r"made with other settings \(ngram\)"),
    ):
        with pytest.raises(UsageError, match=said):
            model.scores(HostMatrix(matrix.hosts, sets, made))


def test_code_from_elsewhere_is_never_run(path: Path, tmp_path: Path) -> None:
    mark = tmp_path / "ran"

    class Evil:
        def __reduce__(self) -> tuple[Any, ...]:
            return (type(mark).touch, (mark,))

    bad = tmp_path / "bad.model"
    bad.write_bytes(pickle.dumps(Evil()))
    with pytest.raises(FormatError, match="pickled code, which is never run"):
        load_model(bad)
    objects = io.BytesIO()
    np.lib.format.write_array(objects, np.array([Evil()], object), allow_pickle=True)
    rewrite(path, "arrays/0.npy", objects.getvalue())
    with pytest.raises(FormatError, match="damaged"):
        load_model(path)
    with zipfile.ZipFile(bad, "w") as archive:
        archive.writestr("schema.json", "{}")
    with pytest.raises(FormatError, match="code or objects of another program"):
        load_model(bad)
    assert not mark.exists()


def test_a_gate_is_no_model_of_hosts(path: Path) -> None:
    rewrite(path, "card.json", json.dumps({"format": 1, "kind": "gate"}).encode())
    with pytest.raises(FormatError, match="this is a gate"):
        load_model(path)


def test_damage_of_any_kind_is_one_sentence(path: Path) -> None:
    whole = path.read_bytes()
    good = card(path)

    def refused(kind: type[Exception] = FormatError) -> str:
        with pytest.raises(kind) as raised:
            load_model(path)
        path.write_bytes(whole)
        assert "\n" not in str(raised.value)
        return str(raised.value)

    path.write_bytes(b"host,label\n")
    assert "no model file" in refused()
    path.write_bytes(whole[: len(whole) // 2])
    assert "no model file" in refused()
    rewrite(path, "arrays/0.npy", None)
    assert "damaged" in refused()
    rewrite(path, "card.json", json.dumps(good | {"format": 2}).encode())
    assert "upgrade webstrata" in refused(NewerFormatError)
    changes: list[dict[str, Any]] = [
        {"models": []},
        {"models": [{}]},
        {"members": [1]},
        {"sets": {}},
        {"typical": None, "sets": 3},
    ]
    for change in changes:
        rewrite(path, "card.json", json.dumps(good | change).encode())
        assert "damaged" in refused()
    rewrite(path, "card.json", b"[1]")
    assert "format number" in refused()
    rewrite(path, "card.json", None)
    assert "it has no card.json" in refused()
