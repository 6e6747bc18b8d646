"""Names of the topics of an in-vitro web.

A topic of a web is a number with words of its own, which nobody has spoken; here it gets a name to be asked
for by. The names say nothing about the words: topic 0 is called sports, and no page of it speaks of sports.
Their order is fixed, so that a name means the same topic in every web.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from webstrata.errors import SettingError

if TYPE_CHECKING:
    from collections.abc import Collection

_NAMES = """
    sports health travel music science politics business education
    food fashion games film books cars gardening history
    weather law religion art theatre photography astronomy biology
    chemistry physics mathematics medicine engineering architecture design farming
    fishing cycling climbing sailing football chess cooking wine
    shopping jobs housing banking insurance energy transport aviation
    railways shipping computing networks robotics languages philosophy psychology
    sociology economics geography oceans animals birds forests museums
    """
TOPICS = tuple(_NAMES.split())
"""The name of each topic, by number; a web has up to as many."""


def topic_name(number: int) -> str:
    """The name of a topic.

    Examples
    --------
    >>> topic_name(0), topic_name(3)
    ('sports', 'music')
    """
    return TOPICS[number]


def find_topic(told: str, known: Collection[int]) -> int:
    """The topic that a name or a number means, of those that are known; `SettingError` where it is none.

    Examples
    --------
    >>> find_topic("music", range(12)), find_topic("3", range(12))
    (3, 3)
    >>> find_topic("sport", range(3))
    Traceback (most recent call last):
    webstrata.errors.SettingError: relevant: there is no topic sport; they are 0 sports, 1 health, 2 travel
    """
    number = int(told) if told.isdecimal() else -1
    if told.lower() in TOPICS:
        number = TOPICS.index(told.lower())
    if number not in known:
        names = ", ".join(f"{topic} {TOPICS[topic]}" for topic in sorted(known))
        raise SettingError(f"relevant: there is no topic {told}; they are {names}")
    return number
