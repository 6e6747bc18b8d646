//! When the content of an address changed, in continuous time: the truth about revisits.

use super::Web;
use super::address::Asked;
use super::clock::observe;
use super::page::View;
use xxhash_rust::xxh3::xxh3_64;

/// From a tick on, the status of an address and a hash of its main content (0 where it is no page).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct State {
    pub since: u32,
    pub status: u16,
    pub content: u64,
}

impl Web {
    /// The states of an address from one tick until another, each with the tick at which it began; the first one began at
    /// `since` or before.
    pub fn history(&self, url: &str, since: u32, until: u32) -> Vec<State> {
        let mut found: Vec<State> = Vec::new();
        let mut moment = since;
        loop {
            let (state, _, next) = observe(|| self.state(url, moment));
            let is_same = found
                .last()
                .is_some_and(|last| (last.status, last.content) == (state.status, state.content));
            if !is_same {
                found.push(state);
            }
            if next > until || next <= moment {
                return found;
            }
            moment = next;
        }
    }

    fn state(&self, url: &str, moment: u32) -> State {
        let mut state = State {
            since: moment,
            status: 0,
            content: 0,
        };
        let Some((host, _, asked)) = self.locate(url, moment) else {
            return state;
        };
        state.status = self.status(&host, asked);
        if let Asked::Page { index, guise } = asked
            && state.status == 200
        {
            let mut links = Vec::new();
            self.links(&host, index, guise, moment, &mut links);
            let view = View {
                host: &host,
                index,
                guise,
                month: moment,
                is_browser: false,
            };
            state.content = xxh3_64(self.main_text(view, &links).as_bytes()).max(1);
        }
        state
    }
}
