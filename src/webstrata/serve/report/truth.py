"""Sheets of truth: what was found of an in-vitro web beside what is true, and whether its crawl was polite.

A snapshot that was crawled in vitro can have the part `truth`. Its nodes and arcs in the view of a collection
are what a perfect crawl gives; every number here is a comparison of sets, and nothing is estimated.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow.parquet as pq

from webstrata.collection.action import Action
from webstrata.pipeline.crawling import LOG
from webstrata.serve.report.sheet import Sheet, SheetTable
from webstrata.store.duplicates.exact import read_members, score

if TYPE_CHECKING:
    from webstrata.api import Collection, Snapshot
    from webstrata.collection.progress import Progress

_TOLERANCE = 0.001
COLUMNS = ["snapshot", "what", "found", "true", "missed", "wrong", "verdict"]


def make_truth(snapshot: Snapshot, progress: Progress) -> Sheet:
    """Nodes, arcs and duplicates of a snapshot beside the planted ones, and the judge's verdict on its crawl.

    Examples
    --------
    >>> import webstrata as ws
    >>> from webstrata import testing
    >>> from webstrata.collection.progress import Progress
    >>> from webstrata.invitro.truth import build_truth
    >>> web = ws.invitro.Web("tiny", seed=7)
    >>> snapshot = testing.snapshot_of({url: "<p>Page" for url in web.graph(0, view="collection").urls})
    >>> build_truth(snapshot, web, month=0)
    >>> make_truth(snapshot, Progress()).tables[0].rows[0]
    ['2026-06', 'nodes', 282, 282, 0, 0, 'equal']
    """
    with snapshot.open_part("truth") as part:
        nodes = pq.read_table(part.path / "nodes.parquet", columns=["url", "page"])
        arcs = pq.read_table(part.path / "collection.parquet")
    rows = [_compare(snapshot.date, "nodes", set(snapshot.urls), set(nodes["url"].to_pylist()))]
    ends = (arcs[name].to_numpy().astype(np.int64) for name in ("source", "target"))
    rows.append(_compare_arcs(snapshot, len(nodes), *ends))
    if "captures" in snapshot.parts:
        rows.append(
            _compare_duplicates(
                snapshot, dict(zip(*(nodes[name].to_pylist() for name in ("url", "page")), strict=True))
            )
        )
    log = snapshot.working_folder(LOG)
    if log.is_file():
        rows.append(_judge(snapshot, log))
    return Sheet(
        "truth",
        f"Truth of {snapshot.date}",
        tables=[SheetTable("Crawl compared with the truth", COLUMNS, rows)],
        command=Action.on(snapshot, "build", "sheet-truth").command,
    )


def list_alignment_inputs(collection: Collection) -> tuple[str, ...]:
    """The union and the truth of its snapshots; none where one of them is not there.

    Examples
    --------
    >>> import webstrata as ws
    >>> from webstrata import testing
    >>> from webstrata.invitro.truth import build_truth
    >>> collection = testing.collection()
    >>> list_alignment_inputs(collection)  # of a real web no truth is known
    ()
    >>> for snapshot in collection:
    ...     build_truth(snapshot, ws.invitro.Web("tiny", seed=7), month=0)
    >>> list_alignment_inputs(collection)
    ('/temporal', '2026-04/truth', '2026-05/truth', '2026-06/truth')
    """
    having = [snapshot.date for snapshot in collection if "truth" in snapshot.parts]
    if len(having) < 2 or "temporal" not in collection.parts:
        return ()
    return ("/temporal", *(f"{label}/truth" for label in having))


def make_alignment(collection: Collection, progress: Progress) -> Sheet:
    """Hosts and pages that successive snapshots have in common, as the union and as the truth has them.

    Examples
    --------
    >>> import webstrata as ws
    >>> from webstrata import testing
    >>> from webstrata.collection.progress import Progress
    >>> from webstrata.invitro.truth import build_truth
    >>> web = ws.invitro.Web("tiny", seed=7)
    >>> pages = [{url: "<p>Page" for url in web.graph(month, view="collection").urls} for month in (0, 1)]
    >>> uk = testing.collection_of({"2026-01": pages[0], "2026-02": pages[1]}, parts=["graph", "temporal"])
    >>> for month, snapshot in enumerate(uk):
    ...     build_truth(snapshot, web, month=month)
    >>> make_alignment(uk, Progress()).tables[0].rows[0][1:4]
    ['hosts in common with 2026-01', 11, 11]
    """
    from webstrata.temporal.union import NONE, StoredUnion

    union = StoredUnion(collection)
    facts = union.facts
    rows: list[list[Any]] = []
    before: tuple[str, set[str], dict[int, int]] | None = None
    with progress.task("comparing with the truth", total=len(facts.snapshots), unit="snapshots") as task:
        for place, label in enumerate(facts.snapshots):
            task.advance()
            if "truth" not in collection[label].parts:
                before = None
                continue
            with collection[label].open_part("truth") as part:
                table = pq.read_table(part.path / "nodes.parquet", columns=["url", "place"])
            shown = dict(zip(*(table[name].to_pylist() for name in ("url", "place")), strict=True))
            hosts = {url.split("/")[2] for url in shown}
            pages = {
                int(node): shown[url]
                for node, url in zip(union.to_union(label), union.urls_at(label), strict=True)
                if node != NONE and url in shown
            }
            if before is not None:
                other, their_hosts, theirs = before
                found = facts.hosts[place - 1][place]
                true = len(hosts & their_hosts)
                verdict = "equal" if found == true else "differs"
                missed, wrong = max(true - found, 0), max(found - true, 0)
                rows.append([label, f"hosts in common with {other}", found, true, missed, wrong, verdict])
                common = theirs.keys() & pages.keys()
                right = sum(theirs[node] == pages[node] for node in common)
                true = len(set(theirs.values()) & set(pages.values()))
                counts = [len(common), true, true - right, len(common) - right]
                scores = f"precision {right / max(len(common), 1):.4f}, recall {right / max(true, 1):.4f}"
                verdict = "equal" if counts[2:] == [0, 0] else scores
                rows.append([label, f"pages in common with {other}", *counts, verdict])
            before = (label, hosts, pages)
    return Sheet(
        "alignment",
        "Truth through time",
        tables=[SheetTable("Crawl compared with the truth", COLUMNS, rows)],
        command=Action.on(collection, "build", "sheet-alignment").command,
    )


def _compare(label: str, what: str, found: set[Any], true: set[Any]) -> list[Any]:
    missed, wrong = len(true - found), len(found - true)
    return [label, what, len(found), len(true), missed, wrong, "equal" if missed == wrong == 0 else "differs"]


def _compare_arcs(snapshot: Snapshot, num_nodes: int, sources: Any, targets: Any) -> list[Any]:  # noqa: ANN401
    if "graph" not in snapshot.parts:
        return [snapshot.date, "arcs", None, len(sources), None, None, "there is no graph"]
    offsets, found = snapshot.graph.rows()
    if snapshot.graph.num_nodes != num_nodes:
        return [snapshot.date, "arcs", len(found), len(sources), None, None, "other nodes"]
    bounds = np.asarray(offsets, np.int64)
    own = np.repeat(np.arange(num_nodes), bounds[1:] - bounds[:-1]) * num_nodes + found
    true = sources * num_nodes + targets
    common = len(np.intersect1d(true, own, assume_unique=True))
    missed, wrong = len(true) - common, len(own) - common
    verdict = "equal" if missed == wrong == 0 else "differs"
    return [snapshot.date, "arcs", len(own), len(true), missed, wrong, verdict]


def _compare_duplicates(snapshot: Snapshot, planted: dict[str, int]) -> list[Any]:
    members = read_members(snapshot)
    urls, labels = members["url"].to_pylist(), members["label"].to_pylist()
    known = [place for place, url in enumerate(urls) if url in planted]
    found = score([labels[place] for place in known], [planted[urls[place]] for place in known])
    verdict = f"precision {found.precision:.4f}, recall {found.recall:.4f}"
    right = round(found.precision * found.found)
    counts = [found.found, found.true, found.true - right, found.found - right]
    return [snapshot.date, "pairs of duplicates", *counts, verdict]


def _judge(snapshot: Snapshot, log: Any) -> list[Any]:  # noqa: ANN401
    from webstrata.crawl.report import read_report
    from webstrata.invitro.judge import judge
    from webstrata.invitro.judge.settings import JudgeSettings

    told = read_report(snapshot).settings
    host, address = (float(told.get(name, 0.0)) for name in ("host_delay", "ip_delay"))
    # the server notes the end of an answer a moment after its client has it
    verdict = judge(log, JudgeSettings(host_delay=host, ip_delay=address, tolerance=_TOLERANCE))
    broken = sum(verdict.counts.values())
    asked = f"{1000 * host:g} ms a host, {1000 * address:g} ms an address"
    says = f"polite ({asked})" if not broken else f"not polite: {broken} violations"
    return [snapshot.date, "requests", verdict.statistics.requests, None, None, broken, says]
