"""What a simulated crawler gets for its requests: pages, addresses that stand for one, errors, and silence.

A graph knows pages alone. What else a crawler meets is simulated where it is known or told:

- **addresses that are no pages** (setting `answers`): redirects, duplicates, errors, soft 404s and pages that
  asked not to be kept, all captured URLs of the part `urls` that are no nodes. Each is a visit that takes its
  time; one that stands for a page leads on to it, and passes on what it was chosen for;
- **robots.txt**: on the clock each host is asked for it before its first page, and again when it has expired
  (`obey_robots`); what its rules forbid is never asked for, and its ``Crawl-delay`` is granted (`robots`, a
  file, since a collection keeps none: whoever crawled it obeyed them);
- **failures** (`failures`, a share p of all requests): the first k requests for a page fail, with probability
  (1 − p) pᵏ, drawn for each page and run. As in the crawler, the host rests for `retry_delay`, twice that and
  so on, and is asked for the same page; after `retries` of them the page is lost, and after four lost pages
  in a row the host is given up.

Only pages count as pages: for limits, for curves, for what is relevant.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from webstrata.errors import FormatError, MissingError
from webstrata.simulate.relevance import read_lines
from webstrata.store.key_columns import from_row_keys
from webstrata.web.robots import Robots
from webstrata.web.url import split

if TYPE_CHECKING:
    import numpy.typing as npt

    from webstrata.simulate.settings import SimulateSettings
    from webstrata.simulate.web import StoredWeb

    Told = tuple[
        npt.NDArray[np.uint8] | None, npt.NDArray[np.uint8] | None, list[float], tuple[float, float] | None
    ]

PAGE, NOTHING, LEADS_ON, FORBIDDEN = range(4)
_DIRECTIVES = ("allow", "disallow", "crawl-delay")


@dataclass(frozen=True)
class Answers:
    """What is answered, for all runs."""

    kinds: npt.NDArray[np.uint8] | None
    """Of each node, None where all are pages."""
    failures: float
    retry_delays: tuple[float, ...]
    robots: tuple[float, float] | None
    """Seconds that a robots.txt takes, and counts; None where nobody asks for it."""

    def draw(self, num_nodes: int, random: np.random.Generator) -> Told:
        """What the core takes, with how often requests for each node fail in a run.

        Examples
        --------
        >>> answers = Answers(None, 0.5, (60.0,), None)
        >>> answers.draw(6, np.random.default_rng(0))[1].tolist()  # lost after two failures
        [1, 0, 0, 0, 2, 2]
        """
        failures = None
        if self.failures:
            drawn = random.geometric(1 - self.failures, num_nodes) - 1
            failures = np.minimum(drawn, len(self.retry_delays) + 1).astype(np.uint8)
        return self.kinds, failures, list(self.retry_delays), self.robots


def make_answers(web: StoredWeb, settings: SimulateSettings) -> Answers:
    """The answers that settings describe.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.simulate.settings import SimulateSettings
    >>> from webstrata.simulate.web import StoredWeb
    >>> web = StoredWeb(testing.snapshot())
    >>> file = testing.scratch() / "rules.txt"
    >>> _ = file.write_text("garden.example Disallow: /pond")
    >>> make_answers(web, SimulateSettings(robots=str(file), retries=2)).kinds[:3].tolist()
    [0, 3, 0]
    """
    kinds = np.zeros(web.num_nodes, np.uint8)
    kinds[web.num_pages :] = np.where(web.stand_for >= 0, LEADS_ON, NOTHING)
    if settings.robots and settings.obey_robots:
        kinds[find_forbidden(web, settings.robots)] = FORBIDDEN
    asks = settings.clock and settings.obey_robots
    return Answers(
        kinds=kinds if kinds.any() else None,
        failures=settings.failures,
        retry_delays=tuple(settings.retry_delay * 2.0**attempt for attempt in range(settings.retries)),
        robots=(settings.fetch_time, settings.robots_expiry) if asks else None,
    )


def read_rules(web: StoredWeb, name: str) -> dict[str, Robots]:
    r"""The rules of each host that a file of ``HOST RULE`` lines has some for; ``*`` stands for all hosts.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.simulate.web import StoredWeb
    >>> web = StoredWeb(testing.snapshot_of({"http://a.example/": "A", "http://b.example/": "B"}))
    >>> file = testing.scratch() / "rules.txt"
    >>> _ = file.write_text("* Disallow: /cgi-bin\na.example Crawl-delay: 10\n")
    >>> {host: (rules.num_rules, rules.crawl_delay) for host, rules in read_rules(web, str(file)).items()}
    {'a.example': (1, 10.0), 'b.example': (1, 0.0)}
    """
    names = web.visited_hosts.names
    lines: dict[str, list[str]] = {}
    for host, rule in read_lines(Path(name)):
        if rule.partition(":")[0].strip().lower() not in _DIRECTIVES:
            raise FormatError(
                f"{name}: {f'{host} {rule}'.strip()!r} is no rule of a host; write it as "
                "`www.example.org Disallow: /private`"
            )
        lines.setdefault(host.lower(), []).append(rule)
    general = lines.pop("*", [])
    if unknown := set(lines).difference(names):
        raise MissingError(f"{name}: {min(unknown)} is no host of this snapshot; take it out")
    hosts = names if general else list(lines)
    texts = {host: "\n".join(["User-agent: *", *general, *lines.get(host, [])]) for host in hosts}
    return {host: Robots(text.encode()) for host, text in texts.items()}


def find_forbidden(web: StoredWeb, name: str) -> npt.NDArray[np.int64]:
    """The nodes that the rules of a file forbid.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.simulate.web import StoredWeb
    >>> web = StoredWeb(testing.snapshot())
    >>> file = testing.scratch() / "rules.txt"
    >>> _ = file.write_text("garden.example Disallow: /p*")
    >>> [web.snapshot.urls[int(node)] for node in find_forbidden(web, str(file))]
    ['http://garden.example/pond']
    """
    hosts = web.visited_hosts
    places = {host: place for place, host in enumerate(hosts.names)}
    order = np.argsort(hosts.of_node, kind="stable")
    ends = np.cumsum(np.bincount(hosts.of_node, minlength=len(hosts.names)))
    found = [np.zeros(0, np.int64)]
    for host, rules in read_rules(web, name).items():
        place = places[host]
        nodes = order[ends[place - 1] if place else 0 : ends[place]]
        targets = [split(url)[1] for url in from_row_keys(web.keys_of(nodes)).to_pylist()]
        found.append(nodes[~rules.allows_many(targets)])
    return np.concatenate(found)
