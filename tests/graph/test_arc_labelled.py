"""Graphs with labels on their arcs, as WebGraph stores them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.graph.labelled_files import write_labelled
from webstrata import testing
from webstrata.errors import FormatError, MissingError
from webstrata.graph.arc_labelled import ArcLabelledGraph

if TYPE_CHECKING:
    from pathlib import Path

SPECS = ("GammaCodedIntLabel(time)", "FixedWidthIntLabel(time,12)", "FixedWidthIntListLabel(time,4)")
ARCS = st.dictionaries(
    st.tuples(st.integers(0, 9), st.integers(0, 9)), st.integers(1, (1 << 12) - 1), max_size=40
)


@given(arcs=ARCS, spec=st.sampled_from(SPECS), size=st.integers(1, 11))
def test_every_label_is_read_as_it_was_written(
    arcs: dict[tuple[int, int], int], spec: str, size: int
) -> None:
    triples = sorted((*pair, mask) for pair, mask in arcs.items())
    graph = ArcLabelledGraph(write_labelled(testing.scratch() / "uk", triples, spec=spec, num_nodes=10))
    masks = [mask for _, block in graph.iter_masks(12, size) for mask in block.tolist()]
    assert masks == [mask for _, _, mask in triples]
    for node in range(10):
        own = [mask for source, _, mask in triples if source == node]
        lists = graph.label_lists(node)
        if graph.spec.kind == "list":
            assert [sum(1 << bit for bit in bits) for bits in lists] == own
        else:
            assert graph.labels(node).tolist() == own == [one for [one] in lists]


def change(path: Path, old: str, new: str) -> None:
    path.write_text(path.read_text().replace(old, new))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("BitStreamArcLabelled", "Other", "graphclass is OtherImmutableGraph; expected BitStream"),
        ("labelspec", "labels", "it has no labelspec"),
        ("GammaCodedIntLabel(time)", "HuffmanLabel(x)", "read are labels of GammaCodedIntLabel"),
        ("GammaCodedIntLabel(time)", "FixedWidthIntLabel(t,99)", "a width of at most 31 bits"),
        ("GammaCodedIntLabel(time)", "FixedWidthIntLabel(t,9)", "belong to different graphs|cut off"),
    ],
)
def test_properties_of_something_else_are_refused(tmp_path: Path, old: str, new: str, message: str) -> None:
    write_labelled(tmp_path / "uk", [(0, 1, 5), (1, 0, 2)])
    change(tmp_path / "uk.properties", old, new)
    with pytest.raises(FormatError, match=message):
        ArcLabelledGraph(tmp_path / "uk").labels(0)


@pytest.mark.parametrize("extension", [".labels", ".labeloffsets"])
def test_a_file_that_is_cut_off_is_named(tmp_path: Path, extension: str) -> None:
    write_labelled(tmp_path / "uk", [(node, 0, 4000) for node in range(50)])
    path = tmp_path / f"uk{extension}"
    path.write_bytes(path.read_bytes()[:5])
    with pytest.raises(FormatError, match=rf"uk\{extension}.*(cut off|belongs to another)"):
        ArcLabelledGraph(tmp_path / "uk")


def test_the_graph_below_must_be_there(tmp_path: Path) -> None:
    write_labelled(tmp_path / "uk", [(0, 1, 5)])
    (tmp_path / "uk-below.properties").unlink()
    with pytest.raises(MissingError, match="fetch the graph below too"):
        ArcLabelledGraph(tmp_path / "uk")


def test_labels_that_are_no_masks_are_refused(tmp_path: Path) -> None:
    graph = ArcLabelledGraph(write_labelled(tmp_path / "uk", [(0, 1, 8)]))
    with pytest.raises(FormatError, match="it has the label 8, and there are 3 snapshots"):
        list(graph.iter_masks(3))
    graph = ArcLabelledGraph(write_labelled(tmp_path / "no", [(0, 1, 0)]))
    with pytest.raises(FormatError, match="an arc without any snapshot"):
        list(graph.iter_masks(3))
