//! A fetcher: one event loop with thousands of visits in flight.

use super::CrawlError;
use super::config::{Config, nanos};
use super::counters::{Counters, add, thread_cpu_ns};
use super::judging::Pending;
use super::messages::{Clock, Ended, Event, Notice, Outcome, Visit};
use super::rules::MAX_ROBOTS;
use super::tls;
use super::url_cache::UrlCache;
use super::workbench::{Moment, Task};
use crate::store::warc::Encoder;
use crate::web::html::Scan;
use crate::web::http::{self, Failure};
use crossbeam::channel::Sender;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;

/// From hanging up to the moment at which a host must have noticed.
const LINGER: Moment = 100_000_000;

/// What all visits of an event loop share.
pub struct Fetcher {
    pub config: Arc<Config>,
    pub counters: Arc<Counters>,
    pub clock: Clock,
    pub events: Sender<Event>,
    pub notices: Sender<Notice>,
    pub cache: RefCell<UrlCache>,
    pub encoder: RefCell<Encoder>,
    /// scans that nobody uses at the moment
    pub scans: RefCell<Vec<Box<Scan>>>,
    pub pending: RefCell<Vec<Pending>>,
    /// processor time that was counted
    spent: Cell<u64>,
    number: usize,
    limits: http::Limits,
    /// of a robots.txt, of which half would allow too much
    robots_limits: http::Limits,
    connector: TlsConnector,
    vouchers: tls::Vouchers,
}

/// How a connection came about, for the records of what is fetched on it.
#[derive(Debug, Default)]
pub struct Wire {
    pub protocols: Vec<&'static str>,
    pub cipher: Option<String>,
    /// whether the certificate holds, where there is one
    pub certificate: Option<Arc<str>>,
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
}

impl Fetcher {
    #[allow(clippy::too_many_arguments)]
    pub fn new(
        number: usize,
        config: Arc<Config>,
        counters: Arc<Counters>,
        clock: Clock,
        events: Sender<Event>,
        notices: Sender<Notice>,
    ) -> super::Result<Self> {
        let limits = &config.limits;
        let share = limits.url_cache / limits.workers.max(1);
        let answers = http::Limits {
            head: limits.max_header,
            body: limits.max_response,
            silence: duration(limits.response_timeout),
            total: duration(limits.fetch_timeout),
            rate: limits.min_rate,
        };
        Ok(Self {
            cache: RefCell::new(UrlCache::new(share)),
            encoder: RefCell::new(Encoder::new(&config.compression)?),
            scans: RefCell::default(),
            pending: RefCell::default(),
            spent: Cell::new(0),
            number,
            robots_limits: http::Limits {
                body: limits.max_response.max(MAX_ROBOTS),
                ..answers.clone()
            },
            limits: answers,
            connector: tls::connector(&config)?,
            vouchers: tls::Vouchers::new(&config)?,
            config,
            counters,
            clock,
            events,
            notices,
        })
    }

    /// Makes visits until no more come and all are over.
    pub fn run(self, mut visits: UnboundedReceiver<Visit>) {
        let events = self.events.clone();
        let runtime = match tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
        {
            Ok(runtime) => runtime,
            Err(error) => {
                let message = format!("no event loop could be made: {error}");
                let _ = events.send(Event::Failed(CrawlError::Setting(message)));
                return;
            }
        };
        let local = tokio::task::LocalSet::new();
        let fetcher = Rc::new(self);
        local.block_on(&runtime, async move {
            let mut running = tokio::task::JoinSet::new();
            loop {
                let ended = tokio::select! {
                    visit = visits.recv() => match visit {
                        Some(visit) => {
                            running.spawn_local(fetcher.clone().visit(visit));
                            continue;
                        }
                        // the frontier is gone, and nobody waits for what is under way
                        None => break,
                    },
                    Some(ended) = running.join_next() => ended,
                };
                if ended.is_err() {
                    let message = "a visit ended by itself; this is a defect of webstrata";
                    let _ = events.send(Event::Failed(CrawlError::Setting(message.into())));
                }
            }
        });
    }

