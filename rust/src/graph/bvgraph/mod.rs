//! BVGraph: successor lists in a few bits per link, as the crate `webgraph` and Java's WebGraph code them.
//!
//! `write` passes the output of the crate's compressor to our writer; `read` opens files, in memory or mapped, and `lists`
//! decodes one list after another from untrusted bits: the crate's own decoders do not check a damaged stream.

pub mod lists;
pub mod pieces;
mod read;
mod write;

pub use read::BvGraph;
pub use write::{CompressedSize, Joiner, Parameters, Piece, encode, write_ef};

use std::path::{Path, PathBuf};

/// Offsets and targets: the successors of node u are `targets[offsets[u]..offsets[u + 1]]`.
pub type Rows = (Vec<u64>, Vec<u32>);

/// Nodes between two looks at the meter.
const PERIOD: usize = 1 << 12;

/// The extensions are appended, so that the basename may have a dot in it.
fn with_suffix(basename: &Path, suffix: &str) -> PathBuf {
    let mut name = basename.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}
