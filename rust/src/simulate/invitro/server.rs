//! The HTTP/1.1 server of the in-vitro web: forward proxy for absolute targets, origin for the others.
//!
//! Each worker is a thread with its own listener (the kernel spreads connections). A connection holds one request
//! and one answer at a time, and both are bounded, so slow readers cost a buffer each and no more.

use super::log::{Entry, Log, now};
use super::respond::{Manner, Reply, Request, bare};
use super::site::Site;
use crate::simulate::SimulateError;
use socket2::{Domain, Protocol, Socket, Type};
use std::io;
use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio::time::{sleep, timeout};

/// Longest head of a request.
const MAX_HEAD: usize = 32 << 10;
const MAX_HEADERS: usize = 100;
/// Longest body of a request that is read (and thrown away).
const MAX_BODY: usize = 1 << 20;
/// How long a client may be idle, or take to read what it asked for.
const PATIENCE: Duration = Duration::from_secs(60);
const MAX_CONNECTIONS: u64 = 8192;
/// Counters of attempts; addresses that share one only fail a little less often.
const ATTEMPTS: usize = 1 << 18;

/// How to serve.
#[derive(Clone, Debug)]
pub struct Options {
    pub address: Ipv4Addr,
    pub port: u16,
    /// Listen on all loopback addresses, so that each host has its own.
    pub origins: bool,
    pub workers: usize,
    pub month: u32,
}

#[derive(Debug, Default)]
pub struct Counters {
    pub requests: AtomicU64,
    pub connections: AtomicU64,
    pub open: AtomicU64,
    pub refused: AtomicU64,
    pub bytes: AtomicU64,
    pub malformed: AtomicU64,
}

/// What the connections share.
struct Shared {
    site: Site,
    options: Options,
    log: Option<Log>,
    counters: Counters,
    attempts: Vec<AtomicU8>,
    stopping: AtomicBool,
    stop: Notify,
}

/// A running server; dropping it stops it.
pub struct Server {
    shared: Arc<Shared>,
    port: u16,
    threads: Vec<std::thread::JoinHandle<()>>,
}

impl Server {
    pub fn start(
        site: Site,
        mut options: Options,
        log: Option<Log>,
    ) -> Result<Self, SimulateError> {
        let first = listen(&options)?;
        let port = first
            .local_addr()
            .map_or(options.port, |address| address.port());
        options.port = port;
        let mut listeners = vec![first];
        for _ in 1..options.workers {
            listeners.push(listen(&options)?);
        }
        let shared = Arc::new(Shared {
            site: site.with_popular(options.month),
            options,
            log,
            counters: Counters::default(),
            attempts: (0..ATTEMPTS).map(|_| AtomicU8::new(0)).collect(),
            stopping: AtomicBool::new(false),
            stop: Notify::new(),
        });
        let threads = listeners
            .into_iter()
            .map(|listener| {
                let shared = Arc::clone(&shared);
                std::thread::Builder::new()
                    .name("invitro".into())
                    .spawn(move || work(listener, shared))
                    .map_err(|source| SimulateError::Address {
                        address: "a thread".into(),
                        source,
                    })
            })
            .collect::<Result<_, _>>()?;
        Ok(Self {
            shared,
            port,
            threads,
        })
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    pub fn counters(&self) -> &Counters {
        &self.shared.counters
    }

    pub fn mark_restart(&self) {
        if let Some(log) = &self.shared.log {
            log.mark_restart();
        }
    }

    pub fn flush_log(&self) {
        if let Some(log) = &self.shared.log {
            log.flush();
        }
    }

    /// Closes all connections and waits for the threads; the log is complete then.
    pub fn stop(&mut self) {
        self.shared.stopping.store(true, Ordering::SeqCst);
        self.shared.stop.notify_waiters();
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
        self.flush_log();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop();
    }
}

/// A listener that shares its port with those of the other workers.
fn listen(options: &Options) -> Result<std::net::TcpListener, SimulateError> {
    let address = if options.origins {
        Ipv4Addr::UNSPECIFIED
    } else {
        options.address
    };
    let place = SocketAddrV4::new(address, options.port);
    let open = || -> io::Result<std::net::TcpListener> {
        let socket = Socket::new(Domain::IPV4, Type::STREAM, Some(Protocol::TCP))?;
        if options.workers > 1 {
            socket.set_reuse_port(true)?;
        }
        socket.set_reuse_address(true)?;
        if options.origins {
            // every address of the loopback interface, and none of another
            socket.bind_device(Some(b"lo"))?;
        }
        socket.set_nonblocking(true)?;
        socket.bind(&SocketAddr::V4(place).into())?;
        socket.listen(1024)?;
        Ok(socket.into())
    };
    open().map_err(|source| SimulateError::Address {
        address: place.to_string(),
        source,
    })
}

fn work(listener: std::net::TcpListener, shared: Arc<Shared>) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let Ok(runtime) = runtime else { return };
    runtime.block_on(async move {
        let Ok(listener) = TcpListener::from_std(listener) else {
            return;
        };
        if shared.log.is_some() {
            let shared = Arc::clone(&shared);
            tokio::spawn(async move {
                loop {
                    sleep(Duration::from_millis(200)).await;
                    if let Some(log) = &shared.log {
                        log.flush();
                    }
                }
            });
        }
        while !shared.stopping.load(Ordering::SeqCst) {
            tokio::select! {
                () = shared.stop.notified() => break,
                // a stop that came between the test above and the wait is seen a moment later
                () = sleep(Duration::from_millis(500)) => {}
                accepted = listener.accept() => match accepted {
                    Ok((stream, _)) => {
                        let counters = &shared.counters;
                        if counters.open.load(Ordering::Relaxed) >= MAX_CONNECTIONS {
                            counters.refused.fetch_add(1, Ordering::Relaxed);
                            continue;
                        }
                        counters.open.fetch_add(1, Ordering::Relaxed);
                        let number = counters.connections.fetch_add(1, Ordering::Relaxed);
                        let shared = Arc::clone(&shared);
                        tokio::spawn(async move {
                            let _ = serve_connection(stream, number, &shared).await;
                            shared.counters.open.fetch_sub(1, Ordering::Relaxed);
                        });
                    }
                    // out of descriptors: wait for some to be closed
                    Err(_) => sleep(Duration::from_millis(20)).await,
                },
            }
        }
    });
}

