"""The parts `rank-METHOD` of a snapshot: scores in node order, with the settings that made them.

==================  ====================================================================================
``scores.npy``      a number of 8 bytes for each node, in node order
``ranking.json``    ``method``, ``level``, ``error_bound``, ``residual`` (null, but for an α of 1),
                    ``iterations``, ``settings``, ``preference`` (a digest, or null), ``start`` (the
                    snapshot whose scores it began with, or null)
==================  ====================================================================================

Those of hosts and domains are `rank-METHOD-host` and `rank-METHOD-domain`; their nodes are those of the
graphs of hosts and domains. A part is used again while the graph, the preference and all settings that the
method heeds are the same.
"""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from webstrata.collection.action import Action
from webstrata.collection.arrays import load_array
from webstrata.collection.files import explained, replace_file
from webstrata.collection.progress import Progress
from webstrata.errors import AccessError, FormatError, LockedError, UsageError
from webstrata.graph.build import StoredGraph
from webstrata.graph.hosts import DOMAINS, HOSTS, NamedGraph
from webstrata.graph.releases.ingest import refuse_level
from webstrata.rank.methods import make_walk, rank_walk
from webstrata.rank.part import part_name
from webstrata.rank.ranking import Ranking
from webstrata.rank.settings import USED, RankSettings
from webstrata.rank.tworank import two_d_rank
from webstrata.store.hiding import Hidden
from webstrata.store.links import frontier_keys
from webstrata.store.takedowns import make_hide
from webstrata.store.urls import Urls
from webstrata.web.row_key import from_row_key

if TYPE_CHECKING:
    from pathlib import Path

    import numpy.typing as npt
    import pyarrow as pa

    from webstrata.collection import Snapshot
    from webstrata.rank.walk import Walk

SCORES, FACTS = "scores.npy", "ranking.json"


class PageNames(Sequence[str]):
    """The URLs of the nodes of a graph of pages, those of its frontier too.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from webstrata import testing
    >>> from webstrata.store.urls import write_urls
    >>> folder = testing.scratch()
    >>> none = pa.table({"row_key": pa.array([], pa.string()), "node": pa.array([], pa.uint32())})
    >>> write_urls(folder, pa.array(["org,a)/"]), none)
    >>> list(PageNames(Urls(folder), pa.chunked_array([["org,b)/"]])))
    ['http://a.org/', 'http://b.org/']
    """

    def __init__(self, urls: Urls, frontier: pa.ChunkedArray | None = None) -> None:
        self.urls, self._frontier = urls, frontier

    def __len__(self) -> int:
        return len(self.urls) + (0 if self._frontier is None else len(self._frontier))

    @overload
    def __getitem__(self, node: int) -> str: ...
    @overload
    def __getitem__(self, node: slice) -> list[str]: ...
    def __getitem__(self, node: int | slice) -> str | list[str]:
        if isinstance(node, slice):
            return [self[one] for one in range(*node.indices(len(self)))]
        if node < len(self.urls) or self._frontier is None:
            return self.urls[node]
        return self.urls.show(from_row_key(self._frontier[node - len(self.urls)].as_py()))


