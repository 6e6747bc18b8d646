//! A FIFO of byte strings on disk.
