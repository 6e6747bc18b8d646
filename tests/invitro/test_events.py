"""Events are planned for hosts that exist, in months that have one before them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from webstrata.invitro.events import num_spam_hosts, plan_events
from webstrata.invitro.web import Web, make_settings


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


STILL = dict.fromkeys(
    (
        "page_change_rate", "link_change_rate", "page_death_rate", "ephemeral_share", "host_death_rate",
        "host_absence", "expired_share", "spam_share", "session_share", "mirror_share", "redirect_share",
        "broken_share",
    ),
    0.0,
)  # fmt: skip
"""Nothing happens but events."""


def read(web: Web, url: str, month: int, field: str = "text") -> str:
    facts = web.facts(url, month)
    assert facts is not None
    return str(facts[field])


def make_still_web(kind: str) -> Web:
    changes = {"hosts": 24, "pages": 400, "months": 2, "topics": 2, "events": 1, "event_hosts": 3,
               "event_pages": 6, "event_kinds": (kind,)}  # fmt: skip
    return Web("small", seed=3, settings=make_settings("small", STILL | changes))


def list_arcs(web: Web, month: int) -> set[tuple[str, str]]:
    graph = web.graph(month)
    return {
        (url, graph.urls[int(to)]) for node, url in enumerate(graph.urls) for to in graph.successors(node)
    }


def test_an_event_of_edits_changes_texts_and_no_link() -> None:
    web = make_still_web("edits")
    (event,) = web.events(1)
    assert (event.kind, event.born, event.linked) == ("edits", [], [])
    assert list_arcs(web, 0) == list_arcs(web, 1)
    changes = web.changes(0, 1)
    assert (changes.born, changes.died) == ([], [])
    # a folder that robots.txt closes has edited pages too; copies of an edited page change with it
    edited = set(event.changed) & set(web.graph(1).urls)
    assert len(edited) > 3
    assert edited <= set(changes.changed)
    for url in changes.changed:
        before, after = (read(web, url, month) for month in (0, 1))
        assert after.count(event.name) == 8
        assert event.name not in before
        assert after.startswith(before.rstrip())


def test_an_event_of_links_brings_links_to_old_pages_and_no_text() -> None:
    web = make_still_web("links")
    (event,) = web.events(1)
    assert (event.kind, event.born) == ("links", [])
    assert len(event.linked) == 6
    assert web.changes(0, 1).born == []
    then, now = list_arcs(web, 0), list_arcs(web, 1)
    assert then < now
    assert {to for _, to in now - then} == set(event.linked)
    assert {source for source, _ in now - then} >= set(event.changed)
    hosts = {url.split("/")[2] for url in event.linked}
    assert any(source.split("/")[2] != to.split("/")[2] for source, to in now - then)
    assert len(hosts) == 3
    for url in event.linked:
        assert read(web, url, 0) == read(web, url, 1)
        assert event.name in read(web, url, 0, "title")


def test_an_event_with_a_burst_has_three_times_as_many_unrelated_pages_around() -> None:
    web = make_still_web("burst")
    event, *noise = web.events(1)
    assert event.kind == "burst"
    assert [each.kind for each in noise] == ["noise"] * 3
    assert {each.month for each in noise} == {event.month}
    assert sum(len(each.born) for each in noise) == 3 * len(event.born)
    word = event.name.split()[0]
    for each in noise:
        assert each.name.split()[0] != word
        assert {read(web, url, 1).count(word) for url in each.born} == {1}
        assert {url.split("/")[2] for url in each.born} == {url.split("/")[2] for url in event.born}


def test_kinds_take_turns_and_leave_the_plan_of_linked_events_as_it_was() -> None:
    changes = {"events": 6, "months": 5, "event_kinds": ("linked", "edits", "links")}
    turns = plan_events(make_settings("small", changes), 4)
    assert [event.kind for event in turns] == ["linked", "edits", "links"] * 2
    plain = plan_events(make_settings("small", {"events": 6, "months": 5}), 4)
    assert [(event.words, event.month, event.slots) for event in turns] == [
        (event.words, event.month, event.slots) for event in plain
    ]


def test_all_events_of_a_story_are_of_one_kind() -> None:
    kinds = ("linked", "edits", "links", "burst")
    changes = {"events": 60, "event_stories": 8, "months": 5, "event_kinds": kinds}
    events = plan_events(make_settings("small", changes), 7)
    own: dict[str, set[str]] = {}
    for event in events:
        if event.kind != "noise":
            own.setdefault(event.words[0], set()).add(event.kind)
    assert all(len(found) == 1 for found in own.values())
    assert {kind for found in own.values() for kind in found} == set(kinds)
    assert sum(event.kind == "noise" for event in events) == 3 * sum(
        event.kind == "burst" for event in events
    )
