//! WARC/1.1: captures become records, records become files.
//!
//! A capture is a `response` (or `revisit`), then the `request`, then `metadata`, each its own gzip member or zstd frame,
//! all with one `WARC-Date`. The stored HTTP head is a cleaned copy of what the server sent, see [`head`]. Workers each
//! hold an [`Encoder`]; one flusher holds the [`Files`].

mod digests;
mod files;
pub mod fixity;
pub(crate) mod head;
pub mod records;
pub mod windows;

pub use digests::sha1;
pub use files::{Files, Place};

use crate::collection::{CollectionError, Result};
use libdeflater::{CompressionLvl, Compressor};
use ring::rand::SecureRandom;
use std::io::{self, Write};
use std::net::IpAddr;
use std::path::Path;
use std::sync::Arc;

/// How records are packed, one by one.
#[derive(Debug, Clone)]
pub enum Compression {
    None,
    /// Levels of libdeflate, 1 to 12.
    Gzip(i32),
    Zstd {
        level: i32,
        dictionary: Option<Arc<[u8]>>,
    },
}

/// Why a payload ends early.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Truncated {
    Length,
    Time,
    Disconnect,
    Unspecified,
}

impl Truncated {
    pub fn name(self) -> &'static str {
        match self {
            Self::Length => "length",
            Self::Time => "time",
            Self::Disconnect => "disconnect",
            Self::Unspecified => "unspecified",
        }
    }
}

/// Why a payload is not stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Profile {
    /// The earlier capture has the same payload.
    IdenticalDigest,
    /// The server said so.
    NotModified,
    /// The earlier capture has the same fingerprint, another payload. This profile is ours.
    Duplicate,
}

impl Profile {
    pub fn uri(self) -> &'static str {
        match self {
            Self::IdenticalDigest => {
                "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"
            }
            Self::NotModified => "http://netpreserve.org/warc/1.1/revisit/server-not-modified",
            Self::Duplicate => "urn:webstrata:revisit:same-fingerprint",
        }
    }
}

/// The capture that a `revisit` record stands for.
#[derive(Debug, Clone, Copy)]
pub struct Revisit<'a> {
    pub profile: Profile,
    pub refers_to_uri: &'a str,
    /// Nanoseconds since 1970; 0 if it is not known.
    pub refers_to_date: u64,
}

/// One request and its answer.
#[derive(Debug, Clone, Copy, Default)]
pub struct Capture<'a> {
    pub uri: &'a str,
    /// Nanoseconds since 1970; records tell microseconds.
    pub date: u64,
    pub ip: Option<IpAddr>,
    /// As sent; no record is made of an empty one.
    pub request: &'a [u8],
    /// Status line and headers as received; what follows an empty line is not looked at.
    pub head: &'a [u8],
    /// The payload: no transfer coding, and no content coding if `decoded`.
    pub body: &'a [u8],
    pub decoded: bool,
    pub truncated: Option<Truncated>,
    /// [`sha1`] of the body; for [`Profile::NotModified`] that of the earlier capture.
    pub payload_digest: [u8; 20],
    /// What [`Encoder::digest`] said of the block, if it was asked; not for a revisit.
    pub block_digest: Option<[u8; 20]>,
    pub identified_type: Option<&'a str>,
    /// `http/1.1`, `tls/1.3` …
    pub protocols: &'a [&'a str],
    pub cipher: Option<&'a str>,
    /// Lines of the `metadata` record; none, no record.
    pub metadata: &'a [(&'a str, &'a str)],
    pub revisit: Option<Revisit<'a>>,
}

/// Where the `response` or `revisit` record lies among the bytes that were appended before and with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Encoded {
    pub offset: usize,
    pub length: usize,
}

/// Makes records; one per thread, since it keeps a compressor and buffers.
pub struct Encoder {
    packer: Packer,
    random: u128,
    /// lines that the records of a capture share, the first so many bytes of them all three
    shared: (Vec<u8>, usize),
    head: Vec<u8>,
    block: Vec<u8>,
    record: Vec<u8>,
    packed: Vec<u8>,
}

