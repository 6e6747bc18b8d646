"""Which of several agents crawls a host: consistent hashing (BUBING, section 3.9).

Each agent has places on a ring of 64-bit hashes; a host belongs to the agent whose place is the first at or
behind the hash of its name. When an agent leaves, only its hosts move, and they spread over the others; when
one joins, it takes its share from all. Names alone decide, so every agent knows without asking.
"""

from __future__ import annotations

import bisect
import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from webstrata._core import crawl as _core

if TYPE_CHECKING:
    from collections.abc import Sequence

PLACES = 160
"""Places of an agent on the ring: shares then differ by less than a fifth."""


class Ring:
    """The agents of a crawl, and whose each host is.

    Examples
    --------
    >>> ring = Ring(["a", "b", "c"])
    >>> whose = {host: ring.owner(f"http://{host}/") for host in ("x.org", "y.org", "z.org")}
    >>> smaller = Ring(["a", "b"])
    >>> all(smaller.owner(f"http://{host}/") == agent for host, agent in whose.items() if agent != "c")
    True
    """

    def __init__(self, agents: Sequence[str]) -> None:
        if len(set(agents)) != len(agents) or not agents:
            raise ValueError(f"agents: expected different names, one at least, got {list(agents)!r}")
        self.agents = tuple(agents)
        self.places = sorted(
            (_hash(f"{agent}#{place}"), number)
            for number, agent in enumerate(self.agents)
            for place in range(PLACES)
        )

    def owner(self, url: str) -> str:
        """The agent that crawls the host of a URL."""
        place = bisect.bisect_left(self.places, (_core.hash_host(url), -1))
        return self.agents[self.places[place % len(self.places)][1]]

    def number(self, agent: str) -> int:
        """The number by which the core knows an agent."""
        return self.agents.index(agent)


@dataclass(frozen=True)
class Standing:
    """Where an agent stands: whether it is idle, and how many URLs it sent to others and got from them."""

    is_idle: bool
    sent: int
    received: int


def is_agent_finished(before: Sequence[Standing], after: Sequence[Standing]) -> bool:
    """Whether a crawl of several agents is over, by two looks at all of them, one after the other.

    One look is not enough: an agent may be idle when it is looked at, and get URLs before the next one is. If
    nobody sent or received anything between two looks, and all that was sent has arrived, nothing was on its
    way between them (Mattern 1987, the four counters).

    Examples
    --------
    >>> idle = Standing(is_idle=True, sent=3, received=3)
    >>> is_agent_finished([idle], [idle])
    True
    >>> is_agent_finished([idle], [Standing(is_idle=True, sent=4, received=3)])
    False
    """
    sent, received = sum(one.sent for one in after), sum(one.received for one in after)
    return list(before) == list(after) and all(one.is_idle for one in after) and sent == received


def _hash(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big")
