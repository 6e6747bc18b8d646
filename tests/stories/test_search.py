"""webstrata search, as it is typed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.search.small import MONTHS, add_text, make_small
from webstrata.search.build import build_text_index

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable
    from pathlib import Path

    import webstrata as ws

    Command = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def uk(tmp_path: Path) -> ws.Collection:
    """An indexed collection in the folder of the test."""
    collection = make_small(tmp_path / "uk", {label: MONTHS[label] for label in ("2026-05", "2026-06")})
    build_text_index(collection, workers=1)
    return collection


@pytest.mark.usefixtures("uk")
def test_pages_are_found_and_shown_with_dates_and_scores(webstrata: Command) -> None:
    done = webstrata("search", "uk", "tropical fish", "--at", "2026-06", "--limit", "2", "--fold", "0")
    assert done.returncode == 0, done.stderr
    assert " 1. The sea\n    http://www.sea.example/\n" in done.stdout
    assert " 2. Fish\n    http://fish.example/\n" in done.stdout
    assert "2026-06, score " in done.stdout
    told = json.loads(webstrata("search", "pages", "uk", "waves", "--json").stdout)
    assert [hit["url"] for hit in told["hits"]] == ["http://www.sea.example/"]
    assert told["snapshots"] == ["2026-05", "2026-06"]
    assert webstrata("search", "uk", 'elephants title:"fish sea"').stdout.splitlines() == [
        "No page was found. The query was understood as:",
        "    elephants: eleph; no page has eleph",
        '    "fish sea": fish + sea in the field title',
    ]
    assert webstrata("search", "uk", "chi", "--complete").stdout == "chips\n"


@pytest.mark.usefixtures("uk")
def test_a_partition_answers_as_the_index_does(webstrata: Command) -> None:
    done = webstrata("search", "uk", "fish", "--partition", "terms")
    assert done.returncode == 2
    assert "run `webstrata build uk text_index-terms`" in done.stderr
    done = webstrata("index", "uk", "--partition", "terms", "--parts", "1")
    assert "uk: divided by terms for 1 server." in done.stdout
    through = webstrata("search", "uk", "tropical fish", "--partition", "terms")
    assert through.stdout == webstrata("search", "uk", "tropical fish").stdout


@pytest.mark.slow
@pytest.mark.usefixtures("uk")
def test_partitions_are_made_and_measured_side_by_side(webstrata: Command) -> None:
    told = json.loads(
        webstrata("search", "compare", "uk", "--servers", "2", "--queries", "20", "--json").stdout
    )
    assert [each["name"] for each in told["measured"]] == ["one index", "documents", "terms"]
    assert all(each["same"] == 1.0 for each in told["measured"])
    assert "busiest/mean" in webstrata("search", "compare", "uk", "--servers", "2", "--queries", "5").stdout


def test_bad_queries_and_dates_and_old_indexes_get_one_sentence(
    webstrata: Command, uk: ws.Collection
) -> None:
    done = webstrata("search", "uk", 'fish "and chips')
    assert done.returncode == 2
    assert done.stderr.splitlines()[1:] == ['fish "and chips', "     ^"]
    for words, sentence in (
        ([""], "nothing to look for"),
        (["fish", "--at", "2025"], "2025 is before the first snapshot, 2026-05"),
        (["fish", "--at", "june"], "is not a date"),
        (
            ["fish", "--from", "2026-06", "--to", "2026-05"],
            "the range begins with 2026-06, after its end, 2026-05",
        ),
    ):
        done = webstrata("search", "uk", *words)
        assert done.returncode == 2, words
        assert sentence in done.stderr
    add_text(uk, "2026-05", MONTHS["2026-06"])
    done = webstrata("search", "uk", "fish")
    assert done.returncode == 2
    assert "run `webstrata build uk text_index`" in done.stderr
