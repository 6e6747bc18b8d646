"""What a crawl obeys, setting by setting."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

from webstrata.collection.settings import Settings, not_negative, one_of, positive, setting
from webstrata.collection.snapshot_dates import parse_snapshot_date
from webstrata.errors import DateError
from webstrata.web.url import MAX_LENGTH

depth = ("between 0 and 255", lambda value: 0 <= value <= 255)
redirects = ("between 0 and 63", lambda value: 0 <= value <= 63)
level = ("between 1 and 19", lambda value: 1 <= value <= 19)
attempts = ("between 0 and 20", lambda value: 0 <= value <= 20)
few_levels = ("between 0 and 256", lambda value: 0 <= value <= 256)
share = ("between 0 and 1", lambda value: 0 <= value <= 1)
bias = ("between 1 and 1000000", lambda value: 1 <= value <= 1e6)


def _is_date(text: str) -> bool:
    with suppress(DateError):
        return not text or bool(parse_snapshot_date(text))
    return False


date = ("a date such as 2026-06, 2026-06-12 or 2026-06-12T1830", _is_date)


@dataclass(frozen=True, kw_only=True)
class CrawlSettings(Settings):
    """What a crawl obeys."""

    # ---- who crawls, and how politely
    user_agent: str = setting(
        "",
        "Name of the crawler and a contact, as `name/1.0 (+https://example.org/bot)`. Required on the web.",
    )
    host_delay: float = setting(
        4.0,
        "Minimum time between the end of a visit to a host and the next visit.",
        unit="seconds",
        check=not_negative,
        live=True,
    )
    ip_delay: float = setting(
        0.5,
        "Minimum time between the end of a visit to an IP address and the next visit.",
        unit="seconds",
        check=not_negative,
        live=True,
    )
    host_delays: tuple[str, ...] = setting((), "Delays of single hosts, as `name=10s`.", live=True)
    ip_delays: tuple[str, ...] = setting((), "Delays of single IP addresses, as `192.0.2.1=10s`.", live=True)
    keep_alive: float = setting(
        0.0,
        "How long to keep a connection open and reuse it, without a delay between its requests; 0 for one"
        " request per connection.",
        unit="seconds",
        check=not_negative,
        live=True,
    )
    obey_robots: bool = setting(True, "Obey robots.txt, X-Robots-Tag and meta robots.", live=True)
    robots_expiry: float = setting(
        86_400.0, "Time after which robots.txt is fetched again.", unit="seconds", check=positive, live=True
    )
    max_crawl_delay: float = setting(
        300.0,
        "Upper limit for Crawl-delay in robots.txt; larger values are reduced to it.",
        unit="seconds",
        check=not_negative,
        live=True,
    )

    delay_factor: float = setting(
        2.0,
        "Wait at least this multiple of the host's last response time, and longer after 429, 5xx and "
        "time-outs; 0 for the fixed delay only.",
        check=not_negative,
        live=True,
    )
    max_adaptive_delay: float = setting(
        60.0,
        "Upper limit of the adaptive delay (`delay_factor`).",
        unit="seconds",
        check=not_negative,
        live=True,
    )

    # ---- how far
    max_pages: int = setting(
        0,
        "End the crawl after this many pages, duplicates included; 0 for no limit.",
        check=not_negative,
        live=True,
    )
    max_bytes: int = setting(
        0,
        "End the crawl after this many bytes of response bodies; 0 for no limit.",
        unit="bytes",
        check=not_negative,
        live=True,
    )
    max_seconds: float = setting(
        0.0, "End the crawl after this time; 0 for no limit.", unit="seconds", check=not_negative, live=True
    )
    max_urls: int = setting(
        0, "Accept no further URLs after this many; 0 for no limit.", check=not_negative, live=True
    )
    max_pages_per_host: int = setting(
        50_000,
        "Stop fetching from a host after this many pages, duplicates included.",
        check=positive,
        live=True,
    )
    max_depth: int = setting(
        16, "Maximum depth of a page: links from the first page fetched on its host.", check=depth, live=True
    )
    max_url_length: int = setting(
        MAX_LENGTH, "Longest URL accepted, in characters.", check=positive, live=True
    )
    max_redirects: int = setting(
        10, "Maximum number of redirects followed in a row.", check=redirects, live=True
    )
    max_repeats: int = setting(
        3,
        "How often the same folders may repeat in a path, as in /a/b/a/b; 0 for no limit.",
        check=not_negative,
        live=True,
    )

    max_duplicate_share: float = setting(
        0.95,
        "Largest share of the last 64 pages of a URL pattern that may repeat other pages of their host. "
        "Above it, and with four times as many repeats as new pages in all, one in 64 URLs of the pattern"
        " is fetched. 1 for no limit.",
        check=share,
        live=True,
    )
    max_pages_per_pattern: int = setting(
        10_000,
        "Maximum number of pages of a host whose URLs differ only in numbers and parameter values, in "
        "three places or more; 0 for no limit.",
        check=not_negative,
        live=True,
    )
    probe_after: int = setting(
        32,
        "Request a path that cannot exist after this many pages of a host, to recognize its soft 404s; 0 "
        "for never.",
        check=not_negative,
        live=True,
    )
    dust_support: int = setting(
        25,
        "Pairs of pages that must be equal without a URL parameter before the parameter is removed from "
        "URLs of their host; 0 disables learning.",
        check=not_negative,
    )

    # ---- what
    schedule: str = setting("true", "Filter of links: which are accepted. Seeds always are.", live=True)
    fetch: str = setting("true", "Filter of URLs: which are fetched.", live=True)
    parse: str = setting("true", "Filter of responses: which are searched for links.", live=True)
    follow: str = setting("true", "Filter of responses: whose links are accepted.", live=True)
    store: str = setting("true", "Filter of responses: which are stored.", live=True)
    resources: bool = setting(
        False,
        "Fetch page requisites: styles and their imports, images, scripts, fonts, icons, media and "
        "frames. Scripts are not run, so what only scripts request is missing.",
        live=True,
    )
    offsite_resources: bool = setting(
        True,
        "Fetch requisites of stored pages even if the filter `schedule` refuses them, for example on "
        "other hosts; false applies the filter. Only with `resources`.",
        live=True,
    )
    schemes: tuple[str, ...] = setting(
        (),
        "Also fetch seeds of these schemes, with fetchers other than HTTP: `file`, and those of installed"
        " packages. Web pages never lead to them.",
    )
    sitemaps: bool = setting(
        False, "Fetch the sitemaps named in robots.txt and accept their URLs.", live=True
    )
    max_sitemap_depth: int = setting(
        2,
        "Levels of sitemap indexes to read: 1 as defined by sitemaps.org, 2 for indexes of indexes, 0 for"
        " none.",
        check=depth,
        live=True,
    )
    max_sitemaps: int = setting(
        500,
        "Maximum number of sitemaps read per host, indexes included; 0 for no limit.",
        check=not_negative,
        live=True,
    )
    max_sitemap_bytes: int = setting(
        256 << 20,
        "Maximum size of all sitemaps of a host, decoded; 0 for no limit.",
        unit="bytes",
        check=not_negative,
        live=True,
    )
    follow_nofollow: bool = setting(
        True, "Follow links marked nofollow; they are recorded in any case.", live=True
    )
    follow_canonical: bool = setting(
        False,
        "Fetch the canonical URL that a page names, which usually shows the same page.",
        live=True,
    )
    follow_duplicates: bool = setting(
        True,
        "Follow the links of pages that repeat another one, by digest or fingerprint; false is BUbiNG's "
        "rule.",
        live=True,
    )
    follow_formats: tuple[str, ...] = setting(
        (),
        "Follow the links of documents that are not HTML: names of parsers (`feed`, `json-ld`, `pdf`), and "
        "`text` for URLs in plain text. They are pages only if `parsers` of [store] has them, too.",
    )
    priority: str = setting(
        "",
        "What gives URLs their priority: `depth`; `pagerank`, of the last snapshot before this one that is "
        "ranked; a file of URL or host prefixes with scores; or a function, as `module:function`. Empty for "
        "breadth-first order.",
    )
    levels: int = setting(
        0,
        "Priority levels between sieve and workbench; only with a priority. 0 for 8, or 1 without one.",
        check=few_levels,
    )
    level_bias: float = setting(
        2.0,
        "How many times as often a level is served as the one below it; only with a priority.",
        check=bias,
    )
    gate_after: int = setting(
        0,
        "Pages of a new host that the gate sees before the host is held; only with a gate.",
        check=not_negative,
    )

    # ---- cut-offs
    connect_timeout: float = setting(
        20.0, "Time limit for opening a connection.", unit="seconds", check=positive, live=True
    )
    response_timeout: float = setting(
        30.0,
        "Time limit for the first byte of a response, and between two bytes.",
        unit="seconds",
        check=positive,
        live=True,
    )
    head_timeout: float = setting(
        60.0,
        "Time limit from a request to the end of the response head.",
        unit="seconds",
        check=positive,
        live=True,
    )
    fetch_timeout: float = setting(
        300.0, "Time limit for a whole response.", unit="seconds", check=positive, live=True
    )
    min_rate: float = setting(
        64.0,
        "Bytes per second below which a body is truncated, and a head fails. Measured after "
        "response_timeout: of a body since the request, of a head since its first byte.",
        unit="bytes",
        check=not_negative,
        live=True,
    )
    max_response: int = setting(
        10 << 20,
        "Maximum size of a body, decoded; longer ones are truncated.",
        unit="bytes",
        check=positive,
        live=True,
    )
    max_header: int = setting(
        64 << 10, "Maximum size of a response head.", unit="bytes", check=positive, live=True
    )
    retries: int = setting(3, "How often a failed request is retried.", check=attempts, live=True)
    retry_delay: float = setting(
        60.0,
        "Time before the first retry; it doubles with each.",
        unit="seconds",
        check=not_negative,
        live=True,
    )
    max_retry_after: float = setting(
        3_600.0,
        "Upper limit for Retry-After; hosts that ask for more are not retried.",
        unit="seconds",
        check=not_negative,
        live=True,
    )

    # ---- names and certificates
    hosts_table: str = setting(
        "", "A file of addresses and names, as /etc/hosts; an address may have a port."
    )
    name_servers: tuple[str, ...] = setting(
        (), "Name servers to use instead of the system's, as `192.0.2.1:53`."
    )
    resolve: bool = setting(True, "Use name servers; false uses the hosts table only.")
    private_addresses: bool = setting(
        False, "Also contact addresses of private networks; those of the hosts table are always allowed."
    )
    accept_all_certificates: bool = setting(True, "Accept every certificate, as archives do.")
    authority: str = setting("", "A PEM file of certificates to trust in addition to those of browsers.")

    # ---- the store
    store_to: str = setting(
        "",
        "Also store responses elsewhere: a folder for payloads as files with an index, or a function that"
        " returns a store, as `module:function`. Empty for WARC files only.",
    )
    compression: str = setting("gzip", "Compression of WARC records.", check=one_of("gzip", "zstd", "none"))
    compression_level: int = setting(6, "1 to 12 for gzip, 1 to 19 for zstd.", check=level)
    dictionary: str = setting("", "A file with a zstd dictionary.")
    file_size: int = setting(
        1 << 30, "Start a new WARC file after this many bytes.", unit="bytes", check=positive
    )
    store_pointers: bool = setting(
        False, "Store only a pointer for a page with the fingerprint of another one, as TIME did.", live=True
    )
    revisits: bool = setting(
        True,
        "Store a payload that an earlier snapshot of the collection has as a `revisit` record; false "
        "stores it again.",
    )
    conditional: bool = setting(
        False,
        "Request pages of earlier snapshots with their ETag and Last-Modified; a page that was not "
        "modified (304) becomes a `revisit` record.",
    )
    store_robots: bool = setting(
        True, "Store robots.txt responses as captures; they are not pages.", live=True
    )
    store_reserved: bool = setting(
        True,
        "Store pages that reserve text and data mining rights (TDMRep); the reservation is always recorded.",
        live=True,
    )
    checkpoint: float = setting(
        10.0,
        "Time after which crawled data survives a power failure; 0 for no journal: an interrupted crawl "
        "then starts again.",
        unit="seconds",
        check=not_negative,
    )
    disk_check: float = setting(
        10.0, "Time between two checks of a full disk.", unit="seconds", check=positive
    )
    dated: str = setting(
        "",
        "Date captures as if this run had started then (2026-06): for a web with its own clock.",
        check=date,
    )
    crawl_log: str = setting(
        "none",
        "Write one line per URL to crawl/crawl.log: in Heritrix's columns (`heritrix`), or as `json`.",
        check=one_of("none", "heritrix", "json"),
    )
    log_size: int = setting(
        1 << 30,
        "Start a new crawl.log after this many bytes; the old one gets a number.",
        unit="bytes",
        check=positive,
    )
    log_releases: bool = setting(
        False, "Write the URLs released by the sieve to crawl/releases.log, in order."
    )

    # ---- resources
    fetchers: int = setting(1_000, "Maximum number of visits in flight.", check=positive, live=True)
    workers: int = setting(0, "Event loops; 0 for one per core.", check=not_negative)
    url_cache: int = setting(16 << 20, "Memory for the URL cache.", unit="bytes", check=positive)
    sieve: int = setting(1 << 20, "URLs that the sieve keeps in memory.", check=positive)
    workbench: int = setting(
        32 << 20, "Memory for URLs on the workbench.", unit="bytes", check=positive, live=True
    )
    virtualizer: int = setting(
        16 << 20, "Memory for URLs on their way to disk.", unit="bytes", check=positive
    )
    duplicates_cache: int = setting(
        16 << 20, "Memory for the maps of duplicates.", unit="bytes", check=positive
    )
