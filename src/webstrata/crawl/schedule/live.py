"""A crawl of one snapshot on a schedule: from the cut before it to its own.

The engine is that of every crawl (`webstrata.crawl.run`), told that URLs it has not seen are to be
reported rather than queued. Every tenth of a second the schedule hands out visits and hears how others
ended. At the cut no more visits are handed out, those under way end, and the snapshot is built.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from webstrata.crawl.fetchers import merge_fetched
from webstrata.crawl.recovery import CAPTURES
from webstrata.crawl.run import Crawl
from webstrata.crawl.schedule.cuts import prepare_cut
from webstrata.crawl.schedule.pages import GONE
from webstrata.crawl.schedule.settings import BASES
from webstrata.store.main_content.dom import load_rules
from webstrata.store.pages import scan_captures

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    import numpy as np

    from webstrata._core.crawl import Engine
    from webstrata.collection import Snapshot
    from webstrata.crawl.filters import Filter
    from webstrata.crawl.schedule.schedule import Schedule
    from webstrata.crawl.settings import CrawlSettings

_NO_LIMIT = float(2**32 - 1)


class ScheduledCrawl(Crawl):
    """A crawl whose visits a schedule decides, until a moment of the web's clock.

    Parameters
    ----------
    snapshot, settings
        As of every crawl.
    schedule
        What is visited when.
    until
        Seconds since 1970 on the schedule's clock at which the snapshot is cut.
    follow
        Called now and then, so that changed settings come into force.
    more
        What every crawl takes.
    """

    def __init__(
        self,
        snapshot: Snapshot,
        settings: CrawlSettings,
        *,
        schedule: Schedule,
        until: float,
        follow: Callable[[], None] | None = None,
        **more: Any,  # noqa: ANN401
    ) -> None:
        super().__init__(snapshot, settings, waits=True, **more)
        self.schedule, self.until, self.follow = schedule, until, follow
        self._is_cut = False
        self._notices = self._exchange
        self._sources = self._prepare_cut

    def _given(self) -> list[tuple[str, int, str | None]]:
        self.schedule.add(super()._given())
        self._recover()
        return []

    def _recover(self) -> None:
        """Tell the schedule of visits that an earlier run stored and did not live to note."""
        path = self.folder / CAPTURES
        if path.is_file():
            for table in scan_captures(path):
                seconds = table["time"].cast(pa.int64()).to_numpy() // 1_000_000
                self.schedule.recover(table["url"].to_pylist(), seconds)

    def _exchange(self, engine: Engine) -> Iterable[Any]:
        ended, rest = [], []
        for notice in engine.notices():
            if notice[0] == "visited":
                ended.append(notice[1:])
            elif notice[0] == "found":
                self.schedule.add(notice[1])
            else:
                rest.append(notice)
                if notice[0] == "closed":
                    self.schedule.close_host(notice[1])
        self.schedule.note(ended)
        if self.follow is not None:
            self.follow()
        if self.control is None or self.control.state != "running" or self._is_cut:
            return rest
        if self.schedule.clock.now() >= self.until:
            self._is_cut = True
            engine.finish()
        elif visits := self.schedule.step():
            engine.visit(visits)
        return rest

    def configuration(self) -> dict[str, Any]:
        """The configuration of the core."""
        return super().configuration() | self.schedule.clock.to_core() | {"contents": load_rules()}

    def _live(self, settings: CrawlSettings, filters: dict[str, Filter | None]) -> dict[str, Any]:  # type: ignore[override]
        told = super()._live(settings, filters)
        numbers = dict(told["numbers"])
        numbers |= {
            "scheduled": 1.0,
            "basis": float(BASES.index(self.schedule.settings.basis)),
            # the engine counts visits, of which a page may have many
            "max_pages_per_host": _NO_LIMIT,
            "max_pages_per_pattern": 0.0,
        }
        return told | {"numbers": list(numbers.items())}

    def _prepare_cut(self, folder: Path) -> Path:
        pages = self.schedule.pages

        def is_gone(urls: list[str]) -> np.typing.NDArray[np.bool_]:
            rows = pages.find(urls)
            found: np.typing.NDArray[np.bool_] = (rows >= 0) & ((pages.state["flags"][rows] & GONE) != 0)
            return found

        return prepare_cut(self.snapshot, merge_fetched(folder), is_gone)
