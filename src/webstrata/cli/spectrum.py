"""webstrata spectrum: the spectrum of the Google matrix at α = 1."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from webstrata.cli.options import (
    json_option,
    optional_snapshot_argument,
    options,
    place_argument,
    plots_option,
)
from webstrata.cli.output import TerminalProgress, draw, show, show_json, show_plots
from webstrata.cli.verb import verb
from webstrata.errors import UsageError
from webstrata.rank.spectra.settings import SpectrumSettings

if TYPE_CHECKING:
    from collections.abc import Mapping

    from webstrata.rank.spectra import Spectrum


@verb("spectrum", epilog="Example: webstrata spectrum uk 2026-06 --inverse --arnoldi 6000")
@place_argument
@optional_snapshot_argument
@click.option(
    "--output",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="FOLDER",
    help="Write the data there, as Parquet and JSON; of BVGraph files, an interrupted run is kept there too.",
)
@plots_option("spectrum.html")
@options(SpectrumSettings)
@json_option
def command(
    place: str,
    label: str | None,
    *,
    output: Path | None,
    plots: Path | None,
    spectrum_options: Mapping[str, object],
    as_json: bool,
) -> None:
    """Find the eigenvalues of the Google matrix at α = 1.

    Of the graph of SNAPSHOT, or of the BVGraph files of BASENAME: invariant subspaces, diagonalized exactly,
    and the core by Arnoldi's method, with the pages where leading eigenvectors live. Prints the row of
    table 2 of WIKI. The spectrum of SNAPSHOT is kept as
    its part `spectrum`, or `spectrum-inverse`, of hosts `spectrum-host`; run the same command to
    resume an interrupted run.
    """
    progress = TerminalProgress()
    name = f"{place} {label}" if label else place
    found = (
        _of_snapshot(place, label, spectrum_options, progress)
        if label is not None
        else _of_files(place, spectrum_options, output, progress)
    )
    if output:
        from webstrata.collection.files import explained

        with explained(output, "make the folder"):
            output.mkdir(parents=True, exist_ok=True)
        found.write(output)
    paths = draw(found, plots, page="spectrum", title=name)
    if as_json:
        show_json({"graph": name} | found.to_dict() | {"plots": [str(path) for path in paths]})
        return
    click.echo(f"{name}: {found.summary}\n")
    show(found)
    show_plots(paths)


def _of_snapshot(
    place: str, label: str, chosen: Mapping[str, object], progress: TerminalProgress
) -> Spectrum:
    from webstrata.api import Collection
    from webstrata.pipeline.steps import compute_spectrum

    return compute_spectrum(Collection.open(place)[label], chosen, progress=progress)


def _of_files(
    place: str, chosen: Mapping[str, object], output: Path | None, progress: TerminalProgress
) -> Spectrum:
    from webstrata.graph.files import open_with_transpose
    from webstrata.rank.spectra import spectrum

    if Path(place).is_dir():
        raise UsageError(
            f"{place}: this is a folder; name a snapshot of the collection too, or the basename of a graph"
        )
    settings = SpectrumSettings.read(options=chosen)
    if settings.level != "page":
        raise UsageError(f"level: {place} has no {settings.level}s; name a snapshot of a collection")
    graph, transpose = open_with_transpose(place, progress=progress)
    folder = output / ".arnoldi" if output else None
    found = spectrum(graph, settings, transpose=transpose, folder=folder, progress=progress)
    if folder and folder.is_dir() and not any(folder.iterdir()):
        folder.rmdir()
    return found
