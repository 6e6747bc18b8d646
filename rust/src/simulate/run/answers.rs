//! What requests bring: pages, what leads on to one, or nothing; which of them fail, and that hosts are asked for their
//! robots.txt. As in the crawler (`crawl/visits.rs`), a failure lets the host rest, and the page is its next one.

use std::collections::HashMap;

/// Pages in a row that a host may fail to bring before it is given up, as in the crawler.
const MAX_LOST: u8 = 4;

#[derive(Clone, Copy, PartialEq)]
pub enum Answer {
    Page,
    /// An error, or a page that is none of the collection.
    Nothing,
    /// A redirect or a duplicate: it stands for another page.
    LeadsOn,
    /// Never asked for.
    Forbidden,
}

/// What came of a request.
pub enum Outcome {
    Works,
    /// After so many seconds.
    Again(f64),
    Lost,
}

/// A page that is asked for again: how often it failed, and the key by which it was chosen.
struct Errand {
    attempts: u8,
    key: f64,
}

#[derive(Default)]
pub struct Answers {
    /// Of each node: 0 page, 1 nothing, 2 leads on, 3 forbidden; none where all are pages.
    pub kinds: Vec<u8>,
    /// How many requests for each node fail before one works; none where all work.
    pub failures: Vec<u8>,
    /// Seconds that a host rests after each failed attempt, the last excepted.
    pub retry_delays: Vec<f64>,
    /// Seconds that a robots.txt takes, and counts; none where nobody asks for it.
    pub robots: Option<(f64, f64)>,
    robots_until: Vec<f64>,
    /// Of each host, how many pages in a row were lost.
    lost_of: Vec<u8>,
    errands: HashMap<u32, Errand>,
    /// All of them, robots.txt too.
    pub requests: u64,
    pub failed: u64,
    pub lost: u64,
    pub robots_asked: u64,
}

impl Answers {
    pub fn open(&mut self, num_hosts: usize) {
        self.lost_of = vec![0; num_hosts];
        if self.robots.is_some() {
            self.robots_until = vec![f64::NEG_INFINITY; num_hosts];
        }
    }

    #[inline]
    pub fn of(&self, node: u32) -> Answer {
        match self.kinds.get(node as usize) {
            None | Some(0) => Answer::Page,
            Some(1) => Answer::Nothing,
            Some(2) => Answer::LeadsOn,
            Some(_) => Answer::Forbidden,
        }
    }

    #[inline]
    pub fn count(&mut self) -> u64 {
        self.requests += 1;
        self.requests
    }

    /// What a request for the robots.txt of a host takes, if one is due.
    pub fn due_robots(&self, host: u32, now: f64) -> Option<f64> {
        let (seconds, _) = self.robots?;
        (self.robots_until[host as usize] <= now).then_some(seconds)
    }

    pub fn hear_robots(&mut self, host: u32, now: f64) {
        if let Some((_, counts)) = self.robots {
            self.robots_until[host as usize] = now + counts;
            self.robots_asked += 1;
        }
    }

    /// The key of a page that is asked for again, if it is.
    pub fn errand(&self, node: u32) -> Option<f64> {
        self.errands.get(&node).map(|errand| errand.key)
    }

    /// What came of the last request for a page.
    #[inline]
    pub fn hear(&mut self, node: u32, key: f64) -> Outcome {
        let Some(&failures) = self.failures.get(node as usize) else {
            return Outcome::Works;
        };
        let attempts = self.errands.get(&node).map_or(0, |errand| errand.attempts);
        if attempts >= failures {
            self.errands.remove(&node);
            return Outcome::Works;
        }
        self.failed += 1;
        match self.retry_delays.get(usize::from(attempts)) {
            Some(&delay) => {
                let attempts = attempts + 1;
                self.errands.insert(node, Errand { attempts, key });
                Outcome::Again(delay)
            }
            None => {
                self.errands.remove(&node);
                self.lost += 1;
                Outcome::Lost
            }
        }
    }

    /// A host has brought a page, or has not; true if it is given up.
    #[inline]
    pub fn judge(&mut self, host: u32, has_come: bool) -> bool {
        let lost = &mut self.lost_of[host as usize];
        *lost = if has_come { 0 } else { lost.saturating_add(1) };
        *lost >= MAX_LOST
    }
}
