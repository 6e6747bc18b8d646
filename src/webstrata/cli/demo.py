"""webstrata demo."""

from __future__ import annotations

import shlex
import time
from pathlib import Path

import click

from webstrata.collection.files import explained, remove_tree
from webstrata.errors import ExistsError

_TITLE = "webstrata demo"


@click.command("demo", epilog="Example: webstrata demo --into /tmp/webstrata-demo")
@click.option(
    "--into",
    default="webstrata-demo",
    type=click.Path(path_type=Path, readable=False),
    help="Where to put it.",
)
def command(into: Path) -> int:
    """Run what there is on a small example, and say what to try next.

    A demo that is there already is made again; anything else that is there is left alone and refused.
    """
    from webstrata.api import Collection
    from webstrata.cli import run

    with explained(into, "read"):
        is_collection, is_taken = (into / "collection.toml").is_file(), into.exists()
    if is_collection and Collection.open(into).title == _TITLE:
        remove_tree(into)
    elif is_taken:
        raise ExistsError(f"{into}: something else is here already; name another place with --into")
    started = time.monotonic()
    place = str(into)
    for arguments in (
        ["new", place, "2026-01", "2026-02", "2026-03", "--title", _TITLE],
        ["show", place],
        ["check", place],
    ):
        click.secho(f"\n$ webstrata {shlex.join(arguments)}", bold=True)
        if code := run(arguments):
            return code
    click.echo(f"\nDone in {time.monotonic() - started:.1f} s. Try next (`. .venv/bin/activate` first):")
    for line in (f"webstrata show {place} --json", f"webstrata check {place} --json", "webstrata --help"):
        click.echo(f"  {line}")
    return 0
