//! The text index: words of pages to postings, and queries to the best documents, on the crate `tantivy`.
//!
//! What a document is, which fields it has and what a query means is said in Python (`webstrata.search`). Here are the
//! loops per word and per posting: words folded and stemmed, segments written, the best of all documents found.

pub mod analysis;
pub mod best;
pub mod evaluate;
mod folder;
pub mod index;
mod lists;
pub mod query;
pub mod scoring;
pub mod segments;
pub mod sharing;
pub mod union;
pub mod versions;

use crate::collection::CollectionError;
use std::fmt;
use std::path::{Path, PathBuf};
use tantivy::TantivyError;
use tantivy::schema::{IndexRecordOption, Schema, TextFieldIndexing, TextOptions};

/// What can go wrong with an index; `python/errors.rs` turns each case into an exception.
#[derive(Debug)]
pub enum SearchError {
    /// A mistake of the caller.
    Arguments(String),
    /// The index in a folder is damaged.
    Damaged { folder: PathBuf, problem: String },
    /// Files, progress.
    Collection(CollectionError),
}

impl SearchError {
    /// An error of tantivy about the index in a folder.
    pub fn new(folder: &Path, action: &'static str, error: TantivyError) -> Self {
        match error {
            TantivyError::IoError(error) => {
                let error = std::io::Error::new(error.kind(), error.to_string());
                Self::Collection(CollectionError::from_io(folder, action, error))
            }
            error => Self::damaged(folder, &format!("the index cannot be read ({error})")),
        }
    }

    /// What is wrong with the index in a folder.
    pub fn damaged(folder: &Path, problem: &str) -> Self {
        Self::Damaged {
            folder: folder.to_path_buf(),
            problem: problem.to_owned(),
        }
    }
}

impl fmt::Display for SearchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Arguments(message) => write!(f, "{message}"),
            Self::Damaged { folder, problem } => write!(f, "{}: {problem}", folder.display()),
            Self::Collection(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for SearchError {}

/// The name of our tokenizer in schemas.
const WORDS: &str = "words";

/// What is kept of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Words and where they stand.
    Positions,
    /// The same, and versions that share an entry each have their own.
    Versions,
    /// Words and where they stand; those of the first version stand for all that share its entry.
    First,
    /// Values as they are, for filters.
    Whole,
}

/// A schema of fields, each with the name of its kind.
pub fn make_schema(fields: &[(String, String)]) -> Result<(Schema, Vec<Kind>), SearchError> {
    let mut builder = Schema::builder();
    let mut kinds = Vec::with_capacity(fields.len());
    for (name, kind) in fields {
        let (kind, tokenizer, option) = match kind.as_str() {
            "positions" => (
                Kind::Positions,
                WORDS,
                IndexRecordOption::WithFreqsAndPositions,
            ),
            "versions" if !kinds.contains(&Kind::Versions) => (
                Kind::Versions,
                WORDS,
                IndexRecordOption::WithFreqsAndPositions,
            ),
            "first" => (Kind::First, WORDS, IndexRecordOption::WithFreqsAndPositions),
            "whole" => (Kind::Whole, "raw", IndexRecordOption::Basic),
            _ => {
                return Err(SearchError::Arguments(format!(
                    "fields: unknown kind {kind}, or a second field of kind versions"
                )));
            }
        };
        let indexing = TextFieldIndexing::default()
            .set_tokenizer(tokenizer)
            .set_index_option(option)
            .set_fieldnorms(kind != Kind::Whole);
        builder.add_text_field(name, TextOptions::default().set_indexing_options(indexing));
        kinds.push(kind);
    }
    Ok((builder.build(), kinds))
}
