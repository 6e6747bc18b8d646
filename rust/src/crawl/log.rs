//! The crawl's log: a line for each URL that was brought to its end, in the columns of Heritrix or as JSON.
//!
//! Where there is a log, a URL that waits carries how it was found behind its validators, each on a line: the page that
//! led to it, and the letters of the links from a seed to it. A sitemap carries its level behind them, with or without a log.

use super::Result;
use super::config::Config;
use super::fetcher::{Asked, Fetcher};
use super::frontier::Frontier;
use super::messages::Event;
use super::page::Page;
use super::sitemaps;
use super::steering::name_of;
use super::workbench::Task;
use crate::archive::cdxj::push_field;
use crate::archive::warc::{base32, calendar};
use crate::collection::files::{Writer, rename};
use crate::web::http::{Answer, Cut, Failure};
use std::io::Write;
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

/// The codes of Heritrix for what was not answered: by the kinds of failure, the last for 429 and 5xx.
/// A forbidden address is one that the settings forbid.
pub const FAILED: [i32; 7] = [-1, -2, -2, -4, -3, -5001, -8];
pub const ROBOTS: i32 = -9998;
pub const FILTER: i32 = -5001;
/// `Limits::log`
const JSON: u8 = 2;
/// Letters of a path, beyond which only their number is kept.
const MAX_PATH: usize = 50;

/// Where a link stands, and what its URL carries along for the log.
pub struct Source<'a> {
    pub url: &'a str,
    pub way: Option<String>,
}

/// What the log says of a URL.
struct Line<'a> {
    status: i32,
    size: Option<u64>,
    url: &'a str,
    task: &'a Task,
    mime: &'a str,
    thread: usize,
    /// nanoseconds since 1970, and milliseconds from then on
    fetched: Option<(u64, u128)>,
    digest: Option<&'a [u8; 20]>,
    notes: Vec<String>,
}

impl Line<'_> {
    fn write(&self, form: u8) -> Vec<u8> {
        let now = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0, |time| time.as_nanos() as u64);
        let [year, month, day, hour, minute, second] = calendar(now / 1_000_000_000);
        let millis = now / 1_000_000 % 1000;
        let moment =
            format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{millis:03}Z");
        let (via, mut path) = found(self.task);
        if self.task.robots_for.is_some() {
            path = "P";
        }
        let fetched = self.fetched.map(|(began, took)| {
            let [year, month, day, hour, minute, second] = calendar(began / 1_000_000_000);
            let millis = began / 1_000_000 % 1000;
            format!("{year:04}{month:02}{day:02}{hour:02}{minute:02}{second:02}{millis:03}+{took}")
        });
        let digest = self
            .digest
            .map(|digest| format!("sha1:{}", String::from_utf8_lossy(&base32(digest))));
        let notes = self.notes.join(",");
        let mut out = Vec::with_capacity(256);
        if form == JSON {
            out.push(b'{');
            push_field(&mut out, "timestamp", &moment);
            let _ = write!(out, ", \"status\": {}", self.status);
            if let Some(size) = self.size {
                let _ = write!(out, ", \"size\": {size}");
            }
            let _ = write!(out, ", \"thread\": {}", self.thread);
            for (name, value) in [
                ("url", self.url),
                ("path", path),
                ("via", via),
                ("mime", self.mime),
                ("fetched", fetched.as_deref().unwrap_or("")),
                ("digest", digest.as_deref().unwrap_or("")),
                ("annotations", &notes),
            ] {
                if !value.is_empty() {
                    push_field(&mut out, name, value);
                }
            }
            out.extend_from_slice(b"}\n");
            return out;
        }
        let size = self
            .size
            .map_or_else(|| "-".to_owned(), |size| size.to_string());
        let _ = write!(out, "{moment} {:>5} {size:>10}", self.status);
        let thread = format!("#{:03}", self.thread);
        for value in [
            self.url,
            path,
            via,
            self.mime,
            &thread,
            fetched.as_deref().unwrap_or(""),
            digest.as_deref().unwrap_or(""),
            "",
            &notes,
        ] {
            out.push(b' ');
            // a server may put anything into its Content-Type, and a column has no blanks
            let letters = value.bytes();
            out.extend(letters.map(|byte| {
                if byte > b' ' && byte < 0x7f {
                    byte
                } else {
                    b'_'
                }
            }));
            if value.is_empty() {
                out.push(b'-');
            }
        }
        out.push(b'\n');
        out
    }
}

