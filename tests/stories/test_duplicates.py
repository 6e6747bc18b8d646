"""`webstrata duplicates`, as typed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.stories.conftest import assert_refused

if TYPE_CHECKING:
    from tests.stories.conftest import Command


def test_duplicates_of_a_crawl_are_listed_exact_across_and_near(webstrata: Command) -> None:
    webstrata("new", "uk")
    for label, month in (("2026-05", "0"), ("2026-06", "1")):
        words = ("--invitro", "tiny", "--invitro-seed", "7", "--month", month)
        assert webstrata("crawl", "uk", label, *words).returncode == 0

    done = webstrata("duplicates", "uk", "2026-05")
    assert (done.returncode, done.stderr) == (0, "")
    assert "by           classes  captures  redundant" in done.stdout
    within = json.loads(webstrata("duplicates", "uk", "2026-05", "--json", "--limit", "0").stdout)
    assert within["classes"] == []
    assert within["totals"]["digest"]["classes"] > 10
    assert within["totals"]["digest"]["saved"] > 0

    across = json.loads(webstrata("duplicates", "uk", "2026-06", "--across", "--json").stdout)
    # every page of that web has another date each month, and digits count
    assert not [found for found in across["classes"] if len(found["snapshots"]) == 2]
    assert across["totals"]["digest"]["classes"] > 10

    near = json.loads(webstrata("duplicates", "uk", "2026-05", "--near", "--json").stdout)
    assert near["clusters"] > 5
    assert all(found["resemblance"] >= 0.9 and len(found["urls"]) > 1 for found in near["classes"])
    assert_refused(webstrata("duplicates", "uk", "2026-05", "--against-truth"), "webstrata invitro truth")
    truth = ("--preset", "tiny", "--seed", "7", "--month", "0")
    assert webstrata("invitro", "truth", "uk", "2026-05", *truth).returncode == 0
    planted = json.loads(webstrata("duplicates", "uk", "2026-05", "--against-truth", "--json").stdout)
    exact = planted["truth"]["pages"]
    assert (exact["precision"] >= 0.99, exact["recall"] >= 0.99, exact["planted"] > 10) == (True, True, True)
    done = webstrata("duplicates", "uk", "2026-05", "--near", "--against-truth")
    all_planted, still_near = (line.split() for line in done.stdout.splitlines()[-2:])
    name, precision, recall, *_ = all_planted
    assert (name, float(precision) >= 0.95, float(recall) >= 0.95) == ("variations", True, True)
    assert still_near[:3] == ["of", "these", "near-duplicates"]
    assert min(map(float, still_near[3:5])) >= 0.95
    both = ("--near", "--across", "--against-truth")
    assert_refused(webstrata("duplicates", "uk", "2026-05", *both), "leave out --across")
    across = json.loads(webstrata("duplicates", "uk", "2026-06", "--near", "--across", "--json").stdout)
    assert across["earlier"] == ["2026-05"]
    assert across["pages"] > near["pages"]
    assert any(len(set(found["snapshots"])) == 2 for found in across["classes"])
    simhash = ("--near", "--method", "simhash", "--distance", "7", "--similarity", "0.9")
    done = webstrata("duplicates", "uk", "2026-05", *simhash)
    assert "by simhash" in done.stdout
    assert "clusters of near-duplicates" in done.stdout


def test_questions_that_make_no_sense_are_refused(webstrata: Command) -> None:
    webstrata("new", "uk", "2026-06")
    assert_refused(webstrata("duplicates", "uk", "2026-06"), "no part captures")
    assert_refused(webstrata("duplicates", "uk", "2026-06", "--near"), "no part text")
    assert_refused(webstrata("duplicates", "uk", "2026-06", "--near", "--memory", "0"), "1 or more MiB")
    assert_refused(webstrata("duplicates", "uk", "2026-06", "--near", "--similarity", "2"), "--similarity")
