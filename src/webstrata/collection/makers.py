"""Which command builds a part that is missing, for sentences that say what to do.

A part that exists records the command that built it. Of a missing one only its name is known. Parts of pages
(`warc`, `index`, `pages`, `urls`) come from a crawl or from files of others: the command that is suggested is
the one by which this snapshot got its pages, else the way in which the other snapshots of the collection got
theirs (`find_source`).
"""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from webstrata.collection.manifest import read_manifest
from webstrata.errors import WebstrataError

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Literal

    from webstrata.collection.manifest import PartRecord

_CRAWL = "webstrata crawl {collection} {snapshot} --seeds seeds.txt"
_INGEST = "webstrata ingest {collection} {snapshot} FILE"
_STORE = "webstrata store {collection} {snapshot}"
MAKERS = {
    "warc": _CRAWL,
    "index": _CRAWL,
    "pages": _CRAWL,
    "urls": _CRAWL,
    "text": _STORE,
    "links": _STORE,
    "anchors": _STORE,
    "graph": "webstrata graph build {collection} {snapshot}",
    "summaries": "webstrata summaries build {collection} {snapshot}",
    "truth": "webstrata invitro truth {collection} {snapshot}",
}
"""Parts of snapshots, and the commands that make them by default settings."""


PAGES = ("warc", "index", "pages", "urls")
"""The parts that come with pages."""


def find_source(collection: Path) -> Literal["crawl", "ingest", ""]:
    """How a collection got its pages: all by ingest, or some by crawls; empty where it has none.

    Examples
    --------
    >>> find_source(getfixture("tmp_path"))
    ''
    """
    kinds = {_source_of(folder) for folder in collection.glob("snapshots/*") if folder.is_dir()}
    return "crawl" if "crawl" in kinds else "ingest" if "ingest" in kinds else ""


def suggest_pages(collection: Path, snapshot: str) -> str:
    """The command that brings pages into a snapshot, in the way that fits the collection.

    Examples
    --------
    >>> from pathlib import Path
    >>> suggest_pages(Path("uk"), "2026-06")
    'webstrata crawl uk 2026-06 --seeds seeds.txt'
    """
    place = shlex.quote(str(collection))
    known = [
        record for name, record in _records(collection / "snapshots" / snapshot).items() if name in PAGES
    ]
    own = next((record.renew for record in known if record.renew), "")
    if not own:
        own = _INGEST if find_source(collection) == "ingest" else _CRAWL
    return own.format(collection=place, snapshot=snapshot)


def _source_of(folder: Path) -> str:
    records = _records(folder)
    if (folder / "crawl").is_dir() or any(r.renew.startswith("webstrata crawl") for r in records.values()):
        return "crawl"
    return "ingest" if any(name in records for name in (*PAGES, "graph")) else ""


def _records(folder: Path) -> dict[str, PartRecord]:
    """The parts of a snapshot, as far as they can be read: a suggestion must not fail."""
    try:
        return read_manifest(folder / "manifest.toml").parts
    except WebstrataError:
        return {}


def tell_maker(folder: Path, name: str) -> str:
    """What to do about a part that a collection or a snapshot, whose folder it is, does not have.

    Examples
    --------
    >>> from pathlib import Path
    >>> tell_maker(Path("uk/snapshots/2026-06"), "graph")
    '`webstrata graph build uk 2026-06` makes it'
    >>> tell_maker(Path("uk"), "notes")
    'build it first'
    """
    if name not in MAKERS or folder.parent.name != "snapshots":
        return "build it first"
    collection = folder.parent.parent
    if name in PAGES:
        return f"`{suggest_pages(collection, folder.name)}` makes it"
    command = MAKERS[name].format(collection=shlex.quote(str(collection)), snapshot=folder.name)
    return f"`{command}` makes it"
