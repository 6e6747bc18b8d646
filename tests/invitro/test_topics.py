"""Topics have names, as many as a web may have topics."""

from __future__ import annotations

import pyarrow.parquet as pq
import pytest

import webstrata as ws
from webstrata.errors import SettingError
from webstrata.invitro.settings import topics
from webstrata.invitro.topics import TOPICS, find_topic, topic_name
from webstrata.invitro.truth import build_truth


def test_every_topic_that_a_web_may_have_has_a_name_of_its_own() -> None:
    assert len(set(TOPICS)) == len(TOPICS) == 64
    assert all(topics[1](number) for number in range(1, len(TOPICS) + 1))
    assert not topics[1](len(TOPICS) + 1)
    assert [find_topic(topic_name(number), range(64)) for number in range(64)] == list(range(64))


@pytest.mark.parametrize("told", ["music", "3", "-1", "", "sportss"])
def test_a_topic_that_the_web_lacks_is_refused_with_those_it_has(told: str) -> None:
    with pytest.raises(SettingError, match=f"no topic {told}; they are 0 sports, 2 travel"):
        find_topic(told, {0, 2})


def test_the_truth_names_the_topics(tmp_path: object) -> None:
    snapshot = ws.create(f"{tmp_path}/uk").add("2026-01")
    build_truth(snapshot, ws.invitro.Web("tiny", seed=7), month=0)
    with snapshot.open_part("truth") as part:
        for name in ("nodes", "hosts", "events"):
            table = pq.read_table(part.path / f"{name}.parquet")
            assert table.num_rows
            assert [TOPICS[topic] for topic in table["topic"].to_pylist()] == table["topic_name"].to_pylist()
