"""What a simulated crawl obeys, setting by setting."""

from __future__ import annotations

from dataclasses import dataclass

from webstrata.collection.settings import Settings, not_negative, one_of, positive, setting

between = ("between 0 and 1", lambda value: 0 <= value <= 1)
depth = ("between 0 and 65535", lambda value: 0 <= value <= 65_535)
some = ("at least one", lambda value: len(value) > 0)
below_one = ("0 or more, and below 1", lambda value: 0 <= value < 1)
attempts = ("between 0 and 20", lambda value: 0 <= value <= 20)
points = ("between 2 and 100000", lambda value: 2 <= value <= 100_000)


@dataclass(frozen=True, kw_only=True)
class SimulateSettings(Settings):
    """What a simulated crawl obeys; limits and delays are those of a real one."""

    # ---- what is compared, and on what
    policy: tuple[str, ...] = setting(
        ("best-first",), "Which page is fetched next: names of policies, or `FILE.py:CLASS`.", check=some
    )
    relevant: str = setting(
        "all",
        "What is looked for: all, topic:NAME (in vitro), labels:FILE, labels:FILE#LABEL, scores:FILE, "
        "examples:FILE or query:WORDS.",
    )
    seen: str = setting(
        "", "What the crawler sees of a page that it has fetched, in the same words; empty for the same."
    )
    threshold: float = setting(
        0.0,
        "Score, 1 being the best, from which a page is relevant, where there are scores; 0 for a share.",
        check=between,
    )
    share: float = setting(
        0.05, "Pages that are relevant where there are scores and no threshold.", check=between
    )
    start: str = setting(
        "relevant:10",
        "Where a crawl begins: relevant:NUMBER, any:NUMBER or homes:NUMBER, drawn anew in each run; homes "
        "for the first page of every host; or a file of URLs.",
    )
    runs: int = setting(1, "Times that each policy is run, from other pages on.", check=positive)
    seed: int = setting(0, "By which everything is drawn.", check=not_negative)
    knowing: str = setting("", "An earlier snapshot that the crawler knows; for past, learned and pagerank.")
    link_order: str = setting(
        "node",
        "In which order the links of a page are found: node, or page, as they stand there (needs links).",
        check=one_of("node", "page"),
    )

    # ---- limits, as those of a crawl
    max_pages: int = setting(0, "Pages after which a crawl ends; 0 for no limit.", check=not_negative)
    max_seconds: float = setting(
        0.0,
        "Simulated time after which nothing is begun; 0 for no limit.",
        unit="seconds",
        check=not_negative,
    )
    max_pages_per_host: int = setting(50_000, "Pages after which a host is left alone.", check=positive)
    max_depth: int = setting(16, "Links that a page may lie below where its host was entered.", check=depth)
    max_urls: int = setting(0, "URLs after which no others are taken up; 0 for no limit.", check=not_negative)

    # ---- what is answered
    answers: str = setting(
        "pages",
        "What links lead to: pages; or stored, also to redirects, duplicates and errors that the snapshot "
        "knows, each of which is a visit (needs links).",
        check=one_of("pages", "stored"),
    )
    obey_robots: bool = setting(
        True, "Obey the rules of --robots and, on the clock, ask each host for its robots.txt."
    )
    robots: str = setting(
        "", "What robots.txt says: a file of `HOST RULE` lines, as `www.example.org Disallow: /a`."
    )
    robots_expiry: float = setting(
        86_400.0, "Time after which robots.txt is fetched again.", unit="seconds", check=positive
    )
    max_crawl_delay: float = setting(
        300.0, "The longest Crawl-delay that is granted.", unit="seconds", check=not_negative
    )
    failures: float = setting(
        0.0, "Share of the requests that fail, and may work when tried again.", check=below_one
    )
    retries: int = setting(3, "Times that something is tried again after a failure.", check=attempts)
    retry_delay: float = setting(
        60.0,
        "Time before the first of them, for which the host rests; it doubles with each.",
        unit="seconds",
        check=not_negative,
    )

    # ---- the clock
    clock: bool = setting(False, "Let simulated time pass: delays, fetch times and fetchers count.")
    host_delay: float = setting(
        4.0, "Time from the end of a visit to a host to the next.", unit="seconds", check=not_negative
    )
    ip_delay: float = setting(
        0.5, "Time from the end of a visit to an address to the next.", unit="seconds", check=not_negative
    )
    host_delays: tuple[str, ...] = setting((), "Hosts with a delay of their own, as `name=10s`.")
    addresses: str = setting(
        "domain",
        "Which hosts share an address: those of a domain, host for none, truth (in vitro), or a file of "
        "`HOST ADDRESS` lines.",
    )
    fetch_time: float = setting(0.5, "Mean time that a page takes.", unit="seconds", check=not_negative)
    fetch_spread: float = setting(
        0.5,
        "Standard deviation of its logarithm, page by page; 0 for the same time always.",
        check=not_negative,
    )
    fetchers: int = setting(1_000, "Visits in flight at once.", check=positive)

    # ---- policies
    decay: float = setting(0.5, "What shark search keeps of a score from link to link.", check=between)
    anchor_share: float = setting(
        0.5,
        "What the text of a link and its surroundings count in shark search; the rest is inherited. 0 for "
        "no such text.",
        check=between,
    )
    learning_rate: float = setting(
        0.05, "How far the learned policy goes towards the score of each page.", check=between
    )

    # ---- results
    points: int = setting(200, "Points of a curve.", check=points)
