"""webstrata invitro judge."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from webstrata.cli.options import json_option, options
from webstrata.cli.output import show_json, show_tables
from webstrata.cli.verb import verb
from webstrata.collection.settings import parse_seconds
from webstrata.invitro.judge.settings import JudgeSettings

if TYPE_CHECKING:
    from collections.abc import Mapping

    from webstrata.invitro import Verdict


def _read_delays(
    _ctx: click.Context, parameter: click.Parameter, values: tuple[str, ...]
) -> dict[str, float]:
    delays = {}
    for value in values:
        name, sign, time = value.rpartition("=")
        try:
            delays[name.lower()] = parse_seconds(time)
        except ValueError:
            sign = ""
        if not (name and sign) or delays[name.lower()] < 0:
            raise click.BadParameter(
                f"{value} is not a name with a time such as {parameter.metavar}, 0 or more", param=parameter
            )
    return delays


@verb("judge", epilog="Example: webstrata invitro judge requests.log --host-delay 4s --ip-delay 0.5s")
@click.argument("log", metavar="LOG", type=click.Path(path_type=Path, readable=False))
@options(JudgeSettings)
@click.option(
    "--host",
    "host_delays",
    multiple=True,
    callback=_read_delays,
    metavar="a.example=8s",
    help="The delay of a single host; can be given often.",
)
@click.option(
    "--ip",
    "ip_delays",
    multiple=True,
    callback=_read_delays,
    metavar="127.1.0.1=2s",
    help="The delay of a single address; can be given often.",
)
@click.option(
    "--limit",
    type=click.IntRange(0),
    help="Print at most this many violations of each rule. [3; with --json all]",
)
@json_option
def command(
    log: Path,
    judge_options: Mapping[str, object],
    host_delays: dict[str, float],
    ip_delays: dict[str, float],
    limit: int | None,
    *,
    as_json: bool,
) -> int:
    """Report every impolite request in a server's log.

    LOG was written by `webstrata invitro serve --log`. Ends with 0 if the visitor was polite, with 1 if it
    was not, and with 2 if the log cannot be judged.
    """
    from webstrata.invitro.judge import judge

    settings = JudgeSettings.read(options=judge_options, environment=os.environ)
    verdict = judge(log, settings, host_delays=host_delays, ip_delays=ip_delays)
    if as_json:
        show_json(verdict.to_dict(limit))
    else:
        _show(verdict, limit)
    return 0 if verdict.is_polite else 1


def _show(verdict: Verdict, limit: int | None) -> None:
    rules, *violations = verdict.tables().items()
    click.echo(f"{verdict.summary}\n")
    show_tables(dict([rules]))
    if violations and limit != 0:
        click.echo()
        show_tables(dict(violations), limit=limit)
    click.echo(f"\n{verdict.conclusion}")
