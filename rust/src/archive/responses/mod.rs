//! Captures in files of others: unpacked, digested and scanned on all cores, a batch at a time.
//!
//! What the index tells of a capture is found here where its records are in order and could be stored as they are: one
//! gzip member each, one behind the other, the payload without codings, the HTTP head such that [`head::push_head`] would
//! write the same. The records of all others are handed over as they are read, and `webstrata.archive.responses` looks at
//! them. Where a file is damaged, or packed otherwise, a batch ends, and says so.

mod groups;

use super::warc::records::Record;
use super::warc::windows::{Stop, Window, read_window, unpack_window};
use super::warc::{base32, head, sha1};
use crate::collection::Result;
use crate::web::{html, url};
use groups::Groups;
use regex::bytes::Regex;
use std::path::Path;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};

static CHARSET: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = r#"(?i-u)\ncontent-type:[^\n]*charset=["' ]*([\w.:-]+)"#;
    Regex::new(pattern).expect("a pattern of ours")
});

/// What the index tells of a capture.
#[derive(Debug, Clone, Default)]
pub struct Facts {
    pub url: String,
    /// Nanoseconds since 1970.
    pub date: u64,
    pub status: u16,
    pub mime: String,
    pub digest: [u8; 20],
    /// What makes a capture the same as another: URL, second and digest.
    pub identity: [u8; 12],
    pub is_empty: bool,
    pub fingerprint: Option<u64>,
    pub redirect: Option<String>,
    /// What the header and the page ask of robots, bits of [`html`].
    pub header_robots: u8,
    pub page_robots: u8,
    pub duplicate_of: Option<String>,
}

impl Facts {
    /// What header and page ask of robots together, as the index tells it.
    pub fn robots(&self) -> Option<String> {
        let asked = self.header_robots | self.page_robots;
        let words = [(html::NOINDEX, "noindex"), (html::NOFOLLOW, "nofollow")];
        let words = words.iter().filter(|(bit, _)| asked & bit != 0);
        let words: Vec<&str> = words.map(|(_, word)| *word).collect();
        (!words.is_empty()).then(|| words.join(","))
    }
}

/// Bytes of blocks that are held for a window.
const MAX_HELD: usize = 32 << 20;

/// A record as it was read.
#[derive(Debug, Clone)]
pub struct Raw {
    pub offset: u64,
    pub length: u64,
    pub kind: String,
    pub headers: Vec<(String, String)>,
    pub block: Vec<u8>,
    /// The block is the HTTP head alone, since it is likely that nobody needs the rest; or nothing, for lack of room.
    pub is_head: bool,
}

/// The records of one capture, or a record that belongs to none.
#[derive(Debug, Clone)]
pub struct Group {
    pub records: Vec<Raw>,
    /// Where they are in order.
    pub facts: Option<Facts>,
}

#[derive(Debug, Default)]
pub struct Batch {
    pub groups: Vec<Group>,
    /// What was read.
    window: Window,
    pub num_records: u64,
    /// Where the next batch begins.
    pub stop: Stop,
}

impl Batch {
    /// The records of a group whose facts are known, packed as they are in the file.
    pub fn piece(&self, group: &Group) -> &[u8] {
        let start = self.window.start;
        let first = group.records.first().map_or(start, |raw| raw.offset);
        let begin = (first - start) as usize;
        &self.window.bytes[begin..begin + group.span() as usize]
    }
}

impl Group {
    /// Bytes of all its records.
    pub fn span(&self) -> u64 {
        self.records.iter().map(|raw| raw.length).sum()
    }
}

/// Reads captures from `start` on, which is where a batch ended.
pub fn read_batch(path: &Path, start: u64, pool: &rayon::ThreadPool) -> Result<Batch> {
    let look = |window: &Window| group_window(window, pool);
    let (groups, stop, window) = read_window(path, start, look)?;
    let num_records = groups.iter().map(|group| group.records.len() as u64).sum();
    Ok(Batch {
        groups,
        window,
        num_records,
        stop,
    })
}

