//! Duplicates among pages: hashes of texts that differ little, and pairs of similar pages.

pub mod near;
pub mod simhash;
