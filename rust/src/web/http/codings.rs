//! Content codings, undone within limits.
//!
//! At most [`MAX_CODINGS`] are undone, as in curl: each may cost as much as a page. A list that is longer, or has a
//! coding in it that is not known here, is left alone as a whole: what is stored is then what was sent, and its header
//! says so. The window of zstd is at most 8 MiB (RFC 9659), that of brotli 16 MiB (RFC 7932).

use super::Cut;
use std::borrow::Cow;
use std::io::{self, Read};

/// The content codings that [`decode`] undoes.
const KNOWN: [&str; 5] = ["gzip", "x-gzip", "deflate", "br", "zstd"];
/// More of them are not undone; curl has the same limit.
pub const MAX_CODINGS: usize = 5;
/// The logarithm of the largest window of zstd.
const ZSTD_WINDOW: u32 = 23;

/// What is to be done with a body.
#[derive(Debug, PartialEq)]
pub enum Codings {
    None,
    /// as a list, the last one applied last
    Known(String),
    Unknown,
    /// so many
    TooMany(usize),
}

/// Reads a list of codings in lower case.
pub fn read_codings(list: &str) -> Codings {
    let list = list.replace("\r\n", " ");
    let codings: Vec<&str> = list
        .split(',')
        .map(str::trim)
        .filter(|coding| !coding.is_empty() && *coding != "identity")
        .collect();
    match codings.len() {
        0 => Codings::None,
        number if number > MAX_CODINGS => Codings::TooMany(number),
        _ if codings.iter().all(|coding| KNOWN.contains(coding)) => {
            Codings::Known(codings.join(","))
        }
        _ => Codings::Unknown,
    }
}

/// A body without its codings.
#[derive(Debug)]
pub struct Decoded {
    pub body: Vec<u8>,
    pub cut: Option<Cut>,
    /// false if it is still coded, by the look of it
    pub is_plain: bool,
}

/// The body as its content codings (`gzip`, `deflate`, `br`, `zstd`, the last applied first) say, at most `limit` bytes.
/// A body that is not what it says stays as it is; one that breaks off is kept as far as it goes, and cut.
pub fn decode(body: &[u8], codings: &str, limit: usize) -> Decoded {
    let (mut body, mut cut, mut is_plain) = (Cow::Borrowed(body), None, true);
    let Codings::Known(codings) = read_codings(codings) else {
        return Decoded {
            body: body.into_owned(),
            cut,
            is_plain,
        };
    };
    for coding in codings.rsplit(',') {
        let input = &body[..];
        if input.is_empty() {
            break;
        }
        let decoded = match coding {
            "gzip" | "x-gzip" => gunzip(input, limit),
            // some send the bare stream, against the standard
            "deflate" if input.first().is_some_and(|byte| byte & 15 == 8) => {
                read_up_to(flate2::read::ZlibDecoder::new(input), limit)
            }
            "deflate" => read_up_to(flate2::read::DeflateDecoder::new(input), limit),
            "br" => read_up_to(brotli::Decompressor::new(input, 4096), limit),
            _ => unzstd(input, limit),
        };
        if decoded.0.is_empty() && decoded.1.is_some() {
            // who says gzip and sends plain text has forgotten a header; who sends gzip has not
            let magic: &[u8] = match coding {
                "gzip" | "x-gzip" => b"\x1f\x8b",
                "zstd" => b"\x28\xb5\x2f\xfd",
                _ => continue,
            };
            is_plain &= !body.starts_with(magic);
            continue;
        }
        body = Cow::Owned(decoded.0);
        cut = cut.or(decoded.1);
    }
    Decoded {
        body: body.into_owned(),
        cut,
        is_plain,
    }
}

/// All members; what is behind them and is none, as blanks and zeros of some servers, is not missed.
fn gunzip(mut input: &[u8], limit: usize) -> (Vec<u8>, Option<Cut>) {
    let mut out = Vec::new();
    loop {
        let mut member = flate2::bufread::GzDecoder::new(input);
        let cut = append_up_to(&mut member, limit, &mut out);
        input = member.into_inner();
        if cut.is_some() || !input.starts_with(b"\x1f\x8b") {
            return (out, cut);
        }
    }
}

fn unzstd(input: &[u8], limit: usize) -> (Vec<u8>, Option<Cut>) {
    let decoder = zstd::Decoder::with_buffer(input).and_then(|mut decoder| {
        decoder.window_log_max(ZSTD_WINDOW)?;
        Ok(decoder)
    });
    match decoder {
        Ok(decoder) => read_up_to(decoder, limit),
        Err(_) => (Vec::new(), Some(Cut::Disconnect)),
    }
}

fn read_up_to(reader: impl Read, limit: usize) -> (Vec<u8>, Option<Cut>) {
    let mut out = Vec::new();
    let cut = append_up_to(reader, limit, &mut out);
    (out, cut)
}

/// Appends what a reader has until there are `limit` bytes; memory for more than that is never taken.
fn append_up_to(mut reader: impl Read, limit: usize, out: &mut Vec<u8>) -> Option<Cut> {
    let mut piece = [0; 16 << 10];
    loop {
        let length = match reader.read(&mut piece) {
            Ok(0) => return None,
            Ok(length) => length,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(_) => return Some(Cut::Disconnect),
        };
        let room = limit - out.len();
        let kept = length.min(room);
        if out.capacity() - out.len() < kept {
            let more = out.len().max(64 << 10).max(kept).min(room);
            out.reserve_exact(more);
        }
        out.extend_from_slice(&piece[..kept]);
        if length > room {
            return Some(Cut::Length);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_undone_as_a_whole_or_not_at_all() {
        assert_eq!(read_codings(" , identity"), Codings::None);
        assert_eq!(
            read_codings("br, identity, gzip"),
            Codings::Known("br,gzip".into())
        );
        assert_eq!(read_codings("gzip, x-snow"), Codings::Unknown);
        assert_eq!(read_codings(&["gzip"; 6].join(",")), Codings::TooMany(6));
        assert_eq!(
            read_codings(&["gzip"; 5].join(",")),
            Codings::Known(["gzip"; 5].join(","))
        );
    }

    #[test]
    fn memory_is_never_taken_for_more_than_the_limit() {
        let packed = zstd::encode_all(&vec![0; 1 << 20][..], 1).unwrap();
        for limit in [1, 1000, 100_000, (1 << 20) - 1] {
            let decoded = decode(&packed, "zstd", limit);
            assert_eq!(decoded.cut, Some(Cut::Length));
            assert_eq!(decoded.body.len(), limit);
            assert!(decoded.body.capacity() <= limit);
        }
        let decoded = decode(&packed, "zstd", 1 << 20);
        assert_eq!((decoded.cut, decoded.body.len()), (None, 1 << 20));
    }

    #[test]
    fn what_is_still_coded_says_so() {
        // a frame that asks for a window of 128 MiB
        let mut packer = zstd::Encoder::new(Vec::new(), 1).unwrap();
        packer.window_log(27).unwrap();
        packer.include_contentsize(false).unwrap();
        std::io::Write::write_all(&mut packer, &[b'x'; 1000]).unwrap();
        let packed = packer.finish().unwrap();
        let decoded = decode(&packed, "zstd", 1 << 20);
        assert!(!decoded.is_plain);
        assert_eq!(decoded.body, packed);
        assert!(decode(b"plain", "gzip", 1 << 20).is_plain);
    }
}
