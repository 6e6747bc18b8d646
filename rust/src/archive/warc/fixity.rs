//! Digests that a record declares, compared with its bytes.
//!
//! `WARC-Block-Digest` covers the block. `WARC-Payload-Digest` covers the payload: of an HTTP message the body, of any
//! other record the block. Writers disagree about a body with a transfer coding: RFC 9112 and jwarc remove the chunks
//! first, warcio and wget digest the bytes as stored. Both are accepted. Where neither holds and the body has a content
//! coding, `webstrata.archive.fixity` tries the decoded body as well.
//!
//! Not compared: the payload digest of a `revisit` (it is that of another record), of a segment and of a truncated
//! record (it may be that of the whole payload), and digests by algorithms other than MD5, SHA-1, SHA-256 and SHA-512.

use super::records::Record;
use super::windows::{Stop, Window, read_window, unpack_window};
use crate::collection::Result;
use md5::{Digest, Md5};
use std::borrow::Cow;
use std::path::Path;

pub const BLOCK: &str = "WARC-Block-Digest";
pub const PAYLOAD: &str = "WARC-Payload-Digest";

/// A digest that is not that of the bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mismatch {
    pub header: &'static str,
    pub expected: String,
    /// In the spelling of what was expected.
    pub found: String,
}

/// What came of the digests of a record.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Verdict {
    /// Digests that were computed.
    pub checked: u32,
    /// Digests by an algorithm that is not known.
    pub unknown: u32,
    pub mismatches: Vec<Mismatch>,
}

/// Compares the digests of a record with its bytes.
pub fn verify(record: &Record) -> Verdict {
    let mut verdict = Verdict::default();
    if let Some(told) = record.get(BLOCK) {
        verdict.compare(BLOCK, told, &[record.block]);
    }
    let is_elsewhere = record.kind() == "revisit"
        || record.get("WARC-Segment-Number").is_some()
        || record.get("WARC-Truncated").is_some();
    if let Some(told) = record.get(PAYLOAD).filter(|_| !is_elsewhere) {
        let (head, body) = record.message().unwrap_or((b"", record.block));
        let joined = has_chunks(head).then(|| join_chunks(body)).flatten();
        let bodies: Vec<&[u8]> = std::iter::once(body).chain(joined.as_deref()).collect();
        verdict.compare(PAYLOAD, told, &bodies);
    }
    verdict
}

impl Verdict {
    /// Compares a declared digest with those of some bytes, one of which must have it.
    fn compare(&mut self, header: &'static str, told: &str, bodies: &[&[u8]]) {
        let mut first = None;
        for body in bodies {
            let Some((label, spelled)) = compute(told, body) else {
                self.unknown += 1;
                return;
            };
            if holds(told, &spelled) {
                self.checked += 1;
                return;
            }
            first.get_or_insert((label, spelled));
        }
        if let Some((label, spelled)) = first {
            self.checked += 1;
            self.mismatches.push(Mismatch {
                header,
                expected: told.to_owned(),
                found: format!("{label}:{}", choose_spelling(told, &spelled)),
            });
        }
    }
}

/// Hexadecimal, Base32 and Base64 without padding.
type Spelled = [String; 3];

