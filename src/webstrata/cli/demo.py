"""webstrata demo."""

from __future__ import annotations

import json
import shlex
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from webstrata.collection.files import explained, make_directory, remove_tree, replace_file
from webstrata.collection.sentences import tell_count
from webstrata.errors import ExistsError

if TYPE_CHECKING:
    from webstrata.api import Collection

_TITLE = "webstrata demo"
_SEED = 7
_MONTHS = {"tiny": 2, "small": 4, "demo": 6}
_FETCHED = {"tiny": 80, "small": 800, "demo": 3_000}
"""Pages of a simulated crawl, a third of what there is."""
_LABELS = """\
labels = "truth"      # which hosts are spam is known, for tables of how well it is told

[train]
library = "small"
together = "domain"
folds = 3
"""
_CONFIG = """\
# The demo, as `webstrata run` takes it. Change a line, and the same command does what is due then.
[run]
snapshots = {snapshots}
invitro = "{preset}"      # a web that does not exist, served over real HTTP on loopback addresses
invitro_seed = {seed}
{labels}
[crawl]
# nobody waits for the demo as long as some hosts of this web ask for
max_crawl_delay = "{longest}"

[temporal]
by = "learned"

[simulate]
policy = ["breadth-first", "best-first", "in-degree", "oracle"]
relevant = "topic:1"
runs = 5
max_pages = {fetched}     # where policies still differ; all of them end with all pages
"""


@click.command("demo", epilog="Example: webstrata demo --into webstrata-demo")
@click.option(
    "--into",
    default="webstrata-demo",
    type=click.Path(path_type=Path, readable=False),
    help="Where to put it.",
)
@click.option(
    "--preset",
    default="demo",
    type=click.Choice(list(_MONTHS)),
    show_default=True,
    help="The web to crawl: six months of some 10 000 pages, or fewer.",
)
def command(into: Path, preset: str) -> int:
    """Take a web that does not exist through all stages, and say what to try next.

    Its months are crawled over real HTTP, with delays that are scaled down for a web on this machine, into a
    collection; this goes through graph, time, summaries, ranks, spectrum, search, classification and
    simulated crawls to a report.
    What was found is compared with what is true, and how it was crawled with what is polite: the demo fails
    where they differ. A demo that is there already is made again; anything else that is there is left alone.
    """
    from webstrata.api import Collection
    from webstrata.cli import run

    place, config = into / "web", into / "demo.toml"
    with explained(into, "read"):
        is_demo, is_taken = (place / "collection.toml").is_file(), into.exists()
    if is_demo and Collection.open(place).title == _TITLE:
        remove_tree(into)
    elif is_taken:
        raise ExistsError(f"{into}: something else is here already; name another place with --into")
    started = time.monotonic()
    make_directory(into)
    labels = [f"2026-{month:02}" for month in range(1, _MONTHS[preset] + 1)]
    longest = "10ms" if preset == "demo" else "20ms"
    # with fewer hosts there is nothing to learn from
    known = _LABELS if preset == "demo" else ""
    text = _CONFIG.format(
        snapshots=json.dumps(labels),
        preset=preset,
        seed=_SEED,
        longest=longest,
        labels=known,
        fetched=_FETCHED[preset],
    )
    replace_file(config, text.encode())
    click.echo(_tell_delays(preset))
    for arguments in (
        ["new", str(place), "--title", _TITLE],
        ["run", str(place), "--config", str(config)],
    ):
        click.secho(f"\n$ webstrata {shlex.join(arguments)}", bold=True)
        if code := run(arguments):
            return code
    click.echo()
    if not _compare(Collection.open(place), labels):
        return 1
    click.echo(f"\nDone in {time.monotonic() - started:.0f} s.")
    click.secho(f"The report: {place / 'reports' / 'report.html'}", bold=True)
    click.echo("\nTry next (`. .venv/bin/activate` first):")
    for words in _next(place, labels, config):
        click.echo(f"  webstrata {shlex.join(words)}")
    return 0


def _tell_delays(preset: str) -> str:
    from webstrata.simulate.invitro import Web

    settings = Web(preset, seed=_SEED).settings
    return (
        f"The web `{preset}` is made up, and served on this machine: {_MONTHS[preset]} months of some "
        f"{tell_count(settings.pages, 'page')} on {tell_count(settings.hosts, 'host')}.\n"
        "Politeness is real, and its delays are scaled down to fit: "
        f"{1000 * settings.host_delay:g} ms between visits to a host and {1000 * settings.ip_delay:g} ms "
        "to an address, where the open web gets 4 s and 0.5 s."
    )


def _next(place: Path, labels: list[str], config: Path) -> list[list[str]]:
    """Five commands that show something of what was made."""
    from webstrata.api import Collection

    top = Collection.open(place)[labels[-1]].rank().top(1)[0].name or ""
    return [
        ["report", str(place), "--open"],
        ["history", str(place), top],
        ["rank", str(place), "--all-snapshots", "--of", labels[0], "--top", "10"],
        ["graph", "stats", str(place), labels[-1]],
        ["run", str(place), "--config", str(config), "--dry-run"],
    ]


def _compare(collection: Collection, labels: list[str]) -> bool:
    """Say whether nodes, arcs and manners of every month are those of the truth."""
    from webstrata.serve.report.kept import KEPT, read_sheets
    from webstrata.serve.report.sheet import Sheet

    found = read_sheets(collection, KEPT["truth"], collection.states())
    sheets = [one for one in found if isinstance(one, Sheet)]
    rows: list[list[Any]] = [row for sheet in sheets for row in sheet.tables[0].rows]
    is_right = len(sheets) == len(labels)
    for label, what, number, true, missed, wrong, verdict in rows:
        if what == "requests":
            is_right &= not wrong
            click.echo(f"{label}: {number:,} requests, {verdict}.")
        elif verdict == "equal":
            click.echo(
                f"{label}: the {number:,} {what} that were found are those of the truth, and no other."
            )
        elif what in ("nodes", "arcs"):
            is_right = False
            click.echo(
                f"{label}: of {true:,} {what} {missed or 0:,} were missed, and {wrong or 0:,} are wrong."
            )
    return is_right
