//! What a crawl obeys; `crawl/settings.py` says what each number means and what it may be.

use super::Result;
use super::earlier::Payloads;
use super::filters::Filter;
use super::workbench::Moment;
use crate::archive::warc::Compression;
use crate::numbers;
use crate::store::main_content::Rules;
use hashbrown::HashMap;
use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use xxhash_rust::xxh3::xxh3_64;

numbers! {
    /// The settings that are numbers; times are in seconds.
    pub struct Limits {
        host_delay: f64,
        ip_delay: f64,
        keep_alive: f64,
        max_crawl_delay: f64,
        fetchers: usize,
        workers: usize,
        connect_timeout: f64,
        response_timeout: f64,
        head_timeout: f64,
        fetch_timeout: f64,
        min_rate: f64,
        max_response: usize,
        max_header: usize,
        max_redirects: u8,
        max_retry_after: f64,
        max_pages: u64,
        max_bytes: u64,
        max_seconds: f64,
        max_urls: u64,
        max_pages_per_host: u32,
        max_depth: u8,
        max_url_length: usize,
        obey_robots: bool,
        robots_expiry: f64,
        follow_nofollow: bool,
        follow_canonical: bool,
        follow_duplicates: bool,
        resources: bool,
        offsite_resources: bool,
        sitemaps: bool,
        max_sitemap_depth: u8,
        max_sitemaps: u32,
        max_sitemap_bytes: u64,
        accept_all_certificates: bool,
        store_pointers: bool,
        file_size: u64,
        url_cache: usize,
        sieve: usize,
        workbench: usize,
        virtualizer: usize,
        duplicates_cache: usize,
        log_releases: bool,
        gate_after: f64,
        agent: u32,
        resolve: bool,
        private_addresses: bool,
        checkpoint: f64,
        disk_check: f64,
        log: u8,
        log_size: u64,
        probe_after: u32,
        max_duplicate_share: f64,
        max_pages_per_pattern: u32,
        dust_support: u32,
        delay_factor: f64,
        max_adaptive_delay: f64,
        store_reserved: bool,
        store_robots: bool,
        revisits: bool,
        conditional: bool,
        scheduled: bool,
        basis: u8,
    }
}

/// A function of the user's over a batch, by the place of the filter and the number of the predicate.
pub type Judge = Arc<dyn Fn((usize, usize), &[Subjects]) -> Result<Vec<bool>> + Send + Sync>;
/// The level of each URL.
pub type Prioritizer = Arc<dyn Fn(&[(&str, u8)]) -> Result<Vec<u32>> + Send + Sync>;

/// What a predicate of the user's is shown.
#[derive(Clone, Debug, Default)]
pub struct Subjects {
    pub url: String,
    pub source: Option<String>,
    pub depth: u8,
    pub status: u16,
    pub content_type: String,
    pub body: Option<Arc<[u8]>>,
    pub digest: [u8; 20],
    pub is_duplicate: bool,
}

/// The five filters, each with the function that answers for predicates of the user's.
#[derive(Default)]
pub struct Filters {
    pub schedule: Option<Filter>,
    pub fetch: Option<Filter>,
    pub parse: Option<Filter>,
    pub follow: Option<Filter>,
    pub store: Option<Filter>,
    pub judge: Option<Judge>,
}

/// What every thread of a crawl obeys; one that changes while it runs is sent to all of them, whole and new.
#[derive(Clone)]
pub struct Config {
    pub limits: Limits,
    pub folder: PathBuf,
    /// for what follows from the journal, made anew at each start
    pub scratch: PathBuf,
    pub user_agent: String,
    /// names that robots.txt may call us by
    pub agents: Vec<String>,
    pub headers: Vec<(String, String)>,
    /// seconds to wait before each further attempt, by kind of failure; the last list is for answers 429 and 5xx
    pub retries: Vec<Vec<f64>>,
    pub host_delays: HashMap<String, f64>,
    pub ip_delays: HashMap<IpAddr, f64>,
    pub hosts: Arc<HashMap<String, (IpAddr, Option<u16>)>>,
    pub name_servers: Vec<std::net::SocketAddr>,
    /// certificates to trust, as PEM
    pub authority: Option<String>,
    pub compression: Compression,
    pub prefix: String,
    /// nanoseconds by which the web's clock is ahead of ours
    pub clock: i64,
    /// seconds of the web in one of ours, and since when, in nanoseconds since 1970
    pub speed: (f64, u64),
    /// what is main content, where a schedule wants to know whether it changed
    pub contents: Option<Arc<Rules>>,
    pub warcinfo: Vec<(String, String)>,
    pub filters: Arc<Filters>,
    /// chance of each level to be served
    pub weights: Vec<f64>,
    pub prioritizer: Option<Prioritizer>,
    /// what an earlier run of this crawl has stored; who takes it up leaves nothing here
    pub past: Arc<Mutex<Past>>,
    /// payloads of earlier snapshots
    pub earlier: Option<Arc<Payloads>>,
    /// seconds before anybody is asked, since it may have been asked just before the end of that run
    pub pause: f64,
    /// places on the ring of agents: hashes and whose they are, sorted; none if there is one agent
    pub ring: Vec<(u64, u32)>,
}

/// What can change while a crawl runs.
pub struct Change {
    pub limits: Limits,
    pub retries: Vec<Vec<f64>>,
    pub host_delays: HashMap<String, f64>,
    pub ip_delays: HashMap<IpAddr, f64>,
    pub filters: Arc<Filters>,
}

/// What an earlier run has stored.
#[derive(Default)]
pub struct Past {
    /// hashes of the URLs that have a capture
    pub stored: Vec<u64>,
    /// digest, fingerprint, URL and date (nanoseconds) of pages, in their order
    pub known: Vec<([u8; 20], Option<u64>, String, u64)>,
    /// pages by origin
    pub pages: Vec<(String, u32)>,
    pub num_duplicates: u64,
    /// captures that were cut off
    pub num_torn: u64,
    /// origins that were given up and are not asked again, each with the reason
    pub closed: Vec<(String, String)>,
}

pub fn nanos(seconds: f64) -> Moment {
    (seconds * 1e9).clamp(0.0, 1e18) as Moment
}

impl Config {
    /// The same with what has changed.
    pub fn with(&self, change: Change) -> Self {
        Self {
            limits: change.limits,
            retries: change.retries,
            host_delays: change.host_delays,
            ip_delays: change.ip_delays,
            filters: change.filters,
            ..self.clone()
        }
    }

    /// A number for the names that robots.txt may call us by: rules for others are not ours.
    pub fn agents_hash(&self) -> u64 {
        xxh3_64(self.agents.join("\n").as_bytes())
    }

    pub fn user_agents(&self) -> Vec<&[u8]> {
        self.agents.iter().map(|name| name.as_bytes()).collect()
    }

    /// The agent that a host belongs to: the first on the ring behind its hash.
    pub fn agent_of(&self, host_hash: u64) -> u32 {
        let place = self.ring.partition_point(|(hash, _)| *hash < host_hash);
        let owner = self.ring.get(place).or(self.ring.first());
        owner.map_or(self.limits.agent, |(_, agent)| *agent)
    }
}
