//! A fetcher: one event loop with thousands of visits in flight.

use super::CrawlError;
use super::config::{Config, nanos};
use super::counters::{Counters, add, thread_cpu_ns};
use super::earlier::Recalled;
use super::judging::Pending;
use super::keep_alive::{Connection, Idle, Stream};
use super::messages::{Clock, Ended, Event, Notice, Order, Outcome, Visit};
use super::rules::MAX_ROBOTS;
use super::tls;
use super::url_cache::UrlCache;
use super::workbench::{Moment, Task};
use crate::archive::warc::Encoder;
use crate::web::html::Scan;
use crate::web::http::{self, Failure};
use crossbeam::channel::Sender;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::{Duration, Instant};
use tokio::net::TcpStream;
use tokio::sync::Semaphore;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::{MissedTickBehavior, timeout};
use tokio_rustls::TlsConnector;

/// A prime, so that each of the few pieces of work of a page has its turn.
const ONE_IN: u64 = 17;

/// From hanging up to the moment at which a host must have noticed.
const LINGER: Moment = 100_000_000;
/// Bodies above a mebibyte that an event loop reads at once; each may become `max_response`.
const LARGE_AT_ONCE: usize = 8;

/// What all visits of an event loop share, whatever they obey.
pub struct Tools {
    pub counters: Arc<Counters>,
    pub clock: Clock,
    pub events: Sender<Event>,
    pub notices: Sender<Notice>,
    pub cache: RefCell<UrlCache>,
    pub encoder: RefCell<Encoder>,
    /// scans that nobody uses at the moment
    pub scans: RefCell<Vec<Box<Scan>>>,
    /// turns to scan a page and to keep the scan until the frontier has answered
    pub readers: Semaphore,
    /// turns to keep a body that is large when decoded, see `decoding`
    pub large: Semaphore,
    /// connections that wait for the next visit
    idle: RefCell<Idle>,
    /// processor time that was counted, and visits since then
    spent: Cell<u64>,
    num_uncounted: Cell<u32>,
    /// pieces of work so far
    num_pieces: Cell<u64>,
    pub number: usize,
    connector: TlsConnector,
    vouchers: tls::Vouchers,
}

/// What all visits share that were begun under the same settings; one under way keeps those it was begun under.
pub struct Fetcher {
    pub config: Arc<Config>,
    pub tools: Rc<Tools>,
    pub pending: RefCell<Vec<Pending>>,
    /// others hold by now
    is_old: Cell<bool>,
    limits: http::Limits,
    /// of a robots.txt, of which half would allow too much
    robots_limits: http::Limits,
}

/// How a connection came about, for the records of what is fetched on it.
#[derive(Debug, Default)]
pub struct Wire {
    pub protocols: Vec<&'static str>,
    pub cipher: Option<String>,
    /// whether the certificate holds, where there is one
    pub certificate: Option<Arc<str>>,
}

/// When a piece of work began, in nanoseconds of processor time.
pub(super) struct Timer {
    since: u64,
    weight: u64,
}

/// One question to a host, and when it was put.
pub struct Asked<'a> {
    pub visit: &'a Visit,
    pub task: &'a Task,
    pub wire: &'a Wire,
    pub request: &'a [u8],
    /// nanoseconds since 1970
    pub date: u64,
    pub took: Duration,
    /// what the request asked about
    pub recalled: Option<&'a Recalled>,
}

impl Tools {
    pub fn new(
        number: usize,
        config: &Config,
        counters: Arc<Counters>,
        clock: Clock,
        events: Sender<Event>,
        notices: Sender<Notice>,
    ) -> super::Result<Self> {
        let share = config.limits.url_cache / config.limits.workers.max(1);
        Ok(Self {
            cache: RefCell::new(UrlCache::new(share)),
            encoder: RefCell::new(Encoder::new(&config.compression)?),
            scans: RefCell::default(),
            readers: Semaphore::new(super::page::READERS),
            large: Semaphore::new(super::decoding::TURNS as usize),
            idle: RefCell::new(Idle::new(
                &config.limits,
                duration(config.limits.keep_alive),
            )),
            spent: Cell::new(0),
            num_uncounted: Cell::new(0),
            num_pieces: Cell::new(0),
            number,
            connector: tls::connector(config)?,
            vouchers: tls::Vouchers::new(config)?,
            counters,
            clock,
            events,
            notices,
        })
    }
}

