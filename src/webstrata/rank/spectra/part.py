"""The spectra of a snapshot's graph."""

from __future__ import annotations

from typing import TYPE_CHECKING

from webstrata.collection.action import Action
from webstrata.collection.declarations import SnapshotPart
from webstrata.rank.settings import LEVELS
from webstrata.rank.spectra.settings import SpectrumSettings

if TYPE_CHECKING:
    from webstrata.collection import Snapshot
    from webstrata.collection.progress import Progress

PART = "spectrum"
MAX_SPECTRUM = 3_000_000
"""Nodes up to which ``run`` finds a spectrum where no file has settings for it."""
MAX_SPECTRA = 300_000
"""Nodes up to which it finds that of the oldest snapshot too."""


def part_name(level: str, *, inverse: bool) -> str:
    """The name of the part.

    Examples
    --------
    >>> part_name("page", inverse=True), part_name("host", inverse=False)
    ('spectrum-inverse', 'spectrum-host')
    """
    name = PART if level == "page" else f"{PART}-{level}"
    return f"{name}-inverse" if inverse else name


def _build(snapshot: Snapshot, settings: SpectrumSettings, *, workers: int, progress: Progress) -> None:
    from webstrata.rank.spectra.build import build_spectrum

    build_spectrum(snapshot, settings, workers=workers, progress=progress)


def _count_nodes(snapshot: Snapshot) -> int:
    return snapshot.parts.record("graph").counts.get("nodes", 0) if "graph" in snapshot.parts else 0


def _is_wanted(snapshot: Snapshot, _settings: SpectrumSettings) -> bool:
    return _count_nodes(snapshot) <= MAX_SPECTRA or snapshot.date == snapshot.collection.dates[-1]


def _refuse(snapshot: Snapshot, settings: SpectrumSettings) -> str:
    nodes = _count_nodes(snapshot)
    # a new collection.toml has tables in which nothing is set
    files = snapshot.collection.settings_files(SpectrumSettings.table, snapshot)
    if nodes <= MAX_SPECTRUM or any(table for _, table in files):
        return ""
    name = part_name(settings.level, inverse=settings.inverse)
    action = Action("build", str(snapshot.collection.path), snapshot.date, (name,))
    return f"{nodes:,} nodes take long; set options in [spectrum], or run `{action.command}`"


SPECTRA = tuple(
    SnapshotPart(
        part_name(level, inverse=inverse),
        f"Compute the spectrum of the {level} graph's {'G*' if inverse else 'G'}.",
        inputs=("graph",),
        settings=SpectrumSettings,
        fixed={"level": level, "inverse": inverse},
        build=_build,
        stage="spectrum",
        snapshots="ends",
        widened_by="spectra",
        on_demand=level != "page",
        wanted=_is_wanted,
        refuse=_refuse,
    )
    for level in LEVELS
    for inverse in (False, True)
)
