"""What a user can do about a part that is missing.

A part that a builder makes is built. Parts of pages (`warc`, `captures`, `pages`, `urls`) come from a crawl
or from files of others: what is proposed is the way in which this snapshot got its pages, else the way in
which the other snapshots of the collection got theirs (`find_source`).
"""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from webstrata.collection.action import Action, Recorded
from webstrata.collection.declarations import load_parts
from webstrata.collection.manifest import read_manifest
from webstrata.errors import WebstrataError

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Literal

    from webstrata.collection.manifest import PartRecord
    from webstrata.errors import Fix

PAGES = ("warc", "captures", "pages", "urls")
"""The parts that come with pages."""


def find_source(collection: Path) -> Literal["crawl", "ingest", ""]:
    """How a collection got its pages: all by ingest, or some by crawls; empty where it has none.

    Examples
    --------
    >>> from webstrata import testing
    >>> find_source(testing.collection().path), find_source(testing.empty().path)
    ('ingest', '')
    """
    kinds = {_source_of(folder) for folder in collection.glob("snapshots/*") if folder.is_dir()}
    return "crawl" if "crawl" in kinds else "ingest" if "ingest" in kinds else ""


def suggest_pages(collection: Path, snapshot: str) -> Fix:
    """What brings pages into a snapshot, in the way that fits the collection.

    Examples
    --------
    >>> from pathlib import Path
    >>> suggest_pages(Path("uk"), "2026-06").call
    "snapshot.crawl(seeds='seeds.txt')"
    """
    place = str(collection)
    known = [
        record for name, record in _records(collection / "snapshots" / snapshot).items() if name in PAGES
    ]
    own = next((record.renew for record in known if record.renew), "")
    if own:
        return Recorded(own.format(collection=shlex.quote(place), snapshot=snapshot))
    if find_source(collection) == "ingest":
        return Action("ingest", place, snapshot, ("FILE",))
    return Action("crawl", place, snapshot, options={"seeds": "seeds.txt"})


def _source_of(folder: Path) -> str:
    records = _records(folder)
    if (folder / "crawl").is_dir() or any(_verb_of(record) == "crawl" for record in records.values()):
        return "crawl"
    return "ingest" if any(name in records for name in (*PAGES, "graph")) else ""


def _verb_of(record: PartRecord) -> str:
    return "".join(record.renew.split()[1:2])


def is_brought(record: PartRecord) -> bool:
    """Whether a crawl or an import brought a part, so that only that can bring it again.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> is_brought(SimpleNamespace(renew=" ".join(["webstrata", "ingest", "{collection}", "a.warc"])))
    True
    """
    return _verb_of(record) in ("crawl", "ingest", "invitro")


def _records(folder: Path) -> dict[str, PartRecord]:
    """The parts of a snapshot, as far as they can be read: a suggestion must not fail."""
    try:
        return read_manifest(folder / "manifest.toml").parts
    except WebstrataError:
        return {}


def suggest_part(folder: Path, name: str) -> Fix | None:
    """What to do about a part that a collection or a snapshot, whose folder it is, does not have.

    Examples
    --------
    >>> from pathlib import Path
    >>> suggest_part(Path("uk/snapshots/2026-06"), "graph").call
    "snapshot.build('graph')"
    >>> suggest_part(Path("uk"), "notes") is None
    True
    """
    is_snapshot = folder.parent.name == "snapshots"
    collection, snapshot = (folder.parent.parent, folder.name) if is_snapshot else (folder, "")
    if is_snapshot and name in PAGES:
        return suggest_pages(collection, snapshot)
    declaration = load_parts().get(name)
    if declaration is None or not declaration.is_built:
        return None
    return Action("build", str(collection), snapshot, (name,))
