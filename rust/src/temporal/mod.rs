//! Graphs of several snapshots: the label of a node or arc is the mask of the snapshots that have it.
//!
//! Codes, counts and headers are made in Python (`webstrata.temporal.labels`); here is what runs once per arc.

pub mod labels;
