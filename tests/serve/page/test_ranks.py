"""The ranks page as data."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from webstrata.serve.page.ranks import show_ranks

if TYPE_CHECKING:
    from webstrata.serve.page.site import Site


@pytest.mark.parametrize(
    ("method", "level"), [("pagerank", "page"), ("cheirank", "page"), ("pagerank", "host")]
)
def test_rows_are_the_first_ranks_of_the_snapshot(site: Site, method: str, level: str) -> None:
    rows = show_ranks(site, method=method, level=level, at="2026-05").rows  # type: ignore[arg-type]
    ranking = site.collection["2026-05"].rank(method, level=level)  # type: ignore[arg-type]
    assert [(row["rank"], row["name"]) for row in rows] == [(one.rank, one.name) for one in ranking.top(50)]


def test_a_ranking_that_is_not_stored_is_named_with_its_command(site: Site) -> None:
    view = show_ranks(site, method="hits")
    assert view.rows == []
    assert view.missing[0].command.endswith("2026-06 rank-hits")