    /// Asks a host for what the visit says, and tells the frontier how it went.
    async fn visit(self: Rc<Self>, mut visit: Visit) {
        let mut ended = Ended {
            host: visit.host,
            fetcher: self.number,
            num_tasks: visit.tasks.len(),
            moment: 0,
            outcomes: Vec::new(),
            took: (0.0, 0),
            rest: Vec::new(),
        };
        let tasks = std::mem::take(&mut visit.tasks);
        let wait = duration(self.config.limits.connect_timeout);
        let connected = timeout(wait, TcpStream::connect(visit.address)).await;
        match connected
            .map_err(|_| Failure::Timeout)
            .and_then(|stream| stream.map_err(|_| Failure::Connect))
        {
            Ok(stream) => {
                let _ = stream.set_nodelay(true);
                if visit.origin.starts_with("https:") {
                    let name = tls::server_name(&visit.origin, visit.address.ip());
                    let shaken = timeout(wait, self.connector.connect(name, stream)).await;
                    match shaken
                        .map_err(|_| Failure::Timeout)
                        .and_then(|stream| stream.map_err(|_| Failure::Tls))
                    {
                        Ok(stream) => {
                            let mut wire = tls::describe(stream.get_ref().1);
                            let name = tls::server_name(&visit.origin, visit.address.ip());
                            wire.certificate = Some(self.vouchers.judge(stream.get_ref().1, &name));
                            self.converse(stream, &visit, wire, tasks, &mut ended).await;
                        }
                        Err(failure) => self.fail(failure, tasks, &mut ended),
                    }
                } else {
                    let wire = Wire {
                        protocols: vec!["http/1.1"],
                        cipher: None,
                        certificate: None,
                    };
                    self.converse(stream, &visit, wire, tasks, &mut ended).await;
                }
            }
            Err(failure) => self.fail(failure, tasks, &mut ended),
        }
        let _ = self.events.send(Event::Ended(ended));
    }

    fn fail(&self, failure: Failure, tasks: Vec<Task>, ended: &mut Ended) {
        add(&self.counters.failures[failure as usize], 1);
        ended.moment = self.clock.now();
        let mut tasks = tasks.into_iter();
        if let Some(task) = tasks.next() {
            ended.outcomes.push(Outcome::Failed { task, failure });
        }
        ended.rest.extend(tasks);
    }

    /// One request behind the other, as long as the slice lasts and the host keeps the connection.
    async fn converse<S: AsyncRead + AsyncWrite + Unpin>(
        &self,
        stream: S,
        visit: &Visit,
        wire: Wire,
        tasks: Vec<Task>,
        ended: &mut Ended,
    ) {
        let begun = Instant::now();
        let slice = duration(self.config.limits.keep_alive);
        let mut stream = Some(stream);
        let mut tasks = tasks.into_iter().peekable();
        let mut is_first = true;
        while let Some(mut connection) = stream.take()
            && let Some(task) = tasks.next()
        {
            let is_last = tasks.peek().is_none() || slice.is_zero();
            let request = self.request(visit, &task, is_last);
            let date = SystemTime::now()
                .duration_since(UNIX_EPOCH)
                .map_or(0, |time| time.as_nanos() as u64);
            let asked = Instant::now();
            add(&self.counters.requests, 1);
            let limits = match task.robots_for {
                Some(_) => &self.robots_limits,
                None => &self.limits,
            };
            let answer = http::exchange(&mut connection, &request, limits).await;
            ended.moment = self.clock.now();
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
                    add(&self.counters.failures[failure as usize], 1);
                    ended.outcomes.push(Outcome::Failed { task, failure });
                    break;
                }
                Ok(answer) => {
                    ended.took.0 += asked.elapsed().as_secs_f64();
                    ended.took.1 += 1;
                    if answer.is_reusable && !is_last && begun.elapsed() < slice {
                        stream = Some(connection);
                    } else {
                        // the host need not wait until the page is read
                        drop(connection);
                    }
                    let asked = Asked {
                        visit,
                        task: &task,
                        wire: &wire,
                        request: &request,
                        date,
                        took: asked.elapsed(),
                    };
                    match self.receive(&asked, answer).await {
                        Ok(outcome) => {
                            let is_welcome = matches!(
                                outcome,
                                Outcome::Answered {
                                    is_farewell: false,
                                    ..
                                }
                            );
                            ended.outcomes.push(outcome);
                            if !is_welcome {
                                break;
                            }
                        }
                        Err(error) => {
                            let _ = self.events.send(Event::Failed(error));
                            break;
                        }
                    }
                }
            }
            is_first = false;
        }
        ended.rest.extend(tasks);
        let spent = thread_cpu_ns();
        add(
            &self.counters.fetcher_cpu_ns,
            spent - self.spent.replace(spent),
        );
    }

    fn request(&self, visit: &Visit, task: &Task, is_last: bool) -> Vec<u8> {
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
        if let Some((tag, date)) = task
            .validators
            .as_ref()
            .and_then(|text| text.split_once('\n'))
        {
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

fn duration(seconds: f64) -> Duration {
    Duration::from_nanos(nanos(seconds))
}
