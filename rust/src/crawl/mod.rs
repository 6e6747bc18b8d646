//! The data plane of a crawl, with the names of BUBING: URL cache, sieve, workbench, virtualizer, distributor, fetchers.
//!
//! ```text
//!              links                        visits                     records
//! fetchers ───────────▶ frontier (one thread) ───────▶ fetchers (one    ───────▶ flusher (one thread)
//!          ◀─────────── sieve, workbench,     ◀─────── event loop a core)        WARC files, captures
//!             answers   virtualizer, duplicates  ends
//! ```
//!
//! Each structure belongs to one thread, and the threads send each other messages: no lock stands on the way of a page.

pub mod config;
pub mod copies;
pub mod counters;
pub mod decoding;
pub mod distributor;
pub mod dns;
pub mod duplicates;
pub mod dust;
pub mod earlier;
pub mod engine;
pub mod fetcher;
pub mod fifo;
pub mod filters;
pub mod flusher;
pub mod frontier;
pub mod journal;
pub mod judging;
pub mod keep_alive;
pub mod links;
pub mod log;
pub mod loops;
pub mod messages;
pub mod pacing;
pub mod page;
pub mod patterns;
pub mod queue;
pub mod record;
pub mod recovery;
pub mod requisites;
pub mod resolving;
pub mod rules;
pub mod schedule;
pub mod sieve;
pub mod signals;
pub mod sitemaps;
pub mod skip_reasons;
pub mod soft_404;
pub mod steering;
pub mod tls;
pub mod url_cache;
pub mod virtualizer;
pub mod visits;
pub mod workbench;

use crate::collection::CollectionError;
use std::fmt;

/// What ends a crawl before its time.
#[derive(Debug)]
pub enum CrawlError {
    Collection(CollectionError),
    /// a setting that only the core can judge
    Setting(String),
    /// a function of the user's raised an exception, which the binding keeps
    Callback,
    /// a failure that no setting causes: of the system, or a defect of webstrata
    Internal(String),
}

impl From<CollectionError> for CrawlError {
    fn from(error: CollectionError) -> Self {
        Self::Collection(error)
    }
}

impl fmt::Display for CrawlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Collection(error) => error.fmt(f),
            Self::Setting(message) | Self::Internal(message) => f.write_str(message),
            Self::Callback => f.write_str("a user function raised an exception"),
        }
    }
}

pub type Result<T> = std::result::Result<T, CrawlError>;
