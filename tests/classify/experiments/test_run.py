"""Tables of an experiment: which tasks they have, and what is known of addresses; the rest is a story."""

from __future__ import annotations

import json

from webstrata.classify.experiments import Experiment, Sensitivity
from webstrata.classify.experiments.run import _addresses, _largest
from webstrata.classify.experiments.sheet import PaperTable
from webstrata.classify.learning.labels import Labels


def test_tasks_with_hardly_any_positives_are_left_out() -> None:
    hosts = [f"{number}.org" for number in range(2000)]
    labels = Labels(
        "labels.csv",
        {
            "spam": {host: place % 5 == 0 for place, host in enumerate(hosts)},
            "news": {host: place % 20 == 0 for place, host in enumerate(hosts)},
            "personal": {host: place % 3 == 0 for place, host in enumerate(hosts)},
            "rare": {host: place < 15 for place, host in enumerate(hosts)},
            "elsewhere": {f"x{host}": place % 2 == 0 for place, host in enumerate(hosts)},
        },
    )
    assert _largest(labels, hosts, "spam") == ["personal", "news"]


def test_addresses_of_many_hosts_are_listed_with_their_labels() -> None:
    hosts = ["a.org", "b.org", "c.org", "d.org"]
    addresses = ["10.0.0.1", "10.0.0.1", "10.0.0.2", "10.0.0.1"]
    table = _addresses(hosts, addresses, {"a.org": True, "b.org": False, "c.org": True})
    assert table.rows == [[3, "10.0.0.1", 1, 1, "a.org, b.org, d.org"]]


def test_an_experiment_is_plain_data() -> None:
    table = PaperTable("table 6", "Content", ["set", "AUC"], [["A", "0.859"]])
    found = Experiment("spam", "2026-06", [table], [Sensitivity("A", 0.1, 20, 0.8, 0.02)])
    assert found.table("table 6") is table
    document = json.loads(json.dumps(found.to_dict()))
    assert document["tables"][0]["rows"] == [["A", "0.859"]]
    assert document["figure 2"][0]["labels"] == 20
