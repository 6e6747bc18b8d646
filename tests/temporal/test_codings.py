"""The coding of TIME and ours on the same union."""

from __future__ import annotations

import webstrata as ws
from webstrata import testing
from webstrata.temporal.codings import compare_codings
from webstrata.temporal.footprint import describe_footprint
from webstrata.temporal.settings import TemporalSettings


def test_the_coding_of_the_paper_is_measured_on_the_same_union() -> None:
    uk = testing.collection()
    rows = {(row["graph"], row["labels"]): row for row in compare_codings(uk.temporal).rows}
    ours = describe_footprint(uk.temporal)[0]
    assert rows["ours", "runs"]["bits_per_label"] == round(ours.bits_per_label, 4)
    # the file of the graph ends with a whole word
    assert 0 <= ours.bits_per_arc - rows["ours", "runs"]["bits_per_arc"] < 64 / ours.num_arcs
    assert rows["TIME", "huffman"]["bits_per_label"] == rows["ours", "huffman"]["bits_per_label"]


def test_a_union_aligned_by_huffman_takes_what_was_told_of_it() -> None:
    uk = testing.collection()
    told = {(row["graph"], row["labels"]): row for row in compare_codings(uk.temporal).rows}[
        "TIME", "huffman"
    ]
    before = [uk.temporal.forward.labels(node).tolist() for node in range(uk.temporal.num_nodes)]
    union = uk.align(coding="huffman")
    [forward, _] = describe_footprint(union)
    assert round(forward.bits_per_label, 4) == told["bits_per_label"]
    assert union.forward.window == 7
    assert [union.forward.labels(node).tolist() for node in range(union.num_nodes)] == before
    assert ws.open(uk.path).settings(TemporalSettings).coding == "huffman"
