//! What an index has of each term, by documents: for partitions by terms, completion and prefixes.

use super::SearchError;
use super::evaluate::for_each_document;
use super::index::Reader;
use std::collections::BTreeMap;

/// Documents, how often each has a term and where its places begin; and all places.
type Occurrences = (Vec<(u32, u32, usize)>, Vec<u32>);

impl Reader {
    /// The documents that have a term, ascending, how often each has it, and where.
    fn occurrences(
        &self,
        field: u32,
        text: &str,
        positions: bool,
    ) -> Result<Occurrences, SearchError> {
        self.check_field(field)?;
        let (mut found, mut places) = (Vec::new(), Vec::new());
        for segment in &self.segments {
            let list = segment.list(field, text);
            let Some(list) = list.map_err(|error| self.refuse(error))? else {
                continue;
            };
            for_each_document(segment, field, &list, positions, |document, count, own| {
                found.push((document, count, places.len()));
                if positions {
                    places.extend_from_slice(own);
                }
            })
            .map_err(|error| self.refuse(error))?;
        }
        found.sort_unstable();
        Ok((found, places))
    }

    /// The documents that have a term, ascending, and how often each has it.
    pub fn postings(&self, field: u32, text: &str) -> Result<(Vec<u32>, Vec<u32>), SearchError> {
        let (found, _) = self.occurrences(field, text, false)?;
        Ok(found
            .iter()
            .map(|&(document, count, _)| (document, count))
            .unzip())
    }

    /// Where the words of a term stand: for each document that has it, in order, as many places as it has the term.
    pub fn positions(&self, field: u32, text: &str) -> Result<Vec<u32>, SearchError> {
        let (found, places) = self.occurrences(field, text, true)?;
        let own = found.iter();
        let own = own.map(|&(_, count, begin)| places.get(begin..begin + count as usize));
        Ok(own.flat_map(Option::unwrap_or_default).copied().collect())
    }

    /// The code of each document's length in a field; `LENGTHS` has what it stands for.
    pub fn length_codes(&self, field: u32) -> Result<Vec<u8>, SearchError> {
        let number = self.check_field(field)?;
        let mut found = vec![0; self.num_documents as usize];
        for segment in &self.segments {
            for entry in 0..segment.reader.max_doc() {
                for listed in segment.listed(entry) {
                    let document = segment.document(listed) as usize;
                    found[document] = segment.code(number, entry, listed);
                }
            }
        }
        Ok(found)
    }

    /// The terms of a field that begin so, each with the number of documents that have it, in the order of bytes; at
    /// most `limit` of each segment.
    pub fn terms(
        &self,
        field: u32,
        prefix: &str,
        limit: usize,
    ) -> Result<BTreeMap<String, u64>, SearchError> {
        let number = self.check_field(field)?;
        let mut found = BTreeMap::new();
        for segment in &self.segments {
            let mut terms = segment.fields[number]
                .terms()
                .range()
                .ge(prefix)
                .into_stream()
                .map_err(|error| self.refuse(error))?;
            let mut left = limit;
            while left > 0 && terms.advance() && terms.key().starts_with(prefix.as_bytes()) {
                left -= 1;
                let more = segment.more(number, terms.term_ord());
                if let Ok(text) = std::str::from_utf8(terms.key()) {
                    *found.entry(text.to_owned()).or_default() +=
                        u64::from(terms.value().doc_freq) + more;
                }
            }
        }
        Ok(found)
    }
}
