//! The entry points: each takes any bytes, calls what a crawl calls, and asserts what must hold of the result.
//!
//! `tests/corpus.rs` of the core replays the kept inputs through the same functions.

use super::bits::canonical::Books;
use super::bits::cursor::{Cursor, Near};
use super::bits::elias_fano::EliasFano;
use super::bits::marks::Marks;
use super::bits::sux_list::SuxList;
use super::bits::words::BigEndian;
use super::crawl::filters::{Facts, Filter, Subject};
use super::graph::bvgraph::lists::{Lists, Shape};
use super::temporal::labels::pointers::Pointers;
use super::web::rewriting::{self, Address, Place};
use super::web::{charset, css, host, html, http, manifest, robots, row_key, sitemap, url};
use dsi_bitstream::prelude::Codes;
use std::io;
use std::pin::Pin;
use std::sync::LazyLock;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

// far below those of a crawl, so that short inputs reach them
const MAX_URL: usize = 256;
const MAX_BODY: usize = 64 << 10;
const MAX_HEAD: usize = 512;
/// Where rewritten addresses lead.
const REPLAY: Place<'_> = Place {
    base: "http://example.org/a/b",
    prefix: "/uk/20260612000000",
};

/// A base and a reference, a line break between them.
pub fn url(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    let (base, reference) = match text.split_once('\n') {
        Some((base, reference)) => (Some(base), reference),
        None => (None, &*text),
    };
    check_url(reference, base);
}

fn check_url(reference: &str, base: Option<&str>) {
    let (mut out, mut again, mut key) = (Vec::new(), Vec::new(), Vec::new());
    if url::normalize(reference, base, MAX_URL, &mut out).is_err() {
        return;
    }
    assert!(out.len() <= MAX_URL && out.is_ascii());
    let normal = std::str::from_utf8(&out).expect("a normal form is text");
    assert!(normal.starts_with("http://") || normal.starts_with("https://"));
    assert!(url::normalize(normal, None, MAX_URL, &mut again).is_ok());
    assert_eq!(out, again, "the normal form of a normal form is itself");
    let (origin, target) = url::split(normal);
    assert!(target.starts_with('/') && origin.len() + target.len() == normal.len());
    let authority = origin
        .split_once("://")
        .map_or("", |(_, authority)| authority);
    assert!(!authority.is_empty() && !authority.contains('@'));
    host::public_suffix(authority);
    host::registered_domain(authority);
    row_key::push_row_key(&mut key, normal);
    assert!(!key.is_empty());
}

/// A path to be asked for, a line break, and a robots.txt.
pub fn robots(input: &[u8]) {
    let (path, content) = cut_line(input);
    for is_google in [false, true] {
        let rules = robots::Robots::parse(content, &[b"webstrata"], 1 << 10, is_google);
        // what is kept is bounded by what was read, whatever it says
        assert!(rules.num_bytes() <= 256 + 64 * content.len());
        let is_allowed = rules.allows(path);
        assert!(is_allowed || rules.num_rules() > 0);
        rules.allows(b"/");
    }
}

/// The size of the pieces in which it comes, and an answer.
pub fn http(input: &[u8]) {
    static RUNTIME: LazyLock<tokio::runtime::Runtime> = LazyLock::new(|| {
        let mut builder = tokio::runtime::Builder::new_current_thread();
        builder.enable_time().build().expect("a runtime")
    });
    let Some((&step, rest)) = input.split_first() else {
        return;
    };
    let limits = http::Limits {
        head: MAX_HEAD,
        body: MAX_BODY,
        silence: Duration::from_secs(5),
        head_time: Duration::from_secs(5),
        total: Duration::from_secs(5),
        rate: 0.0,
        turns: None,
    };
    let mut wire = Wire {
        rest,
        step: usize::from(step) * 8 + 1,
    };
    let Ok(answer) = RUNTIME.block_on(http::exchange(
        &mut wire,
        b"GET / HTTP/1.1\r\n\r\n",
        &limits,
    )) else {
        return;
    };
    assert!(answer.head.len() <= MAX_HEAD + (32 << 10) && answer.body.len() <= MAX_BODY);
    assert!(answer.status >= 100 && answer.num_bytes <= rest.len() as u64);
    assert!(answer.headers().count() <= MAX_HEAD + (32 << 10));
    // what it asks to wait becomes a duration, which must not be made of what is no number
    let wait = answer.retry_after();
    assert!(wait >= 0.0 && wait.is_finite(), "Retry-After is {wait}");
    answer.content_type();
    if let Some(value) = answer.header("x-robots-tag") {
        html::parse_robots_directives(&String::from_utf8_lossy(value), &["webstrata".to_owned()]);
    }
    let codings = String::from_utf8_lossy(answer.header("content-encoding").unwrap_or_default());
    check_coding(&answer.body, &codings.to_ascii_lowercase());
}

