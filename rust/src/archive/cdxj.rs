//! CDXJ: one line a capture, as pywb reads it.
//!
//! `surt timestamp {"url": …, "mime": …, "status": …, "digest": …, "length": …, "offset": …, "filename": …}`, numbers as
//! strings. Behind these come fields of ours where they apply, which replay tools pass over.

use super::warc::{base32, calendar};
use regex::bytes::Regex;
use std::io::Write;
use std::sync::LazyLock;

/// What a line says.
#[derive(Debug, Clone, Copy, Default)]
pub struct Line<'a> {
    /// In normal form.
    pub url: &'a str,
    /// Nanoseconds since 1970.
    pub date: u64,
    /// The type of the payload; `warc/revisit` for a `revisit` record.
    pub mime: &'a str,
    pub status: u16,
    pub digest: [u8; 20],
    pub length: u64,
    pub offset: u64,
    pub filename: &'a str,
    pub fingerprint: Option<u64>,
    pub duplicate_of: Option<&'a str>,
    /// Where a redirect leads, in normal form.
    pub redirect: Option<&'a str>,
    /// `noindex`, `nofollow`, `soft-404`, `robots-txt`, with commas between them.
    pub robots: Option<&'a str>,
    pub truncated: Option<&'a str>,
    /// The type of the payload that a `revisit` record stands for, where it is known.
    pub payload_mime: Option<&'a str>,
    /// What was said about uses of the page.
    pub signals: Option<&'a str>,
    /// Bytes of all records of the capture, where the response comes first.
    pub span: Option<u64>,
    /// Which declared digests are not those of the record: `block`, `payload`, with commas between them.
    pub fixity: Option<&'a str>,
    /// Whether no digest of the payload is known.
    pub lacks_digest: bool,
}

/// Appends a line and its end.
pub fn push_line(out: &mut Vec<u8>, line: &Line) {
    push_surt(out, line.url);
    let [year, month, day, hour, minute, second] = calendar(line.date / 1_000_000_000);
    let _ = write!(
        out,
        " {year:04}{month:02}{day:02}{hour:02}{minute:02}{second:02} {{"
    );
    push_field(out, "url", line.url);
    push_field(out, "mime", line.mime);
    // a revisit record may tell neither
    let status = match line.status {
        0 => "-".to_owned(),
        status => status.to_string(),
    };
    push_field(out, "status", &status);
    let digest = base32(&line.digest);
    let digest = std::str::from_utf8(&digest).unwrap_or("-");
    push_field(out, "digest", if line.lacks_digest { "-" } else { digest });
    push_field(out, "length", &line.length.to_string());
    push_field(out, "offset", &line.offset.to_string());
    push_field(out, "filename", line.filename);
    if let Some(fingerprint) = line.fingerprint {
        push_field(out, "fingerprint-2", &format!("{fingerprint:016x}"));
    }
    for (name, value) in [
        ("duplicate-of", line.duplicate_of),
        ("redirect", line.redirect),
        ("robots", line.robots),
        ("truncated", line.truncated),
        ("signals", line.signals),
        ("payload-mime", line.payload_mime),
        ("fixity", line.fixity),
    ] {
        if let Some(value) = value {
            push_field(out, name, value);
        }
    }
    if let Some(span) = line.span {
        push_field(out, "span", &span.to_string());
    }
    out.extend_from_slice(b"}\n");
}

/// A field of a JSON object that has been begun, in ASCII.
pub fn push_field(out: &mut Vec<u8>, name: &str, value: &str) {
    if !out.ends_with(b"{") {
        out.extend_from_slice(b", ");
    }
    let _ = write!(out, "\"{name}\": \"");
    // beyond ASCII there are characters that end a line for some readers
    for unit in value.encode_utf16() {
        match unit {
            0x22 | 0x5c => out.extend_from_slice(&[b'\\', unit as u8]),
            0x20..=0x7e => out.push(unit as u8),
            _ => drop(write!(out, "\\u{unit:04x}")),
        }
    }
    out.push(b'"');
}

