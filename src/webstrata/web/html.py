"""What a page says: links, title, directives, text, fingerprint, found in one pass over its bytes.

The page is read as the tokenizer of the HTML standard reads it, without building a tree. Links are

- to pages: ``a``, ``area``, ``frame``, ``iframe``, meta refresh, and ``link`` by its ``rel``: ``canonical``,
  ``next``, ``prev``, ``alternate``, ``amp`` (for ``amphtml``), else ``link``;
- to resources, on request: ``stylesheet``, ``icon``, ``image`` (candidates of ``srcset``, posters,
  backgrounds and references of SVG too), ``script``, ``embed``, ``object``, ``media``, ``preload``,
  ``manifest`` and ``style``, what CSS in the page names (`webstrata.web.css`);
- no links at all: hints to browsers such as ``prefetch``, ``dns-prefetch`` or ``pingback``.

Links in templates, comments and scripts are none. Where a browser's tree would have other links is counted in
``docs/decisions/html.md``.
"""

from __future__ import annotations

import enum
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from webstrata._core import web as _core
from webstrata.web.charset import Charset, CharsetSource
from webstrata.web.url import MAX_LENGTH, Reject, normalize_many

if TYPE_CHECKING:
    from collections.abc import Sequence


class Kind(enum.StrEnum):
    """Where a link stands."""

    ANCHOR = "anchor"
    AREA = "area"
    FRAME = "frame"
    IFRAME = "iframe"
    REFRESH = "refresh"
    CANONICAL = "canonical"
    NEXT = "next"
    PREV = "prev"
    ALTERNATE = "alternate"
    AMP = "amp"
    LINK = "link"
    STYLESHEET = "stylesheet"
    ICON = "icon"
    IMAGE = "image"
    SCRIPT = "script"
    EMBED = "embed"
    OBJECT = "object"
    MEDIA = "media"
    PRELOAD = "preload"
    MANIFEST = "manifest"
    STYLE = "style"


# the core tells kinds by their place
_KINDS = tuple(Kind)


class Rel(enum.Flag):
    """What a link says of itself to search engines."""

    NOFOLLOW = 1
    UGC = 2
    SPONSORED = 4


class Directives(enum.Flag):
    """What a page asks of robots; ``none`` is the first two."""

    NOINDEX = 1
    NOFOLLOW = 2
    NOARCHIVE = 4


@dataclass(frozen=True, slots=True)
class Link:
    """A link of a page."""

    kind: Kind
    url: str | None
    """Its normal form, None where it has none."""
    target: str
    """As written, character references decoded."""
    rel: Rel
    anchor: str
    """Its text, if that was wanted."""
    reject: Reject | None
    """Why it has no normal form."""


@dataclass(frozen=True, slots=True)
class Page:
    """What a page says."""

    title: str
    base: str | None
    """What relative links are resolved against."""
    links: list[Link]
    """In the order of the page."""
    robots: Directives
    refresh: float | None
    """Seconds after which browsers go to the link of kind ``refresh``."""
    language: str | None
    """The ``lang`` of the root; `webstrata.web.language.detect` looks at the text."""
    text: str
    """Visible text, if wanted: a line for each block, white space collapsed."""
    headings: list[tuple[int, str]]
    """Level and text of each heading, if the text is wanted."""
    tags: list[int]
    """Bytes of the text, as UTF-8, before each tag, if the text is wanted; those of scripts are left out."""
    fingerprint: int | None
    """None for a page with little text (`webstrata.web.fingerprint`)."""
    charset: Charset

    @property
    def canonical(self) -> str | None:
        """The address that the page calls its own."""
        return next((link.url for link in self.links if link.kind is Kind.CANONICAL), None)

    @property
    def rejects(self) -> Counter[Reject]:
        """How many links have no normal form, by reason."""
        return Counter(link.reject for link in self.links if link.reject is not None)


def scan(
    body: bytes,
    *,
    url: str | None = None,
    charset: str | None = None,
    agents: Sequence[str] = (),
    resources: bool = False,
    anchors: bool = True,
    text: bool = False,
    max_length: int = MAX_LENGTH,
) -> Page:
    """What a page says.

    Parameters
    ----------
    body
        The page as it came; any bytes will do.
    url
        Its address. Without it relative links are rejected, unless the page names a base.
    charset
        The label of its Content-Type header.
    agents
        Names of `meta` elements beside ``robots`` whose directives count: the crawler's own.
    resources, anchors, text
        Whether links to images, scripts and the like are wanted; texts of links; the text of the page.
    max_length
        Bytes of the longest address.

    Examples
    --------
    >>> page = scan(b"<title>A &amp; B</title><a href=../c?d rel=nofollow>C</a><a href=mailto:x>", url="http://a.uk/b/")
    >>> page.title, page.links[0].url, page.links[0].rel, page.links[0].anchor
    ('A & B', 'http://a.uk/c?d', <Rel.NOFOLLOW: 1>, 'C')
    >>> page.rejects
    Counter({<Reject.SCHEME: 'scheme'>: 1})
    """
    tld = _find_tld(url)
    found = _core.scan_page(
        body, charset, tld=tld, agents=list(agents), resources=resources, anchors=anchors, text=text
    )
    base = _find_base(found["base"], url)
    targets = [target for _, target, _, _ in found["links"]]
    urls, rejects = normalize_many(targets, base, max_length=max_length)
    links = [
        Link(_KINDS[kind], urls[place], target, Rel(rel), anchor, rejects.get(place))
        for place, (kind, target, rel, anchor) in enumerate(found["links"])
    ]
    return Page(
        title=found["title"],
        base=base,
        links=links,
        robots=Directives(found["robots"]),
        refresh=found["refresh"],
        language=found["language"] or None,
        text=found["text"],
        headings=found["headings"],
        tags=found["tags"],
        fingerprint=found["fingerprint"],
        charset=Charset(found["charset"], CharsetSource(found["source"])),
    )


def glance(body: bytes, *, charset: str | None = None) -> tuple[int | None, Directives]:
    """The fingerprint of a page, if it has one, and what it asks of robots: what an index has of `scan`.

    Examples
    --------
    >>> body = b"<meta name=robots content=noindex><p>Text"
    >>> glance(body) == (scan(body).fingerprint, Directives.NOINDEX)
    True
    """
    found = _core.scan_page(body, charset, tld="", agents=[], resources=False, anchors=False, text=False)
    return found["fingerprint"], Directives(found["robots"])


def parse_directives(value: str, agents: Sequence[str] = ()) -> Directives:
    """What an X-Robots-Tag header asks of everybody and of some agents.

    A name with a colon says for whom are the directives behind it, up to the next name.

    Examples
    --------
    >>> parse_directives("noarchive, otherbot: noindex, nofollow")
    <Directives.NOARCHIVE: 4>
    >>> parse_directives("Webstrata: none", ["webstrata"])
    <Directives.NOINDEX|NOFOLLOW: 3>
    """
    return Directives(_core.parse_robots_directives(value, list(agents)))


def _find_base(told: str | None, url: str | None) -> str | None:
    """What relative links are resolved against, where a page names a base and where not."""
    return url if told is None else normalize_many([told], url, max_length=1 << 20)[0][0] or url


def _find_tld(url: str | None) -> str:
    try:
        name = urlsplit(url or "").hostname or ""
    except ValueError:
        return ""
    return name.rpartition(".")[2]
