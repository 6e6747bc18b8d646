"""How well linkage finds planted events in their month: `hits` compared with text search alone.

`changes-ndcg`: mean NDCG of the first 15 answers on events that are planted in in-vitro webs (8 months, 300
events, a quarter of them parts of 20 long stories; `--quick`: one web of 5 months, and fewer);
`changes-ndcg-list`: that of the whole list, as many pages as there are candidates on both sides. There are
four webs, of seeds that no setting was chosen on, and their queries are pooled. A query is the word of a
story with the most popular query of two words of its topic, at a month in which something of the story
happened: pages that the event brought have grade 2, pages that it changed grade 1. All earlier events of the
story match just as well; in the same month other events of the topic bring pages that match in part, on the
same hosts; and ordinary pages come, go and change as on any in-vitro web.

Ours is the ranking `hits` with `link_weights = "new"`, whose formulas these webs prove; it is not the default
of `webstrata changes`, which was chosen on real histories (`bench.changes_real`) and is one of the others in
`details`, with the other ranks, α = 0 and α = 1, another month, and p-values of both figures. Theirs is BM25
of the same text index.

`changes-kinds`: mean NDCG@15 over four kinds of events, which take turns on webs of other seeds: pages and
links together, edits without links, links without edits, and events among three times as many unrelated pages
(`webstrata.invitro.events`). Ours is the default, `new-text`; theirs is `none`, the mix of text and change
without links. `details` has each rank for each kind: those of CHANGE with its settings (preset
``paper:change``), and ours.

The months are fetched from the web without a network, written as WARC files and ingested.
"""

from __future__ import annotations

import datetime as dt
import functools
import hashlib
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.frame import BuiltIn, Call, Figure, main

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    import numpy.typing as npt

    import webstrata as ws
    from webstrata.invitro import Web
    from webstrata.search.change.settings import ChangesSettings
    from webstrata.search.evaluate.experiment import RunOutcome, SearchExperiment

CHOSEN = 5
"""The first of the webs that defaults were chosen on; `--quick` has a small one of the same seed."""
SEEDS = (51, 52, 53, 54)
"""Those of the figures."""
LINKAGE: dict[str, Any] = {"rank": "hits", "matches_first": False}
"""The settings that are measured."""
QUIET = dict.fromkeys(
    (
        "redirect_share", "redirect_loop_share", "broken_share", "soft_404_share", "robots_error_share",
        "trap_share", "hazard_share", "failing_share", "flaky_share", "session_share", "host_absence",
        "mirror_share",
    ),
    0.0,
)  # fmt: skip
FULL = {
    "hosts": 96, "pages": 2400, "months": 8, "words": 120, "topics": 3, "events": 300, "event_stories": 20,
    "event_story_share": 0.25, "event_hosts": 4, "event_pages": 12,
}  # fmt: skip
QUICK = FULL | {
    "hosts": 60,
    "pages": 900,
    "months": 5,
    "words": 80,
    "topics": 2,
    "events": 150,
    "event_stories": 18,
}
KIND_SEEDS = (61, 62, 63, 64)
"""The webs of all kinds of events; nothing was chosen on them."""
KINDS: dict[str, Any] = {
    "event_kinds": ("linked", "edits", "links", "burst"), "events": 160, "event_stories": 20,
    "event_story_share": 0.5,
}  # fmt: skip
QUICK_KINDS = KINDS | {
    "hosts": 48, "pages": 600, "months": 4, "events": 48, "event_stories": 12, "event_story_share": 0.8,
}  # fmt: skip


# ---- the input


def make_web(seed: int, *, quick: bool, kinds: bool = False) -> Web:
    """A web with events, of all kinds if asked."""
    from webstrata.invitro import Web
    from webstrata.invitro.web import make_settings

    chosen = QUIET | (QUICK if quick else FULL)
    if kinds:
        chosen |= QUICK_KINDS if quick else KINDS
    return Web("small", seed=seed, settings=make_settings("small", chosen))


def label_of(month: int) -> str:
    """The snapshot of a month."""
    return f"2026-{month + 1:02}"


def prepare(folder: Path, quick: bool) -> None:  # noqa: FBT001 (the frame calls it)
    """Make the collections, queries and judgements."""
    for seed in (CHOSEN,) if quick else SEEDS:
        make_collection(folder / str(seed), make_web(seed, quick=quick))