enum Packer {
    None,
    Gzip(Compressor),
    Zstd(zstd::bulk::Compressor<'static>),
}

impl Encoder {
    pub fn new(compression: &Compression) -> Result<Self> {
        let explain = |source| CollectionError::from_io(Path::new("records"), "compress", source);
        let packer = match compression {
            Compression::None => Packer::None,
            Compression::Gzip(level) => {
                let level = CompressionLvl::new(*level)
                    .map_err(|_| explain(io::Error::other("gzip levels are 1 to 12")))?;
                Packer::Gzip(Compressor::new(level))
            }
            Compression::Zstd { level, dictionary } => {
                let dictionary = dictionary.as_deref().unwrap_or_default();
                let mut packer =
                    zstd::bulk::Compressor::with_dictionary(*level, dictionary).map_err(explain)?;
                packer.include_checksum(true).map_err(explain)?;
                Packer::Zstd(packer)
            }
        };
        let mut seed = [0; 16];
        ring::rand::SystemRandom::new()
            .fill(&mut seed)
            .map_err(|_| explain(io::Error::other("no random numbers")))?;
        Ok(Self {
            packer,
            random: u128::from_ne_bytes(seed),
            shared: (Vec::new(), 0),
            head: Vec::new(),
            block: Vec::new(),
            record: Vec::new(),
            packed: Vec::new(),
        })
    }

    /// SHA-1 of a body, and of the block of its `response` record.
    pub fn digest(&mut self, head: &[u8], body: &[u8], decoded: bool) -> [[u8; 20]; 2] {
        self.block.clear();
        head::push_head(&mut self.block, head, Some(body.len()), decoded);
        digests::sha1_pair(&self.block, body)
    }

    /// Appends the records of a capture to `out`.
    pub fn encode(&mut self, capture: &Capture, out: &mut Vec<u8>) -> Result<Encoded> {
        let (id, offset) = (self.random_id(), out.len());
        let payload = &base32(&capture.payload_digest);
        self.share(capture);
        self.start(capture.revisit.map_or("response", |_| "revisit"), &id);
        self.head.extend_from_slice(&self.shared.0);
        if let Some(revisit) = capture.revisit {
            push(&mut self.head, "WARC-Profile", revisit.profile.uri());
            push_uri(
                &mut self.head,
                "WARC-Refers-To-Target-URI",
                revisit.refers_to_uri,
            );
            if revisit.refers_to_date > 0 {
                push_date(
                    &mut self.head,
                    "WARC-Refers-To-Date",
                    revisit.refers_to_date,
                );
            }
        }
        push_digest(&mut self.head, "WARC-Payload-Digest", payload);
        if let Some(truncated) = capture.truncated {
            push(&mut self.head, "WARC-Truncated", truncated.name());
        }
        if let Some(kind) = capture.identified_type {
            push(&mut self.head, "WARC-Identified-Payload-Type", kind);
        }
        self.block.clear();
        // what a revisit stands for is as long as its head says, where the payload is not given once more
        let is_given = capture.revisit.is_none() || !capture.body.is_empty();
        let length = is_given.then_some(capture.body.len());
        head::push_head(&mut self.block, capture.head, length, capture.decoded);
        let body = if capture.revisit.is_some() {
            b""
        } else {
            capture.body
        };
        let known = capture.block_digest.filter(|_| capture.revisit.is_none());
        self.finish("application/http; msgtype=response", body, known, out)?;
        let encoded = Encoded {
            offset,
            length: out.len() - offset,
        };
        if !capture.request.is_empty() {
            let own = self.random_id();
            self.start("request", &own);
            self.head.extend_from_slice(&self.shared.0);
            push_bytes(&mut self.head, "WARC-Concurrent-To", &id);
            self.block.clear();
            self.finish(
                "application/http; msgtype=request",
                capture.request,
                None,
                out,
            )?;
        }
        if !capture.metadata.is_empty() {
            let own = self.random_id();
            self.start("metadata", &own);
            self.head.extend_from_slice(&self.shared.0[..self.shared.1]);
            push_bytes(&mut self.head, "WARC-Concurrent-To", &id);
            self.fields(capture.metadata, out)?;
        }
        Ok(encoded)
    }

    /// Appends a record with these headers, and a `Content-Length` that is true.
    pub fn encode_record(
        &mut self,
        headers: &[(&str, &str)],
        block: &[u8],
        out: &mut Vec<u8>,
    ) -> Result<()> {
        self.head.clear();
        self.head.extend_from_slice(b"WARC/1.1\r\n");
        for (name, value) in headers {
            if !name.eq_ignore_ascii_case("content-length") {
                let clean = |byte| if head::is_token(byte) { byte } else { b'-' };
                self.head.extend(name.bytes().map(clean));
                push(&mut self.head, "", value);
            }
        }
        self.block.clear();
        self.pack(block, out)
    }

