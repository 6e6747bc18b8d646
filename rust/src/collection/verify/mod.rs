//! Checksums of files: of each block, and of a file as a whole.

pub mod blocks;
pub mod digest;