def prepare_kinds(folder: Path, quick: bool) -> None:  # noqa: FBT001 (the frame calls it)
    """Make those with events of all kinds."""
    for seed in (CHOSEN,) if quick else KIND_SEEDS:
        make_collection(folder / str(seed), make_web(seed, quick=quick, kinds=True))


def make_collection(folder: Path, web: Web) -> None:
    """All months of a web, with queries and judgements."""
    import webstrata as ws
    from webstrata.search.build import build_text_index
    from webstrata.temporal.align import choose_snapshots
    from webstrata.temporal.build import build_union
    from webstrata.temporal.settings import TemporalSettings

    folder.mkdir(parents=True)
    uk = ws.create(folder / "uk")
    for month in range(web.settings.months):
        add_month(uk, web, month)
    build_union(uk, choose_snapshots(uk), TemporalSettings(by="canonical"))
    build_text_index(uk)
    write_truth(uk, web, folder)


def add_month(uk: ws.Collection, web: Web, month: int) -> None:
    """A snapshot of all pages of a month, with graph and summaries."""
    from webstrata.archive.warc import Capture, WarcWriter
    from webstrata.graph.build import build_graph
    from webstrata.store.ingest.run import ingest
    from webstrata.summaries.build import build_summaries

    snapshot = uk.add(label_of(month))
    moment = int(dt.datetime(2026, month + 1, 2, tzinfo=dt.UTC).timestamp()) * 10**9
    with tempfile.TemporaryDirectory() as scratch:
        with WarcWriter(Path(scratch), "month") as writer:
            for url in web.graph(month).urls:
                answer = web.fetch(url, month)
                head = answer.head.partition(b"\r\n\r\n")[0]
                writer.write(Capture(url=url, date=moment, head=head, body=answer.body))
        ingest(snapshot, [Path(scratch)])
    build_graph(snapshot)
    build_summaries(snapshot)


def write_truth(uk: ws.Collection, web: Web, folder: Path) -> None:
    """Queries and judgements from the planted events of stories."""
    grades: dict[tuple[str, int], dict[str, int]] = defaultdict(dict)
    kinds: dict[tuple[str, int], set[str]] = defaultdict(set)
    names = [event.name.split()[0] for event in web.events()]
    for month in range(1, web.settings.months):
        urls = uk[label_of(month)].urls
        for event in web.events(month):
            story = event.name.split()[0]
            if event.month != month or names.count(story) < 2:
                continue
            kinds[story, month].add(event.kind)
            for grade, pages in ((1, event.changed), (2, [*event.born, *event.linked])):
                for url in pages:
                    node = urls.get(url)
                    if node is not None:  # no duplicate of a page of another host
                        own = grades[story, month]
                        own[urls[node]] = max(grade, own.get(urls[node], 0))
    topics = {event.name.split()[0]: event.topic for event in web.events()}
    words = find_topic_queries(uk, web)
    queries = [
        "\t".join(
            [
                f"{story}-{month}",
                f"{story} {words[topics[story]]}",
                label_of(month),
                find_kind(kinds[story, month]),
            ]
        )
        + "\n"
        for story, month in sorted(grades)
    ]
    lines = [
        f"{story}-{month}\t{url}\t{grade}\n"
        for (story, month), own in sorted(grades.items())
        for url, grade in sorted(own.items())
    ]
    (folder / "queries.tsv").write_text("".join(queries))
    (folder / "judgements.tsv").write_text("".join(lines))


def find_kind(kinds: set[str]) -> str:
    """The kind of a query for events of some kinds."""
    return next(iter(kinds)) if len(kinds) == 1 else "mixed"


def find_topic_queries(uk: ws.Collection, web: Web) -> dict[int, str]:
    """For each topic the most popular query of two words that pages of this topic have most of all."""
    import numpy as np

    from webstrata.summaries.query import find_terms

    snapshot = uk[label_of(0)]
    topics = np.array([web.topic(url) for url in snapshot.urls[0 : len(snapshot.urls)]])
    has = snapshot.summaries.matrix("tf").tocsc() > 0
    found: dict[int, str] = {}
    for query in web.queries(2000):
        terms = find_terms(snapshot.summaries, query.text)
        if len(query.text.split()) != 2 or len(terms) != 2:
            continue
        rows = has[:, terms].tocsr()
        shares = [float(rows[topics == topic].mean()) for topic in range(web.settings.topics)]
        found.setdefault(int(np.argmax(shares)), query.text)
    return found


# ---- the sides


