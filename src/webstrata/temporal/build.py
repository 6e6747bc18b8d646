"""Building the part `temporal` (see `union`) in bounded memory, from the graphs of snapshots.

Nothing of the snapshots is needed but `graph` and `urls` (and `pages`, to learn rules). Keys are sorted
outside of memory. Then the nodes of the union are gone through in blocks: the lists of a block's pages are
read from each snapshot's graph, mapped, and united, with labels put together by OR. The transposes of the
snapshots are united in the same way, so that arcs are never sorted but within a block. Blocks are cut by the
outdegrees of their pages, known before a list is read: `BYTES` bytes a link instance stay within the memory
that is set, unless one node alone has more. Compressing takes its pieces beside it (`GraphSettings.piece`).

Nodes, the union of the graphs and that of their transposes are three shards: a build that was broken off
finds those that were done.
"""

from __future__ import annotations

import json
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from webstrata._core import graph as core
from webstrata._core.collection import rename
from webstrata.collection import shards
from webstrata.collection.action import Action
from webstrata.collection.files import explained, make_directory, open_writer, remove_tree, replace_file
from webstrata.collection.progress import Progress
from webstrata.collection.settings import ResourcesSettings
from webstrata.errors import MissingError
from webstrata.graph.build import FORWARD, TRANSPOSE, StoredGraph
from webstrata.graph.compress import GraphWriter
from webstrata.graph.settings import GraphSettings
from webstrata.store.parquet.sorting import Sorter
from webstrata.store.urls import NODES, Urls, write_url_tables
from webstrata.temporal.align import Aligner
from webstrata.temporal.labels import UNION_GRAPH, write_labels
from webstrata.temporal.overlap import HOSTS, LabelCounts, list_hosts, unite_hosts
from webstrata.temporal.rules import keep_rules, learn_rules
from webstrata.temporal.settings import TemporalSettings
from webstrata.temporal.union import FACTS, NONE, PART, UnionFacts, map_file

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy.typing as npt

    from webstrata.collection import Collection, Snapshot
    from webstrata.collection.build import Build
    from webstrata.collection.parts import Part
    from webstrata.collection.progress import Task

BYTES = 64
"""Memory for each link instance of a block: keys, as much to sort into, targets, places of labels."""

_OTHERS = NODES.append(pa.field("node", pa.uint32()))
_KEYS = pa.schema([("key", pa.large_string()), ("page", pa.uint64())])
_BLOCK = 1 << 16
NODE_LABELS = "node-labels"
"""Of the shard with the nodes: 8 bytes each, for those with arcs."""
_HALF = np.uint64(32)


def build_union(
    collection: Collection,
    snapshots: Sequence[Snapshot],
    settings: TemporalSettings | None = None,
    *,
    workers: int | None = None,
    progress: Progress | None = None,
) -> UnionFacts:
    """Build the part `temporal` of a collection from the graphs of some of its snapshots, oldest first.

    Parameters
    ----------
    collection
        Where the union is put.
    snapshots
        Two to 64 that have a graph, as `webstrata.temporal.align.choose_snapshots` gives them.
    settings
        How pages are aligned, and in how much memory; as the files say where not given.
    workers
        Threads that compress; as ``[resources]`` says where not given.
    progress
        Where the build reports.

    Examples
    --------
    >>> from webstrata import testing
    >>> uk = testing.collection_of({
    ...     "2026-05": {"http://a.example/": "<p>Home"},
    ...     "2026-06": {"http://a.example/": "<a href=/new>new", "http://a.example/new": "<p>New"},
    ... })
    >>> facts = build_union(uk, list(uk))
    >>> facts.snapshots, uk.temporal.num_nodes, uk.temporal.num_arcs
    (['2026-05', '2026-06'], 2, 1)
    """
    settings = settings or collection.settings(TemporalSettings)
    workers = workers or collection.settings(ResourcesSettings).num_workers
    progress = progress or Progress()
    labels = [snapshot.date for snapshot in snapshots]
    with ExitStack() as stack:
        # what is read stays what it is, whatever is built in a snapshot meanwhile
        held = [_hold(snapshot, stack, progress) for snapshot in snapshots]
        inputs = {
            f"{label}/{part.name}": part.record.checksum
            for label, parts in zip(labels, held, strict=True)
            for part in parts
        }
        if settings.by == "learned":
            for snapshot in snapshots:
                if "pages" in snapshot.parts:
                    pages = snapshot.open_part("pages", whole=True, progress=progress)
                    inputs[f"{snapshot.date}/pages"] = stack.enter_context(pages).record.checksum
        build = stack.enter_context(
            collection.parts.build(PART, settings=settings, inputs=inputs, progress=progress)
        )
        work = _Work(collection, snapshots, held, settings, workers, build)
        [nodes] = shards.run(build, work.align, [shards.Shard("nodes", labels)], title="nodes")
        facts = UnionFacts(**json.loads((nodes.path / FACTS).read_bytes()))
        directions = [shards.Shard(name, (name, str(nodes.path))) for name in (FORWARD, TRANSPOSE)]
        united = shards.run(build, work.unite, directions, title="graphs")
        about_arcs = json.loads((united[0].path / FACTS).read_bytes())
        about_arcs["lives"] = facts.lives | about_arcs["lives"]
        facts = replace(facts, **about_arcs)
        for shard in (nodes, *united):
            _take(shard.path, build.path)
        replace_file(build.path / FACTS, json.dumps(asdict(facts), indent=1).encode())
        build.count(
            snapshots=len(labels),
            nodes=nodes.counts["nodes"],
            arcs=united[0].counts["arcs"],
            instances=facts.num_instances,
        )
    return facts


