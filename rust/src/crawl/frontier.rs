//! The frontier: the one thread that knows every URL and every host.
//!
//! It takes links from the fetchers, lets the sieve tell which are new, keeps hosts on the workbench, hands visits to
//! fetchers and hears how they ended. It also answers whether a page was there before, so that pages that come at the
//! same moment are told apart by one who decides.

use super::Result;
use super::config::{Config, nanos};
use super::copies::Known;
use super::counters::{Counters, add, get, set, thread_cpu_ns};
use super::distributor::Distributor;
use super::dns::Resolver;
use super::flusher::Message;
use super::journal::Journal;
use super::messages::{Clock, End, Event, Notice, Order, Reason};
use super::patterns::Patterns;
use super::record::{Batch, Record};
use super::resolving::Remembered;
use super::sieve::Sieve;
use super::skip_reasons::Reason as Skipped;
use super::steering::name_of;
use super::workbench::{Moment, State, Workbench};
use crate::collection::space::Space;
use crate::web::url;
use crossbeam::channel::{Receiver, Sender};
use hashbrown::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc::UnboundedSender;

/// Visits in flight from which on the frontier listens now and then only.
const MANY: usize = 32;
const PAUSE: Duration = Duration::from_millis(1);

pub struct Frontier {
    pub(super) config: Arc<Config>,
    pub(super) counters: Arc<Counters>,
    pub(super) clock: Clock,
    pub(super) bench: Workbench,
    pub(super) distributor: Distributor,
    pub(super) sieve: Sieve,
    pub(super) known: Known,
    pub(super) resolver: Resolver,
    pub(super) events: Receiver<Event>,
    pub(super) fetchers: Vec<UnboundedSender<Order>>,
    pub(super) busy: Vec<usize>,
    /// visits, and tasks of visits, that have not ended
    pub(super) in_flight: usize,
    pub(super) num_asked: u64,
    pub(super) num_resolving: usize,
    pub(super) num_held: usize,
    pub(super) notices: Sender<Notice>,
    pub(super) is_paused: bool,
    /// more URLs may come from outside
    is_expecting: bool,
    /// visits under way are given up
    is_aborted: bool,
    pub(super) end: Option<End>,
    pub(super) record: Vec<u8>,
    pub(super) last_flush: Moment,
    pub(super) journal: Journal,
    /// captures whose pages are done in the journal, once that is written
    pub(super) outgoing: Vec<Message>,
    pub(super) stored: Sender<Message>,
    pub(super) last_write: Moment,
    pub(super) last_sync: Moment,
    /// a checkpoint is under way
    pub(super) is_syncing: bool,
    pub(super) space: Arc<Space>,
    /// whether anything has changed since the beginning
    pub(super) has_changed: bool,
    /// names and addresses that are not asked
    pub(super) blacklist: HashSet<String>,
    pub(super) patterns: Patterns,
    /// by origin, parameters that make no difference
    pub(super) dust: HashMap<String, Vec<String>>,
    /// by origin, rules of an earlier run for hosts that are not known yet
    pub(super) remembered: HashMap<String, Remembered>,
}