class Pooled:
    """The queries of all webs, each asked in its own."""

    def __init__(self, experiments: Sequence[SearchExperiment]) -> None:
        self._experiments = experiments

    def ask(self, settings: ChangesSettings, *, is_other: bool = False) -> PooledOutcome:
        """The outcome of ranking by settings."""
        return PooledOutcome([each.ask(settings, is_other=is_other) for each in self._experiments])

    def ask_bm25(self, settings: ChangesSettings) -> PooledOutcome:
        """The outcome of text alone."""
        return PooledOutcome([each.ask_bm25(settings) for each in self._experiments])

    def __len__(self) -> int:
        return sum(len(each.queries) for each in self._experiments)

    @property
    def kinds(self) -> list[str]:
        """The kind of each query, in the order of `PooledOutcome.series`."""
        return [
            query.kind for each in self._experiments for query in sorted(each.queries, key=lambda q: q.id)
        ]


class PooledOutcome:
    """What one way of asking gave."""

    def __init__(self, outcomes: Sequence[RunOutcome]) -> None:
        self.outcomes = outcomes

    def series(self, measure: str) -> npt.NDArray[np.float64]:
        """A measure of each query, web by web."""
        import numpy as np

        return np.concatenate([each.series(measure) for each in self.outcomes])

    def mean(self, measure: str) -> float:
        """Its mean over all queries."""
        return float(self.series(measure).mean())


@functools.cache
def load(place: str) -> Pooled:
    """The experiments of an input."""
    import webstrata as ws
    from webstrata.search.change import ChangeSearch
    from webstrata.search.evaluate.experiment import SearchExperiment
    from webstrata.search.evaluate.judgements import read_judgements
    from webstrata.search.evaluate.queries import read_queries

    return Pooled(
        [
            SearchExperiment(
                ChangeSearch(ws.open(folder / "uk")),
                read_queries(folder / "queries.tsv"),
                read_judgements(folder / "judgements.tsv"),
            )
            for folder in sorted(Path(place).iterdir())
        ]
    )


def find_digest(*, quick: bool, kinds: bool = False) -> str:
    """A digest of what the webs are."""
    from webstrata.invitro.presets import digest

    if quick:
        return f"sha256:{digest(make_web(CHOSEN, quick=True, kinds=kinds))}"
    seeds = KIND_SEEDS if kinds else SEEDS
    told = " ".join(digest(make_web(seed, quick=False, kinds=kinds)) for seed in seeds)
    return f"sha256:{hashlib.sha256(told.encode()).hexdigest()}"


def check_floor(name: str, value: float, place: str) -> None:
    """Refuse a figure below its floor."""
    from bench.floors import require

    quick = Path(place).parent.name == "quick"
    digest = find_digest(quick=quick, kinds=name == "changes-kinds")
    require(f"{name}{'-quick' if quick else ''}", value, digest)


def find_ours(place: str) -> dict[str, Any]:
    """The figure of `hits`, and all that it is compared with; no less than the floor."""
    from dataclasses import replace

    from webstrata.search.change.settings import RANKS, ChangesSettings
    from webstrata.search.evaluate.significance import compare

    experiment, settings = load(place), ChangesSettings(**LINKAGE)
    ours = experiment.ask(settings)
    others = {"bm25": experiment.ask_bm25(settings)}
    others |= {rank: experiment.ask(replace(settings, rank=rank)) for rank in RANKS if rank != settings.rank}
    others |= {f"alpha={alpha}": experiment.ask(replace(settings, alpha=alpha)) for alpha in (0.0, 1.0)}
    others |= {
        f"none alpha={alpha}": experiment.ask(replace(settings, rank="none", alpha=alpha))
        for alpha in (0.0, 1.0)
    }
    others |= {
        f"old_links={weight}": experiment.ask(replace(settings, old_links=weight)) for weight in (0.0, 1.0)
    }
    others["matches first"] = experiment.ask(replace(settings, matches_first=True))
    others |= {
        f"{weights} weights": experiment.ask(replace(settings, link_weights=weights))
        for weights in ("hosts", "equal")
    }
    others["other month"] = experiment.ask(settings, is_other=True)
    check_floor("changes-ndcg", ours.mean("ndcg15"), place)
    return {
        "value": ours.mean("ndcg15"),
        "queries": len(experiment),
        "ours": {name: round(ours.mean(name), 4) for name in ("ndcg", "ndcg15", "recall", "mrr", "sum")},
        "others": {
            name: {
                "ndcg15": round(found.mean("ndcg15"), 4),
                "ndcg": round(found.mean("ndcg"), 4),
                "recall": round(found.mean("recall"), 4),
                "p": float(f"{compare(ours.series('ndcg15'), found.series('ndcg15')).randomization:.3g}"),
                "p_list": float(f"{compare(ours.series('ndcg'), found.series('ndcg')).randomization:.3g}"),
            }
            for name, found in others.items()
        },
    }


