//! The in-vitro web: a synthetic web, computed page by page from a seed.
//!
//! Nothing of it is stored. A host is a slot number ([`host`]), a page is a place on a slot ([`layout`]), an address
//! can be written from a page and read back ([`address`]), links and text are draws ([`links`], [`words`], [`page`]), and
//! time is a count of deaths and changes until a month (here). The server ([`respond`], [`server`]) and the truth
//! ([`truth`]) call the same functions, which is why they agree.

pub mod address;
pub mod archive;
pub mod clock;
pub mod connection;
pub mod draw;
pub mod events;
pub mod facts;
pub mod given;
pub mod history;
pub mod host;
pub mod layout;
pub mod links;
pub mod log;
pub mod look;
pub mod names;
pub mod negotiate;
pub mod page;
pub mod request;
pub mod respond;
pub mod robots;
pub mod send;
pub mod server;
pub mod site;
pub mod spec;
pub mod stamped;
pub mod survey;
pub mod theme;
pub mod tls;
pub mod truth;
pub mod validators;
pub mod words;

use crate::collection::CollectionError;
use draw::{PowerLaw, Zipf, falls, hash, purpose};
use events::Event;
use host::Host;
use layout::{FOLDER_PAGES, Layout};
use names::DomainNames;
use spec::Spec;
use std::fmt;
use std::io;
use std::sync::Arc;
use theme::Theme;
use words::{Vocabulary, Words};

/// Hosts that a server keeps in memory: about a megabyte, whatever the size of the web.
const POPULAR_HOSTS: u64 = 1 << 13;
/// Different queries in the query log.
pub const NUM_QUERIES: u64 = 5000;

/// What can go wrong with an in-vitro web; `python/errors.rs` turns each case into an exception.
#[derive(Debug)]
pub enum InvitroError {
    /// Parameters that no web can have: the sentence names the one.
    Spec(String),
    /// A given graph or log that does not hold what it should.
    Input(String),
    /// The address is taken or not ours.
    Address { address: String, source: io::Error },
    /// A failure that the user cannot mend by other settings.
    Internal(String),
    /// Files, progress.
    Collection(CollectionError),
}

impl fmt::Display for InvitroError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Spec(message) | Self::Input(message) | Self::Internal(message) => {
                f.write_str(message)
            }
            Self::Address { address, source } => write!(
                f,
                "{address}: the server cannot listen there ({source}); choose another port with --port, 0 for any free one"
            ),
            Self::Collection(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for InvitroError {}

impl From<CollectionError> for InvitroError {
    fn from(error: CollectionError) -> Self {
        Self::Collection(error)
    }
}

#[derive(Clone, Debug)]
pub struct Web {
    pub spec: Spec,
    pub seed: u64,
    pub layout: Layout,
    pub names: DomainNames,
    pub words: Arc<Words>,
    pub theme: Arc<Theme>,
    pub events: Vec<Event>,
    degrees: PowerLaw,
    popular_hosts: Zipf,
    queries: Zipf,
    table: Option<(u32, Arc<Vec<Host>>)>,
}

/// How often something happened until a month, and in which month last (0: not since the beginning).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Happened {
    pub count: u32,
    pub last: u32,
}

impl Web {
    pub fn new(
        spec: Spec,
        seed: u64,
        vocabularies: &[Vocabulary; 4],
        theme: Theme,
        events: Vec<Event>,
    ) -> Self {
        let seed = draw::scramble(seed ^ 0x77eb_57a7_a000_0000);
        let hosts = spec.hosts - spec.spam_hosts;
        let domains = Self::num_domains(hosts, spec.spam_hosts);
        let farms = (spec.spam_hosts, spec.farm_hosts.max(1));
        let layout = if spec.spam_camouflage > 0.0 && spec.expired_share > 0.0 {
            Layout::with_bought
        } else {
            Layout::new
        };
        Self {
            layout: layout(hosts, farms, spec.pages, spec.size_exponent),
            names: DomainNames::new(seed, domains, spec.uk_share, spec.foreign_share),
            words: Arc::new(if spec.stock_share > 0.0 {
                Words::new(seed, spec.topics, vocabularies).with_stock(seed)
            } else {
                Words::new(seed, spec.topics, vocabularies)
            }),
            events,
            degrees: PowerLaw::new(spec.content_links, spec.out_exponent, 400),
            popular_hosts: Zipf::new(hosts, 1.0 / (spec.in_exponent - 1.0)),
            queries: Zipf::new(NUM_QUERIES, 1.0),
            theme: Arc::new(theme),
            table: None,
            spec,
            seed,
        }
    }

