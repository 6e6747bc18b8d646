//! Names and their addresses.