def _take(shard: Path, folder: Path) -> None:
    """Move the files of a shard to their place; without its seal it is none that is done any more."""
    with explained(shard, "move"):
        (shard / shards.SEAL).unlink()
        for path in sorted(shard.iterdir()):
            if path.name not in (FACTS, NODE_LABELS):
                rename(path, folder / path.name)


def union_parameters(collection: Collection, coding: str = "runs") -> GraphSettings:
    """How the graph of a union is compressed: as `UNION_GRAPH` says, but for what the collection sets itself.

    With the coding ``huffman``, which is that of TIME, it is WebGraph's defaults in place of `UNION_GRAPH`.

    Examples
    --------
    >>> from webstrata import testing
    >>> union_parameters(testing.empty()).window
    16
    """
    own, usual = collection.settings(GraphSettings), GraphSettings()
    if coding == "huffman":
        return own
    names = [name for name in ("window", "chain", "together") if getattr(own, name) == getattr(usual, name)]
    return replace(own, **{name: getattr(UNION_GRAPH, name) for name in names})


class _Held(NamedTuple):
    """The parts of a snapshot that are read, kept from removal."""

    graph: Part
    urls: Part


def _hold(snapshot: Snapshot, stack: ExitStack, progress: Progress) -> _Held:
    """The parts of a snapshot, verified; a graph whose nodes are not those of the URLs is refused."""
    graph, urls = (snapshot.open_part(name, whole=True, progress=progress) for name in ("graph", "urls"))
    held = _Held(stack.enter_context(graph), stack.enter_context(urls))
    told = held.graph.record.inputs.get(f"{snapshot.date}/urls")
    if told is not None and told != held.urls.record.checksum:
        raise MissingError(
            f"{snapshot.path}: its graph was built from other URLs than are there now, so that their nodes "
            "are not the same",
            fix=Action.on(snapshot, "build", "graph"),
        )
    return held


