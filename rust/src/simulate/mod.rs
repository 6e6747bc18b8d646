//! Simulated crawls of stored webs.

pub mod run;
