"""Prometheus can read what is written, and every counter is in it once."""

from __future__ import annotations

import re

import pytest

from webstrata.crawl.metrics import GAUGES, STATES, write_metrics

COUNTERS = {
    "pages": 2340,
    "bytes": 22_517_919,
    "stored": 2**53,
    "front": 3,
    "workbench_bytes": 4096,
    "status_2xx": 10,
    "status_5xx": 1,
    "failed_dns": 2,
    "disallowed": 183,
    "fetcher_cpu_ns": 1_500_000_000,
    "parse_ns": 250_000_000,
    "brand_new": 5,
}
SAMPLE = re.compile(r'(\w+)(?:\{((?:\w+="(?:[^"\\\n]|\\["\\n])*",?)*)\})? (-?[\d.]+(?:e[+-]\d+)?)')


def parse(text: str) -> dict[str, tuple[str, dict[str, float]]]:
    """Families by name: their type, and their samples by labels. Strict, as Prometheus is."""
    assert text.endswith("\n")
    families: dict[str, tuple[str, dict[str, float]]] = {}
    helped = current = ""
    for line in text.splitlines():
        if line.startswith("# HELP "):
            helped = line.split()[2]
            assert helped not in families, f"{helped} comes twice"
        elif line.startswith("# TYPE "):
            _, _, current, kind = line.split()
            assert current == helped
            families[current] = (kind, {})
        else:
            match = SAMPLE.fullmatch(line)
            assert match, line
            assert match[1] == current
            samples = families[current][1]
            assert (match[2] or "") not in samples, line
            samples[match[2] or ""] = float(match[3])
    return families


@pytest.fixture
def families() -> dict[str, tuple[str, dict[str, float]]]:
    status = {
        "state": "paused",
        "seconds": 12.5,
        "webstrata": "0.1",
        "collection": 'a "b"\\c\nd',
        "snapshot": "2026-06",
        "counters": COUNTERS,
    }
    return parse(write_metrics(status))


def test_every_name_has_the_prefix_and_the_ending_of_its_kind(
    families: dict[str, tuple[str, dict[str, float]]],
) -> None:
    for name, (kind, samples) in families.items():
        assert name.startswith("webstrata_crawl_")
        assert name.endswith("_total") == (kind == "counter"), name
        assert samples


def test_counters_are_there_by_their_unit_and_their_labels(
    families: dict[str, tuple[str, dict[str, float]]],
) -> None:
    def value(name: str, labels: str = "") -> float:
        return families[f"webstrata_crawl_{name}"][1][labels]

    assert value("pages_total") == 2340
    assert value("received_bytes_total") == 22_517_919
    assert value("stored_bytes_total") == 2**53
    assert value("responses_total", 'status="2xx"') == 10
    assert value("responses_total", 'status="5xx"') == 1
    assert value("failures_total", 'kind="dns"') == 2
    assert value("skipped_total", 'reason="disallowed"') == 183
    assert value("cpu_seconds_total", 'thread="fetcher"') == 1.5
    assert value("work_seconds_total", 'step="parse"') == 0.25
    assert value("front") == 3
    assert value("workbench_bytes") == 4096
    assert value("running_seconds") == 12.5


def test_a_counter_that_nobody_foresaw_appears_under_its_name(
    families: dict[str, tuple[str, dict[str, float]]],
) -> None:
    assert families["webstrata_crawl_brand_new_total"] == ("counter", {"": 5.0})


def test_exactly_one_state_holds(families: dict[str, tuple[str, dict[str, float]]]) -> None:
    _, samples = families["webstrata_crawl_state"]
    assert len(samples) == len(STATES)
    assert {labels for labels, value in samples.items() if value} == {'state="paused"'}


def test_every_gauge_has_a_sentence() -> None:
    assert all(text.endswith(".") for text in GAUGES.values())
