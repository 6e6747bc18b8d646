//! What client and host agree on: codings of the body, and whether the client has the page already.

use super::draw::{below, hash, purpose};
use super::host::Host;
use crate::web::http::dates::parse_date;
use std::time::SystemTime;

const MONTHS: [&str; 12] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
];

/// The members of a list in a header, without the blanks around them.
fn members(header: &[u8]) -> impl Iterator<Item = &[u8]> {
    header.split(|byte| *byte == b',').map(<[u8]>::trim_ascii)
}

/// Whether an Accept-Encoding names a coding, and not with quality 0.
fn accepts(header: &[u8], coding: &str) -> bool {
    members(header).any(|member| {
        let mut parts = member.split(|byte| *byte == b';').map(<[u8]>::trim_ascii);
        let is_named = parts
            .next()
            .is_some_and(|name| name.eq_ignore_ascii_case(coding.as_bytes()));
        is_named
            && !parts.any(|quality| matches!(quality, b"q=0" | b"q=0.0" | b"q=0.00" | b"q=0.000"))
    })
}

/// Whether an If-None-Match names a tag, weakly or not, or any.
pub fn has_tag(header: &[u8], tag: &str) -> bool {
    members(header).any(|member| {
        member == b"*" || member.strip_prefix(b"W/").unwrap_or(member) == tag.as_bytes()
    })
}

/// Whether an If-Modified-Since is not before a date; one that cannot be read is before all.
pub fn is_since(header: &[u8], date: &str) -> bool {
    let known = std::str::from_utf8(header).ok().and_then(parse_date);
    known.is_some_and(|known| parse_date(date).is_some_and(|date| known >= date))
}

/// The date of all static pages in a month, counted from January 2026: sites are rebuilt when it begins.
pub fn modified(month: u32) -> String {
    let (name, year) = (MONTHS[(month % 12) as usize], 2026 + month / 12);
    // any day of the week is read, and the right one is written
    let first = parse_date(&format!("Thu, 01 {name} {year} 00:00:00 GMT"));
    httpdate::fmt_http_date(first.unwrap_or(SystemTime::UNIX_EPOCH))
}

/// The body in a coding that the client accepts, with its name; each host has its own preference.
pub fn compress(host: &Host, accepted: &[u8], body: &[u8]) -> Option<(&'static str, Vec<u8>)> {
    let choices: Vec<&'static str> = ["gzip", "br", "zstd"]
        .into_iter()
        .filter(|name| accepts(accepted, name))
        .collect();
    if choices.is_empty() {
        return None;
    }
    let name = choices[below(hash(host.key, purpose::STYLE ^ 99), choices.len() as u64) as usize];
    let packed = match name {
        "gzip" => {
            // the fastest level that compresses; `fastest()` stores
            let level = libdeflater::CompressionLvl::new(1).ok()?;
            let mut compressor = libdeflater::Compressor::new(level);
            let mut out = vec![0; compressor.gzip_compress_bound(body.len())];
            let length = compressor.gzip_compress(body, &mut out).ok()?;
            out.truncate(length);
            out
        }
        "br" => {
            let mut out = Vec::new();
            let params = brotli::enc::BrotliEncoderParams {
                quality: 3,
                ..Default::default()
            };
            brotli::BrotliCompress(&mut &body[..], &mut out, &params).ok()?;
            out
        }
        _ => zstd::bulk::compress(body, 1).ok()?,
    };
    Some((name, packed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codings_are_accepted_by_name_and_quality() {
        assert!(accepts(b"gzip, br;q=0.5", "gzip"));
        assert!(accepts(b"deflate,GZIP ; q=1", "gzip"));
        assert!(accepts(b"gzip, br;q=0.5", "br"));
        assert!(!accepts(b"gzip;q=0, br", "gzip"));
        assert!(!accepts(b"gzip; q=0.000", "gzip"));
        assert!(!accepts(b"brotli, x-gzip", "br"));
        assert!(!accepts(b"", "zstd"));
    }

    #[test]
    fn tags_are_found_in_lists() {
        assert!(has_tag(b"\"a\", W/\"b\"", "\"b\""));
        assert!(has_tag(b"*", "\"b\""));
        assert!(!has_tag(b"\"a\"", "\"b\""));
    }

    #[test]
    fn a_date_is_since_itself_and_those_before() {
        let date = modified(14);
        assert_eq!(date, "Mon, 01 Mar 2027 00:00:00 GMT");
        assert!(is_since(date.as_bytes(), &date));
        assert!(is_since(b"Mon, 01 Mar 2027 00:00:01 GMT", &date));
        assert!(is_since(b"Fri, 02 Apr 2027 00:00:00 GMT", &date));
        assert!(!is_since(modified(13).as_bytes(), &date));
        assert!(!is_since(b"yesterday", &date));
    }
}
