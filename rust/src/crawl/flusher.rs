//! The flusher: the one thread that writes WARC files and the lines about what is in them.

use super::Result;
use super::config::Config;
use super::counters::{Counters, add, get, set, thread_cpu_ns};
use super::journal::Mark;
use super::log::Log;
use super::messages::Event;
use crate::collection::faults::crash_point;
use crate::collection::files::{Syncer, Writer, sync_path};
use crate::store::cdxj::{Line, push_line};
use crate::store::warc::{Encoded, Files};
use crossbeam::channel::{Receiver, Sender};
use std::sync::Arc;
use std::time::Duration;

const PAUSE: Duration = Duration::from_millis(4);
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
    pub payload_mime: Option<String>,
}

/// What the flusher is told.
pub enum Message {
    Capture(Box<Stored>),
    /// everything so far must survive a power cut, so many bytes of the journal too
    Sync {
        journal: Arc<Syncer>,
        length: u64,
    },
    /// everything so far is to be seen by who reads: the open file is closed; the reply has the number of captures
    Flush(Sender<u64>),
    /// lines for the crawl's log
    Log(Vec<u8>),
}

/// Writes what comes until nobody sends any more.
pub fn run(
    config: &Config,
    counters: &Arc<Counters>,
    incoming: &Receiver<Message>,
    events: &Sender<Event>,
) -> Result<()> {
    let mut files = Files::new(
        &config.folder,
        &config.prefix,
        config.limits.file_size,
        &config.compression,
        &config.warcinfo,
    )?;
    let mut index = Writer::append(&config.folder.join("captures.cdxj"))?;
    let mut lines = Vec::new();
    // journal and lines have names that last
    sync_path(&config.folder)?;
    let mut log = Log::open(config)?;
    loop {
        if incoming.is_empty() {
            index.put(&lines)?;
            lines.clear();
            log.write()?;
            // to wake up for each record would cost more than writing it
            std::thread::sleep(PAUSE);
        }
        let stored = match incoming.recv() {
            Ok(Message::Capture(stored)) => stored,
            Ok(Message::Sync { journal, length }) => {
                index.put(&lines)?;
                lines.clear();
                crash_point("crawl.checkpoint-begun");
                journal.sync()?;
                crash_point("crawl.journal-synced");
                files.sync()?;
                crash_point("crawl.files-synced");
                index.sync()?;
                crash_point("crawl.checkpoint-ended");
                let place = files.position();
                let mark = Mark {
                    journal: length,
                    captures: index.position(),
                    name: place.map_or(String::new(), |place| place.name.to_owned()),
                    length: place.map_or(0, |place| place.offset),
                };
                let _ = events.send(Event::Synced(mark));
                continue;
            }
            Ok(Message::Flush(reply)) => {
                index.put(&lines)?;
                lines.clear();
                log.write()?;
                // the records before the lines that name them
                files.close()?;
                index.sync()?;
                // who asked may have left
                let _ = reply.send(get(&counters.captures));
                continue;
            }
            Ok(Message::Log(text)) => {
                log.take(&text)?;
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
            payload_mime: stored.payload_mime.as_deref(),
            span: Some(stored.records.len() as u64),
            ..Line::default()
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
    files.close()?;
    index.put(&lines)?;
    index.sync()?;
    log.write()?;
    set(&counters.flusher_cpu_ns, thread_cpu_ns());
    Ok(())
}
