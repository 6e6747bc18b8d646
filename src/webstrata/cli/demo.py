"""webstrata demo."""

from __future__ import annotations

import shlex
import time
from pathlib import Path

import click

from webstrata.collection.files import explained, make_directory, remove_tree
from webstrata.errors import ExistsError

_TITLE = "webstrata demo"
_SEED = 7
_MONTHS = ["2026-01", "2026-02"]
_POLICIES = "breadth-first,best-first,oracle"
# nobody waits for the demo as long as some hosts of this web ask for
_SHORT = ["--max-crawl-delay", "20ms"]


@click.command("demo", epilog="Example: webstrata demo --into /tmp/webstrata-demo")
@click.option(
    "--into",
    default="webstrata-demo",
    type=click.Path(path_type=Path, readable=False),
    help="Where to put it.",
)
@click.option(
    "--preset",
    default="small",
    type=click.Choice(["tiny", "small"]),
    show_default=True,
    help="The web to crawl: of some 60 hosts, or of a few.",
)
def command(into: Path, preset: str) -> int:
    """Run what there is on a small example, and say what to try next.

    A web that does not exist is described and served, and two of its months are crawled over real HTTP into
    a collection. The judge then reads what the server saw, pages and graph are compared with the truth, and
    the graph is described. The months become one graph; its pages are summed up and ranked, the spectrum of
    its Google matrix is found, and crawls that look for one topic are simulated.
    A demo that is there already is made again; anything else that is there is left alone and refused.
    """
    from webstrata.api import Collection
    from webstrata.cli import run

    place = into / "web"
    with explained(into, "read"):
        is_demo, is_taken = (place / "collection.toml").is_file(), into.exists()
    if is_demo and Collection.open(place).title == _TITLE:
        remove_tree(into)
    elif is_taken:
        raise ExistsError(f"{into}: something else is here already; name another place with --into")
    started = time.monotonic()
    web = ["--preset", preset, "--seed", str(_SEED)]
    crawled = ["--invitro", preset, "--invitro-seed", str(_SEED)]
    make_directory(into)
    logs = [into / f"requests-{label}.log" for label in _MONTHS]
    steps: list[list[str]] = [
        ["new", str(place), "--title", _TITLE],
        ["invitro", "describe", *web, "--plots", str(into / "plots")],
    ]
    for month, (label, log) in enumerate(zip(_MONTHS, logs, strict=True)):
        when = ["--month", str(month)]
        steps += [
            ["crawl", str(place), label, *crawled, *when, *_SHORT, "--log", str(log)],
            ["invitro", "judge", str(log), *_delays(preset)],
            ["graph", "build", str(place), label],
            ["invitro", "truth", str(place), label, *web, *when],
        ]
    last, plots = [str(place), _MONTHS[-1]], ["--plots", str(into / "plots")]
    steps += [
        ["graph", "stats", *last, *plots],
        ["align", str(place), "--by", "learned"],
        ["temporal", "stats", str(place)],
        ["summaries", "build", *last],
        ["rank", str(place), "--all-snapshots", "--of", _MONTHS[0], "--top", "10", *plots],
        ["plane", *last, *plots],
        ["spectrum", *last, *plots],
        ["simulate", *last, "--policy", _POLICIES, "--relevant", "topic:1", "--runs", "5", *plots],
        ["duplicates", str(place), _MONTHS[0], "--near", "--against-truth"],
        ["show", str(place)],
        ["check", str(place)],
    ]
    for arguments in steps:
        click.secho(f"\n$ webstrata {shlex.join(arguments)}", bold=True)
        if code := run(arguments):
            return code
        if arguments[:2] == ["invitro", "truth"] and not _compare(place, arguments[3], preset):
            return 1
    click.echo(f"\nDone in {time.monotonic() - started:.1f} s. Look at {into / 'plots'}, and")
    click.echo("try next (`. .venv/bin/activate` first):")
    third, fourth = (
        [str(place), f"2026-0{number}", *crawled, "--month", str(_month(preset, number - 1))]
        for number in (3, 4)
    )
    for words in (
        ["show", str(place), "--json"],
        ["graph", "build", str(place), _MONTHS[0], "--order", "llp"],
        ["temporal", "bias", str(place), *crawled],
        ["crawl", *third, "--limit", "1000"],
        ["crawl", *fourth, "--fetch", "HostEndsWith(uk) or HostEndsWith(com)", *_SHORT],
        ["invitro", "judge", str(logs[0]), "--host-delay", "4s", "--limit", "1"],
        ["invitro", "serve", "--preset", "realistic", "--seconds", "1"],
        ["--help"],
    ):
        click.echo(f"  webstrata {shlex.join(words)}")
    return 0


def _month(preset: str, month: int) -> int:
    """A month of the web, the last one if it has not so many."""
    from webstrata.simulate.invitro.settings import PRESETS

    return min(month, int(PRESETS[preset]["months"]) - 1)


def _delays(name: str) -> list[str]:
    """What the judge asks for: the delays with which the web is crawled."""
    from webstrata.simulate.invitro.settings import PRESETS

    preset = PRESETS[name]
    # the server notes the end of an answer a moment after its client has it
    return [
        *("--host-delay", f"{preset['host_delay']}s"),
        *("--ip-delay", f"{preset['ip_delay']}s"),
        *("--tolerance", "1ms"),
    ]


def _compare(place: Path, label: str, preset: str) -> bool:
    """Say whether the nodes of a snapshot, and its arcs if it has them, are those of the truth."""
    from webstrata.api import Collection
    from webstrata.simulate.invitro import Web

    snapshot = Collection.open(place)[label]
    found = list(snapshot.urls)
    graph = Web(preset, seed=_SEED).graph(_MONTHS.index(label), view="collection")
    if found == list(graph.urls):
        click.echo(f"{label}: the crawl found the {len(found):,} nodes of the truth, and no other.")
        if "graph" not in snapshot.parts:
            return True
        offsets, targets = snapshot.graph.rows()
        is_same: bool = offsets.tolist() == graph.offsets.tolist()
        is_same &= targets.tolist() == graph.targets.tolist()
        click.echo(
            f"{label}: the {len(targets):,} arcs of its graph are those of the truth, and no other."
            if is_same
            else f"{label}: the arcs of its graph are not those of the truth."
        )
        return is_same
    missed, wrong = len(set(graph.urls) - set(found)), len(set(found) - set(graph.urls))
    click.echo(f"{label}: the crawl missed {missed:,} nodes of the truth, and {wrong:,} of its own are none.")
    return False
