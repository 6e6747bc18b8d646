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
    urls: int = (1 << 32) - 1


@dataclass
class Answers:
    """Kinds of nodes, how often each fails, delays of retries, what a robots.txt takes and counts."""

    kinds: list[int] | None = None
    failures: list[int] | None = None
    retry_delays: list[float] = field(default_factory=list)
    robots: tuple[float, float] | None = None

    def kind(self, node: int) -> int:
        return self.kinds[node] if self.kinds else 0

    def num_failures(self, node: int) -> int:
        return self.failures[node] if self.failures else 0


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
    share: float = 0.0,
    said: list[list[float]] | None = None,
    answers: Answers | None = None,
) -> list[tuple[int, float]]:
    """Pages and when they came, in order."""
    answers = answers or Answers()
    attempts: dict[int, int] = {}
    chosen_for: dict[int, float] = {}
    lost: dict[int, int] = {}
    inherited: dict[int, float] = {}
    robots_until: dict[int, float] = {}
    keys: dict[int, float] = {}
    found: dict[int, int] = {}
    order: dict[int, int] = {}
    depths: dict[int, int] = {}
    taken: list[int] = []
    visits: list[tuple[int, float]] = []
    flights: list[tuple[float, int, int, float]] = []
    host_free: dict[int, float] = {}
    address_free: dict[int, float] = {}
    busy: set[int] = set()
    model = Model(list(weights or []), parameter, numbers)
    state: dict[str, Any] = {"now": 0.0, "rung": 0.0, "due": 64, "asked": 0, "failed": 0, "held": 0}

    def enter(node: int, key: float, depth: int) -> None:
        keys[node] = key
        found[node] = order[node] = len(found)
        depths[node] = depth

    def is_page(node: int) -> bool:
        return answers.kind(node) == 0

    def is_full(host: int) -> bool:
        own = sum(hosts[node] == host and is_page(node) for node in taken)
        return own >= limits.pages_per_host or lost.get(host, 0) >= 4

    def hear(node: int, key: float) -> float | None:
        """None for a page that has come, else how long the host rests; -1 for a page that is lost."""
        tried = attempts.get(node, 0)
        if tried >= answers.num_failures(node):
            lost[hosts[node]] = 0
            return None
        state["failed"] += 1
        state["held"] -= is_page(node)
        attempts[node], chosen_for[node] = tried + 1, key
        if tried < len(answers.retry_delays):
            return answers.retry_delays[tried]
        lost[hosts[node]] = lost.get(hosts[node], 0) + 1
        return -1.0

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
        inherited[node] = 1.0
        return 1.0 if policy in ("best-first", "shark", "in-degree") else first_key(node)

    def new_key(node: int, known: float | None, source: int, key: float, text: float | None) -> float:
        score = scores[source]
        if policy == "depth-first":
            return float(len(visits))
        if not is_page(source):
            # it stands for another page, and passes on what it was fetched for
            inherited[node] = max(inherited.get(node, 0.0), inherited.get(source, 0.0))
            if policy in ("opic", "in-degree"):
                return (known or 0.0) + key
            if policy in ("best-first", "shark"):
                return key if known is None else max(known, key)
            score = max(model.parents.get(source, []), default=0.0)
        if policy == "best-first":
            return score if known is None else max(known, score)
        if policy == "shark":
            passed = parameter * (score if score > 0 else inherited.get(source, 0.0))
            inherited[node] = max(inherited.get(node, 0.0), passed)
            given = passed if text is None else (1.0 - share) * passed + share * text
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
        """The best of some pages that may be fetched; one that is asked for again comes first."""
        waiting = [node for node in nodes if node in attempts or not is_full(hosts[node])]
        if not waiting or state["held"] >= limits.pages:
            return None
        node = min(waiting, key=lambda node: (-keys[node], order[node]))
        if times and answers.robots and robots_until.get(hosts[node], -math.inf) <= state["now"]:
            return -1, hosts[node]
        state["held"] += is_page(node)
        key = keys.pop(node)
        if node in attempts:
            return node, chosen_for[node]
        taken.append(node)
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
            if node in attempts or not is_full(hosts[node])
            if clock.addresses[hosts[node]] not in busy
        ]
        return min(moments, default=math.inf)

    def fetch() -> tuple[int, float, float] | None:
        if times is None:
            while (chosen := take(list(keys))) is not None:
                while True:
                    state["asked"] += 1
                    pause = hear(*chosen)
                    if pause is None:
                        return (*chosen, float(state["asked"]))
                    if pause < 0:
                        break
                    state["held"] += is_page(chosen[0])
            return None
        while True:
            begins = len(flights) < times.fetchers and state["now"] < limits.seconds
            chosen = take([node for node in keys if is_ready(node, times)]) if begins else None
            if chosen is not None:
                state["asked"] += 1
                host = int(chosen[1]) if chosen[0] < 0 else hosts[chosen[0]]
                busy.add(times.addresses[host])
                takes = answers.robots[0] if chosen[0] < 0 and answers.robots else times.durations[chosen[0]]
                flights.append((state["now"] + takes, state["asked"], *chosen))
                continue
            wake = next_wake(times) if begins and state["held"] < limits.pages else math.inf
            end = min(flights, default=(math.inf,))[0]
            if end == wake == math.inf:
                return None
            if wake < end:
                state["now"] = wake
                continue
            flight = min(flights)
            flights.remove(flight)
            state["now"], node = flight[0], flight[2]
            host = int(flight[3]) if node < 0 else hosts[node]
            pause = 0.0 if node < 0 else hear(node, flight[3])
            if node < 0 and answers.robots:
                robots_until[host] = end + answers.robots[1]
            elif pause is not None and pause >= 0:
                keys[node], order[node] = math.inf, state["failed"]
            host_free[host] = end + max(times.host_delays[host], pause or 0.0)
            address = times.addresses[host]
            address_free[address] = end + times.address_delays[address]
            busy.discard(address)
            if pause is None:
                return node, flight[3], end

    for node in seeds:
        if node not in found and answers.kind(node) < 3:
            enter(node, start_key(node), 0)
    while (visit := fetch()) is not None:
        source, key, time = visit
        if is_page(source):
            visits.append((source, time))
        for place, node in enumerate(arcs[source]):
            if node in taken or is_full(hosts[node]):
                continue
            depth = depths[source] + is_page(source) if hosts[source] == hosts[node] else 0
            text = said[source][place] if said else None
            if node in keys:
                keys[node] = new_key(node, keys[node], source, key, text)
            elif depth <= limits.depth and len(found) < limits.urls and answers.kind(node) < 3:
                enter(node, new_key(node, None, source, key, text), depth)
        if policy == "learned" and is_page(source):
            model.learn(source, hosts[source], scores[source])
            if len(visits) >= state["due"]:
                state["due"] = len(visits) + max(len(visits) // 8, 64)
                again = [node for node, key in keys.items() if key < math.inf]
                keys.update({node: model.foretell(node, hosts[node]) for node in again})
    return visits
