"""webstrata demo."""

from __future__ import annotations

import datetime as dt
import shlex
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from webstrata.cli.output import show_lines
from webstrata.cli.verb import verb
from webstrata.collection.sentences import tell_count
from webstrata.errors import UsageError

if TYPE_CHECKING:
    from webstrata.collection.action import Action
    from webstrata.pipeline.demo import SyntheticDemo
    from webstrata.store.documentation import DocumentedPackage


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
    type=click.Choice(["tiny", "small", "demo"]),
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
    from webstrata.pipeline.demo import SyntheticDemo, find_documentation, prepare_demo

    if docs and not real:
        raise UsageError("--docs names real pages; give --real too")
    if real:
        packages = find_documentation(docs)
        return _run_real(into, prepare_demo(into, is_real=True), packages)
    return _run_synthetic(into, prepare_demo(into), SyntheticDemo(preset))


def _run_real(into: Path, place: Path, packages: list[DocumentedPackage]) -> int:
    from webstrata.api import Collection
    from webstrata.pipeline.demo import TITLE, suggest_next
    from webstrata.store.documentation import copy_pages

    started = time.monotonic()
    number = copy_pages(packages, into / "pages")
    click.echo(f"{tell_count(number, 'page')} of {tell_count(len(packages), 'package')}:")
    for package in packages:
        click.echo(f"  {package.host}: {tell_count(len(package.pages), 'page')} from {package.folder}")
    label = f"{dt.datetime.now(dt.UTC):%Y-%m}"
    if code := _run_all(
        ["new", str(place), "--title", TITLE],
        ["ingest", str(place), label, str(into / "pages")],
        ["run", str(place)],
    ):
        return code
    actions = suggest_next(Collection.open(place), is_real=True)
    if code := _run_all(shlex.split(actions[0].command)[1:]):
        return code
    _finish(place, started, actions)
    return 0


def _run_synthetic(into: Path, place: Path, demo: SyntheticDemo) -> int:
    from webstrata.api import Collection
    from webstrata.pipeline.demo import TITLE, suggest_next
    from webstrata.serve.report.verdict import judge_crawls

    started = time.monotonic()
    config = demo.write_config(into)
    click.echo(demo.summary)
    if code := _run_all(
        ["new", str(place), "--title", TITLE],
        ["run", str(place), "--config", str(config)],
    ):
        return code
    verdict = judge_crawls(Collection.open(place), demo.snapshots)
    click.echo()
    show_lines(verdict.lines)
    if not verdict.is_right:
        return 1
    _finish(place, started, suggest_next(Collection.open(place)))
    return 0


def _run_all(*commands: list[str]) -> int:
    """Run commands as a person would type them; the exit code of the first that fails."""
    from webstrata.cli import run

    for arguments in commands:
        click.secho(f"\n$ webstrata {shlex.join(arguments)}", bold=True)
        if code := run(arguments):
            return code
    return 0


def _finish(place: Path, started: float, actions: list[Action]) -> None:
    click.echo(f"\nDone in {time.monotonic() - started:.0f} s.")
    click.secho(f"The report: {place / 'reports' / 'report.html'}", bold=True)
    click.secho(f"In a browser: webstrata serve {shlex.quote(str(place))}", bold=True)
    click.echo("\nTry next (`. .venv/bin/activate` first):")
    show_lines(f"  {action.command}" for action in actions)
