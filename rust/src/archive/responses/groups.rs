//! Which records of a file belong to one capture.

use super::{Facts, Group, Raw};

/// Puts requests and metadata to the captures they belong to, as `webstrata.archive.responses.iter_answers` does.
#[derive(Default)]
pub struct Groups {
    done: Vec<Group>,
    open: Option<Group>,
    waiting: Option<Raw>,
}

impl Groups {
    pub fn add(&mut self, raw: Raw, facts: Option<Facts>) {
        match raw.kind.as_str() {
            "response" | "revisit" | "resource" => {
                self.close();
                let mut group = Group {
                    records: Vec::new(),
                    facts,
                };
                match self.waiting.take() {
                    Some(request) if belongs(&request, &raw) => group.records.push(request),
                    other => self.waiting = other,
                }
                group.records.push(raw);
                self.open = Some(group);
            }
            "request" => match &mut self.open {
                Some(open) if !has(open, "request") && belongs(&raw, answer(open)) => {
                    open.records.push(raw);
                }
                _ => {
                    self.close();
                    self.drop_waiting();
                    self.waiting = Some(raw);
                }
            },
            "metadata" => match &mut self.open {
                Some(open) if belongs(&raw, answer(open)) => open.records.push(raw),
                _ => self.push_alone(raw),
            },
            _ => self.push_alone(raw),
        }
    }

    fn push_alone(&mut self, raw: Raw) {
        self.close();
        self.done.push(Group {
            records: vec![raw],
            facts: None,
        });
    }

    fn drop_waiting(&mut self) {
        if let Some(raw) = self.waiting.take() {
            self.done.push(Group {
                records: vec![raw],
                facts: None,
            });
        }
    }

    fn close(&mut self) {
        if let Some(mut group) = self.open.take() {
            let facts = group.facts.take();
            group.facts = facts.and_then(|facts| finish(facts, &group.records));
            self.done.push(group);
        }
    }

    pub fn finish(mut self) -> Vec<Group> {
        self.close();
        self.drop_waiting();
        self.done
    }

    /// What is whole, and where that begins which is not: the next record may belong to it.
    pub fn leave(mut self) -> (Vec<Group>, Option<u64>) {
        let first = |group: &Group| group.records.first().map(|raw| raw.offset);
        let open = self.open.as_ref().and_then(first);
        let waiting = self.waiting.as_ref().map(|raw| raw.offset);
        let last = match (open, waiting) {
            (Some(open), Some(waiting)) => Some(open.min(waiting)),
            (open, waiting) => open
                .or(waiting)
                // the last record of all, so that who goes on sees that it was whole
                .or_else(|| self.done.pop().as_ref().and_then(first)),
        };
        (self.done, last)
    }
}

fn answer(group: &Group) -> &Raw {
    let is_request = |raw: &&Raw| raw.kind != "request";
    group
        .records
        .iter()
        .find(is_request)
        .unwrap_or(&group.records[0])
}

fn has(group: &Group, kind: &str) -> bool {
    group.records.iter().any(|raw| raw.kind == kind)
}

fn get<'a>(raw: &'a Raw, name: &str) -> Option<&'a str> {
    let found = raw
        .headers
        .iter()
        .find(|(own, _)| own.eq_ignore_ascii_case(name));
    found.map(|(_, value)| value.as_str())
}

/// Whether a request or metadata record is about the capture of another record.
fn belongs(other: &Raw, record: &Raw) -> bool {
    let (own, theirs) = (get(record, "WARC-Record-ID"), get(other, "WARC-Record-ID"));
    let links = ["WARC-Concurrent-To", "WARC-Refers-To"].map(|name| get(other, name));
    let back = get(record, "WARC-Concurrent-To");
    if links.iter().any(Option::is_some) || back.is_some() {
        return own.is_some() && links.contains(&own) || theirs.is_some() && back == theirs;
    }
    let same = |name: &str| get(other, name) == get(record, name);
    same("WARC-Target-URI") && same("WARC-Date")
}

/// The facts, unless the records are such that others must look at them.
fn finish(mut facts: Facts, records: &[Raw]) -> Option<Facts> {
    // an index points to the response, and what belongs to it comes behind; so they can be copied in one piece
    records
        .first()
        .filter(|raw| raw.kind == "response")
        .map(|_| ())?;
    for pair in records.windows(2) {
        if pair[0].offset + pair[0].length != pair[1].offset {
            return None;
        }
    }
    for raw in &records[1..] {
        if raw.is_head {
            return None;
        }
        let block = &raw.block[..];
        if raw.kind == "request" && !block.starts_with(b"GET ") {
            return None;
        }
        if raw.kind == "metadata" {
            let text = std::str::from_utf8(block)
                .ok()
                .filter(|text| text.is_ascii())?;
            let lines = text.lines().filter_map(|line| line.split_once(':'));
            let mut named = lines.filter(|(name, _)| name.trim() == "duplicate-of");
            if let Some((_, value)) = named.next().filter(|_| facts.duplicate_of.is_none()) {
                facts.duplicate_of = Some(value.trim().to_owned());
            }
        }
    }
    Some(facts)
}
