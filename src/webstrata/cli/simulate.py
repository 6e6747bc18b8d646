"""webstrata simulate: crawl a stored web again, on paper."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from webstrata.cli.options import collection_argument, json_option, options, plots_option, snapshot_argument
from webstrata.cli.output import TerminalProgress, draw, show, show_json, show_plots
from webstrata.cli.verb import verb
from webstrata.simulate.settings import SimulateSettings

if TYPE_CHECKING:
    from webstrata.api import Collection
    from webstrata.collection.progress import Progress


@verb(
    "simulate",
    epilog="Example: webstrata simulate uk 2026-06 --policy best-first,shark,random "
    "--relevant query:football --clock --runs 20 --plots pictures",
)
@collection_argument
@snapshot_argument
@options(SimulateSettings)
@click.option("--name", default="", help="Keep the result as the part simulation-NAME. [simulation]")
@click.option(
    "--config",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Do again what a simulation.toml says; other options are stronger.",
)
@click.option(
    "--revisit",
    metavar="POLICIES",
    help="Compare policies of revisits instead: greedy, uniform, proportional, adaptive, nutch, known.",
)
@click.option("--budget", default="0.2/page/day", help="With --revisit: visits. [0.2/page/day]")
@click.option("--days", default=60.0, help="With --revisit: days, of which the second half counts. [60]")
@plots_option("simulation.html", "the curves")
@json_option
def command(
    collection: Collection,
    label: str,
    simulate_options: dict[str, object],
    name: str,
    revisit: str | None,
    budget: str,
    days: float,
    *,
    config: Path | None,
    plots: Path | None,
    as_json: bool,
) -> None:
    """Simulate crawls of SNAPSHOT's pages, and compare what they bring in.

    Policies: best-first, breadth-first, depth-first, in-degree, learned, opic, oracle, pagerank, past,
    random, shark, or your own class. The graph is needed, and the summaries where text counts; a bundle
    has both. The result is a part of SNAPSHOT, with the configuration that does it again.
    """
    from webstrata.pipeline.build import choose_settings, remember_settings
    from webstrata.simulate.run import Simulation

    snapshot = collection[label]
    progress = TerminalProgress()
    if revisit is not None:
        policies = [policy.strip() for policy in revisit.split(",")]
        found = snapshot.simulate_revisits(policies=policies, budget=budget, days=days, progress=progress)
        if as_json:
            where = {"collection": str(collection.path), "snapshot": label, "budget": budget}
            show_json(where | {"policies": found.to_rows()})
        else:
            show(found)
        return
    if config is not None:
        simulate_options = _read(config, snapshot, progress) | {
            option: value for option, value in simulate_options.items() if value is not None
        }
    if name:
        settings = snapshot.settings(SimulateSettings, simulate_options)
    else:
        settings = choose_settings(snapshot, "simulation", simulate_options, progress=progress)
    harvest = Simulation(snapshot, settings, progress=progress).build(name)
    if not name:
        remember_settings(snapshot, "simulation", simulate_options)
    title = f"{collection.path} {label}"
    part = f"simulation-{name}" if name else "simulation"
    paths = draw(harvest, plots, page="simulation", title=f"{title}: simulated crawls")
    if as_json:
        where = {"collection": str(collection.path), "snapshot": label, "part": part}
        show_json(where | harvest.to_dict() | {"plots": [str(path) for path in paths]})
        return
    click.echo(f"{title}: {harvest.summary}\n")
    show(harvest)
    click.echo(f"\nKept as {snapshot.path / part}; its simulation.toml does it again with --config.")
    show_plots(paths)


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