class RankedGraph:
    """What of a snapshot is ranked: a graph of pages, hosts or domains, with the names of its nodes.

    Examples
    --------
    >>> from webstrata import testing
    >>> pages = RankedGraph(testing.snapshot(), "page")
    >>> pages.graph.num_nodes, pages.names[11], pages.find("http://news.example/storm")
    (15, 'http://reef.example/', 7)
    >>> list(RankedGraph(testing.snapshot(), "host").names)
    ['garden.example', 'kitchen.example', 'news.example', 'pills.example', 'reef.example']
    """

    def __init__(self, snapshot: Snapshot, level: str = "page", *, shown: bool = True) -> None:
        # what is kept names hidden pages too, so that it holds when a takedown is lifted
        self._is_shown = shown
        self.snapshot, self.level = snapshot, level
        refuse_level(snapshot, level)
        part = snapshot.open_part("graph")
        self.checksum = part.record.checksum
        self.names: Sequence[str] | None
        self._urls: Urls | None = None
        if level == "page":
            self.graph: StoredGraph | NamedGraph = StoredGraph(part.path, part)
            self.names = self._page_names()
        else:
            hidden = Hidden(snapshot.collection) if shown else None
            self.graph = NamedGraph(part.path, HOSTS if level == "host" else DOMAINS, part, hidden=hidden)
            self.names = self.graph.names
        self._walk: Walk | None = None

    def _page_names(self) -> PageNames | None:
        if "urls" not in self.snapshot.parts:
            return None
        part = self.snapshot.open_part("urls")
        hide = make_hide(self.snapshot.collection) if self._is_shown else None
        self._urls = Urls(part.path, part, hide=hide)
        if self.graph.num_nodes <= len(self._urls):
            return PageNames(self._urls)
        return PageNames(self._urls, frontier_keys(self.snapshot))

    def find(self, name: str) -> int | None:
        """The node of a URL, host or domain; none if there is none."""
        if isinstance(self.graph, NamedGraph):
            return self.graph.get(name)
        return None if self._urls is None else self._urls.get(name)

    def map_scores(self, other: RankedGraph, scores: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Scores of another snapshot for the nodes of this one; those it has not get the mean of all."""
        found = np.full(self.graph.num_nodes, 1 / max(len(scores), 1))
        if isinstance(self.graph, NamedGraph):
            assert isinstance(other.graph, NamedGraph)
            places = {name: node for node, name in enumerate(other.graph.names)}
            nodes = np.array([places.get(name, -1) for name in self.graph.names], np.int64)
        elif self._urls is not None and other._urls is not None:
            keys = self._urls.key_column.combine_chunks()
            nodes = np.full(self.graph.num_nodes, -1)
            nodes[: len(keys)] = other._urls.resolve(keys).nodes
        else:
            return found
        found[nodes >= 0] = scores[nodes[nodes >= 0]]
        return found

    def walk(self, settings: RankSettings, progress: Progress | None = None) -> Walk:
        """The graph made ready for passes; made once."""
        if self._walk is None or self._walk.weighted != (settings.weighted and self.level != "page"):
            self._walk = make_walk(self.graph, settings, transpose=self.graph.transpose(), progress=progress)
        return self._walk


def rank_snapshot(
    snapshot: Snapshot,
    settings: RankSettings | None = None,
    *,
    preference: npt.ArrayLike | None = None,
    graph: RankedGraph | None = None,
    before: RankedGraph | None = None,
    progress: Progress | None = None,
) -> Ranking:
    """The ranking of a snapshot's nodes: read from its part where that is still right, else made and kept.

    Parameters
    ----------
    snapshot
        With the part `graph`.
    settings
        By what, and how exactly; as the files say where not given.
    preference
        A number for each node: where the surfer jumps, or what is trusted.
    graph
        The snapshot's `RankedGraph` of this level, where it is at hand.
    before
        That of an earlier snapshot, whose scores PageRank and CheiRank begin with.
    progress
        Where it reports.

    Examples
    --------
    >>> from webstrata import testing
    >>> ranking = rank_snapshot(testing.snapshot(), RankSettings(method="pagerank", level="host"))
    >>> [(page.rank, page.name, round(page.score, 3)) for page in ranking.top(2)]
    [(1, 'reef.example', 0.344), (2, 'pills.example', 0.2)]
    """
    settings = settings or snapshot.settings(RankSettings)
    progress = progress or Progress()
    graph = graph or RankedGraph(snapshot, settings.level)
    digest = (
        None if preference is None else hashlib.sha256(np.asarray(preference, "<f8").tobytes()).hexdigest()
    )
    if (found := _read(graph, settings, digest)) is not None:
        return found
    if settings.method == "2drank":
        one, other = (
            rank_snapshot(
                snapshot,
                replace(settings, method=method),
                preference=preference,
                graph=graph,
                before=before,
                progress=progress,
            )
            for method in ("pagerank", "cheirank")
        )
        found = two_d_rank(one, other)
        start = None
    else:
        earlier = None if before is None else _read(before, settings, digest)
        start = None
        starts = {}
        if before is not None and earlier is not None and settings.method in ("pagerank", "cheirank"):
            start = before.snapshot.date
            starts = {settings.method: graph.map_scores(before, earlier.scores)}
        found = rank_walk(graph.walk(settings, progress), settings, preference=preference, starts=starts)
    found = replace(found, names=graph.names)
    _write(graph, settings, found, digest, start, progress)
    return found


def read_stored(graph: RankedGraph, settings: RankSettings) -> Ranking | None:
    """The ranking by a method that is kept of a graph, whatever it was made with; none if there is none.

    Examples
    --------
    >>> from webstrata import testing
    >>> graph = RankedGraph(testing.snapshot())
    >>> read_stored(graph, RankSettings(method="pagerank")).top(1)[0].name
    'http://reef.example/'
    >>> read_stored(graph, RankSettings(method="cheirank")) is None
    True
    """
    if (name := part_name(settings.method, settings.level)) not in graph.snapshot.parts:
        return None
    made = graph.snapshot.parts.record(name).settings
    values = {used: made[used] for used in USED[settings.method] if used in made}
    with graph.snapshot.open_part(name) as part:
        digest = _read_facts(part.path / FACTS).get("preference")
    return _read(graph, replace(settings, **values), digest)


def _read(graph: RankedGraph, settings: RankSettings, digest: str | None) -> Ranking | None:
    """A ranking from its part, unless there is none or it is of another graph, preference or settings."""
    snapshot, name = graph.snapshot, part_name(settings.method, settings.level)
    inputs = {f"{snapshot.date}/graph": graph.checksum}
    heeded = USED[settings.method]
    part = snapshot.parts.open_made(name, settings.to_dict(), inputs, heeded=heeded)
    if part is None:
        return None
    facts = _read_facts(part.path / FACTS)
    if facts.get("preference") != digest:
        return None
    path = part.path / SCORES
    scores = load_array(path)
    if scores.shape != (graph.graph.num_nodes,):
        raise FormatError(
            f"{path}: it has {scores.size} scores for {graph.graph.num_nodes} nodes; "
            "{fix} to see what else is damaged",
            fix=Action.on(snapshot.collection, "check"),
        )
    return Ranking(
        settings.method,
        scores,
        facts.get("error_bound"),
        int(facts.get("iterations", 0)),
        facts.get("settings", {}),
        names=graph.names,
        residual=facts.get("residual"),
    )


def _read_facts(path: Path) -> dict[str, Any]:
    with explained(path, "read"):
        content = path.read_bytes()
    try:
        facts = json.loads(content)
        if isinstance(facts, dict):
            return facts
    except ValueError:
        pass
    raise FormatError(f"{path}: this does not describe a ranking; rank the snapshot again")


def _write(
    graph: RankedGraph,
    settings: RankSettings,
    found: Ranking,
    digest: str | None,
    start: str | None,
    progress: Progress,
) -> None:
    snapshot = graph.snapshot
    options = {"method": settings.method, "level": settings.level, "preference": "FILE"}
    renew = "" if digest is None else Action.on(snapshot, "rank", **options).template
    facts = {
        "method": settings.method,
        "level": settings.level,
        "error_bound": found.error_bound,
        "residual": found.residual,
        "iterations": found.iterations,
        "settings": dict(found.settings),
        "preference": digest,
        "start": start,
    }
    scores = io.BytesIO()
    np.save(scores, found.scores)
    try:
        with snapshot.write_part(
            part_name(settings.method, settings.level),
            settings=settings,
            inputs=("graph",),
            renew=renew,
            progress=progress,
        ) as build:
            replace_file(build.path / SCORES, scores.getvalue())
            replace_file(build.path / FACTS, json.dumps(facts, indent=1).encode())
            build.count(nodes=found.num_ranked, passes=found.iterations)
    except (LockedError, AccessError) as error:
        # the answer is there, and somebody else is writing or keeps the collection as it is
        progress.note(f"the ranking is not kept: {error}")


def preference_of(graph: RankedGraph, weights: dict[int, float]) -> npt.NDArray[np.float64]:
    """A number for each node, from those of some nodes.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> preference_of(SimpleNamespace(graph=SimpleNamespace(num_nodes=3)), {1: 2.0}).tolist()
    [0.0, 2.0, 0.0]
    """
    found = np.zeros(graph.graph.num_nodes)
    for node, weight in weights.items():
        if not weight >= 0:
            raise UsageError(f"preference: expected weights of at least 0, got {weight}")
        found[node] += weight
    return found
