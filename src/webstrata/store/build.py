"""The store step: from the files of a crawl to the parts of a snapshot.

===========  ==========================================================================================
``warc``     the WARC files, linked, not copied; of an ingest ``provenance.jsonl`` and ``fixity.jsonl`` too
``captures`` the CDXJ index of all captures (see `cdxj`)
``pages``    the table of nodes (see `pages`)
``urls``     row keys of the nodes, and what other URLs stand for (see `urls`)
``text``     visible text, title, headings, language, charset, simhash (see `text`, `contents`)
``links``    links as parsed (see `links`, `contents`)
``anchors``  what other pages call a page (see `anchors`)
===========  ==========================================================================================

After this nothing parses HTML again. The step takes the same memory for any number of captures, but for a few
bytes for each URL; its scratch files, about as large as ``captures.cdxj``, are in the folder ``store`` of the
snapshot, and go when it ends.

A crawl leaves a folder of closed WARC files, ``captures.cdxj``, a line a capture in any order, and perhaps
``dust.json`` (see `webstrata.web.dust`). Where captures were added to those of a snapshot, ``base`` is the
index that it had, and ``captures.cdxj`` has the lines of the new ones alone: the index is not sorted again.
"""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING

import pyarrow.compute as pc

from webstrata.archive.cdxj import build_cdxj
from webstrata.archive.fixity import FIXITY
from webstrata.collection.files import explained, link_file, make_directory, remove_tree, replace_file
from webstrata.collection.progress import Progress
from webstrata.collection.settings import ResourcesSettings
from webstrata.errors import FormatError, MissingError, UsageError
from webstrata.store.anchors import build_anchors
from webstrata.store.contents import build_contents
from webstrata.store.ingest.provenance import PROVENANCE
from webstrata.store.pages import Pages, write_pages
from webstrata.store.parquet.sorting import frugal
from webstrata.store.parsers.registry import find_parsers
from webstrata.store.selection import OTHERS, Selection, select_pages
from webstrata.store.settings import StoreSettings
from webstrata.store.urls import write_url_tables
from webstrata.store.warc_files import find_lending
from webstrata.web.dust import RULES

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

    from webstrata.collection import Snapshot
    from webstrata.store.reuse import Earlier

CAPTURES = "captures.cdxj"
BASE = "base"
"""The folder with the index of captures whose lines are not in ``captures.cdxj``."""
_SUFFIXES = (".warc", ".warc.gz", ".warc.zst")


UNPARSED = ("warc", "captures", "pages", "urls")
"""Parts that are made from the lines of captures, in their order."""
PARSED = ("text", "links", "anchors")
"""Parts that are made by parsing the pages, or from what was parsed, in their order."""


def build_store(
    snapshot: Snapshot,
    crawl: Path,
    *,
    parts: Collection[str] = PARSED,
    workers: int | None = None,
    renew: str = "",
    progress: Progress | None = None,
) -> None:
    """Build the parts of a snapshot from the folder of a crawl.

    Parameters
    ----------
    snapshot
        The snapshot.
    crawl
        Closed WARC files and ``captures.cdxj``.
    parts
        Which of `PARSED` are built; the others always are. `build_parsed` makes up for it later.
    workers
        Processes that parse; as the settings ``[resources]`` say where not given.
    renew
        The command that brings the crawl again.
    progress
        Where the step reports.

    Examples
    --------
    >>> import webstrata as ws
    >>> from webstrata import testing
    >>> from webstrata.archive.cdxj import Line
    >>> from webstrata.archive.warc import Capture, WarcWriter
    >>> folder = testing.scratch()
    >>> capture = Capture(url="http://example.org/", date=10**18, head=b"HTTP/1.1 200 OK", body=b"Hello")
    >>> with WarcWriter(folder, "crawl") as writer:
    ...     place = writer.write(capture)
    >>> line = Line(
    ...     url=capture.url, date=capture.date, mime="text/html", status=200, digest=capture.digest,
    ...     **place._asdict())
    >>> _ = (folder / "captures.cdxj").write_bytes(line.to_bytes())
    >>> snapshot = ws.create(folder / "uk").add("2026-06")
    >>> build_store(snapshot, folder)
    >>> list(snapshot.urls)
    ['http://example.org/']
    >>> snapshot.pages[0]["warc_filename"]
    'crawl-00000.warc.gz'
    """
    build_unparsed(snapshot, crawl, workers=workers, renew=renew, progress=progress)
    build_parsed(snapshot, parts, workers=workers, progress=progress)


