//! One segment as it is read: an index of tantivy whose documents are entries, and the documents that these stand for.

use super::versions::{EXTENSION, Pieces, Versions};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use tantivy::directory::{Directory, OwnedBytes};
use tantivy::fieldnorm::FieldNormReader;
use tantivy::index::{InvertedIndexReader, SegmentReader};
use tantivy::postings::TermInfo;
use tantivy::schema::Field;
use tantivy::{TantivyError, Term};

pub struct Segment {
    pub reader: SegmentReader,
    /// Of each field.
    pub fields: Vec<Arc<InvertedIndexReader>>,
    /// Of each field whose lengths are kept.
    lengths: Vec<Option<FieldNormReader>>,
    /// None where each entry is a document, numbered from `first` on (format 1).
    versions: Option<Versions<OwnedBytes>>,
    first: u32,
    /// Which of the segments it is.
    pub place: usize,
}

impl Segment {
    /// Opens what belongs to a reader of tantivy's, in a folder.
    pub fn open(
        reader: &SegmentReader,
        directory: &dyn Directory,
        first: u32,
        place: usize,
    ) -> tantivy::Result<Self> {
        let name = format!("{}.{EXTENSION}", reader.segment_id().uuid_string());
        let versions = if directory.exists(Path::new(&name))? {
            let data = directory.open_read(Path::new(&name))?.read_bytes()?;
            let versions = Versions::new(data)
                .map_err(|problem| TantivyError::SystemError(format!("{name}: {problem}")))?;
            if versions.num_entries != reader.max_doc() as usize {
                let problem = format!("{name}: it is of another segment");
                return Err(TantivyError::SystemError(problem));
            }
            Some(versions)
        } else {
            None
        };
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
            first,
            place,
        })
    }

    pub fn num_documents(&self) -> usize {
        let entries = self.reader.max_doc() as usize;
        self.versions
            .as_ref()
            .map_or(entries, |versions| versions.num_documents)
    }

    /// The field of which versions have words of their own.
    pub fn shared(&self) -> Option<u32> {
        self.versions.as_ref().map(|versions| versions.shared)
    }

    pub fn slack(&self) -> f32 {
        self.versions
            .as_ref()
            .map_or(1.0, |versions| versions.slack)
    }

    /// Words of a field, of all documents.
    pub fn num_words(&self, field: usize) -> u64 {
        match &self.versions {
            Some(versions) => versions.num_words.get(field).copied().unwrap_or_default(),
            None => self.fields[field].total_num_tokens(),
        }
    }

    /// Which of the listed documents are those of an entry.
    pub fn listed(&self, entry: u32) -> Range<usize> {
        match &self.versions {
            Some(versions) => versions.listed(entry),
            None => entry as usize..entry as usize + 1,
        }
    }

    /// The number of a listed document.
    pub fn document(&self, listed: usize) -> u32 {
        match &self.versions {
            Some(versions) => versions.document(listed),
            None => self.first + listed as u32,
        }
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

    /// The code of a listed document's length in a field.
    pub fn code(&self, field: usize, entry: u32, listed: usize) -> u8 {
        match &self.versions {
            Some(versions) if versions.shared as usize == field => versions.code(listed),
            _ => self.entry_code(field, entry),
        }
    }

    /// The runs of the documents of an entry.
    pub fn read_pieces(&self, entry: u32, count: usize, out: &mut Pieces) {
        if let Some(versions) = &self.versions {
            versions.read_runs(entry, count, out);
        }
    }

    /// Where the list of a term is, and in how many documents the term is.
    pub fn look_up(&self, term: &Term) -> tantivy::Result<Option<(TermInfo, u64)>> {
        let number = term.field().field_id() as usize;
        let bytes = term.serialized_value_bytes();
        let terms = self.fields[number].terms();
        let Some(found) = terms.get(bytes)? else {
            return Ok(None);
        };
        let mut count = u64::from(found.doc_freq);
        if let Some(versions) = &self.versions
            && let Some(place) = terms.term_ord(bytes)?
        {
            count += versions.more(number, place);
        }
        Ok(Some((found, count)))
    }

    /// In how many more documents than entries a term of a field is, by its place among the terms.
    pub fn more(&self, field: usize, place: u64) -> u64 {
        self.versions
            .as_ref()
            .map_or(0, |versions| versions.more(field, place))
    }
}
