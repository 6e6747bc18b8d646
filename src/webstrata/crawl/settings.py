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
        "Who crawls and where to complain, as `name/1.0 (+https://example.org/why)`; needed on the web.",
    )
    host_delay: float = setting(
        4.0,
        "Time from the end of a visit to a host to the next.",
        unit="seconds",
        check=not_negative,
        live=True,
    )
    ip_delay: float = setting(
        0.5,
        "Time from the end of a visit to an address to the next.",
        unit="seconds",
        check=not_negative,
        live=True,
    )
    host_delays: tuple[str, ...] = setting((), "Hosts with a delay of their own, as `name=10s`.", live=True)
    ip_delays: tuple[str, ...] = setting(
        (), "Addresses with a delay of their own, as `192.0.2.1=10s`.", live=True
    )
    keep_alive: float = setting(
        0.0,
        "Time for which a connection is used, without delays by several visits, too; 0 for one request.",
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
        "The longest Crawl-delay of a robots.txt that is granted; who asks for more gets this.",
        unit="seconds",
        check=not_negative,
        live=True,
    )

    delay_factor: float = setting(
        2.0,
        "How many times its own response time a host rests, where that is longer than its delay; it rests "
        "longer still after 429, 5xx and silence. 0 for the delay alone.",
        check=not_negative,
        live=True,
    )
    max_adaptive_delay: float = setting(
        60.0,
        "The longest rest that follows from it.",
        unit="seconds",
        check=not_negative,
        live=True,
    )

    # ---- how far
    max_pages: int = setting(
        0,
        "Pages, duplicates included, after which the crawl ends; 0 for no limit.",
        check=not_negative,
        live=True,
    )
    max_bytes: int = setting(
        0, "Bytes of bodies after which it ends; 0 for no limit.", unit="bytes", check=not_negative, live=True
    )
    max_seconds: float = setting(
        0.0, "Time after which it ends; 0 for no limit.", unit="seconds", check=not_negative, live=True
    )
    max_urls: int = setting(
        0, "URLs after which no others are taken up; 0 for no limit.", check=not_negative, live=True
    )
    max_pages_per_host: int = setting(
        50_000, "Pages, duplicates included, after which a host is left alone.", check=positive, live=True
    )
    max_depth: int = setting(
        16, "Links that a page may lie below where its host was entered.", check=depth, live=True
    )
    max_url_length: int = setting(
        MAX_LENGTH, "Characters of a URL beyond which it is refused.", check=positive, live=True
    )
    max_redirects: int = setting(10, "Redirects that are followed in a row.", check=redirects, live=True)
    max_repeats: int = setting(
        3,
        "Times in a row that the same folders may stand in a path, as in /a/b/a/b; 0 for no limit.",
        check=not_negative,
        live=True,
    )

    max_duplicate_share: float = setting(
        0.95,
        "Share of the last 64 pages of a pattern that may repeat pages of their host; beyond it, and with "
        "four times as many repeats as new pages in all, only one of 64 of its URLs is fetched. 1 for no "
        "limit.",
        check=share,
        live=True,
    )
    max_pages_per_pattern: int = setting(
        10_000,
        "Pages of a host whose URLs differ in nothing but numbers and values of parameters, in three places "
        "or more; 0 for no limit.",
        check=not_negative,
        live=True,
    )
    probe_after: int = setting(
        32,
        "Pages after which a host is asked once for a path that cannot be there, to know its soft 404s; 0 "
        "for never.",
        check=not_negative,
        live=True,
    )
    dust_support: int = setting(
        25,
        "Pairs of pages that must be the same without a parameter before it is taken out of URLs of their "
        "host; 0 learns nothing.",
        check=not_negative,
    )

    # ---- what
    schedule: str = setting(
        "true", "Filter of the links that are taken up; seeds are in any case.", live=True
    )
    fetch: str = setting("true", "Filter of the URLs that are fetched.", live=True)
    parse: str = setting("true", "Filter of the answers whose links are looked for.", live=True)
    follow: str = setting("true", "Filter of the answers whose links are taken up.", live=True)
    store: str = setting("true", "Filter of the answers that are stored.", live=True)
    resources: bool = setting(
        False,
        "Fetch what pages need to be shown: styles and what they import, images, scripts, fonts, icons, "
        "media and frames. No script is run, so what only scripts ask for is missing.",
        live=True,
    )
    offsite_resources: bool = setting(
        True,
        "Fetch the resources of stored pages even where the schedule filter refuses them, as those on "
        "other hosts; false applies the filter to them too. Only with `resources`.",
        live=True,
    )
    schemes: tuple[str, ...] = setting(
        (),
        "Fetch seeds of these schemes too, by fetchers other than HTTP: `file`, and those of installed "
        "packages. No page of the web leads to them.",
    )
    sitemaps: bool = setting(False, "Fetch the sitemaps that robots.txt names, and follow them.", live=True)
    max_sitemap_depth: int = setting(
        2,
        "Levels of sitemap indexes that are read: 1 as sitemaps.org has it, 2 for indexes of indexes, 0 for "
        "none.",
        check=depth,
        live=True,
    )
    max_sitemaps: int = setting(
        500,
        "Sitemaps of a host, indexes included, that are read; 0 for no limit.",
        check=not_negative,
        live=True,
    )
    max_sitemap_bytes: int = setting(
        256 << 20,
        "Bytes of sitemaps of a host, decoded, after which no more are read; 0 for no limit.",
        unit="bytes",
        check=not_negative,
        live=True,
    )
    follow_nofollow: bool = setting(
        True, "Follow links marked nofollow; they are recorded in any case.", live=True
    )
    follow_canonical: bool = setting(
        False,
        "Fetch what a page calls its canonical address, which shows the same page once more.",
        live=True,
    )
    follow_duplicates: bool = setting(
        True,
        "Follow the links of pages that repeat another one, by digest or fingerprint; false is the choice of "
        "BUbiNG.",
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
        20.0, "Time for a connection to come about.", unit="seconds", check=positive, live=True
    )
    response_timeout: float = setting(
        30.0,
        "Time to the first byte of an answer, and between two.",
        unit="seconds",
        check=positive,
        live=True,
    )
    head_timeout: float = setting(
        60.0,
        "Time from a request to the last byte of the head of its response.",
        unit="seconds",
        check=positive,
        live=True,
    )
    fetch_timeout: float = setting(
        300.0, "Time to the last byte of an answer.", unit="seconds", check=positive, live=True
    )
    min_rate: float = setting(
        64.0,
        "Bytes per second below which a response is cut off, and a head fails. It is measured from "
        "response_timeout on: of a body since the request, of a head since its first byte.",
        unit="bytes",
        check=not_negative,
        live=True,
    )
    max_response: int = setting(
        10 << 20,
        "Bytes of a body, decoded, beyond which it is cut off.",
        unit="bytes",
        check=positive,
        live=True,
    )
    max_header: int = setting(
        64 << 10, "Bytes of the head of an answer.", unit="bytes", check=positive, live=True
    )
    retries: int = setting(
        3, "Times that something is tried again after a failure.", check=attempts, live=True
    )
    retry_delay: float = setting(
        60.0,
        "Time before the first of them; it doubles with each.",
        unit="seconds",
        check=not_negative,
        live=True,
    )
    max_retry_after: float = setting(
        3_600.0,
        "The longest Retry-After that is waited for; who asks for more is not asked again.",
        unit="seconds",
        check=not_negative,
        live=True,
    )

    # ---- names and certificates
    hosts_table: str = setting(
        "", "A file of addresses and names, as /etc/hosts; an address may have a port."
    )
    name_servers: tuple[str, ...] = setting((), "Name servers in place of the system's, as `192.0.2.1:53`.")
    resolve: bool = setting(True, "Ask name servers; if not, only the hosts table counts.")
    private_addresses: bool = setting(
        False, "Ask addresses of private networks too; those of the hosts table are asked in any case."
    )
    accept_all_certificates: bool = setting(True, "Believe every certificate, as archives do.")
    authority: str = setting("", "A PEM file of certificates to trust beside those of browsers.")

    # ---- the store
    store_to: str = setting(
        "",
        "Store responses elsewhere too: a folder for payloads as files with an index, or a function that "
        "makes a store, as `module:function`. Empty for WARC files alone.",
    )
    compression: str = setting("gzip", "How records are packed.", check=one_of("gzip", "zstd", "none"))
    compression_level: int = setting(6, "1 to 12 for gzip, 1 to 19 for zstd.", check=level)
    dictionary: str = setting("", "A file with a dictionary for zstd.")
    file_size: int = setting(
        1 << 30, "Bytes after which another WARC file begins.", unit="bytes", check=positive
    )
    store_pointers: bool = setting(
        False, "Of a page with the fingerprint of another one store only a pointer, as TIME did.", live=True
    )
    revisits: bool = setting(
        True,
        "Store a payload that an earlier snapshot of the collection has as a `revisit` record that refers to "
        "it; false stores it again.",
    )
    conditional: bool = setting(
        False,
        "Request pages of earlier snapshots with their ETag and Last-Modified; a page that was not modified "
        "(304) becomes a `revisit` record and keeps its payload.",
    )
    store_robots: bool = setting(
        True, "Store the responses for robots.txt as captures; they are not pages.", live=True
    )
    store_reserved: bool = setting(
        True,
        "Store pages whose rights of text and data mining are reserved (TDMRep); it is recorded anyway.",
        live=True,
    )
    checkpoint: float = setting(
        10.0,
        "Time after which what was crawled survives a power cut; 0 for no journal: such a crawl begins anew.",
        unit="seconds",
        check=not_negative,
    )
    disk_check: float = setting(
        10.0, "Time between two looks at a disk that is full.", unit="seconds", check=positive
    )
    dated: str = setting(
        "",
        "Date captures as if this run had begun then (2026-06): for a web that has a time of its own.",
        check=date,
    )
    crawl_log: str = setting(
        "none",
        "Write a line for each URL to crawl/crawl.log: in the columns of `heritrix`, or as `json`.",
        check=one_of("none", "heritrix", "json"),
    )
    log_size: int = setting(
        1 << 30,
        "Bytes after which crawl.log gets a number, and another begins.",
        unit="bytes",
        check=positive,
    )
    log_releases: bool = setting(
        False, "Write the URLs that the sieve releases to crawl/releases.log, in order."
    )

    # ---- resources
    fetchers: int = setting(1_000, "Visits in flight at once.", check=positive, live=True)
    workers: int = setting(0, "Event loops; 0 for one a core.", check=not_negative)
    url_cache: int = setting(16 << 20, "Memory of the URL cache.", unit="bytes", check=positive)
    sieve: int = setting(1 << 20, "URLs that the sieve holds in memory.", check=positive)
    workbench: int = setting(
        32 << 20, "Memory for URLs on the workbench.", unit="bytes", check=positive, live=True
    )
    virtualizer: int = setting(
        16 << 20, "Memory for URLs on their way to the disk.", unit="bytes", check=positive
    )
    duplicates_cache: int = setting(
        16 << 20, "Memory for the maps of duplicates.", unit="bytes", check=positive
    )
