"""Labels of nodes and arcs: which snapshots have them (TIME, section 4).

A **label** is a mask of at most 64 snapshots, bit 0 the oldest. Beside the union graph, which is a BVGraph,
one file ``.labels`` holds them all. `webstrata.temporal.labels.container` has its layout, and `write` the two
codings of arcs:

``huffman``
    TIME's own: for each label of a source that occurs an optimal canonical Huffman code of the labels of its
    arcs.
``runs``
    The default, a fraction of the size: a label is predicted from the labels of both ends and from the list
    that the graph's own coding refers to, and only runs of arcs that are not as predicted are in the stream.
"""

from webstrata.temporal.labels.read import LabelledGraph, LabelledRows, label_arcs
from webstrata.temporal.labels.write import CODINGS, UNION_GRAPH, write_labels

__all__ = ["CODINGS", "UNION_GRAPH", "LabelledGraph", "LabelledRows", "label_arcs", "write_labels"]
