//! What the threads of a crawl tell each other.

use super::CrawlError;
use super::config::{Change, Config};
use super::dns::Found;
use super::flusher::Stored;
use super::journal::Mark;
use super::patterns::Pattern;
use super::record::Batch;
use super::schedule::Visited;
use super::workbench::{Moment, Task};
use crate::web::http::Failure;
use crate::web::robots::Robots;
use crossbeam::channel::Sender;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Instant;
use tokio::sync::oneshot;

/// What fetchers, name servers and the user tell the frontier.
pub enum Event {
    Links(Batch),
    /// URLs from outside
    Given(Batch),
    /// URLs that are to be asked for now, whether they were before or not
    Visit(Batch),
    /// no more of them will come
    Finish,
    /// a URL has its last answer; behind its links
    Done {
        hash: u64,
        stored: Option<Box<Stored>>,
    },
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
    /// whether even visits under way are given up
    Stop(bool),
    Change(Box<Change>),
    /// everything so far is to be seen by who reads the files; the reply says how many captures that are
    Flush(Sender<u64>),
    /// lines for the crawl's log
    Log(Vec<u8>),
    /// parameters of an origin that make no difference
    Rule {
        origin: String,
        names: Vec<String>,
    },
    /// a name or an address that is not to be asked
    Blacklist(String),
    /// a checkpoint is over
    Synced(Mark),
    /// a thread cannot go on
    Failed(CrawlError),
}

/// What the frontier tells a fetcher.
pub enum Order {
    Visit(Visit),
    /// what visits obey from now on
    Obey(Arc<Config>),
}

/// What is to be asked of a host in one visit.
pub struct Visit {
    pub host: u32,
    pub origin: Box<str>,
    pub address: SocketAddr,
    pub tasks: Vec<Task>,
    /// the gate wants to see the pages
    pub is_sample: bool,
    /// nobody asked for a delay before the next visit
    pub is_next_soon: bool,
    /// the shape of its pages that say that nothing is there
    pub soft: Option<u64>,
    /// whether sitemaps of the host are still read
    pub may_send_sitemaps: bool,
    pub robots: Option<Arc<Robots>>,
}

/// How a visit ended.
pub struct Ended {
    pub host: u32,
    pub fetcher: usize,
    pub num_tasks: usize,
    pub moment: Moment,
    pub outcomes: Vec<Outcome>,
    /// seconds until the answers were there, all together, and how many there were
    pub took: (f64, u32),
    /// what there was no time for
    pub rest: Vec<Task>,
}

pub enum Outcome {
    /// an answer for good; whether it counts as a page, and whether the host asked to be left alone
    Answered {
        is_page: bool,
        is_farewell: bool,
        /// 429 or 5xx, after all attempts
        is_error: bool,
        /// of an answer 200: its pattern, and whether it repeats another page of its host
        pattern: Option<(Pattern, bool)>,
        /// bytes of a sitemap, 0 if it is none
        sitemap_size: u64,
    },
    /// what a page looks like that is not there, if that is told by the page alone
    Probed {
        soft: Option<u64>,
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

impl Outcome {
    /// Whether the connection may be used for another request.
    pub fn may_ask_again(&self) -> bool {
        match self {
            Self::Answered { is_farewell, .. } => !is_farewell,
            // a Crawl-delay is also kept between two connections
            Self::Robots {
                said: RobotsAnswer::Rules(rules),
                ..
            } => rules.crawl_delay == 0.0,
            _ => false,
        }
    }
}

impl Outcome {
    /// Whether a host answered that it is in trouble, or not at all.
    pub fn is_strain(&self) -> bool {
        match self {
            Self::Unavailable { .. } => true,
            Self::Failed { failure, .. } => {
                matches!(failure, Failure::Connect | Failure::Timeout)
            }
            Self::Robots { said, .. } => matches!(said, RobotsAnswer::Unavailable(_)),
            _ => false,
        }
    }
}

pub enum RobotsAnswer {
    Rules(Arc<Robots>),
    /// to an absolute URL
    Redirect(String),
    /// for so many seconds, or until one cares to ask again
    Unavailable(f64),
}

/// Whether a page was there before.
pub struct Question {
    pub digest: [u8; 20],
    pub fingerprint: Option<u64>,
    /// 64 bits of what it shows, digits aside
    pub shape: u64,
    pub url: String,
    /// nanoseconds since 1970
    pub date: u64,
    /// whether it will be stored
    pub is_kept: bool,
    pub reply: oneshot::Sender<Told>,
}

/// What a page repeats.
#[derive(Debug, Default)]
pub struct Told {
    pub earlier: Option<Earlier>,
    pub copies: Copies,
}

/// Pages before this one with the same shape: equal, or different in digits, attributes and white space alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Copies {
    /// whether there are any, of whatever host
    pub is_known: bool,
    /// how many there are of its own host
    pub own: u32,
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
    /// a page of an origin whose address has parameters, and 64 bits of what it shows
    Seen {
        origin: String,
        target: String,
        content: u64,
    },
    /// URLs of another agent
    Foreign { agent: u32, urls: Vec<(String, u8)> },
    /// URLs that are new, with their depths and what they carry along; for a schedule
    Found(Vec<(String, u8, Option<String>)>),
    /// a URL that a schedule asked for has ended
    Visited(Box<Visited>),
    /// a host is left alone from now on, with so many URLs of it unasked
    Closed {
        origin: String,
        reason: Reason,
        urls: u64,
    },
}

/// Why a host is left alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    Failed(Failure),
    /// answers 429 and 5xx, or a Retry-After beyond all patience
    Unavailable,
    /// no robots.txt was to be had
    Robots,
    /// as many pages as a host may have
    Full,
    Blacklist,
    Gate,
}

impl Reason {
    pub fn name(self) -> &'static str {
        match self {
            Self::Failed(failure) => Failure::NAMES[failure as usize],
            Self::Unavailable => "unavailable",
            Self::Robots => "robots",
            Self::Full => "full",
            Self::Blacklist => "blacklist",
            Self::Gate => "gate",
        }
    }
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
