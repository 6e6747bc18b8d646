//! The URL cache in front of the sieve.
