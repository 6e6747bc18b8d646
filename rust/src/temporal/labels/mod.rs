//! Labels of arcs over time: codes and headers are made in Python, here is what runs once per arc.

pub mod pointers;
pub mod read;
pub mod runs;
pub mod terms;
