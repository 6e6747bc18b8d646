"""The truth about a month of an in-vitro web, written as Parquet: the part `truth` of a snapshot.

=====================  =====================================================================================
``nodes.parquet``      one row per node, in row-key order, of both views: url, host, topic, topic_name,
                       spam, page (equal for addresses of one page), place (equal for addresses that differ
                       in sessions or in the order of parameters alone), family (equal for variations of one
                       page), content (equal while the text is unchanged)
``arcs.parquet``       source, target: arcs of the served view, sorted
``collection.parquet`` source, target: arcs of the collection view, sorted
``served.*``           the served view as BVGraph (``.graph``, ``.offsets``, ``.properties``)
``collection.*``       the collection view as BVGraph: what is built from a perfect crawl
``hosts.parquet``      one row a host of the month: name, mirror, address, size, topic, spam, farm, language,
                       topic_name
``events.parquet``     name, topic, topic_name, month, born, changed and linked (addresses), kind
``queries.parquet``    text, popularity
=====================  =====================================================================================
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from webstrata.collection.action import Action
from webstrata.collection.files import open_writer
from webstrata.collection.progress import Progress
from webstrata.graph.bvgraph import compress
from webstrata.invitro.topics import TOPICS, topic_name

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    import numpy.typing as npt

    from webstrata.collection import Snapshot
    from webstrata.invitro.web import TrueGraph, Web


def build_truth(
    snapshot: Snapshot, web: Web, month: int, *, renew: str = "", progress: Progress | None = None
) -> None:
    """Build the part `truth` of a snapshot: what a perfect crawl of that month would have found.

    Examples
    --------
    >>> import webstrata as ws
    >>> from webstrata import testing
    >>> snapshot = testing.empty().add("2026-01")
    >>> build_truth(snapshot, ws.invitro.Web("tiny", seed=7), month=0)
    >>> with snapshot.open_part("truth") as part:
    ...     sorted(part.counts)
    ['arcs', 'hosts', 'nodes']
    """
    progress = progress or Progress()
    with snapshot.write_part("truth", settings=web.settings, renew=renew, progress=progress) as build:
        served = web.graph(month, progress=progress)
        collection = web.graph(month, view="collection", progress=progress)
        hosts = web.hosts(month)
        present = np.array(hosts["present"])
        spam = np.array(hosts["spam"])
        names = np.array(hosts["name"])
        _write(
            build.path / "nodes.parquet",
            {
                "url": list(served.urls),
                "host": names[served.slots],
                "topic": served.topics.astype(np.uint16),
                "topic_name": _topic_names(served.topics),
                "spam": spam[served.slots],
                "page": served.pages,
                "place": served.places,
                "family": served.families,
                "content": served.contents,
            },
        )
        _write(build.path / "arcs.parquet", _arcs(served))
        _write(build.path / "collection.parquet", _arcs(collection))
        for graph in (served, collection):
            compress(graph.offsets, graph.targets, build.path / graph.view, progress=progress)
        kept = np.flatnonzero(present)
        columns = ("name", "mirror", "address", "size", "topic", "spam", "farm", "language")
        told = {name: [hosts[name][slot] for slot in kept] for name in columns}
        _write(build.path / "hosts.parquet", told | {"topic_name": _topic_names(np.array(told["topic"]))})
        events = web.events(month)
        _write(
            build.path / "events.parquet",
            {
                "name": [event.name for event in events],
                "topic": [event.topic for event in events],
                "topic_name": [topic_name(event.topic) for event in events],
                "month": [event.month for event in events],
                "born": pa.array([event.born for event in events], pa.list_(pa.string())),
                "changed": pa.array([event.changed for event in events], pa.list_(pa.string())),
                "linked": pa.array([event.linked for event in events], pa.list_(pa.string())),
                "kind": [event.kind for event in events],
            },
        )
        queries = web.queries(5000)
        _write(
            build.path / "queries.parquet",
            {
                "text": [query.text for query in queries],
                "popularity": [query.popularity for query in queries],
            },
        )
        build.count(nodes=served.num_nodes, arcs=served.num_arcs, hosts=len(kept))


def _arcs(graph: TrueGraph) -> dict[str, object]:
    degrees = np.diff(graph.offsets).astype(np.int64)
    return {
        "source": np.repeat(np.arange(graph.num_nodes, dtype=np.uint32), degrees),
        "target": graph.targets,
    }


def _topic_names(topics: npt.NDArray[np.integer]) -> pa.Array:
    return pa.DictionaryArray.from_arrays(pa.array(topics.astype(np.uint8)), pa.array(TOPICS))


def _write(path: Path, columns: dict[str, object]) -> None:
    with open_writer(path) as stream:
        pq.write_table(pa.table(columns), stream, compression="zstd")


def write_truth(
    snapshot: Snapshot,
    preset: str,
    seed: int,
    month: int,
    options: Mapping[str, object],
    *,
    progress: Progress | None = None,
) -> dict[str, int]:
    """Build the part `truth` from the settings of a synthetic web; its counts.

    Examples
    --------
    >>> from webstrata import testing
    >>> write_truth(testing.empty().add("2026-06"), "tiny", 7, 0, {})["hosts"]
    12
    """
    from webstrata.invitro.web import Web, make_settings

    settings = make_settings(preset, dict(options), environment=os.environ)
    web = Web(preset, seed=seed, settings=settings)
    given = {name: value for name, value in web.header(month)["overrides"].items()}
    renew = Action.on(snapshot, "invitro truth", preset=preset, seed=seed, **given, month=month)
    build_truth(snapshot, web, month, renew=renew.template, progress=progress)
    return dict(snapshot.parts.record("truth").counts)
