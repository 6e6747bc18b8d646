//! The sieve: a queue with memory.
