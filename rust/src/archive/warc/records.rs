//! Records read as writers of today write them: gzip members or plain, WARC/1.0 or 1.1, one record a member.
//!
//! What is anything else, damaged or merely unusual, is not read here at all: `webstrata.archive.warc` reads it with
//! FastWARC, which knows every way, and says what is wrong. So nothing is guessed here.

use libdeflater::Decompressor;
use memchr::memmem;

pub const GZIP: &[u8] = b"\x1f\x8b\x08";
/// Bytes of the longest record that is unpacked here: several of them may be in memory at the same time.
const MAX_SIZE: usize = 128 << 20;
/// How much deflate can make of a byte.
const MAX_RATIO: usize = 1040;

/// A record within its bytes; names and values are ASCII without blanks around them.
#[derive(Debug, Clone)]
pub struct Record<'a> {
    pub headers: Vec<(&'a str, &'a str)>,
    pub block: &'a [u8],
}

impl<'a> Record<'a> {
    /// The record that begins here, and its length; None where it is not whole and in order.
    pub fn parse(data: &'a [u8]) -> Option<(Self, usize)> {
        let rest = data.strip_prefix(b"WARC/1.")?;
        let rest = rest
            .strip_prefix(b"0\r\n")
            .or_else(|| rest.strip_prefix(b"1\r\n"))?;
        let end = memmem::find(rest, b"\r\n\r\n")?;
        let head = std::str::from_utf8(&rest[..end])
            .ok()
            .filter(|head| head.is_ascii())?;
        let mut headers = Vec::with_capacity(16);
        let mut length = None;
        for line in head.split("\r\n") {
            let (name, value) = line.split_once(':')?;
            let is_odd = |byte: u8| byte <= b' ' || byte == 127;
            if name.is_empty() || name.bytes().any(is_odd) {
                return None;
            }
            let value = value.trim_matches([' ', '\t']);
            if value.bytes().any(|byte| byte < b' ') {
                return None;
            }
            if name.eq_ignore_ascii_case("content-length") {
                if length.is_some() || !value.bytes().all(|byte| byte.is_ascii_digit()) {
                    return None;
                }
                length = Some(value.parse::<usize>().ok()?);
            }
            headers.push((name, value));
        }
        let begin = data.len() - rest.len() + end + 4;
        let stop = begin.checked_add(length?)?;
        let block = data.get(begin..stop)?;
        data[stop..].starts_with(b"\r\n\r\n").then_some(())?;
        Some((Self { headers, block }, stop + 4))
    }

    /// The first value of a header.
    pub fn get(&self, name: &str) -> Option<&'a str> {
        let found = self
            .headers
            .iter()
            .find(|(own, _)| own.eq_ignore_ascii_case(name));
        found.map(|(_, value)| *value)
    }

    pub fn kind(&self) -> &'a str {
        self.get("WARC-Type").unwrap_or("unknown")
    }

    /// HTTP head with its empty line, and payload; None where the block is no message with both.
    pub fn message(&self) -> Option<(&'a [u8], &'a [u8])> {
        self.get("Content-Type")?
            .starts_with("application/http")
            .then_some(())?;
        let mut at = 0;
        loop {
            at += memchr::memchr(b'\n', &self.block[at..])? + 1;
            let rest = &self.block[at..];
            let blank = usize::from(rest.first() == Some(&b'\r'));
            if rest.get(blank) == Some(&b'\n') {
                return Some(self.block.split_at(at + blank + 1));
            }
        }
    }
}

/// Unpacks gzip members; one per thread.
pub struct Unpacker(Decompressor);

impl Default for Unpacker {
    fn default() -> Self {
        Self(Decompressor::new())
    }
}

impl Unpacker {
    /// Replaces `out` by what `packed` holds, if that is one whole gzip member.
    pub fn unpack(&mut self, packed: &[u8], out: &mut Vec<u8>) -> bool {
        let Some(tail) = packed
            .last_chunk::<4>()
            .filter(|_| packed.starts_with(GZIP))
        else {
            return false;
        };
        let size = u32::from_le_bytes(*tail) as usize;
        if size > MAX_SIZE || size > packed.len().saturating_mul(MAX_RATIO) {
            return false;
        }
        out.resize(size, 0);
        // libdeflate checks the sum, and does not mind what comes behind the member: the size tells most of the time
        self.0.gzip_decompress(packed, out) == Ok(size)
    }
}

/// Where the members of a window may begin: behind `at`, in order.
pub fn find_starts(window: &[u8], at: usize) -> impl Iterator<Item = usize> + '_ {
    memmem::find_iter(&window[at.min(window.len())..], GZIP).map(move |found| at + found)
}

/// Replaces `out` by the member that begins at `starts[place]`, trying as ends the starts behind it, then the end of
/// the window if it is that of the file. The place of the next member.
pub fn unpack_at(
    unpacker: &mut Unpacker,
    window: &[u8],
    starts: &[usize],
    place: usize,
    is_last: bool,
    out: &mut Vec<u8>,
) -> Option<usize> {
    // the three bytes of a beginning stand within packed bytes once in sixteen million
    const TRIES: usize = 8;
    for next in place + 1..(place + 1 + TRIES).min(starts.len() + usize::from(is_last)) {
        let end = starts.get(next).copied().unwrap_or(window.len());
        if unpacker.unpack(&window[starts[place]..end], out) {
            // if another member ends there too, it is of the same size, and what stands between is damage
            let mut other = Vec::new();
            let mut between = starts[place + 1..next].iter();
            let is_alone = between.all(|at| !unpacker.unpack(&window[*at..end], &mut other));
            return is_alone.then_some(next);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_record_in_order_is_read_and_any_other_is_not() {
        let good = b"WARC/1.0\r\nWARC-Type: response\r\nContent-Length: 3\r\nContent-Type: application/http\r\n\r\n\n\na\r\n\r\nWARC";
        let (record, length) = Record::parse(good).unwrap();
        assert_eq!((record.kind(), length), ("response", good.len() - 4));
        assert_eq!(record.message(), Some((&b"\n\n"[..], &b"a"[..])));
        for (from, to) in [
            ("1.0", "1.2"),
            ("Type: ", "Type\r\n "),
            ("Length: 3", "Length: 4"),
            ("Length: 3", "Length: 99999999999999999999"),
            ("Length: 3", "Length: +3"),
            ("response", "r\u{e9}ponse"),
        ] {
            let text = String::from_utf8_lossy(good).replacen(from, to, 1);
            assert!(Record::parse(text.as_bytes()).is_none(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_no_record_or_one(data: Vec<u8>) {
            let mut out = Vec::new();
            prop_assert!(Record::parse(&data).is_none());
            prop_assert!(!Unpacker::default().unpack(&data, &mut out));
        }
    }
}
