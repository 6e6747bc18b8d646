//! Formats of web archives: WARC files, their index, and the HTTP responses in their records.

pub mod cdxj;
pub mod responses;
pub mod warc;