impl Fetcher {
    fn new(tools: Rc<Tools>, config: Arc<Config>) -> Self {
        let limits = &config.limits;
        let answers = http::Limits {
            head: limits.max_header,
            body: limits.max_response,
            silence: duration(limits.response_timeout),
            head_time: duration(limits.head_timeout),
            total: duration(limits.fetch_timeout),
            rate: limits.min_rate,
            turns: Some(Arc::new(Semaphore::new(LARGE_AT_ONCE))),
        };
        Self {
            robots_limits: http::Limits {
                body: limits.max_response.max(MAX_ROBOTS),
                ..answers.clone()
            },
            limits: answers,
            pending: RefCell::default(),
            is_old: Cell::new(false),
            tools,
            config,
        }
    }

    /// The same under other settings.
    fn renew(&self, config: Arc<Config>) -> Self {
        self.is_old.set(true);
        // what the old filter refused went into the cache, and may be let through now
        self.tools.cache.borrow_mut().clear();
        *self.tools.idle.borrow_mut() =
            Idle::new(&config.limits, duration(config.limits.keep_alive));
        Self::new(self.tools.clone(), config)
    }

    /// Makes visits until no more come and all are over.
    pub fn run(tools: Tools, config: Arc<Config>, mut orders: UnboundedReceiver<Order>) {
        let events = tools.events.clone();
        let runtime = match tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
        {
            Ok(runtime) => runtime,
            Err(error) => {
                let message = format!("the system cannot start an event loop ({error})");
                let _ = events.send(Event::Failed(CrawlError::Internal(message)));
                return;
            }
        };
        let local = tokio::task::LocalSet::new();
        let mut fetcher = Rc::new(Self::new(Rc::new(tools), config));
        let counted = fetcher.clone();
        local.block_on(&runtime, async move {
            let mut running = tokio::task::JoinSet::new();
            let mut sweeps = tokio::time::interval(fetcher.tools.idle.borrow().period());
            sweeps.set_missed_tick_behavior(MissedTickBehavior::Delay);
            loop {
                let ended = tokio::select! {
                    order = orders.recv() => match order {
                        Some(Order::Visit(visit)) => {
                            running.spawn_local(fetcher.clone().visit(visit));
                            continue;
                        }
                        Some(Order::Obey(config)) => {
                            fetcher = Rc::new(fetcher.renew(config));
                            continue;
                        }
                        // the frontier is gone, and nobody waits for what is under way
                        None => break,
                    },
                    Some(ended) = running.join_next() => ended,
                    _ = sweeps.tick() => {
                        fetcher.tools.idle.borrow_mut().sweep();
                        continue;
                    }
                };
                if ended.is_err() {
                    let message = "a visit panicked; this is a defect of webstrata";
                    let _ = events.send(Event::Failed(CrawlError::Internal(message.into())));
                }
            }
        });
        counted.count_time();
    }

    /// Asks a host for what the visit says, and tells the frontier how it went.
    async fn visit(self: Rc<Self>, mut visit: Visit) {
        let mut ended = Ended {
            host: visit.host,
            fetcher: self.tools.number,
            num_tasks: visit.tasks.len(),
            moment: 0,
            outcomes: Vec::new(),
            took: (0.0, 0),
            rest: Vec::new(),
        };
        let tasks = std::mem::take(&mut visit.tasks);
        let waiting = self.tools.idle.borrow_mut().take(visit.host, visit.address);
        let is_fresh = waiting.is_none();
        let connection = match waiting {
            Some(connection) => Ok(connection),
            None => self.connect(&visit).await,
        };
        match connection {
            Ok(connection) => {
                let kept = self
                    .converse(connection, is_fresh, &visit, tasks, &mut ended)
                    .await;
                if let Some(connection) = kept {
                    self.tools.idle.borrow_mut().put(visit.host, connection);
                }
            }
            Err(failure) => self.fail(failure, tasks, &mut ended),
        }
        let _ = self.tools.events.send(Event::Ended(ended));
    }

