"""Lists compressed in pieces and with every parameter."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.graph import reference
from tests.graph.test_bvgraph import graphs
from webstrata.errors import SettingError
from webstrata.graph.bvgraph import BVGraph
from webstrata.graph.compress import GraphWriter, compress
from webstrata.graph.settings import CODES, GraphSettings

if TYPE_CHECKING:
    from pathlib import Path

NEW = [code for code in CODES if code != "unary"]
parameters = st.builds(
    GraphSettings,
    window=st.integers(0, 9),
    chain=st.integers(-1, 4),
    min_interval=st.sampled_from([0, 1, 2, 4, 9]),
    outdegree_code=st.sampled_from(NEW),
    reference_code=st.sampled_from(CODES),
    block_code=st.sampled_from(CODES),
    interval_code=st.sampled_from(NEW),
    residual_code=st.sampled_from(NEW),
    together=st.sampled_from([0, 0, 2, 7]),
    piece=st.integers(0, 60),
)


@settings(max_examples=40)
@given(lists=graphs, chosen=parameters)
def test_every_parameter_gives_the_same_lists(
    tmp_path: Path, lists: list[set[int]], chosen: GraphSettings
) -> None:
    offsets, targets = reference.to_rows(lists)
    # files of version 0 have one k for every ζ
    if len({code for code in chosen.codes if code.startswith("zeta")}) > 1 and not (
        {"omega", "pi1", "pi2", "pi3", "pi4"} & {*chosen.codes}
    ):
        with pytest.raises(SettingError):
            compress(offsets, targets, tmp_path / "g", parameters=chosen)
        return
    compress(offsets, targets, tmp_path / "g", parameters=chosen)
    found = BVGraph(tmp_path / "g").rows()
    assert reference.are_equal(found, (offsets, targets))
    text = (tmp_path / "g.properties").read_text()
    assert f"windowsize={chosen.window}\n" in text
    assert "version=0" in text or not chosen.is_readable_by_java


@settings(max_examples=25)
@given(lists=graphs, sizes=st.lists(st.integers(1, 20), min_size=1), piece=st.integers(1, 50))
def test_how_rows_come_in_does_not_show(
    tmp_path: Path, lists: list[set[int]], sizes: list[int], piece: int
) -> None:
    chosen = GraphSettings(piece=piece)
    compress(*reference.to_rows(lists), tmp_path / "whole", parameters=chosen)
    with GraphWriter(tmp_path / "parts", len(lists), parameters=chosen, workers=3) as writer:
        start, turn = 0, 0
        while start < len(lists):
            some = lists[start : start + sizes[turn % len(sizes)]]
            writer.append(*reference.to_rows(some))
            start, turn = start + len(some), turn + 1
        writer.finish()
    for extension in ("graph", "offsets", "ef", "properties"):
        assert (tmp_path / f"whole.{extension}").read_bytes() == (
            tmp_path / f"parts.{extension}"
        ).read_bytes()


def test_the_file_ef_is_opened_and_not_needed(tmp_path: Path) -> None:
    compress(*reference.to_rows([range(node) for node in range(50)]), tmp_path / "g")
    (tmp_path / "g.offsets").unlink()
    assert BVGraph(tmp_path / "g").successors(49).tolist() == list(range(49))
    (tmp_path / "g.ef").write_bytes(b"of another version")
    assert BVGraph(tmp_path / "g").successors(49).tolist() == list(range(49))


def test_rows_that_do_not_fit_the_nodes_are_refused(tmp_path: Path) -> None:
    rows = reference.to_rows([[0], [0]])
    with GraphWriter(tmp_path / "g", 3) as writer:
        writer.append(*rows)
        writer.append(*rows)
        with pytest.raises(ValueError, match="expected at least the 4 rows"):
            writer.finish()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.peer
@pytest.mark.parametrize(
    ("chosen", "bits"),
    [
        (GraphSettings(), 2.897),
        (GraphSettings(piece=1 << 18), 2.898),
        (GraphSettings(window=16, chain=-1), 2.448),
        (GraphSettings(together=10_000), 2.837),
        (GraphSettings(together=10_000, window=16, residual_code="pi2"), 2.759),
    ],
)
def test_bits_per_link_are_those_of_webgraph(test_data: Path, chosen: GraphSettings, bits: float) -> None:
    rows = BVGraph(test_data / "graph" / "cnr-2000").rows()
    assert round(compress(*rows, parameters=chosen).bits_per_link, 3) == bits
