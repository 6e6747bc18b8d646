//! Planted events, which `events.py` plans: the pages they bring, and those they change.

use super::Web;
use super::draw::{Stream, hash, purpose};
use super::host::Host;
use super::layout::FOLDER_PAGES;
use super::words::Language;

#[derive(Clone, Debug)]
pub struct Event {
    pub name: String,
    pub topic: u64,
    pub month: u32,
    /// The slots that take part.
    pub slots: Vec<u64>,
    /// Two words that nobody used before.
    pub words: [String; 2],
}

/// The pages of the first folder of a host that take up an event: the home page and these.
const CHANGED: [u64; 4] = [0, 1, 2, 4];

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
        let there = event.month <= month && event.slots.binary_search(&host.slot).is_ok();
        there.then_some((number, beyond % self.event_pages_per_host()))
    }

    /// Index of an event's page on a host that takes part.
    pub fn event_index(&self, host: &Host, number: usize, page: u64) -> u64 {
        host.size + number as u64 * self.event_pages_per_host() + page
    }

    /// The events that the page at `index` has taken up until `month`: they show in its text and links.
    pub fn events_on(
        &self,
        host: &Host,
        index: u64,
        month: u32,
    ) -> impl Iterator<Item = (usize, &Event)> {
        let takes_part = index < host.size && index < FOLDER_PAGES && CHANGED.contains(&index);
        let slot = host.slot;
        self.events.iter().enumerate().filter(move |(_, event)| {
            takes_part && event.month <= month && event.slots.binary_search(&slot).is_ok()
        })
    }

    /// Indexes of the pages of a host that an event changes.
    pub fn changed_by_event(&self, host: &Host) -> Vec<u64> {
        CHANGED
            .into_iter()
            .filter(|index| *index < host.size && self.original(host, *index) == *index)
            .collect()
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
