"""What a gate saves: spam pages that a crawl stores with and without it, at 1% of honest pages lost at most.

`gate-content` and `gate-links` crawl the in-vitro web `realistic`, whose farms are blatant, judged by words
alone and with what linked hosts are; `gate-hidden` and `gate-hidden-links` crawl the same web with farms that
hide and honest hosts that stuff (`spam_camouflage` 1, `commercial_share` 0.45), in farms of five, so that
there are 16 to learn from and 16 others. Ours is the crawl with the gate, theirs the same crawl without it;
the promise is a quarter less for `gate-content`. `gate-rate` are pages a second of both, by the gate of
`gate-content` with links; the promise is 5% less at most.

The gate is learned from month 6, from half of the farms and half of the honest domains, and what counts are
the other halves in month 7. `details` have how much of the honest pages is lost there, the whole
trade-off on hosts not trained on, and what a host costs: milliseconds of judging, and the share of the
crawl's processor time. Folds cut no farm.

`--quick` has 400 hosts; full is the preset itself, 2 000 hosts with 200 000 pages.
"""

from __future__ import annotations

import json
import shutil
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.frame import BuiltIn, Call, Figure, main

if TYPE_CHECKING:
    from webstrata.invitro import Web

BOUND, PAGES, FOLDS = 0.01, 3, 3
LEARNED, CRAWLED = 6, 7
"""Months: of the twelve those with most farms."""
FULL: dict[str, Any] = {}
QUICK = {"hosts": 400, "pages": 8_000, "words": 200, "farm_hosts": 5, "spam_share": 0.2}
HIDDEN = {"spam_camouflage": 1.0, "commercial_share": 0.45, "comment_spam_share": 0.06, "farm_hosts": 5}
CURVE = (0.0, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1)


def prepare(folder: Path, quick: bool) -> None:  # noqa: FBT001 (the frame calls it)
    """Learn a gate from a month of the web with blatant farms."""
    _learn(folder, dict(QUICK if quick else FULL))


def prepare_hidden(folder: Path, quick: bool) -> None:  # noqa: FBT001 (the frame calls it)
    """The same for farms that hide."""
    _learn(folder, {**(QUICK if quick else FULL), **HIDDEN})


def _learn(folder: Path, overrides: dict[str, Any]) -> None:
    from webstrata.classify.gate.file import save_gate
    from webstrata.classify.gate.training import at_most, sample_snapshot, train_gate
    from webstrata.invitro import Web

    (folder / "web.json").write_text(json.dumps(overrides))
    web = Web("realistic", **overrides)
    snapshot, _ = _crawl(folder / "learned", web, LEARNED)
    sites, totals = sample_snapshot(snapshot, PAGES)
    labels, addresses = {}, {}
    for name, is_spam, address, trains in _split(web, LEARNED):
        if trains:
            labels[name] = is_spam
            addresses[name] = address
    trained = train_gate(sites, totals, labels, pages=PAGES, bound=BOUND, addresses=addresses, folds=FOLDS)
    save_gate(trained, folder / "spam.gate")
    curve = {
        name: {str(loss): round(at_most(points, loss).spam_pages, 3) for loss in CURVE}
        for name, points in trained.curves.items()
    }
    (folder / "curve.json").write_text(json.dumps({"auc": trained.auc, "spam_cut_by_honest_lost": curve}))
    shutil.rmtree(folder / "learned")


def _split(web: Web, month: int) -> list[tuple[str, bool, str, bool]]:
    """Hosts of a month: name, whether it is spam, its farm or address, and whether a gate learns from it."""
    from zlib import crc32

    from webstrata.web.host import registered_domain

    hosts = web.hosts(month)
    found = []
    for slot, name in enumerate(hosts["name"]):
        if hosts["present"][slot]:
            key = crc32((registered_domain(name) or name).encode())
            trains = hosts["farm"][slot] % 2 == 0 if hosts["spam"][slot] else key % 2 == 0
            # a farm has two addresses, and must be on one side of a fold
            place = f"farm {hosts['farm'][slot]}" if hosts["spam"][slot] else hosts["address"][slot]
            found.append((name.removeprefix("www."), hosts["spam"][slot], place, trains))
    return found


