"""What a description says is what the web serves."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import pytest

from webstrata.collection.progress import Progress
from webstrata.errors import Cancelled, SettingError
from webstrata.graph import compress
from webstrata.invitro import Web, WebDescription, describe
from webstrata.invitro.compressibility import REAL_ARTICLES
from webstrata.invitro.describe import MAX_PAGES, shrink

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def small() -> Web:
    return Web("small", seed=7)


@pytest.fixture(scope="module")
def found(small: Web) -> WebDescription:
    return small.describe(month=1)


def test_the_months_are_counted_as_the_true_graphs_count_them(small: Web, found: WebDescription) -> None:
    for month in found.months:
        served = small.graph(month.month)
        collection = small.graph(month.month, view="collection")
        assert (month.num_nodes, month.num_arcs) == (served.num_nodes, served.num_arcs)
        assert (month.collection_nodes, month.collection_arcs) == (collection.num_nodes, collection.num_arcs)
        sources = np.repeat(served.slots, served.offsets[1:].astype(int) - served.offsets[:-1].astype(int))
        inner = int((sources == served.slots[served.targets]).sum())
        assert month.inner_share == pytest.approx(inner / served.num_arcs)
        assert month.hosts == len(set(served.slots.tolist()))
        assert month.variation_share == pytest.approx(
            len(
                [
                    1
                    for page, family in zip(collection.pages, collection.families, strict=True)
                    if page != family
                ]
            )
            / collection.num_nodes
        )


def test_overlaps_are_those_of_the_served_addresses(small: Web, found: WebDescription) -> None:
    urls = [{url for url in small.graph(month).urls if "?" not in url} for month in range(4)]
    for one in range(4):
        for other in range(4):
            assert found.urls.common[one][other] == len(urls[one] & urls[other])


def test_every_setting_is_found_within_its_error(found: WebDescription) -> None:
    outside = [measure for measure in found.measures if not measure.is_within]
    assert not outside
    assert {"size_exponent", "in_exponent", "out_exponent", "duplicate_share", "page_death_rate"} <= {
        measure.setting for measure in found.measures
    }


def test_bits_per_link_are_those_of_the_month_chosen(small: Web, found: WebDescription) -> None:
    graph = small.graph(1, view="collection")
    assert found.compressed["collection"] == compress(graph.offsets, graph.targets)


def test_a_realistic_web_compresses_like_real_ones() -> None:
    graphs = Web("realistic", seed=7, months=1)._core.graphs(0)
    for graph in graphs:
        assert 2 < compress(graph["offsets"], graph["targets"]).bits_per_link < 4


def test_the_survey_counts_the_links_that_pages_have(small: Web) -> None:
    survey = small._core.survey(0)
    hosts = small.hosts(0)
    slot = next(slot for slot, size in enumerate(hosts["size"]) if hosts["present"][slot] and size > 30)
    graph = small.graph(0)
    urls = [url for url, place in zip(graph.urls, graph.slots, strict=True) if place == slot]
    assert all(small.links(url) for url in urls)
    assert sum(number for number, _ in survey["links"].values()) / survey["pages"] > 20
    assert len(survey["text_degrees"]) == survey["pages"] - survey["copies"] - survey["variations"]
    assert survey["text_in_links"].sum() <= survey["links"]["text"][0] - survey["links"]["text"][1]


@pytest.mark.slow
@pytest.mark.parametrize("preset", ["realistic", "uk-2007", "hostile"])
def test_presets_are_what_their_settings_say(preset: str) -> None:
    found = describe(Web(preset, seed=1))
    assert not [measure for measure in found.measures if not measure.is_within]
    assert all(2 < size.bits_per_link < 4 for size in found.compressed.values())


@pytest.mark.slow
def test_uk_2007_has_the_overlaps_of_the_paper() -> None:
    found = describe(Web("uk-2007", seed=1))
    hosts, urls = found.comparisons
    assert hosts.mean_deviation < 0.02
    assert urls.mean_deviation < 0.03


def test_the_document_can_be_written_as_json(found: WebDescription) -> None:
    document = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert document["measures"][0]["is_within"] is True
    assert document["urls"]["by_lag"] == found.urls.by_lag()


def test_a_web_too_large_to_describe_is_refused_and_a_smaller_one_is_not() -> None:
    web = Web("clean", seed=7)
    assert web.settings.pages > MAX_PAGES
    with pytest.raises(SettingError, match="--sample"):
        describe(web)
    found = describe(web, sample=4000)
    assert found.sampled_from == web.settings.pages
    assert found.months[0].num_nodes < 5000
    assert shrink(web, 4000).settings.hosts == 8


def test_real_pages_are_read_from_where_the_variable_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("WEBSTRATA_TEST_DATA", raising=False)
    monkeypatch.delenv("WEBSTRATA_CORPUS", raising=False)
    web = Web("tiny")
    assert describe(web).real_pages == REAL_ARTICLES
    (tmp_path / "a.html").write_text("<p>one page")
    monkeypatch.setenv("WEBSTRATA_CORPUS", str(tmp_path))
    assert describe(web).real_pages.num_pages == 1


def test_describing_is_cancelled_by_its_progress() -> None:
    progress = Progress()
    progress.cancel()
    with pytest.raises(Cancelled):
        describe(Web("tiny"), progress=progress)


def test_a_month_that_is_not_there_is_refused() -> None:
    with pytest.raises(SettingError, match="out of range"):
        describe(Web("tiny"), month=3)