impl Frontier {
    pub fn new(
        config: Arc<Config>,
        counters: Arc<Counters>,
        clock: Clock,
        channel: (Sender<Event>, Receiver<Event>),
        fetchers: Vec<UnboundedSender<Order>>,
        (stored, notices): (Sender<Message>, Sender<Notice>),
        space: Arc<Space>,
    ) -> Result<Self> {
        let (sender, events) = channel;
        let path = config.folder.join("journal");
        let journal = if config.limits.checkpoint > 0.0 || path.exists() {
            Journal::append(&path)?
        } else {
            Journal::none()
        };
        Ok(Self {
            bench: Workbench::new(config.limits.workbench),
            distributor: Distributor::new(&config)?,
            sieve: Sieve::create(&config.scratch, config.limits.sieve)?,
            known: Known::create(&config.scratch, config.limits.duplicates_cache)?,
            journal,
            outgoing: Vec::new(),
            stored,
            last_write: 0,
            last_sync: 0,
            is_syncing: false,
            space,
            resolver: Resolver::new(config.clone(), sender),
            events,
            busy: vec![0; fetchers.len()],
            fetchers,
            in_flight: 0,
            num_asked: 0,
            num_resolving: 0,
            num_held: 0,
            notices,
            is_paused: false,
            is_expecting: true,
            is_aborted: false,
            end: None,
            record: Vec::new(),
            last_flush: 0,
            has_changed: false,
            blacklist: HashSet::new(),
            patterns: Patterns::default(),
            dust: HashMap::new(),
            remembered: HashMap::new(),
            config,
            counters,
            clock,
        })
    }

    /// Crawls until there is nothing to do or a limit is reached.
    pub fn run(mut self) -> Result<End> {
        self.replay()?;
        loop {
            self.listen()?;
            self.pass_to_flusher()?;
            let is_behind = self.end.is_none() && self.distribute()?;
            self.hand_out()?;
            self.publish();
            if let Some(end) = self.is_over(is_behind) {
                // what was handed out last may have had something to say
                self.last_write = 0;
                self.pass_to_flusher()?;
                self.is_syncing = false;
                self.begin_checkpoint();
                return Ok(end);
            }
            self.distributor.is_behind = is_behind;
        }
    }

    fn listen(&mut self) -> Result<()> {
        let now = self.clock.now();
        let mut wait = Duration::from_millis(100);
        if self.distributor.is_behind {
            wait = Duration::ZERO;
        } else if self.in_flight < self.config.limits.fetchers
            && self.may_visit()
            && let Some(moment) = self.bench.next_moment()
        {
            wait = wait.min(Duration::from_nanos(moment.saturating_sub(now)));
        }
        if self.sieve.num_pending() > 0 && self.distributor.wants(self.bench.front()) {
            wait = wait.min(Duration::from_millis(1));
        }
        if self.in_flight > MANY && !wait.is_zero() {
            // events come in crowds then, and to wake up for each would cost more than it does
            std::thread::sleep(PAUSE);
        }
        let mut next = self.events.recv_timeout(wait).ok();
        // fetchers must not wait for ever while others talk
        for _ in 0..1000 {
            let Some(event) = next else { break };
            self.hear(event)?;
            next = self.events.try_recv().ok();
        }
        if let Some(event) = next {
            self.hear(event)?;
        }
        Ok(())
    }

    /// Whether visits may begin at all.
    pub(super) fn may_visit(&self) -> bool {
        !self.is_paused && !self.space.is_short() && self.clock.now() >= nanos(self.config.pause)
    }

    fn hear(&mut self, event: Event) -> Result<()> {
        match event {
            Event::Links(batch) => {
                let batch = self.rewrite(batch);
                self.journal.push_links(&batch);
                self.enqueue(&batch)?;
            }
            Event::Done { hash, stored } => {
                let records = stored.as_ref().map(|stored| &stored.records[..]);
                self.journal.push_done(hash, records);
                self.outgoing.extend(stored.map(Message::Capture));
            }
            Event::Given(batch) => {
                set(&self.counters.idle, 0);
                add(&self.counters.received, batch.len);
                self.journal.push_links(&batch);
                self.enqueue(&batch)?;
            }
            Event::Visit(batch) => self.take_up(&batch)?,
            Event::Finish => self.is_expecting = false,
            Event::Ended(ended) => self.end_visit(ended)?,
            Event::Ask(question) => {
                let told = self.known.ask(&question)?;
                let _ = question.reply.send(told);
            }
            Event::Resolved { host, found } => {
                self.num_resolving -= 1;
                self.resolve(host, found)?;
            }
            Event::Gate { origin, keeps } => self.hear_gate(&origin, keeps)?,
            Event::Pause(is_paused) => self.is_paused = is_paused,
            Event::Stop(is_now) => {
                self.is_aborted |= is_now;
                self.end = self.end.or(Some(End::Stopped));
            }
            Event::Change(change) => self.change(*change)?,
            Event::Flush(reply) => {
                // behind what the journal says is done
                self.journal.write()?;
                if let Some((journal, _)) = self.journal.syncer() {
                    journal.sync()?;
                }
                self.outgoing.push(Message::Flush(reply));
            }
            Event::Log(lines) => self.outgoing.push(Message::Log(lines)),
            Event::Rule { origin, names } => self.learn(origin, names),
            Event::Blacklist(what) => self.shut_out(what)?,
            Event::Synced(mark) => self.end_checkpoint(&mark),
            Event::Failed(error) => return Err(error),
        }
        Ok(())
    }

