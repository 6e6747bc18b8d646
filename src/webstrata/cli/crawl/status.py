"""webstrata crawl status."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from webstrata.cli.crawl.running import RENAMED, running_arguments
from webstrata.cli.options import json_option
from webstrata.cli.output import show_bytes, show_json, show_table
from webstrata.cli.verb import verb
from webstrata.collection.cells import show_time
from webstrata.collection.sentences import tell_count

if TYPE_CHECKING:
    from collections.abc import Mapping

    from webstrata.crawl.control import Client

ROWS = {
    "pages": "pages",
    "duplicates": "duplicates",
    "requests": "requests",
    "discovered": "URLs discovered",
    "hosts": "hosts contacted",
    "hosts_unresolved": "hosts whose names never resolved",
    "hosts_closed": "hosts given up or full",
    "front": "hosts ready to be visited",
    "required_front": "hosts that should be ready",
    "in_flight": "visits under way",
    "waiting": "URLs out of the sieve",
    "virtualized": "URLs on the disk",
    "limbo": "hosts with URLs on the disk alone",
    "checkpoints": "checkpoints",
}
"""Counters of a status by what they are called for people."""


@verb("status", renamed=RENAMED, epilog="Example: webstrata crawl status uk 2026-06 --json")
@click.option("--metrics", is_flag=True, help="Print it as Prometheus reads it.")
@json_option
@running_arguments
def command(client: Client, *, metrics: bool, as_json: bool) -> None:
    """Tell how a running crawl stands."""
    if metrics:
        click.echo(client.metrics(), nl=False)
        return
    status = client.status()
    if as_json:
        show_json(status)
    else:
        _show(status)


def _show(status: dict[str, Any]) -> None:
    counters = status["counters"]
    rates, means = status["rates"], status["means"]
    click.echo(
        f"{where(status)}: {status['state']} for {show_time(status['seconds'])}, "
        f"{tell_count(counters['pages'], 'page')}; {rates['pages']:,.1f} pages/s and "
        f"{show_bytes(int(rates['bytes']))}/s "
        f"now, {means['pages']:,.1f} and {show_bytes(int(means['bytes']))}/s in the mean."
    )
    if status.get("shortage"):
        click.echo(f"{status['shortage']}.")
    rows = [[text, counters[name]] for name, text in ROWS.items() if name in counters]
    rows += [
        [f"answers {name.removeprefix('status_')}", counters[name]] for name in nonzero(counters, "status_")
    ]
    rows += [
        [f"failed: {name.removeprefix('failed_')}", counters[name]] for name in nonzero(counters, "failed_")
    ]
    rows += [[f"hosts left alone: {reason}", count] for reason, count in status.get("given_up", {}).items()]
    show_table(["what", "number"], rows)
    if status["live"]:
        click.echo(f"{len(status['live'])} settings can change while it runs; --json has their values.")


def where(status: Mapping[str, Any]) -> str:
    """Which crawl it is, in two words."""
    return f"{Path(status['collection']).name} {status['snapshot']}"


def nonzero(counters: Mapping[str, int], prefix: str) -> list[str]:
    """The counters of a kind that counted something."""
    return [name for name, value in counters.items() if name.startswith(prefix) and value]
