//! Features of hosts: what runs once per byte of their pages.

pub mod content;