class _Work(NamedTuple):
    """What shards are made of, and how."""

    collection: Collection
    snapshots: Sequence[Snapshot]
    held: Sequence[_Held]
    settings: TemporalSettings
    workers: int
    build: Build

    def align(self, labels: list[str], folder: Path, _task: Task) -> dict[str, int]:
        """Write nodes, their labels, the maps and what is known of them."""
        settings = self.settings
        rules = []
        if settings.by == "learned":
            found = learn_rules(
                self.snapshots,
                support=settings.support,
                precision=settings.precision,
                progress=self.build.progress,
            )
            rules = keep_rules(found, settings.refused_rules)
        facts = UnionFacts(labels, settings.by, [rule.to_dict() for rule in rules])
        aligner = Aligner(settings.by, rules)
        num_nodes = _align(self.held, aligner, folder, settings.memory, facts, self.build.progress)
        replace_file(folder / FACTS, json.dumps(asdict(facts)).encode())
        return {"nodes": num_nodes}

    def unite(self, item: tuple[str, str], folder: Path, _task: Task) -> dict[str, int]:
        """Write the union of one direction of the graphs, with labels, and what is known of its arcs."""
        direction, nodes = item[0], Path(item[1])
        node_labels = map_file(nodes / NODE_LABELS, "<u8")
        labels = [snapshot.date for snapshot in self.snapshots]
        lists = []
        for label, parts in zip(labels, self.held, strict=True):
            to_union, order = (
                map_file(nodes / "maps" / f"{label}.{ending}", "<u4") for ending in ("union", "order")
            )
            lists.append(_Lists(StoredGraph(parts.graph.path, name=direction), to_union, order))
        progress, masks, counts = self.build.progress, folder / "arc-labels", LabelCounts()
        with (
            GraphWriter(
                folder / direction,
                len(node_labels),
                parameters=union_parameters(self.collection, self.settings.coding),
                workers=self.workers,
                progress=progress,
            ) as writer,
            _open_scratch(masks) as stream,
        ):
            blocks = unite_lists(lists, len(node_labels), memory=self.settings.memory, progress=progress)
            for offsets, targets, masks_of_block in blocks:
                writer.append(offsets, targets)
                stream.write(masks_of_block.astype("<u8", copy=False).data)
                counts.add(masks_of_block)
            size = writer.finish()
        write_labels(
            folder / direction,
            folder / direction,
            node_labels=node_labels,
            arc_labels=map_file(masks, "<u8"),
            num_snapshots=len(labels),
            coding=self.settings.coding,
            progress=progress,
        )
        with explained(masks, "remove"):
            masks.unlink()
        known = {
            "num_instances": counts.num_instances,
            "arc_ages": counts.by_age(len(labels)),
            "arcs": [list(map(int, row)) for row in counts.overlap("arcs", len(labels)).common],
            "lives": {"arcs": counts.lives(len(labels))},
        }
        replace_file(folder / FACTS, json.dumps(known).encode())
        return {"arcs": size.num_arcs}


# ---- nodes


