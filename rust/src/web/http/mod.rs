//! HTTP/1.1 as a crawler speaks it: one request, one answer, bounded in size and time, and forgiving.

mod codings;
pub mod dates;
mod framing;

pub use codings::{Codings, Decoded, MAX_CODINGS, decode, read_codings};
use dates::parse_date;
use framing::{Delimiter, Framing};
use httparse::{EMPTY_HEADER, ParserConfig, Response, Status};
use memchr::memmem;
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant as Deadline, timeout_at};

/// What an answer may cost.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    pub head: usize,
    pub body: usize,
    /// to the first byte
    pub silence: Duration,
    /// from the request to the end of the head
    pub head_time: Duration,
    /// to the last byte
    pub total: Duration,
    /// bytes per second: of a body from the second `silence` on, of a head from as long after its first byte
    pub rate: f64,
    /// what every body above [`LARGE`] needs one of to go on, as long as the answer lives
    pub turns: Option<Arc<Semaphore>>,
}

/// A body above this waits for its turn: thousands of servers that all send as much as they may would fill the memory.
pub const LARGE: usize = 1 << 20;

/// Why there is no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    Dns,
    Connect,
    Tls,
    Timeout,
    Protocol,
    /// its address is none that may be contacted
    Forbidden,
}

impl Failure {
    pub const ALL: [Self; 6] = [
        Self::Dns,
        Self::Connect,
        Self::Tls,
        Self::Timeout,
        Self::Protocol,
        Self::Forbidden,
    ];
    /// In the order of `crawl/failures.py`.
    pub const NAMES: [&'static str; 6] =
        ["dns", "connect", "tls", "timeout", "protocol", "forbidden"];
}

/// Why an answer is not whole, in the words of WARC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    Length,
    Time,
    Disconnect,
}

/// An answer as it came: the head with its last empty line, and the body without the transfer coding.
#[derive(Debug, Default)]
pub struct Answer {
    pub head: Vec<u8>,
    pub body: Vec<u8>,
    pub status: u16,
    pub cut: Option<Cut>,
    /// why its content codings were not undone, where there are any
    pub undecoded: Option<String>,
    /// bytes that came, transfer coding included
    pub num_bytes: u64,
    pub is_reusable: bool,
    /// it is HTTP/1.0
    pub is_old: bool,
    headers: Vec<(u32, u32, u32, u32)>,
    turn: Option<OwnedSemaphorePermit>,
}

impl Answer {
    /// The first header of a name, without regard to case.
    pub fn header(&self, name: &str) -> Option<&[u8]> {
        self.headers()
            .find(|(other, _)| other.eq_ignore_ascii_case(name.as_bytes()))
            .map(|(_, value)| value)
    }

    /// The values of all headers of a name as one list, in lower case; None if there is no such header.
    pub fn list(&self, name: &str) -> Option<String> {
        let lines: Vec<&[u8]> = self
            .headers()
            .filter(|(other, _)| other.eq_ignore_ascii_case(name.as_bytes()))
            .map(|(_, value)| value)
            .collect();
        let join = || String::from_utf8_lossy(&lines.join(&b',')).to_ascii_lowercase();
        (!lines.is_empty()).then(join)
    }

    pub fn headers(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        let piece = |start: u32, length: u32| &self.head[start as usize..][..length as usize];
        self.headers
            .iter()
            .map(move |&(name, name_length, value, value_length)| {
                (piece(name, name_length), piece(value, value_length))
            })
    }

    /// Type and charset of the body, in lower case, as the header has them.
    pub fn content_type(&self) -> (String, Option<String>) {
        let value = String::from_utf8_lossy(self.header("content-type").unwrap_or_default())
            .to_ascii_lowercase();
        let mut parts = value.split(';').map(str::trim);
        let kind = parts.next().unwrap_or_default().to_owned();
        let charset =
            parts.find_map(|part| part.strip_prefix("charset")?.trim_start().strip_prefix('='));
        (
            kind,
            charset.map(|label| label.trim().trim_matches(['"', '\'']).to_owned()),
        )
    }

    /// Seconds that it asks to wait, as a number or until a date; 0 if it does not.
    pub fn retry_after(&self) -> f64 {
        let text = String::from_utf8_lossy(self.header("retry-after").unwrap_or_default());
        // what Rust takes for a number may also be none (`nan`), or below nothing
        let seconds = text
            .trim()
            .parse()
            .ok()
            .filter(|seconds: &f64| !seconds.is_nan());
        let seconds = seconds.or_else(|| {
            let wait = parse_date(&text)?.duration_since(SystemTime::now());
            Some(wait.map_or(0.0, |wait| wait.as_secs_f64()))
        });
        seconds.unwrap_or_default().max(0.0)
    }