/// What is kept of a request's head; ranges of the buffer would not survive its reuse.
struct Head {
    method: Vec<u8>,
    host: Vec<u8>,
    target: Vec<u8>,
    accept_encoding: Vec<u8>,
    if_none_match: Vec<u8>,
    if_modified_since: Vec<u8>,
    user_agent: Vec<u8>,
    body: usize,
    keep_alive: bool,
    is_proxied: bool,
}

enum Parsed {
    Partial,
    Malformed,
    Head(Box<Head>, usize),
}

fn parse(buffer: &[u8]) -> Parsed {
    let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
    let mut request = httparse::Request::new(&mut headers);
    let length = match request.parse(buffer) {
        Ok(httparse::Status::Complete(length)) => length,
        Ok(httparse::Status::Partial) => return Parsed::Partial,
        Err(_) => return Parsed::Malformed,
    };
    let path = request.path.unwrap_or("/").as_bytes();
    let mut head = Head {
        method: request.method.unwrap_or("GET").as_bytes().to_vec(),
        host: Vec::new(),
        target: path.to_vec(),
        accept_encoding: Vec::new(),
        if_none_match: Vec::new(),
        if_modified_since: Vec::new(),
        user_agent: Vec::new(),
        body: 0,
        keep_alive: request.version == Some(1),
        is_proxied: false,
    };
    for header in request.headers.iter() {
        let value = header.value;
        match header.name.to_ascii_lowercase().as_str() {
            "host" => head.host = value.to_vec(),
            "accept-encoding" => head.accept_encoding = value.to_vec(),
            "if-none-match" => head.if_none_match = value.to_vec(),
            "if-modified-since" => head.if_modified_since = value.to_vec(),
            "user-agent" => head.user_agent = value.to_vec(),
            "content-length" => {
                let text = std::str::from_utf8(value).unwrap_or("");
                match text.trim().parse::<usize>() {
                    Ok(length) if length <= MAX_BODY => head.body = length,
                    _ => return Parsed::Malformed,
                }
            }
            "transfer-encoding" => return Parsed::Malformed,
            "connection" | "proxy-connection" => {
                let value = value.to_ascii_lowercase();
                if value == b"close" {
                    head.keep_alive = false;
                } else if value == b"keep-alive" {
                    head.keep_alive = true;
                }
            }
            _ => {}
        }
    }
    if let Some(rest) = path.strip_prefix(b"http://") {
        let cut = rest
            .iter()
            .position(|byte| matches!(byte, b'/' | b'?'))
            .unwrap_or(rest.len());
        head.host = rest[..cut].to_vec();
        head.target = rest[cut..].to_vec();
        if head.target.first() != Some(&b'/') {
            head.target.insert(0, b'/');
        }
        head.is_proxied = true;
    }
    if let Some(hash) = head.target.iter().position(|byte| *byte == b'#') {
        head.target.truncate(hash);
    }
    // the port is how the client reaches us, not a part of the name
    if let Some(colon) = head.host.iter().position(|byte| *byte == b':') {
        head.host.truncate(colon);
    }
    head.host.make_ascii_lowercase();
    Parsed::Head(Box::new(head), length)
}