fn group_window(window: &Window, pool: &rayon::ThreadPool) -> (Vec<Group>, Stop) {
    let held = AtomicUsize::new(0);
    let look = |scan: &mut html::Scan, record: &Record| read_member(scan, record, &held);
    let (members, stop) = unpack_window(window, pool, look);
    let mut groups = Groups::default();
    for member in members {
        let (raw, facts) = member.value;
        let raw = Raw {
            offset: member.offset,
            length: member.length,
            ..raw
        };
        groups.add(raw, facts);
    }
    if stop.is_end {
        return (groups.finish(), stop);
    }
    let (done, begin) = groups.leave();
    let next = begin.unwrap_or(stop.next);
    (done, Stop { next, ..stop })
}

/// A record without its place, and what was found about it where it is in order; `held` are the bytes of all blocks.
fn read_member(scan: &mut html::Scan, record: &Record, held: &AtomicUsize) -> (Raw, Option<Facts>) {
    let kind = record.kind();
    let facts = (kind == "response").then(|| judge(record, scan)).flatten();
    let head = facts.as_ref().and(record.message()).map(|(head, _)| head);
    let size = head.unwrap_or(record.block).len();
    // a window of bombs unpacks to a thousand times its size: what is left out is read again, one at a time
    let is_left_out = held.fetch_add(size, Ordering::Relaxed) + size > MAX_HELD;
    let head = if is_left_out { Some(&b""[..]) } else { head };
    let facts = facts.filter(|_| !is_left_out);
    let headers = record.headers.iter();
    let raw = Raw {
        offset: 0,
        length: 0,
        kind: kind.to_owned(),
        headers: headers
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect(),
        block: head.unwrap_or(record.block).to_vec(),
        is_head: head.is_some(),
    };
    (raw, facts)
}

/// What is found about a response, where it could be stored as it is.
fn judge(record: &Record, scan: &mut html::Scan) -> Option<Facts> {
    let (head, body) = record.message()?;
    let mut written = Vec::with_capacity(head.len());
    head::push_head(&mut written, head, Some(body.len()), false);
    if written != head || !head.is_ascii() || record.get("WARC-Truncated").is_some() {
        return None;
    }
    let uri = record.get("WARC-Target-URI")?;
    let mut form = Vec::new();
    url::normalize(uri, None, url::MAX_LENGTH, &mut form).ok()?;
    if form != uri.as_bytes() {
        return None;
    }
    let text = std::str::from_utf8(head).ok()?;
    let lines = text.split("\r\n").skip(1);
    let headers: Vec<(String, &str)> = lines
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.trim()))
        .collect();
    let first = |name: &str| {
        let found = headers.iter().find(|(own, _)| own == name);
        found.map(|(_, value)| *value)
    };
    if first("content-encoding").is_some() || first("transfer-encoding").is_some() {
        return None;
    }
    let told = record.get("WARC-Identified-Payload-Type");
    let mime = told
        .and_then(media_type)
        .or_else(|| media_type(first("content-type")?))?;
    let digest = sha1(&[body]);
    // digests that do not hold, or are of another kind, are not stored again
    let holds = |name: &str, digest: &dyn Fn() -> [u8; 20]| {
        let told = record.get(name);
        told.is_none_or(|told| {
            told.strip_prefix("sha1:").map(str::as_bytes) == Some(&base32(&digest()))
        })
    };
    if record.get("WARC-Record-ID").is_none()
        || !holds("WARC-Payload-Digest", &|| digest)
        || !holds("WARC-Block-Digest", &|| sha1(&[record.block]))
    {
        return None;
    }
    let date = parse_date(record.get("WARC-Date")?)?;
    let second = format!(" {} ", date / 1_000_000_000);
    let whole = sha1(&[uri.as_bytes(), second.as_bytes(), &digest]);
    let mut identity = [0; 12];
    identity.copy_from_slice(&whole[..12]);
    let mut facts = Facts {
        url: uri.to_owned(),
        date,
        identity,
        status: text.get(9..12)?.parse().ok()?,
        mime,
        digest,
        is_empty: body.is_empty(),
        ..Facts::default()
    };
    if (300..400).contains(&facts.status)
        && let Some(location) = first("location").filter(|location| !location.is_empty())
        && url::normalize(location, Some(uri), url::MAX_LENGTH, &mut form).is_ok()
    {
        facts.redirect = String::from_utf8(form).ok();
    }
    let tags: Vec<&str> = headers
        .iter()
        .filter(|(name, _)| name == "x-robots-tag")
        .map(|(_, value)| *value)
        .collect();
    facts.header_robots = html::parse_robots_directives(&tags.join(", "), &[]);
    if facts.status == 200 && matches!(&facts.mime[..], "text/html" | "application/xhtml+xml") {
        let label = CHARSET.captures(head).and_then(|found| found.get(1));
        let label = label.and_then(|label| std::str::from_utf8(label.as_bytes()).ok());
        html::scan(body, label, &html::Wants::default(), scan);
        facts.fingerprint = scan.fingerprint;
        facts.page_robots = scan.robots;
    }
    Some(facts)
}