    // ---- URLs

    pub(super) fn enqueue(&mut self, batch: &Batch) -> Result<()> {
        let limit = self.config.limits.max_urls;
        let mut foreign: Vec<(u32, Vec<(String, u8)>)> = Vec::new();
        for (hash, bytes) in batch.iter() {
            if self.pass_on(bytes, &mut foreign) {
                continue;
            }
            if limit > 0 && self.sieve.num_known() + self.sieve.num_pending() as u64 >= limit {
                add(&self.counters.filtered, 1);
                let url = || {
                    Record::read(bytes)
                        .map_or("", |record| record.url)
                        .to_owned()
                };
                self.counters.cuts.note(Skipped::Urls, url);
                continue;
            }
            add(&self.counters.enqueued, 1);
            self.sieve.enqueue(hash, bytes)?;
            if self.sieve.is_full() {
                self.flush()?;
            }
        }
        for (agent, urls) in foreign {
            add(&self.counters.foreign, urls.len() as u64);
            let _ = self.notices.send(Notice::Foreign { agent, urls });
        }
        Ok(())
    }

    /// Whether a URL is another agent's; it is put with the others of that one.
    fn pass_on(&self, bytes: &[u8], foreign: &mut Vec<(u32, Vec<(String, u8)>)>) -> bool {
        if self.config.ring.is_empty() {
            return false;
        }
        let Some(record) = Record::read(bytes) else {
            return false;
        };
        let agent = self.config.agent_of(host_hash(record.url));
        if agent == self.config.limits.agent {
            return false;
        }
        let url = (record.url.to_owned(), record.depth);
        match foreign.iter_mut().find(|(other, _)| *other == agent) {
            Some((_, urls)) => urls.push(url),
            None => foreign.push((agent, vec![url])),
        }
        true
    }

    /// Lets the sieve release what is new.
    pub fn flush(&mut self) -> Result<()> {
        let released = match self.config.limits.scheduled {
            true => self.report_found()?,
            false => self
                .distributor
                .take_releases(&mut self.sieve, &self.config)?,
        };
        add(&self.counters.discovered, released);
        add(&self.counters.flushes, 1);
        self.last_flush = self.clock.now();
        Ok(())
    }

    /// Whether another flush would cost little beside what has been done since the last one.
    pub fn may_flush(&self) -> bool {
        let pause = nanos(20.0 * self.sieve.last_flush_seconds());
        self.sieve.num_pending() > 0
            && (self.in_flight == 0 || self.clock.now() >= self.last_flush + pause)
    }

    // ---- hosts

    pub(super) fn hold(&mut self, host: u32) {
        let state = self.bench.get_mut(host);
        state.state = State::Held;
        self.num_held += 1;
        let _ = self.notices.send(Notice::Gate {
            origin: state.origin.to_string(),
        });
    }

