"""Graphs of hosts and of registered domains, made of the graph of pages.

Nodes are the hosts (the registered domains) of the pages in row-key order: that of ``org,example,www)``. An
arc's **weight** is the number of arcs between pages that it stands for; arcs of a host to itself stand for
the links within it. A host without a registered domain, such as an address, is a domain by itself.

Beside the graph of pages, in the part `graph`, with ``hosts`` or ``domains`` for NAME:

==============================  =========================================================================
``NAME.graph``, …               a BVGraph (see `bvgraph`)
``NAME.weights.npy``            the weight of each arc, unsigned and of 8 bytes, in the order of the arcs
``NAME-transpose.graph``, …     the same with all arcs turned round
``NAME-transpose.weights.npy``  the weights in the order of its arcs
``NAME.arrow``                  for each node its ``name`` (``www.example.org``) and ``pages``, its nodes
                                in the graph of pages
==============================  =========================================================================

Arcs between pages are renamed block by block and sorted outside of memory, within a bound; 8 bytes a page
and 200 a host are needed beside it. A graph of Common Crawl that becomes a BVGraph keeps its names in the
same way, in ``NAME.arrow``, as they are written there: ``org.example.www``.
"""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from webstrata.collection.action import rebuild
from webstrata.collection.arrays import load_array
from webstrata.collection.files import explained, make_directory, open_writer, remove_tree
from webstrata.collection.progress import Progress
from webstrata.errors import FormatError, MissingError
from webstrata.graph.arc_sort import ArcSorter
from webstrata.graph.arcs import iter_arcs, write_sorted
from webstrata.graph.bvgraph import BVGraph
from webstrata.graph.settings import GraphSettings
from webstrata.web.host import registered_domain

if TYPE_CHECKING:
    from collections.abc import Iterable
    from os import PathLike

    import numpy.typing as npt

    from webstrata.collection.parts import Part
    from webstrata.graph.view import Graph
    from webstrata.store.hiding import Hidden

HOSTS, DOMAINS = "hosts", "domains"
NEAR = 3
"""Names that are told where one is not there."""
_TURNED = "-transpose"
_KEYS = 1 << 18
"""Row keys that are looked at at a time."""


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


