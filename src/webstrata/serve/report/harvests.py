"""Sheets of simulated crawls: what each policy brought in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from webstrata.serve.figures.simulate import draw_harvest
from webstrata.serve.report.sheet import Missing, Sheet, Table, to_drawings
from webstrata.simulate.harvest import Harvest

if TYPE_CHECKING:
    from webstrata.api import Collection

MAX_SHOWN = 3
"""Simulations that are shown, the newest snapshots first."""
_NAMES = {
    "harvest": "harvest rate",
    "recall": "recall",
    "area": "mean recall",
    "coverage": "hosts reached",
}


def make_harvests(collection: Collection) -> list[Sheet | Missing]:
    """The curves and tables of the simulations that are stored.

    Examples
    --------
    >>> import webstrata as ws
    >>> make_harvests(ws.create(getfixture("tmp_path") / "uk"))[0].what
    'simulated crawls'
    """
    found: list[Sheet | Missing] = []
    for snapshot in reversed(list(collection)):
        for record in snapshot.parts:
            is_one = record.name == "simulation" or record.name.startswith("simulation-")
            if is_one and len(found) < MAX_SHOWN:
                with snapshot.open_part(record.name) as part:
                    found.append(_tell(collection, snapshot.label, record.name, Harvest.read(part.path)))
    if not found:
        label = (collection.labels or ["SNAPSHOT"])[-1]
        words = "--policy breadth-first,best-first --relevant query:WORDS --runs 5"
        found.append(Missing("simulated crawls", f"webstrata simulate {collection.path} {label} {words}"))
    return found


def _tell(collection: Collection, label: str, part: str, harvest: Harvest) -> Sheet:
    facts, chosen = harvest.facts, harvest.configuration["simulate"]
    rows: list[list[Any]] = []
    for row in harvest.rows():
        values = [value for name in _NAMES for value in row.values[name]]
        rows.append([row.policy, row.runs, round(row.pages), *(round(value, 4) for value in values)])
    columns = [column for name in _NAMES.values() for column in (name, "±")]
    words = f"--policy {','.join(chosen['policy'])} --relevant {chosen['relevant']} --runs {chosen['runs']}"
    return Sheet(
        f"{part}-{label}",
        f"Simulated crawls of {label}",
        [
            f"{facts['relevant']:,} of {facts['pages']:,} pages on {facts['hosts']:,} hosts are relevant "
            f"({chosen['relevant']}); bands are of 95%."
        ],
        [Table("What each policy brought in", ["policy", "runs", "pages", *columns], rows)],
        to_drawings(draw_harvest(harvest, f"{collection.title} {label}"), f"{part}-{label}"),
        f"webstrata simulate {collection.path} {label} {words}",
    )
