"""The page that a user agent points to: who crawls, why, how politely, and how to keep the crawler out."""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING

from webstrata.collection.settings import to_text
from webstrata.crawl.configuration import parse_delays, product_token
from webstrata.errors import SettingError

if TYPE_CHECKING:
    from webstrata.crawl.settings import CrawlSettings

_CONTACT = re.compile(r"\+?(https?://[^\s;)]+|mailto:[^\s;)]+|[\w.+-]+@[\w-]+(?:\.[\w-]+)+)")

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{name}</title>
</head>
<body>
<h1>{name}</h1>
<p>{name} collects pages of the web for the collection <em>{title}</em>. It calls itself</p>
<pre>{agent}</pre>
<p>{contact}</p>
<h2>How to keep it out</h2>
<p>It reads <code>robots.txt</code> (RFC 9309) before anything else of a host{expiry}.
To keep it out of all of a host, write</p>
<pre>User-agent: {name}
Disallow: /</pre>
<p>to keep it out of a part</p>
<pre>User-agent: {name}
Disallow: /private/</pre>
<p>and to let it wait longer between two requests</p>
<pre>User-agent: {name}
Crawl-delay: 30</pre>
<h2>How it behaves</h2>
<ul>
{items}
</ul>
</body>
</html>
"""


def find_contact(user_agent: str) -> str | None:
    """Where a user agent says that its people can be reached, as a link; none if it does not.

    Examples
    --------
    >>> find_contact("example-crawler/1.0 (+https://example.org/crawler)")
    'https://example.org/crawler'
    >>> find_contact("example-crawler/1.0 (crawl@example.org)")
    'mailto:crawl@example.org'
    >>> find_contact("example-crawler/1.0") is None
    True
    """
    found = _CONTACT.search(user_agent)
    if found is None:
        return None
    return found[1] if ":" in found[1] else f"mailto:{found[1]}"


def write_bot_page(settings: CrawlSettings, *, title: str) -> str:
    """The page as HTML, from what a crawl with these settings does.

    Examples
    --------
    >>> from webstrata.crawl.settings import CrawlSettings
    >>> settings = CrawlSettings(user_agent="example-crawler/1.0 (+https://example.org/crawler)")
    >>> page = write_bot_page(settings, title="uk")
    >>> "User-agent: example-crawler" in page, "4s between two requests to a host" in page
    (True, True)
    """
    if not settings.user_agent:
        raise SettingError(
            "user_agent: there is nobody to write about; give a name and an address to complain to, as "
            '--user-agent "example-crawler/1.0 (+https://example.org/crawler)"'
        )
    name = escape(product_token(settings.user_agent))
    contact = find_contact(settings.user_agent)
    link = f'Its people are reached at <a href="{escape(contact)}">{escape(contact)}</a>.' if contact else ""
    return _PAGE.format(
        name=name,
        title=escape(title),
        agent=escape(settings.user_agent),
        contact=link or "Its user agent names nobody to be reached.",
        expiry=f", and again after {to_text(settings.robots_expiry, 'seconds')}",
        items="\n".join(f"<li>{escape(text)}</li>" for text in describe_manners(settings)),
    )


def describe_manners(settings: CrawlSettings) -> list[str]:
    """What a crawl does and does not do to hosts, a sentence each.

    Examples
    --------
    >>> from webstrata.crawl.settings import CrawlSettings
    >>> describe_manners(CrawlSettings(obey_robots=False))[0]
    'It does not obey robots.txt, X-Robots-Tag and meta robots in this crawl.'
    """

    def seconds(value: float) -> str:
        return to_text(value, "seconds")

    told = []
    if settings.obey_robots:
        told.append(
            "It obeys robots.txt, X-Robots-Tag and meta robots: nofollow links are not followed, noarchive "
            "pages are not stored, noindex pages are not listed."
        )
    else:
        told.append("It does not obey robots.txt, X-Robots-Tag and meta robots in this crawl.")
    told.append(
        f"It waits at least {seconds(settings.host_delay)} between two requests to a host and "
        f"{seconds(settings.ip_delay)} between two to an address, with one connection at a time."
    )
    if settings.keep_alive:
        told.append(f"On one connection it may ask for pages during {seconds(settings.keep_alive)}.")
    for host, delay in sorted(parse_delays("host_delays", settings.host_delays).items()):
        told.append(f"For {host} the delay is {seconds(delay)}.")
    if settings.delay_factor:
        told.append(
            f"A host that answers slowly rests for {settings.delay_factor:g} times its response time, and "
            f"one that answers 429 or 5xx longer still, up to {seconds(settings.max_adaptive_delay)}."
        )
    told.append(
        f"It grants a Crawl-delay up to {seconds(settings.max_crawl_delay)} and a Retry-After up to "
        f"{seconds(settings.max_retry_after)}; who asks for more is not asked again for that page."
    )
    told.append(
        f"It fetches at most {settings.max_pages_per_host} pages of a host and at most "
        f"{to_text(settings.max_response, 'bytes')} of each."
    )
    if settings.probe_after:
        told.append(
            f"After {settings.probe_after} pages it asks a host once for a path of random letters, to learn "
            "what its page for missing pages looks like."
        )
    reserved = "they are stored" if settings.store_reserved else "they are not stored"
    told.append(
        "Content-Usage and TDMRep statements are recorded with each page; where rights are reserved, "
        f"{reserved}."
    )
    return told
