//! One segment: documents in, files out; or several that become one. Whoever has several puts them together by their
//! metadata, in Python.

use super::analysis::Analyzer;
use super::read::ReadOnly;
use super::{SearchError, WORDS, make_schema};
use std::path::{Path, PathBuf};
use tantivy::directory::MmapDirectory;
use tantivy::indexer::{SingleSegmentIndexWriter, merge_filtered_segments};
use tantivy::schema::{Field, TantivyDocument};
use tantivy::tokenizer::{TextAnalyzer, TokenizerManager};
use tantivy::{Index, IndexSettings, Segment, TantivyError};

/// What the table of terms begins with; it grows.
const MEMORY: usize = 64 << 20;

pub struct Writer {
    folder: PathBuf,
    inner: SingleSegmentIndexWriter,
    num_fields: usize,
}

impl Writer {
    /// A new segment in an empty folder.
    pub fn create(
        folder: &Path,
        fields: &[(String, String)],
        analyzer: Analyzer,
    ) -> Result<Self, SearchError> {
        let schema = make_schema(fields)?;
        let tokenizers = TokenizerManager::default();
        tokenizers.register(WORDS, TextAnalyzer::from(analyzer));
        let refuse = |error| SearchError::new(folder, "write", error);
        let directory =
            MmapDirectory::open(folder).map_err(|error| refuse(TantivyError::from(error)))?;
        let inner = Index::builder()
            .schema(schema)
            .tokenizers(tokenizers)
            .single_segment_index_writer(directory, MEMORY)
            .map_err(refuse)?;
        Ok(Self {
            folder: folder.to_owned(),
            inner,
            num_fields: fields.len(),
        })
    }

    /// Adds a document: for each field its values, each a text of its own.
    pub fn add<T: AsRef<str>>(&mut self, values: &[Vec<T>]) -> Result<(), SearchError> {
        if values.len() != self.num_fields {
            return Err(SearchError::Arguments(format!(
                "documents: expected the values of {} fields, got those of {}",
                self.num_fields,
                values.len()
            )));
        }
        let mut document = TantivyDocument::default();
        for (number, texts) in values.iter().enumerate() {
            for text in texts {
                document.add_text(Field::from_field_id(number as u32), text.as_ref());
            }
        }
        self.inner
            .add_document(document)
            .map_err(|error| SearchError::new(&self.folder, "write", error))
    }

    /// What the documents take in memory by now.
    pub fn memory(&self) -> usize {
        self.inner.mem_usage()
    }

    /// Writes the segment.
    pub fn finish(self) -> Result<(), SearchError> {
        let Self { folder, inner, .. } = self;
        let finished = inner.finalize();
        finished.map_err(|error| SearchError::new(&folder, "write", error))?;
        Ok(())
    }
}

/// Makes one segment, in an empty folder, of others, each in a folder and with a name: the documents of the first, then
/// those of the next.
pub fn merge(given: &[(PathBuf, String)], target: &Path) -> Result<(), SearchError> {
    let mut segments: Vec<Segment> = Vec::with_capacity(given.len());
    for (folder, name) in given {
        let refuse = |error| SearchError::new(folder, "read", error);
        let directory = ReadOnly::open(folder).map_err(refuse)?;
        let known = Index::open(directory).and_then(|index| index.searchable_segments());
        let mut known = known.map_err(refuse)?;
        known.retain(|segment| segment.id().uuid_string() == *name);
        segments.push(known.pop().ok_or_else(|| {
            SearchError::Format(format!(
                "{}: there is no segment {name}; build it again with `webstrata index`",
                folder.display()
            ))
        })?);
    }
    let everything = segments.iter().map(|_| None).collect();
    let written = MmapDirectory::open(target)
        .map_err(TantivyError::from)
        .and_then(|directory| {
            merge_filtered_segments(&segments, IndexSettings::default(), everything, directory)
        });
    written.map_err(|error| SearchError::new(target, "write", error))?;
    Ok(())
}
