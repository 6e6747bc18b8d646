"""Hosts of a small in-vitro web with farms, as a gate sees them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from webstrata.classify.gate.samples import SiteSample, measure_pages, measure_site
from webstrata.classify.gate.training import TrainedGate, train_gate
from webstrata.invitro.web import Web

PAGES = 2


@dataclass(frozen=True)
class Shown:
    """A page as a crawler shows it."""

    url: str
    body: bytes


@dataclass(frozen=True)
class Host:
    """A host as a crawler shows it."""

    origin: str
    pages: list[Shown]


@cache
def make_farms() -> tuple[list[Host], dict[str, bool], dict[str, str]]:
    """Hosts with their first pages, whether each is spam, and the addresses of those that are."""
    web = Web("spam", seed=5, hosts=240, pages=3000, words=120, spam_share=0.34, spam_camouflage=0.5)
    columns = web.hosts()
    hosts, labels, addresses = [], {}, {}
    for name, there, spam, address in zip(
        *(columns[column] for column in ("name", "present", "spam", "address")), strict=True
    ):
        if not there:
            continue
        home = f"http://{name}/"
        urls = [
            home,
            *(link.url for link in web.links(home) if link.url.startswith(home) and link.url != home),
        ]
        pages = [Shown(url, web.fetch(url).body) for url in dict.fromkeys(urls[:PAGES])]
        hosts.append(Host(home.rstrip("/"), pages))
        labels[name.removeprefix("www.")] = bool(spam)
        if spam:
            addresses[name.removeprefix("www.")] = address
    return hosts, labels, addresses


@cache
def measure_farms() -> list[SiteSample]:
    """The same, measured."""
    return [
        measure_site(
            host.origin.partition("://")[2].removeprefix("www."),
            measure_pages([(page.url, page.body) for page in host.pages]),
        )
        for host in make_farms()[0]
    ]


@cache
def train_farms() -> TrainedGate:
    """A gate learned from all of them."""
    sites, (_, labels, addresses) = measure_farms(), make_farms()
    totals = np.full(len(sites), 12)
    return train_gate(sites, totals, labels, pages=PAGES, bound=0.05, addresses=addresses, folds=3, seed=1)
