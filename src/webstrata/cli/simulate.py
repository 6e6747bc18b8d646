"""webstrata simulate: crawl a stored web again, on paper."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from webstrata.cli.options import collection_argument, json_option, options, plots_option
from webstrata.cli.output import TerminalProgress, show_json, show_table, show_warnings
from webstrata.collection.sentences import tell_count
from webstrata.simulate.settings import SimulateSettings

if TYPE_CHECKING:
    from webstrata.api import Collection
    from webstrata.collection.progress import Progress
    from webstrata.simulate.harvest import Harvest


@click.command(
    "simulate",
    epilog="Example: webstrata simulate uk 2026-06 --policy best-first,shark,random "
    "--relevant query:football --clock --runs 20 --plots pictures",
)
@collection_argument
@click.argument("label", metavar="SNAPSHOT")
@options(SimulateSettings)
@click.option("--name", default="", help="Keep the result as the part simulation-NAME. [simulation]")
@click.option(
    "--config",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Do again what a simulation.toml says; other options are stronger.",
)
@plots_option("simulation.html", "the curves")
@json_option
def command(
    collection: Collection,
    label: str,
    simulate_options: dict[str, object],
    name: str,
    *,
    config: Path | None,
    plots: Path | None,
    as_json: bool,
) -> None:
    """Simulate crawls of SNAPSHOT's pages, and compare what they bring in.

    Policies: best-first, breadth-first, depth-first, in-degree, learned, opic, oracle, pagerank, past,
    random, shark, or a class of yours. The graph is needed, and the summaries where text counts; a bundle
    has both. The result is a part of SNAPSHOT, with the configuration that does it again.
    """
    from webstrata.simulate.run import Simulation

    if plots:
        # a missing extra is better said before a long computation than after it
        from webstrata.serve.figures.style import load_altair

        load_altair()
    snapshot = collection[label]
    progress = TerminalProgress()
    if config is not None:
        simulate_options = _read(config, snapshot, progress) | {
            option: value for option, value in simulate_options.items() if value is not None
        }
    settings = snapshot.settings(SimulateSettings, simulate_options)
    harvest = Simulation(snapshot, settings, progress=progress).build(name)
    title = f"{collection.path} {label}"
    part = f"simulation-{name}" if name else "simulation"
    paths = _draw(harvest, title, plots) if plots else []
    if as_json:
        where = {"collection": str(collection.path), "snapshot": label, "part": part}
        show_json(where | harvest.to_dict() | {"plots": [str(path) for path in paths]})
        return
    _show(harvest, title, settings)
    show_warnings(harvest.warnings)
    click.echo(f"\nKept as {snapshot.path / part}; its simulation.toml does it again with --config.")
    if paths:
        click.echo(f"Pictures: {paths[-1]} shows all {len(paths) - 1} of them.")


def _read(path: Path, snapshot: object, progress: Progress) -> dict[str, object]:
    from webstrata.api import Snapshot
    from webstrata.simulate.configuration import differences
    from webstrata.simulate.harvest import read_configuration

    assert isinstance(snapshot, Snapshot)
    configuration = read_configuration(path)
    for sentence in differences(configuration, snapshot):
        progress.note(sentence)
    found: dict[str, object] = configuration["simulate"]
    return found


def _draw(harvest: Harvest, title: str, folder: Path) -> list[Path]:
    from webstrata.serve.figures.simulate import draw_harvest, make_table
    from webstrata.serve.figures.style import write_figures

    facts = harvest.facts
    text = (
        f"{facts['relevant']:,} of {tell_count(facts['pages'], 'page')} on "
        f"{tell_count(facts['hosts'], 'host')} are relevant "
        f"({harvest.configuration['simulate']['relevant']}); bands are of 95%."
    )
    text = " ".join([text, *(f"Warning: {sentence}." for sentence in harvest.warnings)])
    return write_figures(
        draw_harvest(harvest, title),
        folder,
        page="simulation",
        title=f"{title}: simulated crawls",
        text=text,
        above=make_table(harvest),
    )


def _show(harvest: Harvest, title: str, settings: SimulateSettings) -> None:
    facts = harvest.facts
    runs = f"{settings.runs} runs of" if settings.runs > 1 else "a run of"
    click.echo(
        f"{title}: {runs} up to {tell_count(facts['most'], 'page')}; {facts['relevant']:,} of "
        f"{facts['pages']:,} are "
        f"relevant.\n"
    )

    def shown(value: tuple[float, float]) -> str:
        mean, half = value
        return f"{mean:.4f}" + (f" ± {half:.4f}" if settings.runs > 1 else "")

    timed = ["time"] if settings.clock else []
    show_table(
        ["policy", "pages", *timed, "harvest rate", "recall", "mean recall", "hosts reached"],
        [
            [
                row.policy,
                round(row.pages),
                *([f"{row.seconds:,.0f} s"] if timed else []),
                *(shown(row.values[name]) for name in ("harvest", "recall", "area", "coverage")),
            ]
            for row in harvest.rows()
        ],
    )
