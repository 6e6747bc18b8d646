"""webstrata demo."""

from __future__ import annotations

import datetime as dt
import json
import shlex
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from webstrata.cli.verb import verb
from webstrata.collection.files import explained, make_directory, remove_tree, replace_file
from webstrata.collection.sentences import tell_count
from webstrata.errors import ExistsError, MissingError, UsageError

if TYPE_CHECKING:
    from webstrata.api import Collection
    from webstrata.store.documentation import DocumentedPackage

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


@verb("demo", renamed={"--into": "--output"}, epilog="Example: webstrata demo --real --output documentation")
@click.option(
    "--output",
    "into",
    default="webstrata-demo",
    type=click.Path(path_type=Path, readable=False),
    help="Where to put it.",
)
@click.option(
    "--preset",
    default="demo",
    type=click.Choice(list(_MONTHS)),
    show_default=True,
    help="The synthetic web to crawl: six months of some 10 000 pages, or fewer.",
)
@click.option("--real", is_flag=True, help="Use documentation pages installed on this machine instead.")
@click.option(
    "--docs",
    multiple=True,
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    metavar="FOLDER",
    help="With --real: folders whose sub-folders hold HTML pages. [/usr/share/doc and the like]",
)
def command(into: Path, preset: str, docs: tuple[Path, ...], *, real: bool) -> int:
    """Run the whole pipeline on a synthetic web, or on real pages.

    The months of the synthetic web are crawled over real HTTP into a collection, with delays scaled down for
    a web on this machine. Graph, time, summaries, ranks, spectrum, search, classification and simulated
    crawls follow, and a report. The result is compared with the truth, and the crawl with the rules of
    politeness: the demo fails where they differ.

    With --real, pages of installed documentation are ingested, indexed, linked, ranked and reported: nothing
    is fetched. An existing demo in the same place is replaced; anything else there is left alone.
    """
    place = into / ("docs" if real else "web")
    if docs and not real:
        raise UsageError("--docs names real pages; give --real too")
    packages = _find_packages(docs) if real else []
    _prepare(into, place)
    if real:
        return _run_real(into, place, packages)
    return _run_synthetic(into, place, preset)


def _prepare(into: Path, place: Path) -> None:
    """Make the folder of a demo, replacing an earlier demo."""
    from webstrata.api import Collection

    with explained(into, "read"):
        demos = [into / name for name in ("web", "docs") if (into / name / "collection.toml").is_file()]
        is_taken = into.exists()
    if any(Collection.open(demo).title == _TITLE for demo in demos):
        remove_tree(into)
    elif is_taken:
        raise ExistsError(f"{into}: something else is here already; name another place with --output")
    make_directory(place.parent)


def _find_packages(docs: tuple[Path, ...]) -> list[DocumentedPackage]:
    from webstrata.store.documentation import MIN_PAGES, find_packages, find_roots

    roots = list(docs) or find_roots()
    found = find_packages(roots)
    if not found:
        where = ", ".join(map(str, roots)) or "the usual places"
        raise MissingError(
            f"no documentation with {MIN_PAGES} or more HTML pages below {where}; install a package such as "
            f"python3-doc, or name a folder with --docs"
        )
    return found


def _run_real(into: Path, place: Path, packages: list[DocumentedPackage]) -> int:
    from webstrata.api import Collection
    from webstrata.store.documentation import copy_pages

    started = time.monotonic()
    number = copy_pages(packages, into / "pages")
    click.echo(f"{tell_count(number, 'page')} of {tell_count(len(packages), 'package')}:")
    for package in packages:
        click.echo(f"  {package.host}: {tell_count(len(package.pages), 'page')} from {package.folder}")
    label = f"{dt.datetime.now(dt.UTC):%Y-%m}"
    if code := _run_all(
        ["new", str(place), "--title", _TITLE],
        ["ingest", str(place), label, str(into / "pages")],
        ["run", str(place)],
    ):
        return code
    top = Collection.open(place)[label].rank().top(1)[0].name or ""
    commands = [
        ["search", str(place), "how to read a file"],
        ["rank", str(place), label, "--limit", "10"],
        ["similar", str(place), top],
        ["graph", "links", str(place), label, top, "--in"],
    ]
    if code := _run_all(commands[0]):
        return code
    _finish(place, started, commands)
    return 0


def _run_all(*commands: list[str]) -> int:
    """Run commands as a person would type them; the exit code of the first that fails."""
    from webstrata.cli import run

    for arguments in commands:
        click.secho(f"\n$ webstrata {shlex.join(arguments)}", bold=True)
        if code := run(arguments):
            return code
    return 0


def _finish(place: Path, started: float, commands: list[list[str]]) -> None:
    click.echo(f"\nDone in {time.monotonic() - started:.0f} s.")
    click.secho(f"The report: {place / 'reports' / 'report.html'}", bold=True)
    click.secho(f"In a browser: webstrata serve {shlex.quote(str(place))}", bold=True)
    click.echo("\nTry next (`. .venv/bin/activate` first):")
    for words in commands:
        click.echo(f"  webstrata {shlex.join(words)}")


def _run_synthetic(into: Path, place: Path, preset: str) -> int:
    from webstrata.api import Collection

    config = into / "demo.toml"
    started = time.monotonic()
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
    if code := _run_all(
        ["new", str(place), "--title", _TITLE],
        ["run", str(place), "--config", str(config)],
    ):
        return code
    click.echo()
    if not _compare(Collection.open(place), labels):
        return 1
    _finish(place, started, _next(place, labels, config))
    return 0


def _tell_delays(preset: str) -> str:
    from webstrata.invitro import Web

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
        ["rank", str(place), "--all-snapshots", "--of", labels[0], "--limit", "10"],
        ["graph", "stats", str(place), labels[-1]],
        ["run", str(place), "--dry-run"],
    ]


def _compare(collection: Collection, labels: list[str]) -> bool:
    """Say whether nodes, arcs and manners of every month are those of the truth."""
    from webstrata.serve.report.kept import KINDS, read_sheets
    from webstrata.serve.report.sheet import Sheet

    found = read_sheets(collection, KINDS["truth"], collection.states())
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
