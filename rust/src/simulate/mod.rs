//! Webs and crawls that do not exist.

pub mod crawl;
pub mod invitro;

use std::fmt;
use std::io;

/// What can go wrong with a simulated web; `python/errors.rs` turns each case into an exception.
#[derive(Debug)]
pub enum SimulateError {
    /// A web that cannot be: the sentence says which number.
    Spec(String),
    /// A given graph or log that does not hold what it should.
    Input(String),
    /// The address is taken or not ours.
    Address { address: String, source: io::Error },
    /// Files, progress.
    Collection(crate::collection::CollectionError),
}

impl fmt::Display for SimulateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Spec(message) | Self::Input(message) => write!(f, "{message}"),
            Self::Address { address, source } => write!(
                f,
                "{address}: the server cannot listen there ({source}); choose another port with --port, 0 for any free one"
            ),
            Self::Collection(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for SimulateError {}

impl From<crate::collection::CollectionError> for SimulateError {
    fn from(error: crate::collection::CollectionError) -> Self {
        Self::Collection(error)
    }
}
