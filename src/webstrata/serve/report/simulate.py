"""Sheets of simulated crawls: what each policy brought in, and how fast the web can be crawled."""

from __future__ import annotations

from typing import TYPE_CHECKING

from webstrata.collection.action import Action
from webstrata.collection.caveats import MIN_PAGES
from webstrata.collection.sentences import tell_count
from webstrata.graph.hosts import group_hosts
from webstrata.serve.figures.simulate import draw_paces
from webstrata.serve.report.sheet import Missing, Sheet, SheetTable, to_drawings, to_tables
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


def make_harvests(collection: Collection) -> list[Sheet | Missing]:
    """The curves and tables of the simulations that are stored.

    Examples
    --------
    >>> from webstrata import testing
    >>> make_harvests(testing.empty())[0].what
    'simulated crawls'
    """
    found: list[Sheet | Missing] = []
    for snapshot in reversed(list(collection)):
        for record in snapshot.parts:
            is_one = record.name == "simulation" or record.name.startswith("simulation-")
            if is_one and len(found) < MAX_SHOWN:
                with snapshot.open_part(record.name) as part:
                    harvest = Harvest.read(part.path)
                command = record.renew.format(collection=collection.word, snapshot=snapshot.date)
                found.append(_tell(collection, snapshot.date, record.name, harvest, command))
    if not found:
        label = (collection.dates or ["SNAPSHOT"])[-1]
        options = {"policy": "breadth-first,best-first", "relevant": "query:WORDS", "runs": 5}
        action = Action("simulate", str(collection.path), label, options=options)
        found.append(Missing("simulated crawls", action.command))
    return found


def _tell(collection: Collection, label: str, part: str, harvest: Harvest, command: str) -> Sheet:
    return Sheet(
        f"{part}-{label}",
        f"Simulated crawls of {label}",
        [harvest.summary],
        to_tables(harvest),
        to_drawings(harvest.figures(f"{collection.title} {label}"), f"{part}-{label}"),
        command,
        [f"Warning: {sentence}." for sentence in harvest.warnings],
    )


def make_paces(snapshot: Snapshot, progress: Progress) -> Sheet:
    """How fast a snapshot can be crawled, by fetchers and by delays.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.collection.progress import Progress
    >>> links = " ".join(f"<a href=/{page}>{page}</a>" for page in range(100, 200))
    >>> pages = {f"http://a.example/{page}": f"<p>{page}" for page in range(100, 200)}
    >>> snapshot = testing.snapshot_of(pages | {"http://a.example/": links})
    >>> [len(table.rows) for table in make_paces(snapshot, Progress()).tables]
    [6, 18]
    """
    free = [(fetchers, 0.0) for fetchers in FETCHERS]
    polite = [(fetchers, delay) for fetchers in FETCHERS_WITH_DELAYS for delay in DELAYS]
    paces = measure_paces(snapshot, [*free, *polite], progress=progress)
    without, with_delays = paces[: len(free)], paces[len(free) :]
    name = f"{snapshot.collection.title} {snapshot.date}"
    command = Action.on(snapshot, "build", "sheet-pace").command
    sizes = group_hosts(snapshot.urls.key_column).sizes
    notes = [f"Warning: {one}." for one in warn_paces(paces, int(sizes.sum()), len(sizes))]
    title = f"How fast {snapshot.date} can be crawled, simulated"
    fewest = min(pace.pages for pace in paces)
    if fewest < MIN_PAGES:
        text = f"Simulated crawls fetched {tell_count(fewest, 'page')}, too few for a rate."
        return Sheet("pace", title, [text], command=command, notes=notes)
    return Sheet(
        "pace",
        title,
        [
            "A simulation, which fetches nothing: breadth-first from home pages on, until half of the pages "
            "are there. A page takes half a second, and of a host one is fetched at a time. The front are "
            "the hosts that are visited in parallel: one of their pages is being fetched, or they rest after "
            "it."
        ],
        [
            SheetTable(
                "Fetchers, without delays (simulated, as BUBING, figure 3)",
                ["fetchers", "pages/s", "front"],
                [[pace.fetchers, round(pace.rate, 2), round(pace.front, 1)] for pace in without],
            ),
            SheetTable(
                "Delays (simulated, as BUBING, figure 4)",
                ["fetchers", "delay of an address", "of a host", "pages/s", "front"],
                [
                    [p.fetchers, p.ip_delay, p.host_delay, round(p.rate, 2), round(p.front, 1)]
                    for p in with_delays
                ],
            ),
        ],
        to_drawings(draw_paces(without, with_delays, name), snapshot.date),
        command,
        notes,
    )
