"""Simulated crawls of a snapshot."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from webstrata.collection.declarations import SnapshotPart
from webstrata.simulate.settings import SimulateSettings

if TYPE_CHECKING:
    from webstrata.collection.progress import Progress
    from webstrata.simulate.harvest import Harvest


def _build(snapshot: Any, settings: SimulateSettings, *, workers: int, progress: Progress) -> None:  # noqa: ANN401
    from webstrata.simulate.run import Simulation

    Simulation(snapshot, settings, progress=progress).build()


def _open(snapshot: Any) -> Harvest:  # noqa: ANN401 (that of `webstrata.api`)
    from webstrata.simulate.harvest import Harvest

    with snapshot.open_part("simulation") as part:
        return Harvest.read(part.path)


def _refuse(_snapshot: Any, settings: SimulateSettings) -> str:  # noqa: ANN401
    if settings.relevant != "all":
        return ""
    return "no relevant pages are named; set `relevant` in [simulate], as `query:WORDS`"


SIMULATION = SnapshotPart(
    "simulation",
    "Simulate crawls of the newest snapshot.",
    inputs=("graph",),
    optional=("summaries", "truth"),
    settings=SimulateSettings,
    build=_build,
    open=_open,
    stage="simulate",
    snapshots="newest",
    refuse=_refuse,
)
