"""The parts `spectrum` and `spectrum-inverse` of a snapshot: the spectra of G and G* of its graph.

Of the graphs of hosts and of domains, they are `spectrum-host`, `spectrum-host-inverse` and so on.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from webstrata.collection.settings import ResourcesSettings
from webstrata.rank.spectra.communities import Community
from webstrata.rank.spectra.part import part_name
from webstrata.rank.spectra.result import Spectrum, open_spectrum
from webstrata.rank.spectra.settings import SpectrumSettings
from webstrata.rank.spectra.solve import spectrum
from webstrata.rank.stored import RankedGraph
from webstrata.store.hiding import Hidden

if TYPE_CHECKING:
    from webstrata.collection import Snapshot
    from webstrata.collection.progress import Progress


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
    >>> from webstrata import testing
    >>> snapshot = testing.snapshot()
    >>> build_spectrum(snapshot, SpectrumSettings(bound=0.6)).table()["N_s"]
    3
    >>> "spectrum" in snapshot.parts
    True
    """
    settings = settings or snapshot.settings(SpectrumSettings)
    workers = workers or snapshot.settings(ResourcesSettings).num_workers
    name = part_name(settings.level, inverse=settings.inverse)
    inputs = {f"{snapshot.date}/graph": snapshot.parts.record("graph").checksum}
    if kept := snapshot.parts.open_made(name, settings.to_dict(), inputs, heeded=settings.names_of_result()):
        with kept:
            return _name_nodes(open_spectrum(kept.path), snapshot, settings.level)
    with snapshot.write_part(name, settings=settings, inputs=("graph",), progress=progress) as build:
        held = RankedGraph(snapshot, settings.level, shown=False)
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
    return _name_nodes(found, snapshot, settings.level)


def read_spectrum(snapshot: Snapshot, level: str = "page", *, inverse: bool = False) -> Spectrum:
    """The spectrum that a snapshot has, with the names of its nodes.

    Examples
    --------
    >>> from webstrata import testing
    >>> snapshot = testing.snapshot()
    >>> _ = build_spectrum(snapshot, SpectrumSettings(bound=0.6))
    >>> read_spectrum(snapshot).names[0]
    'http://garden.example/'
    """
    with snapshot.open_part(part_name(level, inverse=inverse)) as part:
        return _name_nodes(open_spectrum(part.path), snapshot, level)


def _name_nodes(found: Spectrum, snapshot: Snapshot, level: str) -> Spectrum:
    """A spectrum with the names of nodes, which does not name what was taken down, or words of such pages."""
    found = replace(found, names=RankedGraph(snapshot, level).names or ())
    hidden = Hidden(snapshot.collection)
    if not hidden:
        return found
    vectors = []
    for vector in found.vectors:
        hosts = tuple(pair for pair in vector.community.hosts if not hidden.has_host(pair[0]))
        is_whole = len(hosts) == len(vector.community.hosts)
        community = Community(hosts, vector.community.words if is_whole else ())
        vectors.append(replace(vector, community=community))
    return replace(found, vectors=tuple(vectors))
