"""Documents without a page of their own: features of hosts, and when a page and its links existed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from fastapi import Query

from webstrata.classify.features.feature_sets import read_features
from webstrata.classify.features.sets import check_sets, part_name
from webstrata.collection.action import Action
from webstrata.errors import UsageError
from webstrata.serve.page.search import Cursor, Date
from webstrata.serve.page.view import PageView, paginate, read_cursor, write_cursor
from webstrata.temporal.history import name_snapshots, page_history

if TYPE_CHECKING:
    from webstrata.api import Collection
    from webstrata.serve.page.site import Site

SIZE = 100


def show_features(
    site: Site,
    *,
    name: Annotated[
        str, Query(alias="set", max_length=20, description="A feature set: A, B, link, or another one.")
    ] = "A",
    host: Annotated[str, Query(max_length=253, description="One host alone.")] = "",
    at: Date = None,
    cursor: Cursor = None,
) -> PageView:
    """The features of hosts in a snapshot, one row per host.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.serve.page.site import Site
    >>> uk = testing.collection()
    >>> _ = uk["2026-06"].classify_features(sets="A")
    >>> view = show_features(Site(uk, "uk"), host="news.example")
    >>> view.facts["total"], view.rows[0]["host"], view.rows[0]["home_words"]
    (1, 'news.example', 27.0)
    """
    snapshot = site.snapshot(at or None)
    check_sets([name])
    action = Action.on(snapshot, "classify features", sets=name)
    facts: dict[str, Any] = {"set": name, "snapshot": snapshot.date, "host": host, "total": 0}
    view = PageView("features", f"Features {name}", action, facts=facts)
    if part_name(name) not in snapshot.parts:
        what = f"Features {name} of {snapshot.date}"
        view.missing.append(site.lacks(what, part_name(name), snapshot=snapshot.date))
        return view
    date = snapshot.date

    def read(collection: Collection) -> Any:  # noqa: ANN401 (a table of Arrow, which has no types)
        return read_features(collection[date], name)

    table = site.keep(("features", date, name), read)
    if host:
        import pyarrow.compute as pc

        table = table.filter(pc.equal(table["host"], host.lower()))
    start = read_cursor(cursor)
    facts["total"] = table.num_rows
    view.rows = table.slice(start, SIZE).to_pylist()
    view.next = write_cursor(start + SIZE) if start + SIZE < table.num_rows else None
    return view


def show_history(
    site: Site,
    *,
    url: Annotated[str, Query(max_length=8000, description="The page by its URL.")] = "",
    inlinks: Annotated[bool, Query(description="Also the links to it.")] = False,
    cursor: Cursor = None,
) -> PageView:
    """When a page and each of its links existed, one row per link.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.serve.page.site import Site
    >>> view = show_history(Site(testing.collection(), "uk"), url="http://news.example/")
    >>> view.facts["snapshots"], view.rows[0]["direction"], view.rows[0]["snapshots"]
    (['2026-04', '2026-05', '2026-06'], 'out', ['2026-05'])
    """
    if not url.strip():
        raise UsageError("url is empty; write a URL as http://example.org/")
    collection = site.collection
    action = Action(
        "history",
        str(collection.path),
        words=(url,),
        options={"in": inlinks or None},
        python=f"history({url!r}{', with_inlinks=True' if inlinks else ''})",
    )
    view = PageView("history", url, action, facts={"url": url, "snapshots": [], "total": 0})
    if "temporal" not in collection.parts:
        view.missing.append(site.lacks("The history of pages", "temporal"))
        return view
    found = page_history(collection.temporal, url, with_inlinks=inlinks)
    rows = found.to_rows()
    view.facts |= {
        "url": found.url,
        "snapshots": list(name_snapshots(found.label, found.snapshots)),
        "addresses": found.addresses,
        "total": len(rows),
    }
    view.rows, view.next = paginate(rows, cursor, SIZE)
    return view
