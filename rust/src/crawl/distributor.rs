//! The distributor: from the sieve and the disk to the workbench, as much as the fetchers need.
//!
//! The front are the hosts that are being asked or wait for it. It is required to be so large that no fetcher waits: each
//! time one waits although the front has the required size, more is required. While the front is too small, URLs are
//! brought to the workbench: from the disk if the limbo (hosts whose URLs are all on the disk) is more than 1% of the
//! hosts there, else from the queues that the sieve fills, one per priority level, chosen by chance with their weights.

use super::config::Config;
use super::counters::{Counters, set};
use super::frontier::Frontier;
use super::queue::DiskQueue;
use super::record::Record;
use super::sieve::Sieve;
use super::virtualizer::Virtualizer;
use super::workbench::{Moment, State, Workbench};
use super::{CrawlError, Result};
use crate::collection::CollectionError;
use crate::collection::files::Writer;
use crate::web::url;
use hashbrown::HashSet;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// URLs brought to the workbench before others get their turn.
const PER_TURN: usize = 2000;
/// Bytes of URLs that a host has in memory before the others stay on the disk.
const PER_HOST: usize = 8 << 10;
/// URLs whose levels are asked for at once.
const PER_QUESTION: usize = 4096;

pub struct Distributor {
    pub virtualizer: Virtualizer,
    levels: Vec<DiskQueue>,
    weights: Vec<f64>,
    limbo: VecDeque<u32>,
    required: usize,
    later: BinaryHeap<Reverse<(Moment, u32)>>,
    gated: HashSet<u32>,
    releases: Option<Writer>,
    pub is_behind: bool,
    draw: u64,
    record: Vec<u8>,
    target: Vec<u8>,
}

impl Distributor {
    pub fn new(config: &Config) -> Result<Self> {
        let names = (0..config.weights.len().max(1)).map(|level| format!("level-{level}"));
        let levels = names.map(|name| DiskQueue::create(&config.scratch, &name, 1 << 20));
        let log = config.folder.join("releases.log");
        Ok(Self {
            virtualizer: Virtualizer::create(&config.scratch, config.limits.virtualizer)?,
            levels: levels.collect::<std::result::Result<_, CollectionError>>()?,
            weights: config.weights.clone(),
            limbo: VecDeque::new(),
            required: config.limits.fetchers,
            later: BinaryHeap::new(),
            gated: HashSet::new(),
            releases: if config.limits.log_releases {
                Some(Writer::append(&log)?)
            } else {
                None
            },
            is_behind: false,
            draw: 0x9E37_79B9_7F4A_7C15,
            record: Vec::new(),
            target: Vec::new(),
        })
    }

    /// Lets the sieve fill the queues of the levels; how many URLs are new.
    pub fn take_releases(&mut self, sieve: &mut Sieve, config: &Config) -> Result<u64> {
        let (levels, log) = (&mut self.levels, &mut self.releases);
        let mut lines = Vec::new();
        let Some(prioritizer) = config.prioritizer.clone().filter(|_| levels.len() > 1) else {
            let released = sieve.flush(&mut |record| {
                note(log.is_some(), &mut lines, record);
                levels[0].push(record)
            })?;
            if let Some(log) = log {
                log.put(&lines)?;
            }
            return Ok(released);
        };
        let (mut batch, mut failure) = (Vec::new(), None);
        let mut settle = |batch: &mut Vec<Vec<u8>>| -> Result<()> {
            let records: Vec<_> = batch
                .iter()
                .filter_map(|bytes| Record::read(bytes))
                .collect();
            let asked: Vec<_> = records
                .iter()
                .map(|record| (record.url, record.depth))
                .collect();
            let chosen = prioritizer(&asked)?;
            for (place, bytes) in batch.iter().enumerate() {
                let level = chosen.get(place).map_or(0, |level| *level as usize);
                let last = levels.len() - 1;
                levels[level.min(last)].push(bytes)?;
            }
            batch.clear();
            Ok(())
        };
        let released = sieve.flush(&mut |record| {
            note(log.is_some(), &mut lines, record);
            batch.push(record.to_vec());
            if batch.len() >= PER_QUESTION && failure.is_none() {
                failure = settle(&mut batch).err();
            }
            Ok(())
        })?;
        settle(&mut batch)?;
        if let Some(log) = log {
            log.put(&lines)?;
        }
        failure.map_or(Ok(released), Err)
    }

    /// Takes a URL for the next free place, without asking the sieve.
    pub fn bring(&mut self, record: &[u8]) -> Result<()> {
        Ok(self.levels[0].push(record)?)
    }

    /// A fetcher has nothing to do: if the front is as large as required, it must be larger.
    pub fn fetcher_waits(&mut self, front: usize, num_idle: usize) {
        if front >= self.required {
            self.required += 1 + num_idle / 16;
        }
    }

    /// Begins again with so many hosts that must be ready.
    pub fn require(&mut self, number: usize) {
        self.required = number;
    }

    pub fn wants(&self, front: usize) -> bool {
        front < self.required
    }

    /// Notes that all that is left of a host lies on the disk.
    pub fn enter_limbo(&mut self, bench: &mut Workbench, host: u32) {
        let is_there = self.virtualizer.len_of(host) > 0;
        let state = bench.get_mut(host);
        if is_there && !state.in_limbo {
            state.in_limbo = true;
            self.limbo.push_back(host);
        }
    }

