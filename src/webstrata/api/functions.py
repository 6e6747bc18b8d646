"""Verbs that are about files, not about a collection."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from os import PathLike
    from typing import Unpack

    from webstrata.collection.progress import Progress
    from webstrata.collection.tables import Rows
    from webstrata.graph.check import GraphCheck
    from webstrata.keywords import CompressionKeywords


def content_extract(html: bytes | str, *, url: str | None = None, method: str = "dom") -> str:
    """The main content of a page of HTML, as text.

    Examples
    --------
    >>> content_extract("<nav><a href=/>Home</a></nav><main><p>A tale of a fish and a storm.</p></main>")
    'A tale of a fish and a storm.'
    """
    from webstrata.store.main_content import extract

    return extract(html.encode() if isinstance(html, str) else html, url=url, method=method)


def content_evaluate(
    folder: str | PathLike[str], *, methods: Sequence[str] = (), progress: Progress | None = None
) -> Rows:
    """How good and how fast each method of `content_extract` is on the labelled pages of a folder.

    Examples
    --------
    >>> import gzip, json
    >>> from webstrata import testing
    >>> folder = testing.scratch()
    >>> (folder / "html").mkdir()
    >>> page = b"<nav><a href=/>Home</a></nav><main><p>A tale of a fish and of a storm.</p></main>"
    >>> _ = (folder / "html" / "a.html.gz").write_bytes(gzip.compress(page))
    >>> truth = {"a": {"articleBody": "A tale of a fish and of a storm.", "url": "http://a.example/"}}
    >>> _ = (folder / "ground-truth.json").write_text(json.dumps(truth))
    >>> [(row["method"], row["f1"]) for row in content_evaluate(folder, methods=["dom"]).rows]
    [('dom', 1.0)]
    """
    from webstrata.store.main_content.evaluate import evaluate_methods

    return evaluate_methods(Path(folder), methods, progress=progress)


def graph_check(name: str | PathLike[str], *, transpose: str | PathLike[str] | None = None) -> GraphCheck:
    """Decode the BVGraph files of a basename, and report what is damaged.

    Examples
    --------
    >>> from webstrata import testing
    >>> june = testing.snapshot()
    >>> path = testing.scratch() / "june"
    >>> _ = june.graph_convert(path, to="bvgraph")
    >>> graph_check(path).damage
    []
    """
    from webstrata.graph.check import check_graph

    return check_graph(Path(name), transpose=transpose)


def graph_convert(
    source: str | PathLike[str],
    out: str | PathLike[str],
    *,
    to: str,
    format: str = "",
    transpose: bool = False,
    progress: Progress | None = None,
    **settings: Unpack[CompressionKeywords],
) -> tuple[int, int]:
    """Write the graph of a file in another format; the numbers of its nodes and arcs.

    Examples
    --------
    >>> from webstrata import testing
    >>> folder = testing.scratch()
    >>> _ = (folder / "arcs.tsv").write_text("0 1 1 2".replace(" ", chr(9), 1).replace(" ", chr(10), 1)
    ...     .replace(" ", chr(9)))
    >>> graph_convert(folder / "arcs.tsv", folder / "arcs.mtx", to="mtx")
    (3, 2)
    """
    from webstrata.graph.interchange import convert
    from webstrata.graph.settings import GraphSettings

    parameters = GraphSettings.read(options={**settings})
    return convert(
        Path(source),
        Path(out),
        to,
        format=format,
        turned=transpose,
        parameters=parameters,
        memory=parameters.memory,
        progress=progress,
    )
