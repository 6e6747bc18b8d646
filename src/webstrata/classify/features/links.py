"""Link features of hosts: 177 of them, those made public with the Web Spam Challenge (SPAM, table 7).

Of a host's home page and of its page of maximum PageRank, in the graph of pages: the 20 numbers of `BASE`,
and 68 made of them (`DERIVED`): logarithms, logarithms of ratios, and of the least, largest and mean growth
from one distance to the next. ``same_page`` says whether the two pages are one. `FORMULAS` names each with
its formula, as docs/reference/features.md has them.

The logarithm of 0, and what would be divided by 0, is missing. TrustRank needs pages that are trusted (the
setting ``trusted``); without them, all that has it is missing, which is said. A degree counts different
neighbours, as the graph has them; a page that is predecessor and successor is in both means of assortativity.
"""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow as pa

from webstrata.classify.features.content import find_top_pages, page_ranks
from webstrata.classify.features.feature_sets import HOST
from webstrata.classify.features.sites import open_sites
from webstrata.classify.features.supporters import count_supporters
from webstrata.collection.files import explained
from webstrata.errors import UsageError
from webstrata.rank.pagerank import google_step, pagerank
from webstrata.rank.settings import RankSettings
from webstrata.rank.stored import RankedGraph
from webstrata.rank.trust import trustrank
from webstrata.store.urls import Urls

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import numpy.typing as npt

    from webstrata.classify.features.sites import Sites
    from webstrata.classify.settings import ClassifySettings
    from webstrata.collection import Snapshot
    from webstrata.collection.progress import Progress
    from webstrata.graph.view import Graph
    from webstrata.rank.walk import Walk

    Column = npt.NDArray[np.float64]
    Columns = Mapping[str, Column]

DISTANCE = 4
PAGES = ("home", "top")
"""The pages of a host that features are taken of."""

BASE = {
    "indegree": "d⁻, pages that link to it",
    "outdegree": "d⁺, pages that it links to",
    "reciprocity": "of the pages that it links to, the share that link back",
    "assortativity": "(d⁻ + d⁺) over the mean of the same sum over its predecessors and successors",
    "indegree_of_successors": "mean d⁻ of the pages that it links to",
    "outdegree_of_predecessors": "mean d⁺ of the pages that link to it",
    "pagerank": "PageRank",
    "pagerank_deviation": "standard deviation of PageRank over the pages that link to it",
    **{
        f"truncated_{level}": f"PageRank without supporters up to distance {level}"
        for level in range(1, DISTANCE + 1)
    },
    "trustrank": "TrustRank from the pages that are trusted",
    **{
        f"supporters_{distance}": f"other pages within distance {distance}, counted probabilistically"
        for distance in range(2, DISTANCE + 1)
    },
    **{
        f"sites_{distance}": f"other sites with pages within distance {distance}, counted probabilistically"
        for distance in range(1, DISTANCE + 1)
    },
}
"""What is measured of a page."""


class Derived(NamedTuple):
    """A feature that is made of others."""

    formula: str
    compute: Callable[[Columns], Column]


def _log(values: Column) -> Column:
    """Natural logarithm, no number where it is of nothing above 0."""
    return np.log(np.where(values > 0, values, np.nan))


def _log_of(name: str) -> Derived:
    return Derived(f"ln {name}", lambda columns: _log(columns[name]))


def _log_ratio(above: str, below: str) -> Derived:
    return Derived(f"ln ({above} / {below})", lambda columns: _log(columns[above]) - _log(columns[below]))


def _log_ring(above: str, below: str, by: str = "") -> Derived:
    """What comes with one more step."""
    formula = f"ln ({above} − {below})" if not by else f"ln (({above} − {below}) / {by})"
    return Derived(
        formula,
        lambda columns: _log(columns[above] - columns[below]) - (_log(columns[by]) if by else 0.0),
    )


