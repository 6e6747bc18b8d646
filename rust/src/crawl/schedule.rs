//! A crawl on a schedule: which URL is visited when is decided outside (`webstrata.crawl.schedule`).
//!
//! URLs that the sieve releases are not queued but reported. What is to be asked for comes as [`Event::Visit`], as
//! often as the schedule wants, and goes past the sieve to the queue of its host, where politeness decides. Every visit is
//! reported with a digest of what counts as a change.
//!
//! [`Event::Visit`]: super::messages::Event::Visit

use super::Result;
use super::fetcher::{Asked, Fetcher};
use super::frontier::Frontier;
use super::messages::Notice;
use super::page::Page;
use super::record::{Batch, Record};
use super::sitemaps;
use super::workbench::Task;
use crate::store::main_content::Finder;
use crate::web::html::{Scan, Wants};
use std::time::{SystemTime, UNIX_EPOCH};
use xxhash_rust::xxh3::xxh3_64;

/// What counts as a change (`Limits::basis`); beyond these, any byte does.
const MAIN: u8 = 0;
const FINGERPRINT: u8 = 1;
const LINKS: u8 = 2;

/// A URL that ended: an answer, or with a negative status that there was none (the codes of the log).
#[derive(Clone, Debug)]
pub struct Visited {
    pub url: String,
    pub status: i32,
    /// 64 bits of what counts as a change; 0 where the answer does not tell (304, errors)
    pub content: u64,
    /// nanoseconds since 1970 by the clock of the web
    pub date: u64,
    pub bytes: u64,
    pub tag: String,
    pub modified: String,
    pub is_page: bool,
    /// it repeats a page of another URL
    pub is_copy: bool,
}

impl Frontier {
    /// Takes URLs for their hosts, whether they were there before or not.
    pub(super) fn take_up(&mut self, batch: &Batch) -> Result<()> {
        for (_, record) in batch.iter() {
            self.distributor.bring(record)?;
        }
        Ok(())
    }

    /// Lets the sieve release what is new to the schedule; how many URLs that are.
    pub(super) fn report_found(&mut self) -> Result<u64> {
        let mut urls = Vec::new();
        let released = self.sieve.flush(&mut |bytes| {
            if let Some(record) = Record::read(bytes) {
                let validators = record.validators.map(str::to_owned);
                urls.push((record.url.to_owned(), record.depth, validators));
            }
            Ok(())
        })?;
        if !urls.is_empty() {
            let _ = self.notices.send(Notice::Found(urls));
        }
        Ok(released)
    }

    /// Reports a URL that nobody will ask for, or that gave no answer after all attempts.
    pub(super) fn report_failed(&self, host: u32, task: &Task, status: i32) {
        if self.config.limits.scheduled && task.robots_for.is_none() && !task.is_probe {
            let _ = self.notices.send(Notice::Visited(Box::new(Visited {
                url: format!("{}{}", self.bench.get(host).origin, task.target),
                status,
                content: 0,
                date: self.config.date(),
                bytes: 0,
                tag: String::new(),
                modified: String::new(),
                is_page: false,
                is_copy: false,
            })));
        }
    }
}

impl super::config::Config {
    /// Nanoseconds since 1970 by the clock of the web.
    pub fn date(&self) -> u64 {
        let now = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0, |time| time.as_nanos() as u64);
        let (speed, since) = self.speed;
        let ahead = match speed == 1.0 {
            true => 0,
            false => (now.saturating_sub(since) as f64 * (speed - 1.0)) as i64,
        };
        now.saturating_add_signed(self.clock.saturating_add(ahead))
    }
}

impl Fetcher {
    /// What a scan looks for so that changes can be told.
    pub(super) fn wants_contents(&self, wants: &mut Wants) {
        if self.config.limits.scheduled && self.config.limits.basis == MAIN {
            wants.anchors = true;
            wants.text = true;
        }
    }

    /// 64 bits of what counts as a change of a page, never 0.
    pub(super) fn content(&self, page: &Page) -> u64 {
        let [a, b, c, d, e, f, g, h, ..] = page.digest;
        let bytes = u64::from_le_bytes([a, b, c, d, e, f, g, h]);
        let found = match (&page.scan, self.config.limits.basis) {
            (Some(scan), MAIN) => self.main_content(scan),
            (Some(scan), FINGERPRINT) => scan.fingerprint.unwrap_or(bytes),
            (Some(scan), LINKS) => scan.links.iter().fold(0, |sum: u64, link| {
                // the order does not count
                sum.wrapping_add(xxh3_64(scan.target(link).as_bytes()))
            }),
            _ => bytes,
        };
        found.max(1)
    }

    fn main_content(&self, scan: &Scan) -> u64 {
        let Some(rules) = &self.config.contents else {
            return xxh3_64(scan.text.as_bytes());
        };
        let (places, _) = Finder::default().find(&scan.outline, rules, scan.text.len());
        let mut main = String::with_capacity(scan.text.len());
        for (begin, end) in places {
            main.push_str(scan.text.get(begin as usize..end as usize).unwrap_or(""));
            main.push('\n');
        }
        xxh3_64(main.as_bytes())
    }

    /// Reports a visit that was answered.
    pub(super) fn report_visit(&self, asked: &Asked, page: &Page, is_page: bool, content: u64) {
        if !self.config.limits.scheduled {
            return;
        }
        let header = |name: &str| {
            let value = page.answer.header(name).unwrap_or(b"");
            String::from_utf8_lossy(value).replace(['\n', '\r'], "")
        };
        let is_copy = page
            .earlier
            .as_ref()
            .is_some_and(|earlier| earlier.url != page.url);
        let _ = self.tools.notices.send(Notice::Visited(Box::new(Visited {
            url: page.url.clone(),
            status: i32::from(page.sent_status),
            content: if page.answer.status == 200 {
                content
            } else {
                0
            },
            date: asked.date,
            bytes: page.answer.num_bytes,
            tag: header("etag"),
            modified: header("last-modified"),
            is_page: is_page && !page.is_soft,
            is_copy,
        })));
    }

    /// Whether a URL was visited before: the schedule says so with what it was known by.
    pub(super) fn is_revisit(&self, task: &Task) -> bool {
        self.config.limits.scheduled
            && task.validators.is_some()
            && sitemaps::level_of(task.validators.as_deref()) == 0
    }
}
