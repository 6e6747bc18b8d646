"""Everything about a graph in one document."""

from __future__ import annotations

import json

from webstrata.graph import Graph
from webstrata.graph.structure import describe_structure


def test_a_description_is_one_json_document() -> None:
    graph = Graph.from_arcs([(0, 1), (1, 2), (2, 0), (2, 3), (3, 3)], num_nodes=5)
    found = describe_structure(graph, sample=100)
    document = json.loads(json.dumps(found.to_dict()))
    assert document["loops"] == 1
    assert document["strong_components"] == {"number": 3, "largest_share": 0.6, "largest": [3, 1, 1]}
    assert document["bow_tie"]["outward"] == document["bow_tie"]["disconnected"] == 1
    assert document["outdegree"]["counts"] == [[0, 1], [1, 3], [2, 1]]
    assert document["transitivity"]["low"] <= document["transitivity"]["value"]
    assert document["distances"]["longest_seen"] == 3
    assert document["harmonic"][0]["node"] == 3


def test_distances_can_be_left_out() -> None:
    found = describe_structure(Graph.from_arcs([(0, 1)]), with_distances=False)
    assert found.balls is None
    assert found.top() == []
    assert "distances" not in found.to_dict()