    fn parse(&mut self) -> Result<bool, Failure> {
        let mut config = ParserConfig::default();
        config
            .allow_spaces_after_header_name_in_responses(true)
            .allow_obsolete_multiline_headers_in_responses(true)
            .allow_multiple_spaces_in_response_status_delimiters(true)
            .ignore_invalid_headers_in_responses(true);
        let mut few = [EMPTY_HEADER; 64];
        let mut many = Vec::new();
        let mut response = Response::new(&mut few);
        let mut parsed = config.parse_response(&mut response, &self.head);
        if parsed == Err(httparse::Error::TooManyHeaders) {
            // each has a line of its own, and the size of the head bounds them
            many.resize(memchr::memchr_iter(b'\n', &self.head).count(), EMPTY_HEADER);
            response = Response::new(&mut many);
            parsed = config.parse_response(&mut response, &self.head);
        }
        match parsed {
            Ok(Status::Complete(length)) => {
                self.status = response.code.unwrap_or_default();
                let start = self.head.as_ptr() as usize;
                let place = |piece: &[u8]| {
                    (
                        (piece.as_ptr() as usize).wrapping_sub(start) as u32,
                        piece.len() as u32,
                    )
                };
                let headers = response
                    .headers
                    .iter()
                    .filter(|header| !header.name.is_empty());
                self.headers.clear();
                self.headers.extend(headers.map(|header| {
                    let (name, value) = (place(header.name.as_bytes()), place(header.value));
                    // an empty value may point anywhere
                    if value.1 == 0 {
                        (name.0, name.1, 0, 0)
                    } else {
                        (name.0, name.1, value.0, value.1)
                    }
                }));
                self.is_old = response.version == Some(0);
                self.is_reusable = !self.is_old;
                self.body = self.head.split_off(length);
                Ok(true)
            }
            Ok(Status::Partial) => Ok(false),
            Err(_) => Err(Failure::Protocol),
        }
    }
}

/// Sends a request and reads the answer to it.
pub async fn exchange<S: AsyncRead + AsyncWrite + Unpin>(
    stream: &mut S,
    request: &[u8],
    limits: &Limits,
) -> Result<Answer, Failure> {
    let begun = Instant::now();
    let end = Deadline::from_std(begun + limits.total);
    let head_end = Deadline::from_std(begun + limits.head_time).min(end);
    let first = Deadline::from_std(begun + limits.silence).min(head_end);
    let timed_out = |_| Failure::Timeout;
    let broken = |_| Failure::Connect;
    timeout_at(first, stream.write_all(request))
        .await
        .map_err(timed_out)?
        .map_err(broken)?;
    timeout_at(first, stream.flush())
        .await
        .map_err(timed_out)?
        .map_err(broken)?;
    let mut answer = Answer {
        head: Vec::with_capacity(32 << 10),
        ..Answer::default()
    };
    let mut heard = None;
    loop {
        let deadline = match heard {
            None => first,
            Some(_) => head_end.min(Deadline::now() + limits.silence),
        };
        let seen = answer.head.len().saturating_sub(3);
        let taken = timeout_at(deadline, stream.read_buf(&mut answer.head))
            .await
            .map_err(timed_out)?;
        match taken {
            // a head that breaks off may come whole another time, what is no HTTP will not
            Ok(0) => {
                let said = &answer.head[..answer.head.len().min(5)];
                return Err(if b"HTTP/".starts_with(said) {
                    Failure::Connect
                } else {
                    Failure::Protocol
                });
            }
            Err(_) => return Err(Failure::Connect),
            Ok(_) => {}
        }
        let heard = *heard.get_or_insert_with(Instant::now);
        // only then is it worth while to parse: bytes may come one by one
        let fresh = &answer.head[seen..];
        if memmem::find(fresh, b"\n\r\n")
            .or_else(|| memmem::find(fresh, b"\n\n"))
            .is_some()
        {
            // behind an interim answer comes the real one
            while answer.parse()? && answer.status < 200 && answer.status != 101 {
                answer.num_bytes += answer.head.len() as u64;
                answer.head = std::mem::take(&mut answer.body);
                answer.status = 0;
            }
        }
        let taken = answer.num_bytes + answer.head.len() as u64;
        if taken > limits.head as u64 {
            return Err(Failure::Protocol);
        }
        if answer.status != 0 {
            break;
        }
        // a slow start is no slow head: the rate is measured from the first byte on
        let elapsed = heard.elapsed();
        if elapsed > limits.silence && (taken as f64) < limits.rate * elapsed.as_secs_f64() {
            return Err(Failure::Timeout);
        }
    }
    answer.num_bytes += (answer.head.len() + answer.body.len()) as u64;
    let framing = Framing::of(&answer)?;
    read_body(stream, &mut answer, framing, limits, begun, end).await;
    Ok(answer)
}

