//! Different URLs with the same text: parameters of a host that make no difference are taken out of its URLs.
//!
//! `web/dust.py` learns which they are; here its rules are applied to each URL.

use super::Result;
use super::counters::add;
use super::frontier::Frontier;
use super::record::{Batch, Record};
use super::sieve;
use super::skip_reasons::Reason;
use crate::web::url;

impl Frontier {
    /// From now on these parameters of an origin make no difference; none: all do again.
    pub(super) fn learn(&mut self, origin: String, names: Vec<String>) {
        if names.is_empty() {
            self.dust.remove(origin.as_str());
        } else {
            self.dust.insert(origin, names);
        }
    }

    /// Links as the rules write them; the batch itself where there are none.
    pub(super) fn rewrite(&self, batch: Batch) -> Batch {
        if self.dust.is_empty() {
            return batch;
        }
        let mut rewritten = Batch::default();
        for (hash, bytes) in batch.iter() {
            let Some(record) = Record::read(bytes) else {
                continue;
            };
            match self.reduced(record.url) {
                Some(url) => {
                    let hash = sieve::hash(url.as_bytes());
                    rewritten.push(
                        hash,
                        &Record {
                            url: &url,
                            ..record
                        },
                    );
                }
                None => rewritten.push(hash, &record),
            }
        }
        rewritten
    }

    /// A URL without the parameters that make no difference, if it has any.
    fn reduced(&self, found: &str) -> Option<String> {
        let (origin, target) = url::split(found);
        let names = self.dust.get(origin)?;
        let target = reduce(target, names)?;
        add(&self.counters.rewritten, 1);
        self.counters.cuts.note(Reason::Dust, || found.to_owned());
        Some(format!("{origin}{target}"))
    }

    /// Whether a URL that has waited is written otherwise by now; that one is taken up in its place.
    pub(super) fn replace(&mut self, host: u32, record: &Record) -> Result<bool> {
        if self.dust.is_empty() {
            return Ok(false);
        }
        let before = format!("{}{}", self.bench.get(host).origin, record.url);
        let Some(url) = self.reduced(&before) else {
            return Ok(false);
        };
        let mut batch = Batch::default();
        batch.push(
            sieve::hash(url.as_bytes()),
            &Record {
                url: &url,
                ..*record
            },
        );
        self.journal.push_links(&batch);
        self.journal.push_done(sieve::hash(before.as_bytes()), None);
        self.enqueue(&batch)?;
        Ok(true)
    }
}

/// A path and query without the parameters of these names, also behind a semicolon; none if it has none of them.
fn reduce(target: &str, names: &[String]) -> Option<String> {
    let is_kept = |field: &&str| {
        let name = field.split('=').next().unwrap_or(field);
        !names.iter().any(|other| other == name)
    };
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let mut pieces = path.split(';');
    let mut reduced = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces.filter(is_kept) {
        reduced.push(';');
        reduced.push_str(piece);
    }
    let mut mark = '?';
    for field in query
        .split('&')
        .filter(|field| !field.is_empty())
        .filter(is_kept)
    {
        reduced.push(mark);
        reduced.push_str(field);
        mark = '&';
    }
    // a question mark with nothing behind it is no parameter
    let is_same = reduced.len() == target.len() || format!("{reduced}?") == target;
    (!is_same).then_some(reduced)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_without_meaning_are_taken_out() {
        let names = ["sid".to_owned(), "jsessionid".to_owned()];
        for (before, after) in [
            ("/a?sid=1", Some("/a")),
            ("/a?sid=1&x=2", Some("/a?x=2")),
            ("/a?x=2&sid", Some("/a?x=2")),
            ("/a;jsessionid=9?x=2", Some("/a?x=2")),
            ("/a;b=1;jsessionid=9", Some("/a;b=1")),
            ("/a?asid=1", None),
            ("/sid=1", None),
            ("/a?", None),
            ("/a", None),
        ] {
            assert_eq!(reduce(before, &names).as_deref(), after, "{before}");
        }
    }
}
