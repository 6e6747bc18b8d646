"""Planted events: in one month, some hosts of a topic gain pages about something nobody wrote of before.

An event has a name of two invented words, a topic, a month (never the first), and hosts of its topic that
take part. From its month on each of them has pages about it below ``/news/``, which link to each other within
the host and across hosts; its home page and some of its first pages change, name it, and link there.

With `event_stories` above 0 events, or the given share of them, are parts of long stories: a story has a
topic and a word, which is the first of the two words of each of its events. Who asks for that word finds all
events of the story so far, and which of them happened in a month only what changed then can tell.

`event_kinds` names the kinds of events, which take turns; all events of a story are of one kind, and stories
take turns:

==========  ==============================================================================================
``linked``  as above: new pages, new links, and first pages that change
``edits``   no new pages and no links: drawn pages of the hosts, as many as others bring, get two paragraphs
``links``   no new text: pages about it are there from the first month on, linked from one page of their
            host; in its month the first pages of all hosts link to them
``burst``   as ``linked``, and in the same month three times as many pages about something else come on the
            same hosts, linked as densely, each of which mentions the event's first word once. These are
            events of the kind ``noise``, which nobody asks for
==========  ==============================================================================================
"""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from webstrata.invitro.settings import InvitroSettings

_CONSONANTS = "bcdfghklmnprstvz"
_VOWELS = "aeio"
_SYLLABLES = 5
NOISE = "noise"
"""The kind of what comes with an event of the kind ``burst``."""
_BURST = 3


@dataclass(frozen=True)
class PlannedEvent:
    """An event as the core takes it; hosts are named by their slots."""

    words: tuple[str, str]
    topic: int
    month: int
    slots: tuple[int, ...]
    kind: str = "linked"
    mention: str = ""
    """A word of another event, which its pages have once."""


def num_spam_hosts(settings: InvitroSettings) -> int:
    """Hosts of link farms: whole farms only, behind the ordinary hosts.

    Examples
    --------
    >>> from webstrata.invitro import Web
    >>> num_spam_hosts(Web("tiny").settings)
    4
    """
    return int(settings.hosts * settings.spam_share) // settings.farm_hosts * settings.farm_hosts


def plan_events(settings: InvitroSettings, seed: int) -> list[PlannedEvent]:
    """The events of a web, the same for the same seed everywhere.

    Examples
    --------
    >>> from webstrata.invitro import Web
    >>> settings = Web("small").settings
    >>> plan_events(settings, seed=7) == plan_events(settings, seed=7) != plan_events(settings, seed=8)
    True
    """
    if settings.months < 2:
        return []
    # only `random()` is promised to give the same numbers in every version of Python
    draw = random.Random(seed).random
    stories = [(_below(draw, settings.topics), _word(draw)) for _ in range(settings.event_stories)]
    events = []
    for number in range(settings.events):
        planned, story = _plan(settings, draw, stories)
        turn = number if story is None else story
        kind = settings.event_kinds[turn % len(settings.event_kinds)]
        event = replace(planned, kind=kind)
        events.append(event)
        for _ in range(_BURST if kind == "burst" else 0):
            words = (_word(draw), _word(draw))
            events.append(replace(event, words=words, kind=NOISE, mention=event.words[0]))
    return events


def _below(draw: Callable[[], float], bound: int) -> int:
    return int(draw() * bound)


def _word(draw: Callable[[], float]) -> str:
    return "".join(_CONSONANTS[_below(draw, 16)] + _VOWELS[_below(draw, 4)] for _ in range(_SYLLABLES))


def _plan(
    settings: InvitroSettings, draw: Callable[[], float], stories: list[tuple[int, str]]
) -> tuple[PlannedEvent, int | None]:
    """An event, and the number of its story if it is part of one."""

    def below(bound: int) -> int:
        return _below(draw, bound)

    topic = below(settings.topics)
    month = 1 + below(settings.months - 1)
    words = (_word(draw), _word(draw))
    story = None
    if stories and draw() < settings.event_story_share:
        story = below(len(stories))
        topic, name = stories[story]
        words = (name, words[1])
    ordinary = settings.hosts - num_spam_hosts(settings)
    # hosts of the topic among the larger half, each once; a small web may have fewer than asked for
    candidates = range(topic, min(max(ordinary // 2, topic + 1), ordinary), settings.topics)
    slots: set[int] = set()
    while len(slots) < min(settings.event_hosts, len(candidates)):
        slots.add(candidates[below(len(candidates))])
    return PlannedEvent(words, topic, month, tuple(sorted(slots))), story