    /// Appends the record that opens a file.
    pub fn encode_info(
        &mut self,
        file_name: &str,
        date: u64,
        fields: &[(&str, &str)],
        out: &mut Vec<u8>,
    ) -> Result<()> {
        let id = self.random_id();
        self.start("warcinfo", &id);
        push_date(&mut self.head, "WARC-Date", date);
        push(&mut self.head, "WARC-Filename", file_name);
        self.fields(fields, out)
    }

    fn start(&mut self, kind: &str, id: &Id) {
        self.head.clear();
        self.head.extend_from_slice(b"WARC/1.1\r\n");
        push_bytes(&mut self.head, "WARC-Type", kind.as_bytes());
        push_bytes(&mut self.head, "WARC-Record-ID", id);
    }

    /// Writes once what stands in several records.
    fn share(&mut self, capture: &Capture) {
        let (lines, end) = &mut self.shared;
        lines.clear();
        push_date(lines, "WARC-Date", capture.date);
        push_uri(lines, "WARC-Target-URI", capture.uri);
        *end = lines.len();
        if let Some(ip) = capture.ip {
            let _ = write!(lines, "WARC-IP-Address: {ip}\r\n");
        }
        for protocol in capture.protocols {
            push(lines, "WARC-Protocol", protocol);
        }
        if let Some(cipher) = capture.cipher {
            push(lines, "WARC-Cipher-Suite", cipher);
        }
    }

    fn fields(&mut self, fields: &[(&str, &str)], out: &mut Vec<u8>) -> Result<()> {
        self.block.clear();
        for (name, value) in fields {
            let clean = |byte| if head::is_token(byte) { byte } else { b'-' };
            self.block.extend(name.bytes().map(clean));
            push(&mut self.block, "", value);
        }
        self.finish("application/warc-fields", b"", None, out)
    }

    /// Packs the record whose head is begun, its block being `self.block` and then `rest`.
    fn finish(
        &mut self,
        content_type: &str,
        rest: &[u8],
        digest: Option<[u8; 20]>,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        let digest = base32(&digest.unwrap_or_else(|| sha1(&[&self.block, rest])));
        push_digest(&mut self.head, "WARC-Block-Digest", &digest);
        push_bytes(&mut self.head, "Content-Type", content_type.as_bytes());
        self.pack(rest, out)
    }

    /// Packs the record whose headers are written but for its length, its block being `self.block` and then `rest`.
    fn pack(&mut self, rest: &[u8], out: &mut Vec<u8>) -> Result<()> {
        let length = self.block.len() + rest.len();
        let _ = write!(self.head, "Content-Length: {length}\r\n\r\n");
        let parts: [&[u8]; 4] = [&self.head, &self.block, rest, b"\r\n\r\n"];
        if let Packer::None = self.packer {
            parts.iter().for_each(|part| out.extend_from_slice(part));
            return Ok(());
        }
        self.record.clear();
        parts
            .iter()
            .for_each(|part| self.record.extend_from_slice(part));
        let room = match &mut self.packer {
            Packer::None => 0,
            Packer::Gzip(packer) => packer.gzip_compress_bound(self.record.len()),
            Packer::Zstd(_) => zstd::zstd_safe::compress_bound(self.record.len()),
        };
        if self.packed.len() < room {
            self.packed.resize(room, 0);
        }
        let packed = match &mut self.packer {
            Packer::None => Ok(0),
            Packer::Gzip(packer) => packer
                .gzip_compress(&self.record, &mut self.packed)
                .map_err(|error| io::Error::other(format!("{error:?}"))),
            Packer::Zstd(packer) => packer.compress_to_buffer(&self.record, &mut self.packed[..]),
        };
        let length = packed
            .map_err(|source| CollectionError::from_io(Path::new("records"), "compress", source))?;
        out.extend_from_slice(&self.packed[..length]);
        if self.packed.len() > LARGE {
            (self.packed, self.record) = (Vec::new(), Vec::new());
        }
        Ok(())
    }

