"""The parts `spectrum` and `spectrum-inverse` of a snapshot: the spectra of G and G* of its graph.

Of the graphs of hosts and of domains, they are `spectrum-host`, `spectrum-host-inverse` and so on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from webstrata.collection.settings import ResourcesSettings
from webstrata.rank.spectra.result import Spectrum, open_spectrum
from webstrata.rank.spectra.settings import SpectrumSettings
from webstrata.rank.spectra.solve import spectrum
from webstrata.rank.stored import RankedGraph

if TYPE_CHECKING:
    from webstrata.collection import Snapshot
    from webstrata.collection.progress import Progress

PART = "spectrum"


def part_name(settings: SpectrumSettings) -> str:
    """The name of the part.

    Examples
    --------
    >>> part_name(SpectrumSettings(inverse=True)), part_name(SpectrumSettings(level="host"))
    ('spectrum-inverse', 'spectrum-host')
    """
    name = PART if settings.level == "page" else f"{PART}-{settings.level}"
    return f"{name}-inverse" if settings.inverse else name


def build_spectrum(
    snapshot: Snapshot,
    settings: SpectrumSettings | None = None,
    *,
    workers: int | None = None,
    progress: Progress | None = None,
) -> Spectrum:
    """The spectrum of a snapshot's graph: the stored one if it was made so, else a new one, which is stored.

    A build that is broken off keeps the steps of Arnoldi's method that it made, and the next goes on there.

    Parameters
    ----------
    snapshot
        With the part `graph`.
    settings
        How it is found; as the files say where not given.
    workers
        Threads; as ``[resources]`` says where not given.
    progress
        Where it reports.

    Examples
    --------
    >>> import webstrata as ws
    >>> build_spectrum(ws.create(getfixture("tmp_path") / "uk").add("2026-06"))
    Traceback (most recent call last):
    webstrata.errors.MissingError: ...2026-06: there is no part graph (parts: none yet); `webstrata
    graph build ...` makes it
    """
    settings = settings or snapshot.settings(SpectrumSettings)
    workers = workers or snapshot.settings(ResourcesSettings).num_workers
    name = part_name(settings)
    inputs = {f"{snapshot.label}/graph": snapshot.parts.record("graph").checksum}
    if kept := snapshot.parts.open_made(name, settings.to_dict(), inputs):
        with kept:
            return open_spectrum(kept.path)
    command = f"webstrata spectrum {{collection}} {{snapshot}}{settings.to_options()}"
    with snapshot.build(
        name, settings=settings, inputs=("graph",), renew=command, progress=progress
    ) as build:
        held = RankedGraph(snapshot, settings.level)
        found = spectrum(
            held.graph,
            settings,
            transpose=held.graph.transpose(),
            names=held.names or (),
            # what is there is kept by a build that comes to no end
            folder=build.folder / "shards" / "arnoldi",
            workers=workers,
            progress=progress,
        )
        found.write(build.path)
        table = found.table()
        build.count(
            subspaces=table["N_d"], subspace_nodes=table["N_s"], ones=table["N_1"], arnoldi=table["n_A"]
        )
    return found
