//! Soft 404s: pages that say with status 200 that nothing is there.
//!
//! A host is asked once for a path that cannot be there. If it answers 200 with a page, the shape of that page, without
//! the address that was asked for, tells its other pages of that kind. The answer to a probe is not stored: no page
//! leads there.

use super::fetcher::{Asked, Fetcher};
use super::frontier::Frontier;
use super::page::Page;
use super::workbench::{State, Task};
use crate::web::html::{self, Scan, Wants};
use memchr::memmem;
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// Shorter pieces of an address may stand in a text for other reasons.
const SHORTEST: usize = 4;

impl Frontier {
    /// Lets a host be asked for a path that cannot be there, if it is time.
    pub(super) fn probe(&mut self, host: u32) {
        let after = self.config.limits.probe_after;
        let seed = self.clock.now();
        let state = self.bench.get_mut(host);
        if after == 0 || state.is_probed || state.pages < after || state.state != State::Open {
            return;
        }
        state.is_probed = true;
        let mut drawn = xxh3_64_with_seed(state.origin.as_bytes(), seed);
        let mut target = String::from("/");
        for _ in 0..13 {
            target.push(char::from(b'a' + (drawn % 26) as u8));
            drawn /= 26;
        }
        let rules = state.robots.as_ref();
        if rules.is_none_or(|rules| rules.allows(target.as_bytes())) {
            state.errands.push_back(Task {
                target: target.into(),
                depth: 0,
                redirects: 0,
                attempt: 0,
                robots_for: None,
                is_probe: true,
                is_part: false,
                validators: None,
            });
        }
    }
}

impl Fetcher {
    /// Tells whether a page says that nothing is there; of a probe, what that looks like.
    pub(super) fn judge_soft(&self, asked: &Asked, page: &mut Page) -> Option<u64> {
        let shape = page.scan.as_ref().map(|_| page.shape)?;
        if page.answer.status != 200 || asked.task.target.as_ref() == "/" {
            return None;
        }
        if asked.task.is_probe {
            page.is_soft = true;
            return Some(self.masked(asked, page).unwrap_or(shape));
        }
        if let Some(soft) = asked.visit.soft {
            page.is_soft = shape == soft || self.masked(asked, page) == Some(soft);
        }
        None
    }

    /// The shape of a page without the address by which it was asked for; none if that does not occur in it.
    fn masked(&self, asked: &Asked, page: &Page) -> Option<u64> {
        let target = asked.task.target.as_ref();
        let path = target.split('?').next().unwrap_or(target);
        let last = path.trim_end_matches('/').rsplit('/').next().unwrap_or("");
        let mut body = None;
        for piece in [target, path, path.trim_start_matches('/'), last] {
            let text = body.as_deref().unwrap_or(&page.answer.body[..]);
            if piece.len() >= SHORTEST && memmem::find(text, piece.as_bytes()).is_some() {
                body = Some(without(text, piece.as_bytes()));
            }
        }
        let wants = Wants {
            agents: &self.config.agents,
            ..Wants::default()
        };
        let mut scan = Scan::default();
        html::scan(&body?, page.charset.as_deref(), &wants, &mut scan);
        Some(scan.shape())
    }
}

fn without(text: &[u8], piece: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(place) = memmem::find(rest, piece) {
        out.extend_from_slice(&rest[..place]);
        rest = &rest[place + piece.len()..];
    }
    out.extend_from_slice(rest);
    out
}
