//! One connection: requests one after the other, each answered before the next is read.
//!
//! What a connection holds is bounded: a head of a request, and one answer. A head must be complete within some patience,
//! and so must every piece of an answer be read, so that clients that do neither cost little and not for long.

use super::log::{Entry, now};
use super::request::{Head, MAX_HEAD, Parsed, parse};
use super::respond::{Manner, Reply, Request, bare, to_https};
use super::send::{PATIENCE, Wire, send};
use super::server::Shared;
use super::stamped::Stamped;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep, timeout, timeout_at};
use xxhash_rust::xxh3::xxh3_64;

/// What is read, and for how long, of a client that is being refused: it should see the answer, not a reset.
const FAREWELL_BYTES: usize = 256 << 10;
const FAREWELL: Duration = Duration::from_secs(2);
/// Latencies are cut here.
const MAX_LATENCY: f64 = 30.0;

/// A request that was read. It is noted in the log when its answer is out, or when the connection ends before.
struct Asked<'a> {
    shared: &'a Shared,
    head: &'a Head,
    connection: u64,
    address: [u8; 4],
    arrival: u64,
    /// When the answer was out; 0 where it did not come to that.
    end: u64,
    status: u16,
    bytes: u64,
    complete: bool,
}

impl Drop for Asked<'_> {
    fn drop(&mut self) {
        let counters = &self.shared.counters;
        counters.bytes.fetch_add(self.bytes, Ordering::Relaxed);
        if let Some(log) = &self.shared.log {
            log.add(&Entry {
                connection: self.connection,
                address: self.address,
                host: &self.head.host,
                arrival: self.arrival,
                end: if self.end > 0 { self.end } else { now() },
                status: self.status,
                bytes: self.bytes,
                complete: self.complete,
                method: &self.head.method,
                target: &self.head.target,
            });
        }
    }
}

/// How a conversation ended.
#[derive(PartialEq, Eq)]
enum Ended {
    Done,
    /// With the wish to go on inside of TLS (CONNECT).
    Tunnel,
}

/// What a TLS handshake begins with.
const HANDSHAKE: u8 = 0x16;

/// Serves a connection until one of both sides has enough: plain, inside of TLS, or inside of TLS after CONNECT.
pub async fn serve(mut stream: TcpStream, number: u64, shared: &Shared) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let local = match stream.local_addr()? {
        SocketAddr::V4(address) => *address.ip(),
        SocketAddr::V6(_) => Ipv4Addr::LOCALHOST,
    };
    // dropped before the stream: it is noted as closed before the client can know that it is
    let _open = (local != shared.options.address)
        .then_some(shared.log.as_ref())
        .flatten()
        .map(|log| log.watch(number, local.octets()));
    let talk = Talk {
        number,
        local,
        is_secure: false,
        shared,
    };
    let Some(tls) = &shared.tls else {
        converse(&mut stream, talk).await;
        return Ok(());
    };
    let secured = async {
        let mut first = [0];
        let peeked = timeout(PATIENCE, stream.peek(&mut first)).await;
        let is_handshake = matches!(peeked, Ok(Ok(1))) && first[0] == HANDSHAKE;
        if is_handshake || converse(&mut stream, talk).await == Ended::Tunnel {
            return timeout(PATIENCE, tls.accept(stream)).await.ok()?.ok();
        }
        None
    };
    let secured = tokio::select! {
        secured = secured => secured,
        () = shared.stop.notified() => None,
    };
    if let Some(mut stream) = secured {
        let talk = Talk {
            is_secure: true,
            ..talk
        };
        converse(&mut stream, talk).await;
    }
    Ok(())
}

/// What is known about a connection before anything is read from it.
#[derive(Clone, Copy)]
struct Talk<'a> {
    number: u64,
    local: Ipv4Addr,
    is_secure: bool,
    shared: &'a Shared,
}

/// Answers requests one after the other.
async fn converse<S>(stream: &mut S, talk: Talk<'_>) -> Ended
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let Talk {
        number,
        local,
        shared,
        ..
    } = talk;
    let mut buffer = Vec::with_capacity(4 << 10);
    while !shared.is_stopping() {
        let arrived = tokio::select! {
            arrived = read_head(stream, &mut buffer) => arrived,
            () = shared.stop.notified() => return Ended::Done,
        };
        let Some((parsed, arrival)) = arrived else {
            return Ended::Done;
        };
        let Parsed::Head(mut head, length) = parsed else {
            refuse(stream, buffer.len(), shared).await;
            return Ended::Done;
        };
        buffer.drain(..length);
        if head.method == b"CONNECT" && shared.tls.is_some() && !talk.is_secure {
            let granted = stream.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n");
            let is_granted = matches!(timeout(PATIENCE, granted).await, Ok(Ok(())));
            return if is_granted && buffer.is_empty() {
                Ended::Tunnel
            } else {
                Ended::Done
            };
        }
        head.is_secure |= talk.is_secure;
        let mut asked = Asked {
            shared,
            head: &head,
            connection: number,
            address: local.octets(),
            arrival,
            end: 0,
            status: 0,
            bytes: 0,
            complete: false,
        };
        let goes_on = tokio::select! {
            goes_on = answer(stream, &mut buffer, local, &mut asked) => goes_on,
            () = shared.stop.notified() => false,
        };
        if !goes_on {
            return Ended::Done;
        }
    }
    Ended::Done
}

