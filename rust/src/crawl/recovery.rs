//! From the journal to the frontier that it was, and what makes a crawl survive its end.

use super::Result;
use super::config::nanos;
use super::counters::add;
use super::flusher::Message;
use super::frontier::Frontier;
use super::journal::{self, Entry, Mark};
use super::workbench::Moment;
use crate::collection::faults::crash_point;
use hashbrown::HashSet;
use std::sync::{Arc, PoisonError};

/// Nanoseconds between two writes of the journal, and what is not waited with for so long.
const PERIOD: Moment = 20_000_000;
const MANY: usize = 256;
const BUFFER: usize = 256 << 10;

impl Frontier {
    /// Takes up what an earlier run left: all URLs in their order, less those that are done.
    pub(super) fn replay(&mut self) -> Result<()> {
        let config = self.config.clone();
        let path = config.folder.join("journal");
        if !path.exists() {
            return Ok(());
        }
        // it is gone when this is over: a crawl that goes on for weeks needs none of it
        let past = std::mem::take(&mut *config.past.lock().unwrap_or_else(PoisonError::into_inner));
        add(&self.counters.torn, past.num_torn);
        for (digest, fingerprint, url, date) in past.known {
            self.known.remember(&digest, fingerprint, &url, date)?;
        }
        add(&self.counters.duplicates, past.num_duplicates);
        add(&self.counters.captures, past.stored.len() as u64);
        let stored: HashSet<u64> = past.stored.iter().copied().collect();
        let agents = config.agents_hash();
        // what is done enters the sieve first, as something that nobody wants to see again
        journal::read(&path, &mut |entry| match entry {
            Entry::Done { hash, sum } if sum.is_none() || stored.contains(&hash) => {
                self.sieve.enqueue(hash, &[])?;
                if self.sieve.is_full() {
                    self.sieve.flush(&mut |_| Ok(()))?;
                }
                Ok(())
            }
            Entry::Robots(found) if found.agents == agents => {
                let rules = (found.until, Arc::new(found.rules));
                self.remembered.insert(found.origin, rules);
                Ok(())
            }
            _ => Ok(()),
        })?;
        self.sieve.flush(&mut |_| Ok(()))?;
        for (origin, pages) in &past.pages {
            let host = self.open_host(origin)?;
            self.bench.get_mut(host).pages = *pages;
            self.count_contact(host);
            add(&self.counters.pages, u64::from(*pages));
        }
        for (origin, reason) in &past.closed {
            let (host, _) = self.bench.host(origin, 0);
            match reason.as_str() {
                "dns" => add(&self.counters.hosts_unresolved, 1),
                "forbidden" | "gate" => {}
                _ => self.count_contact(host),
            }
            self.bench.close(host);
            add(&self.counters.hosts_closed, 1);
        }
        journal::read(&path, &mut |entry| match entry {
            Entry::Links(batch) => self.enqueue(&batch),
            _ => Ok(()),
        })?;
        Ok(())
    }

    /// Writes the journal, if it is time, and then lets the flusher have what the journal says is done.
    pub(super) fn pass_to_flusher(&mut self) -> Result<()> {
        let now = self.clock.now();
        // a call of the system for each page would cost more than all else about the journal
        if self.in_flight > 0
            && now < self.last_write + PERIOD
            && self.outgoing.len() < MANY
            && self.journal.num_pending() < BUFFER
        {
            return Ok(());
        }
        self.last_write = now;
        self.journal.write()?;
        crash_point("crawl.journal-written");
        for message in self.outgoing.drain(..) {
            // a flusher that is gone has told why
            let _ = self.stored.send(message);
        }
        let period = self.config.limits.checkpoint;
        if period > 0.0 && now >= self.last_sync + nanos(period) && !self.is_syncing {
            self.begin_checkpoint();
        }
        Ok(())
    }

    /// Lets the flusher sync everything, the journal too: nobody here waits for the disk.
    pub(super) fn begin_checkpoint(&mut self) {
        self.last_sync = self.clock.now();
        if let Some((journal, length)) = self.journal.syncer().filter(|_| !self.is_syncing) {
            self.is_syncing = true;
            let _ = self.stored.send(Message::Sync { journal, length });
        }
    }

    /// Notes how far the files are on the disk; what lies behind that is looked at when the crawl goes on.
    pub(super) fn end_checkpoint(&mut self, mark: &Mark) {
        self.is_syncing = false;
        add(&self.counters.checkpoints, 1);
        self.journal.push_mark(mark);
    }
}
