"""What there is to tell about a crawl, ended or running, as data; `serve.figures.crawl` makes a page of it.

A crawl that has ended leaves ``crawl/crawl.json``: ``settings`` that were in force at its end, ``changes``
made while it ran, ``end`` and ``seconds``, and all ``counters`` (`webstrata.crawl.results`); beside it lies
the series (`webstrata.crawl.series`). Its largest hosts are counted in the part ``pages``.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from webstrata.collection.files import explained
from webstrata.collection.tables import FactsTable, Rows, Table, TableList
from webstrata.crawl.control import connect
from webstrata.crawl.given_up import GivenUp, read_given_up
from webstrata.crawl.results import FILE as RESULT
from webstrata.crawl.results import REASONS, CrawlResult
from webstrata.crawl.series import FILE as SERIES
from webstrata.crawl.series import read_series
from webstrata.crawl.skip_reasons import read_cuts
from webstrata.errors import FormatError, MissingError
from webstrata.web.dust import Rule

if TYPE_CHECKING:
    from pathlib import Path

    from webstrata.collection import Snapshot


@dataclass(frozen=True, repr=False)
class CrawlReport(FactsTable):
    """A crawl, told.

    Attributes
    ----------
    title, snapshot
        The name of the collection, and the label.
    result
        How it ended, and what was counted; of a crawl that still runs, so far.
    state
        ``ended``, or what a crawl that runs is doing.
    settings, changes
        What it obeyed, and what was changed meanwhile.
    rows
        Its series.
    hosts
        Pages by host, the largest first.
    given_up
        Hosts that were given up.
    """

    title: str
    snapshot: str
    result: CrawlResult
    state: str = "ended"
    settings: dict[str, Any] = field(default_factory=dict)
    changes: list[dict[str, Any]] = field(default_factory=list)
    rows: list[dict[str, Any]] = field(default_factory=list)
    hosts: list[tuple[str, int]] = field(default_factory=list)
    given_up: list[GivenUp] = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        """As plain data, without the series."""
        return {
            "title": self.title,
            "snapshot": self.snapshot,
            "state": self.state,
            "ending": self.ending,
            **self.result.to_dict(),
            "settings": self.settings,
            "changes": self.changes,
            "hosts": [{"host": host, "pages": pages} for host, pages in self.hosts],
            "given_up": [host.to_dict() for host in self.given_up],
        }

    def tables(self) -> dict[str, Table]:
        """Those of the result, the series, pages by host, and hosts that were given up."""
        hosts = [{"host": host, "pages": pages} for host, pages in self.hosts]
        return {
            **self.result.tables(),
            "Series": Rows("series", self.rows),
            "Hosts": Rows("hosts", hosts),
            "Given up": TableList(self.given_up),
        }

    @property
    def ending(self) -> str:
        """How it ended, in words.

        Examples
        --------
        >>> CrawlReport("uk", "2026-06", CrawlResult("stopped", 1.0)).ending
        'stopped on request'
        >>> CrawlReport("uk", "2026-06", CrawlResult("", 1.0), state="paused").ending
        'it has not ended, and is paused'
        """
        if self.state != "ended":
            return f"it has not ended, and is {self.state}"
        return REASONS.get(self.result.end, self.result.end)


def read_report(snapshot: Snapshot) -> CrawlReport:
    """The report of the crawl of `snapshot`: of the one that runs, or of the last that ended.

    Examples
    --------
    >>> from webstrata import testing
    >>> snapshot = testing.empty().add("2026-06")
    >>> folder = snapshot.working_folder("crawl")
    >>> folder.mkdir()
    >>> _ = (folder / "crawl.json").write_text('{"end": "exhausted", "seconds": 2, "counters": {"pages": 7}}')
    >>> report = read_report(snapshot)
    >>> report.result.pages, report.ending, report.hosts
    (7, 'no URLs left to fetch', [])
    """
    path = snapshot.working_folder("crawl") / RESULT
    rows = _read_rows(snapshot.working_folder("crawl") / SERIES)
    if path.exists():
        found = _read_result(path)
        cuts, rules = read_cuts(found.get("cuts", [])), [Rule(**rule) for rule in found.get("rules", [])]
        counters, gate = dict(found["counters"]), dict(found.get("gate", {}))
        result = CrawlResult(
            str(found["end"]), float(found["seconds"]), counters, cuts=cuts, rules=rules, gate=gate
        )
        state = "ended"
    else:
        with connect(snapshot) as client:
            found = client.status()
        cuts = read_cuts(found.get("cuts", []))
        result = CrawlResult("", found["seconds"], found["counters"], cuts=cuts)
        state = found["state"]
    return CrawlReport(
        title=snapshot.collection.title,
        snapshot=snapshot.date,
        result=result,
        state=state,
        settings=dict(found.get("settings", {})),
        changes=list(found.get("changes", [])),
        rows=rows,
        hosts=count_hosts(snapshot),
        given_up=read_given_up(snapshot.working_folder("crawl")),
    )


def count_hosts(snapshot: Snapshot) -> list[tuple[str, int]]:
    """Pages of each host in the part ``pages``, the largest first; none where there is no such part.

    Examples
    --------
    >>> from webstrata import testing
    >>> count_hosts(testing.snapshot())[:2]
    [('reef.example', 4), ('garden.example', 3)]
    """
    import pyarrow.compute as pc

    from webstrata.store.pages import Pages

    try:
        part = snapshot.open_part("pages")
    except MissingError:
        return []
    with part:
        hosts = Pages(part.path).table("url_host_name")["url_host_name"]
        counted = pc.value_counts(hosts.combine_chunks())
    pairs = zip(counted.field("values").to_pylist(), counted.field("counts").to_pylist(), strict=True)
    return sorted(((str(host), int(pages)) for host, pages in pairs), key=lambda pair: (-pair[1], pair[0]))


def _read_rows(path: Path) -> list[dict[str, Any]]:
    return read_series(path) if path.exists() else []


def _read_result(path: Path) -> dict[str, Any]:
    with explained(path, "read"):
        text = path.read_bytes()
    try:
        found = json.loads(text)
        if not isinstance(found, dict) or not {"end", "seconds", "counters"} <= found.keys():
            raise ValueError("it lacks end, seconds or counters")
    except ValueError as error:
        raise FormatError(
            f"{path}: this is no report of a crawl ({error}); restore it from a copy, or crawl again"
        ) from None
    return found
