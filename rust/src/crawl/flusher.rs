//! The flusher: the one thread that writes WARC files and the lines about what is in them.

use super::Result;
use super::config::Config;
use super::counters::{Counters, add, set, thread_cpu_ns};
use crate::collection::files::Writer;
use crate::store::cdxj::{Line, push_line};
use crate::store::warc::{Encoded, Files};
use crossbeam::channel::Receiver;
use std::sync::Arc;
use std::time::Duration;

const PAUSE: Duration = Duration::from_millis(1);
/// Lines are written when there are so many bytes of them.
const BUFFER: usize = 256 << 10;

/// The records of a capture, and what the index says of it.
pub struct Stored {
    pub records: Vec<u8>,
    pub encoded: Encoded,
    pub url: String,
    pub date: u64,
    pub mime: String,
    pub status: u16,
    pub digest: [u8; 20],
    pub fingerprint: Option<u64>,
    pub duplicate_of: Option<String>,
    pub redirect: Option<String>,
    pub robots: Option<String>,
    pub signals: Option<String>,
    pub truncated: Option<&'static str>,
}

/// What the flusher is told.
pub enum Message {
    Capture(Box<Stored>),
    /// everything so far must survive a power cut
    Sync,
}

/// Writes what comes until nobody sends any more.
pub fn run(config: &Config, counters: &Arc<Counters>, incoming: &Receiver<Message>) -> Result<()> {
    let mut files = Files::new(
        &config.folder,
        &config.prefix,
        config.limits.file_size,
        &config.compression,
        &config.warcinfo,
    )?;
    let mut index = Writer::append(&config.folder.join("captures.cdxj"))?;
    let mut lines = Vec::new();
    loop {
        if incoming.is_empty() {
            index.put(&lines)?;
            lines.clear();
            // to wake up for each record would cost more than writing it
            std::thread::sleep(PAUSE);
        }
        let stored = match incoming.recv() {
            Ok(Message::Capture(stored)) => stored,
            Ok(Message::Sync) => {
                index.put(&lines)?;
                lines.clear();
                files.sync()?;
                index.sync()?;
                continue;
            }
            Err(_) => break,
        };
        let place = files.append(&stored.records, stored.date)?;
        let line = Line {
            url: &stored.url,
            date: stored.date,
            mime: &stored.mime,
            status: stored.status,
            digest: stored.digest,
            length: stored.encoded.length as u64,
            offset: place.offset + stored.encoded.offset as u64,
            filename: place.name,
            fingerprint: stored.fingerprint,
            duplicate_of: stored.duplicate_of.as_deref(),
            redirect: stored.redirect.as_deref(),
            robots: stored.robots.as_deref(),
            signals: stored.signals.as_deref(),
            truncated: stored.truncated,
            span: Some(stored.records.len() as u64),
        };
        push_line(&mut lines, &line);
        if lines.len() > BUFFER {
            index.put(&lines)?;
            lines.clear();
        }
        add(&counters.captures, 1);
        add(&counters.stored, stored.records.len() as u64);
        if incoming.is_empty() {
            set(&counters.flusher_cpu_ns, thread_cpu_ns());
        }
    }
    index.put(&lines)?;
    index.sync()?;
    files.close()?;
    set(&counters.flusher_cpu_ns, thread_cpu_ns());
    Ok(())
}
