//! The data plane of a crawl, with the names of BUBING: URL cache, sieve, workbench, virtualizer, distributor, fetchers.

pub mod dns;
pub mod duplicates;
pub mod fetcher;
pub mod filters;
pub mod queue;
pub mod sieve;
pub mod url_cache;
pub mod virtualizer;
pub mod workbench;
