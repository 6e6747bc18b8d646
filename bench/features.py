"""How fast hosts are measured: every set of features, on two months of an in-vitro web.

`features`: pages a second for one core, over all sets together (A, Aa, B, link, temporal-link, bm25,
temporal-content), from stored text, links, graphs and summaries, with nothing of it made before: pages of the
later month by the CPU seconds that all of it took. `details` has each set by itself, and the minutes that
10⁶ pages would take on two cores at that rate. The web has 50 pages a host, as 10⁶ pages on 2 × 10⁴ hosts
have; two months of 100 000 pages are crawled over loopback first (`--quick`: 2 000).

Theirs is what SPAM says in tables 13 and 14: 5 × 10⁸ pages took 36 hours to parse on 45 machines of two cores
each, 43 pages a second for a core of then. Parsing is not in ours, and links and terms are not in theirs: it
is the only figure that there is.

`features-large`: minutes by the clock for a million pages of 2 × 10⁴ hosts (`bench.features_large`), on the
cores that there are; theirs are the minutes that the published rate takes on two.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from bench import features_large
from bench.features_large import MONTHS, QUERIES, clock, forget
from bench.frame import BuiltIn, Call, Figure, main

PAGES, QUICK_PAGES = 100_000, 2_000
PAGES_OF_A_HOST = 50
PUBLISHED = 5e8 / (36 * 3600 * 45 * 2)
"""Pages a second for a core."""


def prepare(folder: Path, quick: bool) -> None:  # noqa: FBT001 (the frame calls it)
    """Crawl two months of the web, and build what features are made from."""
    import webstrata as ws
    from webstrata.crawl.run import Crawl
    from webstrata.crawl.settings import CrawlSettings
    from webstrata.graph.build import build_graph
    from webstrata.invitro import Web
    from webstrata.summaries.build import build_summaries

    pages = QUICK_PAGES if quick else PAGES
    # a web much larger than what is wanted of it: the last pages of a crawl are those of hosts that do not
    # answer, and take minutes
    web = Web("realistic", seed=7, hosts=pages // PAGES_OF_A_HOST, pages=3 * pages)
    options = {
        "host_delay": 0.0,
        "ip_delay": 0.0,
        "max_crawl_delay": 0.0,
        "resolve": False,
        "max_pages": pages,
    }
    collection = ws.create(folder / "uk")
    (folder / "queries.txt").write_text(QUERIES)
    for month, label in enumerate(MONTHS):
        snapshot = collection.add(label)
        with web.serve(origins=True, month=month) as server:
            hosts = {name: (address, server.port) for name, address in server.addresses().items()}
            settings = CrawlSettings.read(options=options, environment={})
            Crawl(snapshot, settings, seeds=web.home_pages(month), hosts=hosts).run()
        build_graph(snapshot)
        build_summaries(snapshot)
    homes = web.home_pages(0)
    (folder / "trusted.txt").write_text("".join(f"{url}\n" for url in homes[:: max(len(homes) // 20, 1)]))


def measure_ours(place: str) -> dict[str, Any]:
    """Make every set, each from the beginning."""
    import webstrata as ws
    from webstrata.classify.features.feature_sets import build_set
    from webstrata.classify.features.sets import SETS
    from webstrata.classify.settings import ClassifySettings

    folder = Path(place)
    snapshot = ws.open(folder / "uk")[MONTHS[-1]]
    known = set(snapshot.urls.key_column.to_pylist())
    trusted = folder / "known.txt"
    trusted.write_text("".join(_list_known(folder / "trusted.txt", known)))
    settings = ClassifySettings(query_words=str(folder / "queries.txt"), trusted=str(trusted))
    forget(snapshot)
    details: dict[str, Any] = {"pages": len(snapshot.urls), "hosts": snapshot.host_graph.num_nodes}
    began, used = time.perf_counter(), clock()
    for name in SETS:
        before = clock()
        made = build_set(snapshot, name, settings)
        details[name] = {"cpu": round(clock() - before, 2), "features": made.features}
    total = clock() - used
    rate = len(snapshot.urls) / total
    details |= {
        "cpu": round(total, 1),
        "wall": round(time.perf_counter() - began, 1),
        "minutes_of_a_million_on_two_cores": round(1e6 / rate / 2 / 60, 1),
    }
    return {"value": rate, **details}


def _list_known(path: Path, known: set[str]) -> list[str]:
    """Lines of a list of home pages that are pages of the snapshot."""
    from webstrata.web.row_key import row_key

    return [line + "\n" for line in path.read_text().splitlines() if row_key(line) in known]


def tell_theirs(_place: str) -> float:
    """What is published."""
    return PUBLISHED


def tell_their_minutes(_place: str) -> float:
    """What a million pages take at that rate on two cores."""
    return 1e6 / PUBLISHED / 2 / 60


FIGURES = [
    Figure(
        name="features-large",
        ours=Call("bench.features_large:measure"),
        theirs=Call("bench.features:tell_their_minutes"),
        peer=BuiltIn("SPAM (published, parsing alone)"),
        prepare=features_large.prepare,
        varies=True,
        measure="answer",
        unit="minutes",
        better="less",
        rounds=1,
        quick_rounds=1,
        warm_up=False,
        in_quick=False,
    ),
    Figure(
        name="features",
        ours=Call("bench.features:measure_ours"),
        theirs=Call("bench.features:tell_theirs"),
        peer=BuiltIn("SPAM (published, parsing alone)"),
        prepare=prepare,
        varies=True,
        measure="answer",
        unit="pages/s a core",
        better="more",
        rounds=1,
        quick_rounds=1,
        warm_up=False,
    ),
]

if __name__ == "__main__":
    main(FIGURES)