def _align(
    held: Sequence[_Held],
    aligner: Aligner,
    folder: Path,
    memory: int,
    facts: UnionFacts,
    progress: Progress,
) -> int:
    """Write nodes, their labels and the maps; how many nodes there are."""
    scratch, maps = make_directory(folder / "sorting"), make_directory(folder / "maps")
    # what waits is held twice while it is sorted, and pieces of all runs while they are merged
    sorter = Sorter(scratch, "keys", _KEYS, memory=memory // 8)
    # hosts of all pages, those that are not aligned too; as many as pages in a collection of hosts
    hosts = Sorter(scratch, "hosts", HOSTS, memory=memory // 8)
    counts = []
    for number, (label, parts) in enumerate(zip(facts.snapshots, held, strict=True)):
        column = Urls(parts.urls.path).key_column
        counts.append(len(column))
        with progress.task(f"aligning {label}", total=len(column), unit="pages") as task:
            for start in range(0, len(column), _BLOCK):
                keys = column.slice(start, _BLOCK).combine_chunks()
                hosts.add(list_hosts(keys, 1 << number, without_www=aligner.by != "static"))
                pages = np.arange(start, start + len(keys), dtype=np.uint64)
                pages |= np.uint64(number << 32)
                table = pa.table([aligner.keys(keys), pages], schema=_KEYS)
                sorter.add(table.filter(pc.is_valid(table["key"])))
                task.advance(len(keys))
    facts.pages = counts
    places = [
        _make_map(maps / f"{label}.union", count)
        for label, count in zip(facts.snapshots, counts, strict=True)
    ]
    numbering = _Numbering(places, [maps / f"{label}.order" for label in facts.snapshots])
    with numbering, _open_scratch(folder / NODE_LABELS) as labels:
        write_url_tables(folder, numbering.tables(sorter, labels, progress), [], _OTHERS)
    sorter.remove()
    facts.aligned = numbering.aligned
    facts.urls = [list(map(int, row)) for row in numbering.counts.overlap("URLs", len(counts)).common]
    by_host = LabelCounts()
    for labels_of_hosts in unite_hosts(hosts):
        by_host.add(labels_of_hosts)
    hosts.remove()
    remove_tree(scratch)
    facts.hosts = [list(map(int, row)) for row in by_host.overlap("hosts", len(counts)).common]
    facts.lives = {"hosts": by_host.lives(len(counts)), "urls": numbering.counts.lives(len(counts))}
    return numbering.num_nodes


def _make_map(path: Path, count: int) -> npt.NDArray[np.uint32]:
    """A map of no node to none, written in full: a disk that is full refuses now, and not in a mapping."""
    with open_writer(path) as stream:
        for start in range(0, 4 * count, 1 << 24):
            stream.write(b"\xff" * min(1 << 24, 4 * count - start))
    return np.memmap(path, "<u4", "r+") if count else np.zeros(0, np.uint32)


class _Numbering:
    """Numbers sorted keys, and notes which pages of which snapshots each stands for."""

    def __init__(self, maps: list[npt.NDArray[np.uint32]], orders: list[Path]) -> None:
        self._maps, self._paths = maps, orders
        self.num_nodes = 0
        self.aligned = [0] * len(maps)
        self.counts = LabelCounts()

    def __enter__(self) -> _Numbering:
        self._opened = [open_writer(path) for path in self._paths]
        self._orders = [opened.__enter__() for opened in self._opened]
        return self

    def __exit__(self, *error: Any) -> None:  # noqa: ANN401
        for opened in self._opened:
            opened.__exit__(*error)
        self._maps.clear()

    def tables(self, sorter: Sorter, labels: BinaryIO, progress: Progress) -> Iterator[pa.Table]:
        """The keys, each once and in order; labels and maps are written meanwhile."""
        held_key: str | None = None
        held_label = np.uint64(0)  # of the last node: more of its pages may come
        with progress.task("numbering nodes", unit="nodes") as task:
            for table in sorter.tables():
                table = table.combine_chunks()
                keys, pages = table["key"].combine_chunks(), table["page"].to_numpy()
                is_new = np.ones(len(keys), bool)
                is_new[0] = keys[0].as_py() != held_key
                is_new[1:] = pc.not_equal(keys.slice(1), keys.slice(0, len(keys) - 1)).to_numpy(
                    zero_copy_only=False
                )
                # the node of each row, the last one of the table before being num_nodes - 1
                nodes = self.num_nodes - 1 + np.cumsum(is_new)
                self._map(nodes, pages)
                starts = np.union1d([0], np.flatnonzero(is_new))
                found = np.bitwise_or.reduceat(np.uint64(1) << (pages >> _HALF), starts)
                if not is_new[0]:
                    found[0] |= held_label
                elif held_key is not None:
                    found = np.concatenate([[held_label], found])
                held_key, held_label = keys[len(keys) - 1].as_py(), found[-1]
                self._write_labels(labels, found[:-1])
                self.num_nodes = int(nodes[-1]) + 1
                task.advance(int(is_new.sum()))
                yield pa.table([keys.filter(pa.array(is_new))], schema=NODES)
        if held_key is not None:
            self._write_labels(labels, np.array([held_label], np.uint64))

    def _write_labels(self, stream: BinaryIO, labels: npt.NDArray[np.uint64]) -> None:
        self.counts.add(labels)
        stream.write(labels.astype("<u8").data)

    def _map(self, nodes: npt.NDArray[np.int64], pages: npt.NDArray[np.uint64]) -> None:
        numbers = (pages >> _HALF).astype(np.int64)
        for number, (to_union, order) in enumerate(zip(self._maps, self._orders, strict=True)):
            rows = np.flatnonzero(numbers == number)
            # pages of one node in their order, whatever the sorter made of it
            own = pages[rows].astype(np.uint32)
            rows = rows[np.lexsort((own, nodes[rows]))]
            own = pages[rows].astype("<u4")
            to_union[own] = nodes[rows].astype(np.uint32)
            order.write(own.data)
            self.aligned[number] += len(rows)


# ---- arcs


@contextmanager
def _open_scratch(path: Path) -> Iterator[BinaryIO]:
    """A file that need not outlive the build, so that nothing waits for the disk."""
    with explained(path, "write"), path.open("wb") as stream:
        yield stream


class _Lists(NamedTuple):
    """The lists of one snapshot: its graph in one direction, and its maps."""

    graph: StoredGraph
    to_union: npt.NDArray[np.uint32]
    order: npt.NDArray[np.uint32]


def unite_lists(
    snapshots: Sequence[_Lists], num_nodes: int, *, memory: int, progress: Progress | None = None
) -> Iterator[tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint32], npt.NDArray[np.uint64]]]:
    """Rows of the union in blocks, each with the labels of its arcs; snapshot number i has bit i.

    Examples
    --------
    >>> from webstrata.graph import Graph
    >>> one, two = Graph.from_arcs([(0, 1)]), Graph.from_arcs([(0, 1), (1, 0), (1, 2)])
    >>> nodes = np.arange(3, dtype=np.uint32)
    >>> lists = [_Lists(one, nodes[:2], nodes[:2]), _Lists(two, nodes, nodes)]
    >>> [[array.tolist() for array in block] for block in unite_lists(lists, 3, memory=16 << 20)]
    [[[0, 1, 3, 3], [1, 0, 2], [3, 2, 2]]]
    """
    most = max(memory // BYTES, 1)
    cursors = [0] * len(snapshots)
    with (progress or Progress()).task("uniting lists", total=num_nodes, unit="nodes") as task:
        first = 0
        while first < num_nodes:
            end = min(first + _BLOCK, num_nodes)
            pages = [
                _pages_before(lists, cursor, end) for lists, cursor in zip(snapshots, cursors, strict=True)
            ]
            degrees = np.zeros(end - first, np.int64)
            for lists, own in zip(snapshots, pages, strict=True):
                np.add.at(degrees, lists.to_union[own].astype(np.int64) - first, lists.graph.outdegrees(own))
            fitting = int(np.searchsorted(np.cumsum(degrees), most, "right"))
            end = first + min(max(fitting, 1), end - first)
            found = []
            for number, (lists, own) in enumerate(zip(snapshots, pages, strict=True)):
                own = own[: int(np.searchsorted(lists.to_union[own], end))]
                cursors[number] += len(own)
                found.append(_map_arcs(lists, own))
            yield _unite(found, first, end)
            task.advance(end - first)
            first = end


def _pages_before(lists: _Lists, cursor: int, end: int) -> npt.NDArray[np.uint32]:
    """The pages from a place of the order on whose nodes lie before `end`."""
    size = _BLOCK
    while True:
        pages = lists.order[cursor : cursor + size]
        nodes = lists.to_union[pages]
        if len(pages) < size or nodes[-1] >= end:
            return np.array(pages[: int(np.searchsorted(nodes, end))])
        size *= 2


def _map_arcs(lists: _Lists, pages: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint64]:
    """The arcs of some pages between nodes of the union, as sorted numbers of 64 bits, each once."""
    if not len(pages):
        return np.zeros(0, np.uint64)
    if int(pages[-1]) - int(pages[0]) + 1 == len(pages) and bool(np.all(np.diff(pages) == 1)):
        offsets, targets = lists.graph.rows(int(pages[0]), int(pages[-1]) + 1)
    else:
        offsets, targets = lists.graph.batch_successors(pages)
    sources = np.repeat(lists.to_union[pages], np.diff(offsets).astype(np.int64))
    # what was not captured has no key: a frontier stays outside
    inside = targets < len(lists.to_union)
    nodes = np.full(len(targets), NONE, np.uint32)
    nodes[inside] = lists.to_union[targets[inside]]
    kept = nodes != NONE
    keys: npt.NDArray[np.uint64] = sources[kept].astype(np.uint64) << _HALF
    keys |= nodes[kept]
    if len(keys) > 1 and not bool(np.all(keys[:-1] < keys[1:])):
        keys = keys[: core.sort_keys(keys, np.empty_like(keys), True)]
    return keys


def _unite(
    found: Sequence[npt.NDArray[np.uint64]], first: int, end: int
) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint32], npt.NDArray[np.uint64]]:
    keys = np.concatenate(found)
    keys = keys[: core.sort_keys(keys, np.empty_like(keys), True)]
    labels = np.zeros(len(keys), np.uint64)
    for number, own in enumerate(found):
        labels[np.searchsorted(keys, own)] |= np.uint64(1 << number)
    offsets, targets, _ = core.keys_to_rows(keys, first, end, False)
    return offsets, targets, labels
