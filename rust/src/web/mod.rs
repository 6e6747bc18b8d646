//! URLs and what is made of them.

pub mod row_key;
