"""Arguments and options that several verbs share, and options made from settings classes."""

from __future__ import annotations

import contextlib
import functools
import types
import typing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from webstrata.collection.settings import Field, Settings, describe, to_text

if TYPE_CHECKING:
    from collections.abc import Callable, Container

if TYPE_CHECKING:
    _Text = click.ParamType[str]
else:  # before click 8.3 it takes no type
    _Text = click.ParamType

Command = typing.TypeVar("Command", bound="Callable[..., Any]")


class Date(_Text):
    """A date as `webstrata.collection.dates` reads it; what is none is refused here, for every verb."""

    name = "date"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The date as it was typed."""
        from webstrata.collection.dates import parse_period
        from webstrata.errors import UsageError

        try:
            parse_period(value)
        except UsageError as error:
            self.fail(str(error), param, ctx)
        return value


def at_option(
    help: str = "Use the last snapshot at or before this date. [the last one]",
) -> Callable[[Command], Command]:
    """The moment that a question is about."""
    return click.option("--at", type=Date(), metavar="DATE", shell_complete=complete_snapshots, help=help)


def from_option(help: str = "Leave out what is before this date.") -> Callable[[Command], Command]:
    """The beginning of a range of dates."""
    return click.option(
        "--from", "start", type=Date(), metavar="DATE", shell_complete=complete_snapshots, help=help
    )


def to_option(help: str = "Leave out what is after this date.") -> Callable[[Command], Command]:
    """The end of a range of dates, which belongs to it."""
    return click.option(
        "--to", "end", type=Date(), metavar="DATE", shell_complete=complete_snapshots, help=help
    )


def limit_option(what: str, default: int | None = None, *, least: int = 1) -> Callable[[Command], Command]:
    """Upper limit of the rows that are printed."""
    about = f"Print at most this many {what}. [{'all' if default is None else default}]"
    return click.option("--limit", type=click.IntRange(least), default=default, metavar="NUMBER", help=about)


def _open(ctx: click.Context, _parameter: click.Parameter, path: str) -> Any:  # noqa: ANN401
    if ctx.resilient_parsing:
        return path
    from webstrata.api import Collection
    from webstrata.collection.snapshot_dates import is_date
    from webstrata.errors import MissingError

    try:
        return Collection.open(path)
    except MissingError:
        if not is_date(path):
            raise
        usage = describe_usage(ctx)
        raise MissingError(f"{path}: no such collection; this is a date, so write `{usage}`") from None


def describe_usage(ctx: click.Context) -> str:
    """A command with its arguments.

    Examples
    --------
    >>> from webstrata.cli.rename import command
    >>> describe_usage(click.Context(command, info_name="webstrata rename"))
    'webstrata rename COLLECTION SNAPSHOT NEW'
    """
    arguments = [one for one in ctx.command.params if isinstance(one, click.Argument)]
    path, parent = ctx.command_path, ctx.parent
    if parent is not None and getattr(parent.command, "default", None) == ctx.info_name:
        path = parent.command_path  # nobody types the name of the usual command
    return " ".join([path, *(one.make_metavar(ctx) for one in arguments)])


def complete_collections(_ctx: click.Context, _parameter: click.Parameter, start: str) -> list[str]:
    """Collections in a folder, and folders that may have some in them."""
    folder = Path(start).parent if not start.endswith("/") else Path(start)
    shown = start[: start.rfind("/") + 1]
    with contextlib.suppress(OSError):
        places = [place for place in sorted(folder.iterdir()) if place.is_dir() and place.name[0] != "."]
        names = [
            f"{shown}{place.name}" + ("" if (place / "collection.toml").is_file() else "/")
            for place in places
        ]
        return [name for name in names if name.startswith(start)]
    return []


def complete_snapshots(ctx: click.Context, _parameter: click.Parameter, start: str) -> list[str]:
    """The snapshots of the collection that was typed before."""
    place = next((ctx.params[name] for name in ("collection", "path", "place") if ctx.params.get(name)), None)
    # click has not told arguments apart where the last word is an option without its value
    place = place or next(iter(ctx.args), None)
    folder = Path(str(getattr(place, "path", place or ""))) / "snapshots"
    with contextlib.suppress(OSError):
        return sorted(found.name for found in folder.iterdir() if found.name.startswith(start))
    return []


def complete_parts(ctx: click.Context, parameter: click.Parameter, start: str) -> list[str]:
    """Snapshots and parts that can be built."""
    from webstrata.collection.declarations import load_parts

    parts = [name for name, part in load_parts().items() if part.is_built and name.startswith(start)]
    return [*complete_snapshots(ctx, parameter, start), *parts]


collection_argument = click.argument(
    "collection", metavar="COLLECTION", callback=_open, shell_complete=complete_collections
)
"""An existing collection, opened."""

new_collection_argument = click.argument(
    "path",
    metavar="COLLECTION",
    type=click.Path(path_type=Path, readable=False),
    shell_complete=complete_collections,
)
"""The place of a collection that need not be there yet."""

snapshot_argument = click.argument("label", metavar="SNAPSHOT", shell_complete=complete_snapshots)
"""The date of a snapshot, as ``label``."""

optional_snapshot_argument = click.argument(
    "label", metavar="[SNAPSHOT]", required=False, shell_complete=complete_snapshots
)
snapshots_argument = click.argument(
    "snapshots", metavar="[SNAPSHOT]...", nargs=-1, shell_complete=complete_snapshots
)
place_argument = click.argument("place", metavar="COLLECTION|BASENAME", shell_complete=complete_collections)
"""A collection, or the files of a BVGraph."""


def _note_snapshot(_ctx: click.Context, _parameter: click.Parameter, label: str | None) -> str | None:
    if label is not None:
        from webstrata.cli.output import say

        say("note: --snapshot is deprecated; write the snapshot after the collection")
    return label


old_snapshot_option = click.option(
    "--snapshot", "old_label", hidden=True, callback=_note_snapshot, help="The former spelling of SNAPSHOT."
)
page_argument = click.argument(
    "words", metavar="[SNAPSHOT] URL", nargs=-1, required=True, shell_complete=complete_snapshots
)
"""A page of one snapshot or of all; `split_page` tells the words apart."""


def refuse_options(needed: str, *names: str) -> None:
    """Refuse options that have no effect without another one, if they were typed."""
    context = click.get_current_context()
    for option in context.command.params:
        source = context.get_parameter_source(option.name or "")
        if option.name in names and source is click.core.ParameterSource.COMMANDLINE:
            raise click.UsageError(f"{option.opts[-1]} has no effect without {needed}; add {needed}", context)


def split_page(words: tuple[str, ...]) -> tuple[str | None, str]:
    """The snapshot, if one is named, and the URL of a command's words.

    Examples
    --------
    >>> split_page(("2026-06", "http://example.org/")), split_page(("http://example.org/",))
    (('2026-06', 'http://example.org/'), (None, 'http://example.org/'))
    """
    from webstrata.cli.verb import note_order
    from webstrata.collection.snapshot_dates import is_date

    context = click.get_current_context(silent=True)
    if len(words) == 1 and not is_date(words[0]):
        return None, words[0]
    if len(words) == 2 and not is_date(words[0]) and is_date(words[1]):
        words = (words[1], words[0])
        note_order(f"{context.command_path if context else ''} COLLECTION [SNAPSHOT] URL")
    if len(words) == 2 and is_date(words[0]):
        return words[0], words[1]
    if len(words) == 1:
        raise click.UsageError(f"{words[0]} is a snapshot; write the URL after it", context)
    raise click.UsageError(f"expected [SNAPSHOT] URL, got {' '.join(words)}", context)


def check_url(url: str) -> None:
    """Refuse what is not a URL with a host, before anything is looked for.

    Examples
    --------
    >>> check_url("http://example.org/")
    >>> check_url("fish")
    Traceback (most recent call last):
    webstrata.errors.UrlError: 'fish' is not a URL; write it with its scheme and host, as http://example.org/
    """
    from webstrata.errors import UrlError

    scheme, colon, rest = url.partition(":")
    if not colon or not scheme.isidentifier() or (rest.startswith("//") and not rest.strip("/")):
        raise UrlError(f"{url!r} is not a URL; write it with its scheme and host, as http://example.org/")


json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")


def plots_option(page: str, what: str = "pictures") -> Callable[[Command], Command]:
    """Where to write pictures, and a `page` that shows them all."""
    return click.option(
        "--plots",
        type=click.Path(path_type=Path, file_okay=False),
        metavar="FOLDER",
        callback=_check_plots,
        help=f"Write {what} there, as SVG and as one page, {page}.",
    )


def _check_plots(context: click.Context, option: click.Parameter, value: Path | None) -> Path | None:
    """Report a missing extra before a long computation, not after it."""
    if value is not None:
        from webstrata.serve.figures.style import load_altair

        load_altair()
    return value


def options(cls: type[Settings], only: Container[str] | None = None) -> Callable[[Command], Command]:
    """Give a command one option per setting of `cls`; it gets those chosen as a mapping ``<table>_options``.

    With `only`, there are options for the settings named there.

    The command turns them into settings with ``collection.settings(cls, chosen)``, where the environment and
    the settings files have their say.
    """

    def decorate(command: Command) -> Command:
        fields = [field for field in describe(cls) if only is None or field.name in only]

        @functools.wraps(command)
        def collect(**values: Any) -> Any:  # noqa: ANN401
            chosen = {field.name: values.pop(field.name) for field in fields}
            return command(**values, **{f"{cls.table}_options": chosen})

        for field in reversed(fields):
            collect = _option(field)(collect)
        return typing.cast("Command", collect)

    return decorate


def make_options(cls: type[Settings]) -> list[click.Option]:
    """One option per setting of a class, for a command that finds its settings when it is called."""

    def collect() -> None:
        """Carry the options."""

    for field in reversed(describe(cls)):
        collect = _option(field)(collect)
    return list(reversed(collect.__click_params__))  # type: ignore[attr-defined]


def _option(field: Field) -> Callable[[Command], Command]:
    name = "--" + (field.setting.option or field.name).replace("_", "-")
    kind = field.type
    if typing.get_origin(kind) in (typing.Union, types.UnionType):
        kind = next(member for member in typing.get_args(kind) if member is not types.NoneType)
    shown = to_text(field.default, field.setting.unit)
    about = field.setting.help if field.default in (None, "", ()) else f"{field.setting.help} [{shown}]"
    if kind is bool:
        return click.option(f"{name}/--no{name[1:]}", field.name, default=None, help=about)
    metavar = {"seconds": "TIME", "bytes": "SIZE"}.get(field.setting.unit or "", _METAVARS.get(kind, "TEXT"))
    return click.option(name, field.name, default=None, metavar=metavar, help=about)


_METAVARS = {int: "NUMBER", float: "NUMBER", str: "TEXT"}
