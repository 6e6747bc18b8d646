//! Content codings of answers: undone within limits of number, size and memory.

use super::counters::add;
use super::fetcher::{Asked, Fetcher};
use super::rules::MAX_ROBOTS;
use crate::web::http::{self, Answer, Codings, Cut, Decoded, LARGE};
use tokio::sync::SemaphorePermit;

/// A decoded body above this waits for a turn; nearly all pages are smaller.
const MEDIUM: usize = 256 << 10;
/// Turns of an event loop to keep a decoded body until it is stored: a body above [`MEDIUM`] takes one, one above
/// [`LARGE`] half of them. Others wait as they came.
pub const TURNS: u32 = 16;

/// The right to keep a large body, if it is one.
pub type Turn<'a> = Option<SemaphorePermit<'a>>;

impl Fetcher {
    /// Undoes the content codings of the body; whether there was one, and the turn that a large body needs.
    pub(super) async fn decode(&self, asked: &Asked<'_>, answer: &mut Answer) -> (bool, Turn<'_>) {
        let limit = match asked.task.robots_for {
            Some(_) => self.config.limits.max_response.max(MAX_ROBOTS),
            None => self.config.limits.max_response,
        };
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
                true => return (false, self.turn(TURNS / 2).await),
                false => return (false, None),
            },
        };
        let (decoded, held) = self.undo_in_turn(answer, &codings, limit).await;
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

    /// A small answer may be a large page, which is known when so much of it is decoded: it is decoded again in its turn.
    async fn undo_in_turn(
        &self,
        answer: &Answer,
        codings: &str,
        limit: usize,
    ) -> (Decoded, Turn<'_>) {
        for (most, number) in [(MEDIUM, 0), (LARGE, 1)] {
            if answer.body.len() <= most {
                let held = self.turn(number).await;
                let decoded = self.undo(answer, codings, limit.min(most));
                if limit <= most || decoded.cut != Some(Cut::Length) {
                    return (decoded, held);
                }
            }
        }
        let held = self.turn(TURNS / 2).await;
        (self.undo(answer, codings, limit), held)
    }

    async fn turn(&self, number: u32) -> Turn<'_> {
        match number {
            0 => None,
            _ => self.tools.large.acquire_many(number).await.ok(),
        }
    }

    fn undo(&self, answer: &Answer, codings: &str, limit: usize) -> Decoded {
        let timer = self.clock_in();
        let decoded = http::decode(&answer.body, codings, limit);
        self.clock_out(&self.tools.counters.decode_ns, timer);
        decoded
    }
}
