//! Scores of nodes by the links between them.

pub mod pagerank;
pub mod walk;
