"""Metrics for Prometheus: responses by origin, route and status, how long they took, and the process.

Series are named by functions and routes, never by addresses, so that a client cannot make series.
"""

from collections.abc import Awaitable, Callable, MutableMapping
from time import perf_counter
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector, generate_latest

BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)
"""Upper limits of the buckets of response times, in seconds."""
TEXT_FORMAT = "text/plain; version=0.0.4; charset=utf-8"

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Message, Receive, Send], Awaitable[None]]


class Metrics:
    """What a server has answered since its start, for both origins.

    Examples
    --------
    >>> metrics = Metrics()
    >>> metrics.count("pages", "show_search", 200, 0.02, 512)
    >>> [line for line in metrics.to_text().decode().splitlines() if "requests_total{" in line]
    ['webstrata_requests_total{origin="pages",route="show_search",status="200"} 1.0']
    """

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        ProcessCollector(registry=self._registry)
        names = ("origin", "route", "status")
        self._requests = Counter(
            "webstrata_requests", "Requests by origin, route and status.", names, registry=self._registry
        )
        self._seconds = Histogram(
            "webstrata_response_seconds",
            "Time until the response was complete, by origin and route.",
            names[:2],
            buckets=BOUNDS,
            registry=self._registry,
        )
        self._bytes = Counter(
            "webstrata_response_bytes", "Bytes of bodies sent, by origin.", names[:1], registry=self._registry
        )
        self._active = Gauge(
            "webstrata_active_requests",
            "Requests in progress, by origin.",
            names[:1],
            registry=self._registry,
        )

    def count(self, origin: str, route: str, status: int, seconds: float, size: int) -> None:
        """Count a response."""
        self._requests.labels(origin, route, str(status)).inc()
        self._seconds.labels(origin, route).observe(seconds)
        self._bytes.labels(origin).inc(size)

    def to_text(self) -> bytes:
        """The text format of Prometheus."""
        return generate_latest(self._registry)

    def wrap(self, app: App, origin: str) -> App:
        """An application that counts the responses of another.

        The route is the name of the endpoint that Starlette has found, or what the application writes into
        ``scope["state"]["route"]``.
        """
        active = self._active.labels(origin)

        async def counted(scope: Message, receive: Receive, send: Send) -> None:
            if scope["type"] != "http":
                await app(scope, receive, send)
                return
            status, size, started = 500, 0, perf_counter()

            async def note(message: Message) -> None:
                nonlocal status, size
                if message["type"] == "http.response.start":
                    status = int(message["status"])
                else:
                    size += len(message.get("body", b""))
                await send(message)

            active.inc()
            try:
                await app(scope, receive, note)
            finally:
                active.dec()
                endpoint = getattr(scope.get("endpoint"), "__name__", "")
                route = endpoint or scope.get("state", {}).get("route", "none")
                self.count(origin, route, status, perf_counter() - started, size)

        return counted
