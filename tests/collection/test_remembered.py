"""Options are remembered in the file of the collection, and everything else in it stays."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING

import pytest

import webstrata as ws
from webstrata.collection.remembered import write_settings
from webstrata.errors import SettingError
from webstrata.graph.settings import GraphSettings
from webstrata.temporal.settings import TemporalSettings

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def path(tmp_path: Path) -> Path:
    ws.create(tmp_path / "uk")
    return tmp_path / "uk" / "collection.toml"


def test_a_comment_becomes_a_line_and_nothing_else_changes(path: Path) -> None:
    before = path.read_text().splitlines()
    assert write_settings(path, GraphSettings, {"window": "16", "chain": None}) == {"window": 16}
    after = path.read_text().splitlines()
    assert [line for line in after if line not in before] == ["window = 16"]
    assert len(after) == len(before)


def test_a_value_is_changed_where_it_stands(path: Path) -> None:
    text = path.read_text().replace("# window = 7", "window = 3  # mine")
    path.write_text(text)
    assert write_settings(path, GraphSettings, {"window": 9}) == {"window": 9}
    assert path.read_text() == text.replace("window = 3", "window = 9")
    assert write_settings(path, GraphSettings, {"window": 9}) == {}


def test_lists_and_texts_are_written_as_toml(path: Path) -> None:
    rules = 'a.org "sid",b.org\n x'
    write_settings(path, TemporalSettings, {"refused_rules": rules, "by": "learned"})
    found = tomllib.loads(path.read_text())["temporal"]
    assert found == {"refused_rules": ['a.org "sid"', "b.org\n x"], "by": "learned"}


def test_resources_are_not_remembered_and_bad_values_change_nothing(path: Path) -> None:
    before = path.read_bytes()
    assert write_settings(path, GraphSettings, {"memory": "64MiB"}) == {}
    with pytest.raises(SettingError, match="window"):
        write_settings(path, GraphSettings, {"window": "many"})
    assert path.read_bytes() == before


def test_a_file_of_an_older_version_gets_the_table(path: Path) -> None:
    path.write_text("format = 1\n")
    write_settings(path, GraphSettings, {"window": 9})
    write_settings(path, GraphSettings, {"chain": 4})
    assert tomllib.loads(path.read_text()) == {"format": 1, "graph": {"window": 9, "chain": 4}}
