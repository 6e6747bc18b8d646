"""Graphs of other programs, read and written in blocks.

===========  ==========================================  ====  =====  =====================================
name         files                                       read  write  module
===========  ==========================================  ====  =====  =====================================
``edges``    ``.txt``, ``.tsv``, ``.csv``, ``.edges``    yes   yes    `edges`
``mtx``      ``.mtx``                                    yes   yes    `matrix_market`
``parquet``  ``.parquet``                                yes   yes    `parquet`
``npz``      ``.npz``, SciPy                             yes   yes    `scipy_matrix`, in memory
``cc``       ``-vertices.txt.gz`` and ``-edges.txt.gz``  yes   yes    `common_crawl`
``graphml``  ``.graphml``                                no    yes    `graphml`
``networkx`` ``.json``, node-link form                   no    yes    `node_link`
``bvgraph``  ``.graph`` and others                       yes   yes    `webstrata.graph.bvgraph`
===========  ==========================================  ====  =====  =====================================

Text may be packed (``.gz``, ``.zst``, ``.bz2``). Arcs may be in any order and more than once; what is read
goes through the sort of `webstrata.graph.arcs.build_bvgraph`, in bounded memory.
"""

from webstrata.graph.interchange.formats import FORMATS, Format, convert, guess_format, open_arcs
from webstrata.graph.interchange.text import ArcStream

__all__ = ["FORMATS", "ArcStream", "Format", "convert", "guess_format", "open_arcs"]