/// The label of the algorithm that a digest names, and the digest of `bytes` by it.
fn compute<'a>(told: &'a str, bytes: &[u8]) -> Option<(&'a str, Spelled)> {
    let (label, _) = told.split_once(':')?;
    let name: String = label.chars().filter(|letter| *letter != '-').collect();
    let digest: Vec<u8> = match &name.to_ascii_lowercase()[..] {
        "md5" => Md5::digest(bytes).to_vec(),
        "sha1" => super::sha1(&[bytes]).to_vec(),
        "sha256" => ring::digest::digest(&ring::digest::SHA256, bytes)
            .as_ref()
            .to_vec(),
        "sha512" => ring::digest::digest(&ring::digest::SHA512, bytes)
            .as_ref()
            .to_vec(),
        _ => return None,
    };
    let hexadecimal = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    let letters = [
        (5, &b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"[..]),
        (
            6,
            b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
        ),
    ];
    let [base32, base64] = letters.map(|(width, alphabet)| spell(&digest, width, alphabet));
    Some((label, [hexadecimal, base32, base64]))
}

/// Bytes in letters of `width` bits, without padding.
fn spell(bytes: &[u8], width: u32, alphabet: &[u8]) -> String {
    let (mut bits, mut held) = (0_u32, 0);
    let mut text = String::new();
    for byte in bytes {
        bits = bits << 8 | u32::from(*byte);
        held += 8;
        while held >= width {
            held -= width;
            text.push(char::from(
                alphabet[(bits >> held & ((1 << width) - 1)) as usize],
            ));
        }
        bits &= (1 << held) - 1;
    }
    if held > 0 {
        text.push(char::from(
            alphabet[(bits << (width - held) & ((1 << width) - 1)) as usize],
        ));
    }
    text
}

fn value_of(told: &str) -> &str {
    told.split_once(':')
        .map_or(told, |(_, value)| value)
        .trim()
        .trim_end_matches('=')
}

fn holds(told: &str, [hexadecimal, base32, base64]: &Spelled) -> bool {
    let value = value_of(told);
    value.eq_ignore_ascii_case(hexadecimal)
        || value.eq_ignore_ascii_case(base32)
        || value == base64
        || value.replace('-', "+").replace('_', "/") == *base64
}

/// The spelling that is as long as the declared one; Base32 where none is.
fn choose_spelling<'a>(told: &str, spelled: &'a Spelled) -> &'a str {
    let length = value_of(told).len();
    let found = spelled.iter().find(|text| text.len() == length);
    found.unwrap_or(&spelled[1])
}

fn has_chunks(head: &[u8]) -> bool {
    head.split(|byte| *byte == b'\n').any(|line| {
        let Some(colon) = memchr::memchr(b':', line) else {
            return false;
        };
        line[..colon]
            .trim_ascii()
            .eq_ignore_ascii_case(b"transfer-encoding")
            && line[colon..]
                .to_ascii_lowercase()
                .windows(7)
                .any(|word| word == b"chunked")
    })
}

/// A body without its chunks; None where it does not consist of chunks.
pub fn join_chunks(body: &[u8]) -> Option<Vec<u8>> {
    let mut joined = Vec::with_capacity(body.len());
    let mut rest = body;
    loop {
        if rest.is_empty() {
            return (!joined.is_empty()).then_some(joined);
        }
        let end = memchr::memchr(b'\n', rest)?;
        let line = rest[..end].split(|byte| *byte == b';').next()?;
        let text = std::str::from_utf8(line.trim_ascii()).ok()?;
        if text.is_empty() || text.len() > 15 || !text.bytes().all(|byte| byte.is_ascii_hexdigit())
        {
            return None;
        }
        let size = usize::from_str_radix(text, 16).ok()?;
        if size == 0 {
            return Some(joined);
        }
        rest = &rest[end + 1..];
        let (chunk, after) = rest.split_at(size.min(rest.len()));
        joined.extend_from_slice(chunk);
        rest = after
            .strip_prefix(b"\r\n")
            .or_else(|| after.strip_prefix(b"\n"))
            .unwrap_or(after);
    }
}

/// A mismatch and the record that it is of.
#[derive(Debug, Clone)]
pub struct Found {
    pub offset: u64,
    pub kind: String,
    pub id: String,
    pub url: String,
    pub mismatch: Mismatch,
}

/// Records of a gzip file, each its own member, from some place on.
#[derive(Debug, Default)]
pub struct Survey {
    /// Offset and length of each.
    pub places: Vec<(u64, u64)>,
    pub checked: u64,
    pub unknown: u64,
    pub found: Vec<Found>,
    /// Where the next survey begins.
    pub stop: Stop,
}

/// Surveys records from `start` on, which is where a record begins.
pub fn survey(path: &Path, start: u64, pool: &rayon::ThreadPool) -> Result<Survey> {
    let (survey, stop, _) = read_window(path, start, |window| survey_window(window, pool))?;
    Ok(Survey { stop, ..survey })
}

