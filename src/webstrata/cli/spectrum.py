"""webstrata spectrum: the spectrum of the Google matrix at α = 1."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from webstrata.cli.options import json_option, options, plots_option
from webstrata.cli.output import TerminalProgress, show_json, show_table, show_warnings
from webstrata.errors import UsageError
from webstrata.rank.spectra.settings import SpectrumSettings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from webstrata.rank.spectra import Spectrum

_SHOWN = 10


@click.command("spectrum", epilog="Example: webstrata spectrum uk 2026-06 --inverse --arnoldi 6000")
@click.argument("place", metavar="COLLECTION|BASENAME")
@click.argument("label", metavar="[SNAPSHOT]", required=False)
@click.option(
    "--output",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="FOLDER",
    help="Write the data there, as Parquet and JSON; of BVGraph files, a run broken off is kept there too.",
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
    its part `spectrum`, or `spectrum-inverse`, of hosts `spectrum-host`; a run that is broken off goes on
    with the same command.
    """
    if plots:
        # a missing extra is better said before a long computation than after it
        from webstrata.serve.figures.style import load_altair

        load_altair()
    progress = TerminalProgress()
    name = f"{place} {label}" if label else place
    found, names = (
        _of_snapshot(place, label, spectrum_options, progress)
        if label is not None
        else _of_files(place, spectrum_options, output, progress)
    )
    if output:
        from webstrata.collection.files import explained

        with explained(output, "make the folder"):
            output.mkdir(parents=True, exist_ok=True)
        found.write(output)
    paths = _draw(found, name, plots) if plots else []
    if as_json:
        document = {"graph": name} | found.to_json() | {"plots": [str(path) for path in paths]}
        for vector in document["vectors"]:
            for row in vector["nodes"]:
                if row["node"] < len(names):
                    row["url"] = names[row["node"]]
        show_json(document)
        return
    _show(found, name, names)
    show_warnings(found.warnings)
    if paths:
        click.echo(f"\nPictures: {paths[-1]} shows all {len(paths) - 1} of them.")


def _of_snapshot(
    place: str, label: str, chosen: Mapping[str, object], progress: TerminalProgress
) -> tuple[Spectrum, Sequence[str]]:
    from webstrata.api import Collection
    from webstrata.rank.spectra.build import build_spectrum
    from webstrata.rank.stored import RankedGraph

    snapshot = Collection.open(place)[label]
    settings = snapshot.settings(SpectrumSettings, chosen)
    found = build_spectrum(snapshot, settings, progress=progress)
    return found, RankedGraph(snapshot, settings.level).names or ()


def _of_files(
    place: str, chosen: Mapping[str, object], output: Path | None, progress: TerminalProgress
) -> tuple[Spectrum, Sequence[str]]:
    from webstrata.graph.view import Graph
    from webstrata.rank.spectra import spectrum

    if Path(place).is_dir():
        raise UsageError(
            f"{place}: this is a folder; name a snapshot of the collection too, or the basename of a graph"
        )
    settings = SpectrumSettings.read(options=chosen)
    if settings.level != "page":
        raise UsageError(f"level: {place} has no {settings.level}s; name a snapshot of a collection")
    graph = Graph.open(place, progress=progress)
    transpose = None
    if Path(f"{place}-t.properties").is_file():  # the name that WebGraph's users give it
        other = Graph.open(f"{place}-t", progress=progress)
        if (other.num_nodes, other.num_arcs) == (graph.num_nodes, graph.num_arcs):
            transpose = other
    folder = output / ".arnoldi" if output else None
    found = spectrum(graph, settings, transpose=transpose, folder=folder, progress=progress)
    if folder and folder.is_dir() and not any(folder.iterdir()):
        folder.rmdir()
    return found, ()


def _draw(found: Spectrum, name: str, folder: Path) -> list[Path]:
    from webstrata.serve.figures.spectrum import draw_spectrum
    from webstrata.serve.figures.style import write_figures

    text = "; ".join(f"{what} = {number:,}" for what, number in found.table().items()) + "."
    text = " ".join([text, *(f"Warning: {sentence}." for sentence in found.warnings)])
    return write_figures(draw_spectrum(found, name), folder, page="spectrum", title=name, text=text)


def _show(found: Spectrum, name: str, names: Sequence[str]) -> None:
    table = found.table()
    matrix = "G*" if found.is_inverse else "G"
    click.echo(f"{name}: {matrix} at α = 1 (eigenvalues on the circle within {found.tolerance:g})")
    show_table(list(table), [list(table.values())])
    if not len(found.nodes):
        click.echo(
            "There are no invariant subspaces: every node reaches a dangling one, or a large closed set."
        )
    if not found.core_size:
        click.echo("There is no core: every node is in a subspace.")
        return
    click.echo(
        f"\nCore: {_spaced(found.core_size)} nodes, {_spaced(found.rows)} rows when equal columns are one; "
        f"{_spaced(found.num_converged)} of {_spaced(len(found.core))} values have a residual below 1e-06"
    )
    columns = ["eigenvalue", "residual", "extent"]
    vectors = [vector for vector in found.vectors if vector.is_converged][:_SHOWN]
    rows: list[list[object]] = [
        [_number(vector.value), f"{vector.residual:.1e}", f"{vector.extent:.1f}"] for vector in vectors
    ]
    if len(names):
        columns += ["hosts", "words"]
        for row, vector in zip(rows, vectors, strict=True):
            row += [_told(vector.community.hosts), _told(vector.community.words)]
    for row, vector in zip(rows, vectors, strict=True):
        top = int(vector.nodes[0])
        row.append(names[top] if top < len(names) else top)
    if rows:
        show_table([*columns, "largest at"], rows)
    open_ones = [vector for vector in found.vectors if not vector.is_converged][:_SHOWN]
    if open_ones:
        click.echo("\nNot converged: approximations that may be far from any eigenvalue")
        show_table(
            ["approximation", "residual"],
            [[_number(vector.value), f"{vector.residual:.1e}"] for vector in open_ones],
        )


def _number(value: complex) -> str:
    return f"{value.real:.9f}" + (f" ± {abs(value.imag):.9f}i" if value.imag else "")


def _told(pairs: Sequence[tuple[str, float]], most: int = 2) -> str:
    return " ".join(f"{name} {100 * share:.0f}%" for name, share in pairs[:most] if share >= 0.005)


def _spaced(number: Any) -> str:  # noqa: ANN401
    return f"{number:,}".replace(",", " ")
