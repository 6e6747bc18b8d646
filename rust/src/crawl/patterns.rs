//! Traps: URLs of a host that are made by a machine and lead to nothing new.
//!
//! Two URLs of a host have one pattern if they differ in nothing but numbers and values of parameters: a segment of
//! the path that has a digit may be any such segment, of the query only the names count, in any order. For each pattern
//! 64 bits tell which of its last 64 pages repeated another page of their host: had the same shape, which is to say
//! that they differ in digits at most (`web/fingerprint.rs`). When more of them did than
//! `max_duplicate_share` allows, and of all its pages four times as many as were new, only one of 64 of its URLs is
//! fetched, whose answers can open the pattern again. The last pages alone would tell too little: a site that has two
//! addresses for each page is left with second addresses at its end, and what is new there stands among them.
//! Apart from that, a pattern that is variable in three places or more is full with `max_pages_per_pattern` pages.

use super::config::Limits;
use super::fetcher::{Asked, Fetcher};
use super::messages::Notice;
use super::page::Page;
use super::skip_reasons::Reason;
use hashbrown::HashMap;
use xxhash_rust::xxh3::xxh3_64;

/// Pages that are looked back at, and URLs of which one is fetched all the same.
const WINDOW: u32 = 64;
/// Repeats for a new page that are fetched at least: what a trap may cost.
const REPEATS: u32 = 4;
/// Places from which on a pattern has a limit: fewer are what ordinary sites number their pages by.
const MANY_PLACES: u8 = 3;
/// Patterns that are known at a time.
const MOST: usize = 1 << 18;
/// Patterns with fewer pages are forgotten first.
const FEW: u32 = 8;

/// What URLs have in common that a machine makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pattern {
    hash: u64,
    /// segments with digits, and parameters
    num_places: u8,
}

impl Pattern {
    /// The pattern of a path with its query.
    pub fn of(target: &str) -> Self {
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let (path, extra) = path.split_once(';').unwrap_or((path, ""));
        let (mut hash, mut num_places) = (0u64, 0u8);
        for segment in path.split('/') {
            let is_variable = segment.bytes().any(|byte| byte.is_ascii_digit());
            num_places = num_places.saturating_add(u8::from(is_variable));
            let own = match is_variable {
                true => 1,
                false => xxh3_64(segment.as_bytes()),
            };
            hash = (hash.rotate_left(5) ^ own).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        }
        for field in query.split('&').chain(extra.split(';')) {
            if !field.is_empty() {
                let name = field.split('=').next().unwrap_or(field);
                num_places = num_places.saturating_add(1);
                hash = hash.wrapping_add(xxh3_64(name.as_bytes()) | 1);
            }
        }
        Self { hash, num_places }
    }
}

#[derive(Debug, Default)]
struct Window {
    /// the last pages, the newest lowest; 1 for one that repeated another
    repeats: u64,
    num_pages: u32,
    num_repeats: u32,
    num_refused: u32,
}

impl Window {
    fn note(&mut self, is_repeat: bool) {
        self.repeats = self.repeats << 1 | u64::from(is_repeat);
        self.num_pages = self.num_pages.saturating_add(1);
        self.num_repeats = self.num_repeats.saturating_add(u32::from(is_repeat));
    }

    /// Whether lately, and in all, it brought next to nothing new.
    fn is_trap(&self, max_share: f64) -> bool {
        let num_new = self.num_pages - self.num_repeats;
        self.num_pages >= WINDOW
            && f64::from(self.repeats.count_ones()) > max_share * f64::from(WINDOW)
            && self.num_repeats >= num_new.saturating_mul(REPEATS)
    }
}

#[derive(Debug, Default)]
pub struct Patterns {
    windows: HashMap<(u32, u64), Window>,
}

impl Patterns {
    /// Notes that a page of a host came, and whether it repeated one of the same host.
    pub fn note(&mut self, host: u32, pattern: Pattern, is_repeat: bool) {
        if pattern.num_places == 0 {
            return;
        }
        if self.windows.len() >= MOST {
            self.windows.retain(|_, window| window.num_pages >= FEW);
            if self.windows.len() >= MOST / 2 {
                self.windows.clear();
            }
        }
        let window = self.windows.entry((host, pattern.hash)).or_default();
        window.note(is_repeat);
    }

    /// Why a URL of a host is not fetched, if it is not.
    pub fn refuses(&mut self, host: u32, target: &str, limits: &Limits) -> Option<Reason> {
        if self.windows.is_empty() {
            return None;
        }
        let pattern = Pattern::of(target);
        let window = self.windows.get_mut(&(host, pattern.hash))?;
        let most = limits.max_pages_per_pattern;
        if most > 0 && pattern.num_places >= MANY_PLACES && window.num_pages >= most {
            return Some(Reason::Pattern);
        }
        if !window.is_trap(limits.max_duplicate_share) {
            return None;
        }
        window.num_refused = window.num_refused.wrapping_add(1);
        (!window.num_refused.is_multiple_of(WINDOW)).then_some(Reason::Trap)
    }

    /// Forgets a host.
    pub fn forget(&mut self, host: u32) {
        if !self.windows.is_empty() {
            self.windows.retain(|(other, _), _| *other != host);
        }
    }
}

impl Fetcher {
    /// What an answer 200 tells about URLs like its own; if it has parameters, those who learn are told too.
    pub(super) fn observe(&self, asked: &Asked, page: &Page) -> Option<(Pattern, bool)> {
        if page.answer.status != 200 || asked.task.is_probe || self.is_revisit(asked.task) {
            return None;
        }
        let target = asked.task.target.as_ref();
        if self.config.limits.dust_support > 0 && !page.is_soft && target.contains(['?', ';']) {
            let _ = self.tools.notices.send(Notice::Seen {
                origin: asked.visit.origin.to_string(),
                target: target.to_owned(),
                content: page.shape,
            });
        }
        let is_repeat = page.copies.own > 0;
        Some((Pattern::of(target), is_repeat || page.is_soft))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_that_differ_in_numbers_and_values_have_one_pattern() {
        let same = [
            ("/calendar/2026/01/", "/calendar/1999/12/"),
            ("/a?x=1&y=2", "/a?y=b&x="),
            ("/a-17.html", "/b-9x.html"),
            ("/a;s=1?x=2", "/a?s&x"),
        ];
        let different = [
            ("/calendar/2026/", "/calendar/2026/01/"),
            ("/a?x=1", "/b?x=1"),
            ("/a?x=1", "/a?y=1"),
            ("/a", "/b"),
        ];
        for (one, other) in same {
            assert_eq!(Pattern::of(one), Pattern::of(other), "{one} {other}");
        }
        for (one, other) in different {
            assert_ne!(
                Pattern::of(one).hash,
                Pattern::of(other).hash,
                "{one} {other}"
            );
        }
    }
}
