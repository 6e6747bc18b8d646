//! The flusher: the one thread that writes WARC files and the lines about what is in them.

use super::Result;
use super::config::Config;
use super::counters::{Counters, add, get, set, thread_cpu_ns};
use super::journal::Mark;
use super::log::Log;
use super::messages::Event;
use crate::archive::cdxj::{Line, push_line};
use crate::archive::warc::{Encoded, Files};
use crate::collection::faults::crash_point;
use crate::collection::files::{Syncer, Writer, sync_path};
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

/// Writes what comes until no sender is left.
pub fn run(
    config: &Config,
    counters: &Arc<Counters>,
    incoming: &Receiver<Message>,
    events: &Sender<Event>,
) -> Result<()> {
    let mut flusher = Flusher::open(config)?;
    loop {
        if incoming.is_empty() {
            flusher.write_lines()?;
            flusher.log.write()?;
            // to wake up for each record would cost more than writing it
            std::thread::sleep(PAUSE);
        }
        match incoming.recv() {
            Ok(Message::Capture(stored)) => {
                flusher.append(&stored)?;
                add(&counters.captures, 1);
                add(&counters.stored, stored.records.len() as u64);
                if incoming.is_empty() {
                    set(&counters.flusher_cpu_ns, thread_cpu_ns());
                }
            }
            Ok(Message::Sync { journal, length }) => {
                let mark = flusher.sync(&journal, length)?;
                let _ = events.send(Event::Synced(mark));
            }
            Ok(Message::Flush(reply)) => {
                flusher.close()?;
                // the sender may have left
                let _ = reply.send(get(&counters.captures));
            }
            Ok(Message::Log(text)) => flusher.log.take(&text)?,
            Err(_) => break,
        }
    }
    flusher.close()?;
    set(&counters.flusher_cpu_ns, thread_cpu_ns());
    Ok(())
}

/// The files of a crawl that are open.
struct Flusher {
    files: Files,
    index: Writer,
    /// lines of the index that are not yet written
    lines: Vec<u8>,
    log: Log,
}

impl Flusher {
    fn open(config: &Config) -> Result<Self> {
        let files = Files::new(
            &config.folder,
            &config.prefix,
            config.limits.file_size,
            &config.compression,
            &config.warcinfo,
        )?;
        let index = Writer::append(&config.folder.join("captures.cdxj"))?;
        // the names of journal and index must survive a power cut
        sync_path(&config.folder)?;
        Ok(Self {
            files,
            index,
            lines: Vec::new(),
            log: Log::open(config)?,
        })
    }

    fn write_lines(&mut self) -> Result<()> {
        self.index.put(&self.lines)?;
        self.lines.clear();
        Ok(())
    }

    /// Writes the records of a capture, and its line into the buffer.
    fn append(&mut self, stored: &Stored) -> Result<()> {
        let place = self.files.append(&stored.records, stored.date)?;
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
        push_line(&mut self.lines, &line);
        if self.lines.len() > BUFFER {
            self.write_lines()?;
        }
        Ok(())
    }

    /// Brings everything to the disk, the journal first; how long the files were then.
    fn sync(&mut self, journal: &Syncer, length: u64) -> Result<Mark> {
        self.write_lines()?;
        crash_point("crawl.checkpoint-begun");
        journal.sync()?;
        crash_point("crawl.journal-synced");
        self.files.sync()?;
        crash_point("crawl.files-synced");
        self.index.sync()?;
        crash_point("crawl.checkpoint-ended");
        let place = self.files.position();
        Ok(Mark {
            journal: length,
            captures: self.index.position(),
            name: place.map_or(String::new(), |place| place.name.to_owned()),
            length: place.map_or(0, |place| place.offset),
        })
    }

    /// Closes the open WARC file, with the records before the lines that name them.
    fn close(&mut self) -> Result<()> {
        self.files.close()?;
        self.write_lines()?;
        self.index.sync()?;
        self.log.write()
    }
}
