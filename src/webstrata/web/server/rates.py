"""Requests per client and second: a token bucket per client."""

from __future__ import annotations

import ipaddress
import time
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

MAX_CLIENTS = 10_000
"""Clients that are remembered; full buckets are forgotten first."""


@lru_cache(4096)
def client_key(address: str) -> str:
    """What counts as one client: an IPv4 address, or the /64 that a subscriber with IPv6 has.

    Examples
    --------
    >>> client_key("192.0.2.7"), client_key("2001:db8:1:2:3::4"), client_key("::ffff:192.0.2.7")
    ('192.0.2.7', '2001:db8:1:2::', '192.0.2.7')
    """
    try:
        parsed = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(parsed, ipaddress.IPv6Address):
        if parsed.ipv4_mapped is not None:
            return str(parsed.ipv4_mapped)
        if not parsed.is_loopback:
            return str(ipaddress.IPv6Address(int(parsed) >> 64 << 64))
    return str(parsed)


@lru_cache(4096)
def is_loopback(address: str) -> bool:
    """Whether a client is on this machine; a Unix socket has no address and is.

    Examples
    --------
    >>> is_loopback("127.0.0.2"), is_loopback("::1"), is_loopback(""), is_loopback("192.0.2.7")
    (True, True, True, False)
    """
    try:
        return not address or ipaddress.ip_address(client_key(address)).is_loopback
    except ValueError:
        return False


class Rates:
    """Token buckets: `burst` requests at once, then `rate` per second.

    Examples
    --------
    >>> clock = iter([0.0, 0.0, 0.0, 0.5]).__next__
    >>> rates = Rates(2.0, 2, clock=clock)
    >>> [rates.delay("192.0.2.7") for _ in range(4)]
    [0.0, 0.0, 0.5, 0.0]
    """

    def __init__(self, rate: float, burst: int, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate, self._burst, self._clock = rate, burst, clock
        self._buckets: dict[str, tuple[float, float]] = {}

    def delay(self, address: str) -> float:
        """0 if a client may send a request now, else the seconds until it may."""
        if self._rate <= 0 or is_loopback(address):
            return 0.0
        now = self._clock()
        key = client_key(address)
        tokens, last = self._buckets.pop(key, (float(self._burst), now))
        tokens = min(self._burst, tokens + (now - last) * self._rate)
        wait = 0.0 if tokens >= 1 else (1 - tokens) / self._rate
        self._buckets[key] = (tokens if wait else tokens - 1, now)
        if len(self._buckets) > MAX_CLIENTS:
            # the one that has sent nothing for the longest time
            del self._buckets[next(iter(self._buckets))]
        return wait