def _growth(kind: str, chain: list[str]) -> Derived:
    """The least, largest or mean of the ratios of each to the one before it."""
    choose: dict[str, Callable[..., Column]] = {"min": np.min, "max": np.max, "mean": np.mean}

    def compute(columns: Columns) -> Column:
        pairs = itertools.pairwise(chain)
        ratios = [np.exp(_log(columns[after]) - _log(columns[before])) for before, after in pairs]
        return _log(choose[kind](ratios, axis=0))

    ratios = ", ".join(f"{after} / {before}" for before, after in itertools.pairwise(chain))
    return Derived(f"ln {kind}({ratios})", compute)


def _derive() -> dict[str, Derived]:
    truncated = [f"truncated_{level}" for level in range(1, DISTANCE + 1)]
    # those within distance 1 are the predecessors
    supporters = ["indegree", *(f"supporters_{distance}" for distance in range(2, DISTANCE + 1))]
    sites = [f"sites_{distance}" for distance in range(1, DISTANCE + 1)]
    found = {f"log_{name}": _log_of(name) for name in BASE if name != "reciprocity"}
    ratios = [
        ("pagerank", "indegree"),
        ("pagerank", "outdegree"),
        ("pagerank_deviation", "pagerank"),
        *((name, "pagerank") for name in truncated),
        *((name, "indegree") for name in truncated),
        *zip(truncated[1:], truncated, strict=False),
        ("trustrank", "pagerank"),
        ("trustrank", "indegree"),
        ("trustrank", "outdegree"),
        *((name, "pagerank") for name in supporters[1:]),
        *zip(supporters[1:], supporters, strict=False),
        *((name, "pagerank") for name in sites),
        *zip(sites[1:], sites, strict=False),
        *zip(sites, supporters, strict=True),
    ]
    found |= {f"log_{above}_by_{below}": _log_ratio(above, below) for above, below in ratios}
    for before, after in itertools.pairwise(supporters):
        found[f"log_new_{after}"] = _log_ring(after, before)
        found[f"log_new_{after}_by_pagerank"] = _log_ring(after, before, "pagerank")
    chains = {"truncated": ["pagerank", *truncated], "supporters": supporters, "sites": sites}
    for name, chain in chains.items():
        for kind in ("min", "max", "mean"):
            found[f"log_{kind}_growth_of_{name}"] = _growth(kind, chain)
    return found


DERIVED = _derive()
"""What is made of it."""
FORMULAS = {
    "same_page": "1 where the home page is the page of maximum PageRank, else 0",
    **{
        f"{page}_{name}": formula
        for page in PAGES
        for name, formula in (BASE | {name: derived.formula for name, derived in DERIVED.items()}).items()
    },
}
"""Every column with its formula; names in one are of the same page."""


def build_link(snapshot: Snapshot, settings: ClassifySettings, progress: Progress) -> pa.Table:
    """The link features of each host.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.classify.settings import ClassifySettings
    >>> from webstrata.collection.progress import Progress
    >>> table = build_link(testing.snapshot(), ClassifySettings(), Progress())
    >>> table.column_names[:5]
    ['host', 'same_page', 'home_indegree', 'home_outdegree', 'home_reciprocity']
    """
    ranked = RankedGraph(snapshot, shown=False)
    sites = open_sites(snapshot, progress)
    scores = page_ranks(snapshot, progress)
    rank = snapshot.settings(RankSettings)
    walk = ranked.walk(rank, progress)
    ranks = truncate(walk, scores, alpha=rank.alpha, tolerance=rank.tolerance)
    if settings.trusted:
        with snapshot.open_part("urls") as part:
            trusted = read_trusted(settings.trusted, Urls(part.path), sites, progress)
        ranks["trustrank"] = trustrank(walk, trusted, alpha=rank.alpha, tolerance=rank.tolerance).scores
    else:
        progress.note("no trusted pages (`--trusted FILE`): in set link, what has TrustRank is missing")
        ranks["trustrank"] = np.full(len(scores), np.nan)
    nodes = {"home": sites.home, "top": find_top_pages(sites, scores)}
    labels = np.full(ranked.graph.num_nodes, len(sites.names))  # the frontier links to nothing
    labels[: len(sites.of_node)] = sites.of_node
    columns: dict[str, Column] = {"same_page": (nodes["home"] == nodes["top"]).astype(np.float64)}
    chosen = np.unique(np.concatenate(list(nodes.values())))
    found = measure_nodes(
        ranked.graph,
        chosen,
        scores,
        ranks,
        labels,
        registers=settings.registers,
        progress=progress,
    )
    for page, of_page in nodes.items():
        places = np.searchsorted(chosen, of_page)
        columns |= {f"{page}_{name}": column[places] for name, column in found.items()}
    return pa.table(
        {
            HOST: pa.array(sites.names, pa.string()),
            **{name: pa.array(columns[name].astype(np.float32), from_pandas=True) for name in FORMULAS},
        }
    )


