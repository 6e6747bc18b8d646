//! What the workbench cannot hold, per host, on disk.
