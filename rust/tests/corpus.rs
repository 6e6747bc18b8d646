//! The inputs that fuzzing keeps, replayed through the entry points that it fuzzes: what once failed stays mended.

use std::path::Path;
use webstrata_core::{bits, crawl, graph, temporal, web};

#[path = "../fuzz/src/entries.rs"]
mod entries;

type Entry = fn(&[u8]);

const ENTRIES: [(&str, Entry); 12] = [
    ("url", entries::url),
    ("robots", entries::robots),
    ("http", entries::http),
    ("coding", entries::coding),
    ("html", entries::html),
    ("charset", entries::charset),
    ("css", entries::css),
    ("sitemap", entries::sitemap),
    ("filter", entries::filter),
    ("bvgraph", entries::bvgraph),
    ("ef", entries::ef),
    ("labels", entries::labels),
];

/// The bytes of a line as `tests/fuzz/kernels.py` writes it.
fn unescape(line: &str) -> Vec<u8> {
    let mut bytes = line.bytes();
    let mut out = Vec::new();
    while let Some(byte) = bytes.next() {
        if byte != b'\\' {
            out.push(byte);
            continue;
        }
        out.push(match bytes.next() {
            Some(b'n') => b'\n',
            Some(b'r') => b'\r',
            Some(b't') => b'\t',
            Some(b'\\') => b'\\',
            Some(b'x') => {
                let mut digit = || (bytes.next()? as char).to_digit(16);
                let value = digit().zip(digit()).map(|(high, low)| high << 4 | low);
                value.expect("two digits behind \\x") as u8
            }
            other => panic!("{other:?} stands behind a backslash in {line}"),
        });
    }
    out
}

#[test]
fn what_fuzzing_found_does_no_harm() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz");
    for (target, entry) in ENTRIES {
        let mut num_inputs = 0;
        for kind in ["seeds", "corpus", "regressions"] {
            let path = folder.join(kind).join(format!("{target}.txt"));
            let Ok(text) = std::fs::read_to_string(&path) else {
                continue;
            };
            for (number, line) in text.lines().enumerate() {
                let input = unescape(line);
                let outcome = std::panic::catch_unwind(|| entry(&input));
                assert!(outcome.is_ok(), "{}, line {}", path.display(), number + 1);
                num_inputs += 1;
            }
        }
        assert!(num_inputs > 0, "{target} has no corpus");
    }
}
