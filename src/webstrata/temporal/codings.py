"""The coding of TIME and ours on the same union, so that bits are compared with bits of the same web.

TIME (section 4 and 5) codes the union graph by WebGraph's defaults, window 7 and chains of 3, and labels by
one canonical Huffman code per label of a source. Ours are a wider window, references chosen together, and
labels that are predicted (`webstrata.temporal.labels`). Each is written to a temporary folder and measured,
of the forward direction; pointers are counted in both.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from webstrata.collection.progress import Progress
from webstrata.collection.tables import Rows
from webstrata.graph.compress import GraphWriter
from webstrata.graph.settings import GraphSettings
from webstrata.temporal.build import union_parameters
from webstrata.temporal.labels import write_labels

if TYPE_CHECKING:
    from webstrata.temporal.union import StoredUnion

NAMES = ("graph", "labels", "coding")
PAPER, OURS = "TIME", "ours"


def compare_codings(union: StoredUnion, *, progress: Progress | None = None) -> Rows:
    """What the union takes in the coding of TIME, in ours, and in each with the labels of the other.

    Examples
    --------
    >>> from webstrata import testing
    >>> rows = compare_codings(testing.collection().temporal).rows
    >>> [(row["graph"], row["labels"]) for row in rows]
    [('TIME', 'huffman'), ('TIME', 'runs'), ('ours', 'huffman'), ('ours', 'runs')]
    """
    progress = progress or Progress()
    forward, number = union.forward, len(union.facts.snapshots)
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory(prefix="webstrata-codings-") as place:
        folder = Path(place)
        masks = np.concatenate(
            [np.zeros(0, np.uint64), *(block.labels for _, block in forward.iter_labelled_blocks())]
        )
        for name, parameters in ((PAPER, GraphSettings()), (OURS, union_parameters(union.collection))):
            basename = folder / name
            with GraphWriter(basename, forward.num_nodes, parameters=parameters, progress=progress) as writer:
                for _, (offsets, targets) in forward.iter_blocks():
                    writer.append(offsets, targets)
                size = writer.finish()
            pointers = basename.with_name(f"{name}.ef").stat().st_size
            for coding in ("huffman", "runs"):
                write_labels(
                    basename,
                    folder / coding,
                    node_labels=forward.node_labels,
                    arc_labels=masks,
                    num_snapshots=number,
                    coding=coding,
                    progress=progress,
                )
                labels = (folder / f"{coding}.labels").stat().st_size
                total = size.graph_bits + 8 * (pointers + labels)
                rows.append(
                    {
                        "graph": name,
                        "labels": coding,
                        "bits_per_arc": round(size.bits_per_link, 4),
                        "bits_per_label": round(8 * labels / max(forward.num_arcs, 1), 4),
                        "pointer_bytes": pointers,
                        "bytes": total // 8,
                        "bits_per_instance": round(total / max(union.facts.num_instances, 1), 4),
                    }
                )
    return Rows("codings", rows, {"snapshots": number, "instances": union.facts.num_instances})
