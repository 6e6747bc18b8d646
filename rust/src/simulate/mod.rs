//! Simulated crawls of stored webs.

pub mod crawl;
