"""The options that say which synthetic web is meant."""

from __future__ import annotations

import functools
import os
from typing import TYPE_CHECKING, Any

import click

from webstrata.cli.options import options
from webstrata.invitro.settings import PRESETS, InvitroSettings

if TYPE_CHECKING:
    from collections.abc import Callable


def web_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command --preset, --seed and all settings of the web; it receives the `Web` as ``web``."""

    @options(InvitroSettings)
    @click.option("--seed", default=0, help="Another seed gives another web of the same kind. [0]")
    @click.option("--preset", default="realistic", metavar="NAME", help=f"{', '.join(PRESETS)}. [realistic]")
    @functools.wraps(command)
    def collect(*, preset: str, seed: int, invitro_options: dict[str, object], **values: Any) -> Any:  # noqa: ANN401
        from webstrata.invitro.web import Web, make_settings

        settings = make_settings(preset, invitro_options, environment=os.environ)
        return command(web=Web(preset, seed=seed, settings=settings), **values)

    return collect


month_option = click.option("--month", default=0, help="Which month; they count from 0. [0]")