    fn hear_gate(&mut self, origin: &str, keeps: bool) -> Result<()> {
        let (host, is_new) = self.bench.host(origin, 0);
        if is_new || self.bench.get(host).state != State::Held {
            return Ok(());
        }
        self.num_held -= 1;
        if !keeps {
            return self.give_up(host, Reason::Gate);
        }
        self.bench.get_mut(host).state = State::Open;
        self.bench.offer(host);
        Ok(())
    }

    /// Leaves a host alone; who waited for a robots.txt from it is told that there is none to be had.
    pub(super) fn give_up(&mut self, host: u32, reason: Reason) -> Result<()> {
        if self.bench.get(host).state == State::Closed {
            return Ok(());
        }
        let queued = self.bench.get(host).queue.len() + self.distributor.virtualizer.len_of(host);
        let mut first = Vec::new();
        if queued > 0 {
            self.bench.pop(host, &mut first);
            let target = Record::read(&first).map_or("/", |record| record.url);
            let example = || format!("{}{target}", self.bench.get(host).origin);
            let noted = &self.counters.cuts;
            noted.note_many(Skipped::Dropped, queued, example);
        }
        self.patterns.forget(host);
        add(&self.counters.hosts_closed, 1);
        self.distributor.virtualizer.drop_host(host)?;
        let errands = self.bench.close(host);
        let urls = queued
            + errands
                .iter()
                .filter(|task| task.robots_for.is_none())
                .count() as u64;
        add(&self.counters.dropped, urls);
        if !matches!(reason, Reason::Full | Reason::Blacklist | Reason::Gate) {
            add(&self.counters.unreached, urls);
        }
        let _ = self.notices.send(Notice::Closed {
            origin: self.bench.get(host).origin.to_string(),
            reason,
            urls,
        });
        for task in errands {
            if let Some(other) = task.robots_for.filter(|other| *other != host) {
                self.give_up(other, Reason::Robots)?;
            }
        }
        Ok(())
    }

    // ---- the end

    fn is_over(&mut self, is_behind: bool) -> Option<End> {
        let (limits, counters) = (&self.config.limits, &self.counters);
        let is_reached = |limit: u64, value: u64| limit > 0 && value >= limit;
        if self.end.is_none() {
            if is_reached(limits.max_pages, get(&counters.pages)) {
                self.end = Some(End::Pages);
            } else if is_reached(limits.max_bytes, get(&counters.payload)) {
                self.end = Some(End::Bytes);
            } else if is_reached(nanos(limits.max_seconds), self.clock.now()) {
                self.end = Some(End::Time);
            }
        }
        if self.in_flight > 0 {
            set(&counters.idle, 0);
            // when time is over, nobody waits longer than for a server that is silent
            let last = nanos(limits.max_seconds + limits.response_timeout);
            let is_late = self.end == Some(End::Time) && self.clock.now() >= last;
            return self.end.filter(|_| self.is_aborted || is_late);
        }
        let is_idle = !is_behind
            && self.events.is_empty()
            && self.bench.front() == 0
            && self.sieve.num_pending() == 0
            && self.distributor.is_empty()
            && self.num_resolving + self.num_held == 0;
        set(&counters.idle, u64::from(is_idle));
        self.end
            .or((is_idle && !self.is_expecting).then_some(End::Exhausted))
    }

    fn publish(&mut self) {
        let counters = &self.counters;
        set(&counters.hosts_known, self.bench.num_hosts() as u64);
        set(&counters.addresses, self.bench.num_addresses() as u64);
        set(&counters.front, self.bench.front() as u64);
        set(&counters.in_flight, self.in_flight as u64);
        set(&counters.workbench_bytes, self.bench.num_bytes() as u64);
        set(&counters.held, self.num_held as u64);
        set(&counters.frontier_cpu_ns, thread_cpu_ns());
        self.distributor.publish(counters);
    }
}

/// Agents share hosts by name, whatever the scheme and the port.
pub fn host_hash(url: &str) -> u64 {
    xxhash_rust::xxh3::xxh3_64(name_of(url::split(url).0).as_bytes())
}
