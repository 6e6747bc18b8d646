"""Gate files: what was learned comes back, and nothing else is believed."""

from __future__ import annotations

import json
import pickle
import zipfile
from typing import TYPE_CHECKING

import numpy as np
import pytest

from tests.classify.farms import make_farms, train_farms
from webstrata.classify.gate.file import CARD, load_gate, save_gate
from webstrata.classify.gate.model import Gate
from webstrata.classify.gate.samples import COMPRESSION
from webstrata.errors import FormatError, NewerFormatError

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def path(tmp_path: Path) -> Path:
    save_gate(train_farms(), tmp_path / "spam.gate")
    return tmp_path / "spam.gate"


def test_a_gate_that_was_kept_says_the_same(path: Path) -> None:
    model, card = load_gate(path)
    hosts = make_farms()[0][:40]
    for uses_links in (False, True):
        before = Gate(train_farms().model, uses_links=uses_links)(hosts)
        assert Gate(model, uses_links=uses_links)(hosts) == before
    assert (card["spam"], card["pages"], card["auc"]) == (train_farms().spam, 2, train_farms().auc)
    assert len(card["curves"]["content"][0]) == 5


def test_equal_gates_are_equal_files(path: Path, tmp_path: Path) -> None:
    save_gate(train_farms(), tmp_path / "other.gate")
    assert path.read_bytes() == (tmp_path / "other.gate").read_bytes()


def rewrite(path: Path, **changes: object) -> None:
    """Change the card of a gate; `...` takes an entry away."""
    with zipfile.ZipFile(path) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    card = json.loads(files[CARD]) | changes
    files[CARD] = json.dumps({key: value for key, value in card.items() if value is not ...}).encode()
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"kind": "ensemble"}, "this is not a gate"),
        ({"kind": "", "task": "spam"}, "this model of spam looks at features of whole hosts"),
        ({"features": ["words"]}, "other features than this version measures"),
        ({"trees": {}}, "this gate is damaged"),
        ({"thresholds": {"content": "x", "links": 1}}, "this gate is damaged"),
        ({"pages": None}, "this gate is damaged"),
        ({"compression": 13}, "level 13 of DEFLATE, and there are 1 to 12"),
        ({"compression": "x"}, "this gate is damaged"),
    ],
)
def test_another_card_is_refused_in_one_sentence(
    path: Path, changes: dict[str, object], message: str
) -> None:
    rewrite(path, **changes)
    with pytest.raises(FormatError, match=message):
        load_gate(path)


def test_a_newer_format_is_told(path: Path) -> None:
    rewrite(path, format=3)
    with pytest.raises(NewerFormatError, match="in format 3, and 2 is the newest known here"):
        load_gate(path)


def test_a_gate_of_the_first_format_sees_pages_as_they_were_measured_then(path: Path) -> None:
    rewrite(path, format=1, compression=...)
    model, _ = load_gate(path)
    assert (model.compression, train_farms().model.compression) == (6, COMPRESSION)
    assert len(Gate(model)(make_farms()[0][:4])) == 4


def test_pickled_code_and_cut_files_are_never_loaded(path: Path) -> None:
    whole = path.read_bytes()
    for content in (pickle.dumps({"a": 1}), b"", whole[: len(whole) // 2], whole[:100] + whole[300:]):
        path.write_bytes(content)
        with pytest.raises(FormatError):
            load_gate(path)


def test_arrays_of_objects_are_refused(path: Path, tmp_path: Path) -> None:
    np.save(tmp_path / "bad.npy", np.array([{"a": 1}], object), allow_pickle=True)
    with zipfile.ZipFile(path) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    files["arrays/idf.npy"] = (tmp_path / "bad.npy").read_bytes()
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    with pytest.raises(FormatError, match="this gate is damaged"):
        load_gate(path)