def truncate(
    walk: Walk, scores: Column, *, alpha: float = 0.85, tolerance: float = 1e-9
) -> dict[str, Column]:
    """Truncated PageRank up to each distance, from PageRank itself, by few passes more.

    With S the walk, v = 1/N and x(T) what supporters beyond distance T give (`rank.trust`), PageRank being
    x(−1), it holds that x(T − 1) = (1 − α) S^T v + α x(T). So each follows from the one before but for the
    error that this one has; a solver that starts there corrects it, and certifies the tolerance.

    Examples
    --------
    >>> from webstrata.graph import Graph
    >>> from webstrata.rank.walk import Walk
    >>> walk = Walk(Graph.from_arcs([(0, 1), (1, 2), (2, 1), (3, 1), (4, 1)]))
    >>> truncate(walk, pagerank(walk).scores)["truncated_1"].round(3).tolist()
    [0.0, 0.476, 0.524, 0.0, 0.0]
    """
    found = {}
    everywhere = walk.preference(None)
    spread, last = everywhere, scores
    for level in range(DISTANCE + 1):
        guess = np.maximum((last - (1 - alpha) * spread) / alpha, 0) if alpha else spread
        spread = google_step(walk, spread, everywhere, everywhere, 1.0)
        last = pagerank(
            walk, alpha=alpha, preference=spread, dangling="uniform", tolerance=tolerance, start=guess
        ).scores
        if level:
            found[f"truncated_{level}"] = last
    return found


