"""webstrata crawl COLLECTION --continuous."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from webstrata.cli.crawl.dashboard import CrawlProgress
from webstrata.cli.options import collection_argument, json_option, options
from webstrata.cli.output import show_json
from webstrata.cli.verb import verb
from webstrata.crawl.schedule.settings import ContinuousSettings
from webstrata.crawl.settings import CrawlSettings

if TYPE_CHECKING:
    from webstrata.api import Collection

_SCHEDULE = {"Schedule": list(ContinuousSettings.__dataclass_fields__)}


@verb(
    "crawl",
    sections=_SCHEDULE,
    named={"preset": "--invitro"},
    epilog="Example: webstrata crawl uk --continuous --budget 20/s --cut monthly --seeds seeds.txt",
)
@collection_argument
@click.option("--continuous", is_flag=True, help="Visit pages again and again, and cut snapshots.")
@click.option("--seeds", type=click.Path(), help="A file with one URL per line, `-` for the standard input.")
@click.option("--invitro", metavar="PRESET", help="Crawl this synthetic web, which lives in continuous time.")
@click.option("--invitro-seed", default=0, help="Which web of that kind. [0]")
@click.option("--speed", default=1.0, help="Seconds of the synthetic web in one of ours. [1]")
@click.option("--days", type=float, help="Stop and cut after so many days on the clock of the web.")
@json_option
@options(ContinuousSettings)
@options(CrawlSettings)
def command(
    collection: Collection,
    seeds: str | None,
    invitro: str | None,
    invitro_seed: int,
    speed: float,
    days: float | None,
    continuous_options: dict[str, Any],
    crawl_options: dict[str, Any],
    *,
    continuous: bool,
    as_json: bool,
) -> None:
    """Crawl COLLECTION until you stop it, and visit each page when that is worth most.

    A snapshot is cut every day, week, month or year, and built like any other; pages that were not visited
    since then keep their last capture. Ctrl-C ends it in order, and the same command resumes.
    """
    del continuous
    progress = CrawlProgress()
    result = collection.crawl_continuous(
        seeds=sys.stdin.read().splitlines() if seeds == "-" else Path(seeds) if seeds else None,
        invitro=invitro,
        invitro_seed=invitro_seed,
        speed=speed,
        days=days,
        options=crawl_options,
        schedule=continuous_options,
        watch=progress.watch,
        progress=progress,
    )
    if as_json:
        show_json({"collection": str(collection.path), **result.to_dict()})
    else:
        click.echo(f"{collection.path}: {result.summary}")


@verb("set", epilog="Example: webstrata crawl set uk --budget 5/s")
@collection_argument
@options(ContinuousSettings, only={"budget", "new_share", "max_interval", "max_pending"})
def change(collection: Collection, continuous_options: dict[str, Any]) -> None:
    """Change the schedule of a continuous crawl.

    A crawl that runs obeys it within seconds, and keeps it.
    """
    changed = collection.change_schedule(**continuous_options)
    click.echo(
        f"{collection.path}: {', '.join(f'{name} is {value}' for name, value in changed.items())} now."
    )
