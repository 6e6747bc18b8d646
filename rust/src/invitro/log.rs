//! The log of requests, one line each, that the judge reads.
//!
//! The first line is `# webstrata-requests 1 ` and a JSON object that describes the web; a line `# restart MICROSECONDS`
//! notes that the client was started again. `# connection NUMBER ADDRESS OPENED CLOSED` is written when a connection
//! to the address of a host is closed (not for those to a proxy, which are no host's). `# server MICROSECONDS` notes
//! that a server goes on with the log, and numbers connections anew; an empty line before it ends a line that the
//! server before did not. Every other line has ten fields separated by tabs: number of the connection, address asked,
//! host, arrival and end in microseconds since 1970, status (0: none), bytes of the body sent, whether the answer was
//! complete (1 or 0), method, path and query.

use crate::collection::Result;
use crate::collection::files::Writer;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::sync::{Mutex, OnceLock};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

#[derive(Debug)]
pub struct Log {
    writer: Mutex<BufWriter<Writer>>,
}

/// One request as the log tells it.
#[derive(Debug)]
pub struct Entry<'a> {
    pub connection: u64,
    pub address: [u8; 4],
    pub host: &'a [u8],
    pub arrival: u64,
    pub end: u64,
    pub status: u16,
    pub bytes: u64,
    pub complete: bool,
    pub method: &'a [u8],
    pub target: &'a [u8],
}

impl Log {
    /// Begins a log, or goes on with one that is there (without a second header).
    pub fn create(path: &Path, header: &str, append: bool) -> Result<Self> {
        let mut writer = if append {
            Writer::append(path)?
        } else {
            Writer::create(path)?
        };
        if writer.position() == 0 {
            writer.put(format!("# webstrata-requests 1 {header}\n").as_bytes())?;
        } else {
            writer.put(format!("\n# server {}\n", now()).as_bytes())?;
        }
        Ok(Self {
            writer: Mutex::new(BufWriter::with_capacity(1 << 16, writer)),
        })
    }

    fn write(&self, line: &[u8]) {
        let mut writer = self
            .writer
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner());
        // the server goes on when its log cannot: the judge sees that lines are missing
        let _ = writer.write_all(line);
    }

    pub fn add(&self, entry: &Entry<'_>) {
        let [a, b, c, d] = entry.address;
        let mut line = Vec::with_capacity(200);
        let _ = write!(line, "{}\t{a}.{b}.{c}.{d}\t", entry.connection);
        push_clean(&mut line, entry.host);
        let _ = write!(
            line,
            "\t{}\t{}\t{}\t{}\t{}\t",
            entry.arrival,
            entry.end,
            entry.status,
            entry.bytes,
            u8::from(entry.complete)
        );
        push_clean(&mut line, entry.method);
        line.push(b'\t');
        push_clean(&mut line, entry.target);
        line.push(b'\n');
        self.write(&line);
    }

    /// Notes when a connection to the address of a host was open, once the value returned is dropped.
    pub fn watch(&self, number: u64, address: [u8; 4]) -> OpenConnection<'_> {
        OpenConnection {
            log: self,
            number,
            address,
            opened: now(),
        }
    }

    /// Notes that the client was started again.
    pub fn mark_restart(&self) {
        self.write(format!("# restart {}\n", now()).as_bytes());
        self.flush();
    }

    pub fn flush(&self) {
        let mut writer = self
            .writer
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner());
        let _ = writer.flush();
    }
}

/// A connection that is open as long as this lives.
#[derive(Debug)]
pub struct OpenConnection<'a> {
    log: &'a Log,
    number: u64,
    address: [u8; 4],
    opened: u64,
}

impl Drop for OpenConnection<'_> {
    fn drop(&mut self) {
        let ([a, b, c, d], closed) = (self.address, now());
        let line = format!(
            "# connection {} {a}.{b}.{c}.{d} {} {closed}\n",
            self.number, self.opened
        );
        self.log.write(line.as_bytes());
    }
}

/// Appends text that came from a client: nothing in it may look like the end of a field or line.
fn push_clean(out: &mut Vec<u8>, text: &[u8]) {
    for &byte in text {
        if byte.is_ascii_graphic() {
            out.push(byte);
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
}

/// Microseconds since 1970; they never go back while the process runs, whatever happens to the machine's clock.
pub fn now() -> u64 {
    static START: OnceLock<(Instant, u64)> = OnceLock::new();
    let (start, wall) = START.get_or_init(|| {
        let wall = SystemTime::now().duration_since(UNIX_EPOCH);
        (
            Instant::now(),
            wall.map_or(0, |elapsed| elapsed.as_micros() as u64),
        )
    });
    wall + start.elapsed().as_micros() as u64
}