class NamedGraph(BVGraph):
    """A graph whose nodes have names, mapped: of hosts or domains, or one of Common Crawl.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.graph import Graph
    >>> folder = testing.scratch()
    >>> keys = pa.array(["org,a)/", "org,a)/x", "org,b)/"])
    >>> write_named(folder / "hosts", Graph.from_arcs([(0, 1), (0, 2), (1, 2)]), group_hosts(keys))
    >>> hosts = NamedGraph(folder, "hosts")
    >>> list(hosts.names), hosts.weighted_successors(0)
    (['a.org', 'b.org'], [(0, 1), (1, 2)])
    >>> hosts.node("b.org"), hosts.pages.tolist(), hosts.transpose().weighted_successors(1)
    (1, [2, 1], [(0, 2)])
    """

    def __init__(
        self,
        folder: Path,
        name: str,
        part: Part | None = None,
        *,
        turned: bool = False,
        hidden: Hidden | None = None,
    ) -> None:
        if not (folder / f"{name}.properties").exists():
            raise MissingError(f"{folder}: no graph of {name}", fix=rebuild(folder, "graph", hosts=True))
        basename = folder / (name + _TURNED if turned else name)
        super().__init__(basename)
        self._part = part  # held, so that the files stay
        self._hidden = hidden
        self._folder, self._name, self._is_turned = folder, name, turned
        path = basename.with_name(f"{basename.name}.weights.npy")
        if path.exists():
            self.weights: npt.NDArray[np.uint64] | None = load_array(path, mapped=True)
        path = folder / f"{name}.arrow"
        with explained(path, "read"):
            self._table = pa.ipc.open_file(pa.memory_map(str(path))).read_all()
        if len(self._table) != self.num_nodes:
            raise FormatError(
                f"{path}: it has {len(self._table)} names, and the graph has {self.num_nodes} nodes; "
                "the files belong to different graphs"
            )

    @staticmethod
    def has_names(basename: str | PathLike[str]) -> bool:
        """Whether there are names beside the files of a graph.

        Examples
        --------
        >>> NamedGraph.has_names("cnr-2000")
        False
        """
        path = Path(basename)
        return path.with_name(f"{path.name}.arrow").exists()

    @property
    def column(self) -> pa.ChunkedArray:
        """The names of the nodes as Arrow has them, mapped."""
        return self._table["name"]

    @property
    def names(self) -> list[str]:
        """The names of the nodes."""
        return self._hidden.show_names(self._names) if self._hidden else self._names

    @cached_property
    def _names(self) -> list[str]:
        found: list[str] = self.column.to_pylist()
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

    def node_attributes(self) -> dict[str, list[str]]:
        """The name of each node."""
        return {"name": self.names}

    def node(self, name: str) -> int:
        """The node of a host or domain, or `MissingError` with names that are like it."""
        found = self.get(name)
        if found is None:
            near = ", ".join(self.nearest(name)) or "none"
            raise MissingError(f"{name}: no such host or domain; names that are like it: {near}")
        return found

    def get(self, name: str) -> int | None:
        """The node of a host or domain, or None; its labels may stand in either order."""
        for asked in dict.fromkeys((name.lower(), reverse(name.lower()))):
            if self._hidden and self._hidden.has_host(asked):
                continue
            place = pc.index(self.column, pa.scalar(asked, self.column.type)).as_py()
            if place >= 0:
                return int(place)
        return None

    def nearest(self, name: str) -> list[str]:
        """Some names that begin, or end, as a name that is not there does.

        Examples
        --------
        >>> from webstrata import testing
        >>> from webstrata.graph import Graph
        >>> folder = testing.scratch()
        >>> groups = Groups(np.zeros(0, np.uint32), ["a.org", "www.b.org"])
        >>> write_named(folder / "hosts", Graph.from_arcs([], num_nodes=0), groups)
        >>> NamedGraph(folder, "hosts").nearest("ftp.b.org")
        ['www.b.org']
        """
        words = name.lower().split(".")
        for skipped in range(1, len(words)):
            for order in (words, words[::-1]):
                begin, end = ".".join(order[: len(words) - skipped]), ".".join(order[skipped:])
                kept = pc.or_(
                    pc.or_(pc.ends_with(self.column, "." + end), pc.equal(self.column, end)),
                    pc.or_(pc.starts_with(self.column, begin + "."), pc.equal(self.column, begin)),
                )
                found: list[str] = self.column.filter(kept).slice(0, NEAR).to_pylist()
                if self._hidden:
                    found = [each for each in found if not self._hidden.has_host(each)]
                if found:
                    return found
        return []

    def transpose(self) -> Graph:
        """The graph with all arcs turned round, with their weights: as it is stored, or made in memory."""
        if self._is_turned or (self._folder / f"{self._name}{_TURNED}.properties").exists():
            return NamedGraph(
                self._folder, self._name, self._part, turned=not self._is_turned, hidden=self._hidden
            )
        turned = super().transpose()
        if self.weights is not None:
            turned.weights = self.weights[np.argsort(self.rows()[1], kind="stable")]
        return turned

    def weighted_successors(self, node: int) -> list[tuple[int, int]]:
        """The successors of a node, each with how many arcs between pages lead there; 1 where not counted."""
        targets = self.successors(node).tolist()
        if self.weights is None:
            return [(target, 1) for target in targets]
        start = int(self._offsets[node])
        return list(zip(targets, self.weights[start : start + len(targets)].tolist(), strict=True))

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
    >>> group_domains(group_hosts(pa.array(["uk,co,a)/", "uk,co,a,www)/", "1,2,0,192)/"]))).names
    ['192.0.2.1', 'a.co.uk']
    """
    found: dict[str, int] = {}
    numbers = [found.setdefault(registered_domain(host) or host, len(found)) for host in hosts.names]
    return _sorted(np.array(numbers, dtype=np.uint32)[hosts.of_node], list(found))


def write_named(
    basename: Path,
    graph: Graph,
    groups: Groups,
    *,
    parameters: GraphSettings | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
) -> None:
    """Write the graph between groups of nodes, forward and transposed, so that `NamedGraph` opens it.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.graph import Graph
    >>> groups = Groups(np.array([0, 0], dtype=np.uint32), ["a.org"])
    >>> folder = testing.scratch()
    >>> write_named(folder / "hosts", Graph.from_arcs([(0, 1), (1, 0)]), groups)
    >>> NamedGraph(folder, "hosts").weights.tolist()
    [2]
    """
    parameters, progress = parameters or GraphSettings(), progress or Progress()
    turned = basename.with_name(basename.name + _TURNED)
    folder = basename.with_name(f".{basename.name}.sorting")
    remove_tree(folder)
    make_directory(folder)
    with ArcSorter(
        folder, num_nodes=len(groups.names), memory=parameters.memory, workers=workers, counted=True
    ) as sorter:
        with progress.task(f"arcs of {basename.name}", total=graph.num_arcs, unit="arcs") as task:
            for sources, targets in iter_arcs(graph):
                sorter.add(groups.of_node[sources], groups.of_node[targets])
                task.advance(len(sources))
        write_sorted(
            sorter,
            basename,
            folder=folder,
            transpose=turned,
            multiplicities=_weights(basename),
            turned_multiplicities=_weights(turned),
            parameters=parameters,
            memory=parameters.memory,
            workers=workers,
            progress=progress,
        )
    remove_tree(folder)
    pages = groups.sizes
    if graph.present is not None:
        # all groups keep their numbers, those that have no page at this time too
        pages = np.bincount(groups.of_node[graph.present], minlength=len(groups.names))
    write_names(basename, [pa.array(groups.names, pa.large_string())], pages=pages)


def write_names(
    basename: Path, names: Iterable[pa.Array], *, pages: npt.NDArray[np.int64] | None = None
) -> None:
    """Write the names of the nodes of a graph beside it, in blocks; `pages` are of one block.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.graph import Graph
    >>> basename = testing.scratch() / "cc"
    >>> _ = Graph.from_arcs([(0, 1)]).write(basename)
    >>> write_names(basename, [pa.array(["org.a"]), pa.array(["org.b"])])
    >>> NamedGraph(basename.parent, "cc").node("b.org")
    1
    """
    fields = [("name", pa.large_string())] + ([] if pages is None else [("pages", pa.int64())])
    schema = pa.schema(fields)
    with (
        open_writer(basename.with_name(f"{basename.name}.arrow")) as stream,
        pa.ipc.new_file(stream, schema) as writer,
    ):
        for some in names:
            columns = [some.cast(pa.large_string())] + ([] if pages is None else [pa.array(pages)])
            writer.write_batch(pa.record_batch(columns, schema=schema))


def build_named(
    folder: Path,
    graph: Graph,
    keys: Iterable[pa.Array | pa.ChunkedArray],
    *,
    parameters: GraphSettings | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
) -> None:
    """Write the graphs of hosts and of domains to a folder, from the graph of pages and their row keys.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.graph import Graph
    >>> keys = pa.array(["org,a)/", "org,a,www)/"])
    >>> folder = testing.scratch()
    >>> build_named(folder, Graph.from_arcs([(0, 1), (1, 0)]), [keys])
    >>> NamedGraph(folder, "domains").names
    ['a.org']
    """
    hosts = group_hosts(*keys, progress=progress)
    for name, groups in ((HOSTS, hosts), (DOMAINS, group_domains(hosts))):
        write_named(folder / name, graph, groups, parameters=parameters, workers=workers, progress=progress)


def _weights(basename: Path) -> Path:
    return basename.with_name(f"{basename.name}.weights.npy")


def _labels(name: str) -> list[str]:
    is_address = name.startswith("[") or name.rpartition(".")[2].isdigit()
    return [name.strip("[]")] if is_address else name.split(".")[::-1]


def _sorted(of_node: npt.NDArray[np.uint32], names: list[str]) -> Groups:
    """Groups in row-key order: compared as bytes, with the bracket behind them."""
    keys = [(name.strip("[]") if ":" in name else ",".join(name.split(".")[::-1])) + ")" for name in names]
    order = sorted(range(len(names)), key=lambda place: keys[place].encode())
    ranks = np.empty(len(names), dtype=np.uint32)
    ranks[order] = np.arange(len(names), dtype=np.uint32)
    return Groups(ranks[of_node], [names[place] for place in order])
