"""Processes that answer, and what is counted of them."""

from __future__ import annotations

import pytest

from webstrata.errors import WebstrataError
from webstrata.search.distributed.servers import Servers, Traffic


class Part:
    """What a server may be."""

    def __init__(self, number: int) -> None:
        self.number = number

    def double(self, numbers: list[int]) -> list[int]:
        if self.number == 7:
            raise ValueError("seven")
        return [self.number * one for one in numbers]

    def panic(self) -> None:
        class Panic(BaseException):
            """As PyO3 raises, which cannot be pickled."""

        raise Panic("mid > len")

    def leave(self) -> None:
        raise SystemExit


def test_servers_answer_pass_their_errors_on_and_are_counted() -> None:
    with Servers(Part, [(2,), (7,)]) as servers:
        assert servers.ask({0: ("double", [1, 2])}) == {0: [2, 4]}
        with pytest.raises(ValueError, match="seven"):
            servers.ask_all("double", [1])
        assert servers.ask({0: ("double", [3])}) == {0: [6]}  # nothing of the other one is left in a pipe
        assert servers.traffic.requests == 4
        assert min(servers.traffic.sent, servers.traffic.received) > 0
        with pytest.raises(WebstrataError, match="part 0 of the index has ended"):
            servers.ask({0: ("leave",)})


def test_a_panic_of_the_core_is_an_error_where_the_request_came_from() -> None:
    with Servers(Part, [(2,)]) as servers:
        with pytest.raises(WebstrataError, match=r"a part of the index failed \(mid > len\)"):
            servers.ask({0: ("panic",)})
        assert servers.ask({0: ("double", [1])}) == {0: [2]}


def test_balance_is_the_busiest_over_the_mean() -> None:
    assert Traffic(busy=[1.0, 3.0]).balance == 1.5
    assert Traffic(busy=[0.0, 0.0]).balance == 1.0
