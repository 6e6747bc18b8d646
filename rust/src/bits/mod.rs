//! Bits of stored files: words in memory or mapped, and readers of lists and codes that trust nothing they read.
//!
//! `content` has the words of a file, `words` gives them 64 bits at a time in either bit order. `elias_fano` is the one
//! reader of Elias–Fano lists; `sux_list` knows how the crate `sux` lays such a list out in a file, and rooms with a layout
//! of their own say only where its parts are. `marks` are bits with ranks. `cursor` reads a stream of bits, `canonical`
//! decodes canonical codes from it, and `lookup` reads short codewords of the crate `dsi-bitstream` from a table.
//!
//! Every read is checked against the length of the file: a damaged file gives `None` or [`cursor::Damage`], never a panic.

pub mod canonical;
pub mod content;
pub mod cursor;
pub mod elias_fano;
pub mod lookup;
pub mod marks;
pub mod sux_list;
pub mod words;
