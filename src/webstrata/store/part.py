"""The parts of pages: what a crawl or an import leaves, and what is parsed from it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from webstrata.collection.declarations import SnapshotPart
from webstrata.store.settings import StoreSettings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from webstrata.collection import Snapshot
    from webstrata.collection.progress import Progress
    from webstrata.store.anchors import Anchors
    from webstrata.store.captures import Captures
    from webstrata.store.links import Links
    from webstrata.store.packages import Packages
    from webstrata.store.pages import Pages
    from webstrata.store.text import Text
    from webstrata.store.urls import Urls

STAGE = "store"
PAGES_STAGE = "crawl"


def _open_captures(snapshot: Any) -> Captures:  # noqa: ANN401 (that of `webstrata.api`)
    from webstrata.store.captures import Captures

    return Captures(snapshot)


def open_pages(snapshot: Snapshot) -> Pages:
    """The table of pages, without what was taken down.

    Examples
    --------
    >>> from webstrata import testing
    >>> len(open_pages(testing.snapshot()))
    15
    """
    from webstrata.store.hiding import Hidden
    from webstrata.store.pages import Pages

    part = snapshot.open_part("pages")
    return Pages(part.path, part, hidden=Hidden(snapshot.collection, snapshot))


def open_urls(snapshot: Snapshot) -> Urls:
    """URLs by node and back, without what was taken down.

    Examples
    --------
    >>> from webstrata import testing
    >>> open_urls(testing.snapshot())[11]
    'http://reef.example/'
    """
    from webstrata.store.takedowns import make_hide
    from webstrata.store.urls import Urls

    part = snapshot.open_part("urls")
    return Urls(part.path, part, hide=make_hide(snapshot.collection))


def _open_packages(snapshot: Snapshot) -> Packages:
    from webstrata.store.packages import Packages

    part = snapshot.open_part("packages")
    return Packages(part.path, part)


def open_text(snapshot: Snapshot) -> Text:
    """The texts of pages, without what was taken down.

    Examples
    --------
    >>> from webstrata import testing
    >>> open_text(testing.snapshot())[11].title
    'The coral reef'
    """
    from webstrata.store.hiding import Hidden
    from webstrata.store.text import Text

    part = snapshot.open_part("text")
    return Text(part.path, part, hidden=Hidden(snapshot.collection, snapshot))


def open_links(snapshot: Snapshot) -> Links:
    """The links of pages, without what was taken down.

    Examples
    --------
    >>> from webstrata import testing
    >>> len(open_links(testing.snapshot())[11])
    4
    """
    from webstrata.store.hiding import Hidden
    from webstrata.store.links import Links

    part = snapshot.open_part("links")
    return Links(part.path, part, hidden=Hidden(snapshot.collection, snapshot))


def open_anchors(snapshot: Snapshot) -> Anchors:
    """The anchor texts of links to pages, without what was taken down.

    Examples
    --------
    >>> from webstrata import testing
    >>> open_anchors(testing.snapshot())[12][0].text
    'corals'
    """
    from webstrata.store.anchors import Anchors
    from webstrata.store.hiding import Hidden

    part = snapshot.open_part("anchors")
    return Anchors(part.path, part, hidden=Hidden(snapshot.collection, snapshot))


def _parse(
    snapshot: Snapshot,
    settings: StoreSettings,
    *,
    names: Sequence[str],
    workers: int,
    progress: Progress,
) -> None:
    from webstrata.store.build import build_parsed

    # anchors are made from links
    also = ["anchors"] if "links" in names and "anchors" not in names else []
    build_parsed(snapshot, [*names, *also], settings=settings, workers=workers, progress=progress)


def _is_parsed(snapshot: Snapshot, _settings: StoreSettings) -> bool:
    """Whether there are pages to parse: a dump, a bundle or a table of links has a graph, and none."""
    return "warc" in snapshot.parts or "graph" not in snapshot.parts


def _sign(snapshot: Snapshot, _settings: None, *, workers: int, progress: Progress) -> None:
    from webstrata.store.duplicates.signatures import open_signatures

    open_signatures(snapshot, progress=progress)


PARSED = ("text", "links", "anchors")

WARC = SnapshotPart("warc", "Store responses, as WARC files.", stage=PAGES_STAGE, forget="edit")
CAPTURES = SnapshotPart(
    "captures", "Index captures by URL and time, as CDXJ.", inputs=("warc",), open=_open_captures,
    stage=PAGES_STAGE, forget="edit",
)  # fmt: skip
PAGES = SnapshotPart(
    "pages", "List the pages, one row per node.", inputs=("captures",), open=open_pages, stage=PAGES_STAGE,
    forget="edit",
)  # fmt: skip
URLS = SnapshotPart(
    "urls", "Map URLs to nodes and back.", inputs=("pages",), open=open_urls, stage=PAGES_STAGE,
    forget="edit",
)  # fmt: skip
PACKAGES = SnapshotPart(
    "packages", "Keep the page lists of imported WACZ files.", open=_open_packages, stage=PAGES_STAGE,
    forget="remove",
)  # fmt: skip
TEXT = SnapshotPart(
    "text",
    "Extract text, titles and languages of pages.",
    inputs=("warc", "pages"),
    settings=StoreSettings,
    build=_parse,
    open=open_text,
    together=PARSED,
    stage=STAGE,
    forget="edit",
    wanted=_is_parsed,
)
LINKS = SnapshotPart(
    "links",
    "Extract links of pages.",
    inputs=("warc", "pages"),
    settings=StoreSettings,
    uses=("parsers",),
    build=_parse,
    open=open_links,
    together=PARSED,
    stage=STAGE,
    forget="edit",
    wanted=_is_parsed,
)
ANCHORS = SnapshotPart(
    "anchors",
    "Collect the anchor texts of links to each page.",
    inputs=("links", "urls"),
    settings=StoreSettings,
    uses=(),
    build=_parse,
    open=open_anchors,
    together=PARSED,
    stage=STAGE,
    forget="edit",
    wanted=_is_parsed,
)
SIGNATURES = SnapshotPart(
    "signatures",
    "Sign the texts of pages, to find near-duplicates.",
    inputs=("text",),
    build=_sign,
    stage=STAGE,
    on_demand=True,
)