/// The page that led to a URL and the letters of the links to it, as far as they are known.
fn found(task: &Task) -> (&str, &str) {
    let mut lines = task.validators.as_deref().unwrap_or("").split('\n').skip(2);
    (lines.next().unwrap_or(""), lines.next().unwrap_or(""))
}

/// A path with one letter more; of a long one only its end and how many letters are before it.
fn lengthen(path: &str, letter: char) -> String {
    let (before, letters) = path.split_once('+').unwrap_or(("0", path));
    let mut letters = format!("{letters}{letter}");
    let mut before: usize = before.parse().unwrap_or(0);
    while letters.len() > MAX_PATH {
        letters.remove(0);
        before += 1;
    }
    match before {
        0 => letters,
        _ => format!("{before}+{letters}"),
    }
}

impl Fetcher {
    /// A page as the source of links of a letter: L a link, E what belongs to a page, R a redirect, M a sitemap.
    pub(super) fn source<'a>(&self, asked: &Asked, url: &'a str, letter: char) -> Source<'a> {
        // a sitemap that is elsewhere is as deep in indexes as it was
        let level = match letter {
            'R' => sitemaps::level_of(asked.task.validators.as_deref()),
            _ => 0,
        };
        self.source_at(asked, url, letter, level)
    }

    /// The same for sitemaps on a level of indexes; 0 for what is none.
    pub(super) fn source_at<'a>(
        &self,
        asked: &Asked,
        url: &'a str,
        letter: char,
        level: u8,
    ) -> Source<'a> {
        let mut way = (self.config.limits.log != 0).then(|| {
            let path = lengthen(found(asked.task).1, letter);
            format!("\n\n{url}\n{path}")
        });
        if level > 0 {
            let text = way.get_or_insert_with(|| "\n\n\n".to_owned());
            text.push_str(&format!("\n{level}"));
        }
        Source { url, way }
    }

    pub(super) fn log_page(&self, asked: &Asked, page: &Page) {
        if self.config.limits.log == 0 {
            return;
        }
        let mut notes = Vec::new();
        if asked.task.attempt > 0 {
            notes.push(format!("{}t", asked.task.attempt + 1));
        }
        notes.extend(page.answer.cut.map(|cut| match cut {
            Cut::Length => "lenTrunc".into(),
            Cut::Time => "timeTrunc".into(),
            Cut::Disconnect => "midFetchTrunc".into(),
        }));
        notes.extend(page.earlier.as_ref().map(|earlier| match earlier.is_same {
            true => "duplicate:digest".into(),
            false => "duplicate:fingerprint".into(),
        }));
        if page.answer.undecoded.is_some() {
            notes.push("undecoded".into());
        }
        if !page.is_kept {
            notes.push("unwritten".into());
        }
        self.log(&Line {
            status: i32::from(page.sent_status),
            size: Some(page.answer.body.len() as u64),
            url: &page.url,
            task: asked.task,
            mime: &page.content_type,
            thread: self.tools.number + 1,
            fetched: Some((asked.date, asked.took.as_millis())),
            digest: Some(&page.digest),
            notes,
        });
    }

    pub(super) fn log_robots(&self, asked: &Asked, answer: &Answer) {
        if self.config.limits.log == 0 {
            return;
        }
        self.log(&Line {
            status: i32::from(answer.status),
            size: Some(answer.body.len() as u64),
            url: &format!("{}{}", asked.visit.origin, asked.task.target),
            task: asked.task,
            mime: &answer.content_type().0,
            thread: self.tools.number + 1,
            fetched: Some((asked.date, asked.took.as_millis())),
            digest: None,
            notes: if !self.config.limits.store_robots {
                vec!["unwritten".into()]
            } else {
                Vec::new()
            },
        });
    }

    fn log(&self, line: &Line) {
        let _ = self
            .tools
            .events
            .send(Event::Log(line.write(self.config.limits.log)));
    }
}