    /// The same web with the hosts of one month in memory, for those who visit all of them.
    pub fn with_table(&self, month: u32) -> Self {
        let mut web = self.clone();
        web.layout = self.layout.with_table();
        web.keep_hosts(month, u64::MAX);
        web
    }

    /// What the addresses of this web begin with.
    pub fn scheme(&self) -> &'static [u8] {
        if self.spec.tls > 0 {
            b"https://"
        } else {
            b"http://"
        }
    }

    /// The same web with the most popular hosts of one month in memory, for those who visit whatever they are asked for.
    pub fn with_popular(&self, month: u32) -> Self {
        let mut web = self.clone();
        web.keep_hosts(month, POPULAR_HOSTS);
        web
    }

    fn keep_hosts(&mut self, month: u32, limit: u64) {
        let hosts = (0..self.layout.num_slots().min(limit))
            .map(|slot| self.host(slot, month))
            .collect();
        self.table = Some((month, Arc::new(hosts)));
    }

    /// Counts the months 1..=`month` in which something with a monthly `rate` happened; in continuous time, how often it
    /// happened until a tick.
    #[inline]
    pub fn events_until(&self, key: u64, rate: f64, month: u32) -> Happened {
        if self.is_continuous() {
            return self.poisson_until(key, rate, month);
        }
        let mut happened = Happened::default();
        if rate > 0.0 {
            for now in 1..=month {
                if falls(hash(key, u64::from(now)), rate) {
                    happened.count += 1;
                    happened.last = now;
                }
            }
        }
        happened
    }

    /// The key of the page in a place of a host, whatever it is called now.
    #[inline]
    pub fn place_key(&self, host: &Host, index: u64) -> u64 {
        hash(host.key ^ purpose::PAGE, index)
    }

    /// How often the page in this place was replaced by another one, at another address; folder indexes never are.
    #[inline]
    pub fn page_incarnation(&self, host: &Host, index: u64, month: u32) -> Happened {
        if index.is_multiple_of(FOLDER_PAGES) || index >= host.size || !host.grew() {
            return Happened::default();
        }
        let key = self.place_key(host, index);
        if falls(hash(key, purpose::EPHEMERAL), self.spec.ephemeral_share) {
            if self.is_continuous() {
                return self.periods_until(hash(key, purpose::EPHEMERAL), month);
            }
            return Happened {
                count: month,
                last: month,
            };
        }
        self.events_until(hash(key, purpose::DEATH), self.spec.page_death_rate, month)
    }

    /// How often the content of a page changed; some pages change more than others.
    pub fn page_version(&self, host: &Host, index: u64, month: u32) -> Happened {
        let key = hash(self.place_key(host, index), purpose::CHANGE);
        let moves = self.look(host).map_or(0.0, |look| look.change_rate);
        let own = match self.is_continuous() {
            true => self.change_rate(hash(key, 0)),
            false => self.spec.page_change_rate * 2.0 * draw::unit(hash(key, 0)),
        };
        let rate = moves.max(own);
        self.events_until(key, rate, month)
    }

    /// The key of the page that is in this place now.
    #[inline]
    pub fn page_key(&self, host: &Host, index: u64, month: u32) -> u64 {
        let incarnation = self.page_incarnation(host, index, month).count;
        hash(
            self.place_key(host, index),
            1 << 32 | u64::from(incarnation),
        )
    }

    /// The page of which this one is an exact copy, itself if it is none: a page of the same folder.
    #[inline]
    pub fn original(&self, host: &Host, index: u64) -> u64 {
        self.copied_from(host, index, purpose::DUPLICATE, self.spec.duplicate_share)
    }

    /// The page of which this one is a variation, itself if it is none.
    #[inline]
    pub fn near_original(&self, host: &Host, index: u64) -> u64 {
        if self.original(host, index) != index {
            return index;
        }
        let source = self.copied_from(host, index, purpose::NEAR, self.spec.near_duplicate_share);
        // a copy of a copy would hide where it comes from
        if self.original(host, source) == source {
            source
        } else {
            index
        }
    }

    #[inline]
    fn copied_from(&self, host: &Host, index: u64, what: u64, share: f64) -> u64 {
        let place = index % FOLDER_PAGES;
        // the index and the first two pages of a folder are originals, so that copies have something to copy
        if place < 3 || index >= host.size || !host.grew() || share <= 0.0 {
            return index;
        }
        let draw = hash(self.place_key(host, index), what);
        // the others make up for them: 13 of 16 places can be copies
        if !falls(draw, share * 16.0 / 13.0) {
            return index;
        }
        index - place + 1 + (draw & 1)
    }
}