def find_theirs(place: str) -> dict[str, Any]:
    """Text alone."""
    from webstrata.search.change.settings import ChangesSettings

    found = load(place).ask_bm25(ChangesSettings())
    return {"value": found.mean("ndcg15"), "ndcg": round(found.mean("ndcg"), 4)}


def find_our_list(place: str) -> float:
    """The same over the whole list; no less than the floor."""
    from webstrata.search.change.settings import ChangesSettings

    found = load(place).ask(ChangesSettings(**LINKAGE)).mean("ndcg")
    check_floor("changes-ndcg-list", found, place)
    return found


def find_their_list(place: str) -> float:
    """Text alone, a list as long."""
    from webstrata.search.change.settings import ChangesSettings

    return load(place).ask_bm25(ChangesSettings()).mean("ndcg")


@functools.cache
def measure_kinds(place: str) -> dict[str, dict[str, npt.NDArray[np.float64]]]:
    """NDCG@15 of each query, by kind of its event and by rank."""
    from dataclasses import replace

    import numpy as np

    from webstrata.pipeline.presets import preset_settings
    from webstrata.search.change.settings import ChangesSettings
    from webstrata.search.evaluate.tables import PAPER_RANKS

    pooled = load(place)
    paper = preset_settings("paper:change", ChangesSettings)
    outcomes = {"bm25": pooled.ask_bm25(paper)}
    outcomes |= {f"paper {rank}": pooled.ask(replace(paper, rank=rank)) for rank in PAPER_RANKS}
    outcomes |= {
        f"ours {rank}": pooled.ask(ChangesSettings(rank=rank))
        for rank in ("none", "pagerank", "hits-hub", "hits", "new-text")
    }
    kinds = np.array(pooled.kinds)
    return {
        str(kind): {name: found.series("ndcg15")[kinds == kind] for name, found in outcomes.items()}
        for kind in np.unique(kinds)
    }


def find_our_kinds(place: str) -> dict[str, Any]:
    """The default over all kinds, and each rank for each kind, with its p against the paper's mix."""
    from webstrata.search.evaluate.significance import compare

    found = measure_kinds(place)
    table = {
        kind: {
            "queries": len(ranks["bm25"]),
            "best": max(ranks, key=lambda name: float(ranks[name].mean())),
            **{
                name: [
                    round(float(series.mean()), 3),
                    float(f"{compare(series, ranks['paper none']).randomization:.2g}"),
                ]
                for name, series in ranks.items()
            },
        }
        for kind, ranks in found.items()
    }
    value = find_mean_of_kinds(place, "ours new-text")
    check_floor("changes-kinds", value, place)
    return {"value": value, "kinds": table}


def find_their_kinds(place: str) -> float:
    """Text and change without links, as in the paper."""
    return find_mean_of_kinds(place, "paper none")


def find_mean_of_kinds(place: str, name: str) -> float:
    """The mean of the means of the four kinds; queries for several kinds are left out."""
    means = [float(ranks[name].mean()) for kind, ranks in measure_kinds(place).items() if kind != "mixed"]
    return sum(means) / len(means)


FIGURES = [
    Figure(
        name=name,
        ours=Call(f"bench.changes:{ours}"),
        theirs=Call(f"bench.changes:{theirs}"),
        peer=BuiltIn(peer),
        prepare=prepare_kinds if data == "event-kinds" else prepare,
        data=data,
        varies=True,
        measure="answer",
        unit=unit,
        better="more",
        rounds=1,
        quick_rounds=1,
        warm_up=False,
    )
    for name, data, unit, peer, ours, theirs in (
        ("changes-ndcg", "events", "NDCG@15", "BM25 alone", "find_ours", "find_theirs"),
        ("changes-ndcg-list", "events", "NDCG", "BM25 alone", "find_our_list", "find_their_list"),
        (
            "changes-kinds",
            "event-kinds",
            "NDCG@15",
            "none: text and change",
            "find_our_kinds",
            "find_their_kinds",
        ),
    )
]

if __name__ == "__main__":
    main(FIGURES)