/// Appends the key under which pywb looks for a URL, which is in normal form: the canonical SURT of the package `surt`,
/// without `www.`, letters in lower case, escapes undone and redone, no session identifiers, parameters sorted.
pub fn push_surt(out: &mut Vec<u8>, url: &str) {
    let (origin, target) = crate::web::url::split(url);
    let authority = origin.split_once("://").map_or(origin, |(_, rest)| rest);
    let (host, port) = match authority.rsplit_once(':') {
        Some((host, port)) if !port.ends_with(']') => (host, port),
        _ => (authority, ""),
    };
    let host = host.trim_matches(['[', ']']).trim_matches('.');
    let after = host.strip_prefix("www");
    let after = after.map(|rest| rest.trim_start_matches(|c: char| c.is_ascii_digit()));
    let host = after
        .and_then(|rest| rest.strip_prefix('.'))
        .unwrap_or(host);
    for (place, label) in host.rsplit('.').enumerate() {
        if place > 0 {
            out.push(b',');
        }
        out.extend_from_slice(label.as_bytes());
    }
    if !port.is_empty() && port != "0" {
        let _ = write!(out, ":{port}");
    }
    out.push(b')');
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let path = escape(&flatten(&unescape(path.as_bytes())));
    out.extend_from_slice(match strip(path, ".aspx", &PATH_SESSIONS).as_slice() {
        [rest @ .., b'/'] if !rest.is_empty() => rest,
        whole => whole,
    });
    let query = escape(&unescape(query.as_bytes()));
    let query = strip(query, "id", &QUERY_SESSIONS);
    if !query.is_empty() {
        let mut fields: Vec<_> = query
            .split(|byte| *byte == b'&')
            .map(|field| {
                let end = memchr::memchr(b'=', field).unwrap_or(field.len());
                (&field[..end], &field[end..])
            })
            .collect();
        fields.sort();
        for (place, (name, value)) in fields.into_iter().enumerate() {
            out.push(if place == 0 { b'?' } else { b'&' });
            out.extend_from_slice(name);
            out.extend_from_slice(value);
        }
    }
}

/// Undoes escapes until there are none. Bytes that an escape stands for may complete another one, so the end of what was
/// written is looked at again.
fn unescape(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    for byte in text {
        out.push(*byte);
        while let [.., b'%', high, low] = out[..] {
            let digit = |byte: u8| (byte as char).to_digit(16);
            let (Some(high), Some(low)) = (digit(high), digit(low)) else {
                break;
            };
            out.truncate(out.len() - 3);
            out.push((high << 4 | low) as u8);
        }
    }
    out
}

/// Escapes what is not visible ASCII, `#` and `%`; letters become lower case.
fn escape(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    for byte in text {
        match byte {
            b'#' | b'%' => drop(write!(out, "%{byte:02x}")),
            b'!'..=b'~' => out.push(byte.to_ascii_lowercase()),
            _ => drop(write!(out, "%{byte:02x}")),
        }
    }
    out
}

/// Takes out `.`, `..` and empty segments.
fn flatten(path: &[u8]) -> Vec<u8> {
    let mut kept: Vec<&[u8]> = Vec::new();
    for segment in path.split(|byte| *byte == b'/').skip(1) {
        match segment {
            b"." => {}
            b".." if !kept.is_empty() => drop(kept.pop()),
            _ => kept.push(segment),
        }
    }
    let last = kept.pop().unwrap_or_default();
    kept.retain(|segment| !segment.is_empty());
    kept.push(last);
    [b"/", &kept.join(&b'/')[..]].concat()
}

fn compiled(patterns: &[&str]) -> Vec<Regex> {
    let compile = |pattern: &&str| Regex::new(pattern).expect("a pattern of ours");
    patterns.iter().map(compile).collect()
}

static PATH_SESSIONS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    compiled(&[
        r"^(.*/)\((?:[a-z]\([0-9a-z]{24}\))+\)/([^?]+\.aspx.*)$",
        r"^(.*/)\([0-9a-z]{24}\)/([^?]+\.aspx.*)$",
    ])
});

static QUERY_SESSIONS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    compiled(&[
        r"^(.*)jsessionid=[0-9a-z]{32}(?:&(.*))?$",
        r"^(.*)phpsessid=[0-9a-z]{32}(?:&(.*))?$",
        r"^(.*)sid=[0-9a-z]{32}(?:&(.*))?$",
        r"^(.*)aspsessionid[a-z]{8}=[a-z]{24}(?:&(.*))?$",
        r"^(.*)cfid=[^&]+&cftoken=[^&]+(?:&(.*))?$",
    ])
});

/// What is left of `text` without what the patterns find; they are tried only where the text holds `sign`.
fn strip(mut text: Vec<u8>, sign: &str, patterns: &LazyLock<Vec<Regex>>) -> Vec<u8> {
    if memchr::memmem::find(&text, sign.as_bytes()).is_none() {
        return text;
    }
    for pattern in patterns.iter() {
        if let Some(found) = pattern.captures(&text) {
            let group = |at| found.get(at).map_or(&b""[..], |group| group.as_bytes());
            text = [group(1), group(2)].concat();
        }
    }
    text
}
