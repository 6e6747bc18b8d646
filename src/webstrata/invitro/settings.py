"""What an in-vitro web is made of: every share and rate a setting, and presets.

A preset is a web by name: with a seed it serves the same bytes wherever it runs. What it serves is frozen by
a digest (`webstrata.invitro.presets.digest`), so that figures measured on it stay comparable.
"""

from __future__ import annotations

from dataclasses import dataclass

from webstrata.collection.settings import Settings, not_negative, positive, setting, share

exponent = ("between 1.2 and 4", lambda value: 1.2 <= value <= 4)
months = ("between 1 and 64", lambda value: 1 <= value <= 64)
ticks = ("between 0 and 86400", lambda value: 0 <= value <= 86_400)
sessions = ("between 1 and 3", lambda value: 1 <= value <= 3)
topics = ("between 1 and 64", lambda value: 1 <= value <= 64)
EVENT_KINDS = ("linked", "edits", "links", "burst")
_kinds = (
    f"one or more of {', '.join(EVENT_KINDS)}",
    lambda value: bool(value) and set(value) <= set(EVENT_KINDS),
)


@dataclass(frozen=True, kw_only=True)
class InvitroSettings(Settings):
    """What an in-vitro web is made of; the defaults are the preset `realistic`."""

    hosts: int = setting(2_000, "Hosts, those of link farms included.", check=positive)
    pages: int = setting(200_000, "Pages of a month, those of link farms included.", check=positive)
    months: int = setting(12, "Months for which the web exists; they count from 0.", check=months)

    size_exponent: float = setting(2.1, "Exponent of the sizes of hosts.", check=exponent)
    in_exponent: float = setting(2.1, "Exponent of the links that hosts get from others.", check=exponent)
    out_exponent: float = setting(2.7, "Exponent of the links in the text of pages.", check=exponent)
    content_links: float = setting(6.0, "Fewest links in the text of a page.", check=not_negative)
    words: int = setting(850, "Mean number of words in the text of a page.", check=positive)
    local_share: float = setting(0.6, "Links of the text that stay on the host.", check=share)
    sibling_share: float = setting(
        0.5, "Links of the text that a page has in common with its folder.", check=share
    )
    topical_share: float = setting(0.7, "Links to other hosts that stay in the topic.", check=share)
    topics: int = setting(12, "Topics, each with words of its own.", check=topics)
    stock_share: float = setting(
        0.0,
        "Paragraphs put together from a stock of sentences; in the others each word is drawn.",
        check=share,
    )
    uk_share: float = setting(0.3, "Domains below .uk.", check=share)
    foreign_share: float = setting(0.15, "Domains of other languages.", check=share)
    legacy_charset_share: float = setting(0.15, "Hosts with a charset other than UTF-8.", check=share)

    host_death_rate: float = setting(0.01, "Domains that give way to others, per month.", check=share)
    host_absence: float = setting(0.02, "Hosts that cannot be reached, in each month others.", check=share)
    page_death_rate: float = setting(0.03, "Pages that give way to others, per month.", check=share)
    ephemeral_share: float = setting(0.05, "Places where the page is another one every month.", check=share)
    page_change_rate: float = setting(0.15, "Pages whose text changes, per month.", check=share)
    link_change_rate: float = setting(0.05, "Links of the text that are changed, per month.", check=share)
    events: int = setting(6, "Planted events.", check=not_negative)
    event_hosts: int = setting(8, "Hosts that take part in an event.", check=positive)
    event_pages: int = setting(40, "Pages that an event brings.", check=positive)
    event_stories: int = setting(
        0,
        "Stories that events are parts of, each with a word that all its events have; 0 for none.",
        check=not_negative,
    )
    event_story_share: float = setting(
        1.0, "Of the events, those that are parts of a story where there are any.", check=share
    )
    event_kinds: tuple[str, ...] = setting(
        ("linked",),
        f"Kinds of events (stories, where there are any), which take turns: {', '.join(EVENT_KINDS)}. "
        "`linked` brings pages and links, "
        "`edits` changes texts alone, `links` adds links to old pages alone, `burst` is `linked` with many "
        "unrelated pages in the same month.",
        check=_kinds,
    )

    ticks_per_day: int = setting(
        0,
        "Moments of a day in a web in continuous time: pages, links and hosts come, change and go at any of "
        "them. 0 for a web that moves by months. Rates per month hold for thirty days then.",
        check=ticks,
    )
    slowest_change: float = setting(
        0.003, "Changes per day of the slowest page in continuous time.", check=not_negative
    )
    fastest_change: float = setting(
        24.0,
        "Changes per day of the fastest page; rates are log-uniform between both.",
        check=not_negative,
    )
    honest_share: float = setting(
        1.0,
        "Hosts in continuous time whose ETag and Last-Modified change when the content does.",
        check=share,
    )
    stale_share: float = setting(0.0, "Hosts whose ETag and Last-Modified never change.", check=share)
    fickle_share: float = setting(
        0.0, "Hosts whose ETag and Last-Modified change all the time; the rest has none.", check=share
    )

    duplicate_share: float = setting(
        0.12, "Pages that are exact copies of another page of their host.", check=share
    )
    near_duplicate_share: float = setting(0.05, "Pages that are variations of another one.", check=share)
    near_similarity: float = setting(0.92, "Words that a variation keeps.", check=share)
    mirror_share: float = setting(0.04, "Hosts that have a mirror under another name.", check=share)
    session_share: float = setting(0.03, "Hosts that put session identifiers into their links.", check=share)
    sessions: int = setting(3, "Session identifiers that such a host hands out.", check=sessions)
    dynamic_share: float = setting(0.1, "Hosts whose addresses have parameters, in any order.", check=share)

    redirect_share: float = setting(0.03, "Links of the text that go through redirects.", check=share)
    redirect_loop_share: float = setting(0.001, "Links of the text into a loop of redirects.", check=share)
    broken_share: float = setting(0.02, "Links of the text that lead nowhere.", check=share)
    soft_404_share: float = setting(0.05, "Hosts that answer 200 for what is not there.", check=share)
    nofollow_share: float = setting(0.03, "Links of the text marked nofollow.", check=share)
    noindex_share: float = setting(0.02, "Pages marked noindex.", check=share)
    canonical_share: float = setting(0.5, "Hosts whose pages name their canonical address.", check=share)
    volatile_share: float = setting(0.5, "Hosts with dates, counters and advertisements.", check=share)
    relative_share: float = setting(0.4, "Hosts that write relative links.", check=share)
    base_share: float = setting(0.15, "Of those, hosts that write them relative to a <base>.", check=share)
    robots_share: float = setting(0.6, "Hosts that have a robots.txt.", check=share)
    robots_error_share: float = setting(0.01, "Hosts whose robots.txt closes them or is broken.", check=share)
    trap_share: float = setting(0.02, "Hosts with a calendar and a folder without end.", check=share)
    traps_disallowed: float = setting(0.5, "Of those, hosts that forbid them in robots.txt.", check=share)
    hazard_share: float = setting(0.01, "Hosts with responses that hurt.", check=share)
    failing_share: float = setting(0.01, "Hosts that always fail.", check=share)
    flaky_share: float = setting(0.01, "Pages that fail the first time (429, 503).", check=share)
    compressed_share: float = setting(
        0.5, "Hosts that compress (gzip, br, zstd) where it is accepted.", check=share
    )

    spam_share: float = setting(0.08, "Hosts that belong to link farms.", check=share)
    farm_hosts: int = setting(20, "Hosts of a link farm.", check=positive)
    comment_spam_share: float = setting(0.02, "Links to other hosts that lead to link farms.", check=share)
    cloaking_share: float = setting(0.2, "Hosts of link farms that show browsers another text.", check=share)

    spam_camouflage: float = setting(
        0.0,
        "How far link farms hide what they are, each some of it: 0 for all blatant, 1 for all shades.",
        check=share,
    )
    commercial_share: float = setting(
        0.0, "Honest hosts that stuff words and link to sister sites, as farms do.", check=share
    )
    farm_change_rate: float = setting(
        0.0, "Links and texts that the most restless farms change, per month; only if they hide.", check=share
    )
    expired_share: float = setting(
        0.0,
        "Hosts of link farms that are bought up from others, with their links and pages; only if they hide.",
        check=share,
    )

    tls: bool = setting(False, "Serve over TLS, with an authority of its own, under https addresses.")
    hosts_per_ip: float = setting(4.0, "Hosts that share an address.", check=positive)
    latency: float = setting(0.0, "Mean time to the first byte.", unit="seconds", check=not_negative)
    slow_share: float = setting(0.02, "Hosts that are twenty times slower.", check=share)
    bandwidth: float = setting(0.0, "Bytes per second of a connection; 0 for no limit.", check=not_negative)

    host_delay: float = setting(0.05, "Delay between requests to a host that fits this web.", unit="seconds")
    ip_delay: float = setting(
        0.01, "Delay between requests to an address that fits this web.", unit="seconds"
    )


