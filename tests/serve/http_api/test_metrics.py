"""Requests counted for Prometheus."""

from __future__ import annotations

import asyncio
from typing import Any

from webstrata.serve.http_api.metrics import Metrics


def test_buckets_are_cumulative_and_end_with_all() -> None:
    metrics = Metrics()
    for seconds in (0.001, 0.02, 0.3, 60.0):
        metrics.count("page", 200, seconds)
    lines = metrics.to_text().splitlines()
    buckets = [int(line.rpartition(" ")[2]) for line in lines if "_bucket" in line]
    assert buckets == sorted(buckets)
    assert (buckets[0], buckets[-2], buckets[-1]) == (1, 3, 4)
    assert "webstrata_response_seconds_count 4" in lines


def test_a_response_is_counted_by_route_and_status_never_by_address() -> None:
    metrics = Metrics()

    async def app(scope: Any, _receive: Any, send: Any) -> None:  # noqa: ANN401
        await send({"type": "http.response.start", "status": 404, "headers": []})

    async def run() -> None:
        async def send(_message: Any) -> None:  # noqa: ANN401
            pass

        await metrics.middleware(app)({"type": "http", "path": "/secret"}, lambda: None, send)  # type: ignore[arg-type, return-value]

    asyncio.run(run())
    assert 'webstrata_requests_total{page="none",status="404"} 1' in metrics.to_text()
    assert "secret" not in metrics.to_text()
