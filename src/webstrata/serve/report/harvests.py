"""Sheets of simulated crawls: what each policy brought in, and how fast the web can be crawled."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from webstrata.collection.caveats import MIN_PAGES
from webstrata.collection.sentences import tell_count
from webstrata.graph.hosts import group_hosts
from webstrata.serve.figures.simulate import draw_harvest, draw_paces
from webstrata.serve.report.sheet import Missing, Sheet, Table, to_drawings
from webstrata.simulate.harvest import Harvest
from webstrata.simulate.pace import (
    DELAYS,
    FETCHERS,
    FETCHERS_WITH_DELAYS,
    measure_paces,
    warn_paces,
)

if TYPE_CHECKING:
    from webstrata.api import Collection, Snapshot
    from webstrata.collection.progress import Progress

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
                    harvest = Harvest.read(part.path)
                command = record.renew.format(collection=collection.word, snapshot=snapshot.label)
                found.append(_tell(collection, snapshot.label, record.name, harvest, command))
    if not found:
        label = (collection.labels or ["SNAPSHOT"])[-1]
        words = "--policy breadth-first,best-first --relevant query:WORDS --runs 5"
        found.append(Missing("simulated crawls", f"webstrata simulate {collection.word} {label} {words}"))
    return found


def _tell(collection: Collection, label: str, part: str, harvest: Harvest, command: str) -> Sheet:
    facts, chosen = harvest.facts, harvest.configuration["simulate"]
    rows: list[list[Any]] = []
    for row in harvest.rows():
        values = [value for name in _NAMES for value in row.values[name]]
        rows.append([row.policy, row.runs, round(row.pages), *(round(value, 4) for value in values)])
    columns = [column for name in _NAMES.values() for column in (name, "±")]
    return Sheet(
        f"{part}-{label}",
        f"Simulated crawls of {label}",
        [
            f"{facts['relevant']:,} of {facts['pages']:,} pages on {facts['hosts']:,} hosts are relevant "
            f"({chosen['relevant']}); bands are of 95%."
        ],
        [Table("What each policy brought in", ["policy", "runs", "pages", *columns], rows)],
        to_drawings(draw_harvest(harvest, f"{collection.title} {label}"), f"{part}-{label}"),
        command,
        [f"Warning: {sentence}." for sentence in harvest.warnings],
    )


def make_paces(snapshot: Snapshot, progress: Progress) -> Sheet:
    """How fast a snapshot can be crawled, by fetchers and by delays.

    Examples
    --------
    >>> import webstrata as ws
    >>> from tests.temporal.months import add_month
    >>> from webstrata.collection.progress import Progress
    >>> uk = ws.create(getfixture("tmp_path") / "uk")
    >>> keys = ["org,a)/", *(f"org,a)/{page}" for page in range(100, 200))]
    >>> snapshot = add_month(uk, "2026-06", keys, [(0, page) for page in range(1, 101)])
    >>> [len(table.rows) for table in make_paces(snapshot, Progress()).tables]
    [6, 18]
    """
    free = [(fetchers, 0.0) for fetchers in FETCHERS]
    polite = [(fetchers, delay) for fetchers in FETCHERS_WITH_DELAYS for delay in DELAYS]
    paces = measure_paces(snapshot, [*free, *polite], progress=progress)
    without, with_delays = paces[: len(free)], paces[len(free) :]
    name = f"{snapshot.collection.title} {snapshot.label}"
    command = f"webstrata run {snapshot.collection.word} --from sheets --to sheets"
    sizes = group_hosts(snapshot.urls.key_column).sizes
    notes = [f"Warning: {one}." for one in warn_paces(paces, int(sizes.sum()), len(sizes))]
    title = f"How fast {snapshot.label} can be crawled"
    fewest = min(pace.pages for pace in paces)
    if fewest < MIN_PAGES:
        text = f"Simulated crawls fetched {tell_count(fewest, 'page')}, too few for a rate."
        return Sheet("pace", title, [text], command=command, notes=notes)
    return Sheet(
        "pace",
        title,
        [
            "Simulated, breadth-first from home pages on, until half of the pages are there. A page takes "
            "half a second, and of a host one is fetched at a time. The front are the hosts that are visited "
            "in parallel: one of their pages is being fetched, or they rest after it."
        ],
        [
            Table(
                "Fetchers, without delays (BUBING, figure 3)",
                ["fetchers", "pages/s", "front"],
                [[pace.fetchers, round(pace.rate, 2), round(pace.front, 1)] for pace in without],
            ),
            Table(
                "Delays (BUBING, figure 4)",
                ["fetchers", "delay of an address", "of a host", "pages/s", "front"],
                [
                    [p.fetchers, p.ip_delay, p.host_delay, round(p.rate, 2), round(p.front, 1)]
                    for p in with_delays
                ],
            ),
        ],
        to_drawings(draw_paces(without, with_delays, name), snapshot.label),
        command,
        notes,
    )
