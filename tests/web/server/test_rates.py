"""A client may send some requests at once, and then so many per second, whatever others do."""

from __future__ import annotations

from webstrata.web.server import rates as module
from webstrata.web.server.rates import Rates


def test_a_burst_is_followed_by_the_rate() -> None:
    now = 0.0
    rates = Rates(20.0, 100, clock=lambda: now)
    passed = 0
    for step in range(1000):  # ten seconds of a request every 10 ms
        now = step / 100
        passed += rates.delay("192.0.2.7") == 0
    assert passed == 100 + 199


def test_clients_are_limited_each_by_itself() -> None:
    rates = Rates(1.0, 1, clock=lambda: 0.0)
    assert rates.delay("192.0.2.7") == 0
    assert rates.delay("192.0.2.7") == 1
    assert rates.delay("192.0.2.8") == 0
    # the addresses of one /64 are one client
    assert rates.delay("2001:db8::1") == 0
    assert rates.delay("2001:db8::2") == 1
    assert rates.delay("2001:db8:0:1::2") == 0


def test_loopback_is_not_limited_and_0_is_no_limit() -> None:
    rates = Rates(1.0, 1, clock=lambda: 0.0)
    assert all(rates.delay(address) == 0 for address in ("127.0.0.1", "::1", "::ffff:127.0.0.1", "") * 5)
    assert all(Rates(0.0, 1).delay("192.0.2.7") == 0 for _ in range(5))


def test_memory_for_clients_is_limited() -> None:
    rates = Rates(1.0, 1, clock=lambda: 0.0)
    for number in range(module.MAX_CLIENTS + 500):
        rates.delay(f"10.{number >> 16}.{number >> 8 & 255}.{number & 255}")
    assert len(rates._buckets) == module.MAX_CLIENTS
