"""Ingests whatever a user names: pages, dumps and bundles (`store`), or web graph releases (`graph`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from webstrata.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from os import PathLike

    from webstrata.api import Collection
    from webstrata.collection.progress import Progress
    from webstrata.graph.releases.ingest import ReleaseResult
    from webstrata.store.ingest.into import BundleResult
    from webstrata.store.ingest.run import IngestResult
    from webstrata.store.wikipedia.tables import TablesResult


def ingest_anything(
    collection: Collection,
    label: str,
    files: Iterable[str | PathLike[str]] = (),
    *,
    webgraph: str | PathLike[str] | None = None,
    again: bool = False,
    progress: Progress | None = None,
    **chosen: Any,  # noqa: ANN401 (those of `ingest_into`)
) -> IngestResult | TablesResult | BundleResult | ReleaseResult:
    r"""Make what files hold the content of a snapshot, or what a web graph release holds.

    Parameters
    ----------
    collection, label
        The snapshot; it is created if needed.
    files
        Files of pages, folders, patterns, or one bundle.
    webgraph
        Instead of files, the folder of a web graph release.
    again
        Replace what the snapshot has.
    progress
        Where progress is shown.
    **chosen
        The other keywords of `webstrata.store.ingest.into.ingest_into`.

    Examples
    --------
    >>> from webstrata import testing
    >>> folder = testing.scratch()
    >>> _ = (folder / "cc-domain-vertices.txt").write_text("0\torg.a\t2\n1\torg.b\t1\n")
    >>> _ = (folder / "cc-domain-edges.txt").write_text("1\t0\n")
    >>> result = ingest_anything(testing.empty(), "2026-04", webgraph=folder)
    >>> result.level, result.nodes, result.arcs
    ('domain', 2, 1)
    """
    if webgraph is None:
        from webstrata.store.ingest.into import ingest_into

        return ingest_into(collection, label, files, again=again, progress=progress, **chosen)
    from webstrata.graph.releases.ingest import ingest_release

    usual = {"copy": "as-is"}
    options = dict(chosen.pop("options", None) or {})
    given = [*chosen.items(), *options.items()]
    others = [name for name, value in given if value not in (None, False, "", usual.get(name))]
    if list(files) or others:
        what = f"--{others[0].replace('_', '-')}" if others else "FILEs"
        raise UsageError(f"--webgraph ingests a release whole; leave out {what}")
    return ingest_release(collection, label, webgraph, again=again, progress=progress)
