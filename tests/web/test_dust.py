"""Rules about parameters without meaning."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from webstrata.web import dust
from webstrata.web.dust import Learner, strip

NAMES = ("sid", "id", "x")
fields = st.tuples(st.sampled_from(NAMES), st.integers(0, 3)).map(lambda pair: f"{pair[0]}={pair[1]}")
targets = st.tuples(st.sampled_from("ab"), st.lists(fields, max_size=3)).map(
    lambda pair: f"/{pair[0]}" + ("?" + "&".join(pair[1]) if pair[1] else "")
)


@given(st.lists(targets, max_size=60))
def test_a_rule_holds_only_if_pages_agree_without_the_parameter(seen: list[str]) -> None:
    # the page is told by everything but `sid`
    contents = {target: hash(strip(target, ["sid"])) for target in seen}
    learner = Learner(support=2)
    for target in seen:
        learner.note("http://a.test", target, contents[target])
    rules = {rule.name: rule for rule in learner.rules()}
    for rule in rules.values():
        pairs = [
            (one, other)
            for one in set(seen)
            for other in set(seen)
            if one < other and strip(one, [rule.name]) == strip(other, [rule.name])
        ]
        assert any(contents[one] == contents[other] for one, other in pairs)
        assert rule.support >= 2
        assert rule.precision >= dust.PRECISION
    if "sid" in rules:
        assert rules["sid"].precision == 1.0


def test_a_rule_is_taken_back_when_pages_speak_against_it() -> None:
    learner = Learner(support=3)
    for place in range(4):
        learner.note("http://a.test", f"/a?page={place}", 7)
    assert list(learner.changes()) == [("http://a.test", ("page",))]
    assert list(learner.changes()) == []
    learner.note("http://a.test", "/a?page=9", 8)
    assert list(learner.changes()) == [("http://a.test", ())]


def test_a_page_without_the_parameter_counts_whether_it_comes_first_or_last() -> None:
    for seen in (["/a", "/a?sid=1"], ["/a?sid=1", "/a"], ["/a;sid=1", "/a"]):
        learner = Learner(support=1)
        for target in seen:
            learner.note("http://a.test", target, 7)
        assert [rule.name for rule in learner.rules()] == ["sid"]


def test_the_order_of_parameters_says_nothing_about_them() -> None:
    learner = Learner(support=1)
    for place in range(20):
        learner.note("http://a.test", f"/view?cat=0&id={place}", place)
        learner.note("http://a.test", f"/view?id={place}&cat=0", place)
    assert learner.rules() == []


def test_no_number_of_hosts_and_pages_fills_the_memory() -> None:
    learner = Learner(support=1)
    for place in range(dust.MAX_HOSTS + 50):
        learner.note(f"http://h{place}.test", "/a?x=1", place)
    for place in range(dust.MAX_PAGES + 50):
        learner.note("http://a.test", f"/a?x={place}", place)
    assert len(learner._hosts) <= dust.MAX_HOSTS
    assert len(learner._hosts["http://a.test"].pages) == dust.MAX_PAGES
    learner.note("http://b.test", "/a?" + "&".join(f"x{place}=1" for place in range(99)), 1)
    assert learner.rules() == []


def test_support_of_zero_learns_nothing() -> None:
    learner = Learner(support=0)
    for place in range(99):
        learner.note("http://a.test", f"/a?sid={place}", 7)
    assert list(learner.changes()) == []
