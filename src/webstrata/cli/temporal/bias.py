"""webstrata temporal bias: what the limits of the crawls did to the sample."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from webstrata.cli.align import open_union
from webstrata.cli.options import collection_argument, json_option, plots_option
from webstrata.cli.output import TerminalProgress, show_json, show_table, show_warnings

if TYPE_CHECKING:
    from pathlib import Path

    from webstrata.api import Collection
    from webstrata.temporal.bias import BiasReport, Panel

_NAMES = {
    "page_survival": "pages that live on",
    "page_birth": "pages that are new",
    "link_survival": "links that live on",
    "outdegree": "links a page",
    "dangling": "pages without links",
}


@click.command("bias", epilog="Example: webstrata temporal bias uk --plots pictures")
@collection_argument
@click.option(
    "--replicates",
    default=400,
    type=click.IntRange(10),
    help="Times that hosts are drawn again for the intervals.",
)
@click.option("--seed", default=0, help="By which they, and the seeds of the crawls, are drawn.")
@click.option(
    "--invitro", metavar="PRESET", help="Compare with the truth of this in-vitro web, month by snapshot."
)
@click.option("--invitro-seed", default=0, help="Which web of that kind.")
@plots_option("bias.html")
@json_option
def command(
    collection: Collection,
    replicates: int,
    seed: int,
    invitro: str | None,
    invitro_seed: int,
    *,
    plots: Path | None,
    as_json: bool,
) -> None:
    """Tell what the limits of the crawls did to the sample.

    For each limit (pages per host, depth, stop size, seeds): what it cut off, and how estimates of change and
    of degrees move when the crawl is done again with less of it. Intervals come from drawing hosts again.
    """
    from webstrata.temporal.bias import report_bias

    if plots:
        from webstrata.serve.figures.style import load_altair

        load_altair()
    union = open_union(collection)
    truth = _read_truth(invitro, invitro_seed, len(union.facts.snapshots)) if invitro else None
    report = report_bias(union, replicates=replicates, seed=seed, truth=truth, progress=TerminalProgress())
    paths = _draw(report, collection.title, plots) if plots else []
    if as_json:
        show_json(
            {"collection": str(collection.path), **report.to_dict(), "plots": [str(path) for path in paths]}
        )
        return
    _show(report)
    show_warnings(report.warnings)
    if paths:
        click.echo(f"\nPictures: {paths[-1]} shows all {len(paths) - 1} of them.")


def _read_truth(preset: str, seed: int, months: int) -> Panel:
    from webstrata.simulate.invitro.alignment import true_panel
    from webstrata.simulate.invitro.web import Web

    return true_panel(Web(preset, seed=seed), months)


def _draw(report: BiasReport, title: str, folder: Path) -> list[Path]:
    from webstrata.serve.figures.style import write_figures
    from webstrata.serve.figures.temporal import draw_bias

    text = (
        f"{report.snapshots[0]} to {report.snapshots[-1]}; intervals from {report.replicates} draws of hosts."
    )
    text = " ".join([text, *(f"Warning: {sentence}." for sentence in report.warnings)])
    return write_figures(draw_bias(report, title), folder, page="bias", title=f"{title}: limits", text=text)


def _show(report: BiasReport) -> None:
    click.echo("What was cut off\n")
    columns = {
        "at the limit": "hosts_at_limit",
        "dropped": "dropped",
        "too deep": "too_deep",
        "frontier left": "frontier_left",
        "not captured": "not_captured",
        "seeds": "seeds",
        "only by seed": "only_by_seed",
    }
    show_table(
        ["snapshot", "pages", "hosts", "largest host", *columns, "end"],
        [
            [
                cuts.snapshot,
                cuts.pages,
                cuts.hosts,
                cuts.largest_host,
                *("–" if getattr(cuts, name) is None else getattr(cuts, name) for name in columns.values()),
                cuts.end or "no crawl of ours",
            ]
            for cuts in report.cuts
        ],
    )
    if any(cuts.depths for cuts in report.cuts):
        deepest = max(len(cuts.depths) for cuts in report.cuts)
        click.echo("\nPages by depth below where their host was entered\n")
        show_table(
            ["snapshot", *map(str, range(deepest))],
            [
                [cuts.snapshot, *cuts.depths, *[0] * (deepest - len(cuts.depths))]
                for cuts in report.cuts
                if cuts.depths
            ],
        )
    click.echo(f"\nEstimates, with the middle 95% of {report.replicates} draws of hosts\n")
    show_table(
        ["estimate", "value", "from", "to", *(["truth"] if report.truth else [])],
        [
            [
                _NAMES[name],
                *(
                    "–" if number is None else f"{number:.4f}"
                    for number in (found.value, found.low, found.high)
                ),
                *([f"{report.truth[name]:.4f}"] if report.truth else []),
            ]
            for name, found in report.estimates.items()
        ],
    )
    click.echo("\nThe same when the crawl is done again with less of a limit\n")
    show_table(
        ["limit", "of it", "value", "pages left", *_NAMES.values()],
        [
            [
                row.limit,
                f"{row.fraction:g}",
                f"{row.value:g}",
                f"{100 * row.pages:.1f}%",
                *("–" if (value := row.estimates[name]) is None else f"{value:.4f}" for name in _NAMES),
            ]
            for row in report.tightened
        ],
    )
    moving = report.moving()
    click.echo()
    for name, limits in moving.items():
        click.echo(f"Half of a limit moves `{_NAMES[name]}` out of its interval: {', '.join(limits)}.")
    bounded = [_NAMES[name] for name, found in report.estimates.items() if found.has_bounds]
    if not bounded:
        click.echo("No estimate has an interval, so whether half of a limit moves one is not known.")
    elif not moving:
        click.echo("Half of any limit leaves every estimate that has an interval within it.")