_QUIET = {
    "redirect_share": 0.0,
    "redirect_loop_share": 0.0,
    "broken_share": 0.0,
    "soft_404_share": 0.0,
    "robots_error_share": 0.0,
    "trap_share": 0.0,
    "hazard_share": 0.0,
    "failing_share": 0.0,
    "flaky_share": 0.0,
    "slow_share": 0.0,
    "session_share": 0.0,
    "mirror_share": 0.0,
    "host_absence": 0.0,
}

PRESETS: dict[str, dict[str, float]] = {
    "realistic": {},
    "clean": _QUIET
    | {
        "hosts": 20_000,
        "pages": 10_000_000,
        "months": 2,
        "duplicate_share": 0.0,
        "near_duplicate_share": 0.0,
        "spam_share": 0.0,
        "events": 0,
        "dynamic_share": 0.0,
        "noindex_share": 0.0,
        "robots_share": 1.0,
        "stock_share": 1.0,
        "content_links": 3.0,
        "legacy_charset_share": 0.0,
        "compressed_share": 0.0,
        "host_delay": 0.0,
        "ip_delay": 0.0,
    },
    "tiny": {
        "sessions": 1,
        "hosts": 12,
        "pages": 300,
        "months": 3,
        "words": 120,
        "content_links": 2.0,
        "topics": 3,
        "farm_hosts": 4,
        "spam_share": 0.34,
        "events": 1,
        "event_hosts": 2,
        "event_pages": 6,
        "mirror_share": 0.1,
        "session_share": 0.1,
        "trap_share": 0.2,
        "traps_disallowed": 1.0,
        "hazard_share": 0.0,
        "failing_share": 0.0,
        "host_absence": 0.0,
        "flaky_share": 0.0,
        "slow_share": 0.0,
        "host_delay": 0.0,
        "ip_delay": 0.0,
    },
    "small": {
        "sessions": 1,
        "hosts": 60,
        "pages": 3_000,
        "months": 4,
        "words": 250,
        "content_links": 3.0,
        "topics": 5,
        "farm_hosts": 8,
        "spam_share": 0.15,
        "events": 3,
        "event_hosts": 4,
        "event_pages": 12,
        "traps_disallowed": 1.0,
        "trap_share": 0.05,
        "hazard_share": 0.0,
        "failing_share": 0.02,
        "flaky_share": 0.005,
        "slow_share": 0.0,
        "host_delay": 0.01,
        "ip_delay": 0.002,
    },
    # continuous time: a minute is the shortest time between two changes
    "living": _QUIET
    | {
        "sessions": 1,
        "hosts": 20,
        "pages": 500,
        "months": 12,
        "words": 120,
        "content_links": 2.0,
        "topics": 3,
        "size_exponent": 3.0,
        "events": 0,
        "spam_share": 0.0,
        "duplicate_share": 0.0,
        "near_duplicate_share": 0.0,
        "noindex_share": 0.0,
        "nofollow_share": 0.0,
        "ephemeral_share": 0.0,
        "host_death_rate": 0.0,
        "link_change_rate": 0.0,
        "hosts_per_ip": 1.0,
        "ticks_per_day": 1440,
        "honest_share": 0.6,
        "stale_share": 0.05,
        "fickle_share": 0.1,
        "host_delay": 0.0,
        "ip_delay": 0.0,
    },
    # what the demo crawls: some 10 000 nodes in each of six months
    "demo": {
        "sessions": 1,
        "hosts": 300,
        "pages": 13_000,
        "months": 6,
        # the largest host is the last to be done, one page after the other
        "size_exponent": 2.6,
        "words": 250,
        "content_links": 3.0,
        "topics": 6,
        "farm_hosts": 5,
        "spam_share": 0.15,
        # farms that hide and move, so that telling them apart takes more than one feature
        "spam_camouflage": 1.0,
        "commercial_share": 0.45,
        "farm_change_rate": 0.9,
        # as many questions as CHANGE asks, and stories that go on: their words alone do not tell the month
        "events": 36,
        "event_stories": 9,
        "event_hosts": 4,
        "event_pages": 8,
        "traps_disallowed": 1.0,
        "trap_share": 0.05,
        # which pages that say "not found" with status 200 are fetched depends on what was learned by then
        "soft_404_share": 0.0,
        "hazard_share": 0.0,
        "failing_share": 0.02,
        "flaky_share": 0.005,
        "slow_share": 0.0,
        "host_delay": 0.005,
        "ip_delay": 0.002,
    },
    "hostile": {
        "hosts": 500,
        "pages": 50_000,
        "months": 4,
        "words": 500,
        "redirect_share": 0.08,
        "redirect_loop_share": 0.01,
        "broken_share": 0.06,
        "soft_404_share": 0.15,
        "robots_error_share": 0.05,
        "trap_share": 0.15,
        "traps_disallowed": 0.0,
        "hazard_share": 0.15,
        "failing_share": 0.06,
        "flaky_share": 0.05,
        "session_share": 0.1,
        "mirror_share": 0.1,
        "spam_share": 0.24,
        "latency": 0.005,
        "slow_share": 0.05,
        "host_delay": 0.005,
        "ip_delay": 0.001,
    },
    # as hard as SPAM found it: content without the corpus (set A) has an AUC between 0.80 and 0.88; links
    # and time see other hosts than content does (`docs/howto/describe-a-web.md`)
    "spam": _QUIET
    | {
        "hosts": 2_000,
        # most honest hosts have about the twelve pages of a farm's, so that size tells nothing
        "pages": 24_000,
        "size_exponent": 4.0,
        "months": 6,
        "words": 250,
        "foreign_share": 0.1,
        "spam_share": 0.15,
        "farm_hosts": 10,
        "comment_spam_share": 0.06,
        "cloaking_share": 0.0,
        "spam_camouflage": 1.0,
        "commercial_share": 0.45,
        "farm_change_rate": 0.9,
        "expired_share": 0.8,
        "host_delay": 0.0,
        "ip_delay": 0.0,
    },
    # TIME, tables 2 and 3: of two snapshots a month apart 74% of the hosts and 61% of the static URLs are
    # common, of two ten months apart 61% and 36%; the four rates are those that come nearest to them over all
    # lags (a description of the preset compares)
    "uk-2007": {
        "hosts": 5_000,
        "pages": 250_000,
        "months": 12,
        "uk_share": 1.0,
        "foreign_share": 0.0,
        "host_death_rate": 0.019,
        "host_absence": 0.265,
        "ephemeral_share": 0.165,
        "page_death_rate": 0.044,
        "duplicate_share": 0.25,
        "dynamic_share": 0.15,
        "host_delay": 0.05,
        "ip_delay": 0.01,
    },
}
"""Presets by name, each as what it changes in the defaults."""
