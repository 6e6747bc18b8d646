//! What a page and its host say about uses of it, as it is recorded with each capture.
//!
//! `x-robots-tag`, `content-usage`, `content-signal` as their headers came; `tdm-reservation` and `tdm-policy` (header, else
//! meta); `robots-meta` (the directives of meta robots that count); `robots-txt` (each signal of robots.txt).

use super::fetcher::{Asked, Fetcher};
use super::page::Page;
use super::skip_reasons::Reason;
use crate::web::html::{NOARCHIVE, NOFOLLOW, NOINDEX};
use memchr::memmem;

/// Characters of one statement that are recorded.
const LONGEST: usize = 500;
/// Bytes of a page in which its head is expected.
const HEAD: usize = 64 << 10;
const TDM: [&str; 2] = ["tdm-reservation", "tdm-policy"];

/// Statements by name, in a fixed order.
pub type Signals = Vec<(&'static str, String)>;

/// Everything that is said about a page.
pub fn gather(asked: &Asked, page: &Page) -> Signals {
    let mut found = Signals::new();
    for name in [
        "x-robots-tag",
        "content-usage",
        "content-signal",
        TDM[0],
        TDM[1],
    ] {
        let lines = page.answer.headers();
        let lines: Vec<_> = lines
            .filter(|(other, _)| other.eq_ignore_ascii_case(name.as_bytes()))
            .map(|(_, value)| clean(value))
            .collect();
        if !lines.is_empty() {
            let text = lines.join(", ");
            found.push((name, text.chars().take(LONGEST).collect()));
        }
    }
    let bits = page.scan.as_ref().map_or(0, |scan| scan.robots);
    let words = [
        (NOINDEX, "noindex"),
        (NOFOLLOW, "nofollow"),
        (NOARCHIVE, "noarchive"),
    ];
    let words = words.iter().filter(|(bit, _)| bits & bit != 0);
    let words: Vec<&str> = words.map(|(_, word)| *word).collect();
    if !words.is_empty() {
        found.push(("robots-meta", words.join(",")));
    }
    if page.scan.is_some() {
        let head = &page.answer.body[..page.answer.body.len().min(HEAD)];
        for name in TDM {
            if !found.iter().any(|(other, _)| *other == name)
                && let Some(content) = meta(head, name)
            {
                found.push((name, content));
            }
        }
    }
    if let Some(rules) = &asked.visit.robots {
        for line in &rules.signals {
            let text = clean(line.as_bytes());
            found.push(("robots-txt", text.chars().take(LONGEST).collect()));
        }
    }
    found
}

/// Whether the right to mine text and data is reserved.
pub fn is_reserved(signals: &Signals) -> bool {
    signals
        .iter()
        .any(|(name, value)| *name == TDM[0] && value.trim().starts_with('1'))
}

/// Everything in one line, for the index.
pub fn join(signals: &Signals) -> Option<String> {
    let parts: Vec<_> = signals
        .iter()
        .map(|(name, value)| format!("{name}: {value}"))
        .collect();
    (!parts.is_empty()).then(|| parts.join("; "))
}

impl Fetcher {
    /// Whether nobody asks that a page is not kept.
    pub(super) fn may_keep(&self, page: &Page) -> bool {
        let limits = &self.config.limits;
        let reason = if limits.obey_robots && page.robots & NOARCHIVE != 0 {
            Reason::Noarchive
        } else if !limits.store_reserved && is_reserved(&page.signals) {
            Reason::Reserved
        } else {
            return true;
        };
        self.tools.counters.cuts.note(reason, || page.url.clone());
        false
    }
}

/// What the index says of a page's wishes, and of what it is.
pub fn robots_of(page: &Page) -> Option<String> {
    let words = [
        (page.robots & NOINDEX != 0, "noindex"),
        (page.robots & NOFOLLOW != 0, "nofollow"),
        (page.is_soft, "soft-404"),
        (page.is_robots, "robots-txt"),
    ];
    let words: Vec<&str> = words
        .iter()
        .filter(|(is_so, _)| *is_so)
        .map(|(_, word)| *word)
        .collect();
    (!words.is_empty()).then(|| words.join(","))
}

/// The content of `<meta name=…>`, looked for without a parser: most pages have no such name at all.
fn meta(head: &[u8], name: &str) -> Option<String> {
    let place = memmem::find(head, name.as_bytes())?;
    let start = memchr::memrchr(b'<', &head[..place])?;
    let end = place + memchr::memchr(b'>', &head[place..])?;
    let tag = String::from_utf8_lossy(&head[start..end]);
    if !tag.get(..5)?.eq_ignore_ascii_case("<meta") {
        return None;
    }
    let lower = tag.to_ascii_lowercase();
    let content = lower.find("content")? + "content".len();
    let value = tag.get(content..)?.trim_start().strip_prefix('=')?;
    let value = value.trim_start();
    let text = match value.chars().next()? {
        quote @ ('"' | '\'') => value[1..].split(quote).next()?,
        _ => value.split(|c: char| c.is_ascii_whitespace()).next()?,
    };
    Some(clean(text.as_bytes()).chars().take(LONGEST).collect())
}

/// Text without what could end a line.
fn clean(value: &[u8]) -> String {
    let text = String::from_utf8_lossy(value);
    let text: String = text
        .chars()
        .map(|letter| if letter.is_control() { ' ' } else { letter })
        .collect();
    text.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_meta_element_is_found_whatever_its_style() {
        for (page, said) in [
            (r#"<meta name="tdm-reservation" content="1">"#, Some("1")),
            ("<META content=1 name=tdm-reservation>", Some("1")),
            ("<p>tdm-reservation</p>", None),
            ("<meta name=tdm-reservation", None),
            ("tdm-reservation", None),
        ] {
            assert_eq!(meta(page.as_bytes(), TDM[0]).as_deref(), said, "{page}");
        }
    }
}
