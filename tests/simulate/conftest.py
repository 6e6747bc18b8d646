"""Small webs on which crawls are simulated, made once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import pytest

import webstrata as ws
from webstrata.graph.build import build_graph
from webstrata.graph.settings import GraphSettings
from webstrata.invitro.truth import build_truth
from webstrata.invitro.web import make_settings
from webstrata.summaries.build import build_summaries
from webstrata.summaries.settings import SummariesSettings

if TYPE_CHECKING:
    from pathlib import Path

# what a graph does not know: pages that are there twice, answers that are no pages, hosts that forbid some
_QUIET = dict.fromkeys(
    (
        "duplicate_share", "near_duplicate_share", "redirect_share", "redirect_loop_share", "broken_share",
        "soft_404_share", "noindex_share", "mirror_share", "session_share", "dynamic_share", "trap_share",
        "robots_share", "robots_error_share", "spam_share", "comment_spam_share", "foreign_share",
    ),
    0.0,
)  # fmt: skip


def make_web(**overrides: float) -> ws.invitro.Web:
    """The tiny web without what a graph does not know."""
    return ws.invitro.Web("tiny", seed=7, settings=make_settings("tiny", _QUIET | overrides))


def crawl(
    place: Path,
    web: ws.invitro.Web,
    label: str = "2026-06",
    month: int = 0,
    **limits: Any,  # noqa: ANN401
) -> ws.Snapshot:
    """A real crawl of a web from its home pages, with its graph."""
    try:
        collection = ws.open(place)
    except ws.errors.MissingError:
        collection = ws.create(place)
    snapshot = collection.add(label)
    settings = ws.CrawlSettings(
        host_delay=0,
        ip_delay=0,
        delay_factor=0,
        resolve=False,
        dust_support=0,
        probe_after=0,
        workers=1,
        **limits,
    )
    with web.serve(origins=True, month=month) as server, patch("webstrata.crawl.run._PERIOD", 0.01):
        hosts = {name: (address, server.port) for name, address in server.addresses().items()}
        ws.Crawl(snapshot, settings, seeds=web.home_pages(month), hosts=hosts).run()
    build_graph(snapshot, GraphSettings(hosts=False), workers=1)
    return snapshot


@pytest.fixture(scope="session")
def months(tmp_path_factory: pytest.TempPathFactory) -> ws.Collection:
    """Two months of a web with topics, crawled, with graph, summaries and truth."""
    web = make_web(pages=500, hosts=24, topics=4)
    place = tmp_path_factory.mktemp("months") / "uk"
    for month, label in enumerate(("2026-05", "2026-06")):
        snapshot = crawl(place, web, label, month)
        build_summaries(snapshot, SummariesSettings(min_df=2), workers=1)
        build_truth(snapshot, web, month)
    return ws.open(place)
