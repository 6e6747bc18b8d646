//! Features of hosts: what runs once per byte of their pages.

pub mod content;
pub mod samples;
