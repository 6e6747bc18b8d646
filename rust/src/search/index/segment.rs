//! One segment as it is read: an index of tantivy whose documents are entries, and the documents that these stand for.

use super::super::versions::{EXTENSION, Pieces, Versions};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use tantivy::TantivyError;
use tantivy::directory::{Directory, OwnedBytes};
use tantivy::fieldnorm::FieldNormReader;
use tantivy::index::{InvertedIndexReader, SegmentReader};
use tantivy::postings::TermInfo;
use tantivy::schema::Field;

pub struct Segment {
    pub reader: SegmentReader,
    /// Of each field.
    pub fields: Vec<Arc<InvertedIndexReader>>,
    /// Of each field whose lengths are kept.
    lengths: Vec<Option<FieldNormReader>>,
    versions: Versions<OwnedBytes>,
    /// Which of the segments it is.
    pub place: usize,
}

impl Segment {
    /// Opens what belongs to a reader of tantivy's, in a folder.
    pub fn open(
        reader: &SegmentReader,
        directory: &dyn Directory,
        place: usize,
    ) -> tantivy::Result<Self> {
        let name = format!("{}.{EXTENSION}", reader.segment_id().uuid_string());
        let data = directory.open_read(Path::new(&name))?.read_bytes()?;
        let versions = Versions::new(data)
            .map_err(|problem| TantivyError::SystemError(format!("{name}: {problem}")))?;
        if versions.num_entries != reader.max_doc() as usize {
            let problem = format!("{name}: it belongs to another segment");
            return Err(TantivyError::SystemError(problem));
        }
        let numbers = 0..reader.schema().num_fields() as u32;
        let fields = numbers.clone().map(Field::from_field_id);
        let fields: tantivy::Result<Vec<_>> =
            fields.map(|field| reader.inverted_index(field)).collect();
        let lengths = numbers.map(Field::from_field_id);
        let lengths: tantivy::Result<Vec<_>> = lengths
            .map(|field| reader.fieldnorms_readers().get_field(field))
            .collect();
        Ok(Self {
            reader: reader.clone(),
            fields: fields?,
            lengths: lengths?,
            versions,
            place,
        })
    }

    pub fn num_documents(&self) -> usize {
        self.versions.num_documents
    }

    /// The field of which versions have words of their own.
    pub fn shared(&self) -> u32 {
        self.versions.shared
    }

    /// Words of a field, of all documents.
    pub fn num_words(&self, field: usize) -> u64 {
        let words = self.versions.num_words.get(field);
        words.copied().unwrap_or_default()
    }

    /// Which of the listed documents are those of an entry.
    pub fn listed(&self, entry: u32) -> Range<usize> {
        self.versions.listed(entry)
    }

    /// The number of a listed document.
    pub fn document(&self, listed: usize) -> u32 {
        self.versions.document(listed)
    }

    /// The entry of a listed document.
    pub fn entry_of(&self, listed: usize) -> u32 {
        let (mut low, mut high) = (0, self.reader.max_doc());
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if self.listed(middle).start <= listed {
                low = middle;
            } else {
                high = middle;
            }
        }
        low
    }

    /// The code of an entry's length in a field; that of one word where lengths are not kept.
    pub fn entry_code(&self, field: usize, entry: u32) -> u8 {
        match self.lengths.get(field) {
            Some(Some(lengths)) => lengths.fieldnorm_id(entry),
            _ => FieldNormReader::fieldnorm_to_id(1),
        }
    }

    /// The code of a listed document's length in the field of which it has words of its own.
    pub fn own_code(&self, listed: usize) -> u8 {
        self.versions.code(listed)
    }

    /// The code of a listed document's length in a field.
    pub fn code(&self, field: usize, entry: u32, listed: usize) -> u8 {
        if self.versions.shared as usize == field {
            self.versions.code(listed)
        } else {
            self.entry_code(field, entry)
        }
    }

    /// The runs of the documents of an entry.
    pub fn read_pieces(&self, entry: u32, count: usize, out: &mut Pieces) {
        self.versions.read_runs(entry, count, out);
    }

    /// Where the list of a term of a field is.
    pub fn list(&self, field: u32, text: &str) -> tantivy::Result<Option<TermInfo>> {
        Ok(self.fields[field as usize].terms().get(text)?)
    }

    /// Where the lists of a term are in fields that are scored, and how many documents have it in any of them.
    pub fn look_up(&self, text: &str) -> tantivy::Result<(Vec<Option<TermInfo>>, u64)> {
        let mut lists = vec![None; self.fields.len()];
        let mut count = 0;
        for (number, field) in self.fields.iter().enumerate() {
            if self.lengths[number].is_none() {
                continue;
            }
            let terms = field.terms();
            if let Some(found) = terms.get(text)? {
                let place = terms.term_ord(text)?.unwrap_or(u64::MAX);
                // each document is counted where it has the term first: in the shared field, then in the order of fields
                count += if number as u32 == self.shared() {
                    u64::from(found.doc_freq) + self.versions.more(number, place)
                } else {
                    self.versions.first(number, place)
                };
                lists[number] = Some(found);
            }
        }
        Ok((lists, count))
    }

    /// In how many more documents than entries a term of a field is, by its place among the terms.
    pub fn more(&self, field: usize, place: u64) -> u64 {
        self.versions.more(field, place)
    }
}
