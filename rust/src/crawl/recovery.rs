//! From the journal to the frontier that it was, and what makes a crawl survive its end.

use super::Result;
use super::config::nanos;
use super::counters::add;
use super::flusher::Message;
use super::frontier::Frontier;
use super::journal::{self, Entry};
use hashbrown::HashSet;

impl Frontier {
    /// Takes up what an earlier run left: all URLs in their order, less those that are done.
    pub(super) fn replay(&mut self) -> Result<()> {
        let config = self.config.clone();
        let path = config.folder.join("journal");
        let past = &config.past;
        for (digest, fingerprint, url, date) in &past.known {
            self.known.remember(digest, *fingerprint, url, *date)?;
        }
        for (origin, pages) in &past.pages {
            let host = self.open_host(origin)?;
            self.bench.get_mut(host).pages = *pages;
            add(&self.counters.pages, u64::from(*pages));
        }
        for origin in &past.closed {
            let (host, _) = self.bench.host(origin, 0);
            self.bench.close(host);
            add(&self.counters.hosts_closed, 1);
        }
        add(&self.counters.duplicates, past.num_duplicates);
        add(&self.counters.captures, past.stored.len() as u64);
        let stored: HashSet<u64> = past.stored.iter().copied().collect();
        // what is done enters the sieve first, as something that nobody wants to see again
        journal::read(&path, &mut |entry| match entry {
            Entry::Done { hash, is_stored } if !is_stored || stored.contains(&hash) => {
                self.sieve.enqueue(hash, &[])?;
                if self.sieve.is_full() {
                    self.sieve.flush(&mut |_| Ok(()))?;
                }
                Ok(())
            }
            _ => Ok(()),
        })?;
        self.sieve.flush(&mut |_| Ok(()))?;
        journal::read(&path, &mut |entry| match entry {
            Entry::Links(batch) => self.enqueue(&batch),
            Entry::Done { .. } => Ok(()),
        })?;
        Ok(())
    }

    /// Writes the journal, and then lets the flusher have what the journal says is done.
    pub(super) fn pass_to_flusher(&mut self) -> Result<()> {
        self.journal.write()?;
        for message in self.outgoing.drain(..) {
            // a flusher that is gone has told why
            let _ = self.stored.send(message);
        }
        let now = self.clock.now();
        if now >= self.last_sync + nanos(self.config.limits.checkpoint) {
            self.last_sync = now;
            self.journal.sync()?;
            let _ = self.stored.send(Message::Sync);
        }
        Ok(())
    }
}
