"""A takedown hides pages from readers that go by node number, and leaves no trace when it is lifted."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

import webstrata as ws
from webstrata import testing
from webstrata.rank.stored import RankedGraph
from webstrata.serve.report.page import write_report
from webstrata.store.hiding import Hidden, scrub
from webstrata.store.takedowns import HIDDEN

if TYPE_CHECKING:
    from webstrata.api import Collection

HOST = "pills.example"


def read(uk: Collection) -> dict[str, str]:
    """What readers by node number, and the report, say."""
    june = uk["2026-06"]
    nodes = range(len(june.urls))
    return {
        "text": repr([june.text[node] for node in nodes]),
        "scan": repr([batch.to_pylist() for batch in june.text.scan()]),
        "take": repr(june.text.take(np.arange(len(nodes))).to_pylist()),
        "columns": repr(june.text.columns().to_pylist()),
        "links": repr([june.links[node] for node in nodes]),
        "anchors": repr([june.anchors[node] for node in nodes]),
        "pages": repr([june.pages[node] for node in nodes]),
        "table": repr(june.pages.table("url", "row_key", "content_digest").to_pylist()),
        "hosts": repr([june.host_graph.names, june.host_graph.get(HOST)]),
        "rank": repr(list(RankedGraph(june).names or ())),
        "host ranks": repr(list(RankedGraph(june, "host").names or ())),
        "tables": repr([june.links.to_arrow().to_pylist(), june.anchors.to_arrow().to_pylist()]),
        # without the time at which it was written
        "report": re.sub(r"[\d-]+ [\d:]+ UTC by", "UTC by", write_report(uk)[0].read_text()),
    }


def test_readers_by_node_show_nothing_of_a_page_until_its_takedown_is_lifted() -> None:
    uk = testing.collection()
    before = read(uk)
    shown = {name for name, text in before.items() if "pills" in text}
    assert shown >= set(before) - {"columns", "report"}
    june = uk["2026-06"]
    nodes = [node for node, url in enumerate(june.urls) if HOST in url]
    made = {record.name: record.checksum for record in june.parts}
    uk.takedown(HOST, reason="spam")
    uk = ws.open(uk.path)
    after = read(uk)
    assert {name for name, text in after.items() if "pills" in text} == set()
    assert Hidden(uk, uk["2026-06"]).nodes.tolist() == nodes
    hidden = uk["2026-06"].text[nodes[0]]
    assert (hidden.title, hidden.text, hidden.words, hidden.language) == ("", "", 0, None)
    assert uk["2026-06"].pages[nodes[0]]["url"] == HIDDEN
    uk.takedown(HOST, lift=True)
    assert read(uk) == before
    assert {record.name: record.checksum for record in uk["2026-06"].parts} == made


def test_a_takedown_of_one_page_hides_its_links_and_those_to_it_and_no_others() -> None:
    uk = testing.collection()
    june = uk["2026-06"]
    storm = "http://news.example/storm"
    node = june.urls.node(storm)
    assert node is not None
    before = [june.links[each] for each in range(len(june.urls))]
    uk.takedown(storm, reason="a request")
    for each, links in enumerate(before):
        kept = [] if each == node else [link for link in links if link.url != storm]
        assert june.links[each] == kept
    assert june.anchors[node] == []
    assert "news.example" in june.host_graph.names


def test_what_is_built_under_a_takedown_is_what_is_built_without() -> None:
    sums = []
    for what in ("", HOST):
        uk = testing.collection()
        if what:
            uk.takedown(what, reason="spam")
        uk.build("graph", "summaries", "text_index", again=True, workers=1)
        sums.append([uk["2026-06"].parts.record(name).checksum for name in ("graph", "summaries")])
    assert sums[0] == sums[1]


def test_a_text_is_scrubbed_of_hidden_names() -> None:
    uk = testing.empty()
    assert scrub(uk, "http://a.example/x") == "http://a.example/x"
    uk.takedown("http://a.example/x", reason="a test")
    uk.takedown("b.example", reason="a test")
    text = (
        '["http://a.example/x", "https://www.a.example/x", "http://a.example/y", "b.example", "ab.example"]'
    )
    assert (
        scrub(uk, text)
        == f'["{HIDDEN}", "{HIDDEN}", "http://a.example/y", "taken-down.invalid", "ab.example"]'
    )
