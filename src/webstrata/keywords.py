"""Keywords of the Python API, one ``TypedDict`` per settings class.

Written by docs/generate.py from the settings classes, so that editors complete and type checkers check what
methods take (``**settings: Unpack[RankKeywords]``). Only type checkers read this module.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypedDict

if TYPE_CHECKING:
    from collections.abc import Sequence


class ChangesKeywords(TypedDict, total=False):
    """The settings of ``[changes]``."""

    rank: Literal["new-text", "none", "pagerank", "hits-authority", "hits-hub", "hits", "combined"]
    matches_first: bool
    seeds: int
    matches: int
    expansion: int
    novelty_half: float
    words_per_link: float
    alpha: float
    saturation: float
    link_weights: Literal["new", "hosts", "equal"]
    old_links: float
    restart: float
    supersource: float
    tolerance: float
    top: int


class ClassifyKeywords(TypedDict, total=False):
    """The settings of ``[classify]``."""

    sets: str | Sequence[str]
    query_words: str
    trusted: str
    stop_words: str
    corpus_pages: int
    ngram: int
    registers: int
    earlier: str | Sequence[str]
    fingerprints: int
    max_terms: int
    least_share: float
    most_share: float
    max_pages: int
    k1: float
    b: float
    decay: float


class ContinuousKeywords(TypedDict, total=False):
    """The settings of ``[continuous]``."""

    budget: str
    cut: Literal["daily", "weekly", "monthly", "yearly"]
    keep: str
    then: Literal["", "run"]
    basis: Literal["main", "fingerprint", "links", "bytes"]
    importance: Literal["equal", "depth"]
    new_share: float
    max_interval: float | str
    max_pending: int


class CrawlKeywords(TypedDict, total=False):
    """The settings of ``[crawl]``."""

    user_agent: str
    host_delay: float | str
    ip_delay: float | str
    host_delays: str | Sequence[str]
    ip_delays: str | Sequence[str]
    keep_alive: float | str
    obey_robots: bool
    robots_expiry: float | str
    max_crawl_delay: float | str
    delay_factor: float
    max_adaptive_delay: float | str
    max_pages: int
    max_bytes: int | str
    max_seconds: float | str
    max_urls: int
    max_pages_per_host: int
    max_depth: int
    max_url_length: int
    max_redirects: int
    max_repeats: int
    max_duplicate_share: float
    max_pages_per_pattern: int
    probe_after: int
    dust_support: int
    schedule: str
    fetch: str
    parse: str
    follow: str
    store: str
    resources: bool
    offsite_resources: bool
    schemes: str | Sequence[str]
    sitemaps: bool
    max_sitemap_depth: int
    max_sitemaps: int
    max_sitemap_bytes: int | str
    follow_nofollow: bool
    follow_canonical: bool
    follow_duplicates: bool
    follow_formats: str | Sequence[str]
    priority: str
    levels: int
    level_bias: float
    gate_after: int
    connect_timeout: float | str
    response_timeout: float | str
    head_timeout: float | str
    fetch_timeout: float | str
    min_rate: float | str
    max_response: int | str
    max_header: int | str
    retries: int
    retry_delay: float | str
    max_retry_after: float | str
    hosts_table: str
    name_servers: str | Sequence[str]
    resolve: bool
    private_addresses: bool
    accept_all_certificates: bool
    authority: str
    store_to: str
    compression: Literal["gzip", "zstd", "none"]
    compression_level: int
    dictionary: str
    file_size: int | str
    store_pointers: bool
    revisits: bool
    conditional: bool
    store_robots: bool
    store_reserved: bool
    checkpoint: float | str
    disk_check: float | str
    dated: str
    crawl_log: Literal["none", "heritrix", "json"]
    log_size: int | str
    log_releases: bool
    fetchers: int
    workers: int
    url_cache: int | str
    sieve: int
    workbench: int | str
    virtualizer: int | str
    duplicates_cache: int | str


class GateKeywords(TypedDict, total=False):
    """The settings of ``[gate]``."""

    pages: int
    max_loss: float
    together: Literal["both", "domain"]
    folds: int
    seed: int


class GraphKeywords(TypedDict, total=False):
    """The settings of ``[graph]``."""

    fold: Literal["none", "exact", "fingerprint"]
    frontier: bool
    nofollow: bool
    self_loops: bool
    multiplicity: bool
    hosts: bool
    memory: int | str
    window: int
    chain: int
    min_interval: int
    outdegree_code: str
    reference_code: str
    block_code: str
    interval_code: str
    residual_code: str
    together: int
    piece: int


class InvitroKeywords(TypedDict, total=False):
    """The settings of ``[invitro]``."""

    hosts: int
    pages: int
    months: int
    size_exponent: float
    in_exponent: float
    out_exponent: float
    content_links: float
    words: int
    local_share: float
    sibling_share: float
    topical_share: float
    topics: int
    stock_share: float
    uk_share: float
    foreign_share: float
    legacy_charset_share: float
    host_death_rate: float
    host_absence: float
    page_death_rate: float
    ephemeral_share: float
    page_change_rate: float
    link_change_rate: float
    events: int
    event_hosts: int
    event_pages: int
    event_stories: int
    event_story_share: float
    event_kinds: str | Sequence[str]
    ticks_per_day: int
    slowest_change: float
    fastest_change: float
    honest_share: float
    stale_share: float
    fickle_share: float
    duplicate_share: float
    near_duplicate_share: float
    near_similarity: float
    mirror_share: float
    session_share: float
    sessions: int
    dynamic_share: float
    redirect_share: float
    redirect_loop_share: float
    broken_share: float
    soft_404_share: float
    nofollow_share: float
    noindex_share: float
    canonical_share: float
    volatile_share: float
    relative_share: float
    base_share: float
    robots_share: float
    robots_error_share: float
    trap_share: float
    traps_disallowed: float
    hazard_share: float
    failing_share: float
    flaky_share: float
    compressed_share: float
    spam_share: float
    farm_hosts: int
    comment_spam_share: float
    cloaking_share: float
    spam_camouflage: float
    commercial_share: float
    farm_change_rate: float
    expired_share: float
    tls: bool
    hosts_per_ip: float
    latency: float | str
    slow_share: float
    bandwidth: float
    host_delay: float | str
    ip_delay: float | str


class JudgeKeywords(TypedDict, total=False):
    """The settings of ``[judge]``."""

    host_delay: float | str
    ip_delay: float | str
    slice: float | str
    tolerance: float | str
    robots_expiry: float | str
    revisit_after: float | str
    restart_grace: float | str
    crawl_delay: bool


class RankKeywords(TypedDict, total=False):
    """The settings of ``[rank]``."""

    level: Literal["page", "host", "domain"]
    alpha: float
    tolerance: float
    solver: Literal["gauss-seidel", "power"]
    dangling: Literal["uniform", "preference"]
    weighted: bool
    compressed: bool
    levels: int
    supersource: float
    registers: int
    runs: int
    persistence: float
    top: int


class ResourcesKeywords(TypedDict, total=False):
    """The settings of ``[resources]``."""

    workers: int


class RunKeywords(TypedDict, total=False):
    """The settings of ``[run]``."""

    snapshots: str | Sequence[str]
    off: str | Sequence[str]
    seeds: str
    invitro: str
    invitro_seed: int
    queries: str | Sequence[str]
    topics: str
    judgements: str
    labels: str
    lists: str | Sequence[str]
    categories: str
    rankings: str | Sequence[str]
    spectra: Literal["ends", "all"]
    task: str


class SearchKeywords(TypedDict, total=False):
    """The settings of ``[search]``."""

    title_weight: float
    text_weight: float
    other_weight: float
    anchor_weight: float
    host_weight: float
    url_weight: float
    link_weight: float
    limit: int
    per_host: int
    fold: int


class ServeKeywords(TypedDict, total=False):
    """The settings of ``[serve]``."""

    host: str
    port: int
    replay_origin: str
    public: bool
    token_file: str
    redirect_to_exact: bool
    viewer: str
    cors_origins: str | Sequence[str]
    model: str | Sequence[str]


class ServerKeywords(TypedDict, total=False):
    """The settings of ``[server]``."""

    allowed_hosts: str | Sequence[str]
    max_connections: int
    max_connections_per_client: int
    request_rate: float
    request_burst: int
    max_head: int | str
    max_body: int | str
    head_time: float | str
    body_time: float | str
    idle_time: float | str
    query_time: float | str
    send_time: float | str
    grace_time: float | str


class SimulateKeywords(TypedDict, total=False):
    """The settings of ``[simulate]``."""

    policy: str | Sequence[str]
    relevant: str
    seen: str
    threshold: float
    share: float
    start: str
    runs: int
    seed: int
    knowing: str
    link_order: Literal["node", "page"]
    max_pages: int
    max_seconds: float | str
    max_pages_per_host: int
    max_depth: int
    max_urls: int
    answers: Literal["pages", "stored"]
    obey_robots: bool
    robots: str
    robots_expiry: float | str
    max_crawl_delay: float | str
    failures: float
    retries: int
    retry_delay: float | str
    clock: bool
    host_delay: float | str
    ip_delay: float | str
    host_delays: str | Sequence[str]
    addresses: str
    fetch_time: float | str
    fetch_spread: float
    fetchers: int
    decay: float
    anchor_share: float
    learning_rate: float
    points: int


class SpectrumKeywords(TypedDict, total=False):
    """The settings of ``[spectrum]``."""

    level: Literal["page", "host", "domain"]
    inverse: bool
    arnoldi: int
    converge: int
    target: float
    arnoldi_limit: int
    bound: float
    tolerance: float
    wanted: int
    residual: float
    vectors: int
    pages: int
    memory: int | str
    compressed: bool
    block: int
    seed: int


class StoreKeywords(TypedDict, total=False):
    """The settings of ``[store]``."""

    main: Literal["dom", "visual", "low-slope"]
    last_capture: bool
    parsers: str | Sequence[str]


class SummariesKeywords(TypedDict, total=False):
    """The settings of ``[summaries]``."""

    stemmer: str
    stop_words: str
    min_df: int
    coding: Literal["contexts", "codes"]
    window: int
    chain: int
    length_code: str
    size_code: str
    gap_code: str
    count_code: str
    count_differences: bool
    memory: int | str


class TemporalKeywords(TypedDict, total=False):
    """The settings of ``[temporal]``."""

    snapshots: str | Sequence[str]
    by: Literal["static", "canonical", "learned"]
    support: int
    precision: float
    refused_rules: str | Sequence[str]
    coding: Literal["runs", "huffman"]
    memory: int | str


class TrainKeywords(TypedDict, total=False):
    """The settings of ``[train]``."""

    library: Literal["standard", "paper", "small"]
    costly: Literal["missed", "false-positive"]
    term_models: Literal["both", "forest", "svm"]
    metric: Literal["auc", "average-precision", "f1", "accuracy", "log-likelihood"]
    together: Literal["both", "domain", "address"]
    folds: int
    time_budget: float | str
    seed: int


class WikipediaKeywords(TypedDict, total=False):
    """The settings of ``[wikipedia]``."""

    namespaces: str | Sequence[int]
    redirects: Literal["resolve", "eliminate"]
    source: Literal["auto", "text", "tables"]
    at: str


class CompressionKeywords(TypedDict, total=False):
    """Some of the settings of ``[graph]``."""

    memory: int | str
    window: int
    chain: int
    min_interval: int
    outdegree_code: str
    reference_code: str
    block_code: str
    interval_code: str
    residual_code: str
    together: int
    piece: int


class IndexKeywords(TypedDict, total=False):
    """Some of the settings of ``[search]``."""

    stemmer: str
    memory: int | str
    snapshots: str | Sequence[str]
    servers: int


class PlaneKeywords(TypedDict, total=False):
    """Some of the settings of ``[rank]``."""

    level: Literal["page", "host", "domain"]
    alpha: float
    tolerance: float
    solver: Literal["gauss-seidel", "power"]
    weighted: bool
    compressed: bool


class ServingKeywords(TypedDict, total=False):
    """The settings of ``[serve]`` and ``[server]``."""

    host: str
    port: int
    replay_origin: str
    public: bool
    token_file: str
    redirect_to_exact: bool
    viewer: str
    cors_origins: str | Sequence[str]
    model: str | Sequence[str]
    allowed_hosts: str | Sequence[str]
    max_connections: int
    max_connections_per_client: int
    request_rate: float
    request_burst: int
    max_head: int | str
    max_body: int | str
    head_time: float | str
    body_time: float | str
    idle_time: float | str
    query_time: float | str
    send_time: float | str
    grace_time: float | str


class BuildKeywords(TypedDict, total=False):
    """The settings of all parts that are built."""

    addresses: str
    alpha: float
    anchor_share: float
    anchor_weight: float
    answers: Literal["pages", "stored"]
    arnoldi: int
    arnoldi_limit: int
    b: float
    block: int
    block_code: str
    bound: float
    by: Literal["static", "canonical", "learned"]
    categories: str
    chain: int
    clock: bool
    coding: Literal["contexts", "codes"] | Literal["runs", "huffman"]
    compressed: bool
    converge: int
    corpus_pages: int
    count_code: str
    count_differences: bool
    dangling: Literal["uniform", "preference"]
    decay: float
    earlier: str | Sequence[str]
    failures: float
    fetch_spread: float
    fetch_time: float | str
    fetchers: int
    fingerprints: int
    fold: Literal["none", "exact", "fingerprint"] | int
    frontier: bool
    gap_code: str
    host_delay: float | str
    host_delays: str | Sequence[str]
    host_weight: float
    hosts: bool
    interval_code: str
    inverse: bool
    invitro: str
    invitro_seed: int
    ip_delay: float | str
    judgements: str
    k1: float
    knowing: str
    labels: str
    last_capture: bool
    learning_rate: float
    least_share: float
    length_code: str
    level: Literal["page", "host", "domain"]
    levels: int
    limit: int
    link_order: Literal["node", "page"]
    link_weight: float
    lists: str | Sequence[str]
    main: Literal["dom", "visual", "low-slope"]
    max_crawl_delay: float | str
    max_depth: int
    max_pages: int
    max_pages_per_host: int
    max_seconds: float | str
    max_terms: int
    max_urls: int
    memory: int | str
    method: str
    min_df: int
    min_interval: int
    most_share: float
    multiplicity: bool
    ngram: int
    nofollow: bool
    obey_robots: bool
    off: str | Sequence[str]
    other_weight: float
    outdegree_code: str
    pages: int
    parsers: str | Sequence[str]
    per_host: int
    persistence: float
    piece: int
    points: int
    policy: str | Sequence[str]
    precision: float
    queries: str | Sequence[str]
    query_words: str
    rankings: str | Sequence[str]
    reference_code: str
    refused_rules: str | Sequence[str]
    registers: int
    relevant: str
    residual: float
    residual_code: str
    retries: int
    retry_delay: float | str
    robots: str
    robots_expiry: float | str
    runs: int
    seed: int
    seeds: str
    seen: str
    self_loops: bool
    servers: int
    sets: str | Sequence[str]
    share: float
    size_code: str
    solver: Literal["gauss-seidel", "power"]
    spectra: Literal["ends", "all"]
    start: str
    stemmer: str
    stop_words: str
    supersource: float
    support: int
    target: float
    task: str
    text_weight: float
    threshold: float
    title_weight: float
    together: int
    tolerance: float
    top: int
    topics: str
    trusted: str
    url_weight: float
    vectors: int
    wanted: int
    weighted: bool
    window: int
