//! Graphs of nodes in row-key order.

pub mod arc_labelled;
pub mod arc_sort;
pub mod balls;
pub mod bvgraph;
pub mod components;
pub mod list_source;
pub mod order;

use crate::collection::CollectionError;
use std::fmt;

/// What can go wrong with a graph; `python/errors.rs` turns each case into an exception.
#[derive(Debug)]
pub enum GraphError {
    /// Arrays that are no graph: a mistake of the caller.
    Arrays(String),
    /// Files that are no graph.
    Format(String),
    /// Files, progress.
    Collection(CollectionError),
}

impl fmt::Display for GraphError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Arrays(message) | Self::Format(message) => write!(f, "{message}"),
            Self::Collection(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for GraphError {}

impl From<CollectionError> for GraphError {
    fn from(error: CollectionError) -> Self {
        Self::Collection(error)
    }
}
