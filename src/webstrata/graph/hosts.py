"""Graphs of hosts and of registered domains, made of the graph of pages.

Nodes are the hosts (the registered domains) of the pages in row-key order: that of ``org,example,www)``. An
arc's **weight** is the number of arcs between pages that it stands for; arcs of a host to itself stand for
the links within it. A host without a registered domain, such as an address, is a domain by itself.

Beside the graph of pages, in the part `graph`, with ``hosts`` or ``domains`` for NAME:

======================  =================================================================================
``NAME.graph``, …       a BVGraph (see `bvgraph`)
``NAME.weights.npy``    the weight of each arc, unsigned and of 8 bytes, in the order of the arcs
``NAME.arrow``          for each node its ``name`` (``www.example.org``) and ``pages``, its nodes in the
                        graph of pages
======================  =================================================================================

They are built in blocks of pages; 40 bytes an arc of the result, 8 a page and 200 a host are needed.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from webstrata.collection.files import explained, open_writer
from webstrata.collection.progress import Progress
from webstrata.errors import MissingError
from webstrata.graph.bvgraph import BVGraph, compress
from webstrata.web.host import registered_domain

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    import numpy.typing as npt

    from webstrata.collection.parts import Part
    from webstrata.graph.settings import GraphSettings
    from webstrata.graph.view import Graph

HOSTS, DOMAINS = "hosts", "domains"
_KEYS = 1 << 18
"""Row keys that are looked at at a time."""
_PENDING = 1 << 22
"""Arcs of single blocks that are kept before they are added up."""
_SHIFT = np.uint64(32)


class Groups(NamedTuple):
    """Nodes put together."""

    of_node: npt.NDArray[np.uint32]
    """The group of each node."""
    names: list[str]
    """In row-key order."""

    @property
    def sizes(self) -> npt.NDArray[np.int64]:
        """How many nodes each has."""
        return np.bincount(self.of_node, minlength=len(self.names))


class WeightedRows(NamedTuple):
    """Rows of a graph with a weight for each arc."""

    offsets: npt.NDArray[np.uint64]
    targets: npt.NDArray[np.uint32]
    weights: npt.NDArray[np.uint64]


class NamedGraph(BVGraph):
    """A graph of hosts or domains, mapped.

    Examples
    --------
    >>> from webstrata.graph import Graph
    >>> folder = getfixture("tmp_path")
    >>> keys = pa.array(["org,a)/", "org,a)/x", "org,b)/"])
    >>> write_named(folder / "hosts", Graph.from_arcs([(0, 1), (0, 2), (1, 2)]), group_hosts(keys))
    >>> hosts = NamedGraph(folder, "hosts")
    >>> list(hosts.names), hosts.weighted_successors(0)
    (['a.org', 'b.org'], [(0, 1), (1, 2)])
    >>> hosts.node("b.org"), hosts.pages.tolist()
    (1, [2, 1])
    """

    def __init__(self, folder: Path, name: str, part: Part | None = None) -> None:
        if not (folder / f"{name}.properties").exists():
            raise MissingError(
                f"{folder}: there is no graph of {name}; `webstrata graph build` makes it, with --hosts"
            )
        super().__init__(folder / name)
        self._part = part  # held, so that the files stay
        path = folder / f"{name}.weights.npy"
        with explained(path, "read"):
            self.weights: npt.NDArray[np.uint64] = np.load(path, mmap_mode="r")
        path = folder / f"{name}.arrow"
        with explained(path, "read"):
            self._table = pa.ipc.open_file(pa.memory_map(str(path))).read_all()

    @cached_property
    def names(self) -> list[str]:
        """The names of the nodes."""
        found: list[str] = self._table["name"].to_pylist()
        return found

    @property
    def reversed_names(self) -> list[str]:
        """The names as Common Crawl writes them: ``org.example.www``."""
        return [reverse(name) for name in self.names]

    @property
    def pages(self) -> npt.NDArray[np.int64]:
        """How many nodes of the graph of pages each has."""
        found: npt.NDArray[np.int64] = self._table["pages"].to_numpy()
        return found

    def node(self, name: str) -> int | None:
        """The node of a host or domain, or None."""
        return self._nodes.get(name.lower())

    def weighted_successors(self, node: int) -> list[tuple[int, int]]:
        """The successors of a node, each with how many arcs between pages lead there."""
        targets = self.successors(node).tolist()
        start = int(self._offsets[node])
        return list(zip(targets, self.weights[start : start + len(targets)].tolist(), strict=True))

    @cached_property
    def _nodes(self) -> dict[str, int]:
        return {name: node for node, name in enumerate(self.names)}

    @cached_property
    def _offsets(self) -> npt.NDArray[np.uint64]:
        return self.rows()[0]


def reverse(name: str) -> str:
    """A name with its labels in reverse order; an address as it is.

    Examples
    --------
    >>> reverse("www.example.org"), reverse("192.0.2.1")
    ('org.example.www', '192.0.2.1')
    """
    return ".".join(_labels(name))


def group_hosts(*keys: pa.Array | pa.ChunkedArray, progress: Progress | None = None) -> Groups:
    """The nodes with these row keys by host; several arrays stand one behind the other.

    Examples
    --------
    >>> found = group_hosts(pa.array(["org,a)/", "org,a,www)/"]), pa.array(["net,b)/", "org,a)/x 8080"]))
    >>> found.names, found.of_node.tolist()
    (['b.net', 'a.org', 'www.a.org'], [1, 2, 0, 1])
    """
    found: dict[str, int] = {}
    parts = [np.zeros(0, dtype=np.uint32)]
    with (progress or Progress()).task("hosts", total=sum(map(len, keys)), unit="pages") as task:
        for column in keys:
            for start in range(0, len(column), _KEYS):
                block = column.slice(start, _KEYS)
                hosts = pc.replace_substring_regex(block, r"\).*", "")
                if isinstance(hosts, pa.ChunkedArray):
                    hosts = hosts.combine_chunks()
                runs = pc.run_end_encode(hosts)
                numbers = [found.setdefault(host, len(found)) for host in runs.values.to_pylist()]
                lengths = np.diff(runs.run_ends.to_numpy(), prepend=0)
                parts.append(np.repeat(np.array(numbers, dtype=np.uint32), lengths))
                task.advance(len(block))
    names = [f"[{host}]" if ":" in host else ".".join(reversed(host.split(","))) for host in found]
    return _sorted(np.concatenate(parts), names)


def group_domains(hosts: Groups) -> Groups:
    """The same nodes by registered domain.

    Examples
    --------
    >>> group_domains(group_hosts(pa.array(["uk,co,a)/", "uk,co,a,www)/", "192.0.2.1)/"]))).names
    ['192.0.2.1', 'a.co.uk']
    """
    found: dict[str, int] = {}
    numbers = [found.setdefault(registered_domain(host) or host, len(found)) for host in hosts.names]
    return _sorted(np.array(numbers, dtype=np.uint32)[hosts.of_node], list(found))


def group_arcs(graph: Graph, groups: Groups, *, progress: Progress | None = None) -> WeightedRows:
    """The arcs between groups of nodes, each with how many arcs between nodes it stands for.

    Examples
    --------
    >>> from webstrata.graph import Graph
    >>> groups = Groups(np.array([0, 0, 1], dtype=np.uint32), ["a", "b"])
    >>> found = group_arcs(Graph.from_arcs([(0, 2), (1, 2), (2, 0), (0, 1)]), groups)
    >>> [column.tolist() for column in found]
    [[0, 2, 3], [0, 1, 0], [1, 2, 1]]
    """
    pending: list[tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint64]]] = []
    length = 0
    wide = groups.of_node.astype(np.uint64)
    with (progress or Progress()).task("arcs of hosts", total=graph.num_nodes, unit="pages") as task:
        for start, (offsets, targets) in graph.iter_blocks():
            end = start + len(offsets) - 1
            sources = np.repeat(wide[start:end], np.diff(offsets).astype(np.int64))
            keys, counts = np.unique(sources << _SHIFT | wide[targets], return_counts=True)
            pending.append((keys, counts.astype(np.uint64)))
            length += len(keys)
            if length > _PENDING:
                pending = [_add_up(pending)]
                # what is added up cannot be made smaller: wait for as much again
                length = 0
            task.advance(end - start)
    keys, weights = _add_up(pending)
    bounds = np.arange(len(groups.names) + 1, dtype=np.uint64) << _SHIFT
    return WeightedRows(np.searchsorted(keys, bounds).astype(np.uint64), keys.astype(np.uint32), weights)


def write_named(
    basename: Path,
    graph: Graph,
    groups: Groups,
    *,
    parameters: GraphSettings | None = None,
    progress: Progress | None = None,
) -> None:
    """Write the graph between groups of nodes so that `NamedGraph` opens it.

    Examples
    --------
    >>> from webstrata.graph import Graph
    >>> groups = Groups(np.array([0, 0], dtype=np.uint32), ["a.org"])
    >>> write_named(getfixture("tmp_path") / "hosts", Graph.from_arcs([(0, 1), (1, 0)]), groups)
    >>> NamedGraph(getfixture("tmp_path"), "hosts").weights.tolist()
    [2]
    """
    offsets, targets, weights = group_arcs(graph, groups, progress=progress)
    compress(offsets, targets, basename, parameters=parameters, progress=progress)
    with open_writer(basename.with_name(f"{basename.name}.weights.npy")) as stream:
        np.save(stream, weights)
    table = pa.table({"name": pa.array(groups.names, pa.large_string()), "pages": groups.sizes})
    with (
        open_writer(basename.with_name(f"{basename.name}.arrow")) as stream,
        pa.ipc.new_file(stream, table.schema) as writer,
    ):
        writer.write_table(table)


def build_named(
    folder: Path,
    graph: Graph,
    keys: Iterable[pa.Array | pa.ChunkedArray],
    *,
    parameters: GraphSettings | None = None,
    progress: Progress | None = None,
) -> None:
    """Write the graphs of hosts and of domains to a folder, from the graph of pages and their row keys.

    Examples
    --------
    >>> from webstrata.graph import Graph
    >>> keys = pa.array(["org,a)/", "org,a,www)/"])
    >>> build_named(getfixture("tmp_path"), Graph.from_arcs([(0, 1), (1, 0)]), [keys])
    >>> NamedGraph(getfixture("tmp_path"), "domains").names
    ['a.org']
    """
    hosts = group_hosts(*keys, progress=progress)
    for name, groups in ((HOSTS, hosts), (DOMAINS, group_domains(hosts))):
        write_named(folder / name, graph, groups, parameters=parameters, progress=progress)


def _add_up(
    parts: list[tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint64]]],
) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint64]]:
    """One sorted array of keys with the sum of the counts of each."""
    if not parts:
        return np.zeros(0, np.uint64), np.zeros(0, np.uint64)
    keys, counts = (np.concatenate(column) for column in zip(*parts, strict=True))
    order = np.argsort(keys, kind="stable")
    keys, counts = keys[order], counts[order]
    starts = np.flatnonzero(np.diff(keys, prepend=keys[:1] + np.uint64(1)))
    return keys[starts], np.add.reduceat(counts, starts) if len(starts) else counts


def _labels(name: str) -> list[str]:
    is_address = name.startswith("[") or name.rpartition(".")[2].isdigit()
    return [name.strip("[]")] if is_address else name.split(".")[::-1]


def _sorted(of_node: npt.NDArray[np.uint32], names: list[str]) -> Groups:
    """Groups in row-key order: compared as bytes, with the bracket behind them."""
    key: Callable[[int], bytes] = lambda place: (",".join(_labels(names[place])) + ")").encode()  # noqa: E731
    order = sorted(range(len(names)), key=key)
    ranks = np.empty(len(names), dtype=np.uint32)
    ranks[order] = np.arange(len(names), dtype=np.uint32)
    return Groups(ranks[of_node], [names[place] for place in order])