async fn serve_connection(mut stream: TcpStream, number: u64, shared: &Shared) -> io::Result<()> {
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
    let mut buffer = Vec::with_capacity(4 << 10);
    let mut arrival = 0;
    while !shared.stopping.load(Ordering::Relaxed) {
        if !buffer.is_empty() && arrival == 0 {
            arrival = now();
        }
        match parse(&buffer) {
            Parsed::Partial if buffer.len() < MAX_HEAD => {
                let read = tokio::select! {
                    read = timeout(PATIENCE, stream.read_buf(&mut buffer)) => read,
                    () = shared.stop.notified() => return Ok(()),
                };
                match read {
                    Ok(Ok(length)) if length > 0 => {
                        if arrival == 0 {
                            arrival = now();
                        }
                    }
                    _ => return Ok(()),
                }
            }
            Parsed::Partial | Parsed::Malformed => {
                shared.counters.malformed.fetch_add(1, Ordering::Relaxed);
                let status = if buffer.len() >= MAX_HEAD { 431 } else { 400 };
                let answer = bare(status, Manner::Close);
                send(&mut stream, answer, false, false, 0.0).await;
                return Ok(());
            }
            Parsed::Head(head, length) => {
                buffer.drain(..length);
                if !skip_body(&mut stream, &mut buffer, head.body).await? {
                    return Ok(());
                }
                let goes_on = tokio::select! {
                    goes_on = answer(&mut stream, number, arrival, local, &head, shared) => goes_on,
                    () = shared.stop.notified() => false,
                };
                if !goes_on {
                    return Ok(());
                }
                arrival = 0;
            }
        }
    }
    Ok(())
}

async fn skip_body(
    stream: &mut TcpStream,
    buffer: &mut Vec<u8>,
    mut left: usize,
) -> io::Result<bool> {
    loop {
        let taken = left.min(buffer.len());
        buffer.drain(..taken);
        left -= taken;
        if left == 0 {
            return Ok(true);
        }
        match timeout(PATIENCE, stream.read_buf(buffer)).await {
            Ok(Ok(length)) if length > 0 => {}
            _ => return Ok(false),
        }
    }
}

/// Answers one request; whether the connection can take another.
async fn answer(
    stream: &mut TcpStream,
    connection: u64,
    arrival: u64,
    local: Ipv4Addr,
    head: &Head,
    shared: &Shared,
) -> bool {
    let month = shared.options.month;
    let is_head = head.method == b"HEAD";
    let site = &shared.site;
    let mut address = local.octets();
    let mut bandwidth = 0.0;
    let reply = if !is_head && head.method != b"GET" {
        bare(405, Manner::Plain)
    } else if let Some(found) = site.find(&head.host, month) {
        address = site.address(&found);
        if !head.is_proxied && local != shared.options.address && local.octets() != address {
            bare(421, Manner::Plain)
        } else {
            let request = Request {
                target: &head.target,
                accept_encoding: &head.accept_encoding,
                if_none_match: &head.if_none_match,
                if_modified_since: &head.if_modified_since,
                user_agent: &head.user_agent,
                attempt: shared.count_attempt(&head.host, &head.target),
            };
            let delay = site.latency(&found, shared.counters.requests.load(Ordering::Relaxed));
            if delay > 0.0 {
                sleep(Duration::from_secs_f64(delay.min(30.0))).await;
            }
            bandwidth = site.web().spec.bandwidth;
            site.respond(&found, &head.host, month, &request)
        }
    } else if head.is_proxied {
        bare(502, Manner::Plain)
    } else {
        // nobody answers for a host that does not exist
        bare(0, Manner::Hangup)
    };
    shared.counters.requests.fetch_add(1, Ordering::Relaxed);
    let status = reply.status;
    let closes = reply.manner != Manner::Plain;
    let (bytes, complete) = send(
        stream,
        reply,
        head.keep_alive && !closes,
        is_head,
        bandwidth,
    )
    .await;
    shared.counters.bytes.fetch_add(bytes, Ordering::Relaxed);
    if let Some(log) = &shared.log {
        log.add(&Entry {
            connection,
            address,
            host: &head.host,
            arrival,
            end: now(),
            status,
            bytes,
            complete,
            method: &head.method,
            target: &head.target,
        });
    }
    complete && head.keep_alive && !closes
}

