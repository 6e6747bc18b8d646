"""Public names of rooms are loaded late, and stay what they are."""

from __future__ import annotations

import importlib
import subprocess
import sys

import pytest

ROOMS = [
    "archive",
    "classify",
    "collection",
    "crawl",
    "graph",
    "invitro",
    "pipeline",
    "rank",
    "rank.spectra",
    "search",
    "search.change",
    "serve",
    "serve.report",
    "simulate",
    "store",
    "summaries",
    "temporal",
    "web",
]


@pytest.mark.parametrize("room", ROOMS)
def test_every_public_name_of_a_room_can_be_loaded(room: str) -> None:
    module = importlib.import_module(f"webstrata.{room}")
    assert module.__all__ == sorted(module.__all__)
    for name in module.__all__:
        value = getattr(module, name)
        assert value.__name__ == name if hasattr(value, "__name__") else value is not None


def test_a_function_keeps_its_name_after_its_module_is_imported() -> None:
    code = """
import webstrata.rank.pagerank, webstrata.rank.hits
from webstrata import rank
assert callable(rank.pagerank) and callable(rank.hits)
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_settings_and_parts_are_found_without_numpy() -> None:
    code = """
import sys
from webstrata.collection.declarations import load_parts
from webstrata.collection.settings import load_tables
assert load_parts() and load_tables()
loaded = {"numpy", "scipy", "pyarrow", "sklearn", "altair"} & set(sys.modules)
assert not loaded, loaded
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_name_that_a_room_does_not_have_is_refused() -> None:
    from webstrata import rank

    with pytest.raises(AttributeError, match=r"module 'webstrata.rank' has no attribute 'pagernak'"):
        rank.pagernak  # type: ignore[attr-defined]  # noqa: B018


def test_a_former_name_is_the_new_one_with_a_warning() -> None:
    from webstrata import rank

    with pytest.warns(DeprecationWarning, match="rank.Hits is deprecated.*use webstrata.rank.HitsScores"):
        former = rank.Hits  # type: ignore[attr-defined]
    assert former is rank.HitsScores
    assert "Hits" not in dir(rank)
