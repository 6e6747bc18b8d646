"""webstrata build: any part, by its name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from webstrata.cli.options import collection_argument, complete_parts, json_option, make_options
from webstrata.cli.output import TerminalProgress, show, show_json
from webstrata.cli.verb import Verb, verb
from webstrata.collection.declarations import load_parts
from webstrata.collection.settings import ResourcesSettings
from webstrata.collection.snapshot_dates import is_date

if TYPE_CHECKING:
    from webstrata.api import Collection

_OPTIONS = "webstrata.cli.build.options"


class BuildCommand(Verb):
    """A command that also takes the settings of the parts it is given."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Find the parts among the words first, so that their settings are options."""
        parts = load_parts()
        named = [parts[word] for word in args if word in parts]
        classes = list(dict.fromkeys(part.settings for part in named if part.settings is not None))
        ctx.meta[_OPTIONS] = [option for cls in classes for option in make_options(cls)]
        return super().parse_args(ctx, args)

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Its own options, then those of the parts."""
        own = super().get_params(ctx)
        return [*own[:-1], *ctx.meta.get(_OPTIONS, []), own[-1]]

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The parts that can be built, then the example."""
        built = [part for part in load_parts().values() if part.is_built]
        with formatter.section("Parts"):
            formatter.write_dl([(part.name, part.help) for part in built if not part.on_demand])
        others = ", ".join(part.name for part in built if part.on_demand)
        with formatter.section("Parts that `run` leaves out"):
            formatter.write_text(others)
        super().format_epilog(ctx, formatter)


@verb(
    "build",
    cls=BuildCommand,
    epilog="Example: webstrata build uk 2026-06 graph --window 16",
)
@collection_argument
@click.argument(
    "words", metavar="[SNAPSHOT]... PART...", nargs=-1, required=True, shell_complete=complete_parts
)
@click.option("--again", is_flag=True, help="Build the named parts even if they are fresh.")
@click.option("--workers", type=click.IntRange(0), help="Processes or threads; 0 means one per core.")
@json_option
def command(
    collection: Collection,
    words: tuple[str, ...],
    workers: int | None,
    *,
    again: bool,
    as_json: bool,
    **settings: Any,  # noqa: ANN401 (those of the parts)
) -> None:
    """Build parts of COLLECTION by name, and what they are built from.

    Only what is missing or stale is built. Without SNAPSHOT, a part of snapshots is built for all of them.
    Settings of the named parts are options (add --help after a part to list them); they are stored in
    collection.toml, and hold for later builds.
    """
    from webstrata.pipeline.build import build_parts

    snapshots = [word for word in words if is_date(word)]
    names = [word for word in words if not is_date(word)]
    if not names:
        raise click.UsageError("Missing argument 'PART'; name a part to build.")
    num_workers = ResourcesSettings.read(options={"workers": workers}).num_workers if workers else None
    built = build_parts(
        collection,
        names,
        snapshots=snapshots,
        options=settings,
        again=again,
        workers=num_workers,
        progress=TerminalProgress(),
    )
    if as_json:
        document = {name: record.to_table() for name, record in built.items()}
        show_json({"collection": str(collection.path), "built": document})
        return
    if built:
        show(built)
    else:
        click.echo("Nothing to do: all of it is fresh.")
