"""webstrata classify predict: scores of hosts by a model, and reasons."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from webstrata.cli.options import collection_argument, json_option, limit_option, snapshot_argument
from webstrata.cli.output import TerminalProgress, show, show_json
from webstrata.cli.verb import verb

if TYPE_CHECKING:
    from webstrata.api import Collection


@verb(
    "predict",
    renamed={"--top": "--limit"},
    epilog="Example: webstrata classify predict uk 2026-06 --model spam.model --limit 20",
)
@collection_argument
@snapshot_argument
@click.option(
    "--model",
    "path",
    required=True,
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="The model, as `webstrata classify train` writes it.",
)
@click.option(
    "--hosts",
    metavar="HOSTS",
    help="Score these hosts alone, as a.org,b.org, or a file with one per line; only their pages are read. "
    "[all]",
)
@click.option("--explain", "host", metavar="HOST", help="Say why this host has its score, and nothing else.")
@limit_option("hosts", 20)
@click.option(
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write the scores of all hosts there, as CSV.",
)
@click.option(
    "--page",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write a page with the hosts shown, their scores and reasons.",
)
@json_option
def command(
    collection: Collection,
    label: str,
    path: Path,
    hosts: str | None,
    host: str | None,
    limit: int,
    output: Path | None,
    page: Path | None,
    *,
    as_json: bool,
) -> None:
    """Score the hosts of SNAPSHOT by a model, and say why.

    Hosts are measured by the vocabulary, document frequencies and word lists that the model keeps of the
    corpus it was trained on, so SNAPSHOT may be another one. A reason is a feature, its value, what is usual,
    and how much the score would fall if it were usual.
    """
    from webstrata.classify.features.sites import site_name
    from webstrata.classify.learning.prediction import split_hosts
    from webstrata.serve.figures.scores import write_scores

    found = collection[label].classify_predict(path, hosts=split_hosts(hosts), progress=TerminalProgress())
    if host is not None:
        reasons = found.explain(site_name(host.strip().lower()))
        if as_json:
            show_json(reasons)
        else:
            click.echo(reasons.summary)
            show(reasons)
        return
    if output:
        found.write(output)
    if page:
        write_scores(found, page, f"{collection.path.name} {label}", limit=limit)
    if as_json:
        show_json({"snapshot": label, **found.to_dict()})
        return
    click.echo(found.summary)
    show(found, limit=limit)
    for written in (output, page):
        if written:
            click.echo(f"Written: {written}")