/// Which codings, and a body.
pub fn coding(input: &[u8]) {
    const CODINGS: [&str; 7] = [
        "gzip",
        "deflate",
        "br",
        "zstd",
        "gzip, gzip",
        "br, deflate, gzip",
        "x",
    ];
    if let Some((&which, body)) = input.split_first() {
        check_coding(body, CODINGS[usize::from(which) % CODINGS.len()]);
    }
}

fn check_coding(body: &[u8], codings: &str) {
    let decoded = http::decode(body, codings, MAX_BODY).body;
    assert!(decoded.len() <= MAX_BODY.max(body.len()));
}

/// Which charset the header names, and a page.
pub fn html(input: &[u8]) {
    const CHARSETS: [Option<&str>; 6] = [
        None,
        Some("utf-8"),
        Some("windows-1252"),
        Some("utf-16le"),
        Some("iso-2022-jp"),
        Some("gb18030"),
    ];
    let Some((&which, body)) = input.split_first() else {
        return;
    };
    let agents = ["webstrata".to_owned()];
    let wants = html::Wants {
        resources: true,
        anchors: true,
        text: true,
        no_fingerprint: false,
        agents: &agents,
        tld: "org",
    };
    let mut scan = html::Scan::default();
    let charset = CHARSETS[usize::from(which) % CHARSETS.len()];
    html::scan(body, charset, &wants, &mut scan);
    assert!(rewriting::page(body, charset, "org", &REPLAY).is_ok());
    // a character of one byte may become one of three, a reference of few bytes one of six
    assert!(scan.text.len() <= 6 * body.len() + 16);
    assert!(scan.refresh_delay.is_none_or(|delay| delay >= 0.0));
    let base = scan.base().unwrap_or("http://example.org/a/b?c");
    for link in &scan.links {
        check_url(scan.target(link), Some(base));
        assert!(scan.anchor(link).len() <= 6 * body.len() + 16);
    }
    // what a crawl wants finds no other links than what the store wants
    let mut lean = html::Scan::default();
    html::scan(
        body,
        charset,
        &html::Wants {
            tld: "org",
            ..html::Wants::default()
        },
        &mut lean,
    );
    assert_eq!(lean.fingerprint, scan.fingerprint);
    assert!(lean.links.len() <= scan.links.len());
}

/// The charset that the header names, a line break, and a page.
pub fn charset(input: &[u8]) {
    let (label, body) = cut_line(input);
    let label = std::str::from_utf8(label).ok();
    for tld in ["", "jp"] {
        let (encoding, source) = charset::detect(body, label, tld);
        assert!(!source.name().is_empty() && !encoding.name().is_empty());
    }
    charset::find_label(body);
}

/// The charset that the header names, a line break, and a stylesheet, which is read as a manifest too.
pub fn css(input: &[u8]) {
    let (label, body) = cut_line(input);
    let text = css::decode(body, std::str::from_utf8(label).ok());
    let mut found = Vec::new();
    css::references(&text, &mut |address| found.push(address.to_owned()));
    css::references(&rewriting::stylesheet(&text, &REPLAY), &mut |address| {
        let is_kept = REPLAY.lead(address, "") == Address::Keep;
        assert!(address.starts_with(REPLAY.prefix) || is_kept);
    });
    // an escape of a few bytes becomes a character of three at most
    assert!(found.iter().map(String::len).sum::<usize>() <= 3 * text.len());
    for address in found.iter().chain(&manifest::pictures(body)) {
        assert!(!address.starts_with('#') || !found.contains(address));
        check_url(address, Some("http://example.org/a/b.css"));
    }
}

pub fn sitemap(input: &[u8]) {
    let found = sitemap::locations(input);
    assert!(found.iter().map(String::len).sum::<usize>() <= 3 * input.len());
    for location in &found {
        check_url(location, None);
    }
}

/// A URL, a line break, and the program of a filter.
pub fn filter(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    let (address, program) = text.split_once('\n').unwrap_or(("", &text));
    let Ok(filter) = Filter::compile(program) else {
        return;
    };
    let facts = Facts {
        status: 200,
        content_type: "text/html; charset=utf-8",
        body: address.as_bytes(),
        digest: &[7; 20],
        is_duplicate: false,
        language: &|| Some("en".to_owned()),
    };
    for response in [None, Some(&facts)] {
        let subject = Subject {
            url: address,
            source: Some("http://www.example.org/"),
            depth: 3,
            response,
        };
        let told = filter.admits(&subject);
        assert!(told.is_some() || filter.has_external());
        let asked = filter.admits_batch(&[subject], &mut |_, places| vec![true; places.len()]);
        assert!(told.is_none_or(|told| asked == [told]));
    }
}

