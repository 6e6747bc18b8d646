"""webstrata invitro judge."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from webstrata.cli.options import json_option, options
from webstrata.cli.output import show_bytes, show_json, show_table
from webstrata.cli.verb import verb
from webstrata.collection.sentences import tell_count
from webstrata.collection.settings import parse_seconds, to_text
from webstrata.invitro.judge.settings import JudgeSettings

if TYPE_CHECKING:
    from collections.abc import Mapping

    from webstrata.invitro import Verdict, Violation

EXAMPLES = 3


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
                f"{value} is no name with a time such as {parameter.metavar}, 0 or more", param=parameter
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
    help=f"Violations of each rule to be shown. [{EXAMPLES}; with --json all]",
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
        _show(verdict, EXAMPLES if limit is None else limit)
    return 0 if verdict.is_polite else 1


def _show(verdict: Verdict, limit: int) -> None:
    from webstrata.invitro.judge import RULES

    numbers = verdict.statistics
    click.echo(
        f"{tell_count(numbers.requests, 'request')} on {tell_count(numbers.connections, 'connection')} to "
        f"{tell_count(numbers.hosts, 'host')} at {tell_count(numbers.ips, 'address', 'addresses')} in "
        f"{numbers.seconds:,.1f} s: {tell_count(numbers.pages, 'page')}, {numbers.pages_per_second:,.1f} per "
        f"second, {show_bytes(numbers.bytes)}; {tell_count(numbers.restarts, 'restart')}."
    )
    for kind, smallest, median in (
        ("host", numbers.smallest_host_gap, numbers.median_host_gap),
        ("address", numbers.smallest_ip_gap, numbers.median_ip_gap),
    ):
        if smallest is not None and median is not None:
            click.echo(
                f"Gaps between visits to one {kind}: at least {smallest:.6f} s, median {median:.6f} s."
            )
    if verdict.unknown_hosts:
        requests = sum(verdict.unknown_hosts.values())
        names = ", ".join(list(verdict.unknown_hosts)[:3]) + (", …" if len(verdict.unknown_hosts) > 3 else "")
        click.echo(
            f"note: {tell_count(requests, 'request')} for "
            f"{tell_count(len(verdict.unknown_hosts), 'host')} that "
            f"cannot be found in this web, not judged: {names}"
        )
    for line in verdict.cut_off_lines:
        click.echo(f"note: line {line} was not written to its end, and is not judged")
    click.echo()
    show_table(["rule", "violations", "meaning"], [[r, verdict.counts[r], RULES[r]] for r in RULES])
    for rule, found in verdict.violations.items():
        shown = found[:limit]
        if shown:
            more = f", the first {len(shown)}" if len(shown) < len(found) else ""
            click.echo(f"\n{rule}{more}:")
        for violation in shown:
            click.echo(f"  {_tell(violation)}")
    total = sum(verdict.counts.values())
    click.echo(f"\nNot polite: {tell_count(total, 'violation')}." if total else "\nPolite.")


def _tell(violation: Violation) -> str:
    place = f"line {violation.line}"
    if violation.other_line is not None:
        place += f" after line {violation.other_line}"
    what = violation.url or violation.ip
    if violation.rule.startswith("ip_") and violation.url:
        what = f"{violation.ip} for {violation.url}"
    if violation.seconds is None:
        return f"{place}: {what}"
    if violation.seconds < 0:
        return f"{place}: {what}, {-violation.seconds:.6f} s before its end"
    gap = f"{place}: {what}, {violation.seconds:.6f} s after its end"
    return gap if violation.required is None else f"{gap}, not {to_text(violation.required, 'seconds')}"
