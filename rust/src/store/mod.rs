//! Captures on disk: WARC files and their index.

pub mod cdxj;
pub mod main_content;
pub mod near_duplicates;
pub mod simhash;
pub mod warc;
