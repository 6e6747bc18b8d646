"""A core that only remembers what it was told."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webstrata.crawl.settings import CrawlSettings


class Core:
    """What a `Control` needs of a core that cannot change while it runs."""

    def __init__(self) -> None:
        self.numbers = {"pages": 0, "requests": 0, "bytes": 0, "front": 3, "status_2xx": 0}
        self.told: list[tuple[object, ...]] = []

    def counters(self) -> dict[str, int]:
        return dict(self.numbers)

    def cuts(self) -> list[tuple[str, int, list[str]]]:
        return []

    def shortage(self) -> None:
        """The disk has room."""

    def pause(self, is_paused: bool) -> None:  # noqa: FBT001 (as the core has it)
        self.told.append(("pause", is_paused))

    def stop(self, is_now: bool) -> None:  # noqa: FBT001
        self.told.append(("stop", is_now))


class LiveCore(Core):
    """A core that can."""

    def change(self, settings: CrawlSettings) -> None:
        self.told.append(("change", settings))

    def is_over(self) -> bool:
        return False

    def flush(self, seconds: float) -> int | None:
        self.told.append(("flush",))
        return self.numbers["pages"] if seconds > 1 else None

    def blacklist(self, text: str) -> None:
        self.told.append(("blacklist", text))


class Clock:
    """A clock that goes when it is told to."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now