/// Number of nodes, window, least interval and codes, a byte each, and the bits of the lists.
pub fn bvgraph(input: &[u8]) {
    let Some((&[nodes, window, interval, codes], bits)) = input.split_first_chunk() else {
        return;
    };
    let (outdegrees, residuals) = match codes % 4 {
        0 => (Codes::Gamma, Codes::Zeta(3)),
        1 => (Codes::Delta, Codes::Gamma),
        2 => (Codes::Omega, Codes::Pi(2)),
        _ => (Codes::Unary, Codes::Zeta(5)),
    };
    let shape = Shape {
        codes: [
            outdegrees,
            Codes::Unary,
            Codes::Gamma,
            Codes::Gamma,
            residuals,
        ],
        window: usize::from(window),
        min_interval: usize::from(interval),
    };
    let mut bytes = bits.to_vec();
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    let words = bytes.chunks_exact(4);
    let words: Vec<u32> = words
        .map(|word| u32::from_ne_bytes([word[0], word[1], word[2], word[3]]))
        .collect();
    let num_nodes = usize::from(nodes);
    let mut lists = Lists::new(&words, &shape, num_nodes).expect("the codes are known");
    let (mut places, mut begins, mut targets) = (Vec::new(), Vec::new(), Vec::new());
    for node in 0..num_nodes as u64 {
        places.push(lists.position());
        begins.push(targets.len());
        let list_of = |node: u64| begins[node as usize]..begins[node as usize + 1];
        if lists.next(node, list_of, &mut targets).is_err() {
            break;
        }
    }
    begins.push(targets.len());
    // what was read in order is found by place, and is a list
    for node in 0..begins.len().saturating_sub(2) {
        let row = &targets[begins[node]..begins[node + 1]];
        assert!(row.is_sorted_by(|a, b| a < b) && row.iter().all(|&v| (v as usize) < num_nodes));
        let mut found = Vec::new();
        let place = |node: u64| places[node as usize];
        let outcome = lists.successors(node as u64, places[node], place, &mut found);
        assert!(outcome.is_ok() && found == row);
        assert_eq!(lists.outdegree(places[node]), Ok(row.len() as u64));
    }
}

/// What is behind the header of `.ef`.
pub fn ef(input: &[u8]) {
    let Some(places) = SuxList::find(input, 0) else {
        return;
    };
    // as many bits as the file has bound the values that there can be
    assert!(places.count() <= 8 * input.len());
    for index in 0..places.count().saturating_add(1) {
        let found = places.get(input, index);
        assert!(index < places.count() || found.is_none());
    }
    assert!(places.get(input, usize::MAX).is_none());
}

/// Number of codebooks, bits of a pointer that stand apart, how many labels to read, the sizes of the books, the lengths of
/// their codes, and the stream.
pub fn labels(input: &[u8]) {
    let Some((&[num_books, low_bits, room], rest)) = input.split_first_chunk() else {
        return;
    };
    let Some((counts, rest)) = rest.split_at_checked(usize::from(num_books % 4)) else {
        return;
    };
    let counts: Vec<u32> = counts.iter().map(|&count| u32::from(count)).collect();
    let Some((lengths, bits)) = rest.split_at_checked(counts.iter().sum::<u32>() as usize) else {
        return;
    };
    let words: Vec<u64> = bits
        .chunks(8)
        .map(|bytes| {
            let word = bytes
                .iter()
                .fold(0, |word, &byte| word << 8 | u64::from(byte));
            // as it is in the file
            word.to_be()
        })
        .collect();
    if let Ok(books) = Books::new(&counts, lengths, (0..lengths.len() as u64).collect()) {
        for book in 0..books.len() {
            let mut found = vec![0; usize::from(room)];
            let (mut at_once, mut singly) = (Cursor::new(&words, 0), Cursor::new(&words, 0));
            let outcome = books.decode_all(book, &mut at_once, &mut found);
            let mut near = Near::new(&mut singly);
            let one_by_one: Result<Vec<u64>, _> = found
                .iter()
                .map(|_| books.decode(book, &mut near))
                .collect();
            near.finish();
            assert_eq!(outcome.is_ok(), one_by_one.is_ok());
            if let Ok(one_by_one) = one_by_one {
                assert!(one_by_one == found && at_once.position == singly.position);
            }
        }
    }
    let (lows, highs) = words.split_at(words.len() / 2);
    let pointers = Pointers {
        list: EliasFano {
            width: u32::from(low_bits % 64),
            lows: BigEndian(lows),
            highs: BigEndian(highs),
        },
        samples: BigEndian(&words),
    };
    let marks = Marks {
        bits: BigEndian(lows),
        ranks: BigEndian(highs),
    };
    for place in 0..usize::from(room) {
        // what marks say comes out of the file, too
        pointers.get(marks.rank(place * 17));
        pointers.get(place);
        assert!(!marks.get(place) || place < 64 * lows.len());
    }
}

fn cut_line(input: &[u8]) -> (&[u8], &[u8]) {
    let mut parts = input.splitn(2, |&byte| byte == b'\n');
    (
        parts.next().unwrap_or_default(),
        parts.next().unwrap_or_default(),
    )
}

/// A server that says what it was given, in pieces, and hangs up.
struct Wire<'a> {
    rest: &'a [u8],
    step: usize,
}

impl AsyncRead for Wire<'_> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let length = self.step.min(self.rest.len()).min(buffer.remaining());
        let (piece, rest) = self.rest.split_at(length);
        buffer.put_slice(piece);
        self.rest = rest;
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Wire<'_> {
    fn poll_write(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}
