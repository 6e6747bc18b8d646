"""The gate: what it says of hosts, what neighbours add, and the bound on what honest hosts lose."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.classify.farms import Host, make_farms, train_farms
from webstrata.classify.gate.model import UNSEEN, Gate, GateNeighbours, GateVerdict, bound_threshold, weigh


def test_hosts_of_farms_are_refused_and_others_are_let_in() -> None:
    hosts, labels, _ = make_farms()
    for uses_links in (False, True):
        gate = Gate(train_farms().model, uses_links=uses_links)
        said = gate(hosts)
        spam = np.array(list(labels.values()))
        refused = np.array([not verdict for verdict in said])
        # these are hosts it was learned from: what matters is that the way through pages is the right one
        assert refused[spam].mean() > 0.6
        assert refused[~spam].mean() <= 0.05
        assert all(0 <= (verdict.score or 0) <= 1 and "0." in verdict.why for verdict in said)
        assert gate.seconds > 0


def test_one_host_alone_is_judged_as_among_others_without_links() -> None:
    hosts = make_farms()[0][:5]
    gate = Gate(train_farms().model, uses_links=False)
    assert [gate([host])[0] for host in hosts] == gate(hosts)


def test_a_host_of_which_nothing_was_seen_is_let_in() -> None:
    [said] = Gate(train_farms().model)([Host("http://new.example", [])])
    assert said == GateVerdict(keeps=True, why=UNSEEN)


def test_neighbours_that_are_spam_raise_a_score_and_are_remembered() -> None:
    hosts, labels, _ = make_farms()
    names = list(labels)
    places = [place for place, name in enumerate(names) if labels[name]]
    model = train_farms().model

    def judge(known: float) -> float:
        total = 0.0
        for place in places[:20]:
            gate = Gate(model)
            others = {f"http://{name}": known for name in names if name != names[place]}
            gate.remember(others)
            total += gate([hosts[place]])[0].score or 0.0
        return total

    assert judge(1.0) > judge(0.0)


def test_neighbours_count_those_who_were_judged_on_both_sides() -> None:
    known = GateNeighbours()
    known.add("a.org", ["b.org", "c.org"])
    known.add("d.org", ["a.org"])
    known.scores.update({"b.org": 0.2, "c.org": 0.6, "x.org": 1.0})
    found = known.read("a.org")
    assert found[:7] == pytest.approx([2, 2, 0.4, 0.6, 1, 0, np.nan], nan_ok=True)
    assert np.isnan(known.read("nobody.org")[2:4]).all()


@given(
    st.lists(st.tuples(st.floats(0, 1), st.integers(1, 50)), min_size=1, max_size=200),
    st.floats(0, 0.3),
)
def test_a_threshold_never_costs_more_than_its_bound(hosts: list[tuple[float, int]], bound: float) -> None:
    scores, pages = (np.array(column, float) for column in zip(*hosts, strict=True))
    refused = scores >= bound_threshold(scores, pages, bound)
    assert refused.sum() <= bound * (len(scores) + 1)
    assert pages[refused].sum() <= bound * pages.sum() + 1e-9


def test_the_bound_holds_for_new_hosts_on_the_mean() -> None:
    chance = np.random.default_rng(1)
    lost = []
    for _ in range(400):
        threshold = bound_threshold(chance.random(150), np.ones(150), 0.05)
        lost.append((chance.random(50) >= threshold).mean())
    assert np.mean(lost) <= 0.05
    assert np.mean(lost) > 0.03  # and is no empty promise


def test_weights_saturate_and_long_documents_count_less() -> None:
    idf = np.array([1, 1, 2], np.float32)
    counts = np.array([[1, 1, 0], [1, 50, 0], [1, 0, 1]], np.float32)
    found = weigh(counts, idf, 2.0)
    assert np.allclose(np.linalg.norm(found, axis=1), 1)
    assert found[1, 1] / found[1, 0] < 50
    assert found[2, 2] == pytest.approx(2 * found[2, 0])