fn survey_window(window: &Window, pool: &rayon::ThreadPool) -> (Survey, Stop) {
    // kind, identifier and URL where there is a mismatch
    let look = |(): &mut (), record: &Record| {
        let verdict = verify(record);
        let names = (!verdict.mismatches.is_empty()).then(|| describe(record));
        (verdict, names)
    };
    let (members, stop) = unpack_window(window, pool, look);
    let mut survey = Survey::default();
    for member in members {
        let (verdict, names) = member.value;
        survey.places.push((member.offset, member.length));
        survey.checked += u64::from(verdict.checked);
        survey.unknown += u64::from(verdict.unknown);
        for (mismatch, [kind, id, url]) in verdict.mismatches.into_iter().zip(names.iter().cycle())
        {
            survey.found.push(Found {
                offset: member.offset,
                kind: kind.clone(),
                id: id.clone(),
                url: url.clone(),
                mismatch,
            });
        }
    }
    (survey, stop)
}

fn describe(record: &Record) -> [String; 3] {
    let get = |name| Cow::from(record.get(name).unwrap_or_default()).into_owned();
    [
        record.kind().to_owned(),
        get("WARC-Record-ID"),
        get("WARC-Target-URI"),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record<'a>(headers: &[(&'a str, &'a str)], block: &'a [u8]) -> Record<'a> {
        Record {
            headers: headers.to_vec(),
            block,
        }
    }

    #[test]
    fn every_spelling_of_every_algorithm_holds() {
        for told in [
            "sha1:A9993E364706816ABA3E25717850C26C9CD0D89D",
            "SHA-1:vgmt4nsha2awvor6evyxqugcnsonbwe5",
            "md5:900150983cd24fb0d6963f7d28e17f72",
            "md5:SAAVBGB42JH3BVUWH56SRYL7OI======",
            "sha-256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
            "sha256:XJ4BNP4PAHH6UQKBIDPF3LRCEOYAGYNDSYLXVHFUCD7WD4QACWWQ====",
            "sha256:ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=",
        ] {
            let verdict = verify(&record(&[(BLOCK, told), (PAYLOAD, told)], b"abc"));
            assert_eq!((verdict.checked, verdict.unknown), (2, 0), "{told}");
            assert!(verdict.mismatches.is_empty(), "{told}");
            let verdict = verify(&record(&[(BLOCK, told)], b"abd"));
            let [mismatch] = &verdict.mismatches[..] else {
                panic!("{told}")
            };
            assert_eq!(mismatch.expected, told);
            assert_eq!(value_of(&mismatch.found).len(), value_of(told).len());
        }
        let verdict = verify(&record(&[(BLOCK, "crc32:352441c2")], b"abc"));
        assert_eq!((verdict.checked, verdict.unknown), (0, 1));
    }

    #[test]
    fn a_payload_digest_may_be_of_the_body_with_or_without_chunks() {
        let block = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n";
        for body in [&b"abc"[..], b"3\r\nabc\r\n0\r\n\r\n"] {
            let (_, [_, base32, _]) = compute("sha1:", body).unwrap();
            let told = format!("sha1:{base32}");
            let headers = [("Content-Type", "application/http"), (PAYLOAD, &told)];
            assert_eq!(verify(&record(&headers, block)).mismatches, []);
        }
        let headers = [
            ("Content-Type", "application/http"),
            (PAYLOAD, "sha1:VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5"),
        ];
        let verdict = verify(&record(&headers, &block[..block.len() - 9]));
        assert_eq!(verdict.mismatches.len(), 1);
    }

    #[test]
    fn digests_of_what_is_elsewhere_are_not_compared() {
        for name in ["WARC-Segment-Number", "WARC-Truncated"] {
            let verdict = verify(&record(&[(name, "1"), (PAYLOAD, "sha1:A")], b"abc"));
            assert_eq!(verdict, Verdict::default());
        }
        let revisit = record(&[("WARC-Type", "revisit"), (PAYLOAD, "sha1:A")], b"abc");
        assert_eq!(verify(&revisit), Verdict::default());
    }
}
