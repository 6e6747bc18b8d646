//! Scores of nodes by the links between them.

pub mod cut;
pub mod fold;
pub mod pagerank;
pub mod push;
pub mod walk;
