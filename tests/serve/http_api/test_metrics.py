"""Metrics of both origins."""

from __future__ import annotations

from typing import TYPE_CHECKING

from prometheus_client.parser import text_string_to_metric_families

from tests.serve.page.served import ask
from webstrata.serve.running import PageServer
from webstrata.serve.settings import ServeSettings

if TYPE_CHECKING:
    import webstrata as ws


def test_prometheus_can_read_what_both_origins_have_answered(ready: ws.Collection) -> None:
    with PageServer([ready], ServeSettings(port=0)) as server:
        ask(f"{server.url}/search?q=storm")
        ask(f"{server.url}/nothing")
        ask(f"{server.replay_url}/{ready.path.name}/cdx?url=news.example")
        ask(f"{server.replay_url}/{ready.path.name}/2026id_/http://news.example/")
        answer = ask(f"{server.url}/metrics")
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    families = {one.name: one for one in text_string_to_metric_families(answer.text)}
    requests = {tuple(one.labels.values()): one.value for one in families["webstrata_requests"].samples}
    assert requests["pages", "show_search", "200"] == 1
    assert requests["replay", "cdx", "200"] == 1
    assert requests["replay", "memento", "200"] == 1
    assert any(status == "404" for _, _, status in requests)
    assert families["webstrata_response_seconds"].type == "histogram"
    sent = {one.labels["origin"]: one.value for one in families["webstrata_response_bytes"].samples}
    assert sent["replay"] > 100
    active = {one.labels["origin"]: one.value for one in families["webstrata_active_requests"].samples}
    assert active == {"pages": 1, "replay": 0}
    assert "process_resident_memory_bytes" in families


def test_addresses_make_no_series(ready: ws.Collection) -> None:
    with PageServer([ready], ServeSettings(port=0)) as server:
        for number in range(20):
            ask(f"{server.url}/page/http://a.example/{number}")
            ask(f"{server.replay_url}/made-up-{number}/x")
            ask(f"{server.replay_url}/{ready.path.name}/2026/http://a.example/{number}")
        text = ask(f"{server.url}/metrics").text
    assert "a.example" not in text
    assert "made-up" not in text
    assert text.count("webstrata_requests_total{") < 6
