"""How well hosts of link farms are told: the AUC of all features beside that of content alone.

`classify-spam`: `ours` is the AUC of an ensemble over everything (content B, term vectors, links, and how
both moved since the month before), `theirs` that of content B alone, what pages say without the web around
them (SPAM, tables 6, 7 and 12). Hosts are those of the in-vitro preset `spam`, as hard to tell as
SPAM found theirs. Every AUC is that of hosts which neither a model nor the choice of models saw, and farms
are on one side of a split. `details` has the AUC of every feature set, the best single model, p-values, the
weights of the sets, and what labels dealt out at random give.

`--quick` has 400 hosts and three folds; the whole has 2 000 hosts and five folds. Both choose from the small
library.
"""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.floors import require
from bench.frame import BuiltIn, Call, Figure, main

if TYPE_CHECKING:
    from webstrata.classify.experiments import Trial
    from webstrata.collection import Snapshot
    from webstrata.invitro import Web

MONTHS = {"2026-01": 1, "2026-02": 2, "2026-03": 3}
"""Snapshots, and the months of the web that they are of."""
SEED = 0


def make_web(*, quick: bool) -> Web:
    """The web whose hosts are told apart."""
    from webstrata.invitro import Web

    return Web("spam", seed=SEED, hosts=400, pages=4000) if quick else Web("spam", seed=SEED)


def store(web: Web, snapshot: Snapshot, month: int, folder: Path) -> None:
    """Store what a perfect crawl of a month finds, and measure it."""
    from webstrata.archive.warc import Capture, WarcWriter
    from webstrata.graph.build import build_graph
    from webstrata.invitro.truth import build_truth
    from webstrata.store.ingest.run import ingest
    from webstrata.summaries.build import build_summaries

    files = folder / f"warc-{month}"
    files.mkdir()
    hosts = web.hosts(month)
    addresses = dict(zip(hosts["name"], map(str, hosts["address"]), strict=True))
    with WarcWriter(files, "in") as writer:
        for url in web.graph(month, view="collection").urls:
            answer = web.fetch(url, month)
            host = url.partition("://")[2].partition("/")[0]
            head = f"HTTP/1.1 {answer.status} OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n".encode()
            writer.write(
                Capture(url=url, date=10**18 + month, head=head, body=answer.body, ip=addresses.get(host))
            )
    ingest(snapshot, [files])
    build_graph(snapshot)
    build_summaries(snapshot, workers=1)
    build_truth(snapshot, web, month)


def prepare(folder: Path, quick: bool) -> None:  # noqa: FBT001 (the frame calls it)
    """Months of the web as a collection, with all features of the last."""
    import shutil

    import webstrata as ws
    from webstrata.classify.features.feature_sets import build_features
    from webstrata.classify.settings import ClassifySettings
    from webstrata.invitro.presets import digest

    web = make_web(quick=quick)
    collection = ws.create(folder / "uk")
    for label, month in MONTHS.items():
        store(web, collection.add(label), month, folder)
        shutil.rmtree(folder / f"warc-{month}")
    queries = folder / "queries.txt"
    queries.write_text("\n".join(query.text for query in web.queries(2000)) + "\n")
    build_features(collection[list(MONTHS)[-1]], ClassifySettings(query_words=str(queries)))
    facts = {"web": digest(web), "quick": quick}
    (folder / "web.json").write_text(json.dumps(facts))


@functools.cache
def load(place: str) -> tuple[Trial, dict[str, Any]]:
    """The labelled hosts, with nothing fitted yet."""
    import pyarrow.parquet as pq

    import webstrata as ws
    from webstrata.classify.experiments import Trial
    from webstrata.classify.experiments.rows import with_parts
    from webstrata.classify.features.sites import site_name
    from webstrata.classify.learning.labels import read_truth
    from webstrata.classify.learning.matrix import load_matrix
    from webstrata.classify.learning.splits import group_hosts
    from webstrata.classify.settings import TrainSettings

    facts = json.loads((Path(place) / "web.json").read_text())
    snapshot = ws.open(Path(place) / "uk")[list(MONTHS)[-1]]
    matrix = with_parts(load_matrix(snapshot))
    rows, truth, _ = read_truth(snapshot).match("spam", matrix.hosts)
    matrix = matrix.rows(rows)
    # the farms of hosts in place of their addresses, which four hosts share at random
    with snapshot.open_part("truth") as part:
        table = pq.read_table(part.path / "hosts.parquet", columns=["name", "spam", "farm"]).to_pylist()
    farms = {site_name(row["name"]): f"farm {row['farm']}" for row in table if row["spam"]}
    groups = group_hosts(matrix.hosts, [farms.get(host) for host in matrix.hosts])
    settings = TrainSettings(library="small", folds=3 if facts["quick"] else 5)
    trial = Trial(matrix, truth, groups, settings)
    return trial, facts


def measure_ours(place: str) -> dict[str, Any]:
    """The AUC of everything, and beside it what else the tables of SPAM have."""
    from webstrata.classify.experiments.rows import ALL, CONTENT, EVERYTHING, LINK, STATIC, choose

    trial, facts = load(place)
    rows = choose((*CONTENT, *LINK, ALL), trial.matrix)
    found = {row.name: trial.combine(row.sets) for row in rows}
    everything, static, content = found[EVERYTHING], found[STATIC], found["Content (B)"]
    digest, suffix = f"sha256:{facts['web']}", "-quick" if facts["quick"] else ""
    require(f"classify-everything{suffix}", everything.auc, digest)
    require(f"classify-static-gain{suffix}", static.auc - content.auc, digest)
    if not facts["quick"]:  # fewer hosts tell nothing about so small a difference
        require("classify-motion-gain", everything.auc - static.auc, digest)
    shuffled = trial.shuffled("B")
    moved, added = trial.compare(static, everything), trial.compare(content, static)
    return {
        "value": round(everything.auc, 4),
        "hosts": len(trial.truth),
        "spam": int(trial.truth.sum()),
        "groups": int(trial.groups.max() + 1),
        "deviation": round(everything.deviation, 4),
        "auc": {name: round(outcome.auc, 4) for name, outcome in found.items()},
        "single_model_ahead": {
            name: [round(outcome.best_member_auc - outcome.auc, 4), round(outcome.best_member_p, 4)]
            for name, outcome in found.items()
        },
        "best_single_model": [everything.best_member, round(everything.best_member_auc, 4)],
        "static_less_content": [round(added.difference, 4), round(added.p_value, 4)],
        "motion_adds": [round(moved.difference, 4), round(moved.p_value, 4)],
        "weights": {name: round(weight, 3) for name, weight in everything.set_weights.items()},
        "shuffled": [round(shuffled.auc, 4), round(shuffled.deviation, 4)],
    }


def measure_theirs(place: str) -> dict[str, Any]:
    """The AUC of content B."""
    trial, _ = load(place)
    outcome = trial.combine(["B"])
    return {"value": round(outcome.auc, 4), "deviation": round(outcome.deviation, 4)}


FIGURES = [
    Figure(
        name="classify-spam",
        ours=Call("bench.classify:measure_ours"),
        theirs=Call("bench.classify:measure_theirs"),
        peer=BuiltIn("content B alone"),
        prepare=prepare,
        data="classify",
        varies=True,
        measure="answer",
        unit="AUC",
        better="more",
        rounds=1,
        quick_rounds=1,
        warm_up=False,
    )
]

if __name__ == "__main__":
    main(FIGURES)