    pub fn look_up_later(&mut self, moment: Moment, host: u32) {
        self.later.push(Reverse((moment, host)));
    }

    /// Hosts whose names are to be looked up again now.
    pub fn due_look_ups(&mut self, now: Moment) -> Vec<u32> {
        let mut due = Vec::new();
        while let Some(&Reverse((moment, host))) = self.later.peek()
            && moment <= now
        {
            self.later.pop();
            due.push(host);
        }
        due
    }

    /// Whether the gate was asked about a host before now; from now on it was.
    pub fn was_gated(&mut self, host: u32) -> bool {
        !self.gated.insert(host)
    }

    pub fn is_empty(&self) -> bool {
        self.levels.iter().all(DiskQueue::is_empty)
            && self.virtualizer.num_records() == 0
            && self.later.is_empty()
    }

    fn prefers_disk(&self) -> bool {
        !self.limbo.is_empty()
            && (self.limbo.len() * 100 > self.virtualizer.num_hosts()
                || self.levels.iter().all(DiskQueue::is_empty))
    }

    /// The next URL of the levels, the level drawn by chance among those that have one.
    fn pop(&mut self) -> Result<bool> {
        if let [only] = &mut self.levels[..] {
            return Ok(only.pop(&mut self.record)?);
        }
        let weight = |level: usize, queue: &DiskQueue| match queue.is_empty() {
            true => 0.0,
            false => self.weights.get(level).copied().unwrap_or(1.0).max(1e-9),
        };
        let weights: Vec<f64> = self
            .levels
            .iter()
            .enumerate()
            .map(|(level, queue)| weight(level, queue))
            .collect();
        // xorshift: what is drawn need not be secret, only fair
        self.draw ^= self.draw << 13;
        self.draw ^= self.draw >> 7;
        self.draw ^= self.draw << 17;
        let mut left = (self.draw >> 11) as f64 / (1u64 << 53) as f64 * weights.iter().sum::<f64>();
        let drawn = weights.iter().position(|weight| {
            left -= weight;
            left < 0.0 && *weight > 0.0
        });
        let level = drawn.or_else(|| weights.iter().rposition(|weight| *weight > 0.0));
        match level {
            Some(level) => Ok(self.levels[level].pop(&mut self.record)?),
            None => Ok(false),
        }
    }

    pub fn publish(&self, counters: &Counters) {
        set(&counters.required_front, self.required as u64);
        set(
            &counters.waiting,
            self.levels.iter().map(DiskQueue::len).sum(),
        );
        set(&counters.virtualized, self.virtualizer.num_records());
        set(
            &counters.virtualized_hosts,
            self.virtualizer.num_hosts() as u64,
        );
        set(&counters.limbo, self.limbo.len() as u64);
    }
}

/// A line for the log of what the sieve released.
fn note(is_wanted: bool, lines: &mut Vec<u8>, record: &[u8]) {
    if let Some(record) = Record::read(record).filter(|_| is_wanted) {
        lines.extend_from_slice(record.url.as_bytes());
        lines.push(b'\n');
    }
}

impl Frontier {
    /// Brings URLs to the workbench while the front is smaller than required; whether there is more to bring.
    pub fn distribute(&mut self) -> Result<bool> {
        let limits = &self.config.limits;
        let (most, per_turn) = (limits.workbench, PER_TURN);
        for _ in 0..per_turn {
            if !self.distributor.wants(self.bench.front()) || self.bench.num_bytes() >= most {
                return Ok(false);
            }
            if self.distributor.prefers_disk() {
                self.refill()?;
            } else if self.distributor.pop()? {
                self.place()?;
            } else if self.may_flush() {
                self.flush()?;
            } else {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Brings back what the host that is longest in limbo has on the disk.
    fn refill(&mut self) -> Result<()> {
        let Some(host) = self.distributor.limbo.pop_front() else {
            return Ok(());
        };
        self.bench.get_mut(host).in_limbo = false;
        let bench = &mut self.bench;
        let mut take = |record: &[u8]| bench.push(host, record);
        self.distributor
            .virtualizer
            .pull(host, PER_HOST, &mut take)?;
        Ok(())
    }

    /// Puts the URL that was popped last behind those of its host.
    fn place(&mut self) -> Result<()> {
        let popped = std::mem::take(&mut self.distributor.record);
        let record = Record::read(&popped).ok_or_else(|| {
            CrawlError::Internal(
                "a queue of the frontier has bytes that are not a record of a URL; this is a defect of webstrata".into(),
            )
        })?;
        let (origin, target) = url::split(record.url);
        let host = self.open_host(origin)?;
        let mut bytes = std::mem::take(&mut self.distributor.target);
        bytes.clear();
        Record {
            url: target,
            ..record
        }
        .push(&mut bytes);
        let state = self.bench.get(host);
        if state.state == State::Closed {
            super::counters::add(&self.counters.dropped, 1);
            let cuts = &self.counters.cuts;
            cuts.note(super::skip_reasons::Reason::Dropped, || {
                record.url.to_owned()
            });
        } else if state.queue.num_bytes() > PER_HOST
            || self.distributor.virtualizer.len_of(host) > 0
        {
            self.distributor.virtualizer.push(host, &bytes)?;
            if self.bench.get(host).queue.is_empty() {
                self.distributor.enter_limbo(&mut self.bench, host);
            }
        } else {
            self.bench.push(host, &bytes);
        }
        self.distributor.record = popped;
        self.distributor.target = bytes;
        Ok(())
    }
}
