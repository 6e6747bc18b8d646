"""A simulated crawl in plain Python: every page that may be fetched is looked at, and the best is taken."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

Arcs = list[list[int]]


@dataclass
class Limits:
    """What it obeys."""

    pages: int = 1 << 40
    pages_per_host: int = 1 << 31
    depth: int = 65_535
    seconds: float = math.inf


@dataclass
class Times:
    """Addresses and delays of hosts, delays of addresses, what pages take, how many at once."""

    addresses: list[int]
    host_delays: list[float]
    address_delays: list[float]
    durations: list[float]
    fetchers: int


@dataclass
class Model:
    """The learned policy: features of a page, and a step towards the score of one that was fetched."""

    weights: list[float]
    rate: float
    prior: list[float] | None
    parents: dict[int, list[float]] = field(default_factory=dict)
    hosts: dict[int, list[float]] = field(default_factory=dict)
    everywhere: list[float] = field(default_factory=list)

    def features(self, node: int, host: int) -> list[float]:
        mean = _sum(self.everywhere) / len(self.everywhere) if self.everywhere else 0.0
        own, scores = self.hosts.get(host, []), self.parents.get(node, [])
        return [
            1.0,
            max(scores, default=0.0),
            _sum(scores) / max(len(scores), 1),
            (_sum(own) + 2.0 * mean) / (len(own) + 2.0),
            len(scores) / (len(scores) + 1),
            self.prior[node] if self.prior else 0.0,
        ]

    def foretell(self, node: int, host: int) -> float:
        return _sum([weight * x for weight, x in zip(self.weights, self.features(node, host), strict=True)])

    def learn(self, node: int, host: int, score: float) -> None:
        features = self.features(node, host)
        step = self.rate * (score - self.foretell(node, host)) / (0.1 + _sum([x * x for x in features]))
        self.weights = [weight + step * x for weight, x in zip(self.weights, features, strict=True)]
        self.hosts.setdefault(host, []).append(score)
        self.everywhere.append(score)


def _sum(numbers: list[float]) -> float:
    """From left to right; Python's own is more exact from 3.12 on."""
    total = 0.0
    for number in numbers:
        total += number
    return total


def crawl(
    policy: str,
    arcs: Arcs,
    hosts: list[int],
    seeds: list[int],
    scores: list[float],
    limits: Limits,
    times: Times | None = None,
    *,
    numbers: list[float] | None = None,
    parameter: float = 0.0,
    weights: list[float] | None = None,
) -> list[tuple[int, float]]:
    """Pages and when they came, in order."""
    keys: dict[int, float] = {}
    found: dict[int, int] = {}
    depths: dict[int, int] = {}
    taken: list[int] = []
    visits: list[tuple[int, float]] = []
    flights: list[tuple[float, int, int, float]] = []
    host_free: dict[int, float] = {}
    address_free: dict[int, float] = {}
    busy: set[int] = set()
    model = Model(list(weights or []), parameter, numbers)
    state: dict[str, Any] = {"now": 0.0, "rung": 0.0, "due": 64}

    def enter(node: int, key: float, depth: int) -> None:
        keys[node] = key
        found[node] = len(found)
        depths[node] = depth

    def is_full(host: int) -> bool:
        return sum(hosts[node] == host for node in taken) >= limits.pages_per_host

    def first_key(node: int) -> float:
        if policy == "random":
            return -(float(state["rung"]) + (numbers or [])[node])
        return (numbers or [])[node] if policy == "fixed" else 0.0

    def start_key(node: int) -> float:
        if policy == "opic":
            return 1.0 / len(seeds)
        if policy == "learned":
            model.parents.setdefault(node, []).append(1.0)
            return model.foretell(node, hosts[node])
        return 1.0 if policy in ("best-first", "shark", "in-degree") else first_key(node)

    def new_key(node: int, known: float | None, source: int, key: float) -> float:
        score = scores[source]
        if policy == "depth-first":
            return float(len(visits))
        if policy in ("best-first", "shark"):
            given = score if policy == "best-first" else parameter * (score if score > 0 else key)
            return given if known is None else max(known, given)
        if policy == "opic":
            return (known or 0.0) + key / len(arcs[source])
        if policy == "in-degree":
            return (known or 0.0) + 1.0
        if policy == "learned":
            model.parents.setdefault(node, []).append(score)
            return model.foretell(node, hosts[node])
        return first_key(node) if known is None else known

    def take(nodes: list[int]) -> tuple[int, float] | None:
        """The best of some pages that may be fetched."""
        waiting = [node for node in nodes if not is_full(hosts[node])]
        if not waiting or len(taken) >= limits.pages:
            return None
        node = min(waiting, key=lambda node: (-keys[node], found[node]))
        taken.append(node)
        key = keys.pop(node)
        state["rung"] = max(state["rung"], -key) if policy == "random" else 0.0
        return node, key

    def is_ready(node: int, clock: Times) -> bool:
        host, address = hosts[node], clock.addresses[hosts[node]]
        free = max(host_free.get(host, 0.0), address_free.get(address, 0.0))
        return free <= state["now"] and address not in busy

    def next_wake(clock: Times) -> float:
        moments = [
            max(host_free.get(hosts[node], 0.0), address_free.get(clock.addresses[hosts[node]], 0.0))
            for node in keys
            if not is_full(hosts[node]) and clock.addresses[hosts[node]] not in busy
        ]
        return min(moments, default=math.inf)

    def fetch() -> tuple[int, float, float] | None:
        if times is None:
            chosen = take(list(keys))
            return (*chosen, float(len(taken))) if chosen else None
        while True:
            begins = len(flights) < times.fetchers and state["now"] < limits.seconds
            chosen = take([node for node in keys if is_ready(node, times)]) if begins else None
            if chosen is not None:
                busy.add(times.addresses[hosts[chosen[0]]])
                flights.append((state["now"] + times.durations[chosen[0]], len(taken), *chosen))
                continue
            wake = next_wake(times) if begins and len(taken) < limits.pages else math.inf
            end = min(flights, default=(math.inf,))[0]
            if end == wake == math.inf:
                return None
            if wake < end:
                state["now"] = wake
                continue
            flight = min(flights)
            flights.remove(flight)
            state["now"], node = flight[0], flight[2]
            host_free[hosts[node]] = end + times.host_delays[hosts[node]]
            address = times.addresses[hosts[node]]
            address_free[address] = end + times.address_delays[address]
            busy.discard(address)
            return node, flight[3], end

    for node in seeds:
        if node not in found:
            enter(node, start_key(node), 0)
    while (visit := fetch()) is not None:
        source, key, time = visit
        visits.append((source, time))
        for node in arcs[source]:
            if node in taken or is_full(hosts[node]):
                continue
            depth = depths[source] + 1 if hosts[source] == hosts[node] else 0
            if node in keys:
                keys[node] = new_key(node, keys[node], source, key)
            elif depth <= limits.depth:
                enter(node, new_key(node, None, source, key), depth)
        if policy == "learned":
            model.learn(source, hosts[source], scores[source])
            if len(visits) >= state["due"]:
                state["due"] = len(visits) + max(len(visits) // 8, 64)
                keys.update({node: model.foretell(node, hosts[node]) for node in keys})
    return visits