impl Frontier {
    /// Notes a name that leads nowhere, or to where nobody may go, as a URL of the scheme `dns`.
    pub(super) fn log_name(&mut self, host: u32, failure: Failure) {
        if self.config.limits.log == 0 {
            return;
        }
        let state = self.bench.get(host);
        let task = Task {
            is_probe: false,
            is_part: false,
            target: "".into(),
            depth: 0,
            redirects: 0,
            attempt: state.failures.saturating_sub(1),
            robots_for: Some(host),
            validators: None,
        };
        let url = format!("dns:{}", name_of(&state.origin));
        let (status, note) = (FAILED[failure as usize], Failure::NAMES[failure as usize]);
        self.log_url(&url, &task, status, note);
    }

    /// Notes a URL that nobody will ask for: the fetchers tell of the others.
    pub(super) fn log(&mut self, host: u32, task: &Task, status: i32, note: &str) {
        self.report_failed(host, task, status);
        if self.config.limits.log != 0 {
            let url = format!("{}{}", self.bench.get(host).origin, task.target);
            self.log_url(&url, task, status, note);
        }
    }

    fn log_url(&mut self, url: &str, task: &Task, status: i32, note: &str) {
        let mut notes = Vec::new();
        if task.attempt > 0 {
            notes.push(format!("{}t", task.attempt + 1));
        }
        if !note.is_empty() {
            notes.push(note.to_owned());
        }
        let line = Line {
            status,
            size: None,
            url,
            task,
            mime: "",
            thread: 0,
            fetched: None,
            digest: None,
            notes,
        };
        let text = line.write(self.config.limits.log);
        self.outgoing.push(super::flusher::Message::Log(text));
    }
}

/// `crawl.log`, which gets a number when it is full.
pub struct Log {
    path: PathBuf,
    writer: Option<Writer>,
    pending: Vec<u8>,
    most: u64,
    serial: u32,
}

impl Log {
    pub fn open(config: &Config) -> Result<Self> {
        let path = config.folder.join("crawl.log");
        let writer = match config.limits.log {
            0 => None,
            _ => Some(Writer::append(&path)?),
        };
        Ok(Self {
            path,
            writer,
            pending: Vec::new(),
            most: config.limits.log_size,
            serial: 0,
        })
    }

    pub fn take(&mut self, lines: &[u8]) -> Result<()> {
        self.pending.extend_from_slice(lines);
        if self.pending.len() > 64 << 10 {
            self.write()?;
        }
        Ok(())
    }

    pub fn write(&mut self) -> Result<()> {
        let Some(writer) = self.writer.as_mut().filter(|_| !self.pending.is_empty()) else {
            return Ok(());
        };
        writer.put(&self.pending)?;
        self.pending.clear();
        if writer.position() < self.most {
            return Ok(());
        }
        let mut full = self.path.clone();
        while full.exists() {
            full = self
                .path
                .with_file_name(format!("crawl-{:05}.log", self.serial));
            self.serial += 1;
        }
        rename(&self.path, &full)?;
        self.writer = Some(Writer::append(&self.path)?);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::lengthen;

    #[test]
    fn a_long_path_keeps_its_end_and_its_length() {
        assert_eq!(lengthen("", 'L'), "L");
        assert_eq!(lengthen("LLE", 'R'), "LLER");
        let long = "L".repeat(50);
        assert_eq!(lengthen(&long, 'E'), format!("1+{}E", "L".repeat(49)));
        let longer = format!("7+{long}");
        assert_eq!(lengthen(&longer, 'L'), format!("8+{long}"));
    }
}
