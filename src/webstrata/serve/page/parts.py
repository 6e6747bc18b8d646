"""The parts page: what was built, from what, and which command builds again what is stale."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from fastapi import Query

from webstrata.collection.action import Action
from webstrata.serve.page.view import PageView

if TYPE_CHECKING:
    from webstrata.serve.page.site import Site


def show_parts(
    site: Site, *, stale: Annotated[bool, Query(description="Only parts that are stale.")] = False
) -> PageView:
    """Every part with its size and age, and why it is stale where it is.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.serve.page.site import Site
    >>> view = show_parts(Site(testing.collection(), "uk"))
    >>> view.facts["stale"], view.rows[0]["name"], view.rows[0]["state"]
    (0, 'temporal', 'fresh')
    """
    collection = site.collection
    states = site.keep("states", lambda opened: opened.states())
    rows: list[dict[str, Any]] = []
    for name, state in states.items():
        date, _, part = name.partition("/")
        record = state.record
        rows.append(
            {
                "snapshot": date,
                "name": part,
                "state": "stale" if state.is_stale else "fresh",
                "why": state.why,
                "built": record.built,
                "seconds": record.seconds,
                "bytes": record.bytes,
                "counts": {key: int(value) for key, value in record.counts.items()},
                "command": state.renew,
            }
        )
    rows.sort(key=lambda row: (row["state"] == "fresh", row["snapshot"], row["name"]))
    view = PageView("parts", "Parts", Action.on(collection, "show"))
    view.facts = {
        "stale": sum(row["state"] == "stale" for row in rows),
        "fresh": sum(row["state"] == "fresh" for row in rows),
        "bytes": sum(row["bytes"] for row in rows),
        "only_stale": stale,
        "run": Action.on(collection, "run").command,
    }
    view.rows = [row for row in rows if not stale or row["state"] == "stale"]
    return view
