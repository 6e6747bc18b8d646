"""Collection and Snapshot as users hold them: what stages hold, plus one lazy property per room.

Examples
--------
>>> import webstrata as ws
>>> uk = ws.create(getfixture("tmp_path") / "uk", title="United Kingdom")
>>> uk.add("2026-06")
<Snapshot 2026-06 of ...uk>
>>> [snapshot.label for snapshot in ws.open(uk.path)]
['2026-06']
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from webstrata import collection as rooms

if TYPE_CHECKING:
    from os import PathLike


class Snapshot(rooms.Snapshot):
    """One dated crawl in a collection."""


class Collection(rooms.Collection):
    """One directory with everything known about one piece of the web."""

    snapshot_class = Snapshot


def open(path: str | PathLike[str]) -> Collection:
    """The collection at `path`.

    Examples
    --------
    >>> open("/no/such/collection")
    Traceback (most recent call last):
    webstrata.errors.MissingError: /no/such/collection: this is not there; name a collection, or create one
    with `webstrata new /no/such/collection`
    """
    return Collection.open(path)


def create(path: str | PathLike[str], *, title: str = "") -> Collection:
    """A new, empty collection at `path`.

    Examples
    --------
    >>> create(getfixture("tmp_path") / "uk").title
    'uk'
    """
    return Collection.create(path, title=title)
