"""robots.txt: what a host asks of one agent (RFC 9309), and what it means that it could not be had.

A file is groups: lines that name agents, then rules. The groups that name an agent count for it, all of
them together; if none does, those for ``*``; if there are none, all is allowed. A path with its query is
decided by the longest rule that matches its beginning, by the one that allows if two are of equal length;
``*`` stands for any text and ``$`` at the end of a rule for the end. Rules and paths are compared
percent-encoded, each octet in one way (RFC 3986, section 6.2.2.2). ``/robots.txt`` itself is always allowed.

Beyond the RFC: names of directives are found in spite of common misspellings and of a colon that is missing;
who allows ``/a/index.html`` allows ``/a/``; a mark of byte order is skipped, UTF-16 read, and the tags of a
page left out; ``Crawl-delay`` counts for the agents named just before it, the longest if there are several;
``Sitemap`` lines are for all, and ``Content-Signal`` and ``Content-Usage`` are kept as they stand. Where
other parsers decide otherwise, and why we do not, is in ``docs/decisions/robots.md``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from webstrata._core import web as _core

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy as np
    from numpy.typing import NDArray

MAX_BYTES = 500 * 1024
"""What is read of a file: as much as the RFC asks for at least."""

_CLOSED = b"User-agent: *\nDisallow: /\n"


class Robots:
    r"""The rules of one host for one agent, in a few bytes more than their text.

    Without content it allows all. The parameters are those of `parse_robots`. Rules that are for others are
    not kept, so that a crawler can hold those of all its hosts.

    Examples
    --------
    >>> robots = Robots(b"User-agent: *\nDisallow: /a\nSitemap: http://a.uk/s.xml\n")
    >>> robots
    Robots(num_rules=1, crawl_delay=0.0)
    >>> robots.sitemaps
    ['http://a.uk/s.xml']
    """

    __slots__ = ("_core",)

    def __init__(
        self,
        content: bytes = b"",
        agent: str | Sequence[str] = "webstrata",
        *,
        max_bytes: int = MAX_BYTES,
        like_google: bool = False,
    ) -> None:
        names = [agent] if isinstance(agent, str) else agent
        # what stands behind the slash is a version, and no part of the name
        tokens = [name.partition("/")[0].encode() for name in names]
        self._core = _core.Robots(content, tokens, max_bytes, like_google)

    def __repr__(self) -> str:
        return f"Robots(num_rules={self.num_rules}, crawl_delay={self.crawl_delay})"

    def allows(self, target: str | bytes) -> bool:
        r"""Whether a path with its query may be fetched.

        The fragment is no part of it. Text is taken as UTF-8; an empty path is ``/``.

        Examples
        --------
        >>> robots = Robots(b"User-agent: *\nDisallow: /*.pdf$\nDisallow: /caf%C3%A9\n")
        >>> [robots.allows(target) for target in ("/a.pdf", "/a.pdf?b", "/café/menu", "")]
        [False, True, False, True]
        """
        return self._core.allows(_encode(target))

    def allows_many(self, targets: Iterable[str | bytes]) -> NDArray[np.bool_]:
        r"""Which of many paths with their queries may be fetched, faster than one by one.

        Examples
        --------
        >>> Robots(b"User-agent: *\nDisallow: /a\n").allows_many(f"/{name}" for name in "abc")
        array([False,  True,  True])
        """
        return self._core.allows_many([_encode(target) for target in targets])

    @property
    def num_rules(self) -> int:
        """How many rules there are; with none, all is allowed."""
        return self._core.num_rules

    @property
    def num_bytes(self) -> int:
        """The memory that the rules take."""
        return self._core.num_bytes

    @property
    def crawl_delay(self) -> float:
        """Seconds that the host asks for between two requests, 0 if it does not ask.

        No value is too large here; how long a crawler is willing to wait is its own decision.
        """
        return self._core.crawl_delay

    @property
    def sitemaps(self) -> list[str]:
        """What the host calls its sitemaps, each once, as written.

        They are for all agents. Some are relative, some of another host.
        """
        return [line for line in dict.fromkeys(self._core.sitemaps) if line]

    @property
    def signals(self) -> list[str]:
        """What the host says about the use of its content: ``content-signal: ai-train=no``."""
        return list(dict.fromkeys(self._core.signals))


def parse_robots(
    content: bytes,
    agent: str | Sequence[str] = "webstrata",
    *,
    max_bytes: int = MAX_BYTES,
    like_google: bool = False,
) -> Robots:
    r"""The rules that a robots.txt has for an agent.

    Parameters
    ----------
    content
        The file as it came; any bytes will do.
    agent
        The product token, as in the crawler's User-Agent, ``*`` for what is asked of everybody; several names
        if the crawler listens to more than one.
    max_bytes
        Lines that do not end within so many bytes are not read.
    like_google
        Decide as Google's own parser where it and the RFC differ: no name with a digit in it is ever meant,
        ``%61`` in a rule is not the ``a`` of a path, and ``/robots.txt`` is a path like others.

    Examples
    --------
    >>> robots = parse_robots(b"User-agent: *\nDisallow: /a\nAllow: /a/b\nCrawl-delay: 1\n")
    >>> robots.allows("/a/c"), robots.allows("/a/b/c"), robots.allows("/"), robots.crawl_delay
    (False, True, True, 1.0)
    >>> robots.allows_many(["/a", "/b?c=1"])
    array([False,  True])
    """
    return Robots(content, agent, max_bytes=max_bytes, like_google=like_google)


def rules_for_status(
    status: int | None,
    content: bytes = b"",
    agent: str | Sequence[str] = "webstrata",
    *,
    max_bytes: int = MAX_BYTES,
) -> Robots:
    r"""The rules that follow from the answer to the request for robots.txt (RFC 9309, section 2.3.1).

    2xx: those of the file. 3xx, when no more redirects are followed, and 4xx: there is no file, and all is
    allowed. 5xx, 429, or no answer (None): the host cannot say now what it wants, and nothing is allowed
    until it has been asked again.

    Parameters
    ----------
    status
        That of the last answer, redirects followed (the RFC asks for five at least, also to other hosts; the
        rules are for the host that was asked first).
    content
        The body of that answer, decoded as its Content-Encoding says.
    agent, max_bytes
        As for `parse_robots`.

    Examples
    --------
    >>> [rules_for_status(status).allows("/a") for status in (200, 301, 404, 429, 503, None)]
    [True, True, True, False, False, False]
    >>> rules_for_status(200, b"User-agent: webstrata\nDisallow: /a\n").allows("/a")
    False
    """
    if status is not None and 200 <= status < 300:
        return Robots(content, agent, max_bytes=max_bytes)
    if status is not None and 300 <= status < 500 and status != 429:
        return Robots()
    return Robots(_CLOSED)


def _encode(target: str | bytes) -> bytes:
    return target.encode("utf-8", "surrogateescape") if isinstance(target, str) else target
