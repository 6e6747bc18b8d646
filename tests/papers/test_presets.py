"""Presets: every value of every paper is one that its settings class takes, and parts know their preset."""

from __future__ import annotations

import json
import tomllib
from dataclasses import replace
from importlib import resources
from typing import TYPE_CHECKING

import pytest

from webstrata import testing
from webstrata.collection.files import make_directory
from webstrata.collection.settings import describe, load_tables
from webstrata.crawl.settings import CrawlSettings
from webstrata.errors import UsageError
from webstrata.pipeline import presets
from webstrata.pipeline.context import Context
from webstrata.pipeline.presets import (
    describe_preset,
    is_made_with,
    made_with,
    parse_presets,
    preset_names,
    preset_settings,
    read_preset,
    tell_other_crawls,
)
from webstrata.summaries.settings import SummariesSettings
from webstrata.temporal.settings import TemporalSettings

if TYPE_CHECKING:
    from pathlib import Path

PAPERS = ["bubing", "change", "lect", "spam", "store", "sum", "time", "wiki"]


def test_each_of_the_eight_papers_has_a_preset() -> None:
    assert preset_names() == [f"paper:{paper}" for paper in PAPERS]


@pytest.mark.parametrize("name", preset_names())
def test_every_value_of_a_preset_is_one_that_its_class_takes(name: str) -> None:
    tables = read_preset(name)
    assert tables
    for table, values in tables.items():
        cls = load_tables()[table]
        settings = preset_settings(name, cls)
        again = cls.read(options=settings.to_dict(), environment={})
        assert values, f"[{table}] is empty"
        assert again == settings
        assert set(values) <= {field.name for field in describe(cls)}


@pytest.mark.parametrize("name", preset_names())
def test_a_preset_has_a_title_a_purpose_and_a_place_in_the_paper_for_each_value(name: str) -> None:
    preset = describe_preset(name)
    assert len(preset.title) > 10
    assert preset.about.endswith(".")
    missing = [f"[{table}] {key}" for table, values in preset.tables.items() for key in values]
    missing = [place for place, note in zip(missing, preset.notes.values(), strict=True) if not note]
    assert not missing, "write after the value where the paper has it"


def test_a_wrong_value_in_a_preset_is_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "odd.toml").write_text('# An odd paper\n#\n# Odd.\n\n[graph]\nwindow = "wide"  # nowhere\n')
    monkeypatch.setattr(resources, "files", lambda _: tmp_path)
    assert preset_names() == ["paper:odd"]
    with pytest.raises(Exception, match=r"preset paper:odd, \[graph\]: window is 'wide'"):
        presets.check_presets()


def test_an_unknown_preset_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(UsageError, match="did you mean paper:change"):
        parse_presets("paper:time,paper:chnage")
    with pytest.raises(UsageError, match="write paper:time, not time"):
        parse_presets(["time"])


def test_a_setting_comes_from_option_environment_config_preset_and_file_in_this_order(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    uk = testing.empty()
    uk.remember(SummariesSettings, {"min_df": 2, "window": 3})
    config = {"summaries": {"min_df": 4}}

    def read(context: Context, **options: object) -> SummariesSettings:
        return context.settings(SummariesSettings, options=options)

    assert read(Context(uk)).min_df == 2
    chosen = Context(uk, presets=("paper:sum",))
    assert (read(chosen).min_df, read(chosen).window, read(chosen).coding) == (20, 3, "codes")
    both = Context(uk, config, "uk.toml", presets=("paper:sum",))
    assert (read(both).min_df, read(both).coding) == (4, "codes")
    monkeypatch.setenv("WEBSTRATA_SUMMARIES_MIN_DF", "5")
    assert read(both).min_df == 5
    assert read(both, min_df=6).min_df == 6


def test_of_two_presets_the_later_one_applies() -> None:
    uk = testing.empty()
    depths = [
        Context(uk, presets=names).settings(CrawlSettings).max_depth
        for names in (("paper:sum", "paper:time"), ("paper:time", "paper:sum"))
    ]
    assert depths == [16, 8]


def test_a_run_stores_the_settings_of_its_presets_and_a_plan_does_not() -> None:
    uk = testing.collection()
    plan = uk.run(preset="paper:time", first="graph", last="graph", dry_run=True)
    changes = {(each["table"], each["name"]): each["then"] for each in plan.facts["settings"]}
    assert changes.items() >= {("crawl", "store_pointers"): True, ("graph", "fold"): "fingerprint"}.items()
    assert {row["why"] for row in plan.rows} == {"fold was none, is fingerprint"}
    assert "store_pointers = true" not in (uk.path / "collection.toml").read_text()
    assert not is_made_with("paper:time", uk, "2026-06/graph")

    uk.run(preset=["paper:time"], first="graph", last="graph")
    assert "\nstore_pointers = true" in (uk.path / "collection.toml").read_text()
    assert is_made_with("paper:time", uk, "2026-06/graph")
    assert uk.run(preset="paper:time", first="graph", last="graph", dry_run=True).facts["settings"] == []


def test_a_part_is_of_a_paper_only_if_what_it_is_made_from_is_too() -> None:
    uk = testing.collection()
    papers = preset_settings("paper:time", TemporalSettings)
    uk.build("temporal", **{name: getattr(papers, name) for name in read_preset("paper:time")["temporal"]})
    assert made_with("paper:time", "temporal", uk.find_record("/temporal").settings)
    assert not is_made_with("paper:time", uk, "/temporal"), "its graphs have another fold"


def test_the_crawl_counts_too_and_a_run_says_where_it_had_other_settings() -> None:
    uk = testing.collection()
    uk.run(preset="paper:time", first="graph", last="graph")
    assert is_made_with("paper:time", uk, "2026-06/graph")
    assert tell_other_crawls(["paper:time"], uk) == [], "ingested pages have no crawl"

    folder = make_directory(uk["2026-06"].working_folder("crawl"))
    papers = preset_settings("paper:time", CrawlSettings)
    for store_pointers in (True, False):
        settings = replace(papers, store_pointers=store_pointers).to_dict()
        (folder / "crawl.json").write_text(json.dumps({"settings": settings}))
        assert is_made_with("paper:time", uk, "2026-06/graph") is store_pointers
    assert is_made_with("paper:time", uk, "2026-05/graph")
    (said,) = tell_other_crawls(["paper:time", "paper:wiki"], uk)
    assert said.startswith(
        "2026-06: kept, though crawled without the settings of paper:time (store_pointers);"
    )


def test_a_setting_that_a_record_lacks_counts_as_its_default() -> None:
    assert not made_with("paper:sum", "summaries", {"stemmer": "porter"})
    assert made_with("paper:sum", "summaries", {"stemmer": "porter", "coding": "codes"})
    assert not made_with("paper:sum", "unheard-of", {})


def test_every_file_of_a_preset_is_plain_toml() -> None:
    for name in preset_names():
        text = (resources.files(presets) / f"{name.removeprefix('paper:')}.toml").read_text(encoding="utf-8")
        assert tomllib.loads(text) == read_preset(name)
