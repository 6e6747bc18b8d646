"""Documents without a page: when links existed, and features of hosts."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

import pytest

import webstrata as ws
from webstrata.cli import run
from webstrata.errors import UsageError
from webstrata.serve.page.documents import show_features, show_history

if TYPE_CHECKING:
    from webstrata.serve.page.site import Site

NEWS = "http://news.example/"


def evaluate(call: str) -> Any:  # noqa: ANN401
    return eval(call, {"webstrata": ws})


@pytest.mark.parametrize("inlinks", [False, True])
def test_the_history_is_that_of_the_command_and_the_call(
    site: Site,
    capsys: pytest.CaptureFixture[str],
    inlinks: bool,  # noqa: FBT001
) -> None:
    view = show_history(site, url=NEWS, inlinks=inlinks)
    assert view.rows == evaluate(view.python).to_rows()
    assert {row["direction"] for row in view.rows} == ({"in", "out"} if inlinks else {"out"})
    assert run(shlex.split(view.command)[1:]) == 0
    assert NEWS in capsys.readouterr().out


def test_a_history_needs_a_url(site: Site) -> None:
    with pytest.raises(UsageError, match="url is empty"):
        show_history(site)


def test_features_that_were_not_made_are_named_with_their_command(site: Site) -> None:
    view = show_features(site, name="B")
    assert view.rows == []
    assert view.missing[0].command.endswith("2026-06 features-b")
