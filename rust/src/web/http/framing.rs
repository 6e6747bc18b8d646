//! How the end of a body is known (RFC 9112, section 6.3), and the chunked transfer coding (section 7.1).
//!
//! 204 and 304 have no body. `Transfer-Encoding` counts more than `Content-Length`; a response with both is read, and its
//! connection is not used again. `chunked` must be the last transfer coding and stand once; `gzip` and `deflate` before it,
//! or alone until the connection ends, are undone; any other coding is an error. A `Content-Length` may be repeated with
//! the same value; different values, and what is no number below 2⁶⁴, are errors. With neither header, the body ends with
//! the connection.

use super::codings::MAX_CODINGS;
use super::{Answer, Failure};

/// What the head says about the body.
#[derive(Debug)]
pub struct Framing {
    pub delimiter: Delimiter,
    /// transfer codings below the chunks, as a list
    pub codings: String,
    /// whether the connection may be used after it
    pub is_sound: bool,
}

#[derive(Debug)]
pub enum Delimiter {
    Length(u64),
    Chunks(Chunks),
    Close,
}

impl Framing {
    pub fn of(answer: &Answer) -> Result<Self, Failure> {
        let plain = |delimiter| Self {
            delimiter,
            codings: String::new(),
            is_sound: true,
        };
        // whatever they say, these have no body
        if matches!(answer.status, 204 | 304) {
            return Ok(plain(Delimiter::Length(0)));
        }
        let list = answer.list("transfer-encoding").unwrap_or_default();
        let mut codings: Vec<&str> = list
            .split(',')
            .map(|coding| coding.split(';').next().unwrap_or("").trim())
            .filter(|coding| !coding.is_empty() && *coding != "identity")
            .collect();
        if codings.is_empty() {
            let length = content_length(answer)?;
            return Ok(plain(length.map_or(Delimiter::Close, Delimiter::Length)));
        }
        let is_chunked = codings.last() == Some(&"chunked");
        codings.truncate(codings.len() - usize::from(is_chunked));
        let is_known = |coding: &&str| matches!(*coding, "gzip" | "x-gzip" | "deflate");
        if codings.len() > MAX_CODINGS || !codings.iter().all(is_known) {
            return Err(Failure::Protocol);
        }
        Ok(Self {
            delimiter: match is_chunked {
                true => Delimiter::Chunks(Chunks::default()),
                false => Delimiter::Close,
            },
            codings: codings.join(","),
            is_sound: answer.header("content-length").is_none(),
        })
    }
}

/// The one length that all headers of that name agree on.
fn content_length(answer: &Answer) -> Result<Option<u64>, Failure> {
    let Some(list) = answer.list("content-length") else {
        return Ok(None);
    };
    let mut found = None;
    for text in list.split(',').map(str::trim) {
        let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let length = text.parse::<u64>().ok().filter(|_| is_number);
        let length = length.ok_or(Failure::Protocol)?;
        if *found.get_or_insert(length) != length {
            return Err(Failure::Protocol);
        }
    }
    Ok(found)
}

/// The chunked transfer coding, piece by piece.
#[derive(Debug, Default)]
pub struct Chunks {
    state: ChunkState,
    left: u64,
    digits: u8,
}

#[derive(Debug, Default, Clone, Copy, PartialEq)]
enum ChunkState {
    #[default]
    Size,
    Extension,
    Data,
    DataEnd,
    Trailer,
    TrailerLine,
}

impl Chunks {
    /// Appends what is data in `input`; when the last chunk and its trailer are over, how much is behind them.
    pub fn decode(&mut self, mut input: &[u8], out: &mut Vec<u8>) -> Result<Option<usize>, ()> {
        while let Some((&byte, rest)) = input.split_first() {
            if self.state == ChunkState::Data {
                let length = self.left.min(input.len() as u64) as usize;
                out.extend_from_slice(&input[..length]);
                input = &input[length..];
                self.left -= length as u64;
                if self.left == 0 {
                    self.state = ChunkState::DataEnd;
                }
                continue;
            }
            input = rest;
            self.state = match (self.state, byte) {
                (ChunkState::Size, b'0'..=b'9' | b'a'..=b'f' | b'A'..=b'F') => {
                    self.digits += 1;
                    if self.digits > 15 {
                        return Err(());
                    }
                    self.left =
                        self.left * 16 + u64::from((byte as char).to_digit(16).unwrap_or(0));
                    ChunkState::Size
                }
                (ChunkState::Size | ChunkState::Extension, b'\n') => {
                    if std::mem::take(&mut self.digits) == 0 {
                        return Err(());
                    }
                    if self.left == 0 {
                        ChunkState::Trailer
                    } else {
                        ChunkState::Data
                    }
                }
                (ChunkState::Size, b'\r' | b';' | b' ' | b'\t') | (ChunkState::Extension, _) => {
                    ChunkState::Extension
                }
                (ChunkState::DataEnd, b'\r') => ChunkState::DataEnd,
                (ChunkState::DataEnd, b'\n') => ChunkState::Size,
                (ChunkState::Trailer, b'\n') => return Ok(Some(input.len())),
                (ChunkState::Trailer, b'\r') => ChunkState::Trailer,
                (ChunkState::TrailerLine, b'\n') => ChunkState::Trailer,
                (ChunkState::Trailer | ChunkState::TrailerLine, _) => ChunkState::TrailerLine,
                _ => return Err(()),
            };
        }
        Ok(None)
    }
}
