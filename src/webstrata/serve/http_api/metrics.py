"""Requests counted for Prometheus: how many by page and status, and how long they took."""

from collections import Counter
from collections.abc import Awaitable, Callable, MutableMapping
from time import perf_counter
from typing import Any

BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)
"""Upper limits of the buckets of response times, in seconds."""

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Message, Receive, Send], Awaitable[None]]


class Metrics:
    """Counts of requests since the start.

    Examples
    --------
    >>> metrics = Metrics()
    >>> metrics.count("show_search", 200, 0.02)
    >>> print(metrics.to_text().splitlines()[2])
    webstrata_requests_total{page="show_search",status="200"} 1
    """

    def __init__(self) -> None:
        self._requests: Counter[tuple[str, int]] = Counter()
        self._buckets: Counter[float] = Counter()
        self._seconds = 0.0

    def count(self, page: str, status: int, seconds: float) -> None:
        """Count a response."""
        self._requests[page, status] += 1
        self._seconds += seconds
        for bound in BOUNDS:
            if seconds <= bound:
                self._buckets[bound] += 1

    def to_text(self) -> str:
        """The text format of Prometheus."""
        total = sum(self._requests.values())
        lines = [
            "# HELP webstrata_requests_total Requests by page and status.",
            "# TYPE webstrata_requests_total counter",
            *(
                f'webstrata_requests_total{{page="{page}",status="{status}"}} {number}'
                for (page, status), number in sorted(self._requests.items())
            ),
            "# HELP webstrata_response_seconds Time until the response was complete.",
            "# TYPE webstrata_response_seconds histogram",
            *(f'webstrata_response_seconds_bucket{{le="{one:g}"}} {self._buckets[one]}' for one in BOUNDS),
            f'webstrata_response_seconds_bucket{{le="+Inf"}} {total}',
            f"webstrata_response_seconds_sum {self._seconds:.6f}",
            f"webstrata_response_seconds_count {total}",
        ]
        return "\n".join(lines) + "\n"

    def middleware(self, app: App) -> App:
        """An application that counts the responses of another."""

        async def counted(scope: Message, receive: Receive, send: Send) -> None:
            if scope["type"] != "http":
                await app(scope, receive, send)
                return
            status, started = 500, perf_counter()

            async def note(message: Message) -> None:
                nonlocal status
                if message["type"] == "http.response.start":
                    status = int(message["status"])
                await send(message)

            try:
                await app(scope, receive, note)
            finally:
                # names of routes, never addresses, so that a client cannot make series
                endpoint = scope.get("endpoint")
                self.count(getattr(endpoint, "__name__", "none"), status, perf_counter() - started)

        return counted
