//! Captures on disk: WARC files and their index, and what their pages contain.

pub mod answers;
pub mod cdxj;
pub mod contents;
pub mod main_content;
pub mod near_duplicates;
pub mod simhash;
pub mod warc;
