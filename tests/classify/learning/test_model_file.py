"""Model files: the same scores after a round trip; nothing that runs, nothing that does not fit."""

from __future__ import annotations

import io
import json
import pickle
import tracemalloc
import zipfile
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import scipy.sparse as sp

from webstrata.classify.gate.file import load_gate
from webstrata.classify.learning.ensemble import EnsembleSelection
from webstrata.classify.learning.matrix import HostMatrix
from webstrata.classify.learning.model_file import HostModel, load_model, save_model
from webstrata.errors import FormatError, NewerFormatError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable
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
    assert "not a model file" in refused()
    path.write_bytes(whole[: len(whole) // 2])
    assert "not a model file" in refused()
    rewrite(path, "arrays/0.npy", None)
    assert "damaged" in refused()
    rewrite(path, "card.json", json.dumps(good | {"format": 3}).encode())
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


def write_zip(path: Path, **entries: bytes) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in entries.items():
            archive.writestr(name.replace("__", "/").replace("_", "."), data)


@pytest.mark.parametrize("load", [load_model, load_gate])
def test_a_card_or_an_array_that_explodes_is_refused_before_it_is_decompressed(
    tmp_path: Path, load: Callable[[Path], object]
) -> None:
    path = tmp_path / "bomb.model"
    write_zip(path, card_json=b" " * (40 << 20))
    small = b'{"format": 1, "kind": "gate"}'
    bomb = tmp_path / "array.model"
    write_zip(bomb, card_json=small, arrays__0_npy=bytes(300 << 20))
    for each in (path, bomb):
        assert each.stat().st_size < 1 << 20
        tracemalloc.start()
        with pytest.raises(FormatError, match=r"claims to have .* it was not written by webstrata"):
            load(each)
        assert tracemalloc.get_traced_memory()[1] < 4 << 20
        tracemalloc.stop()


def test_an_array_whose_header_has_a_huge_shape_is_one_sentence(path: Path) -> None:
    head = b"{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999,), }".ljust(117) + b"\n"
    rewrite(path, "arrays/0.npy", b"\x93NUMPY\x01\x00\x76\x00" + head)
    with pytest.raises(
        FormatError, match=r"array 0: its header tells of 799999999999992 bytes, and 0 follow"
    ):
        load_model(path)


def test_an_entry_that_cannot_be_decompressed_is_one_sentence(path: Path) -> None:
    whole = path.read_bytes()
    refused = 0
    for place in range(40, len(whole), len(whole) // 60):
        path.write_bytes(
            whole[:place] + bytes([whole[place] ^ 255, whole[place + 1] ^ 85]) + whole[place + 2 :]
        )
        try:
            load_model(path)
        except (FormatError, NewerFormatError):
            refused += 1
    assert refused > 30


def test_a_model_of_format_1_is_read_with_a_warning(path: Path) -> None:
    old = card(path) | {"format": 1}
    for entry in old["sets"].values():
        entry.pop("statistics", None)
        entry["terms"] = True
    rewrite(path, "card.json", json.dumps(old).encode())
    model = load_model(path)
    assert model.statistics == {}
    assert any("no document frequencies" in sentence for sentence in model.warnings)


def test_statistics_that_do_not_fit_are_damage(path: Path) -> None:
    wrong = card(path)
    name = next(iter(wrong["sets"]))
    wrong["sets"][name]["statistics"] = {"df": [], "num_documents": 4, "mean_length": 1, "k1": 1, "b": 0}
    rewrite(path, "card.json", json.dumps(wrong).encode())
    with pytest.raises(FormatError, match="document frequencies for"):
        load_model(path)
