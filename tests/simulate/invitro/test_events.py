"""Events are planned for hosts that exist, in months that have one before them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from webstrata.simulate.invitro.events import num_spam_hosts, plan_events
from webstrata.simulate.invitro.web import Web, make_settings


@given(
    seed=st.integers(0, 2**64 - 1),
    hosts=st.integers(1, 400),
    topics=st.integers(1, 20),
    months=st.integers(1, 12),
    spam=st.floats(0, 0.5),
)
def test_every_event_can_take_place(seed: int, hosts: int, topics: int, months: int, spam: float) -> None:
    settings = make_settings(
        "small", {"hosts": hosts, "topics": topics, "months": months, "spam_share": spam, "events": 4}
    )
    events = plan_events(settings, seed)
    assert len(events) == (4 if months > 1 else 0)
    for event in events:
        assert 1 <= event.month < months
        assert len(event.slots) <= settings.event_hosts
        assert list(event.slots) == sorted(set(event.slots))
        for slot in event.slots:
            assert slot < hosts - num_spam_hosts(settings)
            assert slot % topics == event.topic


def test_the_hosts_of_an_event_are_of_its_topic_in_the_web_too() -> None:
    web = Web("small", seed=6)
    hosts = web.hosts(0)
    for event in plan_events(web.settings, 6):
        assert {hosts["topic"][slot] for slot in event.slots} == {event.topic}
        assert not any(hosts["spam"][slot] for slot in event.slots)


def test_events_of_a_story_share_a_word_and_a_topic() -> None:
    changes = {"events": 60, "event_stories": 3, "event_story_share": 0.5, "topics": 4}
    events = plan_events(make_settings("small", changes), 7)
    topics: dict[str, set[int]] = {}
    for event in events:
        topics.setdefault(event.words[0], set()).add(event.topic)
    names = [event.words[0] for event in events]
    stories = {name for name in names if names.count(name) > 1}
    assert len(stories) == 3
    assert all(len(topics[name]) == 1 for name in stories)
    assert 15 < sum(name in stories for name in names) < 45
    assert len({event.words[1] for event in events}) == 60
