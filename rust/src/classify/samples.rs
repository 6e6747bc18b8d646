//! What a few pages of a new host say, from their bytes (`webstrata.classify.gate.samples`): the eyes of the gate.

use super::content::{Measures, NUM_COUNTS};
use crate::web::html::{self, Kind, Scan, Wants};
use crate::web::url;
use crate::web::words::Words;

/// What is seen on pages, one behind the other.
#[derive(Default)]
pub struct Seen {
    /// `NUM_COUNTS` a page.
    pub counts: Vec<f64>,
    /// Words of the texts of its links.
    pub anchor_words: Vec<u32>,
    /// Where the words of each page end, from 0 on, and their hashes.
    pub ends: Vec<i64>,
    pub hashes: Vec<u64>,
    /// Hosts and ports that each page links to, without those of its own address.
    pub authorities: Vec<Vec<String>>,
}

/// Looks at pages, given as address and body; of each text at most `max_text` characters.
pub fn look(measures: &Measures, words: &Words, pages: &[(&str, &[u8])], max_text: usize) -> Seen {
    let (mut scan, mut scratch, mut anchors) = (Scan::default(), measures.scratch(), String::new());
    let mut seen = Seen {
        counts: vec![0.0; pages.len() * NUM_COUNTS],
        ends: vec![0],
        ..Seen::default()
    };
    for (place, (address, body)) in pages.iter().enumerate() {
        let wants = Wants {
            anchors: true,
            text: true,
            no_fingerprint: true,
            tld: url::find_tld(address),
            ..Wants::default()
        };
        html::scan(body, None, &wants, &mut scan);
        let row = &mut seen.counts[place * NUM_COUNTS..][..NUM_COUNTS];
        let page = (scan.title.as_str(), cut(&scan.text, max_text));
        measures.measure_one(words, page, &mut scratch, row, &mut seen.hashes);
        seen.ends.push(seen.hashes.len() as i64);
        anchors.clear();
        for link in scan.links.iter().filter(|link| link.kind == Kind::Anchor) {
            anchors.push_str(scan.anchor(link));
            anchors.push(' ');
        }
        let mut count = 0;
        words.for_each(&anchors, |_, _| count += 1);
        seen.anchor_words.push(count);
        seen.authorities.push(find_authorities(&scan, address));
    }
    seen
}

fn cut(text: &str, most: usize) -> &str {
    if text.len() <= most {
        return text;
    }
    let end = text.char_indices().nth(most);
    &text[..end.map_or(text.len(), |(at, _)| at)]
}

/// The hosts and ports that links of kind `anchor` name, each once, in order, without that of the page.
fn find_authorities(scan: &Scan, address: &str) -> Vec<String> {
    let mut form = Vec::new();
    let told = scan
        .base()
        .filter(|told| url::normalize(told, Some(address), 1 << 20, &mut form).is_ok());
    let told = told.map(|_| String::from_utf8_lossy(&form).into_owned());
    let base = url::Base::new(told.as_deref().unwrap_or(address));
    let own = authority(address);
    let mut found: Vec<String> = Vec::new();
    for link in scan.links.iter().filter(|link| link.kind == Kind::Anchor) {
        form.clear();
        if url::resolve(scan.target(link), Some(&base), url::MAX_LENGTH, &mut form).is_err() {
            continue;
        }
        let Ok(target) = std::str::from_utf8(&form) else {
            continue;
        };
        let name = authority(target);
        // links to one host mostly stand together
        if name != own && found.last().is_none_or(|last| last != name) {
            found.push(name.to_owned());
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// What stands between scheme and path of a normal form.
fn authority(address: &str) -> &str {
    let (origin, _) = url::split(address);
    origin.split_once("://").map_or(origin, |(_, rest)| rest)
}