async fn read_body<S: AsyncRead + Unpin>(
    stream: &mut S,
    answer: &mut Answer,
    framing: Framing,
    limits: &Limits,
    begun: Instant,
    mut end: Deadline,
) {
    if let Some(list) = answer.list("connection") {
        answer.is_reusable &= !list.contains("close");
    }
    answer.is_reusable &= framing.is_sound;
    let mut delimiter = framing.delimiter;
    let is_chunked = matches!(delimiter, Delimiter::Chunks(_));
    let mut raw = std::mem::take(&mut answer.body);
    let mut taken = raw.len();
    let mut is_over = false;
    loop {
        match &mut delimiter {
            Delimiter::Length(length) if raw.len() as u64 >= *length => {
                // more than was announced belongs to nobody
                answer.is_reusable &= raw.len() as u64 == *length;
                raw.truncate(*length as usize);
                is_over = true;
            }
            Delimiter::Chunks(chunks) => match chunks.decode(&raw, &mut answer.body) {
                Ok(None) => raw.clear(),
                Ok(Some(rest)) => {
                    answer.is_reusable &= rest == 0;
                    is_over = true;
                }
                Err(()) => answer.cut = Some(Cut::Disconnect),
            },
            _ => {}
        }
        // frames, extensions and trailers of chunks are no reason to listen for ever
        let size = raw.len().max(answer.body.len()).max(taken / 8);
        if size > limits.body {
            raw.truncate(limits.body);
            answer.body.truncate(limits.body);
            answer.cut = Some(Cut::Length);
        }
        if is_over || answer.cut.is_some() {
            break;
        }
        let elapsed = begun.elapsed();
        if elapsed > limits.silence && (taken as f64) < limits.rate * elapsed.as_secs_f64() {
            answer.cut = Some(Cut::Time);
            break;
        }
        if size > LARGE
            && answer.turn.is_none()
            && let Some(turns) = &limits.turns
        {
            let queued = Instant::now();
            answer.turn = turns.clone().acquire_owned().await.ok();
            // that others were first is not this host's fault
            end += queued.elapsed();
        }
        // what is announced is not yet there
        let most = if answer.turn.is_none() {
            LARGE
        } else {
            limits.body
        };
        make_room(&mut raw, &delimiter, most);
        // a server that falls silent is asked again for its rate before its time is over
        let pause = Deadline::now() + limits.silence;
        match timeout_at(end.min(pause), stream.read_buf(&mut raw)).await {
            Ok(Err(error)) if error.kind() != io::ErrorKind::UnexpectedEof => {
                answer.cut = Some(Cut::Disconnect);
            }
            // TLS servers hang up without a word, too
            Ok(Ok(0) | Err(_)) => {
                if !matches!(delimiter, Delimiter::Close) {
                    answer.cut = Some(Cut::Disconnect);
                }
                break;
            }
            Ok(Ok(more)) => {
                taken += more;
                answer.num_bytes += more as u64;
            }
            Err(_) => answer.cut = Some(Cut::Time),
        }
        if answer.cut.is_some() {
            break;
        }
    }
    answer.is_reusable &= answer.cut.is_none() && !matches!(delimiter, Delimiter::Close);
    if !is_chunked {
        answer.body = raw;
    }
    if !framing.codings.is_empty() {
        if let Some(turns) = limits.turns.as_ref().filter(|_| answer.turn.is_none()) {
            answer.turn = turns.clone().acquire_owned().await.ok();
        }
        let decoded = decode(&answer.body, &framing.codings, limits.body);
        answer.body = decoded.body;
        answer.cut = answer.cut.or(decoded.cut);
    }
}

/// Reserves memory for the next read, up to what was announced and at most `most`.
fn make_room(raw: &mut Vec<u8>, delimiter: &Delimiter, most: usize) {
    if raw.capacity() - raw.len() < 4096 {
        let announced = match delimiter {
            Delimiter::Length(length) => *length as usize,
            _ => 0,
        };
        let wanted = announced.min(most + 1);
        raw.reserve(wanted.saturating_sub(raw.len()).max(16 << 10));
    }
}
