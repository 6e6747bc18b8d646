//! Content codings, taken off within a limit.

use super::Cut;
use std::io::{self, Read};

/// The content codings that [`decode`] takes off.
pub const CODINGS: [&str; 5] = ["gzip", "x-gzip", "deflate", "br", "zstd"];
/// Nobody needs more of them; each may cost as much as a page.
const MAX_CODINGS: usize = 4;

/// The body as its content codings (`gzip`, `deflate`, `br`, `zstd`, the last applied first) say, at most `limit` bytes.
/// A body that is not what it says stays as it is; one that breaks off is kept as far as it goes, and cut.
pub fn decode(body: Vec<u8>, codings: &str, limit: usize) -> (Vec<u8>, Option<Cut>) {
    let (mut body, mut cut) = (body, None);
    for coding in codings.rsplit(',').map(str::trim).take(MAX_CODINGS) {
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
            "zstd" => match zstd::Decoder::with_buffer(input) {
                Ok(mut decoder) => match decoder.window_log_max(27) {
                    Ok(()) => read_up_to(decoder, limit),
                    Err(_) => continue,
                },
                Err(_) => continue,
            },
            _ => continue,
        };
        if decoded.0.is_empty() && decoded.1.is_some() {
            continue;
        }
        body = decoded.0;
        cut = cut.or(decoded.1);
    }
    (body, cut)
}

/// All members; what is behind them and is none, as blanks and zeros of some servers, is not missed.
fn gunzip(mut input: &[u8], limit: usize) -> (Vec<u8>, Option<Cut>) {
    let mut out = Vec::new();
    loop {
        let mut member = flate2::bufread::GzDecoder::new(input);
        let (mut part, cut) = read_up_to(&mut member, limit - out.len());
        out.append(&mut part);
        input = member.into_inner();
        if cut.is_some() || !input.starts_with(b"\x1f\x8b") {
            return (out, cut);
        }
    }
}

fn read_up_to(reader: impl Read, limit: usize) -> (Vec<u8>, Option<Cut>) {
    let mut out = Vec::new();
    match reader.take(limit as u64 + 1).read_to_end(&mut out) {
        _ if out.len() > limit => {
            out.truncate(limit);
            (out, Some(Cut::Length))
        }
        Err(error) if error.kind() != io::ErrorKind::Interrupted => (out, Some(Cut::Disconnect)),
        _ => (out, None),
    }
}
