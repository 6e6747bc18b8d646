//! URLs, the protocol that fetches them, and what is read in the answers.

pub mod address;
pub mod charset;
pub mod css;
pub mod fingerprint;
pub mod host;
pub mod html;
pub mod http;
pub mod language;
pub mod manifest;
pub mod rewriting;
pub mod robots;
pub mod row_key;
pub mod sitemap;
pub mod url;
pub mod words;
