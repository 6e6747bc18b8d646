//! Captures on disk: WARC files and their index.

pub mod cdxj;
pub mod warc;
