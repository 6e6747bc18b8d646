//! Planted events, which `events.py` plans: the pages they bring, those they change, and those they link to.

use super::Web;
use super::address::Guise;
use super::draw::{Stream, below, hash, purpose};
use super::host::Host;
use super::layout::FOLDER_PAGES;
use super::words::Language;

/// What an event is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// New pages that link to each other, and first pages of their hosts that name them and link to them.
    Linked,
    /// Paragraphs in pages that were there before, and no links.
    Edits,
    /// Links from first pages of hosts to pages that were there from the first month on; no text changes but for
    /// the texts of links.
    Links,
}

#[derive(Clone, Debug)]
pub struct Event {
    pub name: String,
    pub topic: u64,
    pub month: u32,
    /// The slots that take part.
    pub slots: Vec<u64>,
    /// Two words that nobody used before.
    pub words: [String; 2],
    pub kind: Kind,
    /// A word of another event that its pages mention once, or nothing.
    pub mention: String,
}

/// Addresses of the pages of an event.
#[derive(Debug, Default)]
pub struct EventUrls {
    /// Pages that it brings.
    pub born: Vec<String>,
    /// Pages that it changes: paragraphs or links that were not there before.
    pub changed: Vec<String>,
    /// Pages that it only links to.
    pub linked: Vec<String>,
}

/// The pages of the first folder of a host that take up an event: the home page and these.
const CHANGED: [u64; 4] = [0, 1, 2, 4];
/// The page of a host that links to its pages of an event of links before it happens.
const ARCHIVE: u64 = 1;

impl Event {
    fn has_slot(&self, slot: u64) -> bool {
        self.slots.binary_search(&slot).is_ok()
    }

    /// The first month in which its own pages are there, if it has any.
    fn pages_since(&self) -> Option<u32> {
        match self.kind {
            Kind::Linked => Some(self.month),
            Kind::Edits => None,
            Kind::Links => Some(0),
        }
    }
}

impl Web {
    /// Event pages on each host that takes part.
    pub fn event_pages_per_host(&self) -> u64 {
        (self.spec.event_pages / self.spec.event_hosts.max(1)).max(1)
    }

    /// The event that a page beyond the regular ones of a host is about, if it is there in this month.
    pub fn event_of(&self, host: &Host, index: u64, month: u32) -> Option<(usize, u64)> {
        let beyond = index.checked_sub(host.size)?;
        let number = (beyond / self.event_pages_per_host()) as usize;
        let event = self.events.get(number)?;
        let there = event.pages_since()? <= self.month_of(month) && event.has_slot(host.slot);
        there.then_some((number, beyond % self.event_pages_per_host()))
    }

    /// Index of an event's page on a host that takes part.
    pub fn event_index(&self, host: &Host, number: usize, page: u64) -> u64 {
        host.size + number as u64 * self.event_pages_per_host() + page
    }

    /// The events that the page at `index` has taken up until `month`: they show in its text.
    pub fn events_on(
        &self,
        host: &Host,
        index: u64,
        month: u32,
    ) -> impl Iterator<Item = (usize, &Event)> {
        let is_first = self.takes_up(host, index);
        let month = if self.events.is_empty() {
            month
        } else {
            self.month_of(month)
        };
        self.events
            .iter()
            .enumerate()
            .filter(move |(number, event)| {
                event.month <= month
                    && match event.kind {
                        Kind::Linked => is_first && event.has_slot(host.slot),
                        Kind::Edits => {
                            event.has_slot(host.slot)
                                && self.edited_by(host, *number).contains(&index)
                        }
                        Kind::Links => false,
                    }
            })
    }

    /// The events that the page at `index` links to in `month`, each with the number of pages of its own host.
    pub fn links_to_events(
        &self,
        host: &Host,
        index: u64,
        month: u32,
    ) -> impl Iterator<Item = (usize, u64)> {
        let is_first = self.takes_up(host, index);
        let month = if self.events.is_empty() {
            month
        } else {
            self.month_of(month)
        };
        let all = self.event_pages_per_host();
        self.events
            .iter()
            .enumerate()
            .filter_map(move |(number, event)| {
                let happened = event.month <= month;
                if !is_first || !event.has_slot(host.slot) {
                    return None;
                }
                match event.kind {
                    Kind::Linked | Kind::Links if happened => Some((number, all)),
                    Kind::Links if index == ARCHIVE => Some((number, 1)),
                    _ => None,
                }
            })
    }

    /// How many events of links the page at `index` has taken up until `month`.
    pub fn attention_on(&self, host: &Host, index: u64, month: u32) -> u64 {
        let happened = |number: usize| {
            let event = &self.events[number];
            event.kind == Kind::Links && event.month <= self.month_of(month)
        };
        self.links_to_events(host, index, month)
            .filter(|(number, _)| happened(*number))
            .count() as u64
    }

    fn takes_up(&self, host: &Host, index: u64) -> bool {
        index < host.size && index < FOLDER_PAGES && CHANGED.contains(&index)
    }

    /// Indexes of the pages of a host that an event of edits changes: drawn, as many as other events bring.
    fn edited_by(&self, host: &Host, number: usize) -> Vec<u64> {
        if host.size < 2 {
            return Vec::new();
        }
        let draw = self.event_draw(host, 0, number);
        let mut found: Vec<u64> = (0..self.event_pages_per_host())
            .map(|place| self.original(host, 1 + below(hash(draw, place), host.size - 1)))
            .collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Indexes of the pages of a host that an event changes.
    fn changed_by_event(&self, host: &Host, number: usize) -> Vec<u64> {
        if self.events[number].kind == Kind::Edits {
            return self.edited_by(host, number);
        }
        CHANGED
            .into_iter()
            .filter(|index| *index < host.size && self.original(host, *index) == *index)
            .collect()
    }

    /// Addresses of the pages of an event, as they are in `month`.
    pub fn event_urls(&self, number: usize, month: u32) -> EventUrls {
        let mut found = EventUrls::default();
        let kind = self.events[number].kind;
        for &slot in &self.events[number].slots {
            if !self.is_present(slot, month) {
                continue;
            }
            let host = self.host(slot, month);
            let address = |index: u64| {
                let mut out = Vec::new();
                self.push_url(&mut out, &host, index, Guise::Page, month);
                String::from_utf8(out).expect("addresses are UTF-8")
            };
            let own = (0..self.event_pages_per_host())
                .map(|page| address(self.event_index(&host, number, page)));
            match kind {
                Kind::Linked => found.born.extend(own),
                Kind::Links => found.linked.extend(own),
                Kind::Edits => {}
            }
            let changed = self.changed_by_event(&host, number);
            found.changed.extend(changed.into_iter().map(address));
        }
        found
    }

    /// The rank of a query at the place `u` of the query log: popularity falls as 1 / (rank + 1).
    pub fn query_rank(&self, u: f64) -> u64 {
        self.queries.rank(u)
    }

    /// Appends the text of the query of a rank: one to three words of one topic, in English.
    pub fn push_query(&self, out: &mut Vec<u8>, rank: u64) {
        let mut stream = Stream::new(self.seed ^ purpose::QUERY, rank);
        let topic = stream.below(self.spec.topics);
        for place in 0..1 + stream.below(3) {
            if place > 0 {
                out.push(b' ');
            }
            self.words
                .push_topical(out, Language::English, topic, stream.draw());
        }
    }

    /// A draw for one use of an event on a page.
    pub fn event_draw(&self, host: &Host, index: u64, number: usize) -> u64 {
        hash(self.place_key(host, index) ^ purpose::EVENT, number as u64)
    }
}
