//! Fetching.
