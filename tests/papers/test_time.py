"""TIME: "A large time-aware web graph", section by section."""

from __future__ import annotations

import random
from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np
import pytest

from webstrata import testing
from webstrata.collection.progress import Progress
from webstrata.crawl.settings import CrawlSettings
from webstrata.graph import Graph
from webstrata.graph.settings import GraphSettings
from webstrata.pipeline.presets import is_made_with, preset_settings
from webstrata.serve.report.sheet import Sheet
from webstrata.serve.report.temporal import make_footprint, make_times
from webstrata.temporal.align import Aligner
from webstrata.temporal.labels import LabelledGraph, write_labels
from webstrata.temporal.settings import TemporalSettings

if TYPE_CHECKING:
    from pathlib import Path

    from webstrata.api import Collection

PRESET = "paper:time"


def test_the_preset_has_the_limits_of_section_2_and_the_coding_of_section_4() -> None:
    crawl = preset_settings(PRESET, CrawlSettings)
    assert (crawl.max_pages_per_host, crawl.max_depth, crawl.store_pointers) == (50_000, 16, True)
    assert preset_settings(PRESET, GraphSettings).fold == "fingerprint"
    temporal = preset_settings(PRESET, TemporalSettings)
    assert (temporal.by, temporal.coding) == ("static", "huffman")


def test_section_3_aligns_urls_without_a_query_as_they_are() -> None:
    import pyarrow as pa

    keys = pa.array(["uk,a)/", "uk,a)/b?c=d", "uk,a)/index.html", "uk,a,www)/"])
    assert Aligner("static").keys(keys).to_pylist() == ["uk,a)/", None, "uk,a)/index.html", "uk,a,www)/"]


def huffman_bits(counts: list[int]) -> int:
    """Bits of all symbols by an optimal prefix code; a code of one symbol needs none."""
    queue = sorted(counts)
    total = 0
    while len(queue) > 1:
        one, other, *queue = queue
        total += one + other
        queue = sorted([*queue, one + other])
    return total


def test_section_4_codes_labels_by_one_huffman_code_per_source_label(tmp_path: Path) -> None:
    chosen = random.Random(4)
    pairs = sorted({(chosen.randrange(400), chosen.randrange(400)) for _ in range(6000)})
    _ = Graph.from_arcs(pairs, num_nodes=400).write(tmp_path / "union")
    arcs = np.array([chosen.choice([1, 3, 7, 15, 15, 15]) for _ in pairs], np.uint64)
    nodes = np.zeros(400, np.uint64)
    for (source, target), mask in zip(pairs, arcs.tolist(), strict=True):
        nodes[source] |= np.uint64(mask)
        nodes[target] |= np.uint64(mask)
    write_labels(
        tmp_path / "union",
        tmp_path / "union",
        node_labels=nodes,
        arc_labels=arcs,
        num_snapshots=4,
        coding="huffman",
    )
    counts: dict[int, dict[int, int]] = defaultdict(lambda: defaultdict(int))
    for (source, _), mask in zip(pairs, arcs.tolist(), strict=True):
        counts[int(nodes[source])][mask] += 1
    expected = sum(huffman_bits(list(each.values())) for each in counts.values())
    graph = LabelledGraph.open(tmp_path / "union", tmp_path / "union", snapshots=["1", "2", "3", "4"])
    assert graph.description.stream_bits == expected
    assert [mask for node in range(400) for mask in graph.labels(node).tolist()] == arcs.tolist()


def test_table_1_has_sizes_with_and_without_compression_and_of_graphs() -> None:
    uk = testing.collection()
    table = make_footprint(uk, Progress()).tables[0]
    assert table.columns[2:7] == ["size, bytes", "compressed, bytes", "nodes", "arcs", "graph, bytes"]
    for row in table.rows:
        snapshot = uk[row[0]]
        bits = snapshot.parts.record("graph").counts["bits"]
        assert row[2] > sum(snapshot.pages.table("warc_record_length")["warc_record_length"].to_pylist())
        assert (row[6], row[7]) == ((bits + 7) // 8, round(bits / row[5], 3))


def list_titles(collection: Collection) -> list[str]:
    [sheet] = make_times(collection)
    assert isinstance(sheet, Sheet)
    return [table.title for table in sheet.tables]


def test_tables_carry_the_name_of_the_paper_only_when_made_with_it() -> None:
    uk = testing.collection()
    titles = list_titles(uk)
    assert "Hosts in common (like TIME, table 2)" in titles
    uk.build("graph", fold="fingerprint")
    uk.align(coding="huffman")
    assert is_made_with(PRESET, uk, "/temporal")
    titles = list_titles(uk)
    assert "Hosts in common (TIME, table 2)" in titles
    assert "URLs in common (TIME, table 3)" in titles


def test_the_coding_of_the_paper_and_ours_stand_next_to_each_other_in_section_5() -> None:
    table = make_footprint(testing.collection(), Progress()).tables[1]
    assert [row[:2] for row in table.rows] == [
        ["TIME", "huffman"],
        ["TIME", "runs"],
        ["ours", "huffman"],
        ["ours", "runs"],
    ]
    for row in table.rows:  # bits of everything per link instance
        assert row[-1] == pytest.approx(8 * row[4] / 100, abs=0.08)
