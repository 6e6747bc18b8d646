//! What becomes of a robots.txt.

use super::counters::add;
use super::fetcher::{Asked, Fetcher};
use super::links::Step;
use super::messages::{Event, Outcome, RobotsAnswer};
use super::record::Batch;
use super::{Result, sieve};
use crate::web::http::{Answer, Cut};
use crate::web::robots::Robots;
use crate::web::url;
use std::sync::Arc;

/// RFC 9309 asks for 500 KiB at least.
pub const MAX_ROBOTS: usize = 1 << 20;

impl Fetcher {
    pub(super) fn receive_robots(
        &self,
        asked: &Asked,
        answer: Answer,
        is_decoded: bool,
    ) -> Result<Outcome> {
        add(&self.tools.counters.robots, 1);
        self.log_robots(asked, &answer);
        let outcome = self.read_robots(asked, &answer)?;
        if self.config.limits.store_robots {
            self.keep_robots(asked, answer, is_decoded)?;
        }
        Ok(outcome)
    }

    /// Stores a robots.txt as a capture, marked as one that is no page.
    fn keep_robots(&self, asked: &Asked, answer: Answer, is_decoded: bool) -> Result<()> {
        let mut page = self.page(asked, answer, is_decoded);
        page.is_robots = true;
        page.past = self.recall_digest(&page);
        let stored = self.store(asked, &page)?;
        let _ = self.tools.events.send(Event::Done {
            hash: sieve::hash(page.url.as_bytes()),
            stored: Some(Box::new(stored)),
        });
        Ok(())
    }

    fn read_robots(&self, asked: &Asked, answer: &Answer) -> Result<Outcome> {
        let task = asked.task.clone();
        let of = task.robots_for.unwrap_or(asked.visit.host);
        let said = match answer.status {
            // half a file would allow too much
            200..=299 if matches!(answer.cut, Some(Cut::Time | Cut::Disconnect)) => {
                RobotsAnswer::Unavailable(0.0)
            }
            // and so would one that cannot be read
            200..=299 if answer.undecoded.is_some() => RobotsAnswer::Unavailable(0.0),
            200..=299 => {
                let rules =
                    Robots::parse(&answer.body, &self.config.user_agents(), MAX_ROBOTS, false);
                if self.config.limits.sitemaps {
                    self.send_sitemaps(asked, &rules)?;
                }
                RobotsAnswer::Rules(Arc::new(rules))
            }
            300..=399 => match self.location(asked, answer) {
                Some(target) => RobotsAnswer::Redirect(target),
                None => RobotsAnswer::Rules(Arc::default()),
            },
            400..=499 if answer.status != 429 => RobotsAnswer::Rules(Arc::default()),
            _ => RobotsAnswer::Unavailable(answer.retry_after()),
        };
        Ok(Outcome::Robots { of, task, said })
    }

    fn send_sitemaps(&self, asked: &Asked, rules: &Robots) -> Result<()> {
        let base = format!("{}/robots.txt", asked.visit.origin);
        let source = self.source_at(asked, &base, 'M', 1);
        let mut batch = Batch::default();
        let mut form = Vec::new();
        for line in &rules.sitemaps {
            if url::normalize(
                line,
                Some(&base),
                self.config.limits.max_url_length,
                &mut form,
            )
            .is_ok()
            {
                let found = String::from_utf8_lossy(&form);
                self.push(&mut batch, &source, &found, Step::default());
            }
        }
        self.send(batch, &base)
    }
}