    /// An identifier from 128 random bits (PCG, seeded by the system), of the form of UUID version 4.
    fn random_id(&mut self) -> Id {
        let mut next = || {
            self.random = self
                .random
                .wrapping_mul(0x2360_ed05_1fc6_5da4_4385_df64_9fcc_f645)
                .wrapping_add(1);
            ((self.random >> 64) as u64 ^ self.random as u64)
                .rotate_right((self.random >> 122) as u32)
        };
        let (high, low) = (next(), next());
        let high = high & !0xf000 | 0x4000;
        let low = low & !(3 << 62) | 2 << 62;
        let bits = u128::from(high) << 64 | u128::from(low);
        let mut id = *b"<urn:uuid:xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx>";
        let places = id.iter_mut().rev().filter(|letter| **letter == b'x');
        for (place, letter) in places.enumerate() {
            *letter = b"0123456789abcdef"[(bits >> (4 * place) & 15) as usize];
        }
        id
    }
}

type Id = [u8; 47];

/// Buffers longer than this are not kept from record to record.
const LARGE: usize = 1 << 20;

/// Appends a line; whatever the value holds, it stays one.
fn push(out: &mut Vec<u8>, name: &str, value: &str) {
    out.extend_from_slice(name.as_bytes());
    out.extend_from_slice(b": ");
    head::push_clean(out, value.trim().as_bytes());
    out.extend_from_slice(b"\r\n");
}

/// Appends a line whose value is ours.
fn push_bytes(out: &mut Vec<u8>, name: &str, value: &[u8]) {
    out.extend_from_slice(name.as_bytes());
    out.extend_from_slice(b": ");
    out.extend_from_slice(value);
    out.extend_from_slice(b"\r\n");
}

/// A URI in a record has no blanks, controls, brackets or letters beyond ASCII.
fn push_uri(out: &mut Vec<u8>, name: &str, uri: &str) {
    out.extend_from_slice(name.as_bytes());
    out.extend_from_slice(b": ");
    let is_clean = |byte: &u8| matches!(byte, b'!'..=b'~') && !matches!(byte, b'<' | b'>' | b'"');
    let mut rest = uri.as_bytes();
    while let Some(at) = rest.iter().position(|byte| !is_clean(byte)) {
        out.extend_from_slice(&rest[..at]);
        let _ = write!(out, "%{:02X}", rest[at]);
        rest = &rest[at + 1..];
    }
    out.extend_from_slice(rest);
    out.extend_from_slice(b"\r\n");
}

fn push_digest(out: &mut Vec<u8>, name: &str, digest: &[u8; 32]) {
    out.extend_from_slice(name.as_bytes());
    out.extend_from_slice(b": sha1:");
    out.extend_from_slice(digest);
    out.extend_from_slice(b"\r\n");
}

fn push_date(out: &mut Vec<u8>, name: &str, nanoseconds: u64) {
    let [year, month, day, hour, minute, second] = calendar(nanoseconds / 1_000_000_000);
    let micros = nanoseconds / 1_000 % 1_000_000;
    let mut text = *b"0000-00-00T00:00:00.000000Z";
    let mut put = |end: usize, digits: usize, mut number: u64| {
        for place in (end - digits..end).rev() {
            text[place] = b'0' + (number % 10) as u8;
            number /= 10;
        }
    };
    put(4, 4, year);
    put(7, 2, month);
    put(10, 2, day);
    put(13, 2, hour);
    put(16, 2, minute);
    put(19, 2, second);
    put(26, 6, micros);
    push_bytes(out, name, &text);
}

/// Year, month, day, hour, minute and second of a moment in seconds since 1970 (years are counted from March, so that the
/// leap day is the last one).
pub fn calendar(seconds: u64) -> [u64; 6] {
    let (days, rest) = (seconds / 86_400 + 719_468, seconds % 86_400);
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year + era * 400 + u64::from(month <= 2);
    [year, month, day, rest / 3_600, rest / 60 % 60, rest % 60]
}

/// The spelling of SHA-1 digests in WARC and CDXJ: RFC 4648, twenty bytes in 32 letters.
pub fn base32(digest: &[u8; 20]) -> [u8; 32] {
    let mut text = [b'A'; 32];
    for (letters, bytes) in text.chunks_mut(8).zip(digest.chunks_exact(5)) {
        let bits = bytes
            .iter()
            .fold(0, |bits, byte| bits << 8 | u64::from(*byte));
        for (place, letter) in letters.iter_mut().enumerate() {
            *letter = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"[(bits >> (35 - 5 * place) & 31) as usize];
        }
    }
    text
}
