"""The chapters of a report, in the order in which data meets them; each says what is missing in it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from webstrata.collection.action import Action
from webstrata.collection.makers import suggest_pages
from webstrata.collection.verify import diagnose
from webstrata.errors import FormatError, WebstrataError
from webstrata.serve.report.classify import make_features
from webstrata.serve.report.crawl import make_crawls
from webstrata.serve.report.graph import join_structures, make_graphs
from webstrata.serve.report.kept import KINDS, Kept, read_sheets
from webstrata.serve.report.rank import make_spectra
from webstrata.serve.report.search import make_index
from webstrata.serve.report.sheet import Missing, Sheet, SheetTable
from webstrata.serve.report.simulate import make_harvests
from webstrata.serve.report.sweep import make_sweep
from webstrata.serve.report.temporal import make_times

if TYPE_CHECKING:
    from collections.abc import Callable

    from webstrata.api import Collection
    from webstrata.collection.states import PartState

    States = dict[str, PartState]
    Make = Callable[[Collection, States], list[Sheet | Missing]]


@dataclass(frozen=True)
class Chapter:
    """A chapter of a report."""

    name: str
    title: str
    sheets: list[Sheet] = field(default_factory=list)
    missing: list[Missing] = field(default_factory=list)
    failures: list[Exception] = field(default_factory=list)
    """Damaged parts and unexpected errors; the other sheets of the chapter are not affected."""


def make_chapters(collection: Collection) -> list[Chapter]:
    """All chapters of a collection; a sheet that cannot be made is reported in its chapter.

    Examples
    --------
    >>> from webstrata import testing
    >>> chapters = make_chapters(testing.collection())
    >>> [chapter.name for chapter in chapters][:4], len(chapters[1].missing)
    (['collection', 'crawl', 'store', 'graph'], 0)
    """
    states = collection.states()
    chapters = []
    check = Action.on(collection, "check").command
    for name, (title, makers) in CHAPTERS.items():
        sheets: list[Sheet] = []
        missing: list[Missing] = []
        failures: list[Exception] = []
        for make in makers:
            try:
                found = make(collection, states)
            except FormatError as error:
                explained = diagnose(error) or error
                failures.append(explained)
                found = [Missing(title.lower(), check, explained.explain())]
            except WebstrataError as error:
                found = [Missing(title.lower(), check, error.explain())]
            except Exception as error:
                if damage := diagnose(error):
                    failures.append(damage)
                    found = [Missing(title.lower(), check, damage.explain())]
                else:
                    failures.append(error)
                    why = f"unexpected {type(error).__name__}: {error}"
                    found = [Missing(title.lower(), Action.on(collection, "--traceback report").command, why)]
            sheets += [item for item in found if isinstance(item, Sheet)]
            missing += [item for item in found if isinstance(item, Missing)]
        chapters.append(Chapter(name, title, sheets, missing, failures))
    return chapters


def _of(make: Callable[[Collection], list[Sheet | Missing]]) -> Make:
    return lambda collection, _states: make(collection)


def _kept(kept: Kept) -> Make:
    return lambda collection, states: read_sheets(collection, kept, states)


def _one_table(name: str, title: str) -> Make:
    """The sheets of all snapshots as one: their first tables put together, the rest of the newest."""

    def make(collection: Collection, states: States) -> list[Sheet | Missing]:
        found = read_sheets(collection, KINDS[name], states)
        sheets = [item for item in found if isinstance(item, Sheet)]
        if not sheets:
            return found if name != "truth" else []
        last = sheets[-1]
        first = [_label(sheet.tables[0], sheet.title.rpartition(" ")[2]) for sheet in sheets]
        table = replace(first[-1], rows=[row for one in first for row in one.rows])
        notes = list(dict.fromkeys(note for sheet in sheets for note in sheet.notes))
        joined = replace(last, title=title, tables=[table, *last.tables[1:]], notes=notes)
        return [joined, *(item for item in found if isinstance(item, Missing))]

    return make


def _make_structures(collection: Collection, states: States) -> list[Sheet | Missing]:
    found = read_sheets(collection, KINDS["structure"], states)
    sheets = [item for item in found if isinstance(item, Sheet)]
    rest = [item for item in found if isinstance(item, Missing)]
    return [*([join_structures(sheets)] if sheets else []), *rest]


def _label(table: SheetTable, label: str) -> SheetTable:
    if table.columns[0] == "snapshot":
        return table
    return replace(table, columns=["snapshot", *table.columns], rows=[[label, *row] for row in table.rows])


def _make_truth(collection: Collection, states: States) -> list[Sheet | Missing]:
    """One sentence for all comparisons with the truth, above the table of them."""
    found = _one_table("truth", "Found beside the truth")(collection, states)
    sheets = [item for item in found if isinstance(item, Sheet)]
    if not sheets:
        return found
    through = [
        item for item in read_sheets(collection, KINDS["alignment"], states) if isinstance(item, Sheet)
    ]
    rows = [row for sheet in (*sheets, *through) for row in sheet.tables[0].rows]
    exact = [row for row in rows if row[1] in ("nodes", "arcs")]
    differ = [row for row in exact if row[-1] != "equal"]
    months = len({row[0] for row in exact})
    arcs = sum(row[2] for row in exact if row[1] == "arcs" and row[2])
    text = "This web is made up, so what is true of it is known. "
    if differ:
        text += f"{len(differ)} of {len(exact)} comparisons of nodes and arcs differ; the table has them."
    else:
        text += (
            f"In all {months} snapshots the nodes and arcs that were found are those of the truth, and no "
            f"other; {arcs:,} arcs were compared."
        )
    if through:
        text += _tell_alignment(rows)
    rest = [item for item in found if isinstance(item, Missing)]
    table = replace(sheets[0].tables[0], rows=sorted(rows, key=lambda row: row[0]))
    return [replace(sheets[0], text=[text], tables=[table]), *rest]


def _tell_alignment(rows: list[list[Any]]) -> str:
    hosts = [row for row in rows if row[1].startswith("hosts in common")]
    pages = [row for row in rows if row[1].startswith("pages in common")]
    right = sum(row[2] - row[5] for row in pages)
    differ = sum(row[-1] != "equal" for row in hosts)
    text = f" Hosts that successive snapshots have in common differ in {differ} of {len(hosts)} pairs."
    if not differ:
        text = " The hosts that successive snapshots have in common are as many as in truth."
    return text + (
        f" Of their pages in common {right / max(sum(row[3] for row in pages), 1):.2%} are aligned, and "
        f"{right / max(sum(row[2] for row in pages), 1):.2%} of those that are aligned are the same page."
    )


def _make_overview(collection: Collection, states: States) -> list[Sheet | Missing]:
    """The snapshots and what they take, and which parts are stale."""
    rows: list[list[Any]] = []
    for snapshot in collection:
        records = list(snapshot.parts)
        pages = next((record.counts.get("nodes") for record in records if record.name == "pages"), None)
        arcs = next((record.counts.get("arcs") for record in records if record.name == "graph"), None)
        size = round(sum(record.bytes for record in records) / 1e6, 1)
        rows.append([snapshot.date, pages, arcs, len(records), size])
    if not rows:
        return [
            Missing(
                "snapshots", suggest_pages(collection.path, "2026-06").command, "pages may be ingested too"
            )
        ]
    tables = [SheetTable("Snapshots", ["snapshot", "nodes", "arcs", "parts", "MB"], rows)]
    stale = [[name, state.why, state.renew] for name, state in states.items() if state.is_stale]
    if stale:
        tables.append(SheetTable("Stale parts", ["part", "why", "renewed by"], stale))
    seconds: dict[str, float] = {}
    for name, state in states.items():
        part = name.rpartition("/")[2]
        seconds[part] = seconds.get(part, 0.0) + state.record.seconds
    times: list[list[Any]] = [[part, round(total, 2)] for part, total in seconds.items()]
    tables.append(SheetTable("Time that parts took to build", ["part", "seconds, all snapshots"], times))
    text = f"{len(rows)} snapshots, {sum(row[4] for row in rows):,.1f} MB, {len(states)} parts"
    text += f", {len(stale)} of them stale." if stale else ", all of them fresh."
    return [
        Sheet("collection", "What is there", [text], tables, command=Action.on(collection, "show").command)
    ]


CHAPTERS: dict[str, tuple[str, list[Make]]] = {
    "collection": ("The collection", [_make_truth, _make_overview]),
    "crawl": ("Crawl", [_of(make_crawls), _of(make_sweep)]),
    "store": ("Duplicates", [_one_table("duplicates", "Duplicates"), _kept(KINDS["near"])]),
    "graph": ("Graph", [_of(make_graphs), _make_structures]),
    "time": ("Time", [_of(make_times), _kept(KINDS["footprint"])]),
    "summaries": ("Summaries", [_kept(KINDS["summaries"])]),
    "rank": ("Ranks", [_kept(KINDS["plane"]), _kept(KINDS["trajectories"]), _kept(KINDS["lists"])]),
    "spectrum": ("Spectrum", [_of(make_spectra)]),
    "search": ("Search", [_of(make_index), _kept(KINDS["changes"]), _kept(KINDS["evaluation"])]),
    "classify": ("Classification", [_of(make_features), _kept(KINDS["experiment"])]),
    "simulate": ("Simulated crawls", [_of(make_harvests), _kept(KINDS["pace"])]),
}
"""Each chapter by its name, with its title and what makes its sheets."""
