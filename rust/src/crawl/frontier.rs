//! The frontier: the one thread that knows every URL and every host.
//!
//! It takes links from the fetchers, lets the sieve tell which are new, keeps hosts on the workbench, hands visits to
//! fetchers and hears how they ended. It also answers whether a page was there before, so that pages that come at the
//! same moment are told apart by one who decides.

use super::config::{Config, Subjects, nanos};
use super::counters::{Counters, add, get, set, thread_cpu_ns};
use super::distributor::Distributor;
use super::dns::{Found, Resolver};
use super::filters::Subject;
use super::known::Known;
use super::record::{Batch, Record};
use super::sieve::Sieve;
use super::workbench::{Moment, State, Task, Workbench};
use super::{CrawlError, Result};
use crate::web::http::Failure;
use crate::web::robots::Robots;
use crate::web::url;
use crossbeam::channel::{Receiver, Sender};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::oneshot;

/// What fetchers, name servers and the user tell the frontier.
pub enum Event {
    Links(Batch),
    Ended(Ended),
    Ask(Question),
    Resolved {
        host: u32,
        found: Found,
    },
    Gate {
        origin: String,
        keeps: bool,
    },
    Pause(bool),
    Stop,
    /// a thread cannot go on
    Failed(CrawlError),
}

/// What is to be asked of a host in one visit.
pub struct Visit {
    pub host: u32,
    pub origin: Box<str>,
    pub address: SocketAddr,
    pub tasks: Vec<Task>,
    /// the gate wants to see the pages
    pub is_sample: bool,
}

/// How a visit ended.
pub struct Ended {
    pub host: u32,
    pub fetcher: usize,
    pub num_tasks: usize,
    pub moment: Moment,
    pub outcomes: Vec<Outcome>,
    /// what there was no time for
    pub rest: Vec<Task>,
}

pub enum Outcome {
    /// an answer for good; whether it counts as a page
    Answered {
        is_page: bool,
    },
    Robots {
        of: u32,
        task: Task,
        said: RobotsAnswer,
    },
    Failed {
        task: Task,
        failure: Failure,
    },
    /// 429 or 5xx: to be tried again, not before so many seconds
    Unavailable {
        task: Task,
        after: f64,
    },
}

pub enum RobotsAnswer {
    Rules(Arc<Robots>),
    /// to an absolute URL
    Redirect(String),
    Unavailable,
}

/// Whether a page was there before.
pub struct Question {
    pub digest: [u8; 20],
    pub fingerprint: Option<u64>,
    pub url: String,
    /// nanoseconds since 1970
    pub date: u64,
    pub reply: oneshot::Sender<Option<Earlier>>,
}

/// The capture that a page repeats.
#[derive(Debug, Clone)]
pub struct Earlier {
    pub url: String,
    pub date: u64,
    /// the same bytes, not only the same fingerprint
    pub is_same: bool,
}

/// What the frontier has for the user.
pub enum Notice {
    /// a host is held until the gate answers
    Gate { origin: String },
    Sample {
        origin: String,
        url: String,
        status: u16,
        content_type: String,
        body: Vec<u8>,
    },
    /// URLs of another agent
    Foreign { agent: u32, urls: Vec<(String, u8)> },
}

/// Why a crawl is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    Exhausted,
    Pages,
    Bytes,
    Time,
    Stopped,
}

impl End {
    pub fn name(self) -> &'static str {
        match self {
            Self::Exhausted => "exhausted",
            Self::Pages => "max_pages",
            Self::Bytes => "max_bytes",
            Self::Time => "max_seconds",
            Self::Stopped => "stopped",
        }
    }
}

/// The moment in the crawl's own time.
#[derive(Clone, Copy, Debug)]
pub struct Clock(pub Instant);

impl Clock {
    pub fn now(self) -> Moment {
        self.0.elapsed().as_nanos() as Moment
    }
}

/// The list of delays behind those of failures: for answers 429 and 5xx.
const UNAVAILABLE: usize = Failure::NAMES.len();
/// URLs that one visit may take along, if it may last.
const PER_VISIT: usize = 64;
/// Hosts are given up when so many of their URLs in a row failed for good.
const MAX_FAILURES: u8 = 4;
/// Visits in flight from which on the frontier listens now and then only.
const MANY: usize = 32;
const PAUSE: Duration = Duration::from_micros(300);
/// RFC 9309, section 2.3.1.2.
const MAX_ROBOTS_REDIRECTS: u8 = 5;

