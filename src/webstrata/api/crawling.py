"""Methods of a snapshot about its crawl: start it, ask how it stands, control it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from webstrata.api.parts import SnapshotParts

if TYPE_CHECKING:
    from collections.abc import Iterable
    from os import PathLike
    from typing import Unpack

    from webstrata.api.snapshot import Snapshot
    from webstrata.collection.progress import Progress
    from webstrata.collection.tables import TableList
    from webstrata.crawl.control import Client
    from webstrata.crawl.given_up import GivenUpList
    from webstrata.crawl.report import CrawlReport
    from webstrata.crawl.results import CrawlResult
    from webstrata.crawl.status import CrawlStatus
    from webstrata.keywords import CrawlKeywords
    from webstrata.simulate.revisits import RevisitOutcome


class Crawling(SnapshotParts):
    """The verbs ``crawl`` and ``crawl …`` of a snapshot."""

    def crawl(
        self,
        *,
        seeds: str | PathLike[str] | Iterable[str] | None = None,
        limit: int | None = None,
        invitro: str | None = None,
        invitro_seed: int = 0,
        month: int = 0,
        log: str | PathLike[str] | None = None,
        gate: str | PathLike[str] | None = None,
        gate_links: bool = True,
        control: str | None = None,
        control_token: str | PathLike[str] | None = None,
        again: bool = False,
        parse_pages: bool = True,
        progress: Progress | None = None,
        **settings: Unpack[CrawlKeywords],
    ) -> CrawlResult:
        """Crawl a piece of the web into this snapshot, from seeds (URLs, or a file) or a synthetic web.

        Examples
        --------
        >>> from webstrata import testing
        >>> june = testing.empty().add("2026-06")
        >>> june.crawl(invitro="tiny", limit=20, user_agent="me/1.0 (+https://example.org/me)").pages
        20
        """
        from webstrata.crawl.control.listener import open_listener
        from webstrata.pipeline.crawl_snapshot import crawl_snapshot

        options: dict[str, Any] = {**settings} if limit is None else {**settings, "max_pages": limit}
        with open_listener(control, control_token) as listener:
            return crawl_snapshot(
                self.collection,  # type: ignore[arg-type]  # that of `webstrata.api`
                self.date,
                seeds=seeds,
                invitro=invitro,
                invitro_seed=invitro_seed,
                month=month,
                log=log,
                gate=gate,
                gate_links=gate_links,
                again=again,
                parse_pages=parse_pages,
                options=options,
                listener=listener,
                progress=progress,
            )

    def crawl_status(self, *, at: str | None = None, token: str | PathLike[str] | None = None) -> CrawlStatus:
        """How the running crawl stands: state, counters, rates, settings."""
        from webstrata.crawl.status import CrawlStatus

        with self._connect(at, token) as client:
            return CrawlStatus(client.status())

    def crawl_pause(self, *, at: str | None = None, token: str | PathLike[str] | None = None) -> str:
        """Start no more visits in the running crawl until `crawl_resume`; its state."""
        with self._connect(at, token) as client:
            return client.pause()

    def crawl_resume(self, *, at: str | None = None, token: str | PathLike[str] | None = None) -> str:
        """Resume a paused crawl; its state."""
        with self._connect(at, token) as client:
            return client.resume()

    def crawl_stop(
        self, *, now: bool = False, at: str | None = None, token: str | PathLike[str] | None = None
    ) -> str:
        """Stop the running crawl after the visits under way, or without them; its state."""
        with self._connect(at, token) as client:
            return client.stop(now=now)

    def crawl_flush(self, *, at: str | None = None, token: str | PathLike[str] | None = None) -> int:
        """Write the files of the running crawl to disk; how many captures they have."""
        with self._connect(at, token) as client:
            return client.flush()

    def crawl_set(
        self, name: str, value: object, *, at: str | None = None, token: str | PathLike[str] | None = None
    ) -> object:
        """Change a setting of the running crawl; its new value."""
        with self._connect(at, token) as client:
            return client.set(name, value)

    def crawl_blacklist(
        self, what: str, *, at: str | None = None, token: str | PathLike[str] | None = None
    ) -> str:
        """Send no more requests to a host or an address in the running crawl."""
        with self._connect(at, token) as client:
            return client.blacklist(what)

    def crawl_retry(self, *hosts: str, classes: Iterable[str] = (), list: bool = False) -> GivenUpList:
        """Retry hosts that the crawl has given up, in its next run; with `list`, only list them."""
        from webstrata.crawl.given_up import GivenUpList, retry_hosts

        return GivenUpList(retry_hosts(self, hosts, classes, only_list=list))

    def crawl_result(self) -> CrawlReport:
        """What is known about its crawl, ended or running: counters, series, hosts; with tables and figures.

        Examples
        --------
        >>> from webstrata import testing
        >>> june = testing.empty().add("2026-06")
        >>> _ = june.crawl(invitro="tiny", limit=20, user_agent="me/1.0 (+https://example.org/me)")
        >>> june.crawl_result().result.pages
        20
        """
        from webstrata.crawl.report import read_report

        return read_report(self)

    def crawl_report(self, output: str | PathLike[str] | None = None) -> Path:
        """Write the crawl as one HTML page with plots; where it is."""
        from webstrata.crawl.report import read_report
        from webstrata.serve.figures.crawl import write_report

        path = Path(output) if output else self.working_folder("crawl") / "report.html"
        write_report(read_report(self), path)
        return path

    def simulate_revisits(
        self,
        *,
        policies: Iterable[str] = ("greedy", "uniform", "proportional", "adaptive"),
        budget: float | str = "0.2/page/day",
        days: float = 60.0,
        seed: int = 0,
        progress: Progress | None = None,
    ) -> TableList[RevisitOutcome]:
        """How fresh policies of revisits keep its pages at the same budget, by their change rates so far."""
        from webstrata.simulate.stored_revisits import simulate_revisits

        return simulate_revisits(
            cast("Snapshot", self), policies=policies, budget=budget, days=days, seed=seed, progress=progress
        )

    def _connect(self, at: str | None, token: str | PathLike[str] | None) -> Client:
        from webstrata.crawl.control.client import find_crawl

        return find_crawl(self, at, token)