def _crawl(place: Path, web: Web, month: int, gate: Any = None) -> tuple[Any, Any]:  # noqa: ANN401
    import webstrata as ws
    from webstrata.crawl.run import Crawl
    from webstrata.crawl.settings import CrawlSettings

    snapshot = ws.create(place).add("2026-06")
    settings = CrawlSettings(
        host_delay=0, ip_delay=0, resolve=False, max_crawl_delay=0, retry_delay=0.01, max_retry_after=0.1,
        gate_after=PAGES if gate else 0, max_pages_per_pattern=5_000, response_timeout=3,
    )  # fmt: skip
    with web.serve(month, origins=True) as server:
        hosts = {name: (address, server.port) for name, address in server.addresses().items()}
        seeds = web.home_pages(month)
        crawl = Crawl(snapshot, settings, seeds=seeds, hosts=hosts, gate=gate, parses=False)
        return snapshot, crawl.run()


def crawl(folder: str, how: str) -> dict[str, Any]:
    """Crawl the month after it, and count what is stored of hosts that no gate has learned from."""
    import pyarrow.compute as pc

    from webstrata.classify.gate.file import load_gate
    from webstrata.classify.gate.model import Gate
    from webstrata.classify.gate.samples import host_name
    from webstrata.crawl.gate import read_decisions
    from webstrata.invitro import Web

    here = Path(folder)
    web = Web("realistic", **json.loads((here / "web.json").read_text()))
    gate = None if how == "none" else Gate(load_gate(here / "spam.gate")[0], uses_links=how == "links")
    scratch = Path(tempfile.mkdtemp(prefix="gate-", dir=folder))
    try:
        began = time.process_time()
        snapshot, result = _crawl(scratch / "uk", web, CRAWLED, gate)
        spent = time.process_time() - began
        hosts = snapshot.pages.table("url_host_name")["url_host_name"].combine_chunks()
        counted = pc.value_counts(hosts)
        told = read_decisions(snapshot.path / "crawl")
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    stored = {
        str(host).removeprefix("www."): int(pages)
        for host, pages in zip(
            counted.field("values").to_pylist(), counted.field("counts").to_pylist(), strict=True
        )
    }
    new = [(host, is_spam) for host, is_spam, _, trains in _split(web, CRAWLED) if not trains]
    spam = sum(stored.get(host, 0) for host, is_spam in new if is_spam)
    refused = {host_name(decision.origin) for decision in told if not decision.keeps}
    honest = sum(stored.get(host, 0) for host, is_spam in new if not is_spam)
    return {
        "value": spam,
        "honest_pages": honest,
        "pages": result.pages,
        "pages_per_second": round(result.rate, 1),
        "pages_per_cpu_second": round(result.pages / max(spent, 1e-9), 1),
        "refused": len(refused),
        # told apart from pages, of which a crawl of this web has some hundreds more or fewer each time
        "honest_refused": sum(host in refused for host, is_spam in new if not is_spam),
        "ms_a_host": round(1000 * gate.seconds / max(result.gate["hosts"], 1), 2) if gate else 0,
        "gate_share_of_cpu": round(gate.seconds / max(spent, 1e-9), 4) if gate else 0,
        **json.loads((here / "curve.json").read_text()),
    }


def measure_rate(folder: str, how: str) -> dict[str, Any]:
    """The same crawl by its pages a second."""
    found = crawl(folder, how)
    return found | {"value": found["pages_per_second"], "spam_pages": found["value"]}


def _figure(name: str, how: str) -> Figure:
    is_hidden = "hidden" in name
    return Figure(
        name=name,
        ours=Call("bench.gate:crawl", arguments=("{input}", how)),
        theirs=Call("bench.gate:crawl", arguments=("{input}", "none")),
        peer=BuiltIn("no gate"),
        prepare=prepare_hidden if is_hidden else prepare,
        data="gate-hidden" if is_hidden else "gate",
        varies=True,
        measure="answer",
        unit="spam pages",
        better="less",
        rounds=1,
        quick_rounds=1,
        warm_up=False,
        in_quick=name == "gate-content",
    )


FIGURES = [
    _figure("gate-content", "content"),
    _figure("gate-links", "links"),
    _figure("gate-hidden", "content"),
    _figure("gate-hidden-links", "links"),
    Figure(
        name="gate-rate",
        ours=Call("bench.gate:measure_rate", arguments=("{input}", "links")),
        theirs=Call("bench.gate:measure_rate", arguments=("{input}", "none")),
        peer=BuiltIn("no gate"),
        prepare=prepare,
        data="gate",
        varies=True,
        measure="answer",
        unit="pages/s",
        better="more",
        rounds=4,
        quick_rounds=1,
        warm_up=False,
        in_quick=False,
    ),
]

if __name__ == "__main__":
    main(FIGURES)