pub struct Frontier {
    pub config: Arc<Config>,
    pub counters: Arc<Counters>,
    pub clock: Clock,
    pub bench: Workbench,
    pub distributor: Distributor,
    pub sieve: Sieve,
    known: Known,
    resolver: Resolver,
    events: Receiver<Event>,
    fetchers: Vec<UnboundedSender<Visit>>,
    busy: Vec<usize>,
    /// visits, and tasks of visits, that have not ended
    in_flight: usize,
    num_asked: u64,
    num_resolving: usize,
    num_held: usize,
    notices: Sender<Notice>,
    is_paused: bool,
    end: Option<End>,
    record: Vec<u8>,
    last_flush: Moment,
}

impl Frontier {
    pub fn new(
        config: Arc<Config>,
        counters: Arc<Counters>,
        clock: Clock,
        channel: (Sender<Event>, Receiver<Event>),
        fetchers: Vec<UnboundedSender<Visit>>,
        notices: Sender<Notice>,
    ) -> Result<Self> {
        let (sender, events) = channel;
        Ok(Self {
            bench: Workbench::default(),
            distributor: Distributor::new(&config)?,
            sieve: Sieve::create(&config.folder, config.limits.sieve)?,
            known: Known::create(&config.folder, config.limits.duplicates_cache)?,
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
            end: None,
            record: Vec::new(),
            last_flush: 0,
            config,
            counters,
            clock,
        })
    }