/// Reads until the buffer begins with a head, or with something that will never be one; and when it began to arrive.
/// None where the client leaves or takes too long.
async fn read_head<S>(stream: &mut S, buffer: &mut Vec<u8>) -> Option<(Parsed, u64)>
where
    S: AsyncRead + Unpin,
{
    let mut arrival = if buffer.is_empty() { 0 } else { now() };
    let mut deadline = Instant::now() + PATIENCE;
    let mut seen = 0;
    loop {
        // byte by byte, a head would be parsed over and over: after the first time, only when it may be complete
        let fresh = &buffer[seen.max(2) - 2..];
        let may_be_complete = seen == 0
            || fresh
                .windows(2)
                .any(|pair| pair == b"\n\n" || pair == b"\n\r");
        if may_be_complete && !buffer.is_empty() {
            let parsed = parse(buffer);
            if !matches!(parsed, Parsed::Partial) {
                return Some((parsed, arrival));
            }
        }
        if buffer.len() >= MAX_HEAD {
            return Some((Parsed::Malformed, arrival));
        }
        seen = buffer.len();
        match timeout_at(deadline, stream.read_buf(buffer)).await {
            Ok(Ok(length)) if length > 0 => {
                if arrival == 0 {
                    arrival = now();
                    deadline = Instant::now() + PATIENCE;
                }
            }
            _ => return None,
        }
    }
}

/// Tells a client that its request is none, and reads some of what it still sends.
async fn refuse<S>(stream: &mut S, length: usize, shared: &Shared)
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    shared.counters.malformed.fetch_add(1, Ordering::Relaxed);
    let status = if length >= MAX_HEAD { 431 } else { 400 };
    let wire = Wire {
        keep_alive: false,
        is_head: false,
        bandwidth: 0.0,
    };
    send(stream, bare(status, Manner::Close), wire, &mut 0).await;
    let _ = stream.shutdown().await;
    let farewell = async {
        let mut rest = [0; 4 << 10];
        let mut left = FAREWELL_BYTES;
        while let Ok(length) = stream.read(&mut rest).await {
            left = left.saturating_sub(length);
            if length == 0 || left == 0 {
                break;
            }
        }
    };
    tokio::select! {
        _ = timeout(FAREWELL, farewell) => {}
        () = shared.stop.notified() => {}
    }
}

/// Reads the body of a request and throws it away; whether it came.
async fn skip_body<S>(stream: &mut S, buffer: &mut Vec<u8>, mut left: usize) -> bool
where
    S: AsyncRead + Unpin,
{
    let deadline = Instant::now() + PATIENCE;
    loop {
        let taken = left.min(buffer.len());
        buffer.drain(..taken);
        left -= taken;
        if left == 0 {
            return true;
        }
        match timeout_at(deadline, stream.read_buf(buffer)).await {
            Ok(Ok(length)) if length > 0 => {}
            _ => return false,
        }
    }
}

/// Answers one request; whether the connection can take another.
async fn answer<S>(
    stream: &mut S,
    buffer: &mut Vec<u8>,
    local: Ipv4Addr,
    asked: &mut Asked<'_>,
) -> bool
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let (head, shared) = (asked.head, asked.shared);
    if !skip_body(stream, buffer, head.body).await {
        return false;
    }
    let (reply, delay) = find_reply(local, asked);
    if delay > 0.0 {
        sleep(Duration::from_secs_f64(delay.min(MAX_LATENCY))).await;
    }
    shared.counters.requests.fetch_add(1, Ordering::Relaxed);
    asked.status = reply.status;
    let keep_alive = head.keep_alive && reply.manner == Manner::Plain;
    let wire = Wire {
        keep_alive,
        is_head: head.method == b"HEAD",
        bandwidth: shared.site.web().spec.bandwidth,
    };
    let mut stamped = Stamped::new(stream);
    asked.complete = send(&mut stamped, reply, wire, &mut asked.bytes).await;
    if asked.complete {
        asked.end = stamped.last;
    }
    asked.complete && keep_alive
}

/// The answer to a request, and how many seconds it is waited for.
fn find_reply(local: Ipv4Addr, asked: &mut Asked<'_>) -> (Reply, f64) {
    let (head, shared) = (asked.head, asked.shared);
    let (site, month) = (&shared.site, shared.moment());
    if !matches!(&*head.method, b"GET" | b"HEAD") {
        return (bare(405, Manner::Plain), 0.0);
    }
    if head.host.is_empty() {
        return (bare(400, Manner::Close), 0.0);
    }
    let Some(found) = site.find(&head.host, month) else {
        return if head.is_proxied {
            (bare(502, Manner::Plain), 0.0)
        } else {
            // nobody answers for a host that does not exist
            (bare(0, Manner::Hangup), 0.0)
        };
    };
    asked.address = site.address(&found);
    if !head.is_proxied && local != shared.options.address && local.octets() != asked.address {
        return (bare(421, Manner::Plain), 0.0);
    }
    if shared.tls.is_some() && !head.is_secure {
        return (to_https(&head.host, &head.target), 0.0);
    }
    let attempt = shared.count_attempt(&head.host, &head.target);
    let request = Request {
        target: &head.target,
        accept_encoding: &head.accept_encoding,
        if_none_match: &head.if_none_match,
        if_modified_since: &head.if_modified_since,
        user_agent: &head.user_agent,
        attempt,
    };
    let draw = xxh3_64(&head.target).wrapping_add(u64::from(attempt));
    let delay = site.latency(&found, draw);
    (site.respond(&found, &head.host, month, &request), delay)
}