def build_unparsed(
    snapshot: Snapshot,
    crawl: Path,
    *,
    workers: int | None = None,
    renew: str = "",
    progress: Progress | None = None,
) -> None:
    """Build `warc`, `captures`, `pages` and `urls` of a snapshot: `build_store` without reading pages.

    Examples
    --------
    >>> import webstrata as ws
    >>> from webstrata import testing
    >>> folder = testing.scratch()
    >>> _ = (folder / "captures.cdxj").write_bytes(b"")
    >>> snapshot = ws.create(folder / "uk").add("2026-06")
    >>> build_unparsed(snapshot, folder)
    >>> [record.name for record in snapshot.parts]
    ['captures', 'pages', 'urls', 'warc']
    """
    progress = progress or Progress()
    if workers is None:
        workers = snapshot.settings(ResourcesSettings).num_workers
    files = _list_files(crawl)
    scratch = snapshot.working_folder("store")
    with snapshot.parts.writing(progress), frugal():
        remove_tree(scratch)  # of one that was killed
        make_directory(scratch)
        try:
            _build_unparsed(snapshot, crawl, files, scratch, workers, renew, progress)
        finally:
            remove_tree(scratch)


def _build_unparsed(
    snapshot: Snapshot,
    crawl: Path,
    files: list[Path],
    scratch: Path,
    workers: int,
    renew: str,
    progress: Progress,
) -> None:
    base = crawl / BASE if (crawl / BASE).is_dir() else None
    lines = [*([base / "index.cdxj.gz"] if base else []), crawl / CAPTURES]
    earlier = find_lending(snapshot)
    settings = snapshot.settings(StoreSettings)
    types = find_parsers(settings.parsers)
    last = settings.last_capture
    selection = select_pages(lines, scratch, earlier=earlier, types=types, last=last, progress=progress)
    unknown = selection.files - {path.name for path in files}
    if unknown:
        raise FormatError(
            f"{crawl / CAPTURES}: it names {min(unknown)}, which is not in this folder; put the file back, "
            f"or crawl again"
        )
    with snapshot.write_part("warc", renew=renew, progress=progress) as build:
        for path in files:
            link_file(path, build.path / path.name)
        for name in (PROVENANCE, FIXITY):
            if (crawl / name).is_file() and (crawl / name).stat().st_size:
                with explained(crawl / name, "read"):
                    replace_file(build.path / name, (crawl / name).read_bytes())
        build.count(files=len(files), captures=selection.num_captures)
    with snapshot.write_part("captures", inputs=("warc",), renew=renew, progress=progress) as build:
        build_cdxj(
            crawl / CAPTURES, build.path, base=base, scratch=scratch, workers=workers, progress=progress
        )
        build.count(captures=selection.num_captures)
    _write_numbered(snapshot, selection, settings, _read_rules(crawl / RULES), renew, progress)


def _write_numbered(
    snapshot: Snapshot,
    selection: Selection,
    settings: StoreSettings,
    rules: dict[str, list[str]],
    renew: str,
    progress: Progress,
) -> None:
    """Build `pages` and `urls`."""
    inputs = ("captures", *(f"{label}/warc" for label in sorted(selection.lenders)))
    with snapshot.write_part(
        "pages", settings=settings, inputs=inputs, renew=renew, progress=progress
    ) as build:
        write_pages(build.path / "pages.parquet", selection.pages(), crawl=snapshot.date)
        marks = Pages(build.path).table("noindex", "soft_404")
        counts = {name: pc.sum(marks[name]).as_py() or 0 for name in marks.column_names}
        build.count(nodes=selection.num_nodes, **counts)
    with snapshot.write_part("urls", inputs=("pages",), renew=renew, progress=progress) as build:
        write_url_tables(build.path, selection.nodes(), selection.others(), OTHERS, rules)
        build.count(nodes=selection.num_nodes, others=selection.num_others)


def renumber(
    snapshot: Snapshot, *, settings: StoreSettings | None = None, progress: Progress | None = None
) -> None:
    """Build `pages` and `urls` of a snapshot again from its index: the nodes are numbered by the rule of now.

    A snapshot made by webstrata 0.1.0 has one node for pages with equal fingerprints, and none for pages that
    ask not to be indexed. It stays that way until this is called. What was made from its pages is stale then.

    Examples
    --------
    >>> from webstrata import testing
    >>> snapshot = testing.snapshot()
    >>> renumber(snapshot)
    >>> len(snapshot.urls)
    15
    """
    progress = progress or Progress()
    settings = settings or snapshot.settings(StoreSettings)
    types = find_parsers(settings.parsers)
    scratch = snapshot.working_folder("store")
    with snapshot.parts.writing(progress), frugal():
        remove_tree(scratch)
        make_directory(scratch)
        try:
            with snapshot.open_part("captures") as index, snapshot.open_part("urls") as urls:
                lines = index.path / "index.cdxj.gz"
                lending, last = find_lending(snapshot), settings.last_capture
                selection = select_pages(
                    lines, scratch, earlier=lending, types=types, last=last, progress=progress
                )
                renew = index.record.renew
                _write_numbered(
                    snapshot, selection, settings, _read_rules(urls.path / RULES), renew, progress
                )
        finally:
            remove_tree(scratch)


