"""webstrata classify label: label hosts one after the other, their pages shown."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from webstrata.cli.options import collection_argument, snapshot_argument
from webstrata.cli.verb import verb
from webstrata.collection.sentences import tell_count

if TYPE_CHECKING:
    from webstrata.api import Collection


@verb("label", epilog="Example: webstrata classify label uk 2026-06 --labels labels.csv --task spam")
@collection_argument
@snapshot_argument
@click.option(
    "--labels",
    "path",
    required=True,
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="CSV file of the labels; an existing file is extended.",
)
@click.option("--task", default="spam", metavar="NAME", help="What is asked about each host. [spam]")
@click.option("--host", "hosts", multiple=True, metavar="HOST", help="Ask about this host; may be repeated.")
@click.option(
    "--pages",
    default=3,
    show_default=True,
    type=click.IntRange(min=1),
    metavar="NUMBER",
    help="Pages shown of a host.",
)
@click.option("--seed", default=1, show_default=True, metavar="NUMBER", help="Of the order of hosts.")
def command(
    collection: Collection, label: str, path: Path, task: str, hosts: tuple[str, ...], pages: int, seed: int
) -> None:
    """Label hosts of SNAPSHOT, their pages shown one after the other.

    Hosts come in random order. Answers: y (it is), n (it is not), u (undecided), s (skip), q (enough), or any
    other name or names joined by | as the label. Every answer is written at once.
    """
    from webstrata.classify.features.sites import open_sites, site_name
    from webstrata.classify.learning.label_sheet import UNDECIDED, LabelSheet, propose_hosts, show_pages
    from webstrata.errors import MissingError

    snapshot = collection[label]
    sites = open_sites(snapshot)
    pages_of = dict(zip(sites.names, sites.pages.tolist(), strict=True))
    sheet = LabelSheet(path)
    asked = [site_name(host.lower()) for host in hosts]
    for host in asked:
        if host not in pages_of:
            raise MissingError(
                f"{snapshot.path}: {host} has no page in it; `webstrata ls` lists what is there"
            )
    given = 0
    for host in asked or propose_hosts(sites.names, list(sheet.labels), seed=seed):
        so_far = f", {sheet.labels[host]} so far" if host in sheet.labels else ""
        number = pages_of[host]
        done = tell_count(len(sheet.labels), "host")
        standing = f"{tell_count(number, 'page')}{so_far}; {done} labelled"
        click.echo(f"\n{click.style(host, bold=True)}  {standing}")
        for url, title, text in show_pages(snapshot, host, pages, sites=sites):
            click.echo(f"  {click.style(title or '(no title)', underline=True)}  {url}")
            click.echo(click.wrap_text(text or "(no text)", 100, "    ", "    "))
        answer = (
            click.prompt(f"{task}? [y/n/u/s/q or a label]", default="s", show_default=False, err=True)
            .strip()
            .lower()
        )
        if answer in ("q", "quit"):
            break
        if answer in ("s", "skip", ""):
            continue
        no = f"non{task}" if task == "spam" else "none"
        named = {"y": task, "yes": task, "n": no, "no": no}
        sheet.add(host, UNDECIDED if answer in ("u", "undecided") else named.get(answer, answer))
        given += 1
    click.echo(f"{given} labels were given; {path} has {len(sheet.labels)}")
