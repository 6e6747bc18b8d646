"""Arguments and options that several verbs share, and options made from settings classes."""

from __future__ import annotations

import functools
import types
import typing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from webstrata.collection.settings import Field, Settings, describe, to_text

if TYPE_CHECKING:
    from collections.abc import Callable, Container

Command = typing.TypeVar("Command", bound="Callable[..., Any]")


def _open(_ctx: click.Context, _parameter: click.Parameter, path: str) -> Any:  # noqa: ANN401
    from webstrata.api import Collection

    return Collection.open(path)


collection_argument = click.argument("collection", metavar="COLLECTION", callback=_open)
"""An existing collection, opened."""

new_collection_argument = click.argument(
    "path", metavar="COLLECTION", type=click.Path(path_type=Path, readable=False)
)
"""The place of a collection that need not be there yet."""

json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")


def plots_option(page: str, what: str = "pictures") -> Callable[[Command], Command]:
    """Where to write pictures, and a `page` that shows them all."""
    return click.option(
        "--plots",
        type=click.Path(path_type=Path, file_okay=False),
        metavar="FOLDER",
        help=f"Write {what} there, as SVG and as one page, {page}.",
    )


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


def _option(field: Field) -> Callable[[Command], Command]:
    name = "--" + field.name.replace("_", "-")
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
