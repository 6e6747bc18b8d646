//! An exact map on disk.