fn media_type(value: &str) -> Option<String> {
    let name = value
        .split(';')
        .next()
        .unwrap_or("")
        .trim()
        .to_ascii_lowercase();
    let (kind, own) = name.split_once('/')?;
    let is_legal = |byte: u8| byte.is_ascii_alphanumeric() || b"_.+!#$&^-".contains(&byte);
    let is_token = |text: &str| !text.is_empty() && text.bytes().all(is_legal);
    (is_token(kind) && is_token(own)).then_some(name)
}

/// Nanoseconds since 1970 of `2001-09-09T01:46:40.123456789Z`; None for any other form.
pub fn parse_date(text: &str) -> Option<u64> {
    let (whole, rest) = text.split_at_checked(19)?;
    let bytes = whole.as_bytes();
    let marks = [(4, b'-'), (7, b'-'), (10, b'T'), (13, b':'), (16, b':')];
    marks
        .iter()
        .all(|(at, mark)| bytes[*at] == *mark)
        .then_some(())?;
    let number = |text: &str| {
        let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| text.parse::<u64>().ok()).flatten()
    };
    let field = |from: usize, to: usize| number(whole.get(from..to)?);
    let (year, month, day) = (field(0, 4)?, field(5, 7)?, field(8, 10)?);
    let (hour, minute, second) = (field(11, 13)?, field(14, 16)?, field(17, 19)?);
    if year < 1970 || hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let lengths = [
        31,
        28 + u64::from(is_leap),
        31,
        30,
        31,
        30,
        31,
        31,
        30,
        31,
        30,
        31,
    ];
    let length = lengths.get((month as usize).checked_sub(1)?)?;
    (1..=*length).contains(&day).then_some(())?;
    let before = year - 1;
    let leaps = before / 4 - before / 100 + before / 400 - 477;
    let days =
        (year - 1970) * 365 + leaps + lengths[..month as usize - 1].iter().sum::<u64>() + day - 1;
    let seconds = days * 86_400 + hour * 3_600 + minute * 60 + second;
    let fraction = rest.strip_suffix('Z')?;
    let nanoseconds = match fraction.strip_prefix('.') {
        Some(digits) => number(&format!("{:0<9}", digits.get(..digits.len().min(9))?))
            .filter(|_| !digits.is_empty() && number(digits).is_some())?,
        None if fraction.is_empty() => 0,
        None => return None,
    };
    seconds.checked_mul(1_000_000_000)?.checked_add(nanoseconds)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::archive::warc::calendar;

    #[test]
    fn dates_are_read_as_they_are_written() {
        assert_eq!(
            parse_date("2001-09-09T01:46:40.123456789Z"),
            Some(1_000_000_000_123_456_789)
        );
        for day in 0..40_000 {
            let [year, month, day_of, ..] = calendar(day * 86_400);
            let text = format!("{year:04}-{month:02}-{day_of:02}T00:00:01.5Z");
            assert_eq!(
                parse_date(&text),
                Some(day * 86_400_000_000_000 + 1_500_000_000)
            );
        }
        for text in [
            "2001-02-29T00:00:00Z",
            "2001-13-01T00:00:00Z",
            "2001-01-01T00:00:00",
            "1969-12-31T00:00:00Z",
            "2001-01-01T00:00:00.Z",
            "2001-01-01T00:00:+1Z",
        ] {
            assert_eq!(parse_date(text), None, "{text}");
        }
    }
}
