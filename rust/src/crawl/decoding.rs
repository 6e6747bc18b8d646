//! Content codings of answers: undone within limits of number, size and memory.

use super::counters::add;
use super::fetcher::{Asked, Fetcher};
use super::rules::MAX_ROBOTS;
use crate::web::http::{self, Answer, Codings, Cut, Decoded, LARGE};
use tokio::sync::SemaphorePermit;

/// Bodies of an event loop that are large when decoded and not yet stored; the others wait as they came.
pub const LARGE_AT_ONCE: usize = 2;

/// The right to keep a large body, if it is one.
pub type Turn<'a> = Option<SemaphorePermit<'a>>;

impl Fetcher {
    /// Undoes the content codings of the body; whether there was one, and the turn that a large body needs.
    pub(super) async fn decode(&self, asked: &Asked<'_>, answer: &mut Answer) -> (bool, Turn<'_>) {
        let limit = match asked.task.robots_for {
            Some(_) => self.config.limits.max_response.max(MAX_ROBOTS),
            None => self.config.limits.max_response,
        };
        let turn = async || self.tools.large.acquire().await.ok();
        let list = answer.list("content-encoding").unwrap_or_default();
        let codings = match http::read_codings(&list) {
            Codings::Known(codings) => codings,
            Codings::TooMany(number) => {
                add(&self.tools.counters.undecoded, 1);
                let most = http::MAX_CODINGS;
                answer.undecoded = Some(format!("{number} codings, more than {most}"));
                return (false, None);
            }
            // what is no coding that we know stays, and its header says so
            Codings::Unknown | Codings::None => match answer.body.len() > LARGE {
                true => return (false, turn().await),
                false => return (false, None),
            },
        };
        // a small answer may be a large page, which is known when so much of it is decoded
        let mut held = None;
        let mut decoded = None;
        if answer.body.len() <= LARGE {
            decoded = Some(self.undo(answer, &codings, limit.min(LARGE)));
        }
        let is_large = |decoded: &Decoded| limit > LARGE && decoded.cut == Some(Cut::Length);
        let decoded = match decoded.filter(|decoded| !is_large(decoded)) {
            Some(decoded) => decoded,
            None => {
                held = turn().await;
                self.undo(answer, &codings, limit)
            }
        };
        answer.body = decoded.body;
        if !decoded.is_plain {
            add(&self.tools.counters.undecoded, 1);
            answer.undecoded = Some("damaged, or a window that is too large".into());
            return (false, held);
        }
        let is_bomb = answer.cut.is_none() && decoded.cut == Some(Cut::Length);
        add(&self.tools.counters.bombs, u64::from(is_bomb));
        answer.cut = answer.cut.or(decoded.cut);
        (true, held)
    }

    fn undo(&self, answer: &Answer, codings: &str, limit: usize) -> Decoded {
        let timer = self.clock_in();
        let decoded = http::decode(&answer.body, codings, limit);
        self.clock_out(&self.tools.counters.decode_ns, timer);
        decoded
    }
}