def measure_nodes(
    graph: Graph,
    nodes: npt.NDArray[np.int64],
    scores: Column,
    ranks: Columns,
    sites: npt.NDArray[np.int64],
    *,
    registers: int = 64,
    progress: Progress | None = None,
) -> dict[str, Column]:
    """The features of `BASE` and `DERIVED` of some nodes.

    Parameters
    ----------
    graph
        Of pages.
    nodes
        Sorted, each once.
    scores
        PageRank of all nodes.
    ranks
        Truncated PageRank and TrustRank of all nodes, by the names of `BASE`.
    sites
        The site of each node.
    registers
        Of a counter of supporters.
    progress
        Where it reports.

    Examples
    --------
    >>> from webstrata.graph import Graph
    >>> graph = Graph.from_arcs([(1, 0), (2, 0), (0, 1)])
    >>> same = np.full(3, 1 / 3)
    >>> ranks = {name: same for name in BASE if name.startswith("tru")}
    >>> found = measure_nodes(graph, np.array([0]), same, ranks, np.arange(3))
    >>> len(found), found["indegree"].tolist(), found["reciprocity"].tolist(), found["log_outdegree"].tolist()
    (88, [2.0], [1.0], [0.0])
    """
    transpose = graph.transpose()
    indegrees, outdegrees = (one.outdegrees().astype(np.float64) for one in (transpose, graph))
    found = {"indegree": indegrees[nodes], "outdegree": outdegrees[nodes]}
    successors, predecessors = (_Neighbours(one, nodes) for one in (graph, transpose))
    found["reciprocity"] = successors.mean_of(successors.are_in(predecessors, graph.num_nodes))
    degrees = indegrees + outdegrees
    around = successors.sum_of(degrees[successors.targets]) + predecessors.sum_of(
        degrees[predecessors.targets]
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        found["assortativity"] = _finite(degrees[nodes] ** 2 / around)
    found["indegree_of_successors"] = successors.mean_of(indegrees[successors.targets])
    found["outdegree_of_predecessors"] = predecessors.mean_of(outdegrees[predecessors.targets])
    found["pagerank"] = scores[nodes]
    of_predecessors = scores[predecessors.targets]
    differences = of_predecessors - predecessors.spread(predecessors.mean_of(of_predecessors))
    found["pagerank_deviation"] = np.sqrt(predecessors.mean_of(differences**2))
    found |= {name: ranks[name][nodes] for name in BASE if name in ranks}
    for name, labels in (("supporters", np.arange(graph.num_nodes)), ("sites", sites)):
        counted = count_supporters(
            transpose, labels, nodes, distance=DISTANCE, registers=registers, progress=progress
        )
        found |= {f"{name}_{distance}": row for distance, row in enumerate(counted, 1)}
    del found["supporters_1"]  # the degree is exact
    # estimates of growing sets may shrink
    for distance in range(2, DISTANCE + 1):
        before = "indegree" if distance == 2 else f"supporters_{distance - 1}"
        found[f"supporters_{distance}"] = np.maximum(found[f"supporters_{distance}"], found[before])
    return found | {name: derived.compute(found) for name, derived in DERIVED.items()}


class _Neighbours:
    """The neighbours of some nodes, row by row."""

    def __init__(self, graph: Graph, nodes: npt.NDArray[np.int64]) -> None:
        offsets, self.targets = graph.batch_successors(nodes)
        ends: npt.NDArray[np.int64] = offsets.astype(np.int64)
        self.sizes = ends[1:] - ends[:-1]
        self.rows = np.repeat(np.arange(len(nodes)), self.sizes)

    def sum_of(self, values: npt.NDArray[np.float64]) -> Column:
        """The sum of values of the neighbours in each row."""
        return np.bincount(self.rows, values, minlength=len(self.sizes)).astype(np.float64)

    def mean_of(self, values: npt.NDArray[np.float64]) -> Column:
        """Their mean; no number where there are none."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return _finite(self.sum_of(values) / self.sizes)

    def spread(self, values: Column) -> Column:
        """The value of its row for each neighbour."""
        return values[self.rows]

    def are_in(self, others: _Neighbours, num_nodes: int) -> Column:
        """For each neighbour 1 where others have it in the same row, else 0."""
        keys, those = (one.rows * num_nodes + one.targets for one in (self, others))
        return np.isin(keys, those).astype(np.float64)


def _finite(values: Column) -> Column:
    return np.where(np.isfinite(values), values, np.nan)


def read_trusted(path: str, urls: Urls, sites: Sites, progress: Progress) -> list[int]:
    r"""The nodes that a file names: URLs, or hosts for their home pages; a line each, ``#`` before a comment.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.classify.features.sites import group_sites
    >>> from webstrata.collection.progress import Progress
    >>> from webstrata.store.urls import write_urls
    >>> folder = testing.scratch()
    >>> none = pa.table({"row_key": pa.array([], pa.string()), "node": pa.array([], pa.uint32())})
    >>> write_urls(folder, pa.array(["org,a)/", "org,a)/x"]), none)
    >>> _ = (folder / "trusted").write_text("www.a.org # known well\nhttp://a.org/x")
    >>> urls = Urls(folder)
    >>> read_trusted(str(folder / "trusted"), urls, group_sites(urls), Progress())
    [0, 1]
    """
    with explained(Path(path), "read"):
        lines = Path(path).read_bytes().decode("utf-8", "replace").splitlines()
    names = [name for line in lines if (name := line.partition("#")[0].strip())]
    found, unknown = set(), []
    hosts = [name for name in names if "://" not in name]
    places = dict(zip(hosts, sites.of_hosts([host.lower() for host in hosts]).tolist(), strict=True))
    for name in names:
        node = urls.get(name) if "://" in name else None
        if name in places and places[name] >= 0:
            node = int(sites.home[places[name]])
        if node is None:
            unknown.append(name)
        else:
            found.add(node)
    if not found:
        raise UsageError(
            f"{path}: none of its {len(names)} lines is a host or page of this snapshot; "
            "write a host or URL a line"
        )
    if unknown:
        progress.note(f"{path}: {len(unknown)} of {len(names)} are not in this snapshot, as {unknown[0]}")
    return sorted(found)
