//! The HTTP/1.1 server of the in-vitro web: forward proxy for absolute targets, origin for the others.
//!
//! Each worker is a thread with its own listener (the kernel spreads connections). A connection ([`connection`]) holds
//! one request and one answer at a time, and both are bounded, so slow readers cost a buffer each and no more.

use super::InvitroError;
use super::connection;
use super::log::Log;
use super::site::Site;
use super::tls::{Authority, acceptor};
use socket2::{Domain, Protocol, Socket, Type};
use std::io;
use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::Notify;
use tokio::time::sleep;
use tokio_rustls::TlsAcceptor;

const MAX_CONNECTIONS: u64 = 8192;
/// What those get that are too many.
const FULL: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: 0\r\n\
    Connection: close\r\n\r\n";
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
    /// seconds of the web in one of ours, and when they began to count, in microseconds since 1970
    pub speed: f64,
    pub started: u64,
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
pub struct Shared {
    pub site: Site,
    pub options: Options,
    pub log: Option<Log>,
    pub counters: Counters,
    pub stop: Notify,
    pub tls: Option<TlsAcceptor>,
    attempts: Vec<AtomicU8>,
    stopping: AtomicBool,
}

/// A running server; dropping it stops it.
pub struct Server {
    shared: Arc<Shared>,
    port: u16,
    authority: Option<Arc<Authority>>,
    threads: Vec<std::thread::JoinHandle<()>>,
}

impl Server {
    pub fn start(site: Site, mut options: Options, log: Option<Log>) -> Result<Self, InvitroError> {
        if options.workers > 1 && options.port != 0 {
            // workers share their port, and would share it with another server too: one that does not share asks first
            drop(listen(&Options {
                workers: 1,
                ..options.clone()
            })?);
        }
        let first = listen(&options)?;
        let port = first
            .local_addr()
            .map_or(options.port, |address| address.port());
        options.port = port;
        let mut listeners = vec![first];
        for _ in 1..options.workers {
            listeners.push(listen(&options)?);
        }
        let authority = match site.web().spec.tls {
            0 => None,
            _ => Some(Arc::new(Authority::new()?)),
        };
        let tls = authority.clone().map(acceptor).transpose()?;
        let shared = Arc::new(Shared {
            tls,
            // what is kept of a moment would be of no use a moment later
            site: match options.speed > 0.0 {
                true => site,
                false => site.with_popular(options.month),
            },
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
                    .map_err(|source| InvitroError::Address {
                        address: "a thread".into(),
                        source,
                    })
            })
            .collect::<Result<_, _>>()?;
        Ok(Self {
            shared,
            port,
            authority,
            threads,
        })
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    /// The certificate that clients must trust, where the server speaks TLS.
    pub fn authority(&self) -> Option<String> {
        self.authority.as_ref().map(|authority| authority.pem())
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
fn listen(options: &Options) -> Result<std::net::TcpListener, InvitroError> {
    let address = if options.origins {
        Ipv4Addr::UNSPECIFIED
    } else {
        options.address
    };
    let place = SocketAddrV4::new(address, options.port);
    let failed = |source| InvitroError::Address {
        address: place.to_string(),
        source,
    };
    let socket = Socket::new(Domain::IPV4, Type::STREAM, Some(Protocol::TCP)).map_err(failed)?;
    if options.origins {
        // every address of the loopback interface, and none of another
        socket.bind_device(Some(b"lo")).map_err(|error| {
            InvitroError::Spec(format!(
                "--origins: this system does not let a server keep to the loopback interface ({error}); run it as \
                 root or on Linux 5.7 or newer, or leave --origins out and use the proxy"
            ))
        })?;
    }
    let open = || -> io::Result<()> {
        if options.workers > 1 {
            socket.set_reuse_port(true)?;
        }
        socket.set_reuse_address(true)?;
        socket.set_nonblocking(true)?;
        socket.bind(&SocketAddr::V4(place).into())?;
        socket.listen(1024)
    };
    open().map_err(failed)?;
    Ok(socket.into())
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
                        if counters.open.fetch_add(1, Ordering::Relaxed) >= MAX_CONNECTIONS {
                            counters.open.fetch_sub(1, Ordering::Relaxed);
                            counters.refused.fetch_add(1, Ordering::Relaxed);
                            let _ = stream.try_write(FULL);
                            continue;
                        }
                        let number = counters.connections.fetch_add(1, Ordering::Relaxed);
                        let open = Open(Arc::clone(&shared));
                        tokio::spawn(async move {
                            let _ = connection::serve(stream, number, &open.0).await;
                        });
                    }
                    // out of descriptors: wait for some to be closed
                    Err(_) => sleep(Duration::from_millis(20)).await,
                },
            }
        }
    });
}

/// A connection that counts as open as long as this lives, whatever ends it.
struct Open(Arc<Shared>);

impl Drop for Open {
    fn drop(&mut self) {
        self.0.counters.open.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Shared {
    /// The month, or in continuous time the tick, that is served now.
    pub fn moment(&self) -> u32 {
        let options = &self.options;
        if options.speed <= 0.0 {
            return options.month;
        }
        let seconds = super::log::now().saturating_sub(options.started) as f64 / 1e6;
        options.month + self.site.web().ticks_in(seconds * options.speed)
    }

    pub fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::Relaxed)
    }

    /// How often an address was asked for before, as far as that matters.
    pub fn count_attempt(&self, host: &[u8], target: &[u8]) -> u32 {
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
