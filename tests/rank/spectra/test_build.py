"""Spectra as parts of a snapshot."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from tests.graph.linked import link_pages
from webstrata.collection.progress import Progress, Task
from webstrata.errors import Cancelled
from webstrata.graph.build import build_graph
from webstrata.rank import spectrum
from webstrata.rank.spectra import SpectrumSettings, solve
from webstrata.rank.spectra.build import build_spectrum

if TYPE_CHECKING:
    from pathlib import Path

    import webstrata as ws


@pytest.fixture
def snapshot(tmp_path: Path) -> ws.Snapshot:
    """Two pages that link to each other, and some more."""
    return link_pages(tmp_path / "uk", 6, [(0, 1), (1, 0), (2, 3), (3, 4), (4, 2), (2, 5), (3, 0)])


def test_it_is_made_once_and_again_when_settings_or_graph_are_others(snapshot: ws.Snapshot) -> None:
    found = snapshot.spectrum(bound=0.5)
    assert found.table() == {
        "N": 6, "N_l": 7, "N_s": 2, "N_d": 1, "d_max": 2, "N_circ": 2, "N_1": 1, "n_A": 4
    }  # fmt: skip
    assert found.vectors[0].community.hosts == (("test", 1.0),)
    record = snapshot.parts.record("spectrum")
    assert record.settings["bound"] == 0.5
    assert np.array_equal(snapshot.spectrum(bound=0.5).core, found.core)
    assert snapshot.parts.record("spectrum") == record
    assert len(snapshot.spectrum(bound=0.1).nodes) == 0  # a tenth of six nodes is less than one
    assert snapshot.parts.record("spectrum").generation == record.generation + 1
    build_graph(snapshot)
    assert np.array_equal(snapshot.spectrum(bound=0.5).core, found.core)
    turned = snapshot.spectrum(inverse=True, bound=0.5)
    assert turned.is_inverse
    assert {part.name for part in snapshot.parts} >= {"spectrum", "spectrum-inverse"}


def test_hosts_have_a_spectrum_of_their_own(tmp_path: Path) -> None:
    keys = [f"test,{host})/{page}" for host in "abc" for page in range(2)]
    snapshot = link_pages(tmp_path / "uk", 6, [(0, 2), (2, 0), (4, 1), (4, 5), (5, 4)], keys=keys)
    found = snapshot.spectrum(level="host", bound=0.9)
    hosts = snapshot.host_graph
    assert found.table()["N"] == hosts.num_nodes == 3
    # a and b link to each other alone, and c to a
    assert sorted(found.values.real.round(9).tolist()) == [-1.0, 1.0]
    assert found.table() == spectrum(hosts, SpectrumSettings(bound=0.9)).table()
    assert "spectrum" not in snapshot.parts


class Breaking(Progress):
    """Cancels Arnoldi's method when it has begun, and hears what is said."""

    def __init__(self, *, breaks: bool) -> None:
        super().__init__()
        self.breaks, self.heard = breaks, ""

    def changed(self, task: Task) -> None:
        if self.breaks and task.title == "Arnoldi" and task.done:
            self.cancel()

    def note(self, sentence: str) -> None:
        self.heard += f"{sentence}\n"


def test_a_build_that_was_broken_off_leaves_no_part_and_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(solve, "KEEP_FROM", -1.0)
    rng = np.random.default_rng(5)
    links = {(int(source), int(target)) for source, target in rng.integers(60, size=(150, 2)) if source % 4}
    snapshot = link_pages(tmp_path / "uk", 60, links)
    settings = SpectrumSettings(arnoldi=30, block=4)
    with pytest.raises(Cancelled):
        build_spectrum(snapshot, settings, progress=Breaking(breaks=True))
    assert "spectrum" not in snapshot.parts
    heard = Breaking(breaks=False)
    found = build_spectrum(snapshot, settings, progress=heard)
    assert "steps of Arnoldi's method were found done" in heard.heard
    assert np.abs(found.core - spectrum(snapshot.graph, settings).core).max() < 1e-9
    assert not (snapshot.path / ".building" / "spectrum").exists()