    async fn connect(&self, visit: &Visit) -> Result<Connection, Failure> {
        let wait = duration(self.config.limits.connect_timeout);
        let stream = timeout(wait, TcpStream::connect(visit.address))
            .await
            .map_err(|_| Failure::Timeout)?
            .map_err(|_| Failure::Connect)?;
        let (stream, wire) = if visit.origin.starts_with("https:") {
            // a handshake has several parts; a plain request is one, and there is nothing that it could wait for
            let _ = stream.set_nodelay(true);
            let name = tls::server_name(&visit.origin, visit.address.ip());
            let stream = timeout(wait, self.tools.connector.connect(name, stream))
                .await
                .map_err(|_| Failure::Timeout)?
                .map_err(|_| Failure::Tls)?;
            let mut wire = tls::describe(stream.get_ref().1);
            let name = tls::server_name(&visit.origin, visit.address.ip());
            wire.certificate = Some(self.tools.vouchers.judge(stream.get_ref().1, &name));
            (Stream::Tls(Box::new(stream)), wire)
        } else {
            let wire = Wire {
                protocols: vec!["http/1.1"],
                cipher: None,
                certificate: None,
            };
            (Stream::Plain(stream), wire)
        };
        Ok(Connection {
            stream,
            wire: Arc::new(wire),
            address: visit.address,
            opened: Instant::now(),
        })
    }

    fn fail(&self, failure: Failure, tasks: Vec<Task>, ended: &mut Ended) {
        add(&self.tools.counters.failures[failure as usize], 1);
        ended.moment = self.tools.clock.now();
        let mut tasks = tasks.into_iter();
        if let Some(task) = tasks.next() {
            ended.outcomes.push(Outcome::Failed { task, failure });
        }
        ended.rest.extend(tasks);
    }

    /// One request behind the other, as long as the slice lasts and the host keeps the connection, which is given back if
    /// it may be used again.
    async fn converse(
        &self,
        connection: Connection,
        is_fresh: bool,
        visit: &Visit,
        tasks: Vec<Task>,
        ended: &mut Ended,
    ) -> Option<Connection> {
        let slice = duration(self.config.limits.keep_alive);
        let mut connection = Some(connection);
        let mut tasks = tasks.into_iter().peekable();
        let mut is_first = is_fresh;
        let mut has_asked = false;
        // what is still to be asked goes back when other settings hold
        while connection.is_some()
            && !(has_asked && self.is_old.get())
            && let Some(task) = tasks.next()
        {
            let Some(mut current) = connection.take() else {
                break;
            };
            let waits = visit.is_next_soon && self.tools.idle.borrow().has_room();
            let is_last = slice.is_zero() || tasks.peek().is_none() && !waits;
            let recalled = self.recall(visit, &task);
            let request = self.request(visit, &task, recalled.as_ref(), is_last);
            let date = self.date();
            let asked = Instant::now();
            let answer = self.exchange(&mut current, &request, &task).await;
            ended.moment = self.tools.clock.now();
            if answer.as_ref().is_ok_and(|answer| answer.cut.is_some()) || answer.is_err() {
                // the host learns later than we that nobody listens any more
                ended.moment += LINGER;
            }
            match answer {
                // the host closed a connection that was idle: nobody's fault
                Err(Failure::Connect) if !is_first => {
                    ended.rest.push(task);
                    break;
                }
                Err(failure) => {
                    add(&self.tools.counters.failures[failure as usize], 1);
                    ended.outcomes.push(Outcome::Failed { task, failure });
                    break;
                }
                Ok(answer) => {
                    ended.took.0 += asked.elapsed().as_secs_f64();
                    ended.took.1 += 1;
                    let wire = current.wire.clone();
                    // otherwise it is closed now: the host need not wait until the page is read
                    connection = Some(current).filter(|current| {
                        answer.is_reusable && !is_last && current.opened.elapsed() < slice
                    });
                    let asked = Asked {
                        visit,
                        task: &task,
                        wire: &wire,
                        request: &request,
                        date,
                        took: asked.elapsed(),
                        recalled: recalled.as_ref(),
                    };
                    match self.receive(&asked, answer).await {
                        Ok(outcome) => {
                            let is_welcome = outcome.may_ask_again();
                            ended.outcomes.push(outcome);
                            if !is_welcome {
                                connection = None;
                                break;
                            }
                        }
                        Err(error) => {
                            let _ = self.tools.events.send(Event::Failed(error));
                            connection = None;
                            break;
                        }
                    }
                }
            }
            is_first = false;
            has_asked = true;
        }
        ended.rest.extend(tasks);
        // the clock is a call into the system
        self.tools.num_uncounted.update(|visits| visits + 1);
        if self.tools.num_uncounted.get() >= 16 {
            self.count_time();
        }
        connection
    }

