//! Connections between two visits of a host.
//!
//! A visit often asks for one page, since its host has one to be asked for, and a moment later there is another. Where
//! no delay lies between visits, a connection waits here for the next one, as long as its slice lasts.

use super::config::Limits;
use super::fetcher::Wire;
use hashbrown::HashMap;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::net::TcpStream;
use tokio_rustls::client::TlsStream;

/// Not more than so many wait, whatever the system would allow.
const MOST: u64 = 2048;
/// Files that others may have open.
const OTHERS: u64 = 128;

pub enum Stream {
    Plain(TcpStream),
    Tls(Box<TlsStream<TcpStream>>),
}

pub struct Connection {
    pub stream: Stream,
    pub wire: Arc<Wire>,
    pub address: SocketAddr,
    pub opened: Instant,
}

/// Connections by host.
pub struct Idle {
    connections: HashMap<u32, Connection>,
    /// how long a connection is used
    slice: Duration,
    most: usize,
}

impl Idle {
    pub fn new(limits: &Limits, slice: Duration) -> Self {
        let used = limits.fetchers as u64 + OTHERS;
        let left = max_files().saturating_sub(used).min(MOST) as usize;
        Self {
            connections: HashMap::new(),
            slice,
            most: match slice.is_zero() {
                true => 0,
                false => left / limits.workers.max(1),
            },
        }
    }

    /// Whether a host should keep the connection open after the last request of a visit.
    pub fn has_room(&self) -> bool {
        self.connections.len() < self.most
    }

    pub fn put(&mut self, host: u32, connection: Connection) {
        if self.has_room() {
            self.connections.insert(host, connection);
        }
    }

    /// The connection to a host, if its time is not over.
    pub fn take(&mut self, host: u32, address: SocketAddr) -> Option<Connection> {
        let found = self.connections.remove(&host)?;
        // what was said meanwhile, or that it is closed, is no answer to what is asked next
        let is_silent = match &found.stream {
            Stream::Plain(stream) => {
                let said = stream.try_read(&mut [0]);
                said.is_err_and(|error| error.kind() == io::ErrorKind::WouldBlock)
            }
            Stream::Tls(_) => true,
        };
        let is_young = found.opened.elapsed() < self.slice;
        (is_silent && is_young && found.address == address).then_some(found)
    }

    /// Closes those whose time is over.
    pub fn sweep(&mut self) {
        let slice = self.slice;
        self.connections
            .retain(|_, connection| connection.opened.elapsed() < slice);
    }

    /// How often that is to be done; nothing waits longer by more than this.
    pub fn period(&self) -> Duration {
        match self.most {
            0 => Duration::from_secs(3600),
            _ => (self.slice / 8).max(Duration::from_millis(10)),
        }
    }
}

/// How many files this process may have open.
fn max_files() -> u64 {
    let mut limit = libc::rlimit {
        rlim_cur: 0,
        rlim_max: 0,
    };
    // Safety: the pointer is to a structure of ours.
    match unsafe { libc::getrlimit(libc::RLIMIT_NOFILE, &mut limit) } {
        0 => limit.rlim_cur,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_connection_waits_for_its_host_and_not_too_long() {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(async {
            let server = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
            let address = server.local_addr().unwrap();
            let connect = async |age: u64| Connection {
                stream: Stream::Plain(TcpStream::connect(address).await.unwrap()),
                wire: Arc::default(),
                address,
                opened: Instant::now() - Duration::from_secs(age),
            };
            let mut idle = Idle {
                connections: HashMap::new(),
                slice: Duration::from_secs(60),
                most: 2,
            };
            idle.put(1, connect(0).await);
            assert!(idle.take(2, address).is_none());
            assert!(idle.take(1, address).is_some());
            assert!(idle.take(1, address).is_none());
            idle.put(1, connect(0).await);
            assert!(idle.take(1, "127.0.0.2:80".parse().unwrap()).is_none());
            idle.put(1, connect(0).await);
            idle.put(2, connect(90).await);
            assert!(!idle.has_room());
            idle.sweep();
            assert!(idle.has_room());
            assert!(idle.take(1, address).is_some());
            idle.put(2, connect(90).await);
            assert!(idle.take(2, address).is_none());
        });
    }

    #[test]
    fn a_host_that_speaks_unasked_is_not_listened_to() {
        use tokio::io::AsyncWriteExt;
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(async {
            let server = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
            let address = server.local_addr().unwrap();
            let mut idle = Idle {
                connections: HashMap::new(),
                slice: Duration::from_secs(60),
                most: 1,
            };
            let stream = TcpStream::connect(address).await.unwrap();
            let (mut other, _) = server.accept().await.unwrap();
            other.write_all(b"HTTP/1.1 200 OK\r\n").await.unwrap();
            stream.readable().await.unwrap();
            idle.put(
                1,
                Connection {
                    stream: Stream::Plain(stream),
                    wire: Arc::default(),
                    address,
                    opened: Instant::now(),
                },
            );
            assert!(idle.take(1, address).is_none());
        });
    }

    #[test]
    fn without_a_slice_nothing_waits() {
        let limits = Limits::default();
        assert!(!Idle::new(&limits, Duration::ZERO).has_room());
        let idle = Idle::new(&limits, Duration::from_secs(1));
        assert_eq!(idle.has_room(), max_files() > OTHERS);
    }
}