impl Shared {
    fn count_attempt(&self, host: &[u8], target: &[u8]) -> u32 {
        if self.site.web().spec.flaky_share <= 0.0 {
            return 0;
        }
        let place = xxhash_rust::xxh3::xxh3_64_with_seed(target, xxhash_rust::xxh3::xxh3_64(host));
        let counter = &self.attempts[place as usize % ATTEMPTS];
        let before = counter.load(Ordering::Relaxed);
        if before < u8::MAX {
            counter.store(before + 1, Ordering::Relaxed);
        }
        u32::from(before)
    }
}

/// Sends an answer in its manner; the bytes of the body that went out, and whether the answer was complete.
async fn send(
    stream: &mut TcpStream,
    reply: Reply,
    keep_alive: bool,
    is_head: bool,
    bandwidth: f64,
) -> (u64, bool) {
    if reply.manner == Manner::Hangup {
        return (0, false);
    }
    let mut out = reply.head;
    out.extend_from_slice(if keep_alive {
        b"Connection: keep-alive\r\n\r\n"
    } else {
        b"Connection: close\r\n\r\n"
    });
    if is_head {
        return (0, write(stream, &out).await);
    }
    let body = reply.body;
    match reply.manner {
        Manner::Plain | Manner::Close if bandwidth <= 0.0 => {
            let complete = write_both(stream, &out, &body).await;
            (body.len() as u64, complete)
        }
        Manner::Plain | Manner::Close => {
            out.extend_from_slice(&body);
            let mut sent = 0;
            for piece in out.chunks(8 << 10) {
                if !write(stream, piece).await {
                    return (sent, false);
                }
                sent += piece.len() as u64;
                sleep(Duration::from_secs_f64(piece.len() as f64 / bandwidth)).await;
            }
            (body.len() as u64, true)
        }
        Manner::Stall | Manner::Die => {
            out.extend_from_slice(&body[..body.len() / 2]);
            write(stream, &out).await;
            if reply.manner == Manner::Stall {
                sleep(PATIENCE * 5).await;
            }
            ((body.len() / 2) as u64, false)
        }
        Manner::Repeat(length) => {
            let mut left = length;
            let mut complete = write(stream, &out).await;
            while left > 0 && complete {
                let piece = &body[..body.len().min(left as usize)];
                complete = write(stream, piece).await;
                left -= piece.len() as u64;
            }
            (length - left, complete)
        }
        Manner::Endless => {
            let mut sent = 0;
            if write(stream, &out).await {
                let mut chunk = format!("{:x}\r\n", body.len()).into_bytes();
                chunk.extend_from_slice(&body);
                chunk.extend_from_slice(b"\r\n");
                while write(stream, &chunk).await {
                    sent += body.len() as u64;
                }
            }
            (sent, false)
        }
        Manner::Hangup => (0, false),
    }
}

/// Sends head and body in one go, without copying them together.
async fn write_both(stream: &mut TcpStream, head: &[u8], body: &[u8]) -> bool {
    // most answers fit into the buffers of the socket: no timer for those
    let parts = [io::IoSlice::new(head), io::IoSlice::new(body)];
    let sent = stream.try_write_vectored(&parts).unwrap_or(0);
    let (head, body) = (
        &head[sent.min(head.len())..],
        &body[sent.saturating_sub(head.len())..],
    );
    (head.is_empty() || write(stream, head).await) && (body.is_empty() || write(stream, body).await)
}

async fn write(stream: &mut TcpStream, bytes: &[u8]) -> bool {
    matches!(timeout(PATIENCE, stream.write_all(bytes)).await, Ok(Ok(())))
}
