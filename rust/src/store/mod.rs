//! What pages contain: text, links and main content; duplicates among them.

pub mod contents;
pub mod duplicates;
pub mod main_content;
