"""DUST, different URLs with similar text: parameters of a host that make no difference, learned from pages.

A **rule** is a host and the name of a parameter: whoever leaves it out of a URL of that host gets the same
page. Session identifiers and the page that one came from are such parameters. Two URLs of a host that differ
in one parameter alone (in its value, or one has it and the other has not) are a **pair**; a pair speaks for
the rule if both showed the same page, and against it if not.

- support: pairs that speak for it
- precision: their share among all pairs

A rule holds from a support on, and as long as its precision is `PRECISION` at least: pages that come later
can speak against it, and it is taken back. Parameters stand behind the question mark, or behind a semicolon
in the path (``;jsessionid=1``). Of each host `MAX_PAGES` pages are remembered, and so are `MAX_HOSTS` hosts.

What learned rules are written into is a JSON object, ``dust.json``: origin to a list of names.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

RULES = "dust.json"
"""Where rules are written."""
PRECISION = 0.98
"""Pairs that must speak for a rule, of all."""
MAX_PAGES = 5_000
MAX_HOSTS = 2_000
MAX_PARAMETERS = 12
"""A URL with more of them teaches nothing."""

_FIELDS = re.compile(r"[;?&]([^;?&=/]+)(=[^;?&]*)?")


@dataclass(frozen=True)
class Rule:
    """A parameter of a host that makes no difference."""

    origin: str
    name: str
    support: int
    precision: float


@dataclass
class _Host:
    pages: dict[str, int] = field(default_factory=dict)
    """What each URL showed."""
    groups: dict[tuple[str, str], tuple[str | None, int]] = field(default_factory=dict)
    """By parameter and URL without it: the first value that it had, and what was shown."""
    named: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    """By URL: parameters that others have that are the same without them."""
    agree: Counter[str] = field(default_factory=Counter)
    differ: Counter[str] = field(default_factory=Counter)
    in_force: tuple[str, ...] = ()


class Learner:
    """Rules from pages as they come.

    Parameters
    ----------
    support
        Pairs that a rule needs.

    Examples
    --------
    >>> learner = Learner(support=2)
    >>> pages = [("/a?id=1&sid=x", 11), ("/a?id=1&sid=y", 11), ("/a?id=2&sid=x", 12), ("/a?id=2&sid=z", 12)]
    >>> for target, content in pages:
    ...     learner.note("http://b.test", target, content)
    >>> list(learner.changes())
    [('http://b.test', ('sid',))]
    >>> learner.rules()
    [Rule(origin='http://b.test', name='sid', support=2, precision=1.0)]
    >>> list(learner.pairs())  # two pages that differ in nothing but id show different things
    [('http://b.test', 'id', 0, 1), ('http://b.test', 'sid', 2, 0)]
    """

    def __init__(self, support: int) -> None:
        self.support = support
        self._hosts: dict[str, _Host] = {}
        self._touched: set[str] = set()

    def note(self, origin: str, target: str, content: int) -> None:
        """Take note of what a URL of a host (path and query) showed: equal numbers for equal pages."""
        host = self._hosts.get(origin)
        if host is None:
            if len(self._hosts) >= MAX_HOSTS:
                self._forget()
            host = self._hosts[origin] = _Host()
        if target in host.pages or len(host.pages) >= MAX_PAGES:
            return
        host.pages[target] = content
        values = {match[1]: match[2] for match in _FIELDS.finditer(target)}
        if len(values) > MAX_PARAMETERS:
            return
        self._touched.add(origin)
        for name, value in values.items():
            bare = strip(target, [name])
            first = host.groups.get((name, bare))
            if first is None:
                host.groups[name, bare] = (value, content)
                host.named[bare].append(name)
                known = host.pages.get(bare)
                if known is not None:
                    self._compare(host, name, known, content)
            elif first[0] != value:  # with the same value it is the order that differs
                self._compare(host, name, first[1], content)
        for name in host.named.get(target, ()):
            self._compare(host, name, host.groups[name, target][1], content)

    def _compare(self, host: _Host, name: str, one: int, other: int) -> None:
        (host.agree if one == other else host.differ)[name] += 1

    def changes(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Origins whose rules are others than when this was asked last, with the names that count now."""
        for origin in sorted(self._touched):
            host = self._hosts[origin]
            names = tuple(rule.name for rule in self._rules(origin))
            if names != host.in_force:
                host.in_force = names
                yield origin, names
        self._touched.clear()

    def rules(self) -> list[Rule]:
        """All rules that hold, by origin and name."""
        return [rule for origin in sorted(self._hosts) for rule in self._rules(origin)]

    def pairs(self) -> Iterator[tuple[str, str, int, int]]:
        """By origin and name of a parameter: pairs that speak for a rule, and pairs that speak against it."""
        for origin, host in sorted(self._hosts.items()):
            for name in sorted({*host.agree, *host.differ}):
                yield origin, name, host.agree[name], host.differ[name]

    def _rules(self, origin: str) -> list[Rule]:
        host = self._hosts[origin]
        found = []
        for name, support in sorted(host.agree.items()):
            precision = support / (support + host.differ[name])
            if self.support and support >= self.support and precision >= PRECISION:
                found.append(Rule(origin, name, support, round(precision, 4)))
        return found

    def _forget(self) -> None:
        """Make room: those that have shown the least go, but none whose rules are in force."""
        idle = [origin for origin, host in self._hosts.items() if not host.in_force]
        idle.sort(key=lambda origin: len(self._hosts[origin].pages))
        for origin in idle[: max(len(idle) // 2, 1)]:
            del self._hosts[origin]
            self._touched.discard(origin)


def strip(url: str, names: Sequence[str]) -> str:
    """A URL, or its path and query, without the parameters of these names.

    Examples
    --------
    >>> strip("/a;jsessionid=1?x=2&sid=3", ["jsessionid", "sid"])
    '/a?x=2'
    >>> strip("/a?x=2", ["sid"])
    '/a?x=2'
    """
    path, mark, query = url.partition("?")
    kept, *extra = path.split(";")
    kept = ";".join([kept, *_without(extra, names)])
    fields = _without([field for field in query.split("&") if field], names)
    if len(fields) == len(query.split("&")):
        return kept + mark + query
    return kept + ("?" + "&".join(fields) if fields else "")


def _without(fields: Iterable[str], names: Sequence[str]) -> list[str]:
    return [field for field in fields if field.partition("=")[0] not in names]
