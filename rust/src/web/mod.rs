//! URLs and what is made of them.

pub mod host;
pub mod robots;
pub mod row_key;
pub mod url;