def is_numbered_for(snapshot: Snapshot, settings: StoreSettings) -> bool:
    """Whether the nodes of a snapshot are the pages that these parsers make, so that it need not `renumber`.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.store.settings import StoreSettings
    >>> [is_numbered_for(testing.snapshot(), StoreSettings(parsers=names)) for names in ((), ("feed",))]
    [True, False]
    """
    if not {"pages", "captures"} <= set(snapshot.parts.names):
        return True  # pages without captures have no responses to choose from
    return bool(snapshot.parts.record("pages").settings.get("parsers", []) == list(settings.parsers))


def build_parsed(
    snapshot: Snapshot,
    parts: Collection[str] = PARSED,
    *,
    settings: StoreSettings | None = None,
    workers: int | None = None,
    earlier: Earlier | None = None,
    progress: Progress | None = None,
) -> None:
    """Build those of `text`, `links` and `anchors` that are named, for a snapshot that has its pages.

    Examples
    --------
    >>> from webstrata import testing
    >>> snapshot = testing.snapshot()
    >>> build_parsed(snapshot, ["anchors"])
    >>> snapshot.anchors[7][0].text
    'the storm'
    >>> build_parsed(snapshot, ["sound"])
    Traceback (most recent call last):
    webstrata.errors.UsageError: there is no part sound to parse; choose of text, links, anchors
    """
    unknown = set(parts) - set(PARSED)
    if unknown:
        raise UsageError(f"there is no part {min(unknown)} to parse; choose of {', '.join(PARSED)}")
    if workers is None:
        workers = snapshot.settings(ResourcesSettings).num_workers
    settings = settings or snapshot.settings(StoreSettings)
    if not is_numbered_for(snapshot, settings):
        renumber(snapshot, settings=settings, progress=progress)
    contents = [name for name in ("text", "links") if name in parts]
    anchors = partial(build_anchors, snapshot, progress=progress) if "anchors" in parts else None
    with frugal():
        if contents:
            build_contents(
                snapshot,
                contents,
                settings=settings,
                workers=workers,
                earlier=earlier,
                meanwhile=anchors,
                progress=progress,
            )
        elif anchors:
            anchors()


def find_unparsed(snapshot: Snapshot) -> list[str]:
    """Those of `PARSED` that are missing or stale in a snapshot that has pages, in the order of building.

    A part whose files are gone is missing, whatever the manifest says. A part that the source of the pages
    cannot give (text without markup has no links) is not missing.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import webstrata as ws
    >>> with tempfile.TemporaryDirectory() as name:
    ...     _ = (Path(name) / "captures.cdxj").write_bytes(b"")
    ...     snapshot = ws.create(Path(name) / "uk").add("2026-06")
    ...     build_unparsed(snapshot, Path(name))
    ...     find_unparsed(snapshot)
    ['text', 'links', 'anchors']
    """
    states = snapshot.collection.states()
    refused = {name for record in snapshot.parts for name in record.lacks}
    found: list[str] = []
    for name in PARSED:
        state = states.get(f"{snapshot.date}/{name}")
        gone = state is None or state.stale or not snapshot.parts.path(state.record).is_dir()
        # anchors are made from links, so they are built again after them
        if name not in refused and (gone or (name == "anchors" and "links" in found)):
            found.append(name)
    return found


def _read_rules(path: Path) -> dict[str, list[str]]:
    """What the crawl learned about parameters without meaning."""
    if not path.is_file():
        return {}
    with explained(path, "read"):
        rules: dict[str, list[str]] = json.loads(path.read_bytes())
    return rules


def _list_files(crawl: Path) -> list[Path]:
    with explained(crawl, "list"):
        paths = sorted(crawl.iterdir())
    still_open = [path.name for path in paths if path.name.endswith(".open")]
    if still_open:
        raise UsageError(
            f"{crawl}: {still_open[0]} is not closed, so the crawl has not ended; resume it, or stop it first"
        )
    if not (crawl / CAPTURES).is_file():
        raise MissingError(f"{crawl}: there is no {CAPTURES}; name the folder of a crawl")
    return [path for path in paths if path.name.endswith(_SUFFIXES)]
