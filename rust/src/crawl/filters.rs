//! Compiled filters.