    /// Nanoseconds since 1970 by the clock of the web.
    fn date(&self) -> u64 {
        self.config.date()
    }

    /// Sends a request and reads the response.
    async fn exchange(
        &self,
        connection: &mut Connection,
        request: &[u8],
        task: &Task,
    ) -> Result<http::Answer, Failure> {
        add(&self.tools.counters.requests, 1);
        let limits = match task.robots_for {
            Some(_) => &self.robots_limits,
            None => &self.limits,
        };
        match &mut connection.stream {
            Stream::Plain(stream) => http::exchange(stream, request, limits).await,
            Stream::Tls(stream) => http::exchange(stream, request, limits).await,
        }
    }

    fn count_time(&self) {
        let spent = thread_cpu_ns();
        add(
            &self.tools.counters.fetcher_cpu_ns,
            spent - self.tools.spent.replace(spent),
        );
        self.tools.num_uncounted.set(0);
    }

    /// Starts a clock for a piece of work, and tells for how many it stands: each of the first, then one in [`ONE_IN`]. It
    /// is processor time: what others do meanwhile does not count.
    pub(super) fn clock_in(&self) -> Option<Timer> {
        let number = self
            .tools
            .num_pieces
            .replace(self.tools.num_pieces.get() + 1);
        let weight = if number < 1000 { 1 } else { ONE_IN };
        let since = number.is_multiple_of(weight).then(thread_cpu_ns);
        since.map(|since| Timer { since, weight })
    }

    pub(super) fn clock_out(&self, counter: &AtomicU64, timer: Option<Timer>) {
        if let Some(Timer { since, weight }) = timer {
            add(counter, (thread_cpu_ns() - since) * weight);
        }
    }

    fn request(
        &self,
        visit: &Visit,
        task: &Task,
        recalled: Option<&Recalled>,
        is_last: bool,
    ) -> Vec<u8> {
        let authority = visit
            .origin
            .split_once("://")
            .map_or(&*visit.origin, |(_, authority)| authority);
        let mut text = format!("GET {} HTTP/1.1\r\nHost: {authority}\r\n", task.target);
        let mut push = |name: &str, value: &str| {
            text.push_str(name);
            text.push_str(": ");
            text.extend(value.chars().filter(|letter| !letter.is_control()));
            text.push_str("\r\n");
        };
        push("User-Agent", &self.config.user_agent);
        for (name, value) in &self.config.headers {
            push(name, value);
        }
        push("Accept-Encoding", "gzip, deflate, br, zstd");
        push("Connection", if is_last { "close" } else { "keep-alive" });
        let given = task.validators.as_ref().and_then(|text| known_by(text));
        let given = given.filter(|(tag, date)| !(tag.is_empty() && date.is_empty()));
        let recalled = recalled.map(|known| (known.tag.as_str(), known.modified.as_str()));
        if let Some((tag, date)) = given.or(recalled) {
            for (name, value) in [("If-None-Match", tag), ("If-Modified-Since", date)] {
                if !value.is_empty() {
                    push(name, value);
                }
            }
        }
        text.push_str("\r\n");
        text.into_bytes()
    }
}

/// ETag and Last-Modified; how a URL was found may follow them.
fn known_by(validators: &str) -> Option<(&str, &str)> {
    let (tag, rest) = validators.split_once('\n')?;
    Some((tag, rest.split('\n').next().unwrap_or("")))
}

fn duration(seconds: f64) -> Duration {
    Duration::from_nanos(nanos(seconds))
}
