"""Ingests whatever a user names into a snapshot: files of pages, a dump of a wiki, or a bundle."""

from __future__ import annotations

import glob
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from webstrata.collection.action import Action
from webstrata.collection.snapshot_dates import check_date
from webstrata.collection.tables import FactsTable
from webstrata.errors import FormatError, MissingError, UsageError
from webstrata.store.bundle import check_bundle, import_bundle, is_bundle
from webstrata.store.ingest.run import discard_empty, ingest, list_sources
from webstrata.store.wikipedia.ingest import check_dump, ingest_dump
from webstrata.store.wikipedia.link_graphs import check_links, ingest_links
from webstrata.store.wikipedia.settings import WikipediaSettings

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from os import PathLike

    from webstrata.api import Collection
    from webstrata.collection.progress import Progress
    from webstrata.store.ingest.run import IngestResult
    from webstrata.store.wikipedia.tables import TablesResult

Mode = Literal["new", "again", "add"]


@dataclass(frozen=True, repr=False)
class BundleResult(FactsTable):
    """What came from a bundle."""

    parts: tuple[str, ...]
    pages: int

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        return {"parts": list(self.parts), "pages": self.pages}


def find_files(patterns: Iterable[str | PathLike[str]]) -> list[Path]:
    """Paths as they are, and the files that patterns such as ``crawl/*.warc.gz`` match, sorted.

    Examples
    --------
    >>> from webstrata import testing
    >>> folder = testing.scratch()
    >>> for name in ("b.warc", "a.warc"):
    ...     (folder / name).touch()
    >>> [path.name for path in find_files([f"{folder}/*.warc"])]
    ['a.warc', 'b.warc']
    """
    found: list[Path] = []
    for pattern in patterns:
        path = Path(pattern)
        if path.exists() or not glob.has_magic(str(pattern)):
            found.append(path)
            continue
        matches = sorted(glob.glob(str(pattern), recursive=True))  # noqa: PTH207 (an absolute pattern)
        if not matches:
            raise MissingError(f"{pattern}: no such files; check the pattern")
        found += map(Path, matches)
    return found


def ingest_into(
    collection: Collection,
    label: str,
    files: Iterable[str | PathLike[str]] = (),
    *,
    wikipedia: str | PathLike[str] | None = None,
    wikilinks: str | PathLike[str] | None = None,
    options: Mapping[str, object] | None = None,
    base_url: str = "",
    copy: Literal["as-is", "rewrite"] = "as-is",
    strict: bool = False,
    add: bool = False,
    again: bool = False,
    progress: Progress | None = None,
) -> IngestResult | TablesResult | BundleResult:
    """Make the captures in files, or the pages of a dump or a bundle, those of a snapshot.

    Parameters
    ----------
    collection, label
        The snapshot; it is created if needed, and removed again if nothing could be ingested.
    files
        Files of pages, folders, patterns, or one bundle.
    wikipedia
        In place of files, a dump of Wikipedia or of another MediaWiki.
    wikilinks
        In place of files, the links of a Wikipedia as WikiLinkGraphs publishes them.
    options
        Settings of ``[wikipedia]``.
    base_url
        What a folder of HTML files stands for; for a dump or links, what the URLs of pages begin with.
    copy, strict
        As `webstrata.store.ingest.run.ingest` has them.
    add, again
        Keep the captures that the snapshot has, or replace them; without either they are a mistake.
    progress
        Where progress is shown.

    Examples
    --------
    >>> from webstrata import testing
    >>> folder = testing.scratch()
    >>> _ = (folder / "index.html").write_text("<title>Home</title>")
    >>> uk = testing.empty()
    >>> ingest_into(uk, "2026-06", [folder], base_url="http://example.org/").pages
    1
    """
    paths = find_files(files)
    given = {name: value for name, value in (options or {}).items() if value is not None}
    if any(map(is_bundle, paths)):
        if len(paths) > 1 or add or again or base_url:
            raise UsageError(
                "a bundle is ingested whole: name it alone, without --add, --again and --base-url"
            )
        return _ingest_bundle(collection, label, paths[0], progress)
    if add and again:
        raise UsageError("--add keeps the captures and --again replaces them; choose one")
    if sum(map(bool, (paths, wikipedia, wikilinks))) != 1:
        raise UsageError(
            "name files of pages, a dump with --wikipedia, or links with --wikilinks; one of them"
        )
    check_date(label)
    mode: Mode = "add" if add else "again" if again else "new"
    if wikipedia is not None:
        return _ingest_dump(collection, label, Path(wikipedia), given, base_url, mode, progress)
    if wikilinks is not None and not given:
        check_links(Path(wikilinks), base_url)  # before a snapshot is made for it
        options = {"again": True, "wikilinks": str(wikilinks), "base_url": base_url or None}
        renew = Action("ingest", str(collection.path), label, options=options)
        return ingest_links(
            collection.add(label),
            Path(wikilinks),
            base_url=base_url,
            mode=mode,
            renew=renew.template,
            progress=progress,
        )
    if given:
        raise UsageError(f"--{next(iter(given))} is said of a dump; name one with --wikipedia")
    list_sources(paths, base_url=base_url)  # what cannot be read is reported before a snapshot is made for it
    chosen = {"again": True, "base_url": base_url or None, "copy": copy if copy != "as-is" else None}
    renew = Action("ingest", str(collection.path), label, tuple(map(str, paths)), chosen)
    is_new = label not in collection
    try:
        return ingest(
            collection.add(label),
            paths,
            base_url=base_url,
            mode=mode,
            copy=copy,
            renew="" if add else renew.template,
            strict=strict,
            progress=progress,
        )
    except FormatError:
        if is_new:
            discard_empty(collection[label])
        raise


def _ingest_dump(
    collection: Collection,
    label: str,
    dump: Path,
    given: dict[str, object],
    base_url: str,
    mode: Mode,
    progress: Progress | None,
) -> IngestResult | TablesResult:
    settings = collection.settings(WikipediaSettings, given)
    if label in collection:  # it may have settings of its own
        settings = collection[label].settings(WikipediaSettings, given)
    check_dump(dump, base_url=base_url, settings=settings)  # before a snapshot is made for it
    options = {"again": True, "wikipedia": str(dump), "base_url": base_url or None, **given}
    return ingest_dump(
        collection.add(label),
        dump,
        base_url=base_url,
        settings=settings,
        mode=mode,
        renew=Action("ingest", str(collection.path), label, options=options).template,
        progress=progress,
    )


def _ingest_bundle(
    collection: Collection, label: str, bundle: Path, progress: Progress | None
) -> BundleResult:
    check_date(label)
    check_bundle(bundle, parts_alone=True)  # before a snapshot is made for it
    snapshot = collection.add(label)
    names = import_bundle(bundle, snapshot, progress=progress)
    return BundleResult(tuple(names), len(snapshot.urls))