    /// Crawls until there is nothing to do or a limit is reached.
    pub fn run(mut self) -> Result<End> {
        loop {
            self.listen()?;
            let is_behind = self.end.is_none() && self.distribute()?;
            self.hand_out()?;
            self.publish();
            if let Some(end) = self.is_over(is_behind) {
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

    fn hear(&mut self, event: Event) -> Result<()> {
        match event {
            Event::Links(batch) => self.enqueue(&batch)?,
            Event::Ended(ended) => self.end_visit(ended)?,
            Event::Ask(question) => {
                let earlier = self.known.ask(&question)?;
                let _ = question.reply.send(earlier);
            }
            Event::Resolved { host, found } => {
                self.num_resolving -= 1;
                self.resolve(host, found)?;
            }
            Event::Gate { origin, keeps } => self.hear_gate(&origin, keeps)?,
            Event::Pause(is_paused) => self.is_paused = is_paused,
            Event::Stop => self.end = self.end.or(Some(End::Stopped)),
            Event::Failed(error) => return Err(error),
        }
        Ok(())
    }

    // ---- URLs

    fn enqueue(&mut self, batch: &Batch) -> Result<()> {
        let limit = self.config.limits.max_urls;
        let records: Vec<_> = batch.iter().collect();
        let admitted = self.admit(&records)?;
        for ((hash, record), is_admitted) in records.into_iter().zip(admitted) {
            let is_full =
                limit > 0 && self.sieve.num_known() + self.sieve.num_pending() as u64 >= limit;
            if !is_admitted || is_full {
                add(&self.counters.filtered, 1);
                continue;
            }
            add(&self.counters.enqueued, 1);
            self.sieve.enqueue(hash, record)?;
            if self.sieve.is_full() {
                self.flush()?;
            }
        }
        Ok(())
    }

    /// Which of these are ours, and let in by predicates of the user's; the others are sent to their agents.
    fn admit(&mut self, records: &[(u64, &[u8])]) -> Result<Vec<bool>> {
        let config = self.config.clone();
        let mut admitted = vec![true; records.len()];
        if !config.ring.is_empty() {
            let mut foreign: Vec<(u32, Vec<(String, u8)>)> = Vec::new();
            for (place, (_, bytes)) in records.iter().enumerate() {
                let Some(record) = Record::read(bytes) else {
                    continue;
                };
                let agent = config.agent_of(host_hash(record.url));
                if agent == config.limits.agent {
                    continue;
                }
                admitted[place] = false;
                let found = foreign.iter().position(|(other, _)| *other == agent);
                let found = found.unwrap_or_else(|| {
                    foreign.push((agent, Vec::new()));
                    foreign.len() - 1
                });
                foreign[found].1.push((record.url.to_owned(), record.depth));
            }
            for (agent, urls) in foreign {
                add(&self.counters.foreign, urls.len() as u64);
                let _ = self.notices.send(Notice::Foreign { agent, urls });
            }
        }
        // fetchers have asked the filter already, unless the user must be asked
        let filter = config
            .filters
            .schedule
            .as_ref()
            .filter(|filter| filter.has_external());
        if let (Some(filter), Some(judge)) = (filter, &config.filters.judge) {
            let read: Vec<_> = records
                .iter()
                .map(|(_, bytes)| Record::read(bytes))
                .collect();
            let subjects = read.iter().map(|record| {
                let (url, depth) =
                    record.map_or(("", 0), |record| (record.url, u32::from(record.depth)));
                Subject {
                    url,
                    source: None,
                    depth,
                    response: None,
                }
            });
            let subjects: Vec<Subject> = subjects.collect();
            let mut error = None;
            let told = filter.admits_batch(&subjects, &mut |number, places| {
                let shown = places.iter().map(|&place| Subjects {
                    url: subjects[place].url.to_owned(),
                    depth: subjects[place].depth as u8,
                    ..Subjects::default()
                });
                judge((0, number), &shown.collect::<Vec<_>>()).unwrap_or_else(|raised| {
                    error = Some(raised);
                    Vec::new()
                })
            });
            if let Some(error) = error {
                return Err(error);
            }
            admitted
                .iter_mut()
                .zip(told)
                .for_each(|(one, other)| *one &= other);
        }
        Ok(admitted)
    }

    /// Lets the sieve release what is new.
    pub fn flush(&mut self) -> Result<()> {
        let released = self
            .distributor
            .take_releases(&mut self.sieve, &self.config)?;
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

    /// The host of an origin, known or new.
    pub fn open_host(&mut self, origin: &str) -> Result<u32> {
        let name = origin.split_once("://").map_or(origin, |(_, name)| name);
        let (host, is_new) = self.bench.host(origin, self.config.host_delay(name));
        if is_new {
            self.look_up(host)?;
        }
        Ok(host)
    }

    fn look_up(&mut self, host: u32) -> Result<()> {
        self.bench.get_mut(host).state = State::Resolving;
        match self.resolver.ask(host, &self.bench.get(host).origin) {
            Some(found) => self.resolve(host, found),
            None => {
                self.num_resolving += 1;
                Ok(())
            }
        }
    }

    fn resolve(&mut self, host: u32, found: Found) -> Result<()> {
        let now = self.clock.now();
        let Some((address, lasts)) = found else {
            add(&self.counters.failures[Failure::Dns as usize], 1);
            let state = self.bench.get_mut(host);
            state.failures += 1;
            let delays = &self.config.retries[Failure::Dns as usize];
            let Some(delay) = delays.get(usize::from(state.failures) - 1) else {
                return self.give_up(host);
            };
            self.distributor.look_up_later(now + nanos(*delay), host);
            return Ok(());
        };
        self.bench
            .place(host, address, self.config.ip_delay(address.ip()));
        let state = self.bench.get_mut(host);
        state.failures = 0;
        state.resolved_until =
            now.saturating_add(lasts.as_nanos().min(u128::from(u64::MAX)) as u64);
        state.state = State::Open;
        if self.config.limits.gate_after == 0.0 && state.pages == 0 {
            self.hold(host);
        }
        self.bench.offer(host);
        Ok(())
    }

    fn hold(&mut self, host: u32) {
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
            return self.give_up(host);
        }
        self.bench.get_mut(host).state = State::Open;
        self.bench.offer(host);
        Ok(())
    }

    /// Leaves a host alone; who waited for a robots.txt from it is told that there is none to be had.
    fn give_up(&mut self, host: u32) -> Result<()> {
        let queued = self.bench.get(host).queue.len() + self.distributor.virtualizer.len_of(host);
        add(&self.counters.dropped, queued);
        add(&self.counters.hosts_closed, 1);
        self.distributor.virtualizer.drop_host(host)?;
        for task in self.bench.close(host) {
            match task.robots_for {
                Some(other) if other != host => self.give_up(other)?,
                None => add(&self.counters.dropped, 1),
                _ => {}
            }
        }
        Ok(())
    }

    // ---- visits

    fn hand_out(&mut self) -> Result<()> {
        for host in self.distributor.due_look_ups(self.clock.now()) {
            self.look_up(host)?;
        }
        let limits = self.config.limits.clone();
        let room = |frontier: &Self| {
            let asked = get(&frontier.counters.pages) + frontier.num_asked;
            frontier.in_flight < limits.fetchers
                && (limits.max_pages == 0 || asked < limits.max_pages)
        };
        while self.end.is_none() && !self.is_paused && room(self) {
            let now = self.clock.now();
            let Some(host) = self.bench.acquire(now) else {
                self.distributor
                    .fetcher_waits(self.bench.front(), limits.fetchers - self.in_flight);
                break;
            };
            let most = if limits.keep_alive > 0.0 {
                PER_VISIT
            } else {
                1
            };
            let asked = get(&self.counters.pages) + self.num_asked;
            let left = if limits.max_pages == 0 {
                u64::MAX
            } else {
                limits.max_pages.saturating_sub(asked)
            };
            let tasks = self.tasks_of(host, now, most.min(left.max(1) as usize))?;
            if tasks.is_empty() {
                self.bench.release(host, None);
                continue;
            }
            let state = self.bench.get(host);
            let visit = Visit {
                host,
                origin: state.origin.clone(),
                address: state.address,
                is_sample: f64::from(state.pages) < limits.gate_after,
                tasks,
            };
            let least = (0..self.busy.len())
                .min_by_key(|&place| self.busy[place])
                .unwrap_or(0);
            self.busy[least] += 1;
            self.in_flight += 1;
            self.num_asked += visit.tasks.len() as u64;
            let _ = self.fetchers[least].send(visit);
        }
        Ok(())
    }

    /// What to ask of a host now: an errand, its robots.txt, or what comes next in its queue and is allowed.
    fn tasks_of(&mut self, host: u32, now: Moment, most: usize) -> Result<Vec<Task>> {
        let limits = &self.config.limits;
        let state = self.bench.get_mut(host);
        if let Some(errand) = state.errands.pop_front() {
            return Ok(vec![errand]);
        }
        if limits.obey_robots != 0 && now >= state.robots_until {
            state.asks_robots = true;
            return Ok(vec![robots_task(host)]);
        }
        let mut tasks = Vec::new();
        while tasks.len() < most && self.bench.pop(host, &mut self.record) {
            let Some(record) = Record::read(&self.record) else {
                continue;
            };
            let state = self.bench.get(host);
            let rules = state.robots.as_ref();
            if limits.obey_robots != 0
                && !rules.is_some_and(|rules| rules.allows(record.url.as_bytes()))
            {
                add(&self.counters.disallowed, 1);
                continue;
            }
            if let Some(filter) = &self.config.filters.fetch {
                let url = format!("{}{}", state.origin, record.url);
                let depth = u32::from(record.depth);
                let subject = Subject {
                    url: &url,
                    source: None,
                    depth,
                    response: None,
                };
                let judge = self.config.filters.judge.as_ref();
                let mut raised = None;
                let told = filter.admits(&subject).unwrap_or_else(|| {
                    let shown = [Subjects {
                        url: url.clone(),
                        depth: record.depth,
                        ..Subjects::default()
                    }];
                    let mut oracle =
                        |number, _: &[usize]| match judge.map(|judge| judge((1, number), &shown)) {
                            Some(Ok(told)) => told,
                            Some(Err(error)) => {
                                raised = Some(error);
                                vec![false]
                            }
                            None => vec![false],
                        };
                    filter.admits_batch(&[subject], &mut oracle)[0]
                });
                if let Some(error) = raised {
                    return Err(error);
                }
                if !told {
                    add(&self.counters.filtered, 1);
                    continue;
                }
            }
            tasks.push(record.task());
        }
        if self.bench.get(host).queue.is_empty() {
            self.distributor.enter_limbo(&mut self.bench, host);
        }
        Ok(tasks)
    }

    fn end_visit(&mut self, ended: Ended) -> Result<()> {
        let Ended {
            host,
            fetcher,
            num_tasks,
            moment,
            outcomes,
            rest,
        } = ended;
        self.busy[fetcher] -= 1;
        self.in_flight -= 1;
        self.num_asked -= num_tasks as u64;
        let state = self.bench.get_mut(host);
        let was_asked = !outcomes.is_empty();
        for task in rest.into_iter().rev() {
            state.errands.push_front(task);
        }
        for outcome in outcomes {
            match outcome {
                Outcome::Answered { is_page } => {
                    let state = self.bench.get_mut(host);
                    state.failures = 0;
                    state.pages += u32::from(is_page);
                }
                Outcome::Robots { of, task, said } => self.hear_robots(of, task, said, moment)?,
                Outcome::Failed { task, failure } => {
                    self.try_again(host, task, failure as usize, 0.0, moment)?
                }
                Outcome::Unavailable { task, after } => {
                    self.try_again(host, task, UNAVAILABLE, after, moment)?;
                }
            }
        }
        let (limits, state) = (&self.config.limits, self.bench.get(host));
        if state.state == State::Open {
            if state.pages >= limits.max_pages_per_host {
                self.give_up(host)?;
            } else if limits.gate_after > 0.0
                && f64::from(state.pages) >= limits.gate_after
                && !self.distributor.was_gated(host)
            {
                self.hold(host);
            } else if moment >= state.resolved_until {
                // it may have moved; until that is known, nobody asks it
                self.bench.get_mut(host).state = State::Resolving;
            }
        }
        self.bench.release(host, was_asked.then_some(moment));
        match self.bench.get(host).state {
            State::Resolving => self.look_up(host),
            _ => Ok(()),
        }
    }

    /// Puts a task back before all others of its host, to be done after a pause that grows, or gives it up.
    fn try_again(
        &mut self,
        host: u32,
        mut task: Task,
        kind: usize,
        after: f64,
        moment: Moment,
    ) -> Result<()> {
        let delays = &self.config.retries[kind];
        if self.bench.get(host).state != State::Open {
            // it was given up meanwhile, and so is who waits for a robots.txt from it
            return task
                .robots_for
                .filter(|of| *of != host)
                .map_or(Ok(()), |of| self.give_up(of));
        }
        if let Some(delay) = delays.get(usize::from(task.attempt)) {
            add(&self.counters.retries, 1);
            task.attempt += 1;
            let state = self.bench.get_mut(host);
            state.next = state.next.max(moment + nanos(delay.max(after)));
            state.errands.push_front(task);
            return Ok(());
        }
        add(&self.counters.dropped, 1);
        let failures = self.bench.get(host).failures + 1;
        self.bench.get_mut(host).failures = failures;
        match task.robots_for {
            Some(of) => self.give_up(of),
            None if kind == Failure::Connect as usize || failures >= MAX_FAILURES => {
                self.give_up(host)
            }
            None => Ok(()),
        }
    }

    fn hear_robots(
        &mut self,
        of: u32,
        task: Task,
        said: RobotsAnswer,
        moment: Moment,
    ) -> Result<()> {
        let limits = &self.config.limits;
        let until = moment + nanos(limits.robots_expiry);
        let rules = match said {
            RobotsAnswer::Rules(rules) => rules,
            RobotsAnswer::Redirect(target) if task.redirects < MAX_ROBOTS_REDIRECTS => {
                let (origin, path) = url::split(&target);
                let other = self.open_host(origin)?;
                if self.bench.get(other).state == State::Closed {
                    return self.give_up(of);
                }
                let next = Task {
                    target: path.into(),
                    redirects: task.redirects + 1,
                    ..robots_task(of)
                };
                self.bench.get_mut(other).errands.push_back(next);
                self.bench.offer(other);
                return Ok(());
            }
            // nowhere in particular: there is no file
            RobotsAnswer::Redirect(_) => Arc::default(),
            RobotsAnswer::Unavailable => {
                let delays = &self.config.retries[UNAVAILABLE];
                let Some(delay) = delays.get(usize::from(task.attempt)) else {
                    return self.give_up(of);
                };
                let again = Task {
                    attempt: task.attempt + 1,
                    ..robots_task(of)
                };
                let state = self.bench.get_mut(of);
                state.next = state.next.max(moment + nanos(*delay));
                state.errands.push_front(again);
                self.bench.offer(of);
                return Ok(());
            }
        };
        let asked = nanos(rules.crawl_delay.min(limits.max_crawl_delay));
        let state = self.bench.get_mut(of);
        state.delay = state.delay.max(asked);
        state.robots = Some(rules);
        state.robots_until = until;
        state.asks_robots = false;
        self.bench.offer(of);
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
            return None;
        }
        let is_idle = !is_behind
            && self.events.is_empty()
            && self.bench.front() == 0
            && self.sieve.num_pending() == 0
            && self.distributor.is_empty()
            && self.num_resolving + self.num_held == 0;
        self.end.or(is_idle.then_some(End::Exhausted))
    }

    fn publish(&mut self) {
        let counters = &self.counters;
        set(&counters.hosts, self.bench.num_hosts() as u64);
        set(&counters.addresses, self.bench.num_addresses() as u64);
        set(&counters.front, self.bench.front() as u64);
        set(&counters.in_flight, self.in_flight as u64);
        set(&counters.workbench_bytes, self.bench.num_bytes as u64);
        set(&counters.held, self.num_held as u64);
        set(&counters.frontier_cpu_ns, thread_cpu_ns());
        self.distributor.publish(counters);
    }
}

fn robots_task(of: u32) -> Task {
    Task {
        target: "/robots.txt".into(),
        depth: 0,
        redirects: 0,
        attempt: 0,
        robots_for: Some(of),
        validators: None,
    }
}

/// Agents share hosts by name, whatever the scheme and the port.
pub fn host_hash(url: &str) -> u64 {
    let (origin, _) = url::split(url);
    let authority = origin
        .split_once("://")
        .map_or(origin, |(_, authority)| authority);
    let name = match authority.rsplit_once(':') {
        Some((name, port)) if !port.ends_with(']') => name,
        _ => authority,
    };
    xxhash_rust::xxh3::xxh3_64(name.as_bytes())
}
